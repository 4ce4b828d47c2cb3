package result

import (
	"testing"

	"railyard/internal/base/unit"
)

// A rank that starts again takes a step once more: its row may follow the one that was lost. The very same row twice is damage.
func TestAStepIsTakenAgain(t *testing.T) {
	b := &bounds{end: 1000, steps: 5}
	for _, c := range []struct {
		second   int64
		accepted bool
	}{{200, true}, {100, false}} {
		steps, operations := checkSteps(b), checkOperations(b)
		for i, start := range []int64{100, c.second} {
			at := unit.Time(start)
			errs := []error{steps(&StepRow{Start: at, End: at + 50}), operations(&OperationRow{Start: at, End: at + 50})}
			for _, err := range errs {
				if want := i == 0 || c.accepted; (err == nil) != want {
					t.Errorf("a row of step 0 that begins at %d, the %d. one: %v", start, i+1, err)
				}
			}
		}
	}
}
