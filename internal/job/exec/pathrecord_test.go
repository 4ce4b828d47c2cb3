package exec

import (
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
)

// A record keeps traces whole up to its bound; of what comes then each cause keeps its time, and all end where they ended.
func TestRecordsOfTracesAreBounded(t *testing.T) {
	draw := splitmix.Stream(38)
	pick := func(n int) int { return int(draw.Next() % uint64(n)) }
	const most = 500
	p := newRankPath(&pathLayout{program: &workload.Program{}, most: most})
	whole, totals := 0, 0
	for n := range 400 {
		tr := Trace{Posted: unit.Time(pick(1000))}
		var want cause.Split
		until := tr.Posted
		for range 1 + pick(60) {
			c, d := cause.Cause(pick(int(cause.Count))), unit.Duration(1+pick(100))
			want[c] += d
			until = until.Add(d)
			tr.Segments = append(tr.Segments, Segment{Until: until, Cause: c, At: int32(2*len(tr.Segments) + pick(2))})
		}
		tr.Placed = until
		m := p.messages[p.keep(&tr)]
		kept := p.segments[m.first : m.first+m.n]
		var got cause.Split
		from := tr.Posted
		for _, g := range kept {
			got[g.Cause] += g.Until.Sub(from)
			from = g.Until
		}
		if got != want || from != tr.Placed || m.posted != tr.Posted || m.placed != tr.Placed {
			t.Fatalf("message %d: %v up to %v, want %v up to %v", n, got, from, want, tr.Placed)
		}
		if len(kept) == len(tr.Segments) {
			whole++
		} else if totals++; len(kept) > int(cause.Count) {
			t.Fatalf("message %d: %d segments are left of %d", n, len(kept), len(tr.Segments))
		}
		if len(p.segments) > most+(n+1)*int(cause.Count) || totals == 0 && len(p.segments) > most {
			t.Fatalf("%d segments of %d messages", len(p.segments), n+1)
		}
	}
	if whole < 5 || totals < 300 {
		t.Errorf("%d messages are whole, %d are not", whole, totals)
	}
}
