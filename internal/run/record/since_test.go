package record

import (
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
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

// TestAPathOfTheLastCollectivesStandsForTheStep: what it was lost to keeps its shares, and sums to the step to the picosecond.
func TestAPathOfTheLastCollectivesStandsForTheStep(t *testing.T) {
	k := critical{start: &startPhase{end: 40}, evidence: &evidence{spans: map[spanKey]unit.Duration{}}, groups: make([]cause.Split, 2)}
	k.sum = cause.Split{cause.Compute: 10, cause.Queueing: 23}
	k.groups[0] = cause.Split{cause.Queueing: 11}
	k.groups[1] = cause.Split{cause.Queueing: 12}
	k.evidence.add(spanKey{why: cause.Compute, port: -1}, 10)
	k.evidence.add(spanKey{why: cause.Queueing, port: 3}, 11)
	k.evidence.add(spanKey{why: cause.Queueing, port: 4}, 12)
	k.stands(&exec.PathRecord{Began: 20, Start: 107, End: 140}) // ranks had all begun at 40
	var spans unit.Duration
	for key, d := range k.evidence.spans {
		spans += d
		if was := map[int32]unit.Duration{-1: 10, 3: 11, 4: 12}[key.port]; d < 3*was || d > 3*was+3 {
			t.Errorf("%v of %+v, which was %v of 33 in 100", d, key, was)
		}
	}
	if k.sum.Sum() != 100 || spans != 100 || k.sum[cause.Compute] != 30 || k.groups[0].Sum() != 33 || k.groups[1].Sum() != 36 {
		t.Errorf("of a step of 100: causes of %v, spans of %v, groups of %v", k.sum, spans, k.groups)
	}
}
