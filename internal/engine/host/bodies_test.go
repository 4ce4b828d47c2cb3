package host

import (
	"sync/atomic"
	"testing"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
)

// lasting is work that takes a core about so long.
func lasting(d unit.Duration, do func()) exec.Work {
	w := exec.Work{Do: do}
	w.Effort.FLOP = int64(d / timeOfFLOP)
	return w
}

// untouched reports whether nobody has begun a body.
func (b *Bodies) untouched(t *task) bool {
	b.lock.Lock()
	defer b.lock.Unlock()
	return !t.begun
}

// sleeping waits until so many workers sleep.
func (b *Bodies) sleeping(n int) {
	for {
		b.lock.Lock()
		asleep := b.asleep
		b.lock.Unlock()
		if asleep == n {
			return
		}
		time.Sleep(10 * time.Microsecond)
	}
}

// A byte takes longer than an operation, and each its time.
func TestWhatACoreTakes(t *testing.T) {
	w := lasting(10*unit.Nanosecond, nil)
	w.Effort.Bytes = 400
	if d := takes(w); d != 16*unit.Nanosecond {
		t.Errorf("1000 operations and 400 bytes take %v", d)
	}
}

// What is little, or where there is nobody else, is done at once; without work there is nothing to wait for.
func TestBodiesDoneAtOnce(t *testing.T) {
	ran := 0
	count := func() { ran++ }
	b, alone := NewBodies(1, Pay), NewBodies(0, Pay)
	defer b.Close()
	defer alone.Close()
	cases := []struct {
		bodies *Bodies
		takes  unit.Duration
	}{{b, Pay.Body - 1}, {alone, unit.Second}, {nil, unit.Second}}
	for i, c := range cases {
		if task := c.bodies.start(lasting(c.takes, count)); task != nil || ran != i+1 {
			t.Errorf("case %d: %v, %d bodies have run", i, task, ran)
		}
	}
	if b.start(lasting(unit.Second, nil)) != nil {
		t.Error("nothing is to be waited for")
	}
}

// Bodies run once each: on a worker, or where they are waited for if no worker has begun them.
func TestBodiesRunOnce(t *testing.T) {
	var ran atomic.Int64
	count := func() { ran.Add(1) }
	b := NewBodies(1, Pay)
	begun, gate := make(chan bool), make(chan bool)
	busy := b.start(lasting(Pay.Wake, func() { close(begun); <-gate }))
	<-begun
	var tasks []*task
	for range 2000 {
		tasks = append(tasks, b.start(lasting(Pay.Wake, count)))
	}
	b.wait(tasks[1999]) // the worker is busy
	if ran.Load() != 1 {
		t.Errorf("%d bodies have run, want 1", ran.Load())
	}
	close(gate)
	b.wait(busy)
	for _, x := range tasks {
		if !x.ended.Load() {
			b.wait(x)
		}
	}
	if ran.Load() != 2000 || b.queue.Len() != 0 || b.behind != 0 {
		t.Errorf("%d bodies have run, want 2000; %d are left, of %v", ran.Load(), b.queue.Len(), b.behind)
	}
	b.Close()
}

// To a pool for which all pays each body is handed over.
func TestAllPays(t *testing.T) {
	b := NewBodies(1, Pays{})
	defer b.Close()
	b.sleeping(1)
	done := make(chan bool)
	b.start(exec.Work{Do: func() { close(done) }})
	<-done // nobody waits for it
}

// Who waits for a body that another core does meanwhile does what lies in the queue.
func TestWhoWaitsHelps(t *testing.T) {
	b := NewBodies(1, Pay)
	defer b.Close()
	begun, gate := make(chan bool), make(chan bool)
	first := b.start(lasting(Pay.Wake, func() { close(begun); <-gate }))
	<-begun
	second := b.start(lasting(Pay.Wake, func() { close(gate) }))
	b.wait(first) // ends after the second
	b.wait(second)
}

// A worker is woken for a Pay.Wake, another if there is as much for each, and none for less.
func TestWorkersAreWokenForABurst(t *testing.T) {
	b := NewBodies(2, Pay)
	defer b.Close()
	b.sleeping(2)
	half := b.start(lasting(Pay.Wake/2, func() {}))
	b.sleeping(2)
	if !b.untouched(half) {
		t.Error("a worker does half a Pay.Wake")
	}
	begun, gate := make(chan bool), make(chan bool)
	first := b.start(lasting(Pay.Wake/2, func() { close(begun); <-gate }))
	<-half.done
	<-begun // a worker does both
	b.sleeping(1)
	less := b.start(lasting(2*Pay.Wake-1, func() {}))
	b.sleeping(1)
	if !b.untouched(less) {
		t.Error("two workers share less than two Pay.Wakes")
	}
	more := b.start(lasting(Pay.Body, func() {}))
	<-less.done
	<-more.done
	close(gate)
	b.wait(first)
}
