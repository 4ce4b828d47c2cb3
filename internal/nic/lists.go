package nic

import (
	"math/bits"

	"railyard/internal/fabric"
	"railyard/internal/unit"
)

// turns is a set of a NIC's queue pairs that are served in turn: next is the first one by number after the one that was served last.
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

// take removes and returns whose turn it is; there must be one.
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

// packets is a queue of frames.
type packets struct {
	buf     []fabric.Packet
	head, n int
}

func (f *packets) push(p fabric.Packet) {
	if f.n == len(f.buf) {
		buf := make([]fabric.Packet, max(4, 2*len(f.buf)))
		for i := range f.n {
			buf[i] = f.buf[(f.head+i)&(len(f.buf)-1)]
		}
		f.buf, f.head = buf, 0
	}
	f.buf[(f.head+f.n)&(len(f.buf)-1)] = p
	f.n++
}

func (f *packets) pop() fabric.Packet {
	p := f.buf[f.head]
	f.head = (f.head + 1) & (len(f.buf) - 1)
	f.n--
	return p
}

// timed is a queue pair that may send from a time on.
type timed struct {
	at unit.Time
	qp int32
}

// timeHeap orders queue pairs by time, then number.
type timeHeap []timed

func (h timeHeap) less(a, b timed) bool { return a.at < b.at || a.at == b.at && a.qp < b.qp }

func (h *timeHeap) push(e timed) {
	s := append(*h, e)
	i := len(s) - 1
	for i > 0 {
		p := (i - 1) / 2
		if !h.less(e, s[p]) {
			break
		}
		s[i] = s[p]
		i = p
	}
	s[i] = e
	*h = s
}

func (h *timeHeap) pop() timed {
	s := *h
	top, e := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	if len(s) == 0 {
		return top
	}
	i := 0
	for {
		c := 2*i + 1
		if c >= len(s) {
			break
		}
		if c+1 < len(s) && h.less(s[c+1], s[c]) {
			c++
		}
		if !h.less(s[c], e) {
			break
		}
		s[i] = s[c]
		i = c
	}
	s[i] = e
	return top
}
