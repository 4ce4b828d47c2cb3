package view

import "testing"

// A bar that is much shorter than a column is still seen; what fills most of a
// column has it.
func TestLane(t *testing.T) {
	bars := []Bar{{Name: "forward.1", Start: 0, End: 40}, {Name: "loss", Start: 40, End: 41},
		{Name: "backward.1", Start: 60, End: 100}}
	c := &chart{bars: bars, from: 0, to: 100, columns: 10, letters: map[string]byte{}}
	if got := c.lane(bars); got != "ffffL.bbbb" {
		t.Errorf("%s", got)
	}
}
