package report

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// One of two GPUs computes in the first half of the time, and both in the last column: each column
// has its share, and what is no compute counts for nothing.
func TestComputing(t *testing.T) {
	const begin = 1000 // of the job
	s := &StepStats{Ranks: 2, Whole: 1, ends: []unit.Time{begin + 24000}}
	u := newComputing(s, begin)
	for _, o := range []result.OperationRow{
		{Stream: "compute", Start: 0, End: 12000}, {Stream: "compute", Start: 23900, End: 24100},
		{Stream: "compute", Rank: 1, Start: 23900, End: 24000}, {Stream: "copy", Start: 0, End: 24000},
		{Stream: "compute", Rank: 1, Start: 24000, End: 99000}, {Stream: "compute", Rank: 1, Start: 12050, End: 12100},
	} {
		o.Start, o.End = o.Start+begin, o.End+begin
		u.add(&o)
	}
	f := computingChart(&Data{Steps: s, Computing: u})[0]
	if err := chart.Check(&f); err != nil {
		t.Error(err)
	}
	y := f.Lines.Series[0].Y
	for c, want := range map[int]chart.Value{0: 0.5, 119: 0.5, 120: 0.25, 121: 0, 238: 0, 239: 1} {
		if y[c] != want {
			t.Errorf("column %d: %v, want %v", c, y[c], want)
		}
	}
	if len(y) != computingColumns {
		t.Errorf("%d columns", len(y))
	}
}
