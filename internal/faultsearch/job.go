package faultsearch

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"railyard/internal/coll"
	"railyard/internal/exec"
	"railyard/internal/nic"
	"railyard/internal/sim"
	"railyard/internal/topo"
	"railyard/internal/unit"
	"railyard/internal/workload"
)

// Job is ranks, one on each NIC, that run collectives on real numbers.
type Job struct {
	Work      *workload.Job
	Steps     int64
	Admission nic.Admission
}

// drawJob draws a job for every third case.
func (c *Case) drawJob(d *dice) error {
	n := len(c.Graph.NICs)
	if !d.one(3) || n < 2 {
		return nil
	}
	orders := make([][]int32, d.between(1, 3))
	for i := range orders {
		orders[i] = make([]int32, n)
		for k := range orders[i] {
			orders[i][k] = int32(k)
		}
		if i > 0 { // a broadcast has one root: the first rank of every order
			for k := n - 1; k > 1; k-- {
				j := 1 + d.below(k)
				orders[i][k], orders[i][j] = orders[i][j], orders[i][k]
			}
		}
	}
	name := pick(d, "ring-all-reduce", "ring-all-reduce", "ring-all-gather", "ring-reduce-scatter",
		"chain-broadcast", "tree-broadcast")
	s, err := coll.Algorithms[name].New(orders, d.between(1, 3))
	if err == nil && d.one(2) {
		s, err = coll.WithCredit(s, d.between(1, 4))
	}
	if err != nil {
		return err
	}
	work := &workload.Job{Of: make([]int32, n), Groups: []workload.Group{{Name: "all"}},
		Programs: []workload.Program{{Streams: []workload.Stream{{Name: "compute", Group: -1}, {Name: "collectives"}}}}}
	c.Job = &Job{Steps: 1, Work: work}
	for r := range n {
		work.Groups[0].Ranks = append(work.Groups[0].Ranks, int32(r))
	}
	program := &work.Programs[0]
	program.Device = workload.Device{FLOPS: 1e15, MemoryBandwidth: 8000 * unit.GigabitPerSec,
		Launch: d.time(unit.Microsecond), MatmulEff: ratio(1, 2), MemoryEff: ratio(4, 5)}
	offset := int64(0)
	for i := range int32(d.between(1, 2)) {
		elems := int64(d.below(pick(d, 20, 2_000, 20_000)))
		program.Ops = append(program.Ops, workload.Op{ID: i, Name: s.Name(), Kind: workload.Communication, Stream: 1,
			Duration: d.time(unit.Microsecond), Body: -1, Coll: i})
		work.Collectives = append(work.Collectives, workload.Collective{Name: s.Name(),
			Range: workload.Range{Offset: offset, Elems: elems}, ElemBytes: 4, Schedule: s})
		offset += elems
	}
	work.Buffers = []workload.Buffer{{Name: "numbers", Elems: offset, ElemBytes: 4}}
	if err := work.Validate(); err != nil {
		return err
	}
	if steps := int64(d.between(1, 3)); work.CheckRepeat() == nil {
		c.Job.Steps = steps
	}
	if d.one(2) {
		c.Job.Admission = nic.Admission{Slots: d.between(1, 4), Bytes: unit.Bytes(d.between(1_000, 40_000))}
	}
	c.Lossy = c.Lossy || c.Job.Admission.Slots > 0 // a clear-to-send may be dropped
	return nil
}

// job is a Job in a run: the memory of its ranks, and what they report.
type job struct {
	*Job
	driver  *nic.Job
	ranks   []*exec.Rank
	buffers [][][]byte // by rank and exec.Ref.Buffer
	want    [][]float32
	steps   []exec.StepRecord
}

var (
	_ exec.Body     = (*job)(nil)
	_ exec.Memory   = (*job)(nil)
	_ exec.Observer = (*job)(nil)
)

// newJob fills the ranks' buffers and adds their queue pairs.
func newJob(w *watch, routes *topo.Routes) (*job, error) {
	t := w.c.Job.Work
	n := len(w.c.Graph.NICs)
	j := &job{Job: w.c.Job, driver: w.net.AddJob(w.c.Job.Admission), buffers: make([][][]byte, n)}
	for r := range n {
		s := sim.NewStream(w.c.Number, "rank", uint64(r))
		own := make([]float32, t.Buffers[0].Elems)
		for i := range own {
			own[i] = float32(s.Below(2_000_000))/1_000_000 - 1
		}
		j.want = append(j.want, own)
		j.buffers[r] = append(j.buffers[r], pack(own))
		for i := range t.Collectives {
			for range 2 {
				j.buffers[r] = append(j.buffers[r], make([]byte, t.Collectives[i].StagingBytes()))
			}
		}
		j.driver.AddRank(w.c.Graph.NICs[r].Host, 0)
	}
	for range j.Steps {
		for i := range t.Collectives {
			c := &t.Collectives[i]
			part := make([][]float32, n)
			for r := range part {
				part[r] = j.want[r][c.Range.Offset : c.Range.Offset+c.Range.Elems]
			}
			coll.Execute(c.Schedule, part)
		}
	}
	j.driver.SetMemory(j)
	return j, j.connect(w, routes)
}

