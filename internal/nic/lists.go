package nic

import (
	"railyard/internal/fabric"
	"railyard/internal/unit"
)

// fifo is a queue of queue pairs.
type fifo struct {
	buf     []int32
	head, n int
}

func (f *fifo) push(v int32) {
	if f.n == len(f.buf) {
		buf := make([]int32, max(4, 2*len(f.buf)))
		for i := range f.n {
			buf[i] = f.buf[(f.head+i)&(len(f.buf)-1)]
		}
		f.buf, f.head = buf, 0
	}
	f.buf[(f.head+f.n)&(len(f.buf)-1)] = v
	f.n++
}

func (f *fifo) pop() int32 {
	v := f.buf[f.head&(len(f.buf)-1)]
	f.head = (f.head + 1) & (len(f.buf) - 1)
	f.n--
	return v
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
