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

// Handler acts on the events of one class.
type Handler interface {
	Handle(now unit.Time, owner int32)
}

// Engine runs events in order of time, island by island within windows of the lookahead.
type Engine struct {
	wheels    []*wheel
	next      []unit.Time // by island: it has no earlier event
	handlers  [Classes]Handler
	lookahead unit.Duration
	stopAt    unit.Time
	now       unit.Time
	latest    unit.Time // of the events of all islands
	events    int64
	check     func() bool
	every     int
}

// checkEvery is how many events pass between two questions whether the run was interrupted.
const checkEvery = 1 << 14

// New returns an engine. sizes gives, for each island, about how many owners are active in it,
// which sets the width of its wheel's slots. The lookahead is the shortest time in which one island
// can act on another; with one island it is not used.
func New(sizes []int, lookahead unit.Duration) *Engine {
	if len(sizes) > 1 && lookahead <= 0 {
		panic("sim: several islands need a positive lookahead")
	}
	e := &Engine{lookahead: lookahead, stopAt: unit.Never, every: checkEvery}
	for _, n := range sizes {
		// Aim at an event or two per slot when every owner sends a frame of about 100 ns, and at a
		// horizon of 8 us.
		shift := uint(14)
		for w := 16_384; w > 256 && w*n > 150_000; w /= 2 {
			shift--
		}
		e.wheels = append(e.wheels, newWheel(shift, 23-shift))
		e.next = append(e.next, unit.Never)
	}
	return e
}

// InOrderOfPushing makes the events of an instant happen in the order in which they were scheduled,
// whatever their keys say. That is the order of one island only.
func (e *Engine) InOrderOfPushing() {
	if len(e.wheels) > 1 {
		panic("sim: with several islands events have no order of scheduling")
	}
	e.wheels[0].ties = 0
}

// Register sets the handler of a class.
func (e *Engine) Register(c Class, h Handler) {
	if e.handlers[c] != nil {
		panic(fmt.Sprintf("sim: class %d registered twice", c))
	}
	e.handlers[c] = h
}

// At schedules an event in an island.
func (e *Engine) At(island int32, at unit.Time, key Key) {
	e.next[island] = min(e.next[island], at)
	e.wheels[island].push(at, key)
}

// StopAt ends the run after every event up to and including t; the earliest call counts. To keep
// the result independent of the partition, t must lie at least a lookahead after now.
func (e *Engine) StopAt(t unit.Time) {
	if t < e.stopAt {
		e.stopAt = t
	}
}

// OnCheck sets a function that is asked every so many events whether to go on; if it says no, Run
// returns early.
func (e *Engine) OnCheck(f func() bool) { e.check = f }

// CheckEvery sets how many events pass between two such questions.
func (e *Engine) CheckEvery(n int) { e.every = n }

// Now returns the time of the event that is being handled; after Run, of the latest one.
func (e *Engine) Now() unit.Time { return e.now }

// Events returns how many events have been handled.
func (e *Engine) Events() int64 { return e.events }

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
	defer func() { e.now = e.latest }() // the island handled last need not be the one that came furthest
	for {
		start := unit.Never
		for _, at := range e.next {
			start = min(start, at)
		}
		if start == unit.Never || start > e.stopAt {
			return false, true
		}
		if start > t {
			return true, true
		}
		end := unit.Never
		if len(e.wheels) > 1 {
			end = start.Add(e.lookahead)
		}
		if t < end {
			end = t + 1
		}
		for i, w := range e.wheels {
			if e.next[i] >= end {
				continue // most islands, in a quiet network
			}
			whole := e.window(w, end, &left)
			e.next[i] = w.next()
			e.latest = max(e.latest, e.now)
			if !whole {
				return true, false
			}
		}
	}
}

// window runs one island up to end. It returns false if the run was interrupted.
func (e *Engine) window(w *wheel, end unit.Time, left *int) bool {
	for {
		limit := end
		if e.stopAt < limit {
			limit = e.stopAt + 1
		}
		ev, ok := w.pop(limit)
		if !ok {
			return true
		}
		e.events++
		e.now = ev.at
		e.handlers[ev.key>>26&(Classes-1)].Handle(ev.at, int32(ev.key&MaxOwner))
		if *left--; *left <= 0 {
			*left = e.every
			if e.check != nil && !e.check() {
				return false
			}
		}
	}
}
