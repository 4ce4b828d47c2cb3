package exec_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
)

const (
	us   = unit.Microsecond
	gbps = unit.GigabitPerSec
)

// journal is an observer that keeps everything.
type journal struct {
	steps []exec.StepRecord
	ops   []exec.OperationRecord
}

func (j *journal) Step(s exec.StepRecord, _ []exec.Wait) { j.steps = append(j.steps, s) }
func (j *journal) Operation(o exec.OperationRecord)      { j.ops = append(j.ops, o) }

// rank returns the records of one rank as text, one line each.
func (j *journal) rank(n int32) string {
	var b strings.Builder
	for _, o := range j.ops {
		if o.Rank == n {
			fmt.Fprintf(&b, "%d %-18s %v - %v by %d", o.Step, o.Name, o.Start, o.End, o.ReleasedBy)
			if o.ReleasedSrc >= 0 {
				fmt.Fprintf(&b, " message from %d on %d", o.ReleasedSrc, o.ReleasedChannel)
			}
			b.WriteByte('\n')
		}
	}
	for _, s := range j.steps {
		if s.Rank == n {
			fmt.Fprintf(&b, "%d %v - %v:%s; comm %v, overlap %v\n", s.Step, s.Start, s.End,
				split(s.Split), s.Comm, s.Overlap)
		}
	}
	return b.String()
}

func split(s cause.Split) string {
	var parts []string
	for c, d := range s {
		if d != 0 {
			parts = append(parts, fmt.Sprintf(" %v %v", cause.Cause(c), d))
		}
	}
	return strings.Join(parts, ",")
}

func ring(ranks, channels, slices int) coll.Schedule {
	orders := make([][]int32, channels)
	for c := range orders {
		for r := range ranks {
			orders[c] = append(orders[c], int32((r+c)%ranks))
		}
	}
	s, err := coll.RingAllReduce(orders)
	if err == nil {
		s, err = s.Sliced(slices)
	}
	if err != nil {
		panic(err)
	}
	return s
}

// step is: compute for so long, all-reduce of so many elements, compute again for the same time.
func step(span, launch unit.Duration, elems int64, s coll.Schedule) *one {
	return &one{
		Collectives: []workload.Collective{collective("allreduce", elems, s)},
		Program: workload.Program{Streams: []workload.Stream{{Name: "compute", Group: -1},
			{Name: "data-parallel", Group: 0}},
			Ops: []workload.Op{
				{ID: 0, Name: "before", Kind: workload.Compute, Duration: span, Body: -1, Coll: -1},
				{ID: 1, Name: "allreduce", Kind: workload.Communication, Stream: 1, Deps: []int32{0},
					Duration: launch, Body: -1},
				{ID: 2, Name: "after", Kind: workload.Compute, Deps: []int32{1}, Duration: span, Body: -1, Coll: -1},
			}},
	}
}

// one is the program of one rank, and the collectives that all of them run.
type one struct {
	workload.Program
	Collectives []workload.Collective
}

func collective(name string, elems int64, s coll.Schedule) workload.Collective {
	return workload.Collective{Name: name, Range: workload.Range{Elems: elems}, ElemBytes: 4, Schedule: s}
}

// jobOf is a job of one group, with a program for each rank.
func jobOf(t rapid.TB, ranks int, template func(rank int) *one) *workload.Job {
	t.Helper()
	job := &workload.Job{Collectives: template(0).Collectives,
		Buffers: []workload.Buffer{{Name: "numbers", Elems: 1 << 40, ElemBytes: 4}},
		Groups:  []workload.Group{{Name: "all"}}}
	for r := range ranks {
		job.Groups[0].Ranks = append(job.Groups[0].Ranks, int32(r))
		job.Of = append(job.Of, int32(r))
		job.Programs = append(job.Programs, template(r).Program)
	}
	if err := job.Validate(); err != nil {
		t.Fatal(err)
	}
	return job
}

// replay runs steps on every rank; template gives each its own.
func replay(t testing.TB, net exectest.Net, ranks int, steps int64,
	template func(rank int) *one) (*journal, unit.Time) {
	t.Helper()
	j := &journal{}
	d := exectest.New(net, nil)
	job := jobOf(t, ranks, template)
	for r := range ranks {
		d.Add(exec.Config{Rank: int32(r), Job: job, Steps: steps, Observer: j})
	}
	end, err := d.Run()
	if err != nil {
		t.Fatal(err)
	}
	return j, end
}

func constant(d unit.Duration) func(exec.Message) unit.Duration {
	return func(exec.Message) unit.Duration { return d }
}

func same(s *one) func(int) *one { return func(int) *one { return s } }

