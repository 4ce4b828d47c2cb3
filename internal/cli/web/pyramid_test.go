package web

import (
	"encoding/json"
	"math"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// What a pyramid says of a bin is what the intervals in it say, on every level, however much it had to
// forget on its way.
func TestPyramidsAreTheSumsOfTheirIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		intervals := rapid.Int64Range(1, 300).Draw(t, "intervals")
		p := newPyramid(unit.Microsecond, rapid.IntRange(3*leastBins, 400).Draw(t, "most"))
		tracks := rapid.IntRange(1, 3).Draw(t, "tracks")
		plain := make([][]float64, tracks)
		ids, now := make([]int, tracks), make([]float64, tracks)
		born := make([]int64, tracks)
		for i := range ids {
			ids[i] = -1
			born[i] = rapid.Int64Range(0, intervals-1).Draw(t, "born")
		}
		for k := range intervals {
			for i := range tracks {
				held := i%2 == 0
				v := now[i]
				if !held {
					v = 0
				}
				if k >= born[i] && rapid.Bool().Draw(t, "sample") {
					v = float64(rapid.IntRange(0, 1000).Draw(t, "value"))
					if ids[i] < 0 {
						ids[i] = p.add(held)
					}
					p.sample(ids[i], k, v)
					now[i] = v
				}
				plain[i] = append(plain[i], v)
			}
		}
		p.seal(intervals)
		if len(p.tracks) == 0 {
			return
		}
		for level := p.base; level <= p.top(); level++ {
			for i, id := range ids {
				if id < 0 {
					continue
				}
				cells := p.at(level, id)
				if want := (intervals + int64(1)<<level - 1) >> level; int64(len(cells)) != want {
					t.Fatalf("level %d: %d bins, want %d", level, len(cells), want)
				}
				for b, c := range cells {
					low, high, sum := math.Inf(1), math.Inf(-1), 0.0
					in := plain[i][b<<level : min((b+1)<<level, len(plain[i]))]
					for _, v := range in {
						low, high, sum = min(low, v), max(high, v), sum+v
					}
					mean := sum / float64(len(in))
					if float64(c.Low) != low || float64(c.High) != high || math.Abs(float64(c.Mean)-mean) > 0.01 {
						t.Fatalf("base %d, level %d, track %d, bin %d: %v, want %v %v %v", p.base, level, i, b, c, low, high, mean)
					}
				}
			}
		}
		if p.top() > p.base && len(p.at(p.top(), 0)) != 1 {
			t.Fatalf("%d bins at the top, want 1", len(p.at(p.top(), 0)))
		}
		if n := len(p.tracks) * (len(p.levels[0][0]) - 1); n > p.most {
			t.Fatalf("%d cells, want at most %d", n, p.most)
		}
	})
}

// More tracks than leave each a few bins are refused, not remembered.
func TestPyramidsAreBounded(t *testing.T) {
	p := newPyramid(unit.Microsecond, 10*leastBins)
	for range 10 {
		if p.add(false) < 0 {
			t.Fatal("ten tracks do not fit, and should")
		}
	}
	if id := p.add(false); id >= 0 {
		t.Errorf("an eleventh track fits: %d", id)
	}
}

// Of a run that has samples of queues and no series, each sample is a row.
func TestSamplesOfQueuesAreCounted(t *testing.T) {
	root := t.TempDir()
	dir, err := result.Create(filepath.Join(root, "one"))
	if err != nil {
		t.Fatal(err)
	}
	const n = 70_000 // more than a row group
	for i := range n {
		dir.Queues().Add(result.QueueRow{Port: "s1/h1", Class: 3, Time: unit.Time(i) * unit.Time(tick), Bytes: unit.Bytes(i)})
	}
	if err := dir.Finish(&result.Summary{Name: "one", State: result.Complete, VirtualTime: n * unit.Time(tick),
		Scenario: json.RawMessage(`{"output":{"sample":"1us"}}`)}); err != nil {
		t.Fatal(err)
	}
	x := serve(t, root)
	x.settled("one")
	show, err := x.s.show("one")
	if err != nil {
		t.Fatal(err)
	}
	<-show.gone
	tables, free := show.use()
	defer free()
	if got := tables.count(); got != n {
		t.Errorf("%d rows, want %d", got, n)
	}
}
