package web

import (
	"fmt"
	"net/http"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
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

// A window of time has whole runs: all ranks of each, and no run of one rank with the next run of another.
func TestRunsThatAWindowCuts(t *testing.T) {
	root := t.TempDir()
	d := draw(4)
	for nth := range int32(2) {
		for rank := range int32(2) { // rank 0 runs it twice before rank 1 is through with the first
			start := unit.Time(1000 + 100*nth + 5000*rank)
			d.ops = append(d.ops, result.OperationRow{Rank: rank, Op: nth, Name: "all-reduce", Group: "dp0", Start: start, End: start + 50,
				ReleasedBy: -1})
		}
	}
	d.write(t, root, "one", result.Complete)
	x := serve(t, root)
	x.settled("one")
	var a collectiveRuns
	x.get("api/collective?run=one&name=all-reduce&from=6000&until=6060", &a) // rank 1's first
	if len(a.Runs) != 1 || a.Runs[0].Start != 1000 || a.Runs[0].End != 6050 || a.Runs[0].Ranks != 2 || a.More {
		t.Errorf("%+v, want one of two ranks, from 1000 to 6050", a)
	}
}

// A collective of every thousandth step of a long table is found wherever it is, and row groups without it are not read.
func TestRunsOfARareCollective(t *testing.T) {
	root := t.TempDir()
	d := draw(1)
	d.ops = nil
	const every, steps = result.RowGroupRows, 9
	for i := range every * steps {
		op := result.OperationRow{Step: int32(i / every), Op: int32(i % every), Name: "all-reduce", Group: "dp0", ReleasedBy: -1,
			Start: unit.Time(i), End: unit.Time(i + 1)}
		if i%every == 5 && i/every != 4 {
			op.Name = "broadcast"
		}
		d.ops = append(d.ops, op)
	}
	d.ends = steps
	d.write(t, root, "one", result.Complete)
	x := serve(t, root)
	x.settled("one")
	var a collectiveRuns
	x.get("api/collective?run=one&name=broadcast", &a)
	if len(a.Runs) != steps-1 || a.More {
		t.Errorf("%d runs, more %v: want %d", len(a.Runs), a.More, steps-1)
	}
	show, err := x.s.show("one")
	if err != nil {
		t.Fatal(err)
	}
	tables, free := show.use()
	defer free()
	in := func(from, until unit.Time) string {
		return fmt.Sprint(tables.operations.groupsWith(collectiveName{Name: "broadcast"}, from, until))
	}
	if got := in(0, maxTime) + in(3*every+9, 5*every) + in(4*every+9, 5*every-9); got != "[0 1 2 3 5 6 7 8][3][]" {
		t.Errorf("read are %s", got)
	}
}