func check(t testing.TB, got, want string) {
	t.Helper()
	want = strings.ReplaceAll(strings.TrimPrefix(want, "\n"), "\t", "")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A ring all-reduce moves 2(n-1) chunks one after the other: Patarasuk and Yuan, JPDC 2009, section
// 4.
func TestRingAllReduceTakesItsClosedForm(t *testing.T) {
	for _, n := range []int{2, 3, 4, 8} {
		elems := int64(n) * 25000 // 100 kB chunks: 8 us at 100 Gb/s
		_, end := replay(t, exectest.Net{Latency: constant(2 * us), Rate: 100 * gbps}, n, 1,
			same(step(0, 3*us, elems, ring(n, 1, 1))))
		want := 3*us + unit.Duration(2*(n-1))*(2*us+8*us)
		if end != unit.Time(want) {
			t.Errorf("%d ranks: %v, want %v", n, end, want)
		}
	}
}

// Reductions and copies take the device's time: 3 and 2 bytes of traffic per byte.
func TestLocalWorkTakesTheDevicesTime(t *testing.T) {
	s := step(0, 0, 50000, ring(2, 1, 1)) // one 100 kB chunk to reduce, one to copy
	s.Device = workload.Device{MemoryBandwidth: 1000 * gbps, MemoryEff: unit.Ratio{Num: 1, Den: 2}}
	j, end := replay(t, exectest.Net{Rate: 100 * gbps}, 2, 1, same(s))
	// only the last message's copy ended the wait
	if got := split(j.steps[0].Split); got != " compute 3.2us, dependency 12.8us, serialisation 8us" {
		t.Errorf("causes are%s", got)
	}
	if want := unit.Time(8*us + 4800*unit.Nanosecond + 8*us + 3200*unit.Nanosecond); end != want {
		t.Errorf("ends at %v, want %v", end, want)
	}
}

// The last message is posted when its sender has the one before: until then the wait is dependency.
func TestAWaitHasTheCausesOfTheMessageThatEndsIt(t *testing.T) {
	j, _ := replay(t, exectest.Net{Latency: constant(2 * us), Rate: 100 * gbps, Ack: 1 * us}, 2, 1,
		same(step(5*us, 3*us, 50000, ring(2, 1, 1))))
	check(t, j.rank(0), `
	0 before             0s - 5us by -1
	0 allreduce          5us - 29us by 0
	0 after              29us - 34us by 1 message from 1 on 0
	0 0s - 34us: compute 10us, dependency 13us, acknowledgement 1us, serialisation 8us, propagation 2us; comm 24us, overlap 0s
	`)
}

// Rank 1 computes for longer. Its messages are late, and rank 0's are there before it asks. (Rank 0
// has all it needs at 58 us and waits 8 us for the acknowledgement of its last message.)
func TestMessagesMayComeBeforeTheCollective(t *testing.T) {
	slow, quick := step(50*us, 0, 50000, ring(2, 1, 1)), step(5*us, 0, 50000, ring(2, 1, 1))
	j, _ := replay(t, exectest.Net{Rate: 100 * gbps}, 2, 1, func(r int) *one { return []*one{quick, slow}[r] })
	check(t, j.rank(0), `
	0 before             0s - 5us by -1
	0 allreduce          5us - 66us by 0
	0 after              66us - 71us by 1 message from 1 on 0
	0 0s - 71us: compute 10us, dependency 45us, acknowledgement 8us, serialisation 8us; comm 61us, overlap 0s
	`)
	check(t, j.rank(1), `
	0 before             0s - 50us by -1
	0 allreduce          50us - 66us by 0
	0 after              66us - 116us by 1 message from 0 on 0
	0 0s - 116us: compute 100us, dependency 8us, serialisation 8us; comm 16us, overlap 0s
	`)
}

// Whatever the latencies, every rank ends, causes sum, and each non-empty chunk crosses each hop
// once.
func TestAnyLatencies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "ranks")
		channels := rapid.IntRange(1, 4).Draw(t, "channels")
		slices := rapid.IntRange(1, 3).Draw(t, "slices")
		elems := rapid.Int64Range(0, 200).Draw(t, "elements") // often fewer than chunks
		span := unit.Duration(rapid.Int64Range(0, 9).Draw(t, "compute")) * us
		s := step(span, unit.Duration(rapid.Int64Range(0, 2).Draw(t, "launch"))*us, elems, ring(n, channels, slices))
		if rapid.Bool().Draw(t, "device") {
			s.Device = workload.Device{MemoryBandwidth: gbps, MemoryEff: unit.Ratio{Num: 4, Den: 5}}
		}
		posted := 0
		net := exectest.Net{Rate: gbps, Ack: unit.Duration(rapid.Int64Range(0, 20).Draw(t, "ack")) * us,
			Latency: func(exec.Message) unit.Duration {
				return unit.Duration(rapid.Int64Range(0, 20).Draw(t, "latency")) * us
			},
			Posted: func(unit.Time, exec.Message) { posted++ }}
		steps := rapid.Int64Range(1, 3).Draw(t, "steps")
		j := &journal{}
		d := exectest.New(net, nil)
		job := jobOf(t, n, same(s))
		for r := range n {
			d.Add(exec.Config{Rank: int32(r), Job: job, Steps: steps, Observer: j})
		}
		if _, err := d.Run(); err != nil {
			t.Fatal(err)
		}
		if len(j.steps) != n*int(steps) {
			t.Fatalf("%d step records, want %d", len(j.steps), n*int(steps))
		}
		for _, s := range j.steps {
			if s.Split.Sum() != s.End.Sub(s.Start) || s.Overlap > s.Comm {
				t.Fatalf("%+v does not sum", s)
			}
		}
		if want := chunks(int(elems), n, channels, slices) * 2 * (n - 1) * int(steps); posted != want {
			t.Fatalf("%d messages, want %d", posted, want)
		}
	})
}

