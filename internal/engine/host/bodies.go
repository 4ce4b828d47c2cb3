package host

import (
	"sync"
	"sync/atomic"

	"railyard/internal/base/lists"
	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
)

// Bodies does the real work of operations on other cores between their virtual start and end. What
// runs where cannot change a result: an operation's inputs are complete when it starts and its
// outputs are not read before it ends.
//
// Bodies lie in a queue from the start on. Workers take the oldest; who comes to the virtual end of
// an operation does its body if nobody has begun it, and else others' until it is done. To wake a
// worker costs both sides some microseconds, so that is done only for as much as is worth it: Pays.
//
// Invariant: no body begun lies at the front of the queue.
type Bodies struct {
	pays    Pays
	workers int
	gone    sync.WaitGroup
	bell    chan struct{} // wakes a worker that sleeps
	pushes  atomic.Uint32 // by which a worker that is awake sees that there is something
	over    atomic.Bool

	lock   sync.Mutex // holds what follows
	queue  lists.Queue[*task]
	behind unit.Duration // what bodies take that nobody has begun
	asleep int           // workers
}

// task is a body.
type task struct {
	do    func()
	takes unit.Duration // on a core, about
	begun bool          // held by Bodies.lock
	ended atomic.Bool
	done  chan struct{}
}

// What a core of today does: about, for it only decides what is done where.
const (
	timeOfFLOP = 10 * unit.Picosecond
	timeOfByte = 15 * unit.Picosecond
)

// Pays says from how much work on it pays to hand it over.
type Pays struct {
	Body unit.Duration // what one body takes that is worth a place in the queue
	Wake unit.Duration // what bodies take that are worth waking a worker
}

// Pay is what pays on processors of today: bodies of 20 us, eight at a time on two cores, gained nothing
// by the clock.
var Pay = Pays{Body: 30 * unit.Microsecond, Wake: 100 * unit.Microsecond}

// spins is how often who waits looks again before it sleeps: for some microseconds.
const spins = 10_000

// takes is how long a core is at work, about.
func takes(w exec.Work) unit.Duration {
	return unit.Duration(w.Effort.FLOP)*timeOfFLOP + unit.Duration(w.Effort.Bytes)*timeOfByte
}

// NewBodies starts a pool of workers; 0 runs every body on the caller's core. Close it when the run
// is over.
func NewBodies(workers int, pays Pays) *Bodies {
	b := &Bodies{pays: pays, workers: workers, bell: make(chan struct{}, workers)}
	for range workers {
		b.gone.Go(b.work)
	}
	return b
}

// Close ends the workers, when they have ended the bodies that they do.
func (b *Bodies) Close() {
	b.over.Store(true)
	b.pushes.Add(1)
	close(b.bell)
	b.gone.Wait()
}

// start does a body now if it is short, else it lies in the queue from now on; the caller waits for
// the task that it returns.
func (b *Bodies) start(w exec.Work) *task {
	if w.Do == nil {
		return nil
	}
	d := takes(w)
	if b == nil || b.workers == 0 || d < b.pays.Body {
		w.Do()
		return nil
	}
	t := &task{do: w.Do, takes: d, done: make(chan struct{})}
	b.lock.Lock()
	b.queue.Push(t)
	b.behind += d
	wake := b.asleep > 0 && b.behind >= b.pays.Wake*unit.Duration(b.workers-b.asleep+1)
	if wake {
		b.asleep--
	}
	b.lock.Unlock()
	b.pushes.Add(1)
	if wake {
		b.bell <- struct{}{}
	}
	return t
}

// begin takes a body that nobody has begun. The caller has the lock.
func (b *Bodies) begin(t *task) {
	t.begun = true
	b.behind -= t.takes
	for b.queue.Len() > 0 && (*b.queue.At(0)).begun {
		b.queue.Pop()
	}
}

// another does the oldest body that nobody has begun, or reports that there is none.
func (b *Bodies) another() bool {
	b.lock.Lock()
	if b.queue.Len() == 0 {
		b.lock.Unlock()
		return false
	}
	t := *b.queue.At(0)
	b.begin(t)
	b.lock.Unlock()
	t.run()
	return true
}

func (t *task) run() {
	t.do()
	t.ended.Store(true)
	close(t.done)
}

// wait returns when a body is done.
func (b *Bodies) wait(t *task) {
	b.lock.Lock()
	mine := !t.begun
	if mine {
		b.begin(t)
	}
	b.lock.Unlock()
	if mine {
		t.run()
		return
	}
	for !t.ended.Load() && b.another() {
	}
	for range spins {
		if t.ended.Load() {
			return
		}
	}
	<-t.done
}

// work is what a worker does.
func (b *Bodies) work() {
	for !b.over.Load() {
		seen := b.pushes.Load()
		if !b.another() && b.pushes.Load() == seen {
			b.rest(seen)
		}
	}
}

// rest returns when there may be something to do that was not there when so many had been pushed.
func (b *Bodies) rest(seen uint32) {
	for range spins {
		if b.pushes.Load() != seen {
			return
		}
	}
	b.lock.Lock()
	sleeps := b.queue.Len() == 0 && !b.over.Load()
	if sleeps {
		b.asleep++
	}
	b.lock.Unlock()
	if sleeps {
		<-b.bell
	}
}
