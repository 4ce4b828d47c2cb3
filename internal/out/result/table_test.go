package result

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"railyard/internal/base/cause"
	"railyard/internal/base/machine/machinetest"
	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
)

// Every table's columns, in order, with their Parquet types: what docs and
// readers rely on. A change here raises FormatVersion.
func TestColumns(t *testing.T) {
	var b strings.Builder
	for _, c := range []struct {
		name string
		row  any
	}{{"steps", StepRow{}}, {"operations", OperationRow{}}, {"flows", FlowRow{}}, {"links", LinkRow{}}, {"queues",
		QueueRow{}}, {"paths", PathRow{}}, {"hops", HopRow{}}, {"losses", LossRow{}}, {"shares", ShareRow{}},
		{"events", EventRow{}}, {"series", SeriesRow{}},
		{"gradients", GradientRow{}}, {"experts", ExpertRow{}}, {"telemetry", telemetry.Row{}}} {
		b.WriteString(c.name + "\n")
		s := parquet.SchemaOf(c.row)
		for _, path := range s.Columns() {
			leaf, _ := s.Lookup(path...)
			b.WriteString("  " + strings.Join(path, ".") + " " + leaf.Node.Type().String())
			if leaf.Node.Optional() {
				b.WriteString(" or null")
			}
			b.WriteString("\n")
		}
	}
	scripttest.Golden(t, "columns.txt", b.String())
}

// The cause columns are those of package cause, in its order, and nothing is lost on the way there
// and back.
func TestCausesAreAllThere(t *testing.T) {
	typ := reflect.TypeFor[Causes]()
	if typ.NumField() != int(cause.Count) {
		t.Fatalf("%d columns for %d causes", typ.NumField(), cause.Count)
	}
	var s cause.Split
	for i, c := range cause.All() {
		if got, want := typ.Field(i).Tag.Get("parquet"), c.Column()+"_ps"; got != want {
			t.Errorf("column %d is %s, want %s", i, got, want)
		}
		if got, want := typ.Field(i).Tag.Get("json"), c.Column(); got != want {
			t.Errorf("key %d is %s, want %s", i, got, want)
		}
		s[c] = unit.Duration(100 + i)
	}
	v := reflect.ValueOf(CausesOf(s))
	for i := range typ.NumField() {
		if v.Field(i).Int() != int64(100+i) {
			t.Errorf("%s holds another cause's time", typ.Field(i).Name)
		}
	}
	if CausesOf(s).Split() != s {
		t.Errorf("there and back: %v, want %v", CausesOf(s).Split(), s)
	}
}

func exampleSplit(i int) cause.Split {
	var s cause.Split
	for c := range s {
		s[c] = unit.Duration(i * c)
	}
	return s
}

// fill writes n flows (more than a row group where n says so) and a few rows of the other tables.
func fill(d *Dir, n int) (flows []FlowRow, steps []StepRow) {
	for i := range n {
		f := FlowRow{ID: int64(i), Name: "all-reduce 0", Kind: KindCollective, Src: "host1/gpu0", Dst: "host2/gpu0",
			Channel: int32(i % 4), Step: int32(i / 8),
			Bytes: 4096, Posted: unit.Time(1000 * i), Placed: unit.Time(1000*i + 777),
			Acked: unit.Time(1000*i + 900), FCT: 777,
			Marks: int64(i % 3), Status: StatusDone, Path: "host1>rail1>host2", Causes: CausesOf(exampleSplit(i))}
		if i%100 == 99 { // one that the end of the run cut off
			f.Placed, f.Acked, f.FCT, f.Status = 0, 0, 0, StatusUnfinished
		}
		d.Flows().Add(f)
		flows = append(flows, f)
	}
	for i := range 5 {
		s := StepRow{Step: int32(i), Rank: 1, Start: unit.Time(1000 * i), End: unit.Time(1000*i + 1000),
			Causes: CausesOf(exampleSplit(i))}
		if i > 0 {
			s.Loss = new(0.5 * float64(i-1)) // 0 is a loss, not the absence of one
		}
		d.Steps().Add(s)
		steps = append(steps, s)
	}
	d.Operations().Add(OperationRow{Op: 3, Name: "forward 1", Stream: "compute", Start: 5, End: 9, ReleasedBy: -1})
	d.Links().Add(LinkRow{Port: "rail1/host1", From: "rail1", To: "host1",
		Rate: 100 * unit.GigabitPerSec, Utilisation: 0.25})
	d.Queues().Add(QueueRow{Port: "rail1/host1", Class: 3, Time: 1_000_000, Bytes: 4178})
	return flows, steps
}

