package sim

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
)

// walker is nodes that act at drawn times on themselves and, no sooner than a lookahead, on others,
// in whatever islands. What a node does next depends on all that has happened to it, in its order.
type walker struct {
	e     *Engine
	of    []int32 // island of each node
	state []uint64
	left  []int
	rng   []Stream
	out   [][]sending // by island: to other islands, in this window
	in    [][]sending
	known [][]unit.Time // by node: when what others sent to it comes, if that is asked for and not scheduled
	near  bool          // it acts on nodes of higher numbers sooner than the lookahead
	ahead unit.Time     // the lookahead
	grid  unit.Time     // of all times: if it is wide, many share an instant
}

type sending struct {
	at unit.Time
	to int32
}

// ahead is a short lookahead; farAhead is behind the horizon of a wheel.
const (
	ahead    = 500
	farAhead = 20_000_000
)

func (w *walker) Handle(isl *Island, now unit.Time, n int32) {
	if isl.Index() != w.of[n] || isl.Now() != now {
		panic("not its island, or not its time")
	}
	w.state[n] = w.state[n]*0x9e3779b97f4a7c15 + uint64(now)
	if w.left[n]--; w.left[n] < 0 {
		return
	}
	r := &w.rng[n]
	isl.At(w.onGrid(now+1+unit.Time(r.Below(1<<(4+r.Below(24))))), MakeKey(Timer, 0, n))
	to, at := int32(r.Below(uint64(len(w.of)))), now+w.ahead+unit.Time(r.Below(4000))
	if w.near && to > n {
		at -= w.ahead - 1
	}
	at = w.onGrid(at)
	switch {
	case w.of[to] == isl.Index():
		isl.At(at, MakeKey(Arrival, 1, to))
	case w.known != nil && !isl.Mails():
		w.comes(to, at)
		w.e.islands[w.of[to]].Expect(at)
	case w.near:
		w.e.islands[w.of[to]].At(at, MakeKey(Arrival, 1, to))
	default:
		w.out[isl.Index()] = append(w.out[isl.Index()], sending{at, to})
	}
}

// onGrid returns the first time on the grid that is no earlier.
func (w *walker) onGrid(t unit.Time) unit.Time { return (t + w.grid - 1) / w.grid * w.grid }

// arriving is the class of what nodes do to each other: it leaves another trace.
type arriving struct{ w *walker }

func (a arriving) Handle(isl *Island, now unit.Time, n int32) {
	if k := a.w.known; k != nil && len(k[n]) > 0 && k[n][0] == now {
		k[n] = k[n][1:]
	}
	a.w.state[n]++
	a.w.Handle(isl, now, n)
}

func (w *walker) Collect(isl *Island) {
	for _, s := range w.out[isl.Index()] {
		w.in[w.of[s.to]] = append(w.in[w.of[s.to]], s)
		w.e.islands[w.of[s.to]].Wake(s.at)
	}
	w.out[isl.Index()] = w.out[isl.Index()][:0]
}

func (w *walker) Empty(isl *Island) {
	for _, s := range w.in[isl.Index()] {
		if w.known != nil {
			w.comes(s.to, s.at)
		} else {
			isl.At(s.at, MakeKey(Arrival, 1, s.to))
		}
	}
	w.in[isl.Index()] = w.in[isl.Index()][:0]
}

// comes notes what comes to a node, in order of time.
func (w *walker) comes(to int32, at unit.Time) {
	i, _ := slices.BinarySearch(w.known[to], at)
	w.known[to] = slices.Insert(w.known[to], i, at)
}

// Before: Arrivals.
func (w *walker) Before(isl *Island, end unit.Time, due *Due) unit.Time {
	later := unit.Never
	for n, of := range w.of {
		if of != isl.Index() {
			continue
		}
		for _, at := range w.known[n] {
			if at >= end {
				later = min(later, at)
				break
			}
			due.Room(1)[0] = DueEvent(at.Sub(due.From()), MakeKey(Arrival, 1, int32(n)))
			due.Added(1)
		}
	}
	return later
}

// way is how walkers run.
type way struct {
	islands, workers int
	plain            bool // with a plain heap in place of the wheel
	known            bool // what other islands send is not scheduled but asked for
	near             bool // see walker: islands run in turn
	far              bool // with a lookahead behind the wheel's horizon
	start            unit.Time
	grid             unit.Time
	cut              unit.Duration
}

