package exec_test

import (
	"testing"

	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
)

// Messages of even and odd steps land apart, those of the start phase where those of step 0 do.
func TestStagingOfStepsInARow(t *testing.T) {
	c := collective("ring", 0, ring(2, 1, 1))
	job := &workload.Job{Buffers: make([]workload.Buffer, 3), Collectives: []workload.Collective{c, c}}
	seen := map[int32]int{}
	for id := range int32(2) {
		of := func(step int64) int32 { return exec.Staging(job, id, step) }
		if of(-1) != of(0) || of(2) != of(0) || of(3) != of(1) {
			t.Errorf("collective %d: steps -1 to 3 land in %d %d %d %d %d", id, of(-1), of(0), of(1), of(2), of(3))
		}
		seen[of(0)]++
		seen[of(1)]++
	}
	for b, n := range seen {
		if n > 1 || b < 3 {
			t.Errorf("buffer %d is staging %d times", b, n)
		}
	}
}

// Of a step's compute what is a launch, or a wait for an own reduction, is no computing.
func TestComputingIsOperations(t *testing.T) {
	j, _ := replay(t, exectest.Net{Rate: 100 * gbps}, 2, 2, same(step(5*us, 3*us, 25000, program{{}, {}})))
	for _, s := range j.steps {
		if s.Computing != 10*us {
			t.Errorf("rank %d step %d: computing %v, want 10 us", s.Rank, s.Step, s.Computing)
		}
	}
}
