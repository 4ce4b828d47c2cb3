package sim_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
)

// done is one handled event.
type done struct {
	at    unit.Time
	class sim.Class
	owner int32
}

// planned is an event with its place in the order.
type planned struct {
	at    unit.Time
	phase sim.Phase
	class sim.Class
	owner int32
}

func (p planned) key() sim.Key { return sim.MakeKey(p.phase, p.class, p.owner) }

func byTimePhaseClassOwner(a, b planned) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.phase, b.phase), cmp.Compare(a.class, b.class),
		cmp.Compare(a.owner, b.owner))
}

// handler is a class whose events do what a test wants.
type handler func(now unit.Time, owner int32)

func (h handler) Handle(_ *sim.Island, now unit.Time, owner int32) { h(now, owner) }

// anyEvent draws an event at or after a time: in the same slot of the wheel, on the wheel, or far
// beyond it.
func anyEvent(t *rapid.T, after unit.Time) planned {
	span := rapid.SampledFrom([]int64{0, 10, 20_000, 1_000_000, 8_000_000, 9_000_000, 100_000_000, 1 << 50}).Draw(t,
		"span")
	return planned{at: after + unit.Time(rapid.Int64Range(0, span).Draw(t, "after")),
		phase: sim.Phase(rapid.IntRange(0, 3).Draw(t, "phase")),
		class: sim.Class(rapid.IntRange(0, sim.Classes-1).Draw(t, "class")),
		owner: int32(rapid.SampledFrom([]int{0, 1, 2, 77, sim.MaxOwner}).Draw(t, "owner"))}
}

// TestOrder: events come in order of time, phase, class and owner, whenever and in whatever order
// they are scheduled; a handler may schedule at its own instant in a later phase.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := sim.New([]int{rapid.SampledFrom([]int{1, 10, 100, 1000, 100_000}).Draw(t, "owners")}, 0)
		var pending []planned
		push := func(p planned) {
			pending = append(pending, p)
			e.At(0, p.at, p.key())
		}
		steps := 0
		for class := range sim.Class(sim.Classes) {
			e.Register(class, handler(func(now unit.Time, owner int32) {
				slices.SortFunc(pending, byTimePhaseClassOwner)
				next := pending[0]
				pending = pending[1:]
				if next.at != now || next.class != class || next.owner != owner || e.Now() != now {
					t.Fatalf("handled at %d class %d owner %d, want %+v", now, class, owner, next)
				}
				if steps++; steps > 300 {
					return
				}
				for range rapid.SampledFrom([]int{0, 1, 1, 2}).Draw(t, "more") {
					p := anyEvent(t, now)
					if p.at == now && p.phase <= next.phase {
						if next.phase == sim.Host {
							p.at++
						} else {
							p.phase = next.phase + 1
						}
					}
					push(p)
				}
			}))
		}
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			push(anyEvent(t, 0))
		}
		if !e.Run() || len(pending) != 0 {
			t.Fatalf("run ended with %d events pending", len(pending))
		}
	})
}

// TestOrderOfPushing: with InOrderOfPushing the events of an instant come in the order in which
// they were scheduled, whatever their keys and from however far ahead; also those that a handler
// schedules at its own instant.
func TestOrderOfPushing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := sim.New([]int{rapid.SampledFrom([]int{1, 1000, 100_000}).Draw(t, "owners")}, 0)
		e.InOrderOfPushing()
		var pending []planned
		push := func(p planned) {
			pending = append(pending, p)
			e.At(0, p.at, p.key())
		}
		steps := 0
		for class := range sim.Class(sim.Classes) {
			e.Register(class, handler(func(now unit.Time, owner int32) {
				first := 0
				for i, p := range pending {
					if p.at < pending[first].at {
						first = i
					}
				}
				next := pending[first]
				pending = slices.Delete(pending, first, first+1)
				if next.at != now || next.class != class || next.owner != owner {
					t.Fatalf("handled at %d class %d owner %d, want %+v", now, class, owner, next)
				}
				if steps++; steps > 300 {
					return
				}
				for range rapid.SampledFrom([]int{0, 1, 1, 2}).Draw(t, "more") {
					p := anyEvent(t, now)
					// so that many share an instant
					p.at -= (p.at - now) % rapid.SampledFrom([]unit.Time{1, 1000, 5_000_000}).Draw(t, "grid")
					push(p)
				}
			}))
		}
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			p := anyEvent(t, 0)
			p.at -= p.at % 10_000_000
			push(p)
		}
		if !e.Run() || len(pending) != 0 {
			t.Fatalf("run ended with %d events pending", len(pending))
		}
	})
}

