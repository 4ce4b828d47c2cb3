package exec_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
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

// paths replays steps on every rank and returns the critical path of every every-th.
func paths(t rapid.TB, net exectest.Net, ranks int, steps, every int64,
	template func(rank int) *one) []exec.PathRecord {
	t.Helper()
	got, _ := observedPaths(t, net, ranks, steps, every, template)
	return got
}

func observedPaths(t rapid.TB, net exectest.Net, ranks int, steps, every int64,
	template func(rank int) *one) ([]exec.PathRecord, *journal) {
	t.Helper()
	var got []exec.PathRecord
	f := exec.NewPathFinder(ranks, every, func(p *exec.PathRecord) {
		q := *p
		q.Parts = slices.Clone(p.Parts)
		got = append(got, q)
	})
	j := &journal{}
	d := exectest.New(net, nil)
	job := jobOf(t, ranks, template)
	for r := range ranks {
		d.Add(exec.Config{Rank: int32(r), Job: job, Steps: steps, Observer: j, Paths: f})
	}
	if _, err := d.Run(); err != nil {
		t.Fatal(err)
	}
	if n := f.Held(); n > 1 {
		t.Errorf("%d steps are held after the last, want at most 1", n)
	}
	return got, j
}

// text returns a path, one line per part.
func text(p exec.PathRecord) string {
	var b strings.Builder
	fmt.Fprintf(&b, "step %d of rank %d, %v - %v:%s\n", p.Step, p.Rank, p.Start, p.End, split(p.Split))
	for _, q := range p.Parts {
		fmt.Fprintf(&b, "%v - %v %v: %v of rank %d, step %d operation %d", q.From, q.Until, q.Cause,
			q.Kind, q.Rank, q.Step, q.Op)
		if q.Src >= 0 {
			fmt.Fprintf(&b, ", %d to %d", q.Src, q.Dst)
		}
		if q.Channel >= 0 {
			fmt.Fprintf(&b, " on %d", q.Channel)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// messages counts the messages of a path of which no two in a row have the same sender.
func messages(p exec.PathRecord) (n int) {
	last := int32(-1)
	for _, q := range p.Parts {
		if q.Kind == exec.PathMessage && q.Src != last {
			n, last = n+1, q.Src
		}
	}
	return n
}

// A ring all-reduce is 2(n-1) messages, one after the other (Patarasuk and Yuan, JPDC 2009, section
// 4): no wait of its critical path is anybody else's.
func TestPathOfARingAllReduceIsItsClosedForm(t *testing.T) {
	for _, n := range []int{2, 3, 4, 8} {
		elems := int64(n) * 25000 // 100 kB chunks: 8 us at 100 Gb/s
		p := paths(t, exectest.Net{Latency: constant(2 * us), Rate: 100 * gbps}, n, 1, 1,
			same(step(5*us, 3*us, elems, ring(n, 1, 1))))[0]
		hops := unit.Duration(2 * (n - 1))
		want := cause.Split{cause.Compute: 5*us + 3*us + 5*us, cause.Propagation: hops * 2 * us,
			cause.Serialisation: hops * 8 * us}
		if p.Split != want || messages(p) != int(hops) {
			t.Errorf("%d ranks: %d messages,%s; want %d messages,%s", n, messages(p), split(p.Split), hops, split(want))
		}
	}
}

func TestPathPartByPart(t *testing.T) {
	s := step(5*us, 3*us, 50000, ring(2, 1, 1))
	// reduce 4.8 us, copy 3.2 us
	s.Device = workload.Device{MemoryBandwidth: 1000 * gbps, MemoryEff: unit.Ratio{Num: 1, Den: 2}}
	p := paths(t, exectest.Net{Latency: constant(2 * us), Rate: 100 * gbps}, 2, 1, 1, same(s))
	check(t, text(p[0]), `
	step 0 of rank 0, 0s - 41us: compute 21us, serialisation 16us, propagation 4us
	0s - 5us compute: compute of rank 0, step 0 operation 0
	5us - 8us compute: launch of rank 0, step 0 operation 1
	8us - 10us propagation: message of rank 0, step 0 operation 1, 0 to 1 on 0
	10us - 18us serialisation: message of rank 0, step 0 operation 1, 0 to 1 on 0
	18us - 22.8us compute: reduce or copy of rank 1, step 0 operation 1 on 0
	22.8us - 24.8us propagation: message of rank 1, step 0 operation 1, 1 to 0 on 0
	24.8us - 32.8us serialisation: message of rank 1, step 0 operation 1, 1 to 0 on 0
	32.8us - 36us compute: reduce or copy of rank 0, step 0 operation 1 on 0
	36us - 41us compute: compute of rank 0, step 0 operation 2
	`)
}

// Rank 2 computes for longer: its compute is on the path, nobody else's, whichever rank ended last.
func TestPathLeadsToTheStraggler(t *testing.T) {
	slow, quick := step(90*us, 0, 50000, ring(4, 1, 1)), step(5*us, 0, 50000, ring(4, 1, 1))
	slow.Ops[2].Duration = 1 * us // all others end after it
	p := paths(t, exectest.Net{Latency: constant(2 * us)}, 4, 1, 1,
		func(r int) *one { return []*one{quick, quick, slow, quick}[r] })[0]
	first, last := p.Parts[0], p.Parts[len(p.Parts)-1]
	if first.Kind != exec.PathCompute || first.Rank != 2 || first.Until.Sub(first.From) != 90*us {
		t.Errorf("path begins with %+v, want 90 us of compute of rank 2", first)
	}
	if last.Kind != exec.PathCompute || last.Rank == 2 || last.Rank != p.Rank {
		t.Errorf("path ends with %+v, want compute of rank %d", last, p.Rank)
	}
	if want := (cause.Split{cause.Compute: 95 * us, cause.Propagation: 12 * us}); p.Split != want {
		t.Errorf("causes are%s, want%s", split(p.Split), split(want))
	}
}

// One connection of the ring is slow. Steps say dependency: all ranks wait for its messages. The
// path says what those messages waited for.
func TestPathLeadsToTheSlowLink(t *testing.T) {
	net := exectest.Net{Latency: func(m exec.Message) unit.Duration {
		if m.Src == 2 && m.Dst == 3 {
			return 100 * us
		}
		return 1 * us
	}}
	got, j := observedPaths(t, net, 4, 1, 1, same(step(5*us, 0, 100000, ring(4, 1, 1))))
	p := got[0]
	if d := j.steps[len(j.steps)-1].Split; d[cause.Dependency] < 100*us {
		t.Errorf("the step's causes are%s, want at least 100us of dependency", split(d))
	}
	var slow unit.Duration
	for _, q := range p.Parts {
		if q.Kind == exec.PathMessage && q.Src == 2 && q.Dst == 3 {
			slow += q.Until.Sub(q.From)
		}
	}
	if p.Split[cause.Dependency] != 0 || slow < 200*us {
		t.Errorf("%v on the slow link of%s; want 200us at least, and no dependency", slow, split(p.Split))
	}
}

// What ends a collective, or lets an overwrite begin, may be an acknowledgement: then the message
// that it is for is on the path, and its own way back is acknowledgement.
func TestPathOverAcknowledgements(t *testing.T) {
	p := program{
		{{Kind: coll.Send, Peer: 1, Slot: -1, After: -1, Acked: -1},
			{Kind: coll.Recv, Peer: 1, Slot: 0, After: -1, Acked: -1},
			{Kind: coll.Copy, Peer: -1, Slot: 0, After: 1, Acked: 0}},
		{{Kind: coll.Send, Peer: 0, Slot: -1, After: -1, Acked: -1},
			{Kind: coll.Recv, Peer: 0, Slot: 0, After: -1, Acked: -1}}}
	s := step(1*us, 0, 25000, p)
	s.Device = workload.Device{MemoryBandwidth: 1000 * gbps, MemoryEff: unit.Ratio{Num: 1, Den: 1}} // copy: 1.6 us
	got := paths(t, exectest.Net{Rate: 100 * gbps, Ack: 20 * us}, 2, 1, 1, same(s))
	check(t, text(got[0]), `
	step 0 of rank 0, 0s - 31.6us: compute 3.6us, acknowledgement 20us, serialisation 8us
	0s - 1us compute: compute of rank 0, step 0 operation 0
	1us - 9us serialisation: message of rank 0, step 0 operation 1, 0 to 1 on 0
	9us - 29us acknowledgement: acknowledgement of rank 0, step 0 operation 1, 0 to 1 on 0
	29us - 30.6us compute: reduce or copy of rank 0, step 0 operation 1 on 0
	30.6us - 31.6us compute: compute of rank 0, step 0 operation 2
	`)
	s.Device = workload.Device{} // no copy: the acknowledgement ends the collective
	p[0] = p[0][:2]
	got = paths(t, exectest.Net{Rate: 100 * gbps, Ack: 20 * us}, 2, 1, 1, same(s))
	check(t, text(got[0]), `
	step 0 of rank 0, 0s - 30us: compute 2us, acknowledgement 20us, serialisation 8us
	0s - 1us compute: compute of rank 0, step 0 operation 0
	1us - 9us serialisation: message of rank 0, step 0 operation 1, 0 to 1 on 0
	9us - 29us acknowledgement: acknowledgement of rank 0, step 0 operation 1, 0 to 1 on 0
	29us - 30us compute: compute of rank 0, step 0 operation 2
	`)
}

// A copy over a chunk that was empty, and so never sent, waits for what was sent to that rank before it: that one's acknowledgement
// is on the path, whichever ranks and messages are slow.
func TestPathOverTheAcknowledgementBeforeAnEmptyChunk(t *testing.T) {
	r, over := rand.New(rand.NewPCG(1, 7)), 0
	for range 300 {
		order, slow, n := []int32{0, 1, 2, 3, 4, 5, 6}, r.IntN(12), 0
		r.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
		s, err := coll.Algorithms["halving-reduce-scatter"].New([][]int32{order}, 1)
		if err != nil {
			t.Fatal(err)
		}
		latency := func(exec.Message) unit.Duration {
			if n++; n == slow {
				return us
			}
			return 0
		}
		for _, p := range paths(t, exectest.Net{Latency: latency}, 7, 1, 1, same(step(1*us, 0, 1+r.Int64N(3), s))) {
			if p.Split.Sum() != p.End.Sub(p.Start) {
				t.Errorf("%v, message %d is slow: %s\ndoes not sum", order, slow, text(p))
			}
			over += messages(p)
		}
	}
	if over == 0 {
		t.Error("no path leads over a message")
	}
}

// Rank 1 ends step 0 later than the others. In step 1 rank 0 ends last, for a slow message of rank
// 2: its path leads into rank 1's step 0, and stops where rank 0 began step 1.
func TestPathReachesIntoTheStepBefore(t *testing.T) {
	net := exectest.Net{Latency: func(m exec.Message) unit.Duration {
		if m.Step == 1 && m.Src == 2 && m.Op == 9 {
			return 200 * us
		}
		return 10 * us
	}}
	quick, slow := step(5*us, 0, 3, ring(3, 1, 1)), step(5*us, 0, 3, ring(3, 1, 1))
	slow.Ops[2].Duration = 50 * us
	p := paths(t, net, 3, 2, 1, func(r int) *one { return []*one{quick, slow, quick}[r] })
	check(t, text(p[1]), `
	step 1 of rank 0, 50us - 315us: compute 55us, propagation 210us
	50us - 95us compute: compute of rank 1, step 0 operation 2
	95us - 100us compute: compute of rank 1, step 1 operation 0
	100us - 110us propagation: message of rank 1, step 1 operation 1, 1 to 2 on 0
	110us - 310us propagation: message of rank 2, step 1 operation 1, 2 to 0 on 0
	310us - 315us compute: compute of rank 0, step 1 operation 2
	`)
}

// silent posts nothing: the test delivers by hand.
type silent struct{}

func (silent) Open(exec.Way) int32                             { return 0 }
func (silent) Post(*exec.Message)                              {}
func (silent) Credit(int32, int32)                             {}
func (silent) Abort(_ int32, err error)                        { panic(err) }
func (silent) CopyIn(int32, exec.Token, unit.Bytes, exec.Work) {}
func (silent) Run(int32, exec.Token, unit.Duration, exec.Work) {}

// A rank that starts late has no step before its first; a message without a trace is dependency.
func TestPathOfALateStart(t *testing.T) {
	s := step(0, 0, 1, program{{{Kind: coll.Recv, Peer: 1, Slot: 0, After: -1, Acked: -1}},
		{{Kind: coll.Send, Peer: 0, Slot: -1, After: -1, Acked: -1}}})
	var got []string
	f := exec.NewPathFinder(2, 1, func(p *exec.PathRecord) { got = append(got, text(*p)) })
	var ranks [2]*exec.Rank
	job := jobOf(t, 2, same(s))
	for r := range ranks {
		ranks[r] = exec.NewRank(exec.Config{Rank: int32(r), Job: job, Steps: 1, Transport: silent{},
			Clock: silent{}, Paths: f})
	}
	at := func(d unit.Duration) unit.Time { return unit.Time(d) }
	ranks[0].Start(at(0))
	ranks[1].Start(at(50 * us))
	ranks[1].Acked(at(55*us), ranks[1].Outlet(exec.Conn{Peer: 0}), nil)
	ranks[0].Received(at(60*us), ranks[0].Inlet(exec.Conn{Peer: 1}), exec.Arrival{Bytes: 4}, nil)
	for r := range ranks {
		f.Ended(int32(r), 0)
	}
	check(t, strings.Join(got, ""), `
	step 0 of rank 0, 0s - 60us: dependency 60us
	0s - 50us dependency: unknown of rank 1, step 0 operation -1
	50us - 60us dependency: message of rank 1, step 0 operation 1, 1 to 0 on 0
	`)
}

// Whatever the latencies, paths cover the last rank's step exactly, without a gap, and know all of
// it; finding only some of them changes none.
func TestPathsSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "ranks")
		var templates []*one
		schedule := ring(n, rapid.IntRange(1, 3).Draw(t, "channels"), rapid.IntRange(1, 2).Draw(t, "slices"))
		elems := rapid.Int64Range(int64(n), 100).Draw(t, "elements") // all ranks wait for each other
		device := workload.Device{MemoryBandwidth: gbps, MemoryEff: unit.Ratio{Num: 4, Den: 5}}
		for range n {
			span := unit.Duration(rapid.Int64Range(0, 30).Draw(t, "compute")) * us
			s := step(span, 2*us, elems, schedule)
			s.Device = device
			templates = append(templates, s)
		}
		latencies := rapid.SliceOfN(rapid.Int64Range(0, 20), 64, 64).Draw(t, "latencies")
		ack := unit.Duration(rapid.Int64Range(0, 20).Draw(t, "ack")) * us
		net := exectest.Net{Rate: gbps, Ack: ack,
			Latency: func(m exec.Message) unit.Duration {
				return unit.Duration(latencies[(int64(m.Src*7+m.Channel*5+m.Op*3)+m.Step*11)%64]) * us
			}}
		steps := rapid.Int64Range(1, 5).Draw(t, "steps")
		every := rapid.Int64Range(2, 4).Draw(t, "every")
		template := func(r int) *one { return templates[r] }
		all, j := observedPaths(t, net, n, steps, 1, template)
		if len(all) != int(steps) {
			t.Fatalf("%d paths of %d steps", len(all), steps)
		}
		for _, p := range all {
			checkPath(t, p, j, 2*us, ack)
		}
		for i, p := range paths(t, net, n, steps, every, template) {
			if want := all[int64(i)*every]; text(p) != text(want) {
				t.Fatalf("every %d steps:\n%s\nevery step:\n%s", every, text(p), text(want))
			}
		}
	})
}

