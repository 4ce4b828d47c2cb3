package report

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// computingSteps is how many steps the plot of utilisation shows, from the start of the job.
const computingSteps = 4

// computingColumns is in how many equal parts the plot cuts its time.
const computingColumns = 240

// Computing is how much GPUs computed in equal parts of the first steps.
type Computing struct {
	From  unit.Time // the start of the job
	Until unit.Time // the end of the last step shown
	Steps int
	busy  []unit.Duration // by column, over all ranks
}

// newComputing returns one of which nothing is known yet.
func newComputing(s *StepStats, from unit.Time) *Computing {
	steps := min(s.Whole, computingSteps)
	return &Computing{From: from, Until: s.ends[steps-1], Steps: steps, busy: make([]unit.Duration, computingColumns)}
}

// edge is where a column begins.
func (u *Computing) edge(column int) unit.Time {
	return u.From + unit.Time(float64(u.Until.Sub(u.From))*float64(column)/computingColumns)
}

// add takes an operation of a rank.
func (u *Computing) add(o *result.OperationRow) {
	if o.Stream != "compute" || o.Start < u.From || o.Start >= u.Until || u.Until <= u.From {
		return
	}
	first := int(float64(o.Start.Sub(u.From)) * computingColumns / float64(u.Until.Sub(u.From)))
	for c := max(first-1, 0); c < computingColumns && u.edge(c) < o.End; c++ {
		from, to := max(o.Start, u.edge(c)), min(o.End, u.edge(c+1))
		u.busy[c] += max(0, to.Sub(from))
	}
}

// computingChart is how many of the GPUs compute at a time: none where gradients travel and nothing
// is left to compute beside them.
func computingChart(d *Data) []chart.Figure {
	u := d.Computing
	if u == nil || u.Until <= u.From {
		return nil
	}
	s := chart.Series{Key: "computing", Shape: chart.Filled}
	computed := unit.Duration(0)
	for c, busy := range u.busy {
		from, to := u.edge(c), u.edge(c+1)
		share := 0.0
		if to > from {
			share = min(float64(busy)/float64(to.Sub(from))/float64(d.Steps.Ranks), 1)
		}
		s.X, s.Y = append(s.X, chart.Value(from)), append(s.Y, rounded(share))
		computed += busy
	}
	mean := float64(computed) / float64(u.Until.Sub(u.From)) / float64(d.Steps.Ranks)
	which := fmt.Sprintf("the first %d steps", u.Steps)
	if u.Steps == 1 {
		which = "the first step"
	}
	return []chart.Figure{{Name: "gpu-utilisation", Title: "GPU utilisation over " + which,
		Caption: fmt.Sprintf("Share of the %s that run a compute operation, mean of %s each; %s of this time in all. "+
			"Between the hills GPUs wait: for gradients in flight, or for other ranks.", count(int64(d.Steps.Ranks), "GPU"),
			(u.Until.Sub(u.From) / computingColumns).Human(), unit.Percent(mean)),
		Keys: []chart.Key{{ID: s.Key, Name: "computing", Ink: chart.Subject}},
		Lines: &chart.Lines{X: chart.Axis{Label: "virtual time", Unit: chart.Time, Low: chart.Value(u.From), High: chart.Value(u.Until)},
			Y: chart.Axis{Label: "GPUs computing", Unit: chart.Fraction, High: 1.05}, Series: []chart.Series{s}}}}
}
