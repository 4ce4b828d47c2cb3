package faultsearch

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/host"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/sim"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/net/topo"
)

// Job is ranks, one on each NIC, that run collectives on real numbers.
type Job struct {
	Work      *workload.Job
	Steps     int64
	Admission nic.Admission
	QPs       int // of a way

	// On is the NIC of each rank. Spare is a NIC without one; -1: there is none.
	On    []int32
	Spare int32

	// Abort is when the job is aborted, 0: never; Restart when its ranks start again, with new queue pairs, from the last
	// checkpoint: rank Moves on the spare NIC, if there is one.
	Abort, Restart unit.Time
	Checkpoint     exec.Checkpoint
	Moves          int
}

// drawJob draws a job for every third case: as of a training one schedule on ranges of one buffer,
// step after step, or a benchmark of several collectives.
func (c *Case) drawJob(d *dice) (err error) {
	n := len(c.Graph.NICs)
	if !d.one(3) || n < 2 {
		return nil
	}
	device := workload.Device{FLOPS: 1e15, MemoryBandwidth: 8000 * unit.GigabitPerSec,
		Launch: d.time(unit.Microsecond), MatmulEff: ratio(1, 2), MemoryEff: ratio(4, 5)}
	c.Job = &Job{Steps: 1, Spare: -1}
	if n > 2 && (&dice{sim.NewStream(c.Number, "fault search, spare", 0)}).one(3) {
		n--
		c.Job.Spare = int32(n)
	}
	for r := range n {
		c.Job.On = append(c.Job.On, int32(r))
	}
	if d.one(2) {
		c.Job.Work, err = c.drawBenchmark(d, n, device)
	} else {
		c.Job.Work, err = c.drawRanges(d, n, device)
	}
	if err != nil {
		return err
	}
	if steps := int64(d.between(1, 3)); c.Job.Work.CheckRepeat() == nil {
		c.Job.Steps = steps
	}
	if d.one(2) {
		c.Job.Admission = nic.Admission{Slots: d.between(1, 4), Bytes: unit.Bytes(d.between(1_000, 40_000))}
	}
	c.Lossy = c.Lossy || c.Job.Admission.Slots > 0 // a clear-to-send may be dropped
	c.Job.QPs, c.Host.Split = pick(d, 1, 1, 2, 4), d.one(2)
	c.drawAbort(&dice{sim.NewStream(c.Number, "fault search, abort", 0)})
	return nil
}

// drawAbort has every other job aborted, if it is not done by then, and started again: while frames of its first life may
// still be on their way. Every other job writes checkpoints.
func (c *Case) drawAbort(d *dice) {
	if d.one(2) {
		c.Job.Abort = unit.Time(1 + d.time(unit.Millisecond))
		c.Job.Restart = c.Job.Abort.Add(1 + d.time(100*unit.Microsecond))
		c.Job.Moves = d.below(len(c.Job.On))
	}
	if d.one(2) {
		c.Job.Checkpoint = exec.Checkpoint{Every: int64(d.below(3)), Next: int64(d.below(3)), Takes: d.time(50 * unit.Microsecond)}
	}
}

// drawSchedule draws a schedule over n ranks, of those that may be taken: its channels, slices, ranks
// of a host, slots with credit.
func drawSchedule(d *dice, n int, may func(coll.Algorithm, coll.Schedule) bool) (coll.Schedule, error) {
	names := coll.AlgorithmNames()
	for {
		name := names[d.below(len(names))]
		a := coll.Algorithms[name]
		orders := make([][]int32, d.between(1, 3))
		if name == "double-tree-all-reduce" {
			orders = make([][]int32, 2)
		}
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
		pipeline := 1
		if a.Pipeline > 0 {
			pipeline = d.between(1, 3)
		}
		perHost := d.between(1, n)
		var s coll.Schedule
		var err error
		if a.OnHosts != nil && n%perHost == 0 {
			s, err = a.OnHosts(orders, pipeline, perHost)
		} else {
			s, err = a.New(orders, pipeline)
		}
		if err != nil {
			return nil, err
		}
		if slots := d.between(1, 4); d.one(2) {
			if credited, err := coll.WithCredit(s, slots); err == nil {
				s = credited
			}
		}
		if may(a, s) {
			return s, nil
		}
	}
}

