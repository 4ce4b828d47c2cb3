package exec_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
)

// experts is a job in which the members of a group decide in each step who gets how many of their
// rows, tell each other, send the rows, and send them back.
//
//	route = counts = dispatch = combine = check
type experts struct {
	exectest.Floats
	job    *workload.Job
	counts func(step int64, from, to int) int // what is decided
	gather bool                               // all counts are in countsIn, row by row: told by an all-gather
	said   func(rank int32, step int64, n workload.MemberCounts)
	wrong  []string
}

// gathers has the members tell each other by an all-gather.
func (e *experts) gathers() {
	n := int64(len(e.job.Groups[0].Ranks))
	s, err := coll.DirectAllGather([][]int32{identity(int(n))}, 1)
	if err != nil {
		panic(err)
	}
	e.gather = true
	all := workload.Range{Buffer: countsIn, Elems: n * n}
	e.job.Buffers[countsIn].Elems = n * n
	e.job.Collectives[counting] = workload.Collective{Name: "counts", Range: all, Schedule: s, ElemBytes: 4}
	ops := e.job.Programs[0].Ops
	ops[0].Writes = append(ops[0].Writes, all)
	ops[1].Reads, ops[1].Writes = nil, []workload.Range{all}
	for _, op := range ops[2:4] {
		op.Reads[2] = all
	}
	ops[4].Reads[0] = all
	for r, own := range e.Buffers {
		if own != nil {
			own[countsIn] = make([]byte, 4*n*n)
			for area := range workload.MaxAreas {
				e.Buffers[r][len(e.job.Buffers)+area] = make([]byte, e.job.Collectives[counting].StagingBytes())
			}
		}
	}
}

// The buffers and collectives of experts.
const (
	countsOut = iota // of this member for each other
	countsIn         // of each other for this member
	rows             // for member 0, then for member 1, ...
	placed           // from member 0, then from member 1, ...
	returned

	counting = 0 // collectives
	dispatch = 1
	combine  = 2

	routing  = 0 // bodies
	checking = 1
)

// newExperts returns a job over the given ranks of so many. No block has more than most rows.
func newExperts(ranks int, members []int32, schedule coll.Schedule, most int,
	counts func(step int64, from, to int) int) *experts {
	n := int64(len(members))
	exchange, err := coll.DirectAllToAll([][]int32{identity(len(members))}, 1)
	if err != nil {
		panic(err)
	}
	at := func(buffer int32, elems int64) workload.Range { return workload.Range{Buffer: buffer, Elems: elems} }
	through := int64(len(coll.Through(schedule, 0)) * most)
	all := n*int64(most) + through
	e := &experts{counts: counts}
	collective := func(name string, s coll.Schedule, out workload.Range) workload.Collective {
		return workload.Collective{Name: name, Range: out, Schedule: s, ElemBytes: 4}
	}
	decided := workload.Counts{Exchange: counting, Capacity: int64(most), Through: through, Declared: counts}
	back := decided
	back.Declared = func(step int64, from, to int) int { return counts(step, to, from) }
	e.job = &workload.Job{
		Groups: []workload.Group{{Name: "experts", Ranks: members}},
		Buffers: []workload.Buffer{{Name: "counts out", Elems: n, ElemBytes: 4}, {Name: "counts in", Elems: n, ElemBytes: 4},
			{Name: "rows", Elems: all, ElemBytes: 4}, {Name: "placed", Elems: all, ElemBytes: 4},
			{Name: "returned", Elems: all, ElemBytes: 4}},
		Bodies: make([]workload.Body, 2),
		Collectives: []workload.Collective{
			collective("counts", exchange, at(countsIn, n)).OutOfPlace(at(countsOut, n), exchange.Goal(),
				func(int, int) int { return 1 }),
			collective("dispatch", schedule, at(placed, all)).AtRunTime(at(rows, all), decided),
			collective("combine", schedule, at(returned, all)).AtRunTime(at(placed, all), back)},
		Of: make([]int32, ranks),
	}
	run := func(id int32, name string, c int32, reads []workload.Range, writes workload.Range) workload.Op {
		return workload.Op{ID: id, Name: name, Kind: workload.Communication, Stream: 1, Deps: []int32{id - 1}, Body: -1,
			Coll: c, Duration: us, Reads: reads, Writes: []workload.Range{writes}}
	}
	known := []workload.Range{at(countsOut, n), at(countsIn, n)}
	e.job.Programs = []workload.Program{{
		Streams: []workload.Stream{{Name: "compute", Group: -1}, {Name: "experts", Group: 0}},
		Ops: []workload.Op{
			{Name: "route", Kind: workload.Compute, Duration: 3 * us, Body: routing, Coll: -1,
				Decides: []int32{dispatch, combine},
				Writes:  []workload.Range{at(countsOut, n), at(rows, all)}},
			run(1, "counts", counting, known[:1], known[1]),
			run(2, "dispatch", dispatch, append([]workload.Range{at(rows, all)}, known...), at(placed, all)),
			run(3, "combine", combine, append([]workload.Range{at(placed, all)}, known...), at(returned, all)),
			{ID: 4, Name: "check", Kind: workload.Compute, Duration: us, Deps: []int32{3}, Body: checking, Coll: -1,
				Reads: []workload.Range{known[1], at(placed, all), at(returned, all)}},
		}}, {Streams: []workload.Stream{{Name: "compute", Group: -1}}}}
	for r := range e.job.Of {
		e.job.Of[r] = 1
		var own [][]byte
		if e.member(int32(r)) >= 0 {
			e.job.Of[r] = 0
			for _, b := range e.job.Buffers {
				own = append(own, make([]byte, 4*b.Elems))
			}
			for i := range e.job.Collectives {
				for range workload.MaxAreas {
					own = append(own, make([]byte, e.job.Collectives[i].StagingBytes()))
				}
			}
		}
		e.Buffers = append(e.Buffers, own)
	}
	return e
}

