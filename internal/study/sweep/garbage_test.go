package sweep

import (
	"runtime/debug"
	"testing"

	"railyard/internal/base/unit"
)

// Short runs may leave much; where runs take what the machine has, as little as ever. Afterwards all is as it was.
func TestGarbage(t *testing.T) {
	t.Setenv("GOGC", "")
	now := func() int {
		p := debug.SetGCPercent(100)
		debug.SetGCPercent(p)
		return p
	}
	before := now()
	g := LeaveGarbage(8 * unit.Gibibyte)
	g.Use(64 * unit.Mebibyte)
	if got, want := now(), before+400; got != want {
		t.Errorf("a run of 64 MiB: %d %%, want %d: 256 MiB", got, want)
	}
	other := LeaveGarbage(8 * unit.Gibibyte)
	other.Use(8 * unit.Gibibyte)
	if got := now(); got != before {
		t.Errorf("runs that take all memory: %d %%, want %d", got, before)
	}
	other.Use(-8 * unit.Gibibyte)
	other.End()
	if got, want := now(), before+400; got != want {
		t.Errorf("the large run is over: %d %%, want %d", got, want)
	}
	g.Use(-64 * unit.Mebibyte)
	g.End()
	if got := now(); got != before {
		t.Errorf("afterwards %d %%, want %d", got, before)
	}
	t.Setenv("GOGC", "50")
	LeaveGarbage(0).Use(unit.Gibibyte)
	if got := now(); got != before {
		t.Errorf("with GOGC in the environment: %d %%, want %d", got, before)
	}
}
