package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/headline"
)

// overlaidRuns is how many runs share a plot with a line each. More have a row each.
const overlaidRuns = 6

// How many ports are compared.
const (
	comparedBars = 16 // bars in all
	comparedRows = 24 // rows of a map
)

// charts lists the plots of a comparison, in the order of the page. Runs share their scales.
func (c *Comparison) charts() (out []chart.Figure) {
	for _, make := range []func() []chart.Figure{
		c.causesChart, c.curveCharts, c.stepTimeChart, c.stepDistributionChart, c.completionChart, c.queueCharts,
		c.portsChart,
	} {
		out = append(out, make()...)
	}
	if out == nil {
		out = []chart.Figure{} // a list in JSON, too
	}
	return out
}

// runKeys is a legend of runs.
func (c *Comparison) runKeys(has func(i int) bool) (keys []chart.Key) {
	for i := range c.runs {
		if has(i) {
			keys = append(keys, chart.Key{ID: runID(i), Name: c.label(i), Ink: chart.InkOfRun(i)})
		}
	}
	return keys
}

func runID(i int) string { return fmt.Sprintf("run%d", i) }

// those lists the runs that have something.
func (c *Comparison) those(has func(d *Data) bool) (all []int) {
	for i, d := range c.runs {
		if has(d) {
			all = append(all, i)
		}
	}
	return all
}

// causesChart is where the time of a step or message went, a row for each run.
func (c *Comparison) causesChart() []chart.Figure {
	if len(c.Splits) == 0 {
		return nil
	}
	var splits []cause.Split
	longest := unit.Duration(0)
	for i := range c.runs {
		splits = append(splits, c.splitOf(i))
		longest = max(longest, splits[i].Sum())
	}
	k := keysOf(splits, longest)
	f := chart.Figure{Name: "causes", Title: "Where the time went in each run", Keys: k.keys,
		Caption: "Of " + c.Explained + ". A bar is the whole, divided by the state in which its time passed.",
		Bars:    &chart.Bars{X: chart.Axis{Label: "time", Unit: chart.Time, High: chart.Value(longest)}, Peers: true}}
	for i := range c.runs {
		note := splits[i].Sum().Human()
		if i > 0 {
			note += ", " + signed(splits[i].Sum()-splits[0].Sum())
		}
		f.Bars.Rows = append(f.Bars.Rows, chart.Bar{Label: c.label(i), Note: note, Parts: k.parts(&splits[i], nil)})
	}
	return []chart.Figure{f}
}

// curveless are figures whose curve would be that of another again.
var curveless = map[string]bool{"samples/s": true, "step, median": true}

// curveCharts are the headline figures that vary, over the one key that differs.
func (c *Comparison) curveCharts() (out []chart.Figure) {
	i := slices.IndexFunc(c.Differences, func(d Difference) bool { return d.Key == c.OrderedBy })
	if c.OrderedBy == "" || c.OrderedBy == "seed" || i < 0 {
		return nil // a seed is a name, not a quantity
	}
	for k := range c.Figures {
		f := &c.Figures[k]
		if headline.BetterWay(f.Name) == headline.Neither || !f.varies() || curveless[f.Name] {
			continue
		}
		curve := Curve{Name: "curve-" + Slug(f.Name), Title: Capital(f.Name) + " over " + c.OrderedBy, Key: c.OrderedBy,
			Values: c.Differences[i].Values, Label: f.Name, Unit: f.Unit}
		points := make([]CurvePoint, len(c.runs))
		for n, v := range f.of {
			points[n] = NoPoint
			if v != nil && !math.IsNaN(float64(v.Value)) {
				points[n] = CurvePoint{chart.Value(v.Value), chart.Nothing, chart.Nothing}
			}
		}
		curve.Lines = []CurveLine{{Name: f.Name, Points: points}}
		if fig := curve.Figure(); fig.Lines != nil {
			out = append(out, fig)
		}
	}
	return out
}

// varies reports whether a reader sees a difference between the runs.
func (f *FigureRow) varies() bool {
	return slices.ContainsFunc(f.of, func(v *headline.Figure) bool {
		return v == nil || f.of[0] == nil || v.Change(f.of[0]) != "same"
	})
}