// member returns a rank's number in the group, -1 if it is not in it.
func (e *experts) member(rank int32) int {
	for m, r := range e.job.Groups[0].Ranks {
		if r == rank {
			return m
		}
	}
	return -1
}

// row is number k of what a member has for another in a step.
func row(step int64, from, to, k int) uint32 {
	return uint32(step)<<24 | uint32(from)<<20 | uint32(to)<<16 | uint32(k)
}

func (e *experts) put(rank int32, buffer, i int, v uint32) {
	binary.LittleEndian.PutUint32(e.Buffers[rank][buffer][4*i:], v)
}

func (e *experts) at(rank int32, buffer, i int) uint32 {
	return binary.LittleEndian.Uint32(e.Buffers[rank][buffer][4*i:])
}

// Compute makes the rows and what is decided of them, or checks where the rows of a step have come.
func (e *experts) Compute(rank int32, step int64, op *workload.Op) {
	me, n := e.member(rank), len(e.job.Groups[0].Ranks)
	if op.Body == routing {
		i := 0
		for to := range n {
			count := e.counts(step, me, to)
			if e.gather {
				e.put(rank, countsIn, me*n+to, uint32(count))
			} else {
				e.put(rank, countsOut, to, uint32(count))
			}
			for k := range min(count, int(e.job.Collectives[dispatch].Counts.Capacity)) {
				e.put(rank, rows, i, row(step, me, to, k))
				i++
			}
		}
		return
	}
	in, back := 0, 0
	for peer := range n {
		for k := range e.counts(step, peer, me) {
			if got, want := e.at(rank, placed, in), row(step, peer, me, k); got != want {
				e.wrong = append(e.wrong, fmt.Sprintf("rank %d step %d: row %d is %x, want %x", rank, step, in, got, want))
			}
			in++
		}
		for k := range e.counts(step, me, peer) {
			if got, want := e.at(rank, returned, back), row(step, me, peer, k); got != want {
				e.wrong = append(e.wrong, fmt.Sprintf("rank %d step %d: row %d came back as %x, want %x", rank, step, back, got,
					want))
			}
			back++
		}
	}
}