// walk runs walkers in some way; every cut the run stops and goes on.
func walk(seed uint64, of []int32, how way) (state []uint64, events int64) {
	w := &walker{of: of, near: how.near, state: make([]uint64, len(of)), left: make([]int, len(of)),
		rng: make([]Stream, len(of)),
		out: make([][]sending, how.islands), in: make([][]sending, how.islands), ahead: ahead,
		grid: how.grid}
	if how.far {
		w.ahead = farAhead
	}
	e := New(make([]int, how.islands), unit.Duration(w.ahead))
	if e.SetWorkers(how.workers); how.near {
		e.RunInTurn()
	}
	if e.InTurn() != how.near {
		panic("in turn, or not")
	}
	if how.known {
		w.known = make([][]unit.Time, len(of))
		e.SetArrivals(w, Arrival, 1)
	}
	w.e = e
	e.SetMail(w)
	for _, isl := range e.islands {
		if how.plain {
			isl.useHeap(byKey)
		}
	}
	e.Register(0, w)
	e.Register(1, arriving{w})
	for n := range of {
		w.rng[n], w.left[n] = NewStream(seed, "node", uint64(n)), 60
		e.At(of[n], w.onGrid(how.start+unit.Time(n)), MakeKey(Timer, 0, int32(n)))
	}
	more := true
	for t := how.start; more; t = t.Add(how.cut) {
		more, _ = e.RunUntil(t)
		if how.cut == 0 || t > how.start+1<<18 {
			e.Run()
			break
		}
	}
	return w.state, e.Events()
}

// alike wants walkers to come to the same with wheel and heap, and with what islands send to each other scheduled
// or asked for.
func alike(t *rapid.T, seed uint64, of []int32, how way, want []uint64, events int64) {
	for k := range 4 {
		how.plain, how.known = k&1 != 0, k&2 != 0
		got, n := walk(seed, of, how)
		if n != events || !slices.Equal(got, want) {
			t.Fatalf("islands %v, %+v: %d events, want %d; states equal: %v", of, how, n, events, slices.Equal(got, want))
		}
	}
}

// someGrid draws a grid: none, or one on which windows end.
func someGrid(t *rapid.T) unit.Time {
	return unit.Time(rapid.SampledFrom([]int64{1, ahead}).Draw(t, "grid"))
}

// TestWheelIsAHeap: on drawn scripts in one island or several, on one worker or several, in one go or with
// stops, wheel and heap give every node the same events in the same order, and what islands send to each other
// may be scheduled or asked for; with windows of a few slots or longer than the wheel,
// at the beginning of time or later.
func TestWheelIsAHeap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		nodes := rapid.IntRange(1, 12).Draw(t, "nodes")
		far, start := rapid.Bool().Draw(t, "far"), unit.Time(rapid.SampledFrom([]int64{0, 1 << 34}).Draw(t, "start"))
		grid := someGrid(t)
		want, events := walk(seed, make([]int32, nodes),
			way{islands: 1, workers: 1, plain: true, far: far, start: start, grid: grid})
		islands := rapid.IntRange(1, 7).Draw(t, "islands")
		of := make([]int32, nodes)
		for i := range of {
			of[i] = int32(rapid.IntRange(0, islands-1).Draw(t, "island"))
		}
		how := way{islands: islands, workers: rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "workers"),
			cut: unit.Duration(rapid.SampledFrom([]int{0, 3_333, 300_000}).Draw(t, "cut")), far: far, start: start, grid: grid}
		alike(t, seed, of, how, want, events)
	})
}

// TestInTurn: where one worker runs islands in order, those in front act on those behind as soon as they like.
func TestInTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		of := make([]int32, rapid.IntRange(2, 12).Draw(t, "nodes"))
		grid := someGrid(t)
		want, events := walk(seed, of, way{islands: 1, workers: 1, plain: true, near: true, grid: grid})
		for i := range of[1:] {
			of[i+1] = of[i] + int32(rapid.IntRange(0, 1).Draw(t, "next"))
		}
		how := way{islands: int(of[len(of)-1]) + 1, workers: 1, near: true, grid: grid,
			cut: unit.Duration(rapid.SampledFrom([]int{0, 3_333, 300_000}).Draw(t, "cut"))}
		alike(t, seed, of, how, want, events)
	})
}

// TestDueIsSorted: however many events come in a window, in whatever order and however close together.
func TestDueIsSorted(t *testing.T) {
	d := &Due{}
	rapid.Check(t, func(t *rapid.T) {
		e := New(make([]int, 2), ahead)
		isl := e.islands[0]
		e.SetArrivals(known{}, Arrival, 1)
		from := rapid.Int64Range(0, 1<<50).Draw(t, "from")
		span := rapid.SampledFrom([]int64{1, 100, 1_000_000, int64(longest)}).Draw(t, "span")
		isl.next, isl.limit = unit.Time(from), unit.Time(from+span)
		r := NewStream(rapid.Uint64().Draw(t, "seed"), "due", 0)
		var add known
		for range rapid.SampledFrom([]int{0, 1, 2, 20, 5000}).Draw(t, "events") {
			add = append(add, [2]uint64{r.Below(uint64(span)), r.Below(MaxOwner + 1)})
		}
		later := d.read(isl, add)
		slices.SortFunc(add, func(a, b [2]uint64) int { return slices.Compare(a[:], b[:]) })
		if later != unit.Never || len(d.list) != len(add)+1 || d.list[len(add)] != never {
			t.Fatalf("%d events due, want %d and the last; more at %d", len(d.list), len(add), later)
		}
		for i, v := range add {
			if d.list[i] != v[0]<<32|uint64(MakeKey(Arrival, 1, int32(v[1]))) || d.from != unit.Time(from) {
				t.Fatalf("event %d is %#x from %d, want %v from %d", i, d.list[i], d.from, v, from)
			}
		}
	})
}

