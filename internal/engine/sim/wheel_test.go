package sim

import (
	"testing"

	"railyard/internal/base/unit"
)

type handle func(now unit.Time)

func (h handle) Handle(_ *Island, now unit.Time, _ int32) { h(now) }

// TestIslandThatWaitsTakesNoMemory: an island with one event far off, to which another island sends
// all the while, holds what is pending and not what has been handled.
func TestIslandThatWaitsTakesNoMemory(t *testing.T) {
	const far = unit.Time(unit.Millisecond)
	e := New([]int{1, 1}, 100)
	e.Register(0, handle(func(now unit.Time) {
		if now < far/10 {
			e.At(0, now+1000, MakeKey(Timer, 0, 0))
			e.At(1, now+100, MakeKey(Arrival, 1, 0))
		}
	}))
	e.Register(1, handle(func(unit.Time) {}))
	e.At(0, 0, MakeKey(Timer, 0, 0))
	e.At(1, far, MakeKey(Timer, 1, 0))
	e.Run()
	if n := cap(e.islands[1].wheel.cur); n > 64 {
		t.Errorf("room for %d events in one slot after %d events, of which at most 2 were pending", n, e.Events())
	}
}

// TestAHeapTakesNoMemory: nor does an engine that keeps the order of scheduling hold what has been handled.
func TestAHeapTakesNoMemory(t *testing.T) {
	e := New([]int{1}, 0)
	e.InOrderOfPushing()
	e.Register(0, handle(func(now unit.Time) {
		if now < 1000 {
			e.At(0, now+1, MakeKey(Timer, 0, 0))
		}
	}))
	e.At(0, 0, MakeKey(Timer, 0, 0))
	e.Run()
	if n := cap(e.islands[0].wheel.cur); n > 64 || e.Events() != 1001 {
		t.Errorf("room for %d events after %d events, of which 1 was pending", n, e.Events())
	}
}
