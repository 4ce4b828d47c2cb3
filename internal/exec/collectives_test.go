package exec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/coll"
	"railyard/internal/exec"
	"railyard/internal/exec/exectest"
	"railyard/internal/unit"
	"railyard/internal/workload"
)

// floats is the memory and the work of ranks that run collectives on real numbers.
type floats struct{ buffers [][][]byte } // by rank and buffer

func (f *floats) Bytes(rank int32, r exec.Ref) []byte {
	return f.buffers[rank][r.Buffer][r.Off : r.Off+r.Len]
}
func (f *floats) Compute(int32, int64, *workload.Op) {}
func (f *floats) Copy(rank, _ int32, dst, src exec.Ref) {
	copy(f.Bytes(rank, dst), f.Bytes(rank, src))
}
func (f *floats) Reduce(rank, _ int32, dst, src exec.Ref) {
	d, s := f.Bytes(rank, dst), f.Bytes(rank, src)
	for i := 0; i < len(d); i += 4 {
		v := math.Float32frombits(binary.LittleEndian.Uint32(d[i:])) +
			math.Float32frombits(binary.LittleEndian.Uint32(s[i:]))
		binary.LittleEndian.PutUint32(d[i:], math.Float32bits(v))
	}
}

// pack returns numbers as bytes.
func pack(f []float32) (b []byte) {
	for _, v := range f {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// together is a job in which a group of the ranks runs a schedule twice in each step, collective i
// from buffer 2i+1, where the schedule has an input, to buffer 2i.
type together struct {
	job      *workload.Job
	schedule coll.Schedule
	layout   coll.Layout
	steps    int64
	memory   floats
	in, out  [2][][]float32 // by collective and member, as coll.Execute leaves them
}

// drawSchedule draws an algorithm over n ranks, with credit if it can have any.
func drawSchedule(t *rapid.T, n int, rng *rand.Rand) coll.Schedule {
	name := rapid.SampledFrom(coll.AlgorithmNames()).Draw(t, "algorithm")
	a := coll.Algorithms[name]
	orders := make([][]int32, rapid.IntRange(1, 3).Draw(t, "channels"))
	if name == "double-tree-all-reduce" {
		orders = make([][]int32, 2)
	}
	root := rng.IntN(n)
	for c := range orders { // all begin with one rank: a root
		orders[c] = identity(n)
		orders[c][0], orders[c][root] = orders[c][root], orders[c][0]
		rng.Shuffle(n-1, func(i, j int) { orders[c][i+1], orders[c][j+1] = orders[c][j+1], orders[c][i+1] })
	}
	pipeline := 1
	if a.Pipeline > 0 {
		pipeline = rapid.IntRange(1, 4).Draw(t, "pipeline")
	}
	s, err := a.New(orders, pipeline)
	if perHost := rapid.IntRange(1, n).Draw(t, "ranks per host"); err == nil && a.OnHosts != nil && n%perHost == 0 {
		s, err = a.OnHosts(orders, pipeline, perHost)
	}
	if err != nil {
		t.Fatal(err)
	}
	if slots := rapid.IntRange(0, 4).Draw(t, "slots"); slots > 0 {
		if c, err := coll.WithCredit(s, slots); err == nil {
			return c
		}
	}
	return s
}

func drawTogether(t *rapid.T) *together {
	n := rapid.IntRange(2, 9).Draw(t, "members")
	others := rapid.IntRange(0, 3).Draw(t, "others")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	w := &together{job: &workload.Job{}, schedule: drawSchedule(t, n, rng)}
	s := w.schedule
	group := workload.Group{Name: "group"}
	for _, r := range rng.Perm(n + others)[:n] {
		group.Ranks = append(group.Ranks, int32(r))
	}
	w.job.Groups = []workload.Group{group}
	compute := workload.Stream{Name: "compute", Group: -1}
	w.job.Programs = []workload.Program{{Streams: []workload.Stream{compute, {Name: "group"}}},
		{Streams: []workload.Stream{compute}, Ops: []workload.Op{{Name: "alone", Kind: workload.Compute, Duration: us,
			Body: -1, Coll: -1}}}}
	if rapid.Bool().Draw(t, "device") {
		w.job.Programs[0].Device = workload.Device{MemoryBandwidth: gbps / 100, MemoryEff: unit.Ratio{Num: 1, Den: 2}}
	}
	for r := range int32(n + others) {
		w.job.Of = append(w.job.Of, 0)
		if !slices.Contains(group.Ranks, r) {
			w.job.Of[r] = 1
		}
	}
	w.collectives(t, n, rng)
	if err := w.job.Validate(); err != nil {
		t.Fatal(err)
	}
	if w.steps = 1; w.job.CheckRepeat() == nil {
		w.steps = rapid.Int64Range(1, 4).Draw(t, "steps")
	}
	for r := range w.job.Of {
		w.memory.buffers = append(w.memory.buffers, nil)
		for b := range w.job.Buffers {
			var own []float32
			if m := slices.Index(group.Ranks, int32(r)); m >= 0 {
				own = [][][]float32{w.out[b/2], w.in[b/2]}[b%2][m]
			}
			w.memory.buffers[r] = append(w.memory.buffers[r], pack(own))
		}
		for i := range w.job.Collectives {
			c := &w.job.Collectives[i]
			w.memory.buffers[r] = append(w.memory.buffers[r], make([]byte, c.StagingBytes()), nil)
			if c.Areas() > 1 {
				w.memory.buffers[r][len(w.job.Buffers)+2*i+1] = make([]byte, c.StagingBytes())
			}
		}
	}
	for range w.steps {
		for i := range w.in {
			coll.ExecuteFrom(s, w.layout, w.in[i], w.out[i])
		}
	}
	return w
}

// collectives adds the two collectives, with their numbers.
func (w *together) collectives(t *rapid.T, n int, rng *rand.Rand) {
	s := w.schedule
	elems, input := rapid.IntRange(0, 60).Draw(t, "elements"), 0
	c := workload.Collective{Name: s.Name(), ElemBytes: 4, Schedule: s, Range: workload.Range{Elems: int64(elems)}}
	w.layout = coll.EvenLayout(s, elems)
	if inputs := coll.Inputs(s) / coll.Slices(s); inputs > 0 {
		goal, _ := coll.GoalOf(s)
		blocks := max(inputs, s.Chunks()/coll.Slices(s))
		most := rapid.IntRange(0, 12).Draw(t, "elements of a block")
		sizes := make([]int, n*blocks)
		for i := range sizes {
			sizes[i] = rng.IntN(most + 1)
			if goal.Collective == coll.Barrier { // a token in every channel
				sizes[i] = s.Channels()
			}
		}
		size := func(member, block int) int { return sizes[member*blocks+block] }
		input = blocks * max(most, s.Channels())
		c = c.OutOfPlace(workload.Range{Elems: int64(input)}, goal, size)
		w.layout = coll.BlockLayout(s, goal, size)
		c.Range.Elems = int64(n * blocks * max(most, s.Channels()))
	}
	for i := range int32(2) {
		c.Range.Buffer, c.Input.Buffer = 2*i, 2*i+1
		w.job.Collectives = append(w.job.Collectives, c)
		w.job.Buffers = append(w.job.Buffers, workload.Buffer{Name: "output", Elems: c.Range.Elems, ElemBytes: 4},
			workload.Buffer{Name: "input", Elems: int64(input), ElemBytes: 4})
		w.job.Programs[0].Ops = append(w.job.Programs[0].Ops, workload.Op{ID: i, Name: s.Name(),
			Kind: workload.Communication, Stream: 1, Body: -1, Coll: i, Duration: unit.Duration(rng.IntN(3)) * us})
		draw := func(n int64) (f []float32) {
			for range n {
				f = append(f, float32(rng.NormFloat64()))
			}
			return f
		}
		for range n {
			w.in[i], w.out[i] = append(w.in[i], draw(int64(input))), append(w.out[i], draw(c.Range.Elems))
		}
	}
}

// Every algorithm, with credit and without, in place and out of place, leaves in every group and
// whatever the latencies what coll.Execute leaves; causes and critical paths sum.
func TestEveryCollective(t *testing.T) {
	seen, waits := map[string]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		w := drawTogether(t)
		seen[w.schedule.Name()]++
		latency := rapid.SliceOfN(rapid.Int64Range(0, 20), 97, 97).Draw(t, "latencies")
		drawn := 0
		next := func() unit.Duration { drawn++; return unit.Duration(latency[drawn%97]) * us }
		net := exectest.Net{Ack: next(), Latency: func(exec.Message) unit.Duration { return next() },
			Credit: func(exec.Way) unit.Duration { return next() },
			BodyAt: rapid.SampledFrom([]exectest.BodyAt{exectest.AtStart, exectest.AtEnd}).Draw(t, "bodies")}
		j := &journal{}
		f := exec.NewPathFinder(w.job.Ranks(), 1, func(p *exec.PathRecord) {
			at := p.Start
			for _, q := range p.Parts {
				if q.From != at {
					t.Fatalf("%s\nhas a gap at %v", text(*p), at)
				}
				if at = q.Until; q.Kind == exec.PathCredit {
					waits++
				}
			}
			if p.Split.Sum() != p.End.Sub(p.Start) || len(p.Parts) > 0 && at != p.End {
				t.Fatalf("%s\ndoes not sum", text(*p))
			}
		})
		d := exectest.New(net, &w.memory)
		for r := range w.job.Ranks() {
			d.Add(exec.Config{Rank: int32(r), Job: w.job, Steps: w.steps, Body: &w.memory, Observer: j, Paths: f})
		}
		if _, err := d.Run(); err != nil {
			t.Fatalf("%s: %v", w.schedule.Name(), err)
		}
		for _, s := range j.steps {
			if s.Split.Sum() != s.End.Sub(s.Start) {
				t.Fatalf("%+v does not sum", s)
			}
		}
		for m, r := range w.job.Groups[0].Ranks {
			for i := range w.out {
				if !bytes.Equal(w.memory.buffers[r][2*i], pack(w.out[i][m])) {
					t.Fatalf("%s, collective %d, member %d: not what coll.Execute leaves", w.schedule.Name(), i, m)
				}
			}
		}
	})
	if len(seen) < len(coll.AlgorithmNames())*2/3 || waits == 0 {
		t.Errorf("%d of %d algorithms, %d waits for credits on critical paths", len(seen), len(coll.AlgorithmNames()), waits)
	}
}

