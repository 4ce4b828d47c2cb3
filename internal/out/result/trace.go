package result

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"railyard/internal/base/unit"
)

// TraceWindow is the part of a run that a trace shows: what overlaps [From, To].
// The zero value is the whole run.
type TraceWindow struct {
	From, To unit.Time // To 0: to the end
}

func (w TraceWindow) overlaps(start, end unit.Time) bool {
	return end >= w.From && (w.To == 0 || start <= w.To)
}

// WriteTrace writes the run as trace-event JSON, which opens in Perfetto
// (ui.perfetto.dev) and chrome://tracing. Timestamps are microseconds, exact to
// the picosecond in their six decimals.
//
//	process "rank 0"                 thread "steps"          | step 0 | step 1 |
//	                                 thread "compute"        | forward 1 | ...
//	                                 thread "dp"             | allreduce.bucket1 |
//	process "sent by host1/gpu0"     thread "to host2/gpu0"  | a flow |
//	                                 thread "to host2/gpu0 #2" | one beside it |
//	process "received by host2/gpu0" thread "from host1/gpu0"     | placed to acknowledged |, an arrow from its sender
//	process "queues"                 counter "rail1/host1 priority 3", bytes
//	process "link utilisation"       counter "rail1/host1", percent, mean of the run or, with a series, of each interval
//	process "rates"                  counter "flow1 rate", "flow1 target", Gb/s; with a series or events
//	process "pauses"                 thread "host1/rail1 priority 3" | paused |; with events
//	process "events"                 thread "rail1/host1": instants; with events
//	process "critical path"          thread "of the rank that ended last" | compute of rank 3 | message of rank 3 |
//
// What runs at once gets threads of its own, because slices of one thread must
// nest. The order is that of the tables, so the same run gives the same bytes. It
// needs memory for one batch of rows and a few words a thread.
//
// Source: "Trace Event Format", Google, 2016: phases B, E, C, M, i, s and f. B and E, not
// X, because viewers that round begin and duration apart find overlaps there.
func (r *Run) WriteTrace(out io.Writer, window TraceWindow) error {
	t := &traceWriter{w: bufio.NewWriterSize(out, 256<<10), window: window, run: r, tracks: map[trackKey]*track{},
		named: map[string]int{}, threads: map[int]int{}}
	if err := t.begin(); err != nil {
		return err
	}
	for _, name := range r.Tables() {
		if err := t.table(name); err != nil {
			return err
		}
	}
	t.buf = append(t.buf, "\n]}\n"...)
	t.flush()
	if t.err != nil {
		return t.err
	}
	return t.w.Flush()
}

// traceWriter prints events. Rank r of the only job is process r+1; the others come after them.
type traceWriter struct {
	w      *bufio.Writer
	buf    []byte // the event that is being printed
	err    error
	window TraceWindow
	run    *Run

	pid, tid int // of the slice that is being printed

	events  int64
	pids    int            // the largest in use
	named   map[string]int // process by name
	threads map[int]int    // by process: the largest in use
	tracks  map[trackKey]*track
}

type trackKey struct {
	pid  int
	name string
}

// track is what has one name in a process: threads, as many as ran at once.
type track struct {
	tids []int
	ends []unit.Time // of the last slice of each
}

func (t *traceWriter) table(name string) error {
	switch name {
	case "steps":
		return eachRow(t, t.run.Steps(), t.step)
	case "operations":
		return eachRow(t, t.run.Operations(), t.operation)
	case "flows":
		return eachRow(t, t.run.Flows(), t.flow)
	case "links":
		if slices.Contains(t.run.Tables(), "series") {
			return nil // which says more
		}
		return eachRow(t, t.run.Links(), t.link)
	case "queues":
		q := queueTrace{t: t, before: map[Queue]unit.Bytes{}}
		if err := eachRow(t, t.run.Queues(), q.row); err != nil {
			return err
		}
		q.enter()
	case "paths":
		return eachRow(t, t.run.Paths(), t.path)
	case "events", "series":
		return t.logged(name)
	}
	return nil
}

// path shows a part of a step's critical path.
func (t *traceWriter) path(p PathRow) {
	if !t.window.overlaps(p.From, p.Until) {
		return
	}
	t.slice(t.process(t.whose(p.Job, "critical path")), "of the rank that ended last", "critical path",
		p.Kind+" of rank "+strconv.Itoa(int(p.OnRank)), p.From, p.Until)
	t.text("cause", p.Cause)
	t.number("step", int64(p.Step))
	t.number("slowest_rank", int64(p.Rank))
	t.number("op", int64(p.Op))
	if p.Src >= 0 {
		t.number("src", int64(p.Src))
		t.number("dst", int64(p.Dst))
		t.number("channel", int64(p.Channel))
	}
	t.endSlice(p.Until)
}

