package balance

import (
	"fmt"
	"testing"

	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
)

// One flow moves once: it asks, is not answered in time, sends a tail by the old way and what follows by another,
// until the last switch has cleared it. The last switch holds what overtakes the tail.
func TestConWeaveMovesAFlowOnce(t *testing.T) {
	random := splitmix.Stream(1)
	g := &Group{Links: make([]Link, 4), Whole: 4, Random: random.Next}
	p := &Params{ConWeave: ConWeave{Reply: 10 * unit.Microsecond, Busy: 20 * unit.Microsecond, Resume: 50 * unit.Microsecond}}
	c := newWeaver(p, g).(*Weaver)
	last := NewRestorer(p.ConWeave.Resume)
	frame := func(us int64) Frame {
		f := Frame{Now: unit.Time(us) * unit.Time(unit.Microsecond), Flow: 7}
		if link := c.Pick(&f, nil); link != int(f.Header.Link()) {
			t.Fatalf("takes link %d, and its header says %d", link, f.Header.Link())
		}
		return f
	}
	says := func(h Header) string {
		return fmt.Sprintf("request %v tail %v rerouted %v move %d", h&Request != 0, h&Tail != 0, h&Rerouted != 0, h.Move())
	}
	first := frame(0)
	steady := frame(5)
	if first.Header&Request == 0 || steady.Header&^0xff00 != 0 {
		t.Errorf("first: %s, then: %s", says(first.Header), says(steady.Header))
	}
	c.Hear(6, Signal{Kind: Answer, Flow: 7})
	asks := frame(9)
	if asks.Header&Request == 0 {
		t.Errorf("after an answer: %s", says(asks.Header))
	}
	tail := frame(20)
	moved := frame(21)
	if tail.Header&Tail == 0 || moved.Header&Rerouted == 0 || tail.Header.Link() != first.Header.Link() ||
		moved.Header.Link() == first.Header.Link() || tail.Header.Move() != 1 || moved.Header.Move() != 1 {
		t.Errorf("unanswered: %s by %d, then %s by %d", says(tail.Header), tail.Header.Link(), says(moved.Header),
			moved.Header.Link())
	}
	for _, s := range []struct {
		h     Header
		want  Verdict
		first bool
	}{{steady.Header, Pass, false}, {moved.Header, Hold, true}, {moved.Header, Hold, false}, {tail.Header, Release, false},
		{moved.Header, Pass, false}, {tail.Header, Pass, false}} {
		if v, first := last.Arrive(21, 7, s.h); v != s.want || first != s.first {
			t.Errorf("%s: %v %v, want %v %v", says(s.h), v, first, s.want, s.first)
		}
	}
	c.Hear(22, Signal{Kind: Clear, Flow: 7, Move: 1})
	if f := frame(30); f.Header&Request == 0 || f.Header.Link() != moved.Header.Link() {
		t.Errorf("cleared: %s", says(f.Header))
	}
}

// Where all other links are busy a flow stays; a tail that does not come is given up, and what is late passes.
func TestConWeaveStaysAndGivesUp(t *testing.T) {
	random := splitmix.Stream(1)
	g := &Group{Links: make([]Link, 2), Whole: 2, Random: random.Next}
	p := &Params{ConWeave: ConWeave{Reply: 10, Busy: 1000, Resume: 50}}
	c := newWeaver(p, g).(*Weaver)
	for link := range uint8(2) {
		c.Hear(0, Signal{Kind: Notify, Link: link})
	}
	for now := range unit.Time(999) {
		f := Frame{Now: now, Flow: 7}
		if c.Pick(&f, nil); f.Header&(Tail|Rerouted) != 0 {
			t.Fatalf("at %d it moves to a busy link", now)
		}
	}
	r := NewRestorer(p.ConWeave.Resume)
	held, tail := header(Rerouted, 1, 0), header(Tail, 1, 1)
	if v, first := r.Arrive(100, 7, held); v != Hold || !first {
		t.Errorf("%v %v", v, first)
	}
	if _, due, again := r.Due(149, 7); due || again != 0 {
		t.Error("given up too soon, or asked for again")
	}
	// A packet by the old way puts the end off; whoever asks at the end that was promised hears of the new one, once.
	if v, _ := r.Arrive(140, 7, header(0, 0, 1)); v != Pass {
		t.Errorf("by the old path: %v", v)
	}
	for i, want := range []unit.Time{190, 0} {
		if _, due, again := r.Due(150, 7); due || again != want {
			t.Errorf("asked %d times: given up %v, again at %d, want %d", i+1, due, again, want)
		}
	}
	if move, due, _ := r.Due(190, 7); !due || move != 1 {
		t.Errorf("not given up: %v, move %d", due, move)
	}
	for _, h := range []Header{held, tail} {
		if v, _ := r.Arrive(191, 7, h); v != Pass {
			t.Errorf("after that: %v", v)
		}
	}
}
