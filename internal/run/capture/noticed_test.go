package capture

import (
	"testing"

	"railyard/internal/base/unit"
)

// Addresses are locally administered, of one station, and those of ports differ.
func TestAddressesOfPorts(t *testing.T) {
	if a := MAC(0x01020304); a[0] != 0x02 || a[2] != 1 || a[5] != 4 || a == MAC(0x01020305) {
		t.Errorf("%v", a)
	}
}

// The code of a timeout is that of the next one that verbs know: 4.096 us x 2^v (IBTA vol. 1, 9.7.6.1.3).
func TestCodesOfTimeouts(t *testing.T) {
	for d, want := range map[unit.Duration]uint8{0: 0, unit.Microsecond: 0, 4096 * unit.Nanosecond: 0, 4097 * unit.Nanosecond: 1,
		8192 * unit.Nanosecond: 1, 100 * unit.Microsecond: 5, unit.Millisecond: 8} {
		if got := ackTimeout(d); got != want {
			t.Errorf("%v: %d, want %d", d, got, want)
		}
	}
}