// Slug makes the name of a figure of a name in words.
func Slug(name string) string {
	var b []byte
	for _, r := range []byte(name) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b = append(b, r)
		case r >= 'A' && r <= 'Z':
			b = append(b, r+'a'-'A')
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
	}
	return string(b)
}

// stepTimeChart is the time of each step of all runs: a line each, or a row each.
func (c *Comparison) stepTimeChart() []chart.Figure {
	runs := c.those(func(d *Data) bool { return d.Steps != nil && d.Steps.Whole >= 2 })
	if len(runs) < 2 {
		return nil
	}
	steps, most := 0, unit.Duration(0)
	for _, i := range runs {
		s := c.runs[i].Steps
		steps, most = max(steps, len(s.Time)), max(most, s.Ranked[s.Whole-1])
	}
	f := chart.Figure{Name: "step-time", Title: "Time of each step", Caption: "Of the slowest rank of each step."}
	if len(c.runs) > overlaidRuns {
		axis := chart.Axis{Label: "step, counted from 0", Whole: true, High: chart.Value(steps)}
		f.Map = &chart.Map{RowName: "run", X: &axis}
		for _, i := range runs {
			f.Map.Rows = append(f.Map.Rows, c.label(i))
			f.Map.Cells = append(f.Map.Cells, c.stepCells(i, steps))
		}
		f.Map.Value = sequential("mean step time", chart.Time, f.Map.Cells)
		return []chart.Figure{f}
	}
	f.Keys = c.runKeys(func(i int) bool { return slices.Contains(runs, i) })
	f.Lines = &chart.Lines{X: stepAxis(steps), Y: chart.Axis{Label: "step time", Unit: chart.Time,
		High: chart.Value(most) * 1.05}}
	for _, i := range runs {
		s := stepSeries(stepTimes(c.runs[i].Steps))
		s.Key = runID(i)
		if i == runs[0] {
			f.Caption += banded(&s, len(c.runs[i].Steps.Time), "")
		}
		f.Lines.Series = append(f.Lines.Series, s)
	}
	return []chart.Figure{f}
}

// stepTimes is the time of each step; no number where some rank never ended it.
func stepTimes(s *StepStats) []float64 {
	v := make([]float64, len(s.Time))
	for i, t := range s.Time {
		v[i] = float64(t)
		if t == 0 {
			v[i] = math.NaN()
		}
	}
	return v
}

// stepCells is a row of a map over so many steps: the mean time in each of its columns.
func (c *Comparison) stepCells(run, steps int) []chart.Value {
	n := min(steps, mapColumns)
	v := stepTimes(c.runs[run].Steps)
	for len(v) < steps {
		v = append(v, math.NaN())
	}
	row := make([]chart.Value, n)
	for i, col := range decimate(v, n) {
		row[i] = chart.Nothing
		if col.n > 0 {
			row[i] = rounded(col.sum / float64(col.n))
		}
	}
	return row
}

// timed is times of a run: their distribution.
type timed struct {
	run         int
	series      chart.Series // the share that took at most so long
	least, most unit.Duration
	median, p99 unit.Duration
}

// stepDistributionChart is which share of the steps took at most so long.
func (c *Comparison) stepDistributionChart() []chart.Figure {
	var all []timed
	for _, i := range c.those(func(d *Data) bool { return d.Steps != nil && d.Steps.Whole > 1 }) {
		s := c.runs[i].Steps
		t := timed{run: i, least: s.Ranked[0], most: s.Ranked[s.Whole-1], median: s.Quantile(0.5),
			p99: s.Quantile(0.99)}
		t.series = chart.Series{Key: runID(i), Shape: chart.Held}
		every := (s.Whole + shownColumns - 1) / shownColumns
		for n, took := range s.Ranked {
			if (n+1)%every == 0 || n == s.Whole-1 || n == 0 {
				t.series.X = append(t.series.X, chart.Value(took))
				t.series.Y = append(t.series.Y, rounded(float64(n+1)/float64(s.Whole)))
			}
		}
		all = append(all, t)
	}
	return c.distributions("step-time-distribution", "How step times are distributed", "step time", "steps", all)
}

