package report

import (
	"cmp"
	"fmt"
	"slices"

	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// ExpertLoad is the tokens of a layer's experts over the steps, of all ranks.
type ExpertLoad struct {
	Layer  string
	Tokens [][]int64 // by expert, then by part of the steps
}

// Bounds of what a page shows: layers, experts, and columns of steps.
const (
	expertLayers = 8
	mostExperts  = 1024
	stepColumns  = 100
)

// readExperts sums the table over ranks, and over so many steps that a row of the map is not too long.
func (d *Data) readExperts(run *result.Run) error {
	steps := max(d.Summary.Steps, 1)
	if d.job != "" {
		for _, j := range run.Summary.PerJob() {
			if j.Job == d.job {
				steps = max(j.Steps, 1)
			}
		}
	}
	columns := min(steps, stepColumns)
	for row, err := range run.Experts() {
		switch {
		case err != nil:
			return err
		case !d.of(row.Job) || row.Expert >= mostExperts || int64(row.Step) >= steps:
			continue
		}
		i := slices.IndexFunc(d.Experts, func(l ExpertLoad) bool { return l.Layer == row.Layer })
		if i < 0 {
			if len(d.Experts) == expertLayers {
				continue
			}
			i = len(d.Experts)
			d.Experts = append(d.Experts, ExpertLoad{Layer: row.Layer})
		}
		l := &d.Experts[i]
		for len(l.Tokens) <= int(row.Expert) {
			l.Tokens = append(l.Tokens, make([]int64, columns))
		}
		l.Tokens[row.Expert][int64(row.Step)*columns/steps] += row.Tokens
	}
	slices.SortFunc(d.Experts, func(a, b ExpertLoad) int {
		return cmp.Or(cmp.Compare(len(a.Layer), len(b.Layer)), cmp.Compare(a.Layer, b.Layer)) // block 10 after 2
	})
	return nil
}

// expertCharts are how evenly experts are used, from experts.parquet.
func expertCharts(d *Data) (all []chart.Figure) {
	for i := range d.Experts {
		l := &d.Experts[i]
		m := chart.Map{Value: chart.Axis{Label: "tokens, as a part of an even share", Unit: chart.Plain, High: 1}, RowName: "expert",
			X: &chart.Axis{Label: "step", Unit: chart.Count, High: chart.Value(max(d.Summary.Steps, 1)), Whole: true}}
		for e := range l.Tokens {
			m.Rows = append(m.Rows, fmt.Sprint(e))
			m.Cells = append(m.Cells, make([]chart.Value, len(l.Tokens[e])))
		}
		for c := range l.Tokens[0] {
			sum := int64(0)
			for e := range l.Tokens {
				sum += l.Tokens[e][c]
			}
			for e := range l.Tokens {
				m.Cells[e][c] = chart.Nothing
				if sum > 0 {
					m.Cells[e][c] = chart.Value(float64(l.Tokens[e][c]) * float64(len(l.Tokens)) / float64(sum))
					m.Value.High = max(m.Value.High, m.Cells[e][c])
				}
			}
		}
		all = append(all, chart.Figure{Name: insideName("experts", l.Layer), Title: "Tokens of experts over the steps, " + l.Layer,
			Map: &m, Caption: "How many tokens chose an expert, over the mean of all: 1 is an even share. Summed over ranks; what was " +
				"dropped counts. From experts.parquet."})
	}
	return all
}
