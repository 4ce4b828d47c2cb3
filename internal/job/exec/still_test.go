package exec

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
)

// What moves has to stand as it did, and what stands still as it did for longer: an instant that is another is no such state.
func TestEachInstantOfAStandingCounts(t *testing.T) {
	streams := []string{"a:1 b:1* | c:1 d:1* | e:1 f:1", "A:1* | | B:1<a"}
	for s := -1; s < len(streams); s++ {
		for i := 0; ; i++ {
			r, from := paused(streams)
			all := from.own
			if s >= 0 {
				all = from.ages[s]
			}
			if i == len(all) {
				break
			}
			was := all[i]
			if all[i] = was + 1; was == none {
				all[i] = 0
			}
			if p := r.PeriodSince(pausedAt, from, pausedFor, nil); p.Times != 0 {
				t.Errorf("stream %d: instant %d of %d does not count", s, i, len(all))
			}
		}
	}
}

// A rank that stands still does so for ever, and all of it lies earlier then. It goes on as if nothing had been.
func TestARankStandsStill(t *testing.T) {
	const at, took = unit.Time(1000), 10
	r := waiting(t, 2)
	r.colls[0].joined = 500 // an instant of what it runs
	r.Rest()
	from := r.Place(at)
	if p := r.PeriodSince(at.Add(took+1), from, took, nil); p.Times != 0 {
		t.Errorf("it has stood for longer: %d times", p.Times)
	}
	other := *from
	other.step++
	if p := r.PeriodSince(at.Add(took), &other, took, nil); p.Times != 0 {
		t.Errorf("it was another step: %d times", p.Times)
	}
	p := r.PeriodSince(at.Add(took), from, took, nil)
	if p.Times != Ever {
		t.Fatalf("%d times", p.Times)
	}
	was := *r.Place(at)
	r.Repeat(&p, 3, took)
	r.Rest()
	if now := r.Place(at); !now.own.since(was.own, 3*took) || !now.ages[0].since(was.ages[0], 3*took) || !now.Same(&was) {
		t.Errorf("%v %v, want %v %v longer ago", now.own, now.ages, was.own, was.ages)
	}
	for k := range 2 {
		r.Received(at, 0, Arrival{Bytes: 8, Coll: int32(k)}, nil)
	}
	if !r.Finished() {
		t.Errorf("%d operations are left", r.left)
	}
	if r.Rest(); r.PeriodSince(at, from, took, nil).Times != 0 {
		t.Error("it had not ended then")
	}
	if p := r.PeriodSince(at.Add(took), r.Place(at), took, nil); p.Times != Ever {
		t.Errorf("a rank that has ended has a period %d times", p.Times)
	}
}

// A channel that waits for its first message since before a period has begun is not one of it.
func TestWhatStandsStillBeganBefore(t *testing.T) {
	r := waiting(t, 2)
	r.colls[0].channels[0].path = []programOp{{start: 5}}
	for span, want := range []int{0, 1} {
		if all := begunChannels(r, &Period{span: []int{span}}); len(all) != want {
			t.Errorf("%d operations began: %v", span, all)
		}
	}
}

// A collective of a rank that stands still has its instants moved once, however often it is seen.
func TestWhatStandsStillIsMovedOnce(t *testing.T) {
	c := &collRun{Collective: &workload.Collective{}, exchange: &exchange{}, joined: 70}
	c.answer.Placed = 40
	d := doing{links: []link{{coll: c}, {coll: c}}}
	if d.stood(30); c.joined != 40 || c.answer.Placed != 10 || c.answer.Posted != 0 {
		t.Errorf("joined at %v, %+v", c.joined, c.answer)
	}
}

// Every instant of what a stream does is one of those that are visited.
func TestEachInstantIsVisited(t *testing.T) {
	trace := func() Trace { return Trace{Segments: make([]Segment, 2)} }
	c := &collRun{Collective: &workload.Collective{}, exchange: &exchange{answer: trace(), channels: []channelRun{
		{trace: trace(), gates: []gate{{answer: trace()}, {}}}, {}}}}
	d := &doing{links: []link{{}, {coll: c}}}
	visited := map[uintptr]bool{}
	d.instants(func(at *unit.Time) { visited[uintptr(unsafe.Pointer(at))] = true })
	all := map[uintptr]string{}
	// what is fixed, or recorded for critical paths, is no part of a standing
	none := []string{"Collective", "lines", "layout", "program", "only", "op", "path", "credits", "work"}
	var walk func(v reflect.Value, at string)
	walk = func(v reflect.Value, at string) {
		switch {
		case v.Type() == reflect.TypeFor[unit.Time]():
			all[v.UnsafeAddr()] = at
		case v.Kind() == reflect.Pointer && !v.IsNil():
			walk(v.Elem(), at)
		case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i), at)
			}
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				if name := v.Type().Field(i).Name; !slices.Contains(none, name) {
					walk(v.Field(i), at+"."+name)
				}
			}
		}
	}
	walk(reflect.ValueOf(d), "")
	for _, addr := range slices.Sorted(maps.Keys(all)) {
		if !visited[addr] {
			t.Errorf("%s is not visited", strings.TrimPrefix(all[addr], "."))
		}
	}
	if len(visited) != len(all) || len(all) < 20 {
		t.Errorf("%d are visited of %d", len(visited), len(all))
	}
}

// A credit of a collective that sends no messages is owed to nobody.
func TestNothingIsOwedToAFormula(t *testing.T) {
	r := &Rank{colls: []collRun{{Collective: &workload.Collective{Formula: true}}}, streams: []streamState{{running: -1}}}
	r.numberOf.Add(7)
	if c, l := r.owed(&outbox{}, 7); c != nil || l != nil {
		t.Errorf("%+v %+v", c, l)
	}
}
