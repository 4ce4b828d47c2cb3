package validate

import (
	"context"
	"testing"

	"railyard/internal/run/run"
)

// Every flow of these runs ends at the reference's nanosecond.
func TestSeveralFlowsAHost(t *testing.T) {
	for i := range severalShipped {
		e := &severalShipped[i]
		got, err := e.run(context.Background(), run.Run)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(e.want) || len(got) != len(e.flows) {
			t.Fatalf("%s: %d flows ended, want %d", e.name, len(got), len(e.want))
		}
		for k := range got {
			if got[k] != e.want[k] {
				t.Errorf("%s: flow %d of host %d ended after %d ns, in the reference after %d", e.name, k+1,
					e.flows[k].from, got[k], e.want[k])
			}
		}
	}
}
