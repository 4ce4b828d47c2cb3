package fabric

import (
	"math/rand/v2"
	"slices"
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
		for k := range r.n {
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
				since, at, first := r.Int64N(run.n), unit.Time(r.IntN(int(at)+3)), int64(0)
				for first = since; first < run.n; first++ {
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
