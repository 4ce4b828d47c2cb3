package report

import (
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// The median step is the first with the lower median's time; of ranks that took equally long the
// one with the lowest number is the slowest, in whatever order their rows come.
func TestMedianAndTiesOfSteps(t *testing.T) {
	s := &StepStats{Median: -1, Time: []unit.Duration{40, 10, 30, 20}}
	s.rank()
	if s.Median != 3 || s.Worst != 0 {
		t.Errorf("median step %d, worst %d, want 3 and 0", s.Median, s.Worst)
	}
	dir, err := result.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sum := &result.Summary{Name: "ties", ScenarioYAML: smallScenario, JobFigures: result.JobFigures{Steps: 2}}
	if err := dir.Begin(sum); err != nil {
		t.Fatal(err)
	}
	at := unit.Time(0)
	for step, order := range [][]int32{{0, 1, 2}, {2, 1, 0}} {
		for _, rank := range order {
			var split cause.Split
			split[cause.Compute], split[cause.Window] = unit.Duration(rank+1), us-unit.Duration(rank+1)
			loss := 1.0
			dir.Steps().Add(result.StepRow{Step: int32(step), Rank: rank, Start: at, End: at.Add(us), Loss: &loss,
				Causes: result.CausesOf(split)})
		}
		at = at.Add(us)
	}
	sum.State, sum.VirtualTime = result.Complete, at
	if err := dir.Finish(sum); err != nil {
		t.Fatal(err)
	}
	d, err := Load(dir.Path())
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Steps.Slowest[cause.Compute]; got != 1 {
		t.Errorf("the slowest rank of both steps computes %v, want rank 0's 1 ps", got)
	}
}
