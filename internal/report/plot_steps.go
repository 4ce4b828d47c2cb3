package report

import (
	"fmt"
	"math"
	"strconv"

	"railyard/internal/chart"
	"railyard/internal/unit"
)

// column is a column of a decimated series: least, greatest and mean value of the
// numbers that fall in it.
type column struct {
	low, high, sum float64
	n              int
}

// decimate puts a series, by index, in at most n columns of equal width. Values that
// are no number are skipped.
func decimate(v []float64, n int) []column {
	n = min(n, len(v))
	out := make([]column, n)
	for i, x := range v {
		c := &out[i*n/len(v)]
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		if c.n == 0 || x < c.low {
			c.low = x
		}
		if c.n == 0 || x > c.high {
			c.high = x
		}
		c.sum += x
		c.n++
	}
	return out
}

// shownColumns is how many values a line has at most: more are put together.
const shownColumns = 480

// fewSteps is how many steps are drawn one by one: a distribution of them would be the
// same points again.
const fewSteps = 24

// stepSeries is a value of each step: of many steps the mean of each column, and the band
// from its least to its greatest.
func stepSeries(v []float64) (s chart.Series) {
	cols := decimate(v, shownColumns)
	s.Key = "value"
	for i, c := range cols {
		s.X = append(s.X, chart.Value((float64(i)+0.5)*float64(len(v))/float64(len(cols))-0.5))
		mean, low, high := chart.Nothing, chart.Nothing, chart.Nothing
		if c.n > 0 {
			mean, low, high = rounded(c.sum/float64(c.n)), rounded(c.low), rounded(c.high)
		}
		s.Y, s.Low, s.High = append(s.Y, mean), append(s.Low, low), append(s.High, high)
	}
	if len(cols) == len(v) {
		s.Low, s.High = nil, nil
	}
	if len(v) <= fewSteps {
		s.Shape = chart.Curve
	}
	return s
}

// rounded keeps six digits: more than a drawing shows, and fewer bytes in a page.
func rounded(v float64) chart.Value {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	return chart.Value(r)
}

// stepAxis is an axis of steps: they are numbered as in the tables.
func stepAxis(steps int) chart.Axis {
	return chart.Axis{Label: "step, counted from 0", Whole: true, High: chart.Value(max(steps-1, 1))}
}

// banded says what the band of a line is, if it has one.
func banded(s *chart.Series, steps int) string {
	if s.Low == nil {
		return ""
	}
	each := (steps + len(s.X) - 1) / len(s.X)
	return fmt.Sprintf(" Line: mean over about %d steps; band: from the least to the greatest of them.", each)
}

// lossChart is the training loss by step.
func lossChart(d *Data) []chart.Figure {
	if d.Steps == nil {
		return nil
	}
	steps, high, n := len(d.Steps.Loss), 0.0, 0
	for _, v := range d.Steps.Loss {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			high = max(high, v)
			n++
		}
	}
	if n < 2 || high <= 0 {
		return nil
	}
	s := stepSeries(d.Steps.Loss)
	y := chart.Axis{Label: "loss", Unit: chart.Plain, High: chart.Value(high * 1.05)}
	f := chart.Figure{Name: "loss", Title: "Training loss",
		Caption: "Mean over ranks of each step's micro-batch." + banded(&s, steps),
		Keys:    []chart.Key{{ID: s.Key, Name: "loss", Ink: chart.Subject}},
		Lines:   &chart.Lines{X: stepAxis(steps), Y: y, Series: []chart.Series{s}}}
	if bad := steps - n; bad > 0 {
		f.Caption += fmt.Sprintf(" %s have no number as loss (the training diverged).", count(int64(bad), "step"))
	}
	return []chart.Figure{f}
}

// stepTimeCharts are the time of each step, and how these times are distributed.
func stepTimeCharts(d *Data) []chart.Figure {
	s := d.Steps
	if s == nil || s.Whole < 2 {
		return nil
	}
	v := make([]float64, len(s.Time))
	for i, t := range s.Time {
		v[i] = float64(t)
		if t == 0 {
			v[i] = math.NaN()
		}
	}
	least, most := s.Ranked[0], s.Ranked[s.Whole-1]
	line := stepSeries(v)
	median := s.Quantile(0.5)
	out := []chart.Figure{{Name: "step-time", Title: "Time of each step",
		Caption: fmt.Sprintf("Of the slowest rank, from its own start of the step to its end; the slowest, %s, is "+
			"step %d.%s",
			most.Human(), s.Worst, banded(&line, len(v))),
		Keys: []chart.Key{{ID: line.Key, Name: "time of the step", Ink: chart.Subject},
			{ID: "median", Name: "median " + median.Human(), Ink: chart.Reference}},
		Lines: &chart.Lines{X: stepAxis(len(v)),
			Y:      chart.Axis{Label: "step time", Unit: chart.Time, High: chart.Value(most) * 1.05},
			Series: []chart.Series{line}, Rules: []chart.Rule{{Key: "median", Along: "y", At: chart.Value(median)}}}}}
	if least == most {
		out[0].Caption = fmt.Sprintf("Every step took %s.", most.Human())
		return out
	}
	if s.Whole <= fewSteps {
		return out
	}
	return append(out, stepDistribution(s))
}

// stepDistribution is how many steps took how long.
func stepDistribution(s *StepStats) chart.Figure {
	bins := histogramOf(times(s.Ranked), 40)
	f := chart.Figure{Name: "step-time-distribution", Title: "How step times are distributed",
		Caption: fmt.Sprintf("%s. Half took at most %s, 90 %% at most %s, 99 %% at most %s.",
			count(int64(s.Whole), "step"),
			s.Quantile(0.5).Human(), s.Quantile(0.9).Human(), s.Quantile(0.99).Human()),
		Keys: []chart.Key{{ID: "steps", Name: "steps", Ink: chart.Subject},
			{ID: "quantile", Name: "median, 90 %, 99 %", Ink: chart.Reference}},
		Lines: &chart.Lines{X: distributionAxis("step time", s.Ranked[0], s.Ranked[s.Whole-1]),
			Y:      chart.Axis{Label: "steps", Whole: true, High: bins.most() * 1.05},
			Series: []chart.Series{bins.series("steps")}}}
	last := ""
	for _, q := range []float64{0.5, 0.9, 0.99} {
		at := s.Quantile(q)
		if at.Human() == last { // the same rule says nothing new
			continue
		}
		last = at.Human()
		label := fmt.Sprintf("p%.0f %s", q*100, last)
		f.Lines.Rules = append(f.Lines.Rules,
			chart.Rule{Key: "quantile", Along: "x", At: chart.Value(at), Label: label})
	}
	return f
}

func times(all []unit.Duration) []timeCount {
	out := make([]timeCount, len(all))
	for i, t := range all {
		out[i] = timeCount{t, 1}
	}
	return out
}
