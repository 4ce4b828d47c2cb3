package roce

import "math/bits"

// Turns is a set of a port's queue pairs that are served in turn: the next is the first by number
// after the one that was served last.
type Turns struct {
	words []uint64
	n     int
	last  int // served last
}

// Add puts a queue pair in, if it is not there.
func (s *Turns) Add(i int) {
	for i>>6 >= len(s.words) {
		s.words = append(s.words, 0)
	}
	if s.words[i>>6]>>(i&63)&1 == 0 {
		s.words[i>>6] |= 1 << (i & 63)
		s.n++
	}
}

// Len returns how many there are.
func (s *Turns) Len() int { return s.n }

// Served says which queue pair was served last.
func (s *Turns) Served(i int) { s.last = i }

// Remove takes a queue pair out, if it is there.
func (s *Turns) Remove(i int) {
	if w := i >> 6; w < len(s.words) && s.words[w]>>(i&63)&1 != 0 {
		s.drop(w, 1<<(i&63))
	}
}

// Take removes and returns the queue pair whose turn it is; there must be one.
func (s *Turns) Take() int {
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
func (s *Turns) drop(w int, m uint64) int {
	s.words[w] &^= m & -m
	s.n--
	return w<<6 + bits.TrailingZeros64(m)
}
