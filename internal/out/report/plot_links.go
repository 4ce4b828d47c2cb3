package report

import (
	"cmp"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
)

// shownAlone is how many nodes of a direction have a bar of their own.
const shownAlone = 6

// utilisationChart is the use of the links by direction. Nodes whose ports are used
// alike share a bar; those that stand out have their own.
func utilisationChart(d *Data) []chart.Figure {
	all, _ := GroupLinks(d.Links)
	bars := &chart.Bars{X: chart.Axis{Label: "share of time sending", Unit: chart.Fraction}}
	var idle []string
	most, differ := 0.0, false
	for len(all) > 0 {
		var way []LinkGroup
		way, all = cutDirection(all)
		rows := foldAlike(way)
		if rows[0].Max == 0 {
			idle = append(idle, way[0].Tier)
			continue
		}
		for _, g := range rows {
			most = max(most, g.Max)
			bar := chart.Bar{Group: g.Tier, Label: g.Node, Note: unit.Percent(g.Max),
				Parts: []chart.Part{{Key: "mean", Value: chart.Value(g.Mean), Note: count(int64(g.Ports), "port")}}}
			if unit.Percent(g.Mean) != bar.Note {
				bar.Note += " " + g.Busiest
				bar.Reach = &chart.Part{Key: "busiest", Value: chart.Value(g.Max), Note: g.Busiest}
				differ = true
			}
			bars.Rows = append(bars.Rows, bar)
		}
	}
	if len(bars.Rows) == 0 {
		return nil
	}
	bars.X.High = fullScale(most)
	f := chart.Figure{Name: "utilisation", Title: "Link utilisation by tier", Bars: bars,
		Keys: []chart.Key{{ID: "mean", Name: "mean over ports", Ink: chart.Subject}}}
	if differ {
		f.Keys = append(f.Keys, chart.Key{ID: "busiest", Name: "the busiest of them", Ink: chart.Highlight})
	}
	f.Caption = "Nodes that are used alike share a bar."
	if len(idle) > 0 {
		f.Caption += " Idle: " + strings.Join(idle, ", ") + "."
	}
	return []chart.Figure{f}
}

// fullScale is where a scale of shares ends, with little load at less than 1, so that
// differences can be seen.
func fullScale(most float64) chart.Value {
	top := 1.0
	for _, v := range []float64{0.5, 0.2, 0.1, 0.05} {
		if most <= v*0.98 {
			top = v
		}
	}
	return chart.Value(top)
}

// foldAlike joins the groups of one direction that do not stand out: by more than a
// tenth above the median, in the mean or in the busiest port. Those that do come first,
// the busiest before the others.
func foldAlike(all []LinkGroup) []LinkGroup {
	median := func(of func(*LinkGroup) float64) float64 {
		var v []float64
		for i := range all {
			v = append(v, of(&all[i]))
		}
		slices.Sort(v)
		return v[(len(v)-1)/2]
	}
	mean := median(func(g *LinkGroup) float64 { return g.Mean })
	busiest := median(func(g *LinkGroup) float64 { return g.Max })
	ranked := slices.Clone(all)
	slices.SortStableFunc(ranked, func(a, b LinkGroup) int {
		return cmp.Or(cmp.Compare(b.Max, a.Max), cmp.Compare(b.Mean, a.Mean))
	})
	var alone, rest []LinkGroup
	for _, g := range ranked {
		if len(alone) < shownAlone && (g.Mean > 1.1*mean || g.Max > 1.1*busiest) {
			alone = append(alone, g)
		} else {
			rest = append(rest, g)
		}
	}
	if len(rest) == 0 {
		return alone
	}
	slices.SortFunc(rest, func(a, b LinkGroup) int { return byName(a.Node, b.Node) })
	sum := LinkGroup{Tier: rest[0].Tier, from: rest[0].from, to: rest[0].to}
	nodes := make([]string, len(rest))
	for i, g := range rest {
		nodes[i] = g.Node
		sum.Mean += float64(g.Mean * float64(g.Ports))
		sum.Ports += g.Ports
		if g.Max > sum.Max || sum.Busiest == "" {
			sum.Max, sum.Busiest = g.Max, g.Busiest
		}
	}
	sum.Mean = min(sum.Mean/float64(sum.Ports), sum.Max) // rounding
	sum.Node = nameAll(nodes, len(alone) > 0)
	return append(alone, sum)
}
