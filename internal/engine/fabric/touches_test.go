package fabric

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
)

// touchedAt is a touch.
type touchedAt struct {
	at    unit.Time
	bytes int64
}

func (t *touches) all(from int32) (all []touchedAt) {
	for i := range t.runs[from:] {
		r := &t.runs[int(from)+i]
		for k := range int64(r.n) {
			at, bytes := r.touch(k)
			all = append(all, touchedAt{at, bytes})
		}
	}
	return all
}

// Frames at line rate are one run; what comes otherwise begins another; a mark, too, and from it on there is what came since.
func TestTouchesAreKeptAsRuns(t *testing.T) {
	var k touches
	var want []touchedAt
	add := func(at unit.Time, bytes int64) {
		k.add(at, bytes)
		want = append(want, touchedAt{at, bytes})
	}
	for i := range 1000 {
		add(unit.Time(i*84), 0)
		add(unit.Time(i*84+3), 4178)
	}
	if len(k.runs) != 1 || k.runs[0].n != 2000 {
		t.Errorf("%d runs, the first of %d", len(k.runs), k.runs[0].n)
	}
	add(84_001, 7)
	from, n := k.cut(), len(want)
	add(84_002, 8)
	add(84_003, 9)
	if got := k.all(0); !slices.Equal(got, want) {
		t.Error("touches are not as they were")
	}
	if got := k.all(from); !slices.Equal(got, want[n:]) || len(k.runs) != 3 {
		t.Errorf("since the mark %v, %d runs", got, len(k.runs))
	}
}

// Drawn touches are as they were, and the first from a time on is found.
func TestDrawnTouches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 46))
	for range 300 {
		var k touches
		var want []touchedAt
		runs, at, steps := int64(0), unit.Time(r.IntN(100)), 1+r.IntN(3)
		for range 1 + r.IntN(60) {
			want = append(want, touchedAt{at, int64(r.IntN(1 + r.IntN(3)))})
			runs += k.add(at, want[len(want)-1].bytes)
			at = at.Add(unit.Duration(r.IntN(steps)))
		}
		if !slices.Equal(k.all(0), want) || runs != int64(len(k.runs)) {
			t.Fatalf("%v: %+v, %d runs", want, k.runs, runs)
		}
		for i := range k.runs {
			run := &k.runs[i]
			for range 10 {
				since, at, first := r.Int64N(int64(run.n)), unit.Time(r.IntN(int(at)+3)), int64(0)
				for first = since; first < int64(run.n); first++ {
					if t, _ := run.touch(first); t >= at {
						break
					}
				}
				if got := run.from(since, at); got != first {
					t.Fatalf("%+v: from %d at %d on %d, want %d", run, since, at, got, first)
				}
			}
		}
	}
}

// Drawn notes of load, kept as runs, come to the load that they came to, where they are told so much later, with more bytes.
func TestLoadIsNotedAgain(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 46))
	for range 300 {
		var k loadNotes
		got, want := load{part: firstPart}, load{part: firstPart}
		at, sent, held, class, runs := unit.Time(r.IntN(100_000)), int64(1), unit.Duration(0), uint8(0), int64(0)
		shift, more := unit.Duration(r.IntN(40_000_000)), int64(r.IntN(1000))
		step, bytes, cuts := [2]int{1 + r.IntN(3_000_000), r.IntN(100_000)}, [2]int{84, 4178}, 1+r.IntN(50)
		for i := range 1 + r.IntN(200) {
			runs += k.add(at, sent, held, class)
			want.note(at.Add(shift), sent+more, held)
			at, sent = at.Add(unit.Duration(step[i%2])), sent+int64(bytes[i%2])
			if r.IntN(cuts) == 0 {
				class, held = uint8(r.IntN(2)), held+unit.Duration(r.IntN(2))
				step[r.IntN(2)] = r.IntN(5_000_000)
			}
		}
		if runs != int64(len(k.runs)) {
			t.Fatalf("%d runs were added, and there are %d", runs, len(k.runs))
		}
		for i := range k.runs {
			got.again(&k.runs[i].touchRun, shift, more, k.runs[i].held)
		}
		if got != want {
			t.Fatalf("%+v\n%+v, want\n%+v", k.runs, got, want)
		}
	}
}

// What was told again in a stretch of a record is told with it: layers in micro-batches, these in a step. Bytes that counters
// counted come with it. A period that began before the stretch is told whole.
func TestStretchesHaveWhatWasToldAgain(t *testing.T) {
	at := func(n int32, again int) bookmark { return bookmark{loads: []int32{n}, again: again} }
	in := func(p *bookmark) int { return int(p.loads[0]) }
	x := &repeat{again: []again{
		{since: at(2, 0), until: at(3, 0), times: 2, took: 10, sent: []int64{1}},
		{since: at(1, 0), until: at(5, 1), times: 1, took: 100, sent: []int64{5}},
		{since: at(6, 2), until: at(6, 2), times: 7, took: 1}, // of which nothing is recorded
	}}
	for _, c := range []struct {
		from, to bookmark
		want     string
	}{
		{at(0, 0), at(1, 0), "0-1+0"},
		{at(0, 0), at(7, 3), "0-3+0 2-3+10x1 2-3+20x2 3-5+0 1-3+100x5 2-3+110x6 2-3+120x7 3-5+100x5 5-6+0 6-7+0"},
		{at(4, 1), at(6, 2), "4-5+0 1-3+100x5 2-3+110x6 2-3+120x7 3-5+100x5 5-6+0"},
		{at(3, 1), at(4, 1), "3-4+0"},
	} {
		var got []string
		x.stretches(&c.from, &c.to, in, 0, nil, func(from, to int, shift unit.Duration, echoes []echo) {
			more := int64(0)
			for _, e := range echoes {
				more += e.k * e.of.sent[0]
			}
			if s := fmt.Sprintf("%d-%d+%dx%d", from, to, int64(shift), more); from < to {
				got = append(got, strings.TrimSuffix(s, "x0"))
			}
		})
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.from, c.to, s, c.want)
		}
	}
}
