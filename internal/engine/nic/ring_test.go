package nic

import (
	"slices"
	"testing"
)

// The mark of the queue pair served last stays where it is while finished ones before it are taken
// out, unless another is served.
func TestRing(t *testing.T) {
	done := map[int32]bool{}
	finished := func(i int32) bool { return done[i] }
	var r ring
	for i := range int32(5) {
		r.add(i)
	}
	r.served(1, finished)
	if r.before() != 1 {
		t.Fatalf("after 1 was served the search begins after %d", r.before())
	}
	// 0 finishes, and the search finds 3: it went by 2 and 3 only, so 0 stays.
	done[0], r.done = true, 1
	r.served(3, finished)
	if want := []int32{0, 1, 2, 3, 4}; !slices.Equal(r.list, want) || r.before() != 3 {
		t.Fatalf("%v, after %d; want %v, after 3", r.list, r.before(), want)
	}
	// It finds none, having gone by all: 0 is out, the mark at place 3 is now 4's.
	r.served(-1, finished)
	if want := []int32{1, 2, 3, 4}; !slices.Equal(r.list, want) || r.before() != 4 || r.done != 0 {
		t.Fatalf("%v, after %d, %d finished; want %v, after 4, none", r.list, r.before(), r.done, want)
	}
	// 1 and 2 finish, and the search after 4 goes by both before it finds 3.
	done[1], done[2], r.done = true, true, 2
	r.served(3, finished)
	if want := []int32{3, 4}; !slices.Equal(r.list, want) || r.before() != 3 || r.done != 0 {
		t.Fatalf("%v, after %d, %d finished; want %v, after 3, none", r.list, r.before(), r.done, want)
	}
	// All gone: a mark beyond the end counts on from the front.
	done[3], done[4], r.done, r.last = true, true, 2, 1
	r.served(-1, finished)
	r.add(7)
	r.add(8)
	if r.before() != 8 {
		t.Errorf("the search begins after %d, want 8: place 1", r.before())
	}
}

// Queue pair 0 is one as the others are.
func TestRingServesTheFirst(t *testing.T) {
	var r ring
	for i := range int32(3) {
		r.add(i)
	}
	for _, i := range []int32{1, 0} {
		if r.served(i, nil); r.before() != int(i) {
			t.Errorf("after %d was served the search begins after %d", i, r.before())
		}
	}
}
