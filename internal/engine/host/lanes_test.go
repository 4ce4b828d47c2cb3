package host

import (
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/verbs"
	"railyard/internal/job/exec"
)

// A message in parts is there with its last part, whichever queue pair that came by and whatever came first, and what
// held that part up is why it took its time. Of parts that are there at the same instant it is the first's.
func TestPartsAreAsLateAsTheLast(t *testing.T) {
	for _, c := range []struct {
		until [3]unit.Time
		want  int
	}{
		{[3]unit.Time{10, 20, 30}, 2},
		{[3]unit.Time{30, 20, 10}, 0},
		{[3]unit.Time{10, 30, 20}, 1},
		{[3]unit.Time{20, 20, 10}, 0},
	} {
		for first := range c.until { // whichever is told of first
			var l lanes
			for k := range c.until {
				lane := (first + k) % len(c.until)
				if l.waiting != nil && l.next(len(c.until), true) {
					t.Fatalf("%v: a message of %d parts is there with %d", c.until, len(c.until), k)
				}
				l.push(len(c.until), int32(lane), unit.Time(lane), c.until[lane],
					[]exec.Segment{{Until: c.until[lane], Cause: cause.Cause(lane), At: int32(lane)}}, verbs.Header{})
			}
			if !l.next(len(c.until), true) {
				t.Fatalf("%v: all parts are there, and no message", c.until)
			}
			w := &l.whole
			if int(w.Lane) != c.want || w.Placed != c.until[c.want] || len(w.Segments) != 1 ||
				w.Segments[0].Cause != cause.Cause(c.want) {
				t.Errorf("parts until %v, %d first: %+v, want the part %d", c.until, first, *w, c.want)
			}
		}
	}
}
