package workload

import (
	"testing"

	"railyard/internal/base/unit"
)

// With 1F1B stage s of P, from 0, has at most P - s micro-batches in flight (Narayanan and others, SC 2021, section 2.2.1),
// with GPipe all: what forwards leave is counted for those, and not for each forward of a step.
func TestActivationsAreOfMicroBatchesInFlight(t *testing.T) {
	const stages, each, rows, saved = 3, 2, 5, 1000 // layers of a stage, rows of a micro-batch, numbers that a row leaves
	held := func(l Layout, saved, rank int) unit.Bytes {
		c := laidOut(l, stages*each, rows*l.MicroBatches)
		for i := range c.Layers {
			c.Layers[i].Saved = saved
		}
		j, err := Lower(c)
		if err != nil {
			t.Fatal(err)
		}
		return j.Memory(int32(rank))[ActivationTerm]
	}
	for _, micro := range []int{1, 2, 4, 9} {
		for stage := range stages {
			for schedule, inFlight := range map[PipelineSchedule]int{GPipe: micro, OneFOneB: min(micro, stages-stage)} {
				l := Layout{PP: stages, MicroBatches: micro, Schedule: schedule}
				got, want := held(l, saved, stage)-held(l, 0, stage), unit.Bytes(4*saved*rows*each*inFlight)
				if got != want {
					t.Errorf("%v of %d micro-batches, stage %d: forwards leave %v, want %v, of %d in flight", schedule, micro, stage,
						got, want, inFlight)
				}
			}
		}
	}
}
