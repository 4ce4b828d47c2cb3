package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"railyard/internal/base/formula"
	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/headline"
	"railyard/internal/out/report"
)

// Effect is how much of what a figure differs by, over all runs, is an axis's own doing.
type Effect struct {
	Figure string  `json:"figure"`
	Axis   string  `json:"key"`   // "": seeds, and what axes do together
	Share  float64 `json:"share"` // of the variance: that of the means over each value of the axis
}

// parts is into how many equal parts of the runs the values of an axis are put, where each has a value of its own.
const parts = 8

// effects works out the shares of each figure that differs (main effects of an analysis of variance: Fisher 1925; the
// first-order indices of Sobol 1993). Axes whose values come together, as where a condition left combinations out, share
// what they do, and the shares of a figure are then scaled to one.
func (t *Table) effects(all []measure) (out []Effect) {
	for m := range all {
		values, groups := flat(&all[m])
		total, mean := variance(values)
		if total <= 0 {
			continue
		}
		rest, from := 1.0, len(out)
		for _, path := range t.paths() {
			between := 0.0
			for _, class := range t.classes(path, groups) {
				d, n := 0.0, 0
				for i, v := range values {
					if class[groups[i]] {
						d, n = d+v, n+1
					}
				}
				if n > 0 {
					between += float64(n) * (d/float64(n) - mean) * (d/float64(n) - mean)
				}
			}
			share := between / float64(len(values)) / total
			out = append(out, Effect{all[m].name, path, share})
			rest -= share
		}
		if rest < 0 {
			for i := from; i < len(out); i++ {
				out[i].Share /= 1 - rest
			}
			rest = 0
		}
		out = append(out, Effect{all[m].name, "", rest})
	}
	return out
}

// flat lists the values of a figure over all runs, with the group of each.
func flat(m *measure) (values []float64, groups []int) {
	for g, of := range m.values {
		for _, v := range of {
			values, groups = append(values, float64(v)), append(groups, g)
		}
	}
	return values, groups
}

func variance(x []float64) (v, mean float64) {
	for _, a := range x {
		mean += a
	}
	mean /= float64(max(1, len(x)))
	for _, a := range x {
		v += (a - mean) * (a - mean)
	}
	if v /= float64(max(1, len(x))); v <= 1e-24*mean*mean {
		return 0, mean // nothing but rounding
	}
	return v, mean
}

// classes are sets of groups that have the same value at a key. Where there are many values, each seldom, neighbours come
// together in equal parts of the runs.
func (t *Table) classes(path string, groups []int) []map[int]bool {
	byValue := map[string]map[int]bool{}
	var order []string
	for _, g := range groups {
		row := Row{Set: t.Groups[g].Set}
		v := row.value(path)
		if byValue[v] == nil {
			byValue[v] = map[int]bool{}
			order = append(order, v)
		}
		byValue[v][g] = true
	}
	if len(order) > parts && len(order)*2 > len(groups) && report.Quantities(order) {
		slices.SortFunc(order, compareTexts)
		classes := make([]map[int]bool, parts)
		for i, v := range order {
			k := i * parts / len(order)
			if classes[k] == nil {
				classes[k] = map[int]bool{}
			}
			for g := range byValue[v] {
				classes[k][g] = true
			}
		}
		return classes
	}
	var classes []map[int]bool
	for _, v := range order {
		classes = append(classes, byValue[v])
	}
	return classes
}

// effectsFigure draws the shares of each figure as a bar.
func (t *Table) effectsFigure(effects []Effect) *chart.Figure {
	if n := len(t.paths()); n == 0 || n == 1 && len(t.Seeds) < 2 || len(effects) == 0 {
		return nil
	}
	f := &chart.Figure{Name: "effects", Title: "Which key changed a figure most",
		Caption: "The share of a figure's variance over all runs that each key has by itself.",
		Bars:    &chart.Bars{X: chart.Axis{Label: "share of the variance", Unit: chart.Fraction, High: 1}}}
	key := map[string]string{}
	for _, e := range effects {
		if key[e.Axis] != "" {
			continue
		}
		id, name, ink := fmt.Sprintf("key%d", len(key)), e.Axis, chart.InkOfRun(len(key))
		if e.Axis == "" {
			name, ink = "seeds, and keys together", chart.Other
		}
		key[e.Axis] = id
		f.Keys = append(f.Keys, chart.Key{ID: id, Name: name, Ink: ink})
	}
	for _, e := range effects {
		n := len(f.Bars.Rows)
		if n == 0 || f.Bars.Rows[n-1].Label != e.Figure {
			f.Bars.Rows = append(f.Bars.Rows, chart.Bar{Label: e.Figure, Of: 1})
			n++
		}
		bar := &f.Bars.Rows[n-1]
		if bar.Parts = append(bar.Parts, chart.Part{Key: key[e.Axis], Value: chart.Value(e.Share)}); e.Axis != "" &&
			e.Share >= largest(effects, e.Figure) {
			bar.Note = e.Axis + " " + unit.Percent(e.Share)
		}
	}
	return f
}

func largest(effects []Effect, figure string) (most float64) {
	for _, e := range effects {
		if e.Figure == figure && e.Axis != "" {
			most = max(most, e.Share)
		}
	}
	return most
}

