package roce

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
)

// A count that comes twice or late is no news, and a later one makes good one that was lost: of its
// own collective.
func TestCreditsCount(t *testing.T) {
	var k Known
	for _, c := range []struct {
		coll  int32
		count uint32
		news  int
	}{{7, 1, 1}, {7, 1, 0}, {7, 4, 3}, {7, 2, 0}, {8, 1, 1}, {7, 5, 1}, {8, 1, 0}} {
		if got := k.OnCredit(c.coll, c.count); got != c.news {
			t.Errorf("%d credits of collective %d: %d are new, want %d", c.count, c.coll, got, c.news)
		}
	}
}

// What is awaited and not answered in time is sent again, what was given later is awaited then, and nothing once all is answered.
func TestCreditsAreRepeated(t *testing.T) {
	var g Given
	look := func(now unit.Time) string {
		var again []string
		var pk Packet
		missing := g.Repeat(&pk, func(pk *Packet) { again = append(again, fmt.Sprintf("%d:%d", pk.Coll, pk.Count)) })
		if g.Due() != 0 || g.Await(now+9) != now+9 || g.Await(now+99) != now+9 || g.Due() != now+9 {
			t.Error("what is awaited is awaited once")
		}
		return fmt.Sprint(strings.Join(again, " "), " ", missing)
	}
	want := func(what string, now unit.Time, want string) {
		t.Helper()
		if got := look(now); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	var pk Packet
	for i, coll := range []int32{7, 7, 8} {
		if g.Give(coll, &pk); pk != (Packet{Opcode: CreditGiven, Coll: coll, Count: []uint32{1, 2, 1}[i]}) {
			t.Errorf("a credit of collective %d is %+v", coll, pk)
		}
	}
	if g.Await(9) != 9 {
		t.Error("nothing is awaited")
	}
	g.OnAnswer(8, 1)
	g.Give(8, &pk) // after others are awaited
	want("7 is not answered, 8 in part", 9, "7:2 true")
	g.OnAnswer(7, 2)
	g.OnAnswer(7, 1) // late
	want("8 is not answered", 18, "8:2 true")
	g.OnAnswer(8, 2)
	if g.Due() != 0 {
		t.Error("all is answered, and something is awaited")
	}
	if g.Give(7, &pk); g.Await(40) != 40 {
		t.Error("what is given behind that is not awaited by a time of its own")
	}
	g.OnAnswer(7, 3)
	want("all is answered", 40, " false")
}

// A slot is free again when its message is placed, however often that is said.
func TestSlots(t *testing.T) {
	var s Slots
	s.Init(2)
	use := func(want bool) {
		t.Helper()
		if got := s.Use(); got != want {
			t.Errorf("a slot is free: %v, want %v", got, want)
		}
	}
	use(true)
	use(true)
	use(false)
	if !s.OnClear(1) || s.OnClear(1) || s.OnClear(0) {
		t.Error("one placed message is news once")
	}
	use(true)
	use(false)
	if !s.Missing(2) || s.Missing(1) {
		t.Error("of two acknowledged messages the clear-to-send of the second is missing")
	}
	if !s.Await(2) || s.Await(2) || s.Await(1) {
		t.Error("somebody comes back once for a clear-to-send that is missing")
	}
	if !s.Overdue(2) || s.Missing(2) || s.Await(2) {
		t.Error("when it must have come, its slot is free")
	}
	if !s.OnClear(3) { // that of the second was lost
		t.Error("a later clear-to-send makes good an earlier one")
	}
	use(true)
	use(true)
	use(false)
}
