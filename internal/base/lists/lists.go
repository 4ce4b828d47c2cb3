package lists

import "math/bits"

// Queue is a first-in first-out queue of values; its capacity is a power of two and only grows.
type Queue[T any] struct {
	buf     []T
	head, n int
}

// Len returns how many values there are.
func (q *Queue[T]) Len() int { return q.n }

// Push adds a value.
func (q *Queue[T]) Push(v T) { *q.Add() = v }

// Add adds a value and returns it: what lay there before, of which each field is to be set. So a large value is written
// where it lies. One that is made on the stack, field by field, and then copied by sixteen bytes at a time
// waits until all its stores are through: a processor hands on what it has just stored to loads of that width alone.
func (q *Queue[T]) Add() *T {
	if q.n == len(q.buf) {
		buf := make([]T, max(1, 2*len(q.buf)))
		for i := range q.n {
			buf[i] = q.buf[(q.head+i)&(len(q.buf)-1)]
		}
		q.buf, q.head = buf, 0
	}
	q.n++
	return q.At(q.n - 1)
}

// At returns the value that is i behind the oldest.
func (q *Queue[T]) At(i int) *T { return &q.buf[(q.head+i)&(len(q.buf)-1)] }

// Pop removes and returns the oldest value; there must be one.
func (q *Queue[T]) Pop() T {
	v := q.buf[q.head]
	q.Drop()
	return v
}

// Drop removes the oldest value; there must be one.
func (q *Queue[T]) Drop() {
	q.head = (q.head + 1) & (len(q.buf) - 1)
	q.n--
}

// Key is what a heap orders: by its first word, then its second, then its third.
type Key struct{ First, Second, Third uint64 }

// Before reports whether a key comes before another. It has no branch: which of two comes first nobody,
// and no processor, can guess.
func (k Key) Before(o Key) bool {
	_, less := bits.Sub64(k.Third, o.Third, 0)
	_, less = bits.Sub64(k.Second, o.Second, less)
	_, less = bits.Sub64(k.First, o.First, less)
	return less != 0
}

// Heap is a binary heap of keys, the first on top.
type Heap []Key

// Push adds a key.
func (h *Heap) Push(k Key) {
	s := append(*h, k)
	i := len(s) - 1
	for i > 0 {
		p := (i - 1) / 2
		if !k.Before(s[p]) {
			break
		}
		s[i] = s[p]
		i = p
	}
	s[i] = k
	*h = s
}

// Pop removes and returns the first key; there must be one.
func (h *Heap) Pop() Key {
	s := *h
	top, k := s[0], s[len(s)-1]
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
		if !s[c].Before(k) {
			break
		}
		s[i] = s[c]
		i = c
	}
	s[i] = k
	return top
}