// completionChart is which share of the messages took at most so long.
func (c *Comparison) completionChart() []chart.Figure {
	kind := ""
	for _, d := range c.runs {
		if d.Flows == nil || d.Flows.Main() == "" {
			continue
		}
		if kind == "" {
			kind = d.Flows.Main()
		}
	}
	var all []timed
	for _, i := range c.those(func(d *Data) bool { return d.Flows != nil && d.Flows.Of(kind).Done > 1 }) {
		m := c.runs[i].Flows.Of(kind)
		all = append(all, timed{run: i, series: m.distribution(runID(i)), least: m.Quantile(0), most: m.Longest,
			median: m.Quantile(0.5), p99: m.Quantile(0.99)})
	}
	return c.distributions("completion", "Completion times of "+kind+" messages", "completion time", "messages", all)
}

// distributions draws a curve for each run, or of many runs a bar: median, and the 99th
// percentile.
func (c *Comparison) distributions(name, title, label, things string, all []timed) []chart.Figure {
	if len(all) < 2 {
		return nil
	}
	f := chart.Figure{Name: name, Title: title}
	least, most, tail := all[0].least, all[0].most, all[0].p99
	for _, t := range all {
		least, most, tail = min(least, t.least), max(most, t.most), max(tail, t.p99)
	}
	if least == most {
		return nil
	}
	if len(c.runs) > overlaidRuns {
		f.Caption = "Bar: median; line: the time that 99 % of the " + things + " did not exceed."
		f.Keys = []chart.Key{{ID: "median", Name: "median", Ink: chart.Subject},
			{ID: "p99", Name: "99th percentile", Ink: chart.Highlight}}
		f.Bars = &chart.Bars{X: chart.Axis{Label: label, Unit: chart.Time, High: chart.Value(tail)}}
		for _, t := range all {
			f.Bars.Rows = append(f.Bars.Rows, chart.Bar{Label: c.label(t.run),
				Note:  t.median.Human() + ", p99 " + t.p99.Human(),
				Parts: []chart.Part{{Key: "median", Value: chart.Value(t.median)}},
				Reach: &chart.Part{Key: "p99", Value: chart.Value(t.p99)}})
		}
		return []chart.Figure{f}
	}
	f.Caption = "The share of the " + things + " that took at most so long."
	f.Lines = &chart.Lines{X: distributionAxis(label, least, most), Y: chart.Axis{Label: things,
		Unit: chart.Fraction, High: 1}}
	has := map[int]bool{}
	for _, t := range all {
		has[t.run] = true
		s := t.series // a share holds from the first time on: before it is none
		s.X, s.Y = append([]chart.Value{f.Lines.X.Low}, s.X...), append([]chart.Value{0}, s.Y...)
		f.Lines.Series = append(f.Lines.Series, s)
	}
	f.Keys = c.runKeys(func(i int) bool { return has[i] })
	return []chart.Figure{f}
}

// queueCharts is the deepest queue of each run, all with the same scales: a plot for each, or
// of many runs a row.
func (c *Comparison) queueCharts() (out []chart.Figure) {
	deepest, end := unit.Bytes(0), unit.Time(0)
	runs := c.those(func(d *Data) bool { return d.Queue != nil && d.End > 0 })
	for _, i := range runs {
		deepest, end = max(deepest, c.runs[i].Queue.Max), max(end, c.runs[i].End)
	}
	if len(runs) < 2 || deepest < shallow {
		return nil
	}
	if len(c.runs) > overlaidRuns {
		return c.queueMap(runs, end)
	}
	high := 1.05 * chart.Value(deepest)
	for _, i := range runs {
		d := c.runs[i]
		th := d.thresholds(d.Queue)
		f := d.Queue.figure("queue-"+string(rune('a'+i)), fmt.Sprintf("%s: deepest queue, %s", c.label(i),
			d.Queue.Port),
			&d.Queue.Whole, &th, high)
		f.Caption = fmt.Sprintf("At most %s, at %s.", d.Queue.Max.Human(),
			unit.Duration(d.Queue.PeakAt).Human()) + th.said(high)
		out = append(out, f)
	}
	for i := range out { // what ends before the longest run ends there
		l := out[i].Lines
		for k := range l.Series {
			s := &l.Series[k]
			if l.X.High >= chart.Value(end) {
				break
			}
			s.X, s.Y = append(s.X, l.X.High), append(s.Y, chart.Nothing)
			if s.Low != nil {
				s.Low, s.High = append(s.Low, chart.Nothing), append(s.High, chart.Nothing)
			}
		}
		l.X.High = chart.Value(end)
	}
	return out
}

