package sim

import (
	"fmt"
	"slices"
	"testing"

	"railyard/internal/base/unit"
)

// diary is a handler that writes down when it is called, and has islands do something at certain times.
type diary struct {
	times []unit.Time
	then  map[unit.Time]func(isl *Island)
}

func (d *diary) Handle(isl *Island, now unit.Time, _ int32) {
	d.times = append(d.times, now)
	if f := d.then[now]; f != nil {
		f(isl)
	}
}

// keeping returns an engine on one worker with events at certain times, the first in the first island, and so on
// in turn, and the diary of them all.
func keeping(islands int, lookahead unit.Duration, times ...unit.Time) (*Engine, *diary) {
	e, d := New(make([]int, islands), lookahead), &diary{then: map[unit.Time]func(*Island){}}
	e.Register(0, d)
	for i, at := range times {
		e.At(int32(i%islands), at, MakeKey(Timer, 0, int32(i)))
	}
	return e, d
}

func (d *diary) holds(t *testing.T, what string, want ...unit.Time) {
	t.Helper()
	if !slices.Equal(d.times, want) {
		t.Errorf("%s: events at %v, want %v", what, d.times, want)
	}
}

// TestRunUntil: a run is cut behind an instant, says whether there is more, and goes on; nothing comes behind its end.
func TestRunUntil(t *testing.T) {
	for islands := 1; islands <= 2; islands++ {
		e, d := keeping(islands, 100, 0, 10, 11, 12, 500, 501, 502)
		e.StopAt(501)
		for _, step := range []struct {
			until unit.Time
			more  bool
			want  int
		}{{10, true, 2}, {10, true, 2}, {499, true, 4}, {500, true, 5}, {unit.Never, false, 6}, {unit.Never, false, 6}} {
			more, ok := e.RunUntil(step.until)
			if more != step.more || !ok || len(d.times) != step.want {
				t.Errorf("%d islands until %d: more %v, ok %v, events at %v; want %v and %d", islands, step.until, more, ok, d.times,
					step.more, step.want)
			}
			if now := d.times[len(d.times)-1]; e.Now() != now {
				t.Errorf("%d islands until %d: it is %d, want %d", islands, step.until, e.Now(), now)
			}
		}
		d.holds(t, fmt.Sprint(islands, " islands"), 0, 10, 11, 12, 500, 501)
	}
}

// TestUntilASlotBegins: an event at the very end of a piece is in it, also as the first of a slot.
func TestUntilASlotBegins(t *testing.T) {
	for islands := 1; islands <= 2; islands++ {
		e, d := keeping(islands, unit.Duration(longest))
		slot := unit.Time(1) << e.islands[0].wheel.shift
		e.At(0, 0, MakeKey(Timer, 0, 0))
		e.At(0, 3*slot, MakeKey(Timer, 0, 0))
		e.At(0, 3*slot+1, MakeKey(Timer, 0, 0))
		e.RunUntil(3 * slot)
		d.holds(t, fmt.Sprint(islands, " islands"), 0, 3*slot)
	}
}

// TestPauseAt: the run returns once behind the earliest pause, and pauses no more when it goes on.
func TestPauseAt(t *testing.T) {
	for islands := 1; islands <= 2; islands++ {
		e, d := keeping(islands, 100, 0, 90, 300, 310, 350, 360)
		e.OnWindow(func(end unit.Time) {
			if end == 100 {
				e.PauseAt(320)
				e.PauseAt(310)
				e.PauseAt(330)
			}
		})
		if more, ok := e.RunUntil(355); !more || !ok {
			t.Errorf("%d islands: more %v, ok %v at the pause", islands, more, ok)
		}
		d.holds(t, "until the pause", 0, 90, 300, 310)
		if more, ok := e.RunUntil(355); !more || !ok {
			t.Errorf("%d islands: more %v, ok %v behind the pause", islands, more, ok)
		}
		d.holds(t, "after it", 0, 90, 300, 310, 350)
	}
}

// TestStretch: a window is as long as the function says that it may be, and never shorter than the lookahead; a single
// island does not ask.
func TestStretch(t *testing.T) {
	for _, c := range []struct {
		islands int
		want    []unit.Time
	}{{1, []unit.Time{100, 350, 450}}, {2, []unit.Time{300, 450}}} {
		e, _ := keeping(c.islands, 100, 0, 250, 350)
		lengths := []unit.Duration{300, 20}
		e.Stretch(func() unit.Duration {
			d := lengths[0]
			lengths = lengths[1:]
			return d
		})
		var ends []unit.Time
		e.OnWindow(func(end unit.Time) { ends = append(ends, end) })
		e.Run()
		if !slices.Equal(ends, c.want) {
			t.Errorf("%d islands: windows end at %v, want %v", c.islands, ends, c.want)
		}
	}
}

// TestNowBetweenWindows: there it is as late as in the island that came furthest.
func TestNowBetweenWindows(t *testing.T) {
	for islands := 1; islands <= 2; islands++ {
		e, _ := keeping(islands, 100, 50, 20, 120, 180)
		var now []unit.Time
		e.OnWindow(func(unit.Time) { now = append(now, e.Now()) })
		e.Run()
		if want := []unit.Time{50, 180}; !slices.Equal(now, want) {
			t.Errorf("%d islands: it is %v, want %v", islands, now, want)
		}
	}
}

