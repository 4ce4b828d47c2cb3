package nic

import (
	"math/bits"

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

// queue is a first-in first-out queue of values; its capacity is a power of two and only grows.
type queue[T any] struct {
	buf     []T
	head, n int
}

func (q *queue[T]) push(v T) {
	if q.n == len(q.buf) {
		buf := make([]T, max(4, 2*len(q.buf)))
		for i := range q.n {
			buf[i] = q.buf[(q.head+i)&(len(q.buf)-1)]
		}
		q.buf, q.head = buf, 0
	}
	q.buf[(q.head+q.n)&(len(q.buf)-1)] = v
	q.n++
}

// at returns the value that is i behind the oldest.
func (q *queue[T]) at(i int) *T { return &q.buf[(q.head+i)&(len(q.buf)-1)] }

func (q *queue[T]) pop() T {
	v := q.buf[q.head]
	q.head = (q.head + 1) & (len(q.buf) - 1)
	q.n--
	return v
}

// timed is a queue pair that may send from a time on.
type timed struct {
	at unit.Time
	qp int32
}

// Before orders queue pairs by time, then number.
func (a timed) Before(b timed) bool { return a.at < b.at || a.at == b.at && a.qp < b.qp }

// heap is a binary heap of values, the first on top.
type heap[T interface{ Before(T) bool }] []T

func (h *heap[T]) push(e T) {
	s := append(*h, e)
	i := len(s) - 1
	for i > 0 {
		p := (i - 1) / 2
		if !e.Before(s[p]) {
			break
		}
		s[i] = s[p]
		i = p
	}
	s[i] = e
	*h = s
}

func (h *heap[T]) pop() T {
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
		if c+1 < len(s) && s[c+1].Before(s[c]) {
			c++
		}
		if !s[c].Before(e) {
			break
		}
		s[i] = s[c]
		i = c
	}
	s[i] = e
	return top
}