func writeRun(t *testing.T, dir string, n int) (flows []FlowRow, steps []StepRow) {
	t.Helper()
	d, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &Summary{Name: "x", Seed: 1<<64 - 1, ScenarioYAML: "name: x\nseed: 18446744073709551615\n"}
	if err := d.Begin(s); err != nil {
		t.Fatal(err)
	}
	flows, steps = fill(d, n)
	s.State = Complete
	if err := d.Finish(s); err != nil {
		t.Fatal(err)
	}
	return flows, steps
}

func TestTablesReadBackAsWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	flows, steps := writeRun(t, dir, RowGroupRows+1500)
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for f, err := range r.Flows() {
		if err != nil {
			t.Fatal(err)
		}
		if f != flows[i] {
			t.Fatalf("flow %d: %s", i, cmp.Diff(flows[i], f))
		}
		i++
	}
	if i != len(flows) {
		t.Errorf("%d flows read, %d written", i, len(flows))
	}
	var got []StepRow
	for s, err := range r.Steps() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, s)
	}
	if d := cmp.Diff(steps, got); d != "" {
		t.Error(d)
	}
	for op, err := range r.Operations() {
		if err != nil || op.ReleasedBy != -1 || op.Name != "forward 1" {
			t.Error(op, err)
		}
	}
	for l, err := range r.Links() {
		if err != nil || l.Rate != 100*unit.GigabitPerSec || l.Utilisation != 0.25 {
			t.Error(l, err)
		}
	}
	for q, err := range r.Queues() {
		if err != nil || q != (QueueRow{"rail1/host1", 3, 1_000_000, 4178}) {
			t.Error(q, err)
		}
	}
}

// A table holds row groups of a bounded size, so writing takes bounded memory.
func TestRowGroupsAreBounded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	writeRun(t, dir, 2*RowGroupRows+10)
	f, err := os.Open(filepath.Join(dir, "flows.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := openParquet(f)
	if err != nil {
		t.Fatal(err)
	}
	groups := p.RowGroups()
	if len(groups) != 3 {
		t.Errorf("%d row groups, want 3", len(groups))
	}
	for _, g := range groups {
		if g.NumRows() > RowGroupRows {
			t.Errorf("a row group of %d rows, want at most %d", g.NumRows(), RowGroupRows)
		}
	}
}

// The same rows give the same bytes, whatever the processors and the place.
func TestBytesAreReproducible(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "other", "b")
	writeRun(t, a, 70000)
	before := runtime.GOMAXPROCS(1)
	writeRun(t, b, 70000)
	runtime.GOMAXPROCS(before)
	entries, err := os.ReadDir(a)
	if err != nil || len(entries) != 6 {
		t.Fatalf("%v %v, want run.json and five tables", entries, err)
	}
	for _, e := range entries {
		x, err1 := os.ReadFile(filepath.Join(a, e.Name()))
		y, err2 := os.ReadFile(filepath.Join(b, e.Name()))
		if err1 != nil || err2 != nil || !bytes.Equal(x, y) {
			t.Errorf("%s differs between two runs: %v %v", e.Name(), err1, err2)
		}
	}
}

func TestNilTableTakesRows(t *testing.T) {
	var d *Dir
	d.Flows().Add(FlowRow{})
	d.Queues().Add(QueueRow{})
	if d.Flows().Rows() != 0 || d.Err() != nil || d.Path() != "" || d.Begin(&Summary{}) != nil ||
		d.Finish(&Summary{State: Complete}) != nil {
		t.Error("a nil directory must do nothing")
	}
}

func BenchmarkAddFlow(b *testing.B) {
	d, err := Create(filepath.Join(b.TempDir(), "run"))
	if err != nil {
		b.Fatal(err)
	}
	row := FlowRow{Name: "all-reduce 0", Kind: KindCollective, Src: "host1/gpu0", Dst: "host2/gpu0", Status: StatusDone,
		Path: "host1>rail1>host2"}
	b.ReportAllocs()
	i := 0
	cpu := machinetest.Start(b)
	defer cpu.Report()
	for b.Loop() {
		row.ID, row.Posted = int64(i), unit.Time(i*1000)
		d.Flows().Add(row)
		i++
	}
}

