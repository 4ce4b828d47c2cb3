package roce

import "testing"

// TestTurns: served in order of number after the one served last, round and round, over words of
// the set.
func TestTurns(t *testing.T) {
	var s Turns
	for _, i := range []int{130, 3, 64, 3, 63} {
		s.Add(i)
	}
	s.Served(3)
	var got []int
	for s.Len() > 0 {
		got = append(got, s.Take())
	}
	want := []int{63, 64, 130, 3}
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Fatalf("served %v, want %v", got, want)
		}
	}
	// One that was taken and could not send has not been served: the next one is still after the
	// last.
	s.Add(5)
	s.Add(2)
	s.Served(4)
	if a, b := s.Take(), s.Take(); a != 5 || b != 2 {
		t.Errorf("served %d and %d, want 5 and 2", a, b)
	}
}

// A queue pair is in a set once.
func TestATurnEach(t *testing.T) {
	var s Turns
	s.Add(64)
	s.Add(64)
	if s.Len() != 1 || s.Take() != 64 || s.Len() != 0 {
		t.Errorf("%d left of one that was added twice", s.n)
	}
}

// Those that wait are taken by time, then number.
func TestThoseThatWait(t *testing.T) {
	var e Egress[int]
	order := []timed{{1, 1}, {1, 2}, {2, 1}, {2, 2}}
	for _, i := range []int{2, 0, 3, 1} {
		e.Wait(order[i].at, order[i].qp)
	}
	for _, want := range order {
		if at, qp := e.First(); at != want.at || qp != want.qp {
			t.Errorf("queue pair %d from %v on, want %d from %v on", qp, at, want.qp, want.at)
		}
		e.Drop()
	}
	if e.Waiting() {
		t.Error("somebody still waits")
	}
}

// What goes first: notifications, then acknowledgements, then queue pairs, class by class in turn. What is held back lets
// the next go.
func TestWhatGoesFirst(t *testing.T) {
	var e Egress[int]
	e.Hold(7, 6)
	e.AddClass(3)
	e.AddClass(0)
	e.AddClass(3)
	e.Acks.Push(1)
	e.Notes.Push(2)
	e.Acks.Push(3)
	var got []int
	for _, paused := range []uint8{1 << 7, 0, 1 << 6, 0} {
		f := -1
		e.Answer(paused, &f)
		got = append(got, f)
	}
	for i, want := range []int{1, 2, -1, 3} {
		if got[i] != want {
			t.Fatalf("sent %v, want 1 2 -1 3", got)
		}
	}
	for i := range 2 {
		if e.Classes() != 2 || e.Class(i) != []uint8{3, 0}[i] {
			t.Errorf("%d classes, the one in place %d is %d, want 3 and 0", e.Classes(), i, e.Class(i))
		}
	}
	e.Served(0)
	if e.Class(0) != 0 || e.Class(1) != 3 {
		t.Error("the class that was served does not come last")
	}
	e.Served(1)
	if e.Class(0) != 0 {
		t.Error("the class behind the one that was served does not come first")
	}
}
