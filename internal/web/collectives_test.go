package web

import (
	"fmt"
	"net/http"
	"testing"

	"railyard/internal/result"
	"railyard/internal/unit"
)

// communicate adds a collective that two ranks run twice in each of two steps, rank 1 later than rank 0.
func (d *drawn) communicate() {
	for step := range int32(2) {
		for nth := range int32(2) {
			for rank := range int32(2) {
				start := unit.Time(step)*40*unit.Time(tick) + unit.Time(nth)*10*unit.Time(tick) + unit.Time(rank)*300
				d.ops = append(d.ops, result.OperationRow{Rank: rank, Step: step, Op: nth, Name: "allreduce.bucket1", Group: "dp0",
					Stream: "dp", Start: start, End: start + unit.Time(5*tick) - unit.Time(rank)*100, ReleasedBy: -1})
			}
		}
	}
}

// Each run of a collective has its group, from when to when, and who began last; runs of one step are told apart.
func TestRunsOfACollective(t *testing.T) {
	root := t.TempDir()
	d := draw(100)
	d.communicate()
	other := d.ops[len(d.ops)-1]
	other.Job = "y"
	d.ops = append(d.ops, other) // of another job
	other.Job, other.Group = "", ""
	d.ops = append(d.ops, other) // no communication
	d.write(t, root, "one", result.Complete)
	x := serve(t, root)
	x.settled("one")
	var a collectiveRuns
	x.get("api/collective?run=one&name=allreduce.bucket1", &a)
	got := ""
	for _, r := range a.Runs {
		got += fmt.Sprintln(r.Group, r.Step, r.Ranks, int64(r.Start), int64(r.Last), r.LastRank, int64(r.End))
	}
	want := "dp0 0 2 0 300 1 5000200\n" +
		"dp0 0 2 10000000 10000300 1 15000200\n" +
		"dp0 1 2 40000000 40000300 1 45000200\n" +
		"dp0 1 2 50000000 50000300 1 55000200\n"
	if got != want || a.More {
		t.Errorf("runs\n%swant\n%s", got, want)
	}
	x.get("api/collective?run=one&name=allreduce.bucket1&from=16000000&until=45000000", &a)
	if len(a.Runs) != 1 || a.Runs[0].Start != 40_000_000 {
		t.Errorf("of a part of the time: %+v", a.Runs)
	}
	var names struct{ Collectives []collectiveName }
	x.get("api/names?run=one&filter=BUCKET", &names)
	if fmt.Sprint(names.Collectives) != "[{ allreduce.bucket1} {y allreduce.bucket1}]" {
		t.Errorf("names %v", names.Collectives)
	}
	for _, q := range []string{"name=forward+1", "name=allreduce.bucket1&job=x"} { // no collective; of no such job
		if code, _ := x.ask("api/collective?run=one&" + q); code != http.StatusNotFound {
			t.Errorf("%s: %d", q, code)
		}
	}
}
