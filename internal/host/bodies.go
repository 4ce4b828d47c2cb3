package host

import (
	"runtime"
	"sync/atomic"

	"railyard/internal/unit"
)

// Bodies runs the real work of operations on other cores between their virtual start and end. What
// runs where cannot change a result: an operation's inputs are complete when it starts and its
// outputs are not read before it ends.
type Bodies struct {
	queue chan *task
	// Inline is the virtual duration below which handing work over costs more than doing it.
	inline unit.Duration
}

// task is one body: whoever takes it first runs it.
type task struct {
	body  func()
	taken atomic.Bool
	done  chan struct{}
}

// NewBodies starts a pool of workers; 0 runs every body on the caller's core. Close it when the run
// is over.
func NewBodies(workers int) *Bodies {
	b := &Bodies{inline: unit.Microsecond}
	if workers > 0 {
		b.queue = make(chan *task, 1024)
	}
	for range workers {
		go func() {
			for t := range b.queue {
				t.run()
			}
		}()
	}
	return b
}

// DefaultWorkers is one less than the cores: the event loop keeps one busy.
func DefaultWorkers() int { return runtime.GOMAXPROCS(0) - 1 }

// Close ends the workers.
func (b *Bodies) Close() {
	if b.queue != nil {
		close(b.queue)
	}
}

// start runs a body now if it is short, else hands it over and returns the task to wait for.
func (b *Bodies) start(d unit.Duration, body func()) *task {
	if b == nil || b.queue == nil || d < b.inline {
		body()
		return nil
	}
	t := &task{body: body, done: make(chan struct{})}
	select {
	case b.queue <- t:
	default: // full: wait runs it
	}
	return t
}

func (t *task) run() {
	if t.taken.CompareAndSwap(false, true) {
		t.body()
		close(t.done)
	}
}

// wait returns when the body has run, on this core if no other has begun it.
func (t *task) wait() {
	t.run()
	<-t.done
}
