package result

import (
	"bytes"
	"encoding/json"
	"math/big"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
)

// traceRun is a run of two ranks with something in every table.
func traceRun(t *testing.T) *Run {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	d, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	for step := range int32(3) {
		at := unit.Time(step) * 10_000_001
		for rank := range int32(2) {
			end := at + 9_999_999
			d.Steps().Add(StepRow{Step: step, Rank: rank, Start: at, End: end, Loss: new(0.5),
				Causes: Causes{Compute: 9_999_999}})
			d.Operations().Add(OperationRow{Step: step, Rank: rank, Op: 0, Name: "forward.1", Stream: "compute",
				Start: at, End: at + 5_000_000, ReleasedBy: -1})
			d.Operations().Add(OperationRow{Step: step, Rank: rank, Op: 1, Name: "forward.2", Stream: "compute",
				Start: at + 5_000_000, End: end, ReleasedBy: 0})
			d.Operations().Add(OperationRow{Step: step, Rank: rank, Op: 2, Name: `sum "a"`, Stream: "data-parallel",
				Start: at, End: at, ReleasedBy: 1})
		}
		for i := range int64(4) { // three overlap, the fourth follows the first
			posted := at + unit.Time(i%3) + unit.Time(i/3)*2_000_000
			f := FlowRow{ID: int64(step)*4 + i, Name: "rank0>rank1#0", Kind: KindCollective, Src: "host1/gpu0",
				Dst: "host2/gpu0", Step: step, Bytes: 4096,
				Posted: posted, Placed: posted + 1_000_000, Acked: posted + 1_500_000, FCT: 1_000_000,
				Status: StatusDone, Path: "host1>rail1>host2"}
			if step == 2 && i == 3 { // cut off by the end of the run
				f.Placed, f.Acked, f.FCT, f.Status = 0, 0, 0, StatusUnfinished
			}
			d.Flows().Add(f)
		}
	}
	d.Links().Add(LinkRow{Port: "rail1/host2", From: "rail1", To: "host2", TxBytes: 1, Utilisation: 0.25})
	d.Links().Add(LinkRow{Port: "rail1/host1", From: "rail1", To: "host1"})
	for i, b := range []unit.Bytes{4178, 8356, 0} {
		d.Queues().Add(QueueRow{Port: "rail1/host2", Class: 3, Time: unit.Time(i+1) * 7_000_000, Bytes: b})
	}
	d.Paths().Add(PathRow{Step: 1, Rank: 1, From: 10_000_001, Until: 15_000_001, Cause: "compute", Kind: "compute",
		OnRank: 1, OnStep: 1, Src: -1, Dst: -1, Channel: -1})
	d.Paths().Add(PathRow{Step: 1, Rank: 1, From: 15_000_001, Until: 20_000_000, Cause: "queueing", Kind: "message",
		OnRank: 0, OnStep: 1, Op: 2, Src: 0, Dst: 1})
	if err := d.Finish(&Summary{State: Complete, Name: "x", Seed: 1, VirtualTime: 30_000_003}); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func traceOf(t *testing.T, r *Run, w TraceWindow) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteTrace(&b, w); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTrace(t *testing.T) {
	r := traceRun(t)
	trace := traceOf(t, r, TraceWindow{})
	scripttest.Golden(t, "trace.json", trace)
	if traceOf(t, r, TraceWindow{}) != trace {
		t.Error("two traces of one run differ")
	}
	n := checkTrace(t, trace)
	if want := map[string]int{"step": 6, "operation": 18, "flow": 12, "counter": 5,
		"critical path": 2, "arrival": 11, "arrow s": 11, "arrow f": 11}; !equalCounts(n, want) {
		t.Errorf("%v events, want %v", n, want)
	}
}

// A window keeps what overlaps it, and says what the queues held when it began.
func TestTraceWindow(t *testing.T) {
	trace := traceOf(t, traceRun(t), TraceWindow{From: 10_000_000, To: 12_000_000})
	n := checkTrace(t, trace)
	if want := map[string]int{"step": 2, "operation": 4, "flow": 3, "counter": 3,
		"critical path": 1, "arrival": 3, "arrow s": 3, "arrow f": 3}; !equalCounts(n, want) {
		t.Errorf("%v events, want %v", n, want)
	}
	if want := `"ts":10,"name":"rail1/host2 priority 3","args":{"bytes":4178}`; !strings.Contains(trace, want) {
		t.Errorf("no %s in %s", want, trace)
	}
}

// Of a run that was killed there is a trace of what there is.
func TestTraceOfUnfinishedRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	d, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	d.group = 100
	fill(d, 250)
	r, err := OpenIncomplete(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"flow": 200, "arrival": 198, "arrow s": 198, "arrow f": 198}
	if n := checkTrace(t, traceOf(t, r, TraceWindow{})); !equalCounts(n, want) {
		t.Errorf("%v, want 200 flows, of which two did not arrive", n)
	}
}