func (c *Comparison) queueMap(runs []int, end unit.Time) []chart.Figure {
	time := chart.Axis{Label: "time", Unit: chart.Time, High: chart.Value(end)}
	m := &chart.Map{RowName: "run", X: &time}
	for _, i := range runs {
		q := c.runs[i].Queue
		row := make([]chart.Value, queueColumns)
		for k := range row { // columns of the longest run
			at := unit.Time(float64(end) * (float64(k) + 0.5) / queueColumns)
			row[k] = chart.Nothing
			if at < q.Whole.To {
				row[k] = chart.Value(wholeBytes(q.Whole.Columns[q.Whole.column(at)].Mean))
			}
		}
		m.Rows, m.Cells = append(m.Rows, c.label(i)+" "+q.Port), append(m.Cells, row)
	}
	m.Value = sequential("mean length", chart.Bytes, m.Cells)
	return []chart.Figure{{Name: "queues", Title: "The deepest queue of each run", Map: m,
		Caption: "Mean length in each part of the time of the longest run."}}
}

// portsChart is the ports whose use differs most between the runs.
func (c *Comparison) portsChart() []chart.Figure {
	used := map[string][]chart.Value{}
	var ports []string
	for i, d := range c.runs {
		for k := range d.Links {
			l := &d.Links[k]
			if used[l.Port] == nil {
				used[l.Port] = slices.Repeat([]chart.Value{chart.Nothing}, len(c.runs))
				ports = append(ports, l.Port)
			}
			used[l.Port][i] = chart.Value(l.Utilisation)
		}
	}
	apart := func(port string) (spread chart.Value) {
		lo, hi := chart.Value(math.Inf(1)), chart.Value(0)
		for _, v := range used[port] {
			if !v.None() {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		return hi - lo
	}
	ports = slices.DeleteFunc(ports, func(p string) bool { return apart(p) < 0.005 })
	slices.SortFunc(ports, func(a, b string) int { return cmp.Or(cmp.Compare(apart(b), apart(a)), byPort(a, b)) })
	all := len(ports)
	if all == 0 {
		return nil
	}
	f := chart.Figure{Name: "ports", Title: "Ports whose use differs most"}
	if len(c.runs) > overlaidRuns {
		ports = ports[:min(len(ports), comparedRows)]
		f.Map = &chart.Map{RowName: "port", Rows: ports, ColName: "run"}
		for i := range c.runs {
			f.Map.Columns = append(f.Map.Columns, letter(i))
		}
		for _, p := range ports {
			f.Map.Cells = append(f.Map.Cells, used[p])
		}
		f.Map.Value = sequential("share of time sending", chart.Fraction, f.Map.Cells)
	} else {
		ports = ports[:min(len(ports), comparedBars/len(c.runs))]
		f.Bars = &chart.Bars{X: chart.Axis{Label: "share of time sending", Unit: chart.Fraction}}
		most, has := 0.0, map[int]bool{}
		for _, p := range ports {
			for i, v := range used[p] {
				if v.None() {
					continue
				}
				has[i], most = true, max(most, float64(v))
				note := unit.Percent(float64(v))
				if base := used[p][0]; i > 0 && !base.None() {
					note += fmt.Sprintf(", %+.1f points", 100*float64(v-base))
				}
				f.Bars.Rows = append(f.Bars.Rows, chart.Bar{Group: p, Label: letter(i), Note: note,
					Parts: []chart.Part{{Key: runID(i), Value: v}}})
			}
		}
		f.Bars.X.High = fullScale(most)
		f.Keys = c.runKeys(func(i int) bool { return has[i] })
	}
	f.Caption = fmt.Sprintf("The %s that differ most", unit.CountOf(int64(len(ports)), "port"))
	if all > len(ports) {
		f.Caption += fmt.Sprintf(", of %s that differ", unit.Count(int64(all)))
	}
	f.Caption += "."
	return []chart.Figure{f}
}
