package whatif

import (
	"testing"

	"railyard/internal/result"
	"railyard/internal/scenario"
)

func TestNamesOfJobs(t *testing.T) {
	for want, jobs := range map[string][]result.JobFigures{"none: the run has one job": nil, "one of: a": {{Job: "a"}},
		"one of: a, b": {{Job: "a"}, {Job: "b"}}} {
		if got := jobNames(&result.Summary{Jobs: jobs}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A change that cannot run is named by what it sets.
func TestLabelsOfAChange(t *testing.T) {
	all := labels(&Cut{Changes: []scenario.Change{{Path: "fabric.spines", Text: "2"}, {Path: "seed", Text: "3"}}})
	if len(all) != 2 || all[0].Path != "fabric.spines" || all[1].Text != "3" {
		t.Errorf("%+v", all)
	}
}

// Twice as many micro-batches, or the next number that a batch can be cut into.
func TestMoreMicroBatches(t *testing.T) {
	for _, c := range []struct{ batch, now, want int }{{12, 2, 4}, {12, 4, 12}, {6, 3, 6}, {9, 2, 9}, {7, 7, 0}, {8, 8, 0}, {8, 1, 2}} {
		if got := moreMicroBatches(c.batch, c.now); got != c.want {
			t.Errorf("a batch of %d in %d: %d, want %d", c.batch, c.now, got, c.want)
		}
	}
}