// TestIslandsAreOneIsland: nodes that act on each other no sooner than the lookahead do the same
// whatever island they are in. Each node's state depends on the order of everything that happened
// to it.
func TestIslandsAreOneIsland(t *testing.T) {
	const nodes, lookahead = 7, 500
	run := func(seed uint64, islands int) (state [nodes]uint64, events int64) {
		sizes := make([]int, islands)
		e := sim.New(sizes, lookahead)
		rng := make([]sim.Stream, nodes)
		left := make([]int, nodes)
		for class := range sim.Class(2) {
			e.Register(class, handler(func(now unit.Time, n int32) {
				state[n] = state[n]*0x9e3779b97f4a7c15 + uint64(now)*2 + uint64(class)
				if left[n]--; left[n] < 0 {
					return
				}
				// Itself at any later time, another node no sooner than the lookahead.
				own := unit.Time(1 + rng[n].Below(1<<(4+rng[n].Below(22))))
				e.At(n%int32(islands), now+own, sim.MakeKey(sim.Timer, 0, n))
				to := int32(rng[n].Below(nodes))
				e.At(to%int32(islands), now+lookahead+unit.Time(rng[n].Below(4000)), sim.MakeKey(sim.Arrival, 1, to))
			}))
		}
		for n := range nodes {
			rng[n], left[n] = sim.NewStream(seed, "node", uint64(n)), 200
			e.At(int32(n%islands), unit.Time(n), sim.MakeKey(sim.Timer, 0, int32(n)))
		}
		e.StopAt(1 << 40)
		e.Run()
		return state, e.Events()
	}
	for seed := range uint64(20) {
		want, events := run(seed, 1)
		for islands := 2; islands <= nodes; islands++ {
			if got, n := run(seed, islands); got != want || n != events {
				t.Errorf("seed %d, %d islands: state %x after %d events, want %x after %d", seed,
					islands, got, n, want, events)
			}
		}
	}
}

// ticker is one owner per island that schedules itself every period.
func ticker(islands int, period unit.Duration) (*sim.Engine, *[]done) {
	e := sim.New(make([]int, islands), period)
	log := new([]done)
	e.Register(3, handler(func(now unit.Time, owner int32) {
		*log = append(*log, done{now, 3, owner})
		e.At(owner, now.Add(period), sim.MakeKey(sim.Timer, 3, owner))
	}))
	for i := range islands {
		e.At(int32(i), 0, sim.MakeKey(sim.Timer, 3, int32(i)))
	}
	return e, log
}

// TestStopAt: everything up to and including that instant happens, nothing after it; the earliest
// call counts.
func TestStopAt(t *testing.T) {
	for islands := 1; islands <= 3; islands++ {
		e, log := ticker(islands, 100)
		e.StopAt(1000)
		e.StopAt(2000)
		if !e.Run() {
			t.Fatal("run reports an interruption")
		}
		if got, want := len(*log), 11*islands; got != want {
			t.Errorf("%d islands: %d events, want %d", islands, got, want)
		}
		for _, d := range *log {
			if d.at > 1000 {
				t.Errorf("%d islands: an event at %d", islands, d.at)
			}
		}
	}
	// From within: a lookahead after now, whichever island says so.
	e, log := ticker(2, 100)
	e.Register(4, handler(func(now unit.Time, _ int32) { e.StopAt(now + 100) }))
	e.At(1, 250, sim.MakeKey(sim.Timer, 4, 0))
	e.Run()
	if got, want := len(*log), 2*4; got != want { // at 0, 100, 200, 300
		t.Errorf("stopped from within: %d events, want %d", got, want)
	}
}

