package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// The plots number steps as the tables do: the first is 0 and stands at the left edge, the last at
// the right.
func TestAxesOfStepsBeginAtZero(t *testing.T) {
	a, s := stepAxis(5), stepSeries([]float64{1, 2, 3, 4, 5})
	if a.Low != 0 || a.High != 4 || !a.Whole || a.Label != "step, counted from 0" {
		t.Errorf("an axis of 5 steps: %+v, want 0 to 4", a)
	}
	if got := fmt.Sprint(s.X, s.Y, s.Low); got != "[0 1 2 3 4] [1 2 3 4 5] []" {
		t.Errorf("a series of 5 steps: %s", got)
	}
	long := make([]float64, 10*shownColumns)
	for i := range long {
		long[i] = float64(i % 10)
	}
	s = stepSeries(long)
	long[7], long[8] = 1000, math.NaN() // one that is late does not widen the band, one without a time is none
	s = stepSeries(long)
	if n := len(s.X); n != windows || s.X[0] != 19.5 || s.Y[0] != 4 || s.Low[0] != 2 || s.High[0] != 7 {
		t.Errorf("%d windows, the first at %v: %v, band %v to %v", n, s.X[0], s.Y[0], s.Low[0], s.High[0])
	}
	b, g := aroundOf(&s, long)
	if b.Low[0] != 0 || b.High[0] != 9 || g.Y[0] != 1000 || g.Y[1] != 9 || len(g.Y) != windows || len(b.Low) != windows {
		t.Errorf("90 %% of the first window from %v to %v, the greatest of %d windows: %v", b.Low[0], b.High[0], len(g.Y), g.Y[:2])
	}
}

// A histogram has every time in a bin, the greatest in the last; a wide range is divided by ratio.
func TestHistogramOfTimes(t *testing.T) {
	b := histogramOf([]timeCount{{10, 1}, {11, 2}, {20, 3}, {30, 4}}, 4)
	if got := fmt.Sprint(b.edges, b.counts); got != "[10 15 20 25 30] [3 0 3 4]" {
		t.Errorf("bins %s", got)
	}
	b = histogramOf([]timeCount{{10, 1}, {99, 2}, {100, 1}, {1000, 3}}, 2)
	if got := fmt.Sprint(b.edges, b.counts); got != "[10 100 1000] [3 4]" {
		t.Errorf("bins of a wide range %s", got)
	}
	s := b.series("k")
	if got := fmt.Sprint(s.X, s.Y); got != "[10 100 1000] [3 4 NaN]" {
		t.Errorf("series %s", got)
	}
}

// Many steps have a distribution, with rules at those quantiles that differ; of few the line says
// it all.
func TestDistributionOfStepTimes(t *testing.T) {
	of := func(n int) *Data {
		s := &StepStats{Whole: n}
		for i := range n {
			s.Time = append(s.Time, unit.Duration(100+i)*us)
		}
		s.Ranked = s.Time
		return &Data{Steps: s}
	}
	all := stepTimeCharts(of(fewSteps))
	if len(all) != 1 || all[0].Lines.Series[0].Shape != chart.Curve {
		t.Errorf("%d figures of %d steps, want one with a point for each", len(all), fewSteps)
	}
	all = stepTimeCharts(of(100))
	if len(all) != 2 {
		t.Fatalf("%d figures of 100 steps, want 2", len(all))
	}
	var got []string
	for _, r := range all[1].Lines.Rules {
		got = append(got, r.Label)
	}
	if want := "p50 149 us, p90 189 us, p99 198 us"; strings.Join(got, ", ") != want {
		t.Errorf("rules %s, want %s", got, want)
	}
	d := of(100)
	for i := range 60 {
		d.Steps.Time[40+i] = 140 * us
	}
	if rules := stepTimeCharts(d)[1].Lines.Rules; len(rules) != 1 || rules[0].Label != "p50 140 us" {
		t.Errorf("rules of equal quantiles: %+v", rules)
	}
	for i := range d.Steps.Time {
		d.Steps.Time[i] = us
	}
	if all := stepTimeCharts(d); len(all) != 1 || all[0].Caption != "Every step took 1 us." {
		t.Errorf("equal steps: %d figures, %s", len(all), all[0].Caption)
	}
}