// Counts reads what was decided, and what the others have said.
func (e *experts) Counts(rank int32, step int64, c int32, n workload.MemberCounts) {
	for b := range n.Send {
		n.Send[b], n.Receive[b] = int(e.at(rank, countsOut, b)), int(e.at(rank, countsIn, b))
		if me, k := e.member(rank), len(n.Send); e.gather {
			n.Send[b], n.Receive[b] = int(e.at(rank, countsIn, me*k+b)), int(e.at(rank, countsIn, b*k+me))
		}
		if c == combine {
			n.Send[b], n.Receive[b] = n.Receive[b], n.Send[b]
		}
	}
	for k, of := range coll.Through(e.job.Collectives[c].Schedule, e.member(rank)) {
		if c == combine {
			of[0], of[1] = of[1], of[0]
		}
		n.Through[k] = int(e.at(rank, countsIn, int(of[0])*len(n.Send)+int(of[1])))
	}
	if e.said != nil && c == dispatch {
		e.said(rank, step, n)
	}
}

// run runs the job; without a body it is a replay of what is declared.
func (e *experts) run(steps int64, net exectest.Net, replay bool, paths func(*exec.PathRecord)) (*journal, error) {
	j := &journal{}
	var memory exec.Memory
	var body exec.Body
	if !replay {
		memory, body = e, e
	}
	d := exectest.New(net, memory)
	f := exec.NewPathFinder(e.job.Ranks(), 1, paths)
	for r := range e.job.Ranks() {
		d.Add(exec.Config{Rank: int32(r), Job: e.job, Steps: steps, Body: body, Observer: j, Paths: f})
	}
	_, err := d.Run()
	return j, err
}

// Rows come to whom they were decided for, and back, whatever is decided in a step, and however
// long messages take; when things happen depends on the counts alone: not on when bodies run, and a
// replay of the same counts takes the same times.
func TestCountsAtRunTime(t *testing.T) {
	empty, credited, passed := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 3, 4, 4, 5, 6, 6, 7}).Draw(t, "members")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var members []int32
		ranks := n + rapid.IntRange(0, 2).Draw(t, "others")
		for _, r := range rng.Perm(ranks)[:n] {
			members = append(members, int32(r))
		}
		orders := make([][]int32, rapid.IntRange(1, 3).Draw(t, "channels"))
		for c := range orders {
			orders[c] = identity(n)
			rng.Shuffle(n, func(i, k int) { orders[c][i], orders[c][k] = orders[c][k], orders[c][i] })
		}
		name := rapid.SampledFrom([]string{"direct-all-to-all", "pairwise-all-to-all", "two-level-all-to-all",
			"two-level-all-to-all"}).Draw(t, "algorithm")
		pieces := rapid.IntRange(1, 3).Draw(t, "slices")
		s, err := coll.Algorithms[name].New(orders, pieces)
		if on := coll.Algorithms[name].OnHosts; on != nil {
			var hosts []int // as many ranks on each
			for k := 1; k <= n; k++ {
				if n%k == 0 {
					hosts = append(hosts, k)
				}
			}
			s, err = on(orders, pieces, hosts[rng.IntN(len(hosts))])
		}
		if err != nil {
			t.Fatal(err)
		}
		if slots := rapid.IntRange(0, 4).Draw(t, "slots"); slots > 0 {
			if c, err := coll.WithCredit(s, slots); err == nil {
				s, credited = c, credited+1
			}
		}
		most := rapid.IntRange(1, 9).Draw(t, "capacity")
		steps := rapid.Int64Range(1, 5).Draw(t, "steps")
		drawn := make([]int, int(steps)*n*n)
		for i := range drawn {
			if drawn[i] = rng.IntN(2*most+1) - most; drawn[i] <= 0 {
				drawn[i], empty = 0, empty+1
			}
		}
		counts := func(step int64, from, to int) int { return drawn[(int(step)*n+from)*n+to] }
		e := newExperts(ranks, members, s, most, counts)
		through := len(coll.Through(s, 0))
		if rapid.Bool().Draw(t, "gathers") || through > 0 {
			e.gathers()
		}
		if passed += through; through > 0 {
			if err := coll.Check(s, coll.Goal{Collective: coll.AllToAll}); err != nil {
				t.Fatal(err)
			}
		}
		if rapid.Bool().Draw(t, "device") {
			e.job.Programs[0].Device = workload.Device{MemoryBandwidth: gbps / 100, MemoryEff: unit.Ratio{Num: 1, Den: 2}}
		}
		if err := e.job.Validate(); err != nil {
			t.Fatal(err)
		}
		if err := e.job.CheckRepeat(); err != nil {
			t.Fatal(err)
		}
		late := rapid.SliceOfN(rapid.Int64Range(0, 20), 97, 97).Draw(t, "latencies")
		net := func() exectest.Net {
			i := 0
			next := func() unit.Duration { i++; return unit.Duration(late[i%97]) * us }
			return exectest.Net{Ack: next(), Latency: func(exec.Message) unit.Duration { return next() },
				Credit: func(exec.Way) unit.Duration { return next() }}
		}
		computed := net()
		computed.BodyAt = rapid.SampledFrom([]exectest.BodyAt{exectest.AtStart, exectest.AtEnd,
			exectest.Beside}).Draw(t, "bodies")
		sums := func(p *exec.PathRecord) {
			if p.Split.Sum() != p.End.Sub(p.Start) {
				t.Fatalf("%s\ndoes not sum", text(*p))
			}
		}
		j, err := e.run(steps, computed, false, sums)
		if err != nil || len(e.wrong) > 0 {
			t.Fatalf("%v; %s", err, strings.Join(e.wrong, "\n"))
		}
		for _, s := range j.steps {
			if s.Split.Sum() != s.End.Sub(s.Start) {
				t.Fatalf("%+v does not sum", s)
			}
		}
		replayed, err := e.run(steps, net(), true, sums)
		if err != nil || fmt.Sprint(replayed) != fmt.Sprint(j) {
			t.Fatalf("%v; a replay differs:\n%v\n%v", err, j, replayed)
		}
	})
	if (empty == 0 || credited == 0 || passed == 0) && !testing.Short() {
		t.Errorf("%d empty blocks, %d schedules with credit, %d blocks that pass through ranks", empty, credited, passed)
	}
}

