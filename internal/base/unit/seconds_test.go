package unit

import "testing"

// Seconds that are whole nanoseconds in decimal may lose one. Each was asked of ns-3's Seconds.
func TestTruncatedSeconds(t *testing.T) {
	for _, c := range []struct {
		seconds float64
		ns      Duration
	}{{2, 2_000_000_000}, {2.000005, 2_000_004_999}, {2.00001, 2_000_010_000}, {0.000005, 4999}, {0, 0}} {
		if got := TruncatedSeconds(c.seconds); got != c.ns*Nanosecond {
			t.Errorf("%v s: %v, want %d ns", c.seconds, got, c.ns)
		}
	}
}