// connect joins the ranks that the schedule joins.
func (j *job) connect(w *watch, routes *topo.Routes) error {
	s := j.Work.Collectives[0].Schedule
	for c := range s.Channels() {
		for r := range s.Ranks() {
			var seen []int32
			for i := range s.Len(r, c) {
				op := s.Op(r, c, i)
				if op.Kind != coll.Send || slices.Contains(seen, op.Peer) {
					continue
				}
				seen = append(seen, op.Peer)
				from, to := topo.NICID(r), topo.NICID(op.Peer)
				choose := func(_ topo.NodeID, n int) int { return (r + c) % n }
				path, err := routes.Path(from, to, choose)
				if err != nil {
					return err
				}
				back, err := routes.Path(to, from, choose)
				if err != nil {
					return err
				}
				gpu := int32(c%2) - 1
				qp := w.net.AddQP(nic.QueuePair{Name: fmt.Sprintf("rank%d>rank%d#%d", r, op.Peer, c), From: from,
					To: to, FromGPU: gpu, ToGPU: gpu, Path: path, Back: back, Log: true})
				j.driver.Connect(exec.Way{Src: int32(r), Dst: op.Peer, Channel: int32(c)}, qp)
			}
		}
	}
	return nil
}

// start has every rank begin.
func (j *job) start(w *watch) {
	for r := range j.buffers {
		rank := exec.NewRank(exec.Config{Rank: int32(r), Job: j.Work, Steps: j.Steps, Transport: j.driver,
			Clock: j.driver, Body: j, Observer: j})
		j.ranks = append(j.ranks, rank)
		j.driver.SetRank(int32(r), rank, unit.Time(r)*unit.Time(unit.Microsecond))
	}
}

// check compares the ranks' buffers with the oracle's.
func (j *job) check() error {
	for r, rank := range j.ranks {
		if !rank.Finished() {
			return fmt.Errorf("rank %d is stuck in step %d of %d", r, rank.Steps(), j.Steps)
		}
		if !bytes.Equal(j.buffers[r][0], pack(j.want[r])) {
			return fmt.Errorf("rank %d: buffer differs from coll.Execute", r)
		}
	}
	for _, s := range j.steps {
		if s.Split.Sum() != s.End.Sub(s.Start) {
			return fmt.Errorf("rank %d, step %d: causes sum to %v, it took %v", s.Rank, s.Step,
				s.Split.Sum(), s.End.Sub(s.Start))
		}
	}
	return nil
}

func (j *job) records() []exec.StepRecord {
	slices.SortFunc(j.steps, func(a, b exec.StepRecord) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Step, b.Step))
	})
	return j.steps
}

// Bytes implements exec.Memory.
func (j *job) Bytes(rank int32, r exec.Ref) []byte {
	return j.buffers[rank][r.Buffer][r.Off : r.Off+r.Len]
}

// Compute implements exec.Body; the steps have no such operation.
func (j *job) Compute(int32, int64, *workload.Op) {}

// Reduce implements exec.Body.
func (j *job) Reduce(rank, _ int32, dst, src exec.Ref) {
	d, s := j.Bytes(rank, dst), j.Bytes(rank, src)
	for i := 0; i < len(d); i += 4 {
		put(d[i:], get(d[i:])+get(s[i:]))
	}
}

// Copy implements exec.Body.
func (j *job) Copy(rank, _ int32, dst, src exec.Ref) { copy(j.Bytes(rank, dst), j.Bytes(rank, src)) }

func get(b []byte) float32    { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
func put(b []byte, f float32) { binary.LittleEndian.PutUint32(b, math.Float32bits(f)) }

// pack returns numbers as bytes.
func pack(f []float32) []byte {
	b := make([]byte, 4*len(f))
	for i, v := range f {
		put(b[4*i:], v)
	}
	return b
}

func (j *job) Step(s exec.StepRecord)         { j.steps = append(j.steps, s) }
func (j *job) Operation(exec.OperationRecord) {}