// drawRanges draws a job of one schedule in place on one or two ranges of a buffer.
func (c *Case) drawRanges(d *dice, n int, device workload.Device) (*workload.Job, error) {
	s, err := drawSchedule(d, n, func(_ coll.Algorithm, s coll.Schedule) bool { return coll.Inputs(s) == 0 })
	if err != nil {
		return nil, err
	}
	work := &workload.Job{Of: make([]int32, n), Groups: []workload.Group{{Name: "all"}},
		Programs: []workload.Program{{Streams: []workload.Stream{{Name: "compute", Group: -1}, {Name: "collectives"}},
			Device: device}}}
	for r := range n {
		work.Groups[0].Ranks = append(work.Groups[0].Ranks, int32(r))
	}
	offset := int64(0)
	for i := range int32(d.between(1, 2)) {
		elems := int64(d.below(pick(d, 20, 2_000, c.size(20_000))))
		program := &work.Programs[0]
		program.Ops = append(program.Ops, workload.Op{ID: i, Name: s.Name(), Kind: workload.Communication, Stream: 1,
			Duration: d.time(unit.Microsecond), Body: -1, Coll: i})
		work.Collectives = append(work.Collectives, workload.Collective{Name: s.Name(),
			Range: workload.Range{Offset: offset, Elems: elems}, ElemBytes: 4, Schedule: s})
		offset += elems
	}
	work.Buffers = []workload.Buffer{{Name: "numbers", Elems: offset, ElemBytes: 4}}
	return work, work.Validate()
}

// drawBenchmark draws a benchmark as job.collectives has it, of any operations, in place and out of
// place.
func (c *Case) drawBenchmark(d *dice, n int, device workload.Device) (*workload.Job, error) {
	b := workload.BenchmarkConfig{Ranks: n, Device: device}
	for i := range d.between(1, 3) {
		s, err := drawSchedule(d, n, func(a coll.Algorithm, _ coll.Schedule) bool {
			return a.Collective != coll.Barrier
		})
		if err != nil {
			return nil, err
		}
		b.Rows = append(b.Rows, workload.BenchmarkRow{Name: fmt.Sprintf("%s.row%d", s.Name(), i+1), Schedule: s,
			Elems: int64(d.below(pick(d, 20, 2_000, c.size(20_000)))), Warmup: d.below(2), Iterations: d.between(1, 2)})
	}
	if d.one(2) {
		order := make([]int32, n)
		for r := range order {
			order[r] = int32(r)
		}
		barrier, err := coll.DisseminationBarrier([][]int32{order})
		if err == nil && d.one(2) {
			barrier, err = barrier.Credited(1)
		}
		if err != nil {
			return nil, err
		}
		b.Barrier = barrier
	}
	work, _, err := workload.Benchmark(b)
	return work, err
}

// job is a Job in a run: the memory of its ranks, and what they report.
type job struct {
	*Job
	driver  *host.Job
	ranks   []*exec.Rank
	buffers [][][]byte          // by rank and exec.Ref.Buffer
	want    [][][]float32       // by buffer of the job and rank
	steps   [][]exec.StepRecord // by rank
	first   int32               // of its queue pairs
	later   bool                // it is not the first life
	done    int64               // steps of the lives before that are not lost
	kept    []map[int64]state   // by rank and steps of the job: what its checkpoints hold
}

// state is what a rank wrote.
type state struct {
	written unit.Time
	buffers [][]byte
}

var (
	_ exec.Body     = (*job)(nil)
	_ exec.Memory   = (*job)(nil)
	_ exec.Observer = (*job)(nil)
)

