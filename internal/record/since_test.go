package record

import (
	"testing"

	"railyard/internal/cause"
	"railyard/internal/exec"
	"railyard/internal/unit"
)

// TestAStepCountsFromTheEndOfTheOneBefore: ranks that drift are in two steps at a time; each moment is in one. Paths then sum to what
// all steps take together.
func TestAStepCountsFromTheEndOfTheOneBefore(t *testing.T) {
	path := func(step int64, from, turn, until unit.Time) *exec.PathRecord {
		p := &exec.PathRecord{Step: step, Start: from, End: until, Parts: []exec.PathPart{
			{From: from, Until: turn, Cause: cause.Compute}, {From: turn, Until: until, Cause: cause.Queueing}}}
		p.Split[cause.Compute], p.Split[cause.Queueing] = turn.Sub(from), until.Sub(turn)
		return p
	}
	for _, c := range []struct {
		name  string
		paths []*exec.PathRecord
		want  []cause.Split // compute and queueing of each
	}{
		{"one after the other", []*exec.PathRecord{path(0, 0, 40, 100), path(1, 100, 120, 180)},
			[]cause.Split{{cause.Compute: 40, cause.Queueing: 60}, {cause.Compute: 20, cause.Queueing: 60}}},
		{"the next begins before", []*exec.PathRecord{path(0, 0, 40, 100), path(1, 70, 120, 180), path(2, 90, 130, 200)},
			[]cause.Split{{cause.Compute: 40, cause.Queueing: 60}, {cause.Compute: 20, cause.Queueing: 60}, {cause.Queueing: 20}}},
		{"one was not traced", []*exec.PathRecord{path(0, 0, 40, 100), path(2, 70, 120, 180)},
			[]cause.Split{{cause.Compute: 40, cause.Queueing: 60}, {cause.Compute: 50, cause.Queueing: 60}}},
	} {
		var k critical
		sum := unit.Duration(0)
		for i, p := range c.paths {
			k.found++
			got := k.since(p)
			if got.Split != c.want[i] {
				t.Errorf("%s: path %d: %v, want %v", c.name, i, got.Split, c.want[i])
			}
			parts := unit.Duration(0)
			for _, q := range got.Parts {
				parts += q.Until.Sub(q.From)
			}
			if whole := got.Split.Sum(); parts != whole {
				t.Errorf("%s: path %d: parts of %v, causes of %v", c.name, i, parts, whole)
			}
			sum += got.Split.Sum()
		}
		if last := c.paths[len(c.paths)-1]; c.name != "one was not traced" && sum != last.End.Sub(0) {
			t.Errorf("%s: together %v, steps take %v", c.name, sum, last.End)
		}
	}
}
