package nic

import "testing"

// TestTurns: served in order of number after the one served last, round and round, over words of
// the set.
func TestTurns(t *testing.T) {
	var s turns
	for _, i := range []int{130, 3, 64, 3, 63} {
		s.add(i)
	}
	s.last = 3
	var got []int
	for s.n > 0 {
		got = append(got, s.take())
	}
	want := []int{63, 64, 130, 3}
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Fatalf("served %v, want %v", got, want)
		}
	}
	// One that was taken and could not send has not been served: the next one is still after the
	// last.
	s.add(5)
	s.add(2)
	s.last = 4
	if a, b := s.take(), s.take(); a != 5 || b != 2 {
		t.Errorf("served %d and %d, want 5 and 2", a, b)
	}
}

// A queue pair is in a set once.
func TestATurnEach(t *testing.T) {
	var s turns
	s.add(64)
	s.add(64)
	if s.n != 1 || s.take() != 64 || s.n != 0 {
		t.Errorf("%d left of one that was added twice", s.n)
	}
	order := []timed{{1, 1}, {1, 2}, {2, 1}, {2, 2}}
	for i, a := range order {
		for j, b := range order {
			x, y := a.key(), b.key()
			if x.Before(y) != (i < j) || timedOf(x) != a {
				t.Errorf("%+v before %+v: %v, as %v", a, b, x.Before(y), timedOf(x))
			}
		}
	}
}
