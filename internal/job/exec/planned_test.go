package exec_test

import (
	"slices"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
)

// asked counts what is asked of a schedule.
type asked struct {
	coll.Schedule
	ops *int
}

func (a asked) Op(rank, channel, i int) coll.Op {
	*a.ops++
	return a.Schedule.Op(rank, channel, i)
}

// Programs that are kept are asked for once, those of large jobs in every step; what happens is the same.
func TestProgramsThatAreKept(t *testing.T) {
	net := exectest.Net{Latency: constant(2 * us), Rate: 100 * gbps, Ack: us}
	run := func(steps int64) (j *journal, ops int) {
		s := step(5*us, 3*us, 1000, asked{ring(4, 2, 2), &ops})
		s.Device = workload.Device{MemoryBandwidth: 1000 * gbps, MemoryEff: unit.Ratio{Num: 1, Den: 2}}
		j, _ = replay(t, net, 4, steps, same(s))
		return j, ops
	}
	kept, first := run(2)
	_, more := run(5)
	defer exec.KeepNothing()()
	generated, all := run(2)
	_, most := run(5)
	if !slices.Equal(kept.steps, generated.steps) || !slices.Equal(kept.ops, generated.ops) {
		t.Error("what ranks do depends on whether their programs are kept")
	}
	if more != first || most <= all {
		t.Errorf("kept: %d operations in 2 steps and %d in 5; generated: %d and %d", first, more, all, most)
	}
}