// chunks counts those of a ring that have elements.
func chunks(elems, ranks, channels, slices int) (n int) {
	s := ring(ranks, channels, slices)
	for c := range channels {
		for k := range s.Chunks() {
			if lo, hi := coll.ChunkRange(s, elems, c, k); hi > lo {
				n++
			}
		}
	}
	return n
}

// program is a schedule written out: by rank, one channel.
type program [][]coll.Op

func (p program) Name() string           { return "program" }
func (p program) Ranks() int             { return len(p) }
func (p program) Channels() int          { return 1 }
func (p program) Chunks() int            { return 1 }
func (p program) Slots() int             { return 2 }
func (p program) Len(rank, _ int) int    { return len(p[rank]) }
func (p program) Op(r, _, i int) coll.Op { return p[r][i] }

// Rank 0 sends its chunk, and may not overwrite it before the acknowledgement.
func TestAWriteWaitsForTheAcknowledgement(t *testing.T) {
	p := program{
		{{Kind: coll.Send, Peer: 1, Slot: -1, After: -1, Acked: -1},
			{Kind: coll.Recv, Peer: 1, Slot: 0, After: -1, Acked: -1},
			{Kind: coll.Copy, Peer: -1, Slot: 0, After: 1, Acked: 0}},
		{{Kind: coll.Send, Peer: 0, Slot: -1, After: -1, Acked: -1},
			{Kind: coll.Recv, Peer: 0, Slot: 0, After: -1, Acked: -1}}}
	s := step(0, 0, 25000, p)
	s.Device = workload.Device{MemoryBandwidth: 1000 * gbps, MemoryEff: unit.Ratio{Num: 1, Den: 1}} // copy: 1.6 us
	j, _ := replay(t, exectest.Net{Rate: 100 * gbps, Ack: 20 * us}, 2, 1, same(s))
	check(t, j.rank(0), `
	0 before             0s - 0s by -1
	0 allreduce          0s - 29.6us by 0
	0 after              29.6us - 29.6us by 1 message from 1 on 0
	0 0s - 29.6us: compute 1.6us, acknowledgement 20us, serialisation 8us; comm 29.6us, overlap 0s
	`)
}

// What held up an acknowledgement is told where the driver knows it: here a loss.
func TestALostAcknowledgementIsNoDependency(t *testing.T) {
	p := program{
		{{Kind: coll.Send, Peer: 1, Slot: -1, After: -1, Acked: -1}},
		{{Kind: coll.Recv, Peer: 0, Slot: 0, After: -1, Acked: -1}}}
	j, _ := replay(t, exectest.Net{Rate: 100 * gbps, Ack: 20 * us, Repeat: 15 * us}, 2, 1, same(step(0, 0, 25000, p)))
	check(t, j.rank(0), `
	0 before             0s - 0s by -1
	0 allreduce          0s - 28us by 0
	0 after              28us - 28us by 1
	0 0s - 28us: acknowledgement 13us, retransmission 15us; comm 28us, overlap 0s
	`)
}

// Nobody sends: the launch is compute, and what came before explains the rest.
func TestAWaitWithoutAMessage(t *testing.T) {
	p := program{{}, {}}
	s := step(5*us, 3*us, 25000, p)
	j, _ := replay(t, exectest.Net{}, 2, 1, same(s))
	check(t, j.rank(1), `
	0 before             0s - 5us by -1
	0 allreduce          5us - 8us by 0
	0 after              8us - 13us by 1
	0 0s - 13us: compute 13us; comm 3us, overlap 0s
	`)
}