// known is events, each a time in the window and an owner.
type known [][2]uint64

func (k known) Before(_ *Island, _ unit.Time, due *Due) unit.Time {
	for i, room := 0, due.Room(len(k)); i < len(k); i++ {
		room[i] = DueEvent(unit.Duration(k[i][0]), MakeKey(Arrival, 1, int32(k[i][1])))
	}
	due.Added(len(k))
	return unit.Never
}

// TestPanicInAWorker: a panic in a worker is a panic of Run, with the worker's stack; of several, each in a worker of
// its own, the one of the first island.
func TestPanicInAWorker(t *testing.T) {
	var failing atomic.Int32
	fails := func(unit.Time) {
		failing.Add(1)
		until(func() bool { return failing.Load() == 3 })
		failsHere()
	}
	e := crewed(1, onIslands{func(unit.Time) {}, fails, fails, fails})
	defer func() {
		f, ok := recover().(*Fault)
		if !ok || f.Island != 1 || f.Value != "no such frame" || !strings.Contains(f.Error(), "failsHere") {
			t.Errorf("panic %v, want that of island 1 with its stack", f)
		}
	}()
	e.Run()
}

func failsHere() { panic("no such frame") }

// TestInterruptedOnWorkers: a run that is told to stop does so between windows, and goes on.
func TestInterruptedOnWorkers(t *testing.T) {
	e := New(make([]int, 3), 100)
	e.SetWorkers(3)
	var handled atomic.Int64
	e.Register(0, &ticks{&handled})
	for i := range int32(3) {
		e.At(i, 0, MakeKey(Timer, 0, i))
	}
	e.StopAt(100_000)
	e.CheckEvery(30)
	interrupted := 0
	e.OnCheck(func() bool { interrupted++; return interrupted%2 == 0 })
	runs := 1
	for ; !e.Run(); runs++ {
		if e.Events() != handled.Load() {
			t.Fatalf("%d events counted, %d handled", e.Events(), handled.Load())
		}
	}
	if handled.Load() != 3*1001 || runs < 20 {
		t.Errorf("%d events in %d runs, want %d", handled.Load(), runs, 3*1001)
	}
}

// ticks is an owner that schedules itself every window.
type ticks struct{ n *atomic.Int64 }

func (k *ticks) Handle(isl *Island, now unit.Time, owner int32) {
	k.n.Add(1)
	isl.At(now+100, MakeKey(Timer, 0, owner))
}

// TestStopFromAnIsland: what an island asks for counts for all, on any number of workers.
func TestStopFromAnIsland(t *testing.T) {
	for workers := 1; workers <= 3; workers++ {
		var handled atomic.Int64
		e := New(make([]int, 3), 100)
		e.SetWorkers(workers)
		e.Register(0, &ticks{&handled})
		e.Register(1, stopper{})
		for i := range int32(3) {
			e.At(i, 0, MakeKey(Timer, 0, i))
		}
		e.At(2, 250, MakeKey(Timer, 1, 0))
		e.Run()
		if want := int64(3*4 + 1); handled.Load()+1 != want || e.Events() != want { // at 0, 100, 200, 300
			t.Errorf("%d workers: %d events, want %d", workers, e.Events(), want)
		}
	}
}

type stopper struct{}

func (stopper) Handle(isl *Island, now unit.Time, _ int32) { isl.StopAt(now + 100) }

// TestWindows: OnWindow is told of each window in turn; with one island windows are as long as the
// lookahead too.
func TestWindows(t *testing.T) {
	for islands := 1; islands <= 2; islands++ {
		e := New(make([]int, islands), 100)
		e.Register(0, handle(func(unit.Time) {}))
		for _, at := range []unit.Time{0, 99, 100, 450, 549, 1000} {
			e.At(int32(islands-1), at, MakeKey(Timer, 0, 0))
		}
		var ends []unit.Time
		e.OnWindow(func(end unit.Time) { ends = append(ends, end) })
		e.Run()
		if got, want := fmt.Sprint(ends), fmt.Sprint([]unit.Time{100, 200, 550, 1100}); got != want {
			t.Errorf("%d islands: windows end at %s, want %s", islands, got, want)
		}
	}
}
