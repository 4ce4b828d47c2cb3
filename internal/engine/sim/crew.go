package sim

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"railyard/internal/base/unit"
)

// crew is the workers of a run. The goroutine of Run is worker 0 and directs the others:
//
//	deal | 0: islands .... | wait | collect mail, OnWindow | deal ...
//	     | 1: islands ........    | wait for the next window
//
// Each worker has islands of its own, so that they stay in its core's cache, and takes those that
// others have not begun when it is through. Which worker runs an island cannot matter.
type crew struct {
	e     *Engine
	hands []hand
	end   unit.Time
	epoch atomic.Uint32 // windows begun
	open  atomic.Int32  // workers that are not through with the window
	over  atomic.Bool
	gone  sync.WaitGroup
	first parking // of worker 0
}

// hand is one worker.
type hand struct {
	own  []*Island // by right
	deal []*Island // of those, in this window
	next atomic.Int32
	parking
	due   Due
	fault *Fault
	_     [64]byte // two workers never write the same line
}

// parking is where a goroutine sleeps that has waited long.
type parking struct {
	asleep atomic.Bool
	wake   chan struct{}
}

// Fault is a panic in a worker, as the value of the panic of Run.
type Fault struct {
	Island int32
	Value  any
	Stack  []byte // of the worker
}

func (f *Fault) Error() string {
	return fmt.Sprintf("island %d: %v\n\n%s", f.Island, f.Value, f.Stack)
}

func hire(e *Engine) *crew {
	c := &crew{e: e, hands: make([]hand, e.workers), first: newParking()}
	for i := range c.hands {
		c.hands[i].parking = newParking()
	}
	for i, isl := range e.islands {
		h := &c.hands[i*len(c.hands)/len(e.islands)]
		h.own = append(h.own, isl)
		isl.mails = true
	}
	for i := 1; i < len(c.hands); i++ {
		c.gone.Go(func() { c.work(i) })
	}
	return c
}

func newParking() parking { return parking{wake: make(chan struct{}, 1)} }

// dismiss ends the workers.
func (c *crew) dismiss() {
	c.over.Store(true)
	c.begin()
	c.gone.Wait()
	for _, isl := range c.e.islands {
		isl.mails = false
	}
}

// begin lets the workers go.
func (c *crew) begin() {
	c.epoch.Add(1)
	for i := 1; i < len(c.hands); i++ {
		c.hands[i].rouse()
	}
}

// window handles the events before end.
func (c *crew) window(end unit.Time) {
	c.end = end
	busy := 0
	for i := range c.hands {
		h := &c.hands[i]
		h.deal = h.deal[:0]
		for _, isl := range h.own {
			if isl.next < end {
				h.deal = append(h.deal, isl)
			}
		}
		h.next.Store(0)
		busy += len(h.deal)
	}
	if busy > 1 {
		c.open.Store(int32(len(c.hands) - 1))
		c.begin()
		c.take(0)
		c.first.await(func() bool { return c.open.Load() == 0 })
	} else {
		c.take(0)
	}
	c.join()
}

// join brings together what the islands have done.
func (c *crew) join() {
	var fault *Fault
	for i := range c.hands {
		if f := c.hands[i].fault; f != nil && (fault == nil || f.Island < fault.Island) {
			fault = f
		}
	}
	if fault != nil {
		panic(fault)
	}
	for i := range c.hands {
		for _, isl := range c.hands[i].deal {
			c.e.join(isl)
		}
	}
}

// work is what a worker but the first does.
func (c *crew) work(i int) {
	h := &c.hands[i]
	for seen := uint32(0); ; {
		h.await(func() bool { return c.epoch.Load() != seen })
		seen = c.epoch.Load()
		if c.over.Load() {
			return
		}
		c.take(i)
		if c.open.Add(-1) == 0 {
			c.first.rouse()
		}
	}
}

// take runs the islands of worker i, and then those that others have not begun.
func (c *crew) take(i int) {
	for k := range c.hands {
		from := &c.hands[(i+k)%len(c.hands)]
		for {
			n := int(from.next.Add(1)) - 1
			if n >= len(from.deal) {
				break
			}
			c.run(&c.hands[i], from.deal[n])
		}
	}
}

func (c *crew) run(h *hand, isl *Island) {
	defer func() {
		if r := recover(); r != nil && (h.fault == nil || isl.index < h.fault.Island) {
			h.fault = &Fault{Island: isl.index, Value: r, Stack: debug.Stack()}
		}
	}()
	c.e.open(isl)
	c.e.window(isl, c.end, &h.due)
}

// Waiting: windows are microseconds apart, so it is best done in a loop for a while; then the core
// is offered to others, and in the end the goroutine sleeps.
const (
	spins  = 2_000
	yields = 50
)

func (p *parking) await(ready func() bool) {
	for range spins {
		if ready() {
			return
		}
	}
	for range yields {
		if ready() {
			return
		}
		runtime.Gosched()
	}
	for !ready() {
		p.asleep.Store(true)
		if ready() && p.asleep.Swap(false) {
			return
		}
		<-p.wake
	}
}

// rouse wakes who sleeps.
func (p *parking) rouse() {
	if p.asleep.Swap(false) {
		p.wake <- struct{}{}
	}
}