// The same instant that ends one step begins the next, without a gap.
func TestStepsRunBackToBack(t *testing.T) {
	j, end := replay(t, exectest.Net{Rate: 100 * gbps, Latency: constant(2 * us)}, 4, 5,
		same(step(5*us, 3*us, 100000, ring(4, 2, 1))))
	at := map[int32]unit.Time{}
	for _, s := range j.steps {
		if s.Start != at[s.Rank] {
			t.Errorf("rank %d step %d starts at %v, the one before ended at %v", s.Rank, s.Step, s.Start, at[s.Rank])
		}
		at[s.Rank] = s.End
	}
	if at[0] != end || len(j.steps) != 20 {
		t.Errorf("%d steps end at %v, want 20 and %v", len(j.steps), at[0], end)
	}
}

// A message that had come before its Recv held nobody up: the wait is explained by
// the collective before, on which this one followed.
func TestAnEarlyMessageExplainsNothing(t *testing.T) {
	two := func(span unit.Duration) *one {
		s := step(span, 0, 50000, ring(2, 1, 1))
		// Rank 1 sends to rank 0, which copies: nobody waits for rank 0.
		push := program{{{Kind: coll.Recv, Peer: 1, Slot: 0, After: -1, Acked: -1},
			{Kind: coll.Copy, Peer: -1, Slot: 0, After: 0, Acked: -1}},
			{{Kind: coll.Send, Peer: 0, Slot: -1, After: -1, Acked: -1}}}
		s.Collectives = append(s.Collectives, collective("push", 1, push))
		s.Ops[2] = workload.Op{ID: 2, Name: "push", Kind: workload.Communication, Stream: 1, Deps: []int32{1},
			Duration: span, Body: -1, Coll: 1}
		s.Ops = append(s.Ops, workload.Op{ID: 3, Name: "after", Kind: workload.Compute, Deps: []int32{2},
			Duration: span, Body: -1, Coll: -1})
		return s
	}
	j, _ := replay(t, exectest.Net{Rate: 100 * gbps}, 2, 1,
		func(r int) *one { return two([]unit.Duration{30 * us, 5 * us}[r]) })
	check(t, j.rank(0), `
	0 before             0s - 30us by -1
	0 allreduce          30us - 46us by 0
	0 push               46us - 76us by 1 message from 1 on 0
	0 after              76us - 106us by 2
	0 0s - 106us: compute 90us, dependency 8us, serialisation 8us; comm 46us, overlap 0s
	`)
}

func TestStopEndsAfterTheStepAndFailAtOnce(t *testing.T) {
	d := exectest.New(exectest.Net{}, nil)
	j := &journal{}
	a := d.Add(exec.Config{Rank: 0, Job: jobOf(t, 1, same(step(5*us, 0, 0, program{{}}))), Steps: 3, Observer: j})
	a.Stop()
	if _, err := d.Run(); err != nil || a.Steps() != 1 || a.Status() != exec.OK {
		t.Errorf("%d steps, %v, error %v; want 1, OK and none", a.Steps(), a.Status(), err)
	}
	d = exectest.New(exectest.Net{}, nil)
	a = d.Add(exec.Config{Rank: 0, Job: jobOf(t, 1, same(step(5*us, 0, 0, program{{}}))), Steps: 3})
	a.Fail(0)
	if !a.Finished() || a.Status() != exec.Failed {
		t.Error("a failed rank is not finished")
	}
	d = exectest.New(exectest.Net{}, nil)
	a = d.Add(exec.Config{Rank: 0, Job: jobOf(t, 1, same(step(5*us, 0, 0, program{{}}))), Steps: 3})
	a.StopAfter(2)
	if _, err := d.Run(); err != nil || a.Steps() != 2 {
		t.Errorf("%d steps, error %v; want 2", a.Steps(), err)
	}
}

// A rank stands still after the steps of a checkpoint, but for the last: no step counts that time.
func TestCheckpointsLieBetweenSteps(t *testing.T) {
	d := exectest.New(exectest.Net{}, nil)
	j := &journal{}
	a := d.Add(exec.Config{Rank: 0, Job: jobOf(t, 1, same(step(5*us, 0, 0, program{{}}))), Steps: 6, Observer: j,
		Checkpoint: exec.Checkpoint{Every: 2, Takes: 7 * us}})
	a.CheckpointAfter(5)
	if _, err := d.Run(); err != nil || a.Steps() != 6 {
		t.Fatalf("%d steps, error %v; want 6", a.Steps(), err)
	}
	var starts []unit.Time
	for _, s := range j.steps {
		starts = append(starts, s.Start)
		if s.End.Sub(s.Start) != j.steps[0].End.Sub(j.steps[0].Start) {
			t.Errorf("step %d takes %v", s.Step, s.End.Sub(s.Start))
		}
	}
	each := j.steps[0].End.Sub(0)
	for i, saves := range []unit.Duration{0, 0, 1, 1, 2, 3} {
		if want := unit.Time(unit.Duration(i)*each + saves*7*us); starts[i] != want {
			t.Errorf("step %d starts at %v, want %v", i, starts[i], want)
		}
	}
}
