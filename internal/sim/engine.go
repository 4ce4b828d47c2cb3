package sim

import (
	"fmt"

	"railyard/internal/unit"
)

// Phase orders what happens at one instant.
type Phase uint32

// The phases of an instant.
const (
	TxEnd   Phase = iota // transmissions end, buffers are released
	Arrival              // frames arrive
	Timer                // timers expire
	Host                 // hosts and ranks work
)

// Class picks the handler of an event.
type Class uint32

// Classes is how many classes there can be; MaxOwner the largest owner number.
const (
	Classes  = 16
	MaxOwner = 1<<26 - 1
)

// Key orders the events of an instant and names their handler and owner.
type Key uint32

// MakeKey packs a key.
func MakeKey(p Phase, c Class, owner int32) Key {
	return Key(uint32(p)<<30 | uint32(c)<<26 | uint32(owner))
}

// Handler acts on the events of one class. isl is the island whose event it is.
type Handler interface {
	Handle(isl *Island, now unit.Time, owner int32)
}

// Island is a group of nodes with events of its own. While a window runs, what handles its events
// schedules in this island alone.
type Island struct {
	wheel  *wheel
	index  int32
	now    unit.Time // of the event being handled, or of the latest
	next   unit.Time // it has no earlier event
	events int64
}

// Index returns the island's number.
func (isl *Island) Index() int32 { return isl.index }

// Now returns the time of the event that the island is handling or, between windows, of its latest.
func (isl *Island) Now() unit.Time { return isl.now }

// At schedules an event in the island.
func (isl *Island) At(at unit.Time, key Key) {
	isl.next = min(isl.next, at)
	isl.wheel.push(at, key)
}

// Engine runs events in order of time, island by island within windows of the lookahead.
type Engine struct {
	islands   []*Island
	handlers  [Classes]Handler
	lookahead unit.Duration // 0: one island, in one window
	stopAt    unit.Time
	running   *Island // whose events are being handled, nil between windows
	onWindow  []func(end unit.Time)
	check     func() bool
	every     int
}

// checkEvery is how many events pass between two questions whether the run was interrupted.
const checkEvery = 1 << 14

// New returns an engine. sizes gives, for each island, about how many owners are active in it,
// which sets the width of its wheel's slots. The lookahead is how long a window is: no more than the
// shortest time in which one island can act on another. With one island it may be 0: then all is
// one window.
func New(sizes []int, lookahead unit.Duration) *Engine {
	if len(sizes) > 1 && lookahead <= 0 {
		panic("sim: several islands need a positive lookahead")
	}
	e := &Engine{lookahead: lookahead, stopAt: unit.Never, every: checkEvery}
	for i, n := range sizes {
		// Aim at an event or two per slot when every owner sends a frame of about 100 ns, and at a
		// horizon of 8 us.
		shift := uint(14)
		for w := 16_384; w > 256 && w*n > 150_000; w /= 2 {
			shift--
		}
		e.islands = append(e.islands, &Island{wheel: newWheel(shift, 23-shift), index: int32(i), next: unit.Never})
	}
	return e
}

// InOrderOfPushing makes the events of an instant happen in the order in which they were scheduled,
// whatever their keys say. That is the order of one island only.
func (e *Engine) InOrderOfPushing() {
	if len(e.islands) > 1 {
		panic("sim: with several islands events have no order of scheduling")
	}
	e.islands[0].wheel.ties = 0
}

// Register sets the handler of a class.
func (e *Engine) Register(c Class, h Handler) {
	if e.handlers[c] != nil {
		panic(fmt.Sprintf("sim: class %d registered twice", c))
	}
	e.handlers[c] = h
}

// Islands returns how many islands there are.
func (e *Engine) Islands() int { return len(e.islands) }

// Island returns an island by its number.
func (e *Engine) Island(i int32) *Island { return e.islands[i] }

// At schedules an event in an island, before the run or between windows.
func (e *Engine) At(island int32, at unit.Time, key Key) { e.islands[island].At(at, key) }

// StopAt ends the run after every event up to and including t; the earliest call counts. To keep
// the result independent of the partition, t must lie at least a lookahead after now.
func (e *Engine) StopAt(t unit.Time) {
	if t < e.stopAt {
		e.stopAt = t
	}
}

// OnWindow adds a function that is called on one goroutine after every window: all events before
// end are done, in all islands, and none after it.
func (e *Engine) OnWindow(f func(end unit.Time)) { e.onWindow = append(e.onWindow, f) }

// OnCheck sets a function that is asked every so many events whether to go on; if it says no, Run
// returns early.
func (e *Engine) OnCheck(f func() bool) { e.check = f }

// CheckEvery sets how many events pass between two such questions.
func (e *Engine) CheckEvery(n int) { e.every = n }

// Now returns the time of the event that is being handled; after Run, of the latest one.
func (e *Engine) Now() unit.Time {
	if e.running != nil {
		return e.running.now
	}
	now := unit.Time(0) // the island handled last need not be the one that came furthest
	for _, isl := range e.islands {
		now = max(now, isl.now)
	}
	return now
}

// Events returns how many events have been handled.
func (e *Engine) Events() (n int64) {
	for _, isl := range e.islands {
		n += isl.events
	}
	return n
}

// Run handles events until none is left or the time of StopAt has passed. It returns false if it
// was interrupted before.
func (e *Engine) Run() bool {
	_, whole := e.RunUntil(unit.Never)
	return whole
}

// RunUntil handles events up to and including t. more says that the run goes on after t; ok is
// false if it was interrupted.
func (e *Engine) RunUntil(t unit.Time) (more, ok bool) {
	left := e.every
	defer func() { e.running = nil }()
	for {
		start := unit.Never
		for _, isl := range e.islands {
			start = min(start, isl.next)
		}
		if start == unit.Never || start > e.stopAt {
			return false, true
		}
		if start > t {
			return true, true
		}
		end := unit.Never
		if e.lookahead > 0 && start < unit.Never.Add(-e.lookahead) {
			end = start.Add(e.lookahead)
		}
		if t < end {
			end = t + 1
		}
		for _, isl := range e.islands {
			if isl.next >= end {
				continue // most islands, in a quiet network
			}
			e.running = isl
			whole := e.window(isl, end, &left)
			isl.next = isl.wheel.next()
			if !whole {
				return true, false
			}
		}
		e.running = nil
		for _, f := range e.onWindow {
			f(end)
		}
	}
}

// window runs one island up to end. It returns false if the run was interrupted.
func (e *Engine) window(isl *Island, end unit.Time, left *int) bool {
	for {
		limit := end
		if e.stopAt < limit {
			limit = e.stopAt + 1
		}
		ev, ok := isl.wheel.pop(limit)
		if !ok {
			return true
		}
		isl.events++
		isl.now = ev.at
		e.handlers[ev.key>>26&(Classes-1)].Handle(isl, ev.at, int32(ev.key&MaxOwner))
		if *left--; *left <= 0 {
			*left = e.every
			if e.check != nil && !e.check() {
				return false
			}
		}
	}
}
