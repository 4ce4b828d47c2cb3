package sim

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"railyard/internal/base/unit"
)

// onIslands handles events by a function for each island.
type onIslands []func(now unit.Time)

func (f onIslands) Handle(isl *Island, now unit.Time, _ int32) { f[isl.Index()](now) }

// crewed returns an engine with a worker for each island, and an event in each window of each.
func crewed(windows int, f onIslands) *Engine {
	e := New(make([]int, len(f)), 100)
	e.SetWorkers(len(f))
	e.Register(0, f)
	for w := range windows {
		for i := range f {
			e.At(int32(i), unit.Time(100*w), MakeKey(Timer, 0, int32(i)))
		}
	}
	return e
}

// until waits for what another goroutine does.
func until(ready func() bool) {
	for !ready() {
		runtime.Gosched()
	}
}

// TestWorkersWorkSideBySide: the events of one window of several islands are handled at the same time. Each waits for
// the others to have begun; with one goroutine less the test would never end.
func TestWorkersWorkSideBySide(t *testing.T) {
	const islands, windows = 3, 5
	var begun atomic.Int32
	f := make(onIslands, islands)
	for i := range f {
		f[i] = func(now unit.Time) {
			begun.Add(1)
			until(func() bool { return begun.Load() >= islands*int32(now/100+1) })
		}
	}
	e := crewed(windows, f)
	e.Run()
	if e.Events() != islands*windows || e.Workers() != islands || e.Islands() != islands {
		t.Errorf("%d events, %d workers, %d islands", e.Events(), e.Workers(), e.Islands())
	}
}

// TestWorkersSleep: whoever waits long sleeps, and is woken: the workers while OnWindow takes its time, and the
// first worker while another is not through.
func TestWorkersSleep(t *testing.T) {
	const windows = 5
	var e *Engine
	var begun atomic.Int64
	slept := 0
	e = crewed(windows, onIslands{
		func(now unit.Time) { until(func() bool { return begun.Load() == int64(now/100)+1 }) }, // by another worker
		func(unit.Time) {
			begun.Add(1)
			until(e.crew.first.asleep.Load)
		},
		func(unit.Time) {},
	})
	e.OnWindow(func(unit.Time) {
		until(e.crew.hands[1].asleep.Load)
		until(e.crew.hands[2].asleep.Load)
		slept++
	})
	if !e.Run() || slept != windows || e.Events() != 3*windows {
		t.Errorf("%d events, workers slept in %d windows, want %d", e.Events(), slept, windows)
	}
}

// TestAwakeAtOnce: who finds ready what was not when it looked last does not sleep for it, whether or not the
// other has seen it fall asleep.
func TestAwakeAtOnce(t *testing.T) {
	for _, roused := range []bool{false, true} {
		p := newParking()
		asked := 0
		p.await(func() bool {
			if asked++; asked <= spins+yields+1 {
				return false
			}
			if roused && asked == spins+yields+2 {
				p.rouse()
			}
			return true
		})
		if len(p.wake) != 0 || p.asleep.Load() {
			t.Errorf("roused %v: %d wakings left, asleep %v", roused, len(p.wake), p.asleep.Load())
		}
	}
}

// TestASmallWindowIsOnes: where one island has events the first worker handles them, and nobody is woken.
func TestASmallWindowIsOnes(t *testing.T) {
	e := New(make([]int, 2), 100)
	e.SetWorkers(2)
	e.Register(0, handle(func(unit.Time) {}))
	for w := range 5 {
		e.At(int32(w%2), unit.Time(100*w), MakeKey(Timer, 0, 0))
	}
	var epochs []uint32
	e.OnWindow(func(unit.Time) { epochs = append(epochs, e.crew.epoch.Load()) })
	e.Run()
	if want := make([]uint32, 5); !slices.Equal(epochs, want) || e.Events() != 5 {
		t.Errorf("workers were woken %v times in windows of one island", epochs)
	}
}

// TestWorkersChange: between pieces of a run there may come to be more or fewer workers.
func TestWorkersChange(t *testing.T) {
	var handled atomic.Int64
	e := New(make([]int, 3), 100)
	e.Register(0, &ticks{&handled})
	for i := range int32(3) {
		e.At(i, 0, MakeKey(Timer, 0, i))
	}
	for i, workers := range []int{1, 3, 1, 2, 9} {
		e.SetWorkers(workers)
		if e.Workers() != min(workers, 3) {
			t.Errorf("%d workers, want %d", e.Workers(), min(workers, 3))
		}
		e.RunUntil(unit.Time(1000 * (i + 1)))
		if want := int64(3 * (10*(i+1) + 1)); handled.Load() != want || e.Events() != want {
			t.Errorf("with %d workers %d events, %d handled, want %d", workers, e.Events(), handled.Load(), want)
		}
		if e.Island(0).Mails() {
			t.Error("between runs islands send by mail")
		}
	}
}

// TestIslandsAreDealt: each worker has as many islands of its own as the others, or one more, side by side.
func TestIslandsAreDealt(t *testing.T) {
	e, _ := keeping(7, 100, 0)
	e.SetWorkers(3)
	var dealt [][]int32
	e.OnWindow(func(unit.Time) {
		for i := range e.crew.hands {
			var own []int32
			for _, isl := range e.crew.hands[i].own {
				own = append(own, isl.Index())
			}
			dealt = append(dealt, own)
		}
	})
	e.Run()
	if got, want := fmt.Sprint(dealt), "[[0 1 2] [3 4] [5 6]]"; got != want {
		t.Errorf("islands %s, want %s", got, want)
	}
}
