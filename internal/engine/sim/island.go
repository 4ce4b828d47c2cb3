package sim

import "railyard/internal/base/unit"

// Island is a group of nodes with events of its own. While a window runs, what handles its events
// schedules in this island alone.
type Island struct {
	now    unit.Time
	next   unit.Time // it has no earlier event, nor mail
	limit  unit.Time // the window's end, or behind the end of the run
	stopAt unit.Time // what its events asked for
	reach  uint64    // how many slots ahead an event is simply put into one: those of the wheel, 0 with a heap
	heap   *heap     // in place of the wheel, for an order of one's own
	wheel  wheel
	events int64
	// of events, those that the engine has counted
	counted int64
	before  int64 // of events, those before its latest window
	index   int32
	mail    bool     // there is some for it
	mails   bool     // other islands run at the same time
	_       [64]byte // two workers never write the same line
}

func newIsland(index int32, owners int, alone bool) *Island {
	// Aim at an event or two per slot when every owner sends a frame of about 100 ns, or at a few where most
	// events are not on the wheel, and at a horizon of 2 us: what lies behind it is rare, and a longer wheel takes
	// more of the cache.
	shift, aim := uint(14), 800_000
	if alone {
		aim = 150_000
	}
	for w := 16_384; w > 256 && w*owners > aim; w /= 2 {
		shift--
	}
	isl := &Island{wheel: *newWheel(shift, 21-shift), index: index, next: unit.Never, stopAt: unit.Never}
	isl.wheel.floats = alone
	isl.reach = uint64(isl.wheel.mask)
	return isl
}

// useHeap puts a heap in the place of the wheel, which is empty.
func (isl *Island) useHeap(before func(a, b event) bool) {
	isl.heap, isl.reach, isl.wheel.slot = newHeap(before), 0, -1
}

// Index returns the island's number.
func (isl *Island) Index() int32 { return isl.index }

// Now returns the time of the event that the island is handling or, between windows, of its latest.
func (isl *Island) Now() unit.Time { return isl.now }

// At schedules an event in the island.
func (isl *Island) At(at unit.Time, key Key) {
	w := &isl.wheel
	s := int64(at) >> (w.shift & 63)
	if uint64(s-w.slot-1) < isl.reach && at >= isl.next {
		w.list(s, at, key) // nearly always
		return
	}
	isl.atAny(at, key)
}

func (isl *Island) atAny(at unit.Time, key Key) {
	if at < isl.next { // between windows, or before its turn
		isl.next = at
	}
	if isl.heap != nil {
		isl.pushHeap(at, key)
		return
	}
	isl.wheel.push(at, key)
}

// Did counts an event that was put off until now: see Late.
func (isl *Island) Did(at unit.Time) {
	isl.events++
	isl.now = max(isl.now, at)
}

// StopAt ends the run after every event up to and including t, which lies at least a lookahead
// after now; the earliest call in any island counts.
func (isl *Island) StopAt(t unit.Time) {
	isl.stopAt = min(isl.stopAt, t)
	isl.endAt(t)
}

// endAt keeps the window from going beyond t.
func (isl *Island) endAt(t unit.Time) {
	if t < isl.limit {
		isl.limit = t + 1
	}
}

// Wake says, between windows, that there is mail for the island of which nothing happens before t.
func (isl *Island) Wake(t unit.Time) {
	isl.mail = true
	isl.next = min(isl.next, t)
}

// begin starts a window.
func (isl *Island) begin(end, stopAt unit.Time) {
	isl.limit = end
	isl.endAt(stopAt)
	isl.endAt(isl.stopAt)
}

// refill puts the next events before end into cur, which is done; with a heap one, since what it
// causes at its instant may go first. It returns false if there are none.
func (isl *Island) refill(end unit.Time) bool {
	w := &isl.wheel
	if isl.heap == nil {
		return w.advance(end)
	}
	w.cur, w.pos, w.ends = w.cur[:0], 0, 0
	at := isl.heap.next()
	if at >= end {
		w.first = w.bound(at)
		return false
	}
	if w.floats {
		w.base = at
	}
	w.first = word(at-w.base, isl.heap.pop().key)
	w.cur = append(w.cur, w.first)
	return true
}

// pushHeap puts an event on the heap, and what was taken from it and has not been handled back.
func (isl *Island) pushHeap(at unit.Time, key Key) {
	w := &isl.wheel
	if w.pos < len(w.cur) {
		isl.heap.push(w.at(w.cur[w.pos]), Key(w.cur[w.pos]))
		w.cur = w.cur[:w.pos]
	}
	isl.heap.push(at, key)
	w.first = min(w.first, w.bound(at))
}

// peek returns the time of the earliest event, or unit.Never.
func (isl *Island) peek() unit.Time {
	if isl.heap != nil {
		return isl.heap.next()
	}
	return isl.wheel.next()
}

// Mails reports whether what goes to another island must go through Mail.
func (isl *Island) Mails() bool { return isl.mails }
