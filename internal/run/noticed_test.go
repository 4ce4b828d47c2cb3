package run

import (
	"context"
	"testing"

	"railyard/internal/cause"
	"railyard/internal/exec"
	"railyard/internal/unit"
)

// Of equally slow steps the path of the first is kept.
func TestTheFirstOfEquallySlowPathsIsKept(t *testing.T) {
	c := critical{evidence: newEvidence(&Plan{}), name: func(int32) string { return "" }}
	for step, took := range []unit.Time{5, 9, 7, 9} {
		c.take(&exec.PathRecord{Step: int64(step), Start: 100, End: 100 + took, Parts: []exec.PathPart{{Kind: exec.PathMessage, From: 100, Until: 100 + took}}})
	}
	if c.slowest.Step != 1 || len(c.slowest.Parts) != 1 || c.slowest.Parts[0].Until != 109 {
		t.Errorf("kept %+v, want step 1", c.slowest)
	}
}

// Of ranks that took equally long the one with the lowest number is the slowest, in whatever order they end.
func TestTheFirstOfEquallySlowRanksCounts(t *testing.T) {
	for _, order := range [][]int32{{0, 1, 2, 3, 4, 5, 6, 7}, {7, 6, 5, 4, 3, 2, 1, 0}, {3, 2, 7, 1, 0, 4, 6, 5}} {
		var got cause.Split
		_, err := Run(context.Background(), read(t, cluster8(2)+training(t, 2, 1)), Options{ended: func(r *runner) {
			before := r.watch.slowest
			for _, rank := range order {
				s := exec.StepRecord{Rank: rank, Step: 0, Start: unit.Time(rank), End: unit.Time(rank) + 100}
				if rank == 4 {
					s.End -= 10 // quicker
				}
				s.Split[cause.Compute] = unit.Duration(rank + 1)
				r.watch.Step(s)
			}
			got = r.watch.slowest
			got.Sub(&before)
		}})
		if err != nil {
			t.Fatal(err)
		}
		if got[cause.Compute] != 1 {
			t.Errorf("ended in the order %v: rank %d counts as the slowest, want 0", order, got[cause.Compute]-1)
		}
	}
}
