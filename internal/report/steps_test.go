package report

import (
	"strings"
	"testing"

	"railyard/internal/result"
	"railyard/internal/unit"
)

// The plots number steps as the tables do: the first is 0 and stands at the left edge, the last at the right.
func TestAxesOfStepsBeginAtZero(t *testing.T) {
	f := seriesFrame(640, 270, "", "", 5, 1)
	if f.XLo != 0 || f.XHi != 4 {
		t.Errorf("an axis of 5 steps goes from %g to %g, want 0 to 4", f.XLo, f.XHi)
	}
	drawSeries(f, []float64{1, 1, 1, 1, 1}, blue)
	if got := f.d.String(); !strings.Contains(got, `points="52,26 `) || !strings.Contains(got, ` 626,26"`) {
		t.Errorf("the line does not go from edge to edge, 52 to 626: %s", got)
	}
	f.XAxis(stepAxis, quantity{"", 1})
	if got := f.d.String(); !strings.Contains(got, "step, counted from 0") || !strings.Contains(got, ">0<") || !strings.Contains(got, ">4<") || strings.Contains(got, ">0.5<") {
		t.Errorf("the axis does not go from 0 to 4 in whole steps: %s", got)
	}
}

// late is a step in which rank 1 begins and ends 20 us after rank 0.
func late() []result.OperationRow {
	op := func(rank int32, name, stream string, from, to unit.Duration) result.OperationRow {
		return result.OperationRow{Step: 3, Rank: rank, Name: name, Stream: stream, Start: unit.Time(from), End: unit.Time(to)}
	}
	return []result.OperationRow{op(0, "forward.1", "compute", 0, 30*us), op(0, "allreduce.bucket1", "communicator 1", 30*us, 60*us), op(0, "update.1", "compute", 60*us, 80*us),
		op(1, "forward.1", "compute", 20*us, 50*us), op(1, "allreduce.bucket1", "communicator 1", 50*us, 60*us), op(1, "update.1", "compute", 60*us, 100*us)}
}

// Where a rank is in another step a timeline does not show waiting.
func TestATimelineTellsWaitingFromOtherSteps(t *testing.T) {
	all, from, to, _ := lanes(late(), nil)
	want := []string{"ffffff......uuuu", "......AAAAAA....", "    ffffff..uuuuuuuu", "    ......AA........"}
	for i, l := range all {
		if got := laneText(l, from, to.Sub(from), 20, map[int]bool{}); got != want[i] {
			t.Errorf("%s: %q, want %q", laneName(l), got, want[i])
		}
	}
	tl := &timeline{title: "t"}
	f := tl.figure("timeline", late(), "%s")
	drawn := f.Draw(640).String()
	for _, want := range []string{"rank 0: the next step", "rank 1: the step before", ">another step<"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("no %q in %s", want, drawn)
		}
	}
	if strings.Contains(drawn, "rank 0: the step before") || strings.Contains(drawn, "rank 1: the next step") {
		t.Error("a rank is shown in another step while it is in this one")
	}
	ops := late()[:3] // all in step: nothing is shaded
	tl = &timeline{title: "t"}
	if f := tl.figure("timeline", ops, "%s"); strings.Contains(f.Draw(640).String(), "another step") {
		t.Error("a rank alone is shown in another step")
	}
	d := load(t, small(t, true))
	d.Timeline, d.Steps.Median, d.StepPath = late(), 3, nil
	if got := timelineFigures(d)[0].Caption; strings.Contains(got, "Empty space in a lane is waiting") || !strings.Contains(got, "between a rank's first and last operation is waiting") {
		t.Errorf("caption: %s", got)
	}
}

// The rank that took longest and the one that ended last may be two: no figure has both.
func TestNoFigureMixesTheSlowestAndTheLastRank(t *testing.T) {
	d := load(t, small(t, true))
	d.Summary.CriticalPath = &result.Causes{Compute: 30 * us, Queueing: 20 * us}
	d.Summary.PathsTraced, d.Summary.PathsEvery, d.Summary.Steps = 31, 10, 300
	_, all := d.bars()
	if got := barNames(all); got != "critical path, mean over 31 of 300 steps (every 10th, and the slowest); mean over steps and ranks" {
		t.Errorf("with a critical path: %s", got)
	}
	if subject, _ := d.subject(); subject != "a step along its critical path, mean over 31 of 300 steps (every 10th, and the slowest)" {
		t.Errorf("subject: %s", subject)
	}
	d.Summary.CriticalPath = nil
	_, all = d.bars()
	if got := barNames(all); got != "slowest rank of a step, mean over steps; mean over steps and ranks" {
		t.Errorf("without one: %s", got)
	}
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