// twoRanks runs steps of a broadcast in 3 chunks over 2 slots. Rank 1 takes 10 us for each copy.
func twoRanks(t *testing.T, net exectest.Net, steps int64) (*exectest.Driver, *journal, *[]string) {
	t.Helper()
	s, err := coll.ChainBroadcast([][]int32{{0, 1}}, 3)
	if err == nil {
		s, err = s.Credited(2)
	}
	if err != nil {
		t.Fatal(err)
	}
	job := jobOf(t, 2, func(int) *one {
		p := step(0, 0, 3750, s) // 5 kB chunks: a copy takes 10 us
		p.Device = workload.Device{MemoryBandwidth: 16 * gbps, MemoryEff: unit.Ratio{Num: 1, Den: 2}}
		return p
	})
	if err := job.CheckRepeat(); err != nil {
		t.Fatal(err)
	}
	j, d, texts := &journal{}, exectest.New(net, nil), &[]string{}
	f := exec.NewPathFinder(2, 1, func(p *exec.PathRecord) { *texts = append(*texts, text(*p)) })
	for r := range int32(2) {
		d.Add(exec.Config{Rank: r, Job: job, Steps: steps, Observer: j, Paths: f})
	}
	return d, j, texts
}

// The third message waits for the credit of the first: for the copy, and the credit's own way.
func TestASendWaitsForACredit(t *testing.T) {
	d, j, paths := twoRanks(t, exectest.Net{Latency: constant(2 * us),
		Credit: func(exec.Way) unit.Duration { return 3 * us }}, 1)
	if _, err := d.Run(); err != nil {
		t.Fatal(err)
	}
	check(t, j.rank(0), `
	0 before             0s - 0s by -1
	0 allreduce          0s - 17us by 0
	0 after              17us - 17us by 1
	0 0s - 17us: acknowledgement 2us, window 15us; comm 17us, overlap 0s
	`)
	check(t, (*paths)[0], `
	step 0 of rank 1, 0s - 32us: compute 30us, propagation 2us
	0s - 2us propagation: message of rank 0, step 0 operation 1, 0 to 1 on 0
	2us - 12us compute: reduce or copy of rank 1, step 0 operation 1 on 0
	12us - 22us compute: reduce or copy of rank 1, step 0 operation 1 on 0
	22us - 32us compute: reduce or copy of rank 1, step 0 operation 1 on 0
	`)
}

