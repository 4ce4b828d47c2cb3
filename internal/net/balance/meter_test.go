package balance

import (
	"testing"

	"railyard/internal/base/unit"
)

// Each sample counts a half: a port that is busy from time 0 on has loads of 1/2, 3/4, 7/8 of its rate, whether it is looked
// at after each sample or after some, and half of that remains after one in which it was idle.
func TestMetersHalve(t *testing.T) {
	const rate, every = 8 * unit.GigabitPerSec, unit.Microsecond // 1,000 B in a sample
	at := func(us int) unit.Time { return unit.Time(us) * unit.Time(every) }
	var m, late Meter
	for i, want := range []int64{whole / 2, whole * 3 / 4, whole * 7 / 8} {
		if got := m.Load(at(i+1), unit.Bytes(1000*(i+1)), rate, every); got != want {
			t.Errorf("after %d samples %d/65536, want %d", i+1, got, want)
		}
	}
	if got := late.Load(at(3), 3000, rate, every); got != whole*7/8 {
		t.Errorf("three samples at once: %d/65536, want %d", got, whole*7/8)
	}
	if got := m.Load(at(4), 3000, rate, every); got != whole*7/16 {
		t.Errorf("after an idle sample %d/65536, want %d", got, whole*7/16)
	}
	if got := m.Load(at(4)+1, 9999, rate, every); got != whole*7/16 {
		t.Errorf("within a sample %d/65536, want %d", got, whole*7/16)
	}
}
