package nic

import (
	"math/bits"

	"railyard/internal/lists"
	"railyard/internal/unit"
)

// turns is a set of a NIC's queue pairs that are served in turn: the next is the first by number
// after the one that was served last.
type turns struct {
	words []uint64
	n     int
	last  int // served last
}

func (s *turns) add(i int) {
	for i>>6 >= len(s.words) {
		s.words = append(s.words, 0)
	}
	if s.words[i>>6]>>(i&63)&1 == 0 {
		s.words[i>>6] |= 1 << (i & 63)
		s.n++
	}
}

// remove takes a queue pair out, if it is there.
func (s *turns) remove(i int) {
	if w := i >> 6; w < len(s.words) && s.words[w]>>(i&63)&1 != 0 {
		s.drop(w, 1<<(i&63))
	}
}

// take removes and returns the queue pair whose turn it is; there must be one.
func (s *turns) take() int {
	w := (s.last + 1) >> 6
	if w < len(s.words) {
		if m := s.words[w] >> ((s.last + 1) & 63) << ((s.last + 1) & 63); m != 0 {
			return s.drop(w, m)
		}
		w++
	}
	for ; ; w++ {
		if w >= len(s.words) {
			w = 0
		}
		if s.words[w] != 0 {
			return s.drop(w, s.words[w])
		}
	}
}

// drop removes the lowest of the members m of word w.
func (s *turns) drop(w int, m uint64) int {
	s.words[w] &^= m & -m
	s.n--
	return w<<6 + bits.TrailingZeros64(m)
}

// timed is a queue pair that may send from a time on.
type timed struct {
	at unit.Time
	qp int32
}

// key orders queue pairs by time, then number.
func (e timed) key() lists.Key { return lists.Key{First: uint64(e.at), Second: uint64(e.qp)} }

// timedOf is the inverse of key.
func timedOf(k lists.Key) timed { return timed{unit.Time(k.First), int32(k.Second)} }
