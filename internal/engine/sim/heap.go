package sim

import "railyard/internal/base/unit"

// heap is a plain binary heap of events with an order of its own. It is the queue of an engine that
// keeps the order of scheduling, and in tests what the wheel is compared with.
type heap struct {
	before func(a, b event) bool
	events []event
	pushed uint32 // becomes an event's tie
}

// byKey orders events by time and key, as the wheel does.
func byKey(a, b event) bool { return a.at < b.at || a.at == b.at && a.key < b.key }

// byScheduling orders the events of an instant as they were scheduled. The count of events may wrap:
// those of an instant lie close together.
func byScheduling(a, b event) bool { return a.at < b.at || a.at == b.at && int32(a.tie-b.tie) < 0 }

func newHeap(before func(a, b event) bool) *heap { return &heap{before: before} }

func (h *heap) push(at unit.Time, key Key) {
	h.pushed++
	e := event{at: at, tie: h.pushed, key: key}
	h.events = append(h.events, e)
	up(h.events, h.before)
}

// next returns the time of the earliest event, or unit.Never.
func (h *heap) next() unit.Time {
	if len(h.events) == 0 {
		return unit.Never
	}
	return h.events[0].at
}

// pop removes and returns the earliest event.
func (h *heap) pop() event {
	first := h.events[0]
	h.events = removeFirst(h.events, h.before)
	return first
}

// up moves the last event of a heap to its place.
func up(h []event, before func(a, b event) bool) {
	i := len(h) - 1
	e := h[i]
	for i > 0 {
		p := (i - 1) / 2
		if !before(e, h[p]) {
			break
		}
		h[i] = h[p]
		i = p
	}
	h[i] = e
}

// removeFirst removes the first event of a heap.
func removeFirst(h []event, before func(a, b event) bool) []event {
	e := h[len(h)-1]
	h = h[:len(h)-1]
	if len(h) == 0 {
		return h
	}
	i := 0
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && before(h[c+1], h[c]) {
			c++
		}
		if !before(h[c], e) {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = e
	return h
}