// checkPath holds a path against the records of the run, the time of a launch and that of an
// acknowledgement: a walk that went astray would stretch a part over what it missed.
func checkPath(t *rapid.T, p exec.PathRecord, j *journal, launch, ack unit.Duration) {
	var slow exec.StepRecord
	for _, s := range j.steps {
		if s.Step == p.Step && (s.End > slow.End || s.End == slow.End && s.Rank < slow.Rank) {
			slow = s
		}
	}
	if p.Rank != slow.Rank || p.Start != slow.Start || p.End != slow.End || p.Split.Sum() != p.End.Sub(p.Start) {
		t.Fatalf("%s\nis not rank %d, %v - %v", text(p), slow.Rank, slow.Start, slow.End)
	}
	at, split := p.Start, cause.Split{}
	for _, q := range p.Parts {
		if q.From != at || q.Until <= q.From || q.Kind == exec.PathUnknown {
			t.Fatalf("%s\nhas a gap at %v, or does not know", text(p), at)
		}
		if q.Kind == exec.PathMessage && q.Cause == cause.Dependency {
			t.Fatalf("%s\nhas a gap in a message", text(p))
		}
		want := map[exec.PathKind]unit.Duration{exec.PathLaunch: launch, exec.PathAck: ack}
		for _, o := range j.ops {
			if q.Kind == exec.PathCompute && o.Rank == q.Rank && o.Step == q.Step && o.Op == q.Op {
				want[exec.PathCompute] = o.End.Sub(o.Start)
			}
		}
		if w, ok := want[q.Kind]; ok && q.Until.Sub(q.From) != w && q.From > p.Start {
			t.Fatalf("%s\nhas %v of %v at %v, want %v", text(p), q.Until.Sub(q.From), q.Kind, q.From, w)
		}
		at = q.Until
		split[q.Cause] += q.Until.Sub(q.From)
	}
	if at != p.End || split != p.Split {
		t.Fatalf("%s\nends at %v, parts sum to%v", text(p), at, split)
	}
}