// newJob fills the ranks' buffers and adds their queue pairs. was is the life before, nil: this is the first.
func newJob(w *watch, routes *topo.Routes, was *job) (*job, error) {
	t := w.c.Job.Work
	n := len(w.c.Job.On)
	j := &job{Job: w.c.Job, driver: w.hosts.AddJob(), steps: make([][]exec.StepRecord, n), buffers: make([][][]byte, n),
		want: make([][][]float32, len(t.Buffers)), first: int32(w.net.QueuePairs()), kept: make([]map[int64]state, n)}
	if j.later = was != nil; j.later {
		j.done = was.safe()
	}
	for r := range n {
		s := sim.NewStream(w.c.Number, "rank", uint64(r))
		for b := range t.Buffers {
			own := make([]float32, t.Buffers[b].Elems)
			for i := range own {
				own[i] = float32(s.Below(2_000_000))/1_000_000 - 1
			}
			j.want[b] = append(j.want[b], own)
			if j.buffers[r] = append(j.buffers[r], pack(own)); j.done > 0 {
				copy(j.buffers[r][b], was.kept[r][j.done].buffers[b])
			}
		}
		for i := range t.Collectives {
			for range workload.MaxAreas {
				j.buffers[r] = append(j.buffers[r], make([]byte, t.Collectives[i].StagingBytes()))
			}
		}
		j.driver.AddRank(w.c.Graph.NICs[j.on(int32(r))].Host, 0)
		j.kept[r] = map[int64]state{}
	}
	for range j.Steps {
		for i := range t.Collectives {
			j.expect(&t.Collectives[i])
		}
	}
	j.driver.SetMemory(j)
	return j, j.connect(w, routes)
}

// expect does to what is wanted what a collective does.
func (j *job) expect(c *workload.Collective) {
	of := func(r workload.Range) (parts [][]float32) {
		for _, own := range j.want[r.Buffer] {
			parts = append(parts, own[r.Offset:r.Offset+r.Elems])
		}
		return parts
	}
	at := func(member int, b coll.Buffer, channel, chunk int) (lo, hi int) {
		off, length := c.Chunk(member, b, channel, chunk)
		start := c.Range.Offset
		if b == coll.In {
			start = c.Input.Offset
		}
		lo = int(off/c.ElemBytes - start)
		return lo, lo + int(length/c.ElemBytes)
	}
	coll.ExecuteFrom(c.Schedule, at, of(c.Input), of(c.Range))
}