// late is a step in which rank 1 begins and ends 20 us after rank 0.
func late() []result.OperationRow {
	op := func(rank int32, name, stream string, from, to unit.Duration) result.OperationRow {
		return result.OperationRow{Step: 3, Rank: rank, Name: name, Stream: stream,
			Start: unit.Time(from), End: unit.Time(to)}
	}
	const comm = "data-parallel"
	return []result.OperationRow{
		op(0, "forward.1", "compute", 0, 30*us), op(0, "allreduce.bucket1", comm, 30*us, 60*us),
		op(0, "update.1", "compute", 60*us, 80*us),
		op(1, "forward.1", "compute", 20*us, 50*us), op(1, "allreduce.bucket1", comm, 50*us, 60*us),
		op(1, "update.1", "compute", 60*us, 100*us)}
}

// Where a rank is in another step a timeline does not show waiting.
func TestATimelineTellsWaitingFromOtherSteps(t *testing.T) {
	d := load(t, small(t, true))
	d.Timeline, d.Steps.Median, d.StepPath = late(), 3, nil
	f := timelineChart(d)[0]
	var outside []string
	for _, l := range f.Lanes.Lanes {
		for _, s := range l.Spans {
			if s.Key == outsideKey {
				outside = append(outside,
					fmt.Sprintf("%s %s: %s %g to %g", l.Group, l.Label, s.Name, s.From/1e6, s.To/1e6))
			}
		}
	}
	want := []string{"rank 0 compute: the next step 80 to 100", "rank 0 data-parallel: the next step 80 to 100",
		"rank 1 compute: the step before 0 to 20", "rank 1 data-parallel: the step before 0 to 20"}
	if strings.Join(outside, "\n") != strings.Join(want, "\n") {
		t.Errorf("outside of the step: %s, want %s", outside, want)
	}
	if !strings.Contains(f.Caption, "This step took the median time;") {
		t.Errorf("caption: %s", f.Caption)
	}
	d.Timeline = late()[:3] // all in step
	if f := timelineChart(d)[0]; slices.ContainsFunc(f.Keys, func(k chart.Key) bool { return k.ID == outsideKey }) {
		t.Error("a rank alone is shown in another step")
	}
}

// The rank that took longest and the one that ended last may be two: no figure has both.
func TestNoFigureMixesTheSlowestAndTheLastRank(t *testing.T) {
	d := load(t, small(t, true))
	d.Summary.CriticalPath = &result.Causes{Compute: 30 * us, Queueing: 20 * us}
	d.Summary.PathsTraced, d.Summary.PathsEvery, d.Summary.Steps = 31, 10, 300
	_, all := d.spans()
	const which = "31 of 300 steps (every 10th, and the slowest)"
	if got := spanNames(all); got != "critical path, mean over "+which+"; mean over steps and ranks" {
		t.Errorf("with a critical path: %s", got)
	}
	if subject, _ := d.subject(); subject != "a step along its critical path, mean over "+which {
		t.Errorf("subject: %s", subject)
	}
	d.Summary.CriticalPath = nil
	_, all = d.spans()
	if got := spanNames(all); got != "slowest rank, mean over steps; mean over steps and ranks" {
		t.Errorf("without one: %s", got)
	}
}

func spanNames(all []span) string {
	var names []string
	for _, s := range all {
		names = append(names, s.name)
	}
	return strings.Join(names, "; ")
}

// The headline follows from the rows: of a run that was killed there are no figures.
func TestStepTimeOfTheRows(t *testing.T) {
	d := load(t, small(t, true))
	if want := 163 * us / 3; d.Steps.PerStep != want {
		t.Errorf("%v per step, want 163 us over 3 steps: %v", d.Steps.PerStep, want)
	}
	d.Summary.State, d.Summary.StepTime = result.Running, 0
	f := d.Headline()
	if len(f) == 0 || f[0].Name != "step time" || f[0].Text() != "54.33 us" {
		t.Errorf("the figures of a run that was killed are %v", f)
	}
}
