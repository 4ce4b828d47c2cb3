package whatif

import (
	"slices"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/plan/scenario"
)

// Without PFC storms go, from the last to the first, so that numbers stay right, and other faults stay.
func TestStormsGoWithPFC(t *testing.T) {
	storm := scenario.Fault{Storm: scenario.Some(unit.Duration(1))}
	sc := &scenario.Scenario{Faults: []scenario.Fault{storm, {}, storm}}
	want := []scenario.Change{remove("faults[2]"), remove("faults[0]")}
	if got := withoutStorms(sc); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for d, want := range map[unit.Duration]string{-2 * unit.Microsecond: "-2 us", 3 * unit.Microsecond: "3 us"} {
		if got := signed(d); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
