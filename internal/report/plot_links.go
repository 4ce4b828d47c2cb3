package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"railyard/internal/unit"
)

// shownGroups is how many nodes a chart shows.
const shownGroups = 32

// utilisationFigure is the use of the links by tier and switch.
func utilisationFigure(d *Data) []Figure {
	all, by := GroupLinks(d.Links)
	if len(all) == 0 {
		return nil
	}
	title := "Link utilisation by tier and " + by
	caption := "Share of the run in which a port sent. Bar: mean over the ports of a direction at that " + by + "; tick: the busiest of them."
	var nodes []string
	most := map[string]float64{}
	for _, g := range all {
		if !slices.Contains(nodes, g.Node) {
			nodes = append(nodes, g.Node)
		}
		most[g.Node] = max(most[g.Node], g.Max)
	}
	if len(nodes) > shownGroups {
		slices.SortStableFunc(nodes, func(a, b string) int { return cmp.Compare(most[b], most[a]) })
		caption += fmt.Sprintf(" The %d of %d with the busiest ports.", shownGroups, len(nodes))
		nodes = nodes[:shownGroups]
	}
	slices.SortFunc(nodes, byName)
	return one(Figure{Name: "utilisation", Title: title, Caption: caption, Draw: func(w float64) drawn { return drawUtilisation(w, title, all, nodes) }})
}

func drawUtilisation(w float64, title string, all []LinkGroup, nodes []string) *Drawing {
	var tiers []string
	high := 0.0
	for _, g := range all {
		if !slices.Contains(tiers, g.Tier) {
			tiers = append(tiers, g.Tier)
		}
		high = max(high, g.Max)
	}
	colours := []Colour{blue, orange, green, purple, grey}
	var keys []Key
	for i, t := range tiers {
		keys = append(keys, Key{Name: t, Colour: colours[i%len(colours)]})
	}
	head := Legend(nil, keys, 0, 12, w)
	h := head + 220
	g := NewDrawing(w, h, title, fmt.Sprintf("busiest port: %s", unit.Percent(high)))
	Legend(g, keys, 0, 12, w)
	// With little load the axis still shows how far from full: it ends at the next of 5, 10, 20, 50, 100 %.
	top := 1.0
	for _, v := range []float64{0.5, 0.2, 0.1, 0.05} {
		if high <= v*0.98 {
			top = v
		}
	}
	f := Frame{d: g, Left: 44, Right: w - 8, Top: head + 26, Bottom: h - 30, YHi: top}
	f.YAxis("utilisation", quantity{"%", 0.01})
	group := (f.Right - f.Left) / float64(len(nodes))
	each := math.Min(group*0.82/float64(len(tiers)), 46)
	for i, node := range nodes {
		middle := f.Left + group*(float64(i)+0.5)
		x := middle - each*float64(len(tiers))/2
		for k, t := range tiers {
			j := slices.IndexFunc(all, func(a LinkGroup) bool { return a.Node == node && a.Tier == t })
			if j < 0 {
				continue
			}
			a, at := all[j], x+each*float64(k)
			tip := fmt.Sprintf("%s, %s: mean %s over %d ports, busiest %s at %s", t, node, unit.Percent(a.Mean), a.Ports, unit.Percent(a.Max), a.Busiest)
			g.Rect(at+1, f.Y(a.Mean), max(each-2, 1), f.Bottom-f.Y(a.Mean), colours[k%len(colours)], tip)
			if a.Max > 0 {
				g.Line(at+1, f.Y(a.Max), at+each-1, f.Y(a.Max), 2, ink, "", tip)
			}
		}
		if label := axisLabel(nodes, node, group); i%max(1, int(math.Ceil(18/group))) == 0 {
			g.Text(middle, f.Bottom+16, smallSize, alignMiddle, ink, label)
		}
	}
	g.Line(f.Left, f.Bottom, f.Right, f.Bottom, 1, muted, "", "")
	return g
}

// axisLabel is a name if all of them fit beside each other, else its number.
func axisLabel(all []string, name string, width float64) string {
	for _, n := range all {
		if textWidth(n, smallSize) > width-8 {
			return fmt.Sprint(numberOf(name))
		}
	}
	return name
}