// Events are instants, but pauses, which last; a series is counters, which fall to zero where a link is idle.
func TestTraceOfALog(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	d, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	const us = 1_000_000
	d.Links().Add(LinkRow{Port: "host2/rail1", TxBytes: 1, Utilisation: 0.25})
	pause := EventRow{Time: 2 * us, Kind: EventPause, Port: "host2/rail1", Class: 3, PSN: -1, Root: "rail1/host1"}
	for _, e := range []EventRow{
		{Time: us, Kind: EventMark, Port: "rail1/host1", Class: 3, Name: "flow1", PSN: 7, Bytes: 5000, Threshold: 4000},
		pause,
		{Time: 3 * us, Kind: EventResume, Port: "host2/rail1", Class: 3, PSN: -1},
		{Time: 4 * us, Kind: EventRate, Port: "host2/rail1", Class: -1, Name: "flow1", PSN: -1, Rate: 5e10, Target: 1e11},
		{Time: 5 * us, Kind: EventPause, Port: "host2/rail1", Class: 3, PSN: -1, Root: "rail1/host1"},
		{Time: 6 * us, Kind: EventMark, Port: "rail1/host1", Class: 3, PSN: -1, LeftOut: 9},
	} {
		d.Events().Add(e)
	}
	for _, s := range []SeriesRow{
		{Until: us, Kind: SeriesLink, Port: "host2/rail1", Class: -1, Utilisation: 0.5},
		{Until: us, Kind: SeriesQueue, Port: "rail1/host1", Class: 3, Bytes: 777},
		{From: 3 * us, Until: 4 * us, Kind: SeriesLink, Port: "host2/rail1", Class: -1, Utilisation: 1},
		{From: 3 * us, Until: 4 * us, Kind: SeriesFlow, Port: "host2/rail1", Class: -1, Name: "flow1", Rate: 5e10},
	} {
		d.Series().Add(s)
	}
	if err := d.Finish(&Summary{State: Complete, Name: "x", VirtualTime: 7 * us}); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	trace := traceOf(t, r, TraceWindow{})
	// of the link: half, idle, busy, idle; of the queue; of the rate
	if n := checkTrace(t, trace); !equalCounts(n, map[string]int{"mark": 1, "pause": 2, "counter": 6}) {
		t.Errorf("%v", n)
	}
	for _, want := range []string{
		`"ts":2,"cat":"pause","name":"paused","args":{"because_of":"rail1/host1"}},`,
		`"ts":5,"cat":"pause"`, `{"ph":"E","pid":2,"tid":1,"ts":7}`, // the end of the run cut it off
		`"ts":1,"name":"host2/rail1","args":{"percent":0.000}`, `"ts":3,"name":"host2/rail1","args":{"percent":100.000}`,
		`"ts":4,"name":"flow1 rate","args":{"Gb/s":50.000}`, `"ts":1,"name":"rail1/host1 priority 3","args":{"bytes":777}`,
	} {
		if !strings.Contains(trace, want) {
			t.Errorf("no %s in %s", want, trace)
		}
	}
}

func equalCounts(a, b map[string]int) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

