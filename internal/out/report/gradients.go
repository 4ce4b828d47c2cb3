package report

import (
	"fmt"
	"slices"

	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// BackThroughTime is how long a recurrent layer's gradient is at each position, the mean over ranks, in
// the first step of a run and in the last.
type BackThroughTime struct {
	Layer       string
	First, Last []float64 // by position
	LastStep    int32
	ranks       [2]map[int32]bool
}

// A page shows so many positions of a layer at most: no text has longer windows.
const mostPositions = 1 << 16

// readGradients keeps two steps of the table. Rows are in the order in which ranks ended steps.
func (d *Data) readGradients(run *result.Run) error {
	for row, err := range run.Gradients() {
		switch {
		case err != nil:
			return err
		case !d.of(row.Job) || row.Position >= mostPositions:
			continue
		}
		i := slices.IndexFunc(d.Gradients, func(b BackThroughTime) bool { return b.Layer == row.Layer })
		if i < 0 {
			if len(d.Gradients) == insideLines {
				continue
			}
			i = len(d.Gradients)
			d.Gradients = append(d.Gradients, BackThroughTime{Layer: row.Layer, ranks: [2]map[int32]bool{{}, {}}})
		}
		d.Gradients[i].take(&row)
	}
	for i := range d.Gradients {
		d.Gradients[i].mean()
	}
	return nil
}

// mean makes means of sums.
func (b *BackThroughTime) mean() {
	for k, sums := range [][]float64{b.First, b.Last} {
		for p := range sums {
			sums[p] /= float64(len(b.ranks[k]))
		}
	}
}

// take adds a row to the sums over ranks.
func (b *BackThroughTime) take(r *result.GradientRow) {
	if r.Step == 0 {
		b.First = added(b.First, r)
		b.ranks[0][r.Rank] = true
	}
	if r.Step > b.LastStep {
		b.LastStep, b.Last = r.Step, nil
		clear(b.ranks[1])
	}
	if r.Step == b.LastStep {
		b.Last = added(b.Last, r)
		b.ranks[1][r.Rank] = true
	}
}

func added(to []float64, r *result.GradientRow) []float64 {
	if n := int(r.Position) + 1 - len(to); n > 0 {
		to = append(to, make([]float64, n)...)
	}
	to[r.Position] += r.Norm
	return to
}

// gradientCharts are gradients back through time, from gradients.parquet.
func gradientCharts(d *Data) (all []chart.Figure) {
	for i := range d.Gradients {
		b := &d.Gradients[i]
		keys := []chart.Key{{ID: "first", Name: "step 0", Ink: chart.Other},
			{ID: "last", Name: fmt.Sprintf("step %d", b.LastStep), Ink: chart.Subject}}
		if l := normLines(keys, b.First, b.Last); l != nil {
			all = append(all, chart.Figure{Name: insideName("back", b.Layer),
				Title: "The gradient back through time, " + b.Layer, Lines: l, Keys: keys,
				Caption: "The length of the gradient at the layer's state after each position, the mean over ranks: it comes " +
					"from the right, and where it falls to the left the beginning of a text teaches little. From gradients.parquet."})
		}
	}
	return all
}

// normLines are lengths by position, a line for each key, over a logarithmic axis; nil: there is nothing to
// be seen.
func normLines(keys []chart.Key, of ...[]float64) *chart.Lines {
	l := &chart.Lines{X: chart.Axis{Label: "step", Unit: chart.Count, Low: 1, High: 1, Whole: true},
		Y: chart.Axis{Label: "length of the gradient", Unit: chart.Plain, High: 1, Log: true}}
	for k, norms := range of {
		l.X.High = max(l.X.High, chart.Value(len(norms)))
		s := chart.Series{Key: keys[k].ID, Shape: chart.Curve}
		for t, norm := range norms {
			y := chart.Value(norm)
			switch {
			case !(y > 0) || y-y != 0: // none, or no number
				y = chart.Nothing
			case l.Y.Low == 0 || y < l.Y.Low:
				l.Y.Low = y
			}
			if y != chart.Nothing {
				l.Y.High = max(l.Y.High, y)
			}
			s.X, s.Y = append(s.X, chart.Value(t+1)), append(s.Y, y)
		}
		l.Series = append(l.Series, s)
	}
	if l.X.High < 2 || l.Y.Low == 0 || l.Y.Low >= l.Y.High {
		return nil
	}
	return l
}