// TestInterrupted: a run that is told to stop keeps its events, and going on gives what an
// undisturbed run gives.
func TestInterrupted(t *testing.T) {
	for islands := 1; islands <= 3; islands++ {
		whole, want := ticker(islands, 100)
		whole.StopAt(3_000_000)
		whole.Run()
		e, got := ticker(islands, 100)
		e.StopAt(3_000_000)
		asked := 0
		e.OnCheck(func() bool { asked++; return asked%2 == 0 })
		interruptions := 0
		for !e.Run() {
			interruptions++
		}
		if interruptions == 0 {
			t.Errorf("%d islands: never interrupted in %d events", islands, e.Events())
		}
		perOwner := func(log []done) []done {
			slices.SortStableFunc(log, func(a, b done) int { return cmp.Compare(a.owner, b.owner) })
			return log
		}
		if !slices.Equal(perOwner(*got), perOwner(*want)) {
			t.Errorf("%d islands: %d events after interruptions, want %d", islands, len(*got), len(*want))
		}
	}
}

// TestIslandThatWaitsLong: an island whose only own event is far off still takes what others send
// it, and in order.
func TestIslandThatWaitsLong(t *testing.T) {
	const far = unit.Time(10 * unit.Millisecond)
	e := sim.New([]int{1, 1}, 100)
	last, n := unit.Time(-1), 0
	e.Register(0, handler(func(now unit.Time, owner int32) { // island 0 sends to island 1
		if now < far/10 {
			e.At(0, now+1000, sim.MakeKey(sim.Timer, 0, 0))
			e.At(1, now+100, sim.MakeKey(sim.Arrival, 1, 0))
		}
	}))
	e.Register(1, handler(func(now unit.Time, _ int32) {
		if now <= last {
			t.Fatalf("event at %d after %d", now, last)
		}
		last = now
		n++
	}))
	e.At(0, 0, sim.MakeKey(sim.Timer, 0, 0))
	e.At(1, far, sim.MakeKey(sim.Timer, 1, 0))
	e.Run()
	if want := int(far/10/1000) + 1; n != want || last != far {
		t.Errorf("%d events, the last at %d; want %d, the last at %d", n, last, want, far)
	}
}

func TestMisusePanics(t *testing.T) {
	panics := func(name string, f func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s: no panic", name)
			}
		}()
		f()
	}
	panics("islands without lookahead", func() { sim.New([]int{1, 1}, 0) })
	panics("order of pushing over islands", func() { sim.New([]int{1, 1}, 1).InOrderOfPushing() })
	panics("several workers for islands in turn", func() {
		e := sim.New([]int{1, 1}, 1)
		e.RunInTurn()
		e.SetWorkers(2)
	})
	panics("islands in turn for several workers", func() {
		e := sim.New([]int{1, 1}, 1)
		e.SetWorkers(2)
		e.RunInTurn()
	})
	panics("class registered twice", func() {
		e := sim.New([]int{1}, 0)
		e.Register(1, handler(nil))
		e.Register(1, handler(nil))
	})
}

// TestOnOpen: before each window of an island with events its worker hears how many there were in the
// window before; with a single island nobody asks.
func TestOnOpen(t *testing.T) {
	for _, c := range []struct {
		islands int
		want    string
	}{{1, "[]"}, {2, "[0 0 1 1 1 1]"}} {
		e, _ := ticker(c.islands, 100)
		var told []int64
		e.OnOpen(func(_ *sim.Island, events int64) { told = append(told, events) })
		e.StopAt(200)
		e.Run()
		if got := fmt.Sprint(told); got != c.want {
			t.Errorf("%d islands: %s, want %s", c.islands, got, c.want)
		}
	}
}
