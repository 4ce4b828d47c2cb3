package sim

import (
	"fmt"

	"railyard/internal/base/unit"
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

// Mail is what islands send to each other within a window. If they do not run at the same time (see
// Island.Mails) what goes to another one may be put there at once.
type Mail interface {
	// Collect takes what an island has sent in the window that is over, and wakes whom it is for. It
	// is called between windows.
	Collect(isl *Island)
	// Empty gives an island what was sent to it. It is called by the island's worker.
	Empty(isl *Island)
}

// Engine runs events in order of time, island by island within windows of the lookahead.
type Engine struct {
	islands   []*Island
	handlers  [Classes]Handler
	lookahead unit.Duration // 0: one island, in one window
	stopAt    unit.Time
	pauseAt   unit.Time // RunUntil returns after it, once
	running   *Island   // whose events one worker is handling, nil between windows
	mail      Mail
	arrivals  Arrivals
	arriving  Key // of those, without an owner
	late      Late
	due       Due // of one worker
	onWindow  []func(end unit.Time)
	onOpen    []func(isl *Island, events int64)
	stretch   func() unit.Duration // nil: windows are as long as the lookahead
	check     func() bool
	every     int
	unchecked int64 // events since the last check
	workers   int
	inTurn    bool
	crew      *crew     // of the run in progress, nil with one worker
	ran       []*Island // in this window
	latest    unit.Time // to which the island that came furthest has come; not with each event of an only island
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
	e := &Engine{lookahead: lookahead, stopAt: unit.Never, pauseAt: unit.Never, every: checkEvery, workers: 1}
	for i, n := range sizes {
		e.islands = append(e.islands, newIsland(int32(i), n, len(sizes) == 1))
	}
	return e
}

// InOrderOfPushing makes the events of an instant happen in the order in which they were scheduled,
// whatever their keys say. That is the order of one island only.
func (e *Engine) InOrderOfPushing() {
	if len(e.islands) > 1 {
		panic("sim: with several islands events have no order of scheduling")
	}
	e.islands[0].useHeap(byScheduling)
}

// SetWorkers sets how many goroutines handle events: never more than there are islands. With
// several, handlers of different islands run at the same time.
func (e *Engine) SetWorkers(n int) {
	if e.workers = max(1, min(n, len(e.islands))); e.workers > 1 && e.inTurn {
		panic("sim: islands that run in turn have one worker")
	}
}

// RunInTurn says that the lookahead counts on the order in which one worker runs islands, that of their numbers: it
// is how soon one acts on those before it. What one does to those behind it in a window is there when their turn
// comes, if it is put there at once (see Mail); so that may be as soon as it likes.
func (e *Engine) RunInTurn() {
	if e.workers > 1 {
		panic("sim: islands that run in turn have one worker")
	}
	e.inTurn = true
}

// InTurn reports whether the lookahead counts on that order.
func (e *Engine) InTurn() bool { return e.inTurn }

// Workers returns how many goroutines handle events.
func (e *Engine) Workers() int { return e.workers }

// SetMail sets how islands send to each other.
func (e *Engine) SetMail(m Mail) { e.mail = m }

// Late is who puts off what happens in an island, at an instant that is known, for as long as nobody looks. It says
// with Island.Did that it has happened after all.
type Late interface {
	// CatchUp does what was put off up to and including until, and returns when the next of it happens, or
	// unit.Never. It is called by the island's worker as a window ends.
	CatchUp(isl *Island, until unit.Time) (next unit.Time)
}

// SetLate sets who does so. An engine with one island does not ask.
func (e *Engine) SetLate(l Late) { e.late = l }

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
// the result independent of the partition, t must lie at least a lookahead after now. With several
// workers it is for OnWindow; what handles an event has Island.StopAt.
func (e *Engine) StopAt(t unit.Time) {
	e.stopAt = min(e.stopAt, t)
	if e.running != nil {
		e.running.endAt(t)
	}
}

// PauseAt makes RunUntil return after every event up to and including t, as if it had been asked to; the
// earliest call counts, until then. It is for OnWindow, and for a t no earlier than what is done: as
// much later as a window is long, it is the same cut with any partition.
func (e *Engine) PauseAt(t unit.Time) { e.pauseAt = min(e.pauseAt, t) }

// OnWindow adds a function that is called on one goroutine after every window: all events before
// end, or up to StopAt, are done in all islands, and none after it.
func (e *Engine) OnWindow(f func(end unit.Time)) { e.onWindow = append(e.onWindow, f) }

// OnOpen adds a function that is called by an island's worker before the island's events of a window, of
// which there were so many in its window before. It is for having memory brought into the cache, and
// changes nothing that has a say in results. An engine with one island does not call it.
func (e *Engine) OnOpen(f func(isl *Island, events int64)) { e.onOpen = append(e.onOpen, f) }

// Stretch sets a function that is asked before each window how soon one island can act on another in it:
// if that is later than the lookahead, which holds at any time, the window is as long. What it says lies
// within what StopAt and PauseAt ask of their callers.
func (e *Engine) Stretch(f func() unit.Duration) { e.stretch = f }

// OnCheck sets a function that is asked every so many events whether to go on; if it says no, Run
// returns early. With several islands it is asked between windows only.
func (e *Engine) OnCheck(f func() bool) { e.check = f }

// CheckEvery sets how many events pass between two such questions.
func (e *Engine) CheckEvery(n int) { e.every = n }

// Now returns the time of the event that is being handled, if there is one worker; between windows
// and after Run, of the latest one.
func (e *Engine) Now() unit.Time {
	if e.running != nil {
		return e.running.now
	}
	return e.latest
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

// RunUntil handles events up to and including t, or the time of PauseAt. more says that the run goes
// on after it; ok is false if it was interrupted.
func (e *Engine) RunUntil(t unit.Time) (more, ok bool) {
	defer func() { e.running = nil }()
	if e.workers > 1 {
		e.crew = hire(e)
		defer func() {
			e.crew.dismiss()
			e.crew = nil
		}()
	}
	for {
		start := e.next()
		if start == unit.Never || start > e.stopAt {
			return false, true
		}
		until := min(t, e.pauseAt)
		if start > until {
			e.pauseAt = unit.Never
			return true, true
		}
		end := e.windowFrom(start)
		if until < end {
			end = until + 1
		}
		if !e.runWindow(end) {
			return true, false
		}
		for _, f := range e.onWindow {
			f(end)
		}
		if e.unchecked >= int64(e.every) && !e.asked() {
			return true, false
		}
	}
}

// Due returns when the next event happens, unit.Never: none is left.
func (e *Engine) Due() unit.Time { return e.next() }

// next returns the time of the earliest event.
func (e *Engine) next() unit.Time {
	start := unit.Never
	for _, isl := range e.islands {
		start = min(start, isl.next)
	}
	return start
}

// windowFrom returns the end of a window.
func (e *Engine) windowFrom(start unit.Time) unit.Time {
	d := e.lookahead
	if len(e.islands) > 1 {
		if e.stretch != nil {
			d = max(d, e.stretch())
		}
		d = min(d, longest)
	}
	if d > 0 && start < unit.Never.Add(-d) {
		return start.Add(d)
	}
	return unit.Never
}

// runWindow handles the events before end. It returns false if the run was interrupted.
func (e *Engine) runWindow(end unit.Time) bool {
	if e.crew != nil {
		e.crew.window(end)
		return true
	}
	if len(e.islands) == 1 {
		isl := e.islands[0]
		e.running = isl
		whole := e.alone(isl, end)
		e.running, e.latest = nil, isl.now
		if whole {
			e.join(isl)
		}
		return whole
	}
	for _, isl := range e.islands {
		if isl.next >= end {
			continue // most islands, in a quiet network
		}
		e.running = isl
		e.open(isl)
		e.window(isl, end, &e.due)
		e.ran = append(e.ran, isl)
	}
	e.running = nil
	for _, isl := range e.ran {
		e.join(isl)
	}
	e.ran = e.ran[:0]
	return true
}

// open gives an island what others have sent to it.
func (e *Engine) open(isl *Island) {
	if isl.mail {
		isl.mail = false
		e.mail.Empty(isl)
	}
}

// join adds to the run what an island has done in a window.
func (e *Engine) join(isl *Island) {
	e.stopAt = min(e.stopAt, isl.stopAt)
	e.latest = max(e.latest, isl.now)
	e.unchecked += isl.events - isl.counted
	isl.counted = isl.events
	if e.mail != nil {
		e.mail.Collect(isl)
	}
}

// asked asks whether to go on.
func (e *Engine) asked() bool {
	e.unchecked = 0
	return e.check == nil || e.check()
}

// window runs one island of several up to end.
func (e *Engine) window(isl *Island, end unit.Time, d *Due) {
	isl.begin(end, e.stopAt)
	for _, f := range e.onOpen {
		f(isl, isl.events-isl.before)
	}
	isl.before = isl.events
	from, w := isl.next, &isl.wheel
	w.rebase(from)
	later := d.read(isl, e.arrivals)
	due := d.list
	arrive := e.handlers[e.arriving>>26&(Classes-1)]
	i := 0
	v := due[0]
	for {
		if v >= w.first && (w.pos < len(w.cur) || isl.refill(min(isl.limit-1, w.at(v))+1)) {
			if own := w.cur[w.pos]; own <= v {
				at := w.at(own)
				if at >= isl.limit {
					break
				}
				w.step()
				isl.events++
				isl.now = at
				e.handlers[own>>26&(Classes-1)].Handle(isl, at, int32(own&MaxOwner))
				continue
			}
		}
		at := w.at(v)
		if at >= isl.limit || v == never {
			break
		}
		isl.events++
		isl.now = at
		arrive.Handle(isl, at, int32(v&MaxOwner))
		i++
		v = due[i]
	}
	isl.next = min(later, isl.peek())
	if v != never {
		isl.next = min(isl.next, w.at(v))
	}
	if e.late != nil {
		isl.next = min(isl.next, e.late.CatchUp(isl, isl.limit-1))
	}
}

// alone runs the only island up to end. It returns false if the run was interrupted.
func (e *Engine) alone(isl *Island, end unit.Time) bool {
	isl.begin(end, e.stopAt)
	for w := &isl.wheel; ; {
		if w.pos == len(w.cur) && !isl.refill(isl.limit) {
			break
		}
		v := w.cur[w.pos]
		at := w.at(v)
		if at >= isl.limit {
			break
		}
		w.pos++
		isl.events++
		isl.now = at
		e.handlers[v>>26&(Classes-1)].Handle(isl, at, int32(v&MaxOwner))
		if isl.events-isl.counted >= int64(e.every) {
			isl.counted = isl.events
			if !e.asked() {
				isl.next = isl.peek()
				return false
			}
		}
	}
	isl.next = isl.peek()
	return true
}
