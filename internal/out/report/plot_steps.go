package report

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
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

// windows is in how many parts a long series is cut whose values are put together, and windowed how many a part has at least, so
// that percentiles of it say something.
const (
	windows  = 120
	windowed = 20
)

// stepSeries is a value of each step. Of many steps it is the median of each window, with the band in which half of the window is.
func stepSeries(v []float64) (s chart.Series) {
	s.Key = "value"
	if len(v) > shownColumns {
		for from, to := range windowsOf(v) {
			s.X = append(s.X, chart.Value(float64(from+to-1)/2))
			p := percentiles(v[from:to], 25, 50, 75)
			s.Low, s.Y, s.High = append(s.Low, p[0]), append(s.Y, p[1]), append(s.High, p[2])
		}
		return s
	}
	for i, x := range v {
		y := chart.Nothing
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			y = rounded(x)
		}
		s.X, s.Y = append(s.X, chart.Value(i)), append(s.Y, y)
	}
	if len(v) <= fewSteps {
		s.Shape = chart.Curve
	}
	return s
}

// windowsOf yields where each window of a long series begins and ends.
func windowsOf(v []float64) iter.Seq2[int, int] {
	n := min(windows, len(v)/windowed)
	return func(yield func(from, to int) bool) {
		for i := 0; i < n && yield(i*len(v)/n, (i+1)*len(v)/n); i++ {
		}
	}
}

// percentiles returns some of numbers; without any, Nothing.
func percentiles(v []float64, percent ...int) (out []chart.Value) {
	all := slices.DeleteFunc(slices.Clone(v), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	slices.Sort(all)
	for _, p := range percent {
		if len(all) == 0 {
			out = append(out, chart.Nothing)
			continue
		}
		out = append(out, rounded(all[max((len(all)*p+99)/100, 1)-1]))
	}
	return out
}

// aroundOf is the pale band in which 90 % of each window are, and the fine line of the greatest.
func aroundOf(s *chart.Series, v []float64) (band, greatest chart.Series) {
	band = chart.Series{Key: s.Key, Thin: true, X: s.X}
	greatest = chart.Series{Key: "greatest", Thin: true, X: s.X}
	for from, to := range windowsOf(v) {
		p := percentiles(v[from:to], 5, 95, 100)
		band.Y, band.Low, band.High = append(band.Y, chart.Nothing), append(band.Low, p[0]), append(band.High, p[1])
		greatest.Y = append(greatest.Y, p[2])
	}
	return band, greatest
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

// banded says what the band of a line is, if it has one, and what is beside it.
func banded(s *chart.Series, steps int, more string) string {
	if s.Low == nil {
		return ""
	}
	return fmt.Sprintf(" Line: median of about %d steps; band: half of them%s.", (steps+len(s.X)/2)/len(s.X), more)
}

// pale is what a second band is.
const pale = ", pale: 90 %"

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
		Caption: "Mean over ranks of each step's micro-batch." + banded(&s, steps, pale),
		Keys:    []chart.Key{{ID: s.Key, Name: "loss", Ink: chart.Subject}},
		Lines:   &chart.Lines{X: stepAxis(steps), Y: y, Series: []chart.Series{s}}}
	if s.Low != nil {
		band, _ := aroundOf(&s, d.Steps.Loss)
		f.Lines.Series = []chart.Series{band, s}
	}
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
			most.Human(), s.Worst, banded(&line, len(v), pale+"; fine line: the slowest")),
		Keys: []chart.Key{{ID: line.Key, Name: "time of the step", Ink: chart.Subject},
			{ID: "median", Name: "median " + median.Human(), Ink: chart.Reference}},
		Lines: &chart.Lines{X: stepAxis(len(v)),
			Y:      chart.Axis{Label: "step time", Unit: chart.Time, High: chart.Value(most) * 1.05},
			Series: []chart.Series{line}, Rules: []chart.Rule{{Key: "median", Along: "y", At: chart.Value(median)}}}}}
	if least == most {
		out[0].Caption = fmt.Sprintf("Every step took %s.", most.Human())
		return out
	}
	if line.Low != nil {
		whole := &out[0]
		whole.Keys = append(whole.Keys, chart.Key{ID: "greatest", Name: "the slowest", Ink: chart.Highlight})
		band, greatest := aroundOf(&line, v)
		whole.Lines.Series = []chart.Series{greatest, band, line}
		out = append(out, aroundTheSlowest(s, v))
	}
	if s.Whole <= fewSteps {
		return out
	}
	return append(out, stepDistribution(s))
}

// around is how many steps before and after the slowest are shown one by one.
const around = 30

// aroundTheSlowest is the time of each step near the slowest one.
func aroundTheSlowest(s *StepStats, v []float64) chart.Figure {
	from, to := max(0, s.Worst-around), min(len(v)-1, s.Worst+around)
	near, most := chart.Series{Key: "value", Shape: chart.Curve}, 0.0
	for i := from; i <= to; i++ {
		y := chart.Nothing
		if !math.IsNaN(v[i]) {
			y, most = rounded(v[i]), max(most, v[i])
		}
		near.X, near.Y = append(near.X, chart.Value(i)), append(near.Y, y)
	}
	axis := stepAxis(len(v))
	axis.Low, axis.High = chart.Value(from), chart.Value(to)
	return chart.Figure{Name: "step-time-slowest", Title: "Time of each step, around the slowest",
		Caption: fmt.Sprintf("One by one: step %d took %s.", s.Worst, unit.Duration(most).Human()),
		Keys:    []chart.Key{{ID: near.Key, Name: "time of the step", Ink: chart.Subject}},
		Lines: &chart.Lines{X: axis, Y: chart.Axis{Label: "step time", Unit: chart.Time, High: chart.Value(most * 1.05)},
			Series: []chart.Series{near}}}
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
