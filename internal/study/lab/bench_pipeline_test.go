package lab

import (
	"slices"
	"testing"

	"railyard/internal/job/workload"
)

// In the book's order the forward of batch m on stage s is in step m+s-1, its backward in step
// m+2p-1-s, all counted from 1: for 4 stages, m+3+(4-s).
func TestTheBooksTimetableIsItsFormula(t *testing.T) {
	for stages := 1; stages <= 6; stages++ {
		for batches := 1; batches <= 9; batches++ {
			p := &pipeline{stages: stages, batches: batches, order: workload.BookOrder}
			p.walk()
			if want := batches + 2*stages - 2; len(p.steps) != want {
				t.Fatalf("%d stages, %d batches: %d steps, want %d", stages, batches, len(p.steps), want)
			}
			for s := 1; s <= stages; s++ {
				for m := 1; m <= batches; m++ {
					forward := workload.Pass{Micro: m - 1}
					backward := workload.Pass{Micro: m - 1, Backward: true}
					if !slices.Contains(p.steps[m+s-2][s-1], forward) ||
						!slices.Contains(p.steps[m+2*stages-2-s][s-1], backward) {
						t.Errorf("%d stages, %d batches: batch %d is not at stage %d when the formula says", stages, batches, m, s)
					}
				}
			}
		}
	}
}

// One pass at a time, a pipeline takes 2(m+p-1) steps, and a GPU works in 2m of them.
func TestOnePassAtATimeHasTheBubbleOfTheFormula(t *testing.T) {
	for _, order := range []workload.PipelineSchedule{workload.GPipe, workload.OneFOneB} {
		for stages := 1; stages <= 6; stages++ {
			for batches := 1; batches <= 9; batches++ {
				p := &pipeline{stages: stages, batches: batches, order: order}
				p.walk()
				if want := 2 * (batches + stages - 1); len(p.steps) != want {
					t.Errorf("%s, %d stages, %d batches: %d steps, want %d", order, stages, batches, len(p.steps), want)
				}
				for i, step := range p.steps {
					if n := len(slices.Concat(step...)); n != busy(step) {
						t.Errorf("%s: step %d has %d passes on %d GPUs", order, i+1, n, busy(step))
					}
				}
			}
		}
	}
}

func TestMemoryTermsAddUp(t *testing.T) {
	b, err := memoryBench.Run(Args{"layers": []float64{3, 2}, "batch": 5.0, "bytes": 4.0})
	if err != nil {
		t.Fatal(err)
	}
	// 8 parameters four times, 2 units x 5 samples three times, a rate, 15 inputs.
	if got, want := stepOf(t, b, "total"), 4.0*(4*8+3*10+1+15); got != want {
		t.Errorf("%v bytes, want %v", got, want)
	}
}