// A finder that records the last collectives only finds the end of the path that one of all finds: it begins where that comes to
// the end of one that is not recorded.
func TestPathsFromACollectiveOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, rounds := rapid.IntRange(2, 5).Draw(t, "ranks"), rapid.IntRange(1, 4).Draw(t, "rounds")
		schedule := ring(n, rapid.IntRange(1, 2).Draw(t, "channels"), 1)
		p := &one{Program: workload.Program{Streams: []workload.Stream{{Name: "compute", Group: -1}, {Name: "collectives"}}}}
		for i := range rounds {
			p.Collectives = append(p.Collectives, collective(fmt.Sprint("round", i), int64(10*n), schedule))
			op := workload.Op{ID: int32(i), Name: fmt.Sprint("round", i), Kind: workload.Communication, Stream: 1, Coll: int32(i), Body: -1,
				Duration: 2 * us}
			if i > 0 {
				op.Deps = []int32{int32(i - 1)}
			}
			p.Ops = append(p.Ops, op)
		}
		latencies := rapid.SliceOfN(rapid.Int64Range(0, 20), 64, 64).Draw(t, "latencies")
		net := exectest.Net{Rate: gbps, Latency: func(m exec.Message) unit.Duration {
			return unit.Duration(latencies[(m.Src*7+m.Channel*5+m.Op*3)%64]) * us
		}}
		job := jobOf(t, n, same(p))
		from := func(first int32) (got exec.PathRecord) {
			f := exec.NewPathFinder(n, 1, func(p *exec.PathRecord) {
				got = *p
				got.Parts = slices.Clone(p.Parts)
			})
			f.From(first)
			d := exectest.New(net, nil)
			for r := range n {
				d.Add(exec.Config{Rank: int32(r), Job: job, Steps: 1, Observer: &journal{}, Paths: f})
			}
			if _, err := d.Run(); err != nil {
				t.Fatal(err)
			}
			return got
		}
		all := from(0)
		first := rapid.IntRange(1, rounds).Draw(t, "first")
		last := from(int32(first))
		cut := len(all.Parts) - len(last.Parts)
		if cut < 0 || !slices.Equal(all.Parts[cut:], last.Parts) || last.Began != all.Start || last.End != all.End ||
			last.Split.Sum() != last.End.Sub(last.Start) || first == rounds && len(last.Parts) > 0 {
			t.Fatalf("from collective %d on:\n%s\nall:\n%s", first, text(last), text(all))
		}
		for i, q := range all.Parts { // what was cut off is of those before
			if q.Op >= 0 && (int(q.Op) < first) != (i < cut) {
				t.Fatalf("part %d of operation %d, cut at %d:\n%s", i, q.Op, cut, text(all))
			}
		}
	})
}