// Counts that do not fit, or on which two ranks do not agree, end the job, and say where.
func TestCountsThatGoWrong(t *testing.T) {
	s, err := coll.PairwiseAllToAll([][]int32{identity(3)}, 1)
	if err != nil {
		t.Fatal(err)
	}
	const lie, wide = 99, 4 // a lie is told in step 1, from rank 2 to rank 0
	for _, c := range []struct {
		name   string
		decide int            // for rank 0 by rank 2 in step 1
		learnt int            // what rank 0 learns of it; lie: the truth
		change func(*experts) // of the job
		slow   func(exec.Message) unit.Duration
		want   string
	}{
		{name: "right", decide: 4, learnt: lie},
		{name: "over the capacity", decide: 5, learnt: lie,
			want: `rank 2, step 1, collective "dispatch": member 2 sends 5 elements to member 0, want 0 to 4 (the capacity)`},
		{name: "over the input", decide: 4, learnt: lie,
			change: func(e *experts) { e.job.Collectives[dispatch].Input.Elems = 5 },
			want:   `rank 2, step 1, collective "dispatch": member 2 sends 6 elements in all, want at most 5`},
		{name: "over the output", decide: 4, learnt: lie,
			change: func(e *experts) { e.job.Collectives[dispatch].Range.Elems = 5 },
			want:   `rank 0, step 1, collective "dispatch": member 0 receives 6 elements in all, want at most 5`},
		{name: "a byte was lost", decide: 3, learnt: 2,
			want: `rank 0, step 1, collective "dispatch": want 8 B from rank 2, got 12 B of step 1, collective "dispatch": ` +
				`the ranks do not agree on the sizes`},
		{name: "none expected", decide: 3, learnt: 0,
			want: `rank 0, step 1, collective "combine": want 4 B from rank 2, got 12 B of step 1, collective "dispatch": ` +
				`the ranks do not agree on the sizes`},
		{name: "none sent", decide: 0, learnt: 3, want: "rank 0 is stuck in step 1"}, // as in real life
		{name: "none expected, of the size of the next", decide: 1, learnt: 0,
			want: `rank 0, step 1, collective "combine": want 4 B from rank 2, got 4 B of step 1, collective "dispatch": ` +
				`the ranks do not agree on the sizes`},
		{name: "none expected, last and early", decide: 3, learnt: 0, change: onlyDispatch,
			slow: func(m exec.Message) unit.Duration {
				if m.Src == 1 && m.Step == 1 && m.Coll == dispatch {
					return 50 * us
				}
				return 0
			},
			want: `rank 0: 12 B from rank 2 of step 1, collective "dispatch", which has ended here: the ranks do not agree on ` +
				`the sizes`},
		{name: "none expected, last", decide: 3, learnt: 0, change: onlyDispatch,
			want: `rank 0: 12 B from rank 2 of step 1, collective "dispatch", which has ended here: the ranks do not agree on ` +
				`the sizes`},
		{name: "none expected, last and late", decide: 3, learnt: 0, change: onlyDispatch,
			slow: func(m exec.Message) unit.Duration {
				if m.Src == 2 && m.Step == 1 && m.Coll == dispatch {
					return 50 * us
				}
				return 0
			},
			want: `rank 0: 12 B from rank 2 of step 1, collective "dispatch", which has ended here: the ranks do not agree on ` +
				`the sizes`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newExperts(3, identity(3), s, wide, func(step int64, from, to int) int {
				if step == 1 && from == 2 && to == 0 {
					return c.decide
				}
				return 1
			})
			if c.change != nil {
				c.change(e)
			}
			e.said = func(rank int32, step int64, n workload.MemberCounts) {
				if c.learnt != lie && rank == 0 && step == 1 {
					n.Receive[2] = c.learnt
				}
			}
			if err := e.job.Validate(); err != nil {
				t.Fatal(err)
			}
			_, err := e.run(2, exectest.Net{Rate: gbps, Latency: c.slow}, false, func(*exec.PathRecord) {})
			if got := fmt.Sprint(err); got != c.want && (c.want != "" || err != nil) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// onlyDispatch leaves out what comes after the dispatch.
func onlyDispatch(e *experts) {
	e.job.Programs[0].Ops = e.job.Programs[0].Ops[:3]
	e.job.Programs[0].Ops[0].Decides = []int32{dispatch}
}

// What the sizes come from must be known, and stay, when a collective begins.
func TestValidateCounts(t *testing.T) {
	s, err := coll.PairwiseAllToAll([][]int32{identity(3)}, 1)
	if err != nil {
		t.Fatal(err)
	}
	ring, err := coll.RingAllReduce([][]int32{identity(3)})
	if err != nil {
		t.Fatal(err)
	}
	ops := func(e *experts) []workload.Op { return e.job.Programs[0].Ops }
	for _, c := range []struct {
		name   string
		change func(*experts)
		want   string
	}{
		{"nobody decides", func(e *experts) { ops(e)[0].Decides = []int32{combine} },
			`operation "dispatch" begins before one has ended that decides the sizes of collective "dispatch"`},
		{"two decide", func(e *experts) { ops(e)[4].Decides = []int32{combine} },
			`operations "route" and "check" decide the sizes of collective "combine", want one`},
		{"too late", func(e *experts) { ops(e)[0].Decides, ops(e)[4].Decides = []int32{combine}, []int32{dispatch} },
			`operation "dispatch" begins before one has ended that decides the sizes of collective "dispatch"`},
		{"a collective decides", func(e *experts) { ops(e)[1].Decides = []int32{dispatch} },
			`operation "counts" is no compute operation, and decides sizes`},
		{"sizes that are known", func(e *experts) { ops(e)[0].Decides = []int32{counting} },
			`operation "route" decides the sizes of collective 0: it has none to be decided`},
		{"no such collective", func(e *experts) { ops(e)[0].Decides = []int32{7} },
			`operation "route" decides the sizes of collective 7: it has none to be decided`},
		{"exchanged before it is decided", func(e *experts) {
			ops(e)[1].Deps, ops(e)[1].Reads = nil, nil
			ops(e)[2].Deps = []int32{0, 1}
		}, `operation "dispatch" wants "counts" between the operation that decides its sizes, and it`},
		{"others may write the counts", func(e *experts) { ops(e)[2].Reads = ops(e)[2].Reads[:2] },
			`operation "dispatch" has its sizes from "counts", and does not read all of it: another may write it`},
		{"no capacity", func(e *experts) { e.job.Collectives[dispatch].Counts.Capacity = 0 },
			`collective "dispatch" has a capacity of 0 elements, want at least 1`},
		{"declared beyond it", func(e *experts) { e.job.Collectives[dispatch].Counts.Capacity = 1 },
			`collective "dispatch", as declared: member 0 sends 2 elements to member 0, want 0 to 1 (the capacity)`},
		{"no exchange", func(e *experts) { e.job.Collectives[dispatch].Counts.Exchange = 3 },
			`collective "dispatch" learns its sizes by collective 3, there are 3`},
		{"an exchange of sizes that are not known", func(e *experts) {
			e.job.Collectives[combine].Counts.Exchange = dispatch
		}, `collective "combine" learns its sizes by "dispatch", want an all-to-all or all-gather of the same group, ` +
			`of known sizes, without an empty chunk`},
		{"an exchange with an empty chunk", func(e *experts) {
			c := &e.job.Collectives[counting]
			*c = c.OutOfPlace(c.Input, coll.Goal{Collective: coll.AllToAll}, func(from, to int) int { return min(from, 1) })
		}, `collective "dispatch" learns its sizes by "counts", want an all-to-all or all-gather of the same group, ` +
			`of known sizes, without an empty chunk`},
		{"a sum", func(e *experts) {
			c := &e.job.Collectives[dispatch]
			*c = workload.Collective{Name: c.Name, Range: c.Range, Schedule: ring, ElemBytes: 4, Counts: c.Counts}
		}, `collective "dispatch" of ring-all-reduce has sizes that are decided in each step, want an all-to-all`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newExperts(3, identity(3), s, 2, func(int64, int, int) int { return 2 })
			c.change(e)
			if err := e.job.Validate(); err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// A body for a job whose sizes are decided in each step must decide them.
func TestABodyWithoutCounts(t *testing.T) {
	s, err := coll.PairwiseAllToAll([][]int32{identity(2)}, 1)
	if err != nil {
		t.Fatal(err)
	}
	e := newExperts(2, identity(2), s, 2, func(int64, int, int) int { return 2 })
	defer func() {
		const want = `exec: the sizes of collective "dispatch" are decided in each step, the body decides none`
		if got := recover(); got != want {
			t.Errorf("panic says %v", got)
		}
	}()
	exectest.New(exectest.Net{}, e).Add(exec.Config{Job: e.job, Steps: 1, Body: &e.Floats})
}

// Who passes on what others send each other has to know of it, has to have room for it, and gives no more than it may.
func TestCountsThatPassThrough(t *testing.T) {
	s, err := coll.TwoLevelAllToAll([][]int32{identity(4)}, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	e := newExperts(4, identity(4), s, 2, func(int64, int, int) int { return 2 })
	want := `collective "dispatch" learns its sizes by "counts", an all-to-all, but member 0 has to know of what passes through it: ` +
		`want an all-gather`
	if err := e.job.Validate(); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	c := &e.job.Collectives[dispatch]
	for k, want := range map[int]string{
		-1: "member 0 passes on -1 elements from member 1 to member 2, want 0 to 2 (the capacity)",
		2:  "<nil>",
		3:  "member 0 passes on 3 elements from member 1 to member 2, want 0 to 2 (the capacity)",
	} {
		n := c.NewCounts(0)
		n.Through[0] = k
		if got := fmt.Sprint(c.CheckCounts(0, n)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	decided := *c.Counts
	decided.Through = 1
	small, n := c.AtRunTime(c.Input, decided), c.NewCounts(0)
	n.Through[0] = 2
	if got := fmt.Sprint(small.CheckCounts(0, n)); got != "member 0 passes on 2 elements in all, want at most 1" {
		t.Errorf("got  %s", got)
	}
}
