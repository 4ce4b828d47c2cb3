// Package lists holds the queues and heaps of values that the rooms of the simulated host share: package
// host and package nic. They take memory until they are as long as they ever were, and then no more.
package lists

// Queue is a first-in first-out queue of values; its capacity is a power of two and only grows.
type Queue[T any] struct {
	buf     []T
	head, n int
}

// Len returns how many values there are.
func (q *Queue[T]) Len() int { return q.n }

// Push adds a value.
func (q *Queue[T]) Push(v T) {
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

// At returns the value that is i behind the oldest.
func (q *Queue[T]) At(i int) *T { return &q.buf[(q.head+i)&(len(q.buf)-1)] }

// Pop removes and returns the oldest value; there must be one.
func (q *Queue[T]) Pop() T {
	v := q.buf[q.head]
	q.head = (q.head + 1) & (len(q.buf) - 1)
	q.n--
	return v
}

// Heap is a binary heap of values, the first on top.
type Heap[T interface{ Before(T) bool }] []T

// Push adds a value.
func (h *Heap[T]) Push(e T) {
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

// Pop removes and returns the first value; there must be one.
func (h *Heap[T]) Pop() T {
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