// TestWindowsOfAPicosecond: the shortest lookahead cuts a run as any other does.
func TestWindowsOfAPicosecond(t *testing.T) {
	e, _ := keeping(2, 1, 0, 1, 5)
	var ends []unit.Time
	e.OnWindow(func(end unit.Time) { ends = append(ends, end) })
	e.Run()
	if want := []unit.Time{1, 2, 6}; !slices.Equal(ends, want) {
		t.Errorf("windows end at %v, want %v", ends, want)
	}
}

// TestStopWithinAWindow: where all is one window, what an event asks for ends it; also if the run is interrupted
// before it gets there.
func TestStopWithinAWindow(t *testing.T) {
	for name, stop := range map[string]func(e *Engine) func(*Island){
		"engine": func(e *Engine) func(*Island) { return func(*Island) { e.StopAt(20) } },
		"island": func(*Engine) func(*Island) { return func(isl *Island) { isl.StopAt(20) } },
	} {
		for _, interrupted := range []bool{false, true} {
			e, d := keeping(1, 0, 0, 10, 20, 21, 30)
			d.then[10] = stop(e)
			e.CheckEvery(1)
			e.OnCheck(func() bool { return !interrupted || len(d.times) != 2 })
			if more, whole := e.RunUntil(unit.Never); whole == interrupted || more != interrupted {
				t.Errorf("%s: more %v, whole %v, interrupted %v", name, more, whole, interrupted)
			}
			e.Run()
			d.holds(t, name, 0, 10, 20)
		}
	}
}

// coming is when something comes to the first of two islands.
type coming []unit.Time

func (c coming) Before(isl *Island, _ unit.Time, due *Due) unit.Time {
	for i, at := range c {
		due.Room(1)[0] = DueEvent(at.Sub(due.From()), MakeKey(Arrival, 1, int32(i)))
		due.Added(1)
	}
	return unit.Never
}

// TestStopBeforeWhatComes: what comes from another island is not handled either behind the end that an event of its
// window asks for.
func TestStopBeforeWhatComes(t *testing.T) {
	e, d := keeping(2, 100, 0)
	e.Register(1, d)
	e.SetArrivals(coming{150, 200, 201, 250}, Arrival, 1)
	e.Stretch(func() unit.Duration { return 1000 })
	d.then[0] = func(isl *Island) { isl.StopAt(200) }
	e.Run()
	d.holds(t, "until 200", 0, 150, 200)
}

// TestChecks: the question whether to go on comes each time that so many events have passed; with several islands
// when the window is over in which they did.
func TestChecks(t *testing.T) {
	times := make([]unit.Time, 100)
	for i := range times {
		times[i] = unit.Time(i / 2 * 100) // two in each window
	}
	for _, c := range []struct {
		islands   int
		lookahead unit.Duration
		want      []int
	}{{1, 0, []int{7, 14, 21, 28, 35, 42, 49, 56, 63, 70, 77, 84, 91, 98}},
		{2, 100, []int{8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96}}} {
		e, d := keeping(c.islands, c.lookahead, times...)
		e.CheckEvery(7)
		var asked []int
		e.OnCheck(func() bool { asked = append(asked, len(d.times)); return true })
		e.Run()
		if !slices.Equal(asked, c.want) {
			t.Errorf("%d islands: asked after %v events, want %v", c.islands, asked, c.want)
		}
	}
}

// TestOpenedWithEvents: an island whose next event comes as a window ends is left alone in it.
func TestOpenedWithEvents(t *testing.T) {
	e, _ := keeping(2, 100, 0, 100, 110)
	var opened []int32
	e.OnOpen(func(isl *Island, _ int64) { opened = append(opened, isl.Index()) })
	e.Run()
	if want := []int32{0, 0, 1}; !slices.Equal(opened, want) {
		t.Errorf("islands %v are opened, want %v", opened, want)
	}
}

// post counts how often an island's mail is opened.
type post struct{ opened []int32 }

func (p *post) Collect(*Island)   {}
func (p *post) Empty(isl *Island) { p.opened = append(p.opened, isl.Index()) }

// TestMailIsOpenedOnce: an island's mail is opened in the first window after it was woken for it.
func TestMailIsOpenedOnce(t *testing.T) {
	e, d := keeping(2, 100, 0, 50, 100, 150, 200, 250)
	p := &post{}
	e.SetMail(p)
	e.OnWindow(func(end unit.Time) {
		if end == 100 {
			e.Island(1).Wake(120)
		}
	})
	e.Run()
	if want := []int32{1}; !slices.Equal(p.opened, want) || len(d.times) != 6 {
		t.Errorf("mail of islands %v is opened, want %v", p.opened, want)
	}
}

// TestBeforeWhatIsPending: while an event waits that was scheduled first of all, for a later slot, another comes to lie
// before it in that slot.
func TestBeforeWhatIsPending(t *testing.T) {
	for _, islands := range []int{1, 2} {
		e, d := keeping(islands, unit.Duration(longest))
		slot := unit.Time(1) << e.islands[0].wheel.shift
		e.At(0, slot+10, MakeKey(Timer, 0, 0))
		e.At(0, 0, MakeKey(Timer, 0, 1))
		d.then[0] = func(isl *Island) { isl.At(slot+5, MakeKey(Timer, 0, 2)) }
		e.Run()
		d.holds(t, fmt.Sprint(islands, " islands"), 0, slot+5, slot+10)
	}
}
