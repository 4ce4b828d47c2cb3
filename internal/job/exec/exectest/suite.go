package exectest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"pgregory.net/rapid"

	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
)

// A driver of ranks, on whatever time, is held by this: it runs Together, of any draw, and Check finds what coll.Execute
// leaves. The ideal driver does it in the tests of exec, the one on real time in those of rank.

// Floats is the memory and the work of ranks that run collectives on real numbers.
type Floats struct{ Buffers [][][]byte } // by rank and buffer

func (f *Floats) Bytes(rank int32, r exec.Ref) []byte {
	return f.Buffers[rank][r.Buffer][r.Off : r.Off+r.Len]
}
func (f *Floats) Compute(int32, int64, *workload.Op) {}
func (f *Floats) Copy(rank, _ int32, dst, src exec.Ref) {
	copy(f.Bytes(rank, dst), f.Bytes(rank, src))
}
func (f *Floats) Reduce(rank, _ int32, dst, src exec.Ref) {
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

// Together is a job in which a group of the ranks runs a schedule twice in each step, collective i
// from buffer 2i+1, where the schedule has an input, to buffer 2i.
type Together struct {
	Job      *workload.Job
	Schedule coll.Schedule
	Steps    int64
	Memory   Floats
	layout   coll.Layout
	in, out  [2][][]float32 // by collective and member, as coll.Execute leaves them
}

// drawSchedule draws an algorithm over n ranks, with credit if it can have any.
func drawSchedule(t *rapid.T, n int, rng *draws) coll.Schedule {
	name := rapid.SampledFrom(coll.AlgorithmNames()).Draw(t, "algorithm")
	a := coll.Algorithms[name]
	orders := make([][]int32, rapid.IntRange(1, 3).Draw(t, "channels"))
	if name == "double-tree-all-reduce" {
		orders = make([][]int32, 2)
	}
	root := rng.below(n)
	for c := range orders { // all begin with one rank: a root
		orders[c] = upTo(n)
		orders[c][0], orders[c][root] = orders[c][root], orders[c][0]
		rng.shuffle(orders[c][1:])
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

func DrawTogether(t *rapid.T) *Together {
	n := rapid.IntRange(2, 9).Draw(t, "members")
	others := rapid.IntRange(0, 3).Draw(t, "others")
	rng := &draws{splitmix.Stream(rapid.Uint64().Draw(t, "seed"))}
	w := &Together{Job: &workload.Job{}, Schedule: drawSchedule(t, n, rng)}
	s := w.Schedule
	group := workload.Group{Name: "group"}
	group.Ranks = append(group.Ranks, rng.ordered(n + others)[:n]...)
	w.Job.Groups = []workload.Group{group}
	compute := workload.Stream{Name: "compute", Group: -1}
	w.Job.Programs = []workload.Program{{Streams: []workload.Stream{compute, {Name: "group"}}},
		{Streams: []workload.Stream{compute}, Ops: []workload.Op{{Name: "alone", Kind: workload.Compute, Duration: unit.Microsecond,
			Body: -1, Coll: -1}}}}
	if rapid.Bool().Draw(t, "device") {
		w.Job.Programs[0].Device = workload.Device{MemoryBandwidth: unit.GigabitPerSec / 100, MemoryEff: unit.Ratio{Num: 1, Den: 2}}
	}
	for r := range int32(n + others) {
		w.Job.Of = append(w.Job.Of, 0)
		if !slices.Contains(group.Ranks, r) {
			w.Job.Of[r] = 1
		}
	}
	w.collectives(t, n, rng)
	if err := w.Job.Validate(); err != nil {
		t.Fatal(err)
	}
	if w.Steps = 1; w.Job.CheckRepeat() == nil {
		w.Steps = rapid.Int64Range(1, 4).Draw(t, "steps")
	}
	for r := range w.Job.Of {
		w.Memory.Buffers = append(w.Memory.Buffers, nil)
		for b := range w.Job.Buffers {
			var own []float32
			if m := slices.Index(group.Ranks, int32(r)); m >= 0 {
				own = [][][]float32{w.out[b/2], w.in[b/2]}[b%2][m]
			}
			w.Memory.Buffers[r] = append(w.Memory.Buffers[r], pack(own))
		}
		for i := range w.Job.Collectives {
			c := &w.Job.Collectives[i]
			w.Memory.Buffers[r] = append(w.Memory.Buffers[r], make([]byte, c.StagingBytes()), nil)
			if c.Areas() > 1 {
				w.Memory.Buffers[r][len(w.Job.Buffers)+2*i+1] = make([]byte, c.StagingBytes())
			}
		}
	}
	for range w.Steps {
		for i := range w.in {
			coll.ExecuteFrom(s, w.layout, w.in[i], w.out[i])
		}
	}
	return w
}

// collectives adds the two collectives, with their numbers.
func (w *Together) collectives(t *rapid.T, n int, rng *draws) {
	s := w.Schedule
	elems, input := rapid.IntRange(0, 60).Draw(t, "elements"), 0
	c := workload.Collective{Name: s.Name(), ElemBytes: 4, Schedule: s, Range: workload.Range{Elems: int64(elems)}}
	w.layout = coll.EvenLayout(s, elems)
	if inputs := coll.Inputs(s) / coll.Slices(s); inputs > 0 {
		goal, _ := coll.GoalOf(s)
		blocks := max(inputs, s.Chunks()/coll.Slices(s))
		most := rapid.IntRange(0, 12).Draw(t, "elements of a block")
		sizes := make([]int, n*blocks)
		for i := range sizes {
			sizes[i] = rng.below(most + 1)
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
		w.Job.Collectives = append(w.Job.Collectives, c)
		w.Job.Buffers = append(w.Job.Buffers, workload.Buffer{Name: "output", Elems: c.Range.Elems, ElemBytes: 4},
			workload.Buffer{Name: "input", Elems: int64(input), ElemBytes: 4})
		w.Job.Programs[0].Ops = append(w.Job.Programs[0].Ops, workload.Op{ID: i, Name: s.Name(),
			Kind: workload.Communication, Stream: 1, Body: -1, Coll: i, Duration: unit.Duration(rng.below(3)) * unit.Microsecond})
		draw := func(n int64) (f []float32) {
			for range n {
				f = append(f, rng.number())
			}
			return f
		}
		for range n {
			w.in[i], w.out[i] = append(w.in[i], draw(int64(input))), append(w.out[i], draw(c.Range.Elems))
		}
	}
}

// draws is what is drawn from one seed: there is much of it.
type draws struct{ splitmix.Stream }

func (d *draws) below(n int) int { return int(d.Next() % uint64(n)) }

// number is one from -1 to 1 with 24 bits, so that sums depend on their order.
func (d *draws) number() float32 { return float32(int64(d.Next()>>40)-1<<23) / (1 << 23) }

func (d *draws) shuffle(all []int32) {
	for i := len(all) - 1; i > 0; i-- {
		j := d.below(i + 1)
		all[i], all[j] = all[j], all[i]
	}
}

func (d *draws) ordered(n int) []int32 {
	all := upTo(n)
	d.shuffle(all)
	return all
}

// Check says what of the memory is not what coll.Execute leaves.
func (w *Together) Check() error {
	for m, r := range w.Job.Groups[0].Ranks {
		for i := range w.out {
			if !bytes.Equal(w.Memory.Buffers[r][2*i], pack(w.out[i][m])) {
				return fmt.Errorf("%s, collective %d, member %d: not what coll.Execute leaves", w.Schedule.Name(), i, m)
			}
		}
	}
	return nil
}

func upTo(n int) (all []int32) {
	for r := range int32(n) {
		all = append(all, r)
	}
	return all
}

// TwoRanks is an all-reduce of so many elements over two ranks, of which rank 0 has 1 everywhere and rank 1 has 2.
func TwoRanks(elems int64) (*workload.Job, *Floats, error) {
	s, err := coll.RingAllReduce([][]int32{{0, 1}})
	if err != nil {
		return nil, nil, err
	}
	c := workload.Collective{Name: s.Name(), ElemBytes: 4, Schedule: s, Range: workload.Range{Elems: elems}}
	job := &workload.Job{
		Groups: []workload.Group{{Name: "group", Ranks: []int32{0, 1}}}, Collectives: []workload.Collective{c}, Of: []int32{0, 0},
		Buffers: []workload.Buffer{{Name: "output", Elems: elems, ElemBytes: 4}},
		Programs: []workload.Program{{
			Streams: []workload.Stream{{Name: "compute", Group: workload.ComputeGroup}, {Name: "group"}},
			Ops:     []workload.Op{{Name: s.Name(), Kind: workload.Communication, Stream: 1, Body: -1}},
		}},
	}
	memory := &Floats{}
	for r := range 2 {
		all := make([]float32, elems)
		for i := range all {
			all[i] = float32(r + 1)
		}
		memory.Buffers = append(memory.Buffers, [][]byte{pack(all), make([]byte, c.StagingBytes()), make([]byte, c.StagingBytes())})
	}
	return job, memory, job.Validate()
}