// When parts were closed cannot be seen in the finished tables.
func TestPartsLeaveNoTrace(t *testing.T) {
	finished := func(rows int, early func(i int) bool) string {
		dir := filepath.Join(t.TempDir(), "run")
		d, err := Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		d.group = 100
		for i := range rows {
			d.Steps().Add(StepRow{Step: int32(i), Start: unit.Time(i * i),
				End: unit.Time(i * i), Loss: new(float64(i))})
			if early(i) {
				d.keep()
			}
		}
		if err := d.Finish(&Summary{State: Complete}); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 2 {
			t.Fatalf("%v %v, want run.json and steps.parquet", entries, err)
		}
		b, err := os.ReadFile(filepath.Join(dir, "steps.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for s, err := range r.Steps() {
			if err != nil || s.Step != int32(n) || *s.Loss != float64(n) {
				t.Fatal(n, s, err)
			}
			n++
		}
		if n != rows {
			t.Fatalf("%d rows read, %d written", n, rows)
		}
		return string(b)
	}
	for _, rows := range []int{1, 99, 100, 101, 200, 250} {
		want := finished(rows, func(int) bool { return false })
		for name, early := range map[string]func(i int) bool{
			"once":         func(i int) bool { return i == 40 },
			"in the third": func(i int) bool { return i == 240 },
			"at first":     func(i int) bool { return i < 10 },
			"at the end":   func(i int) bool { return i == rows-1 },
			"now and then": func(i int) bool { return i%37 == 5 },
		} {
			if got := finished(rows, early); got != want {
				t.Errorf("%d rows, parts closed early %s: other bytes", rows, name)
			}
		}
	}
}

// Nor in their pages, which end where a batch of rows has filled one.
func TestPartsLeaveNoTraceInPages(t *testing.T) {
	finished := func(early func(i int) bool) string {
		dir := filepath.Join(t.TempDir(), "run")
		d, err := Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 12_000 {
			d.Flows().Add(FlowRow{ID: int64(i), Name: "a name that takes its place " + strconv.Itoa(i*i),
				Posted: unit.Time(i * i)})
			if early(i) {
				d.keep()
			}
		}
		if err := d.Finish(&Summary{State: Complete}); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, "flows.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if finished(func(int) bool { return false }) != finished(func(i int) bool { return i%1777 == 5 }) {
		t.Error("parts closed early: other bytes")
	}
}

// Keep closes parts by the rows of all tables together: a table that grows slowly is kept with the
// others, and so is none of a short run. A killed run has lost a fifth of its rows at most, and a
// table of many rows has few parts.
func TestKeepClosesByRows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	d, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	d.Steps().Add(StepRow{})
	for i := range 3*RowGroupRows + 100 {
		if i < RowGroupRows && d.Flows().closed > 0 &&
			len(d.Flows().early) > max(keepLeast, i/keepShare)+100 {
			t.Fatalf("of %d rows, %d are in no closed part", i, len(d.Flows().early))
		}
		if got := len(partsOf(dir, "flows")); i == RowGroupRows-1 && (got < 15 || got > 25) {
			t.Errorf("%d early parts of flows, want about 20", got)
		}
		d.Flows().Add(FlowRow{ID: int64(i)})
		if i%100 == 0 && d.Keep() != nil {
			t.Fatal(d.Err())
		}
		want := 0
		if i >= keepLeast+100 {
			want = 1
		}
		if i < keepLeast-1 || want == 1 {
			if got := len(partsOf(dir, "steps")); i%1000 == 0 && got != want {
				t.Errorf("after %d rows: %d parts of steps, want %d", i, got, want)
			}
		}
	}
	if got := len(partsOf(dir, "flows")); got != 3 || d.Flows().closed != 3 {
		t.Errorf("%d parts of flows, want one for each row group", got)
	}
}

// Between two early parts a table holds a bounded number of rows, whatever the other tables do, and
// what it has closed can be read before the run ends.
func TestEarlyPartsHoldTheFirstRows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	d, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2*earlyRows + 10 {
		d.Flows().Add(FlowRow{ID: int64(i)})
		if i == 100 {
			d.keep()
		}
	}
	r, err := OpenIncomplete(dir)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for f, err := range r.Flows() {
		if err != nil || f.ID != int64(n) {
			t.Fatal(n, f.ID, err)
		}
		n++
	}
	if n != 101+earlyRows {
		t.Errorf("%d rows can be read, want %d", n, 101+earlyRows)
	}
}
