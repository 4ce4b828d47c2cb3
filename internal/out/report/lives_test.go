package report

import (
	"path/filepath"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// A step that was lost and run again is shown as it was run last: neither its timeline nor its path reaches from one life of
// the job into the next.
func TestAStepThatWasRunTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "twice")
	dir, err := result.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &result.Summary{Name: "twice", ScenarioYAML: smallScenario, JobFigures: result.JobFigures{StepsPlanned: 2}}
	if err := dir.Begin(s); err != nil {
		t.Fatal(err)
	}
	again := unit.Time(2 * unit.Millisecond)
	for _, run := range []struct {
		step int32
		at   unit.Time
		wait unit.Duration
	}{{0, 0, 10 * us}, {1, unit.Time(41 * us), 90 * us}, {1, again, 50 * us}} {
		writeStep(dir, run.step, 0, run.at, run.wait)
		writeStep(dir, run.step, 1, run.at, run.wait)
		if run.step == 1 {
			writePath(dir, 1, run.at)
		}
	}
	s.State, s.Steps, s.StepTime, s.VirtualTime = result.Complete, 2, 61*us, again.Add(81*us)
	s.Survival = &result.Survival{Restarts: []result.Restart{{At: again, Step: 1, Lost: 1}}}
	if err := dir.Finish(s); err != nil {
		t.Fatal(err)
	}
	d := load(t, path)
	if got := d.Steps.Time; len(got) != 2 || got[0] != 41*us || got[1] != 81*us {
		t.Errorf("steps of %v, want 41 us and, of the second life, 81 us", got)
	}
	if p := d.StepPath; p.From() != again || p.Until().Sub(p.From()) != 81*us || len(p.Ops) != 8 {
		t.Errorf("a path from %v to %v with %d operations, want 81 us and 8: those of the second life", p.From(), p.Until(), len(p.Ops))
	}
	if x := timelineChart(d)[0].Lanes.X; x.High != chart.Value(81*us) {
		t.Errorf("the timeline takes %v ps, want that of one life", x.High)
	}
	d.StepPath, d.Timeline = nil, nil
	d.Steps.Median = 1
	r, err := result.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.readTimeline(r); err != nil || len(d.Timeline) != 8 || d.Timeline[0].Start != again {
		t.Errorf("%v: %d operations from %v on, want the 8 of the second life", err, len(d.Timeline), d.Timeline[0].Start)
	}
}
