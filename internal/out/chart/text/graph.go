package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/out/chart"
)

// busiest is how many directions of edges are listed.
const busiest = 8

// drawGraph lists the tiers, the highest first, the busiest directions with a bar each,
// and the paths.
//
//	spine  spine1 spine2
//	leaf   leaf1 leaf2
//	  leaf1/spine2  94.1 %  ##################
//	path of the slowest message: host1 > leaf1 > spine2 > leaf2 > host9
func drawGraph(s *sheet.Sheet, f *chart.Figure) {
	g := f.Graph
	for i := len(g.Tiers) - 1; i >= 0; i-- {
		t := &g.Tiers[i]
		labels := make([]string, len(t.Nodes))
		for k, n := range t.Nodes {
			labels[k] = n.Label
			if n.Alert != "" {
				labels[k] += " (" + n.Alert + ")"
			}
		}
		s.Wrap(fmt.Sprintf("  %-10s ", t.Name), strings.Join(labels, ", "))
	}
	rows := [][]string{}
	for _, side := range sides(g) {
		bar := strings.Repeat("#", int(g.Load.At(side.Value)*24+0.5))
		note := side.Note
		if g.Load.Unit.Text(side.Mean) != g.Load.Unit.Text(side.Value) {
			note = strings.TrimPrefix(note+"; mean of its like "+g.Load.Unit.Text(side.Mean), "; ")
		}
		rows = append(rows, []string{side.Port, g.Load.Unit.Text(side.Value), bar, note})
	}
	s.Grid("lrll", rows)
	for _, w := range g.Ways {
		name := w.Key
		for _, k := range f.Keys {
			if k.ID == w.Key {
				name = k.Name
			}
		}
		s.Wrap("  ", name+": "+strings.Join(w.Nodes, " > "))
	}
}

// sides are the busiest directions that were used.
func sides(g *chart.Graph) (all []*chart.Side) {
	for i := range g.Edges {
		for _, s := range []*chart.Side{&g.Edges[i].Up, &g.Edges[i].Down} {
			if s.Value > 0 { // not Nothing
				all = append(all, s)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *chart.Side) int { return cmp.Compare(b.Value, a.Value) })
	return all[:min(len(all), busiest)]
}
