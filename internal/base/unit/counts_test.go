package unit

import "testing"

// Edges of what is printed: none, one, below zero, more than the last unit holds.
func TestCountsAtTheirEdges(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Count(0), "0"}, {Count(1), "1"}, {Count(-1), "-1"}, {Count(-1234), "-1,234"}, {Count(-999), "-999"},
		{CountOf(0, "step"), "0 steps"}, {CountOf(1, "step"), "1 step"}, {CountOf(2814, "step"), "2,814 steps"},
		{Scaled(12345.6, "m"), "12346 m"}, {Scaled(150.5, "m"), "150.5 m"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	if s := (1500 * Millisecond).Seconds(); s != 1.5 {
		t.Errorf("%v s, want 1.5", s)
	}
	var r Ratio
	if err := r.UnmarshalText([]byte("half")); err == nil {
		t.Errorf("half is %v", r)
	}
}