type traceEvent struct {
	Phase    string         `json:"ph"`
	Pid, Tid int            //
	Time     json.Number    `json:"ts"`
	Name     string         `json:"name"`
	Category string         `json:"cat"`
	ID       int64          `json:"id"`
	Args     map[string]any `json:"args"`
}

// checkTrace holds that a trace is what a viewer takes: threads whose slices begin
// and end in turn and in order of time, counters with a number, each process and
// thread with one name, given before it is used. It counts the slices by category.
func checkTrace(t *testing.T, text string) map[string]int {
	t.Helper()
	var trace struct {
		DisplayTimeUnit string       `json:"displayTimeUnit"`
		TraceEvents     []traceEvent `json:"traceEvents"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&trace); err != nil {
		t.Fatal(err)
	}
	if trace.DisplayTimeUnit != "ns" {
		t.Errorf("displayTimeUnit %q", trace.DisplayTimeUnit)
	}
	type thread struct{ pid, tid int }
	named, last, open := map[thread]string{}, map[thread]unit.Time{}, map[thread]bool{}
	seen, ends := map[string]bool{}, map[int64][]unit.Time{}
	count := map[string]int{}
	for _, e := range trace.TraceEvents {
		th := thread{e.Pid, e.Tid}
		if e.Pid < 1 {
			t.Errorf("process %d: %+v", e.Pid, e)
		}
		if e.Phase == "M" {
			if name, ok := e.Args["name"].(string); ok {
				if named[th] != "" || seen[e.Name+strconv.Itoa(e.Pid)+name] {
					t.Errorf("named twice: %+v", e)
				}
				named[th], seen[e.Name+strconv.Itoa(e.Pid)+name] = name, true
			}
			continue
		}
		if named[th] == "" || named[thread{e.Pid, 0}] == "" {
			t.Errorf("%+v: its process or thread has no name", e)
		}
		at := picoseconds(t, e.Time)
		switch e.Phase {
		case "B", "E":
			if open[th] != (e.Phase == "E") || at < last[th] {
				t.Errorf("%+v out of turn: the thread is at %d", e, last[th])
			}
			open[th], last[th] = e.Phase == "B", at
			if e.Phase == "B" {
				count[e.Category]++
				if e.Name == "" || e.Tid < 1 {
					t.Errorf("%+v", e)
				}
			}
		case "C":
			count["counter"]++
			for _, v := range e.Args {
				if _, ok := v.(json.Number); !ok {
					t.Errorf("%+v: not a number", e)
				}
			}
		case "i":
			count[e.Name]++
		case "s", "f":
			count["arrow "+e.Phase]++
			if ends[e.ID] = append(ends[e.ID], at); len(ends[e.ID]) == 2 && ends[e.ID][1] < ends[e.ID][0] {
				t.Errorf("%+v: the arrow goes back in time", e)
			}
		default:
			t.Errorf("phase %q", e.Phase)
		}
	}
	for th, is := range open {
		if is {
			t.Errorf("thread %v has a slice without an end", th)
		}
	}
	return count
}

// picoseconds reads a timestamp exactly.
func picoseconds(t *testing.T, us json.Number) unit.Time {
	t.Helper()
	v, ok := new(big.Rat).SetString(us.String())
	if !ok || v.Sign() < 0 {
		t.Fatalf("timestamp %q", us)
	}
	v.Mul(v, big.NewRat(1_000_000, 1))
	if !v.IsInt() {
		t.Fatalf("timestamp %s: not whole picoseconds", us)
	}
	return unit.Time(v.Num().Int64())
}

func TestMicrosecondsAreExact(t *testing.T) {
	for ps, want := range map[unit.Time]string{0: "0", 1: "0.000001", 1_000_000: "1", 1_500_000: "1.5",
		243_468_328_008: "243468.328008",
		1<<63 - 1:       "9223372036854.775807"} {
		if got := string(appendMicroseconds(nil, ps)); got != want {
			t.Errorf("%d ps: %s, want %s", ps, got, want)
		}
	}
}
