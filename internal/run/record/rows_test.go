package record

import (
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
)

// The time of a row is the mean over ranks of what each took from its first timed run to the end of its last, by run, whatever
// the others did meanwhile; a row that one rank has not ended, and runs that warm up, are none.
//
// It fails if a warm-up is timed, if ranks are measured from one common instant, or if a row is told of that is not done.
func TestRowsAreTheMeanOfRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks, runs := rapid.IntRange(2, 5).Draw(t, "ranks"), rapid.Int32Range(1, 4).Draw(t, "runs")
		warm := rapid.Int32Range(0, 2).Draw(t, "warm-ups")
		missing := rapid.Bool().Draw(t, "a rank misses its last run")
		row := plan.Row{Op: coll.AllReduce, Bytes: 1 << 20, TimedRow: workload.TimedRow{First: warm, Count: runs}}
		j := &Job{plan: &plan.Job{Placement: coll.Placement{Ranks: make([]coll.Place, ranks)}, Rows: []plan.Row{row}},
			rows: []rowTimes{{began: make([]unit.Time, ranks)}}}
		for c := range warm + runs {
			j.rowOf = append(j.rowOf, -1)
			if c >= warm {
				j.rowOf[c] = 0
			}
		}
		sum := unit.Duration(0)
		at := make([]unit.Time, ranks) // each begins when it likes
		for r := range at {
			at[r] = unit.Time(rapid.Int64Range(0, 1e6).Draw(t, "begins"))
		}
		for c := range warm + runs {
			for r := range at {
				p := &exec.OperationRecord{Rank: int32(r), Start: at[r],
					End: at[r].Add(unit.Duration(rapid.Int64Range(1, 1e6).Draw(t, "takes")))}
				if at[r] = p.End.Add(5); missing && r == 0 && c == warm+runs-1 {
					continue
				}
				j.timeRow(p, c)
				if c >= warm {
					sum += p.End.Sub(p.Start)
				}
				if c > warm {
					sum += 5 // between two runs
				}
			}
		}
		var s result.JobFigures
		if j.finishRows(&s); missing {
			if len(s.Collectives) > 0 {
				t.Fatalf("a row that is not done: %+v", s.Collectives)
			}
			return
		}
		want := sum / unit.Duration(ranks) / unit.Duration(runs)
		if len(s.Collectives) != 1 || s.Collectives[0].Time != want || s.Collectives[0].Count != int64(runs) {
			t.Fatalf("%+v, want %v a run", s.Collectives, want)
		}
		alg := float64(1<<20) / want.Seconds()
		if c := s.Collectives[0]; c.AlgBW != alg || c.BusBW != alg*(unit.Ratio{Num: 2 * int64(ranks-1), Den: int64(ranks)}).Float() {
			t.Fatalf("algbw %v, busbw %v of %v", c.AlgBW, c.BusBW, alg)
		}
	})
}