func (t *traceWriter) step(s StepRow) {
	if !t.window.overlaps(s.Start, s.End) {
		return
	}
	t.slice(t.rank(s.Job, s.Rank), "steps", "step", "step "+strconv.Itoa(int(s.Step)), s.Start, s.End)
	if s.Loss != nil {
		loss, _ := Float(*s.Loss).MarshalJSON()
		t.arg("loss", loss)
	}
	t.causes(s.Causes)
	t.endSlice(s.End)
}

func (t *traceWriter) operation(o OperationRow) {
	if !t.window.overlaps(o.Start, o.End) {
		return
	}
	pid := t.rank(o.Job, o.Rank)
	t.track(pid, "compute") // next to the steps
	t.slice(pid, o.Stream, "operation", o.Name, o.Start, o.End)
	t.number("step", int64(o.Step))
	t.number("op", int64(o.Op))
	t.number("released_by", int64(o.ReleasedBy))
	t.endSlice(o.End)
}

func (t *traceWriter) flow(f FlowRow) {
	end := max(f.Placed, f.Acked)
	if f.Acked == 0 {
		end = max(end, f.Posted, t.run.Summary.VirtualTime) // still under way when the run ended
	}
	if !t.window.overlaps(f.Posted, end) {
		return
	}
	t.slice(t.process("sent by "+f.Src), "to "+f.Dst, "flow", f.Name, f.Posted, end)
	t.number("id", f.ID)
	t.number("step", int64(f.Step))
	t.number("channel", int64(f.Channel))
	t.number("bytes", int64(f.Bytes))
	t.number("fct_ps", int64(f.FCT))
	t.number("marks", f.Marks)
	t.number("cnps", f.CNPs)
	t.number("retransmits", f.Retransmits)
	t.text("status", f.Status)
	t.text("path", f.Path)
	t.causes(f.Causes)
	t.endSlice(end)
	t.arrow(&f, t.pid, t.tid)
}

// link shows the mean of the run as a level: the tables hold no other.
func (t *traceWriter) link(l LinkRow) {
	if l.TxBytes == 0 {
		return
	}
	pid := t.process("link utilisation")
	percent := strconv.AppendFloat(nil, l.Utilisation*100, 'f', 3, 64)
	t.counter(pid, l.Port, t.window.From, "percent", percent)
	end := t.run.Summary.VirtualTime
	if t.window.To != 0 {
		end = min(end, t.window.To)
	}
	t.counter(pid, l.Port, max(end, t.window.From), "percent", percent)
}

// queueTrace shows queue lengths. What a queue held when the window began is known
// from a row before it.
type queueTrace struct {
	t       *traceWriter
	before  map[Queue]unit.Bytes
	order   []Queue
	entered bool
}

func (q *queueTrace) row(r QueueRow) {
	name := Queue{r.Port, r.Class}
	if r.Time < q.t.window.From && !q.entered {
		if _, there := q.before[name]; !there {
			q.order = append(q.order, name)
		}
		q.before[name] = r.Bytes
		return
	}
	q.enter()
	if at := max(r.Time, q.t.window.From); q.t.window.overlaps(at, at) {
		q.sample(name, at, r.Bytes)
	}
}

// enter prints the state at the beginning of the window, once.
func (q *queueTrace) enter() {
	if q.entered {
		return
	}
	q.entered = true
	for _, name := range q.order {
		q.sample(name, q.t.window.From, q.before[name])
	}
}

func (q *queueTrace) sample(name Queue, at unit.Time, bytes unit.Bytes) {
	q.t.counter(q.t.process("queues"), name.Port+" priority "+strconv.Itoa(int(name.Class)), at, "bytes",
		strconv.AppendInt(nil, int64(bytes), 10))
}

// begin prints what the trace is of, as otherData.
func (t *traceWriter) begin() error {
	s := t.run.Summary
	about, err := json.Marshal(struct {
		Run     string `json:"run"`
		State   State  `json:"state"`
		Seed    uint64 `json:"seed"`
		Version string `json:"version"`
	}{s.Name, s.State, s.Seed, s.Version})
	if err != nil {
		return err
	}
	t.buf = append(t.buf, `{"displayTimeUnit":"ns","otherData":`...)
	t.buf = append(t.buf, about...)
	t.buf = append(t.buf, `,"traceEvents":[`...)
	t.flush()
	return nil
}