// connect joins the ranks that the schedules join.
func (j *job) connect(w *watch, routes *topo.Routes) error {
	seen := map[exec.Way]bool{}
	for i := range j.Work.Collectives {
		s := j.Work.Collectives[i].Schedule
		for c := range s.Channels() {
			for r := range s.Ranks() {
				for i := range s.Len(r, c) {
					op := s.Op(r, c, i)
					way := exec.Way{Src: int32(r), Dst: op.Peer, Channel: int32(c)}
					if op.Kind != coll.Send || seen[way] {
						continue
					}
					seen[way] = true
					if err := j.join(w, routes, way); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// begins is when its ranks start.
func (j *job) begins() unit.Time {
	if j.later {
		return j.Restart
	}
	return 0
}

// join adds the queue pair of a way.
func (j *job) join(w *watch, routes *topo.Routes, way exec.Way) error {
	var qps []int32
	for k := range int32(j.QPs) {
		qp, err := j.addQP(w, routes, way, k)
		if err != nil {
			return err
		}
		qps = append(qps, qp)
		w.connect(qp, j.begins())
	}
	j.driver.Connect(way, qps...)
	return nil
}

// addQP adds a queue pair of a way, each on a path of its own.
func (j *job) addQP(w *watch, routes *topo.Routes, way exec.Way, lane int32) (int32, error) {
	from, to := j.on(way.Src), j.on(way.Dst)
	choose := func(_ topo.NodeID, n int) int { return int(way.Src+way.Channel+lane) % n }
	path, err := routes.Path(from, to, choose)
	if err != nil {
		return 0, err
	}
	back, err := routes.Path(to, from, choose)
	if err != nil {
		return 0, err
	}
	gpu := way.Channel%2 - 1
	chosen := w.c.Method != ""
	return w.net.AddQP(nic.QueuePair{Name: fmt.Sprintf("rank%d>rank%d#%d", way.Src, way.Dst, way.Channel), From: from,
		To: to, FromGPU: gpu, ToGPU: gpu, Path: path, Back: back, Chosen: chosen, ChosenBack: chosen, Log: true,
		Admission: j.Admission}), nil
}

// on is the NIC of a rank.
func (j *job) on(rank int32) topo.NICID {
	if j.later && j.Spare >= 0 && int(rank) == j.Moves {
		return topo.NICID(j.Spare)
	}
	return topo.NICID(j.On[rank])
}

// safe is the last step after which each rank had written what it knew by the abort; 0: none.
func (j *job) safe() (steps int64) {
	for s := range j.kept[0] {
		all := true
		for _, of := range j.kept {
			x, ok := of[s]
			all = all && ok && x.written <= j.Abort
		}
		if all {
			steps = max(steps, s)
		}
	}
	return steps
}

// again aborts the job and starts it again from its last checkpoint, if there is one.
func (j *job) again(w *watch) (*job, error) {
	for _, rank := range j.ranks {
		rank.Fail(j.Abort)
	}
	for qp := int(j.first); qp < w.net.QueuePairs(); qp++ {
		w.net.Close(int32(qp))
	}
	next, err := newJob(w, topo.NewRoutes(w.c.Graph), j)
	if err != nil {
		return nil, err
	}
	w.net.Extend(next.first, func(int32) unit.Duration { return 10 * unit.Microsecond })
	w.connectAll()
	next.start(j.Restart)
	return next, nil
}

// start has every rank begin.
func (j *job) start(at unit.Time) {
	for r := range j.buffers {
		rank := exec.NewRank(exec.Config{Rank: int32(r), Job: j.Work, Steps: j.Steps - j.done, Transport: j.driver,
			Clock: j.driver, Body: j, Observer: j, Checkpoint: j.Checkpoint})
		j.ranks = append(j.ranks, rank)
		j.driver.SetRank(int32(r), rank, at.Add(unit.Duration(r)*unit.Microsecond))
	}
}

// check compares the ranks' buffers with the oracle's.
func (j *job) check() error {
	for r, rank := range j.ranks {
		if !rank.Finished() {
			return fmt.Errorf("rank %d is stuck in step %d of %d", r, j.done+rank.Steps(), j.Steps)
		}
		for b := range j.want {
			if !bytes.Equal(j.buffers[r][b], pack(j.want[b][r])) {
				return fmt.Errorf("rank %d: buffer %q differs from coll.Execute", r, j.Work.Buffers[b].Name)
			}
		}
	}
	for _, s := range j.records() {
		if s.Split.Sum() != s.End.Sub(s.Start) {
			return fmt.Errorf("rank %d, step %d: causes sum to %v, it took %v", s.Rank, s.Step,
				s.Split.Sum(), s.End.Sub(s.Start))
		}
	}
	return nil
}

func (j *job) records() []exec.StepRecord { return slices.Concat(j.steps...) }

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

// Step implements exec.Observer, and keeps what the rank writes after the step, if it does.
func (j *job) Step(s exec.StepRecord, _ []exec.Wait) {
	j.steps[s.Rank] = append(j.steps[s.Rank], s)
	if own := s.Step + 1; j.Checkpoint.After(own) && j.done+own < j.Steps {
		x := state{written: s.End.Add(j.Checkpoint.Takes)}
		for b := range j.want {
			x.buffers = append(x.buffers, bytes.Clone(j.buffers[s.Rank][b]))
		}
		j.kept[s.Rank][j.done+own] = x
	}
}

// Operation implements exec.Observer.
func (j *job) Operation(exec.OperationRecord) {}
