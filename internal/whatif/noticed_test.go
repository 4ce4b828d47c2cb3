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