// A rank that reads its messages in another order than that in which they came gives credits in the
// order in which they came: a credit says that all before it are read.
func TestCreditsGoInTheOrderOfMessages(t *testing.T) {
	const text = `schedule late-first
ranks 2
channels 1
chunks 2
slots 2
rank 0 channel 0
0 send chunk 0 to 1 window 2
1 send chunk 1 to 1 window 2
rank 1 channel 0
0 recv chunk 0 from 0 slot 0
1 recv chunk 1 from 0 slot 1
2 copy chunk 1 slot 1 after 1 frees
3 copy chunk 0 slot 0 after 0 frees
`
	s, err := coll.ParseText("late-first", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(coll.Check(s, coll.Goal{Collective: coll.BroadcastFrom}), coll.ReuseSafe(s, 1)); err != nil {
		t.Fatal(err)
	}
	p := step(0, 0, 20000, s)
	p.Device = workload.Device{MemoryBandwidth: 64 * gbps, MemoryEff: unit.Ratio{Num: 1, Den: 1}} // copy: 10 us
	posts := ""
	replay(t, exectest.Net{Latency: constant(2 * us), Credit: func(exec.Way) unit.Duration { return 3 * us },
		Posted: func(now unit.Time, m exec.Message) { posts += fmt.Sprintf("%d at %v, ", m.Op, now) }}, 2, 2, same(p))
	if want := "0 at 0s, 1 at 0s, 0 at 25us, 1 at 25us, "; posts != want {
		t.Errorf("posts %s; want %s", posts, want)
	}
}

// When credits take long, they are on the path, from one step into the next.
func TestPathOverCredits(t *testing.T) {
	d, _, paths := twoRanks(t, exectest.Net{Latency: constant(2 * us),
		Credit: func(exec.Way) unit.Duration { return 30 * us }}, 2)
	if _, err := d.Run(); err != nil {
		t.Fatal(err)
	}
	check(t, strings.Join(*paths, ""), `
	step 0 of rank 1, 0s - 54us: compute 20us, window 30us, propagation 4us
	0s - 2us propagation: message of rank 0, step 0 operation 1, 0 to 1 on 0
	2us - 12us compute: reduce or copy of rank 1, step 0 operation 1 on 0
	12us - 42us window: credit of rank 0, step 0 operation 1, 0 to 1 on 0
	42us - 44us propagation: message of rank 0, step 0 operation 1, 0 to 1 on 0
	44us - 54us compute: reduce or copy of rank 1, step 0 operation 1 on 0
	step 1 of rank 1, 54us - 138us: compute 20us, window 60us, propagation 4us
	54us - 84us window: credit of rank 0, step 1 operation 1, 0 to 1 on 0
	84us - 86us propagation: message of rank 0, step 1 operation 1, 0 to 1 on 0
	86us - 96us compute: reduce or copy of rank 1, step 1 operation 1 on 0
	96us - 126us window: credit of rank 0, step 1 operation 1, 0 to 1 on 0
	126us - 128us propagation: message of rank 0, step 1 operation 1, 0 to 1 on 0
	128us - 138us compute: reduce or copy of rank 1, step 1 operation 1 on 0
	`)
}

// A credit that never comes leaves its sender stuck; one of another collective is nobody's.
func TestCreditsThatGoWrong(t *testing.T) {
	d, _, _ := twoRanks(t, exectest.Net{Credited: func(exec.Way, *int32) bool { return false }}, 1)
	if _, err := d.Run(); err == nil || err.Error() != "rank 0 is stuck in step 0" {
		t.Errorf("without credits: %v", err)
	}
	defer func() {
		const want = "exec: rank 0: credit from rank 1 on channel 0 for collective 7, no message waits for one"
		if got := recover(); got != want {
			t.Errorf("panic says %q", got)
		}
	}()
	d, _, _ = twoRanks(t, exectest.Net{Credited: func(_ exec.Way, c *int32) bool { *c = 7; return true }}, 1)
	_, err := d.Run()
	t.Errorf("a credit of another collective: %v", err)
}