// front lists the groups that no other is better than in one figure and no worse in the other (Pareto 1906), by the first.
func front(x, y *measure) (groups []int) {
	better := func(m *measure, a, b int) int { // > 0: a is better than b
		p, q := float64(m.point(a).Median), float64(m.point(b).Median)
		if headline.BetterWay(m.name) == headline.Higher {
			p, q = q, p
		}
		switch {
		case p < q:
			return 1
		case p > q:
			return -1
		}
		return 0
	}
	var have []int
	for g := range x.values {
		if len(x.values[g]) > 0 && len(y.values[g]) > 0 {
			have = append(have, g)
		}
	}
	slices.SortStableFunc(have, func(a, b int) int {
		if c := better(x, b, a); c != 0 {
			return c
		}
		return better(y, b, a)
	})
	for _, g := range have { // from the best x on: each must be better in y than all before it
		if len(groups) == 0 || better(y, g, groups[len(groups)-1]) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}

// mostFronts is how many pairs of figures a page draws.
const mostFronts = 4

// fronts draws the figure by which variants are compared against others that are better one way: every variant, and those
// that no other beats in both.
func (t *Table) fronts(all []measure) (out []chart.Figure) {
	for i := 1; i < len(all) && len(out) < mostFronts && len(t.Groups) > 2; i++ {
		if headline.BetterWay(all[i].name) == headline.Neither || headline.BetterWay(all[0].name) == headline.Neither {
			continue
		}
		groups := front(&all[0], &all[i])
		if len(groups) < 2 {
			continue // one is the best in both
		}
		out = append(out, t.frontFigure(&all[0], &all[i], groups))
	}
	return out
}

func (t *Table) frontFigure(x, y *measure, groups []int) chart.Figure {
	f := chart.Figure{Name: report.Slug("front " + y.name), Title: report.Capital(y.name) + " against " + x.name,
		Caption: fmt.Sprintf("Each point is a variant. On the front (%d of %d) none is better in one and no worse in the other.",
			len(groups), len(t.Groups)),
		Keys:  []chart.Key{{ID: "all", Name: "variants", Ink: chart.Other}, {ID: "front", Name: "the front", Ink: chart.Subject}},
		Lines: &chart.Lines{X: chart.Axis{Label: x.name, Unit: x.unit}, Y: chart.Axis{Label: y.name, Unit: y.unit}}}
	every, best := chart.Series{Key: "all", Shape: chart.Points}, chart.Series{Key: "front", Shape: chart.Curve}
	low, high, top := math.Inf(1), 0.0, 0.0
	for g := range x.values {
		p, q := x.point(g).Median, y.point(g).Median
		if p.None() || q.None() {
			continue
		}
		every.X, every.Y = append(every.X, p), append(every.Y, q)
		low, high, top = min(low, float64(p)), max(high, float64(p)), max(top, float64(q))
	}
	slices.SortFunc(groups, func(a, b int) int { return cmp.Compare(x.point(a).Median, x.point(b).Median) })
	for _, g := range groups {
		p, q := x.point(g).Median, y.point(g).Median
		best.X, best.Y = append(best.X, p), append(best.Y, q)
		f.Lines.Marks = append(f.Lines.Marks, chart.Mark{Key: "front", X: p, Y: q,
			Label: label(t.Groups[g].Set) + ": " + x.text(p) + ", " + y.text(q)})
	}
	room := max((high-low)*0.05, high*0.01)
	f.Lines.X.Low, f.Lines.X.High, f.Lines.Y.High = chart.Value(max(0, low-room)), chart.Value(high+room), chart.Value(top*1.05)
	f.Lines.Series = []chart.Series{every, best}
	return f
}

// scatter draws a figure over an axis that has a value of its own in nearly every variant.
func (t *Table) scatter(m *measure, axis Axis) *chart.Figure {
	over, at, ok := report.KeyAxis(axis.Path, axis.Values)
	if !ok {
		return nil
	}
	f := &chart.Figure{Name: report.Slug(m.name), Title: report.Capital(m.name) + " over " + axis.Path,
		Caption: "Each point is a variant, whatever its other keys.",
		Keys:    []chart.Key{{ID: "variants", Name: "variants", Ink: chart.Subject}},
		Lines:   &chart.Lines{X: over, Y: chart.Axis{Label: m.name, Unit: m.unit}}}
	s := chart.Series{Key: "variants", Shape: chart.Points}
	for g := range t.Groups {
		row := Row{Set: t.Groups[g].Set}
		k := slices.Index(axis.Values, row.value(axis.Path))
		if v := m.point(g).Median; k >= 0 && !at[k].None() && !v.None() {
			s.X, s.Y = append(s.X, at[k]), append(s.Y, v)
			f.Lines.Y.High = max(f.Lines.Y.High, v*1.05)
		}
	}
	f.Lines.Series = []chart.Series{s}
	return f
}

// compareTexts orders values by what they measure.
func compareTexts(a, b string) int {
	x, _ := formula.ParseQuantity(a)
	y, _ := formula.ParseQuantity(b)
	return cmp.Compare(x.Value, y.Value)
}
