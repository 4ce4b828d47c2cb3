package nic_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/net/cc"
	"railyard/internal/net/topo"
)

// gather is a schedule in which every rank sends its whole buffer to rank 0: the worst incast a
// collective can make.
type gather struct{ ranks int }

func (gather) Name() string  { return "gather" }
func (g gather) Ranks() int  { return g.ranks }
func (gather) Channels() int { return 1 }
func (gather) Chunks() int   { return 1 }
func (g gather) Slots() int  { return g.ranks - 1 }

func (g gather) Len(rank, _ int) int {
	if rank == 0 {
		return g.ranks - 1
	}
	return 1
}

func (g gather) Op(rank, _, i int) coll.Op {
	if rank == 0 {
		return coll.Op{Kind: coll.Recv, Peer: int32(i + 1), Slot: int32(i), After: -1, Acked: -1}
	}
	return coll.Op{Kind: coll.Send, Peer: 0, Slot: -1, After: -1, Acked: -1}
}

// records keeps what ranks report.
type records struct{ steps []exec.StepRecord }

func (r *records) Step(s exec.StepRecord, _ []exec.Wait) { r.steps = append(r.steps, s) }
func (r *records) Operation(exec.OperationRecord)        {}

// gatherRun has ranks 1..n-1 send b bytes to rank 0 at once, without congestion control.
func gatherRun(t *testing.T, n int, b unit.Bytes, a nic.Admission) (*rig, *records) {
	t.Helper()
	return gatherWith(t, n, b, a, func(*rig) {})
}

// gatherWith is gatherRun with other parameters.
func gatherWith(t *testing.T, n int, b unit.Bytes, a nic.Admission, change func(*rig)) (*rig, *records) {
	t.Helper()
	r := hpcc(star(n, 100*unit.GigabitPerSec), cc.None{})
	r.fabric.Classes = append(r.fabric.Classes, fabric.Class{Name: "cnp", Priority: 7, Strict: true})
	r.fabric.Classes[0].ECN = nil
	r.nic.CNPClass = 1
	change(r)
	r.build(t)
	r.net.OnFlow(nil)
	routes := topo.NewRoutes(r.graph)
	var qps []int32
	for src := 1; src < n; src++ {
		path, _ := routes.Path(topo.NICID(src), 0, nil)
		back, _ := routes.Path(0, topo.NICID(src), nil)
		qps = append(qps, r.net.AddQP(nic.QueuePair{Name: r.graph.NICName(topo.NICID(src)), From: topo.NICID(src),
			To: 0, FromGPU: -1, ToGPU: -1, Path: path, Back: back, Log: true, Admission: a}))
	}
	r.net.Build(func(int32) unit.Duration { return 4 * unit.Microsecond })
	driver := r.hosts.AddJob()
	for i := range n {
		driver.AddRank(int32(i), 0)
	}
	for src := 1; src < n; src++ {
		driver.Connect(exec.Way{Src: int32(src)}, qps[src-1])
	}
	job := &workload.Job{Of: make([]int32, n), Groups: []workload.Group{{Name: "all"}},
		Buffers: []workload.Buffer{{Name: "numbers", Elems: int64(b / 4), ElemBytes: 4}},
		Programs: []workload.Program{{Streams: []workload.Stream{{Name: "compute", Group: -1}, {Name: "gather"}},
			Ops: []workload.Op{{Name: "gather", Kind: workload.Communication, Stream: 1, Body: -1}}}},
		Collectives: []workload.Collective{{Name: "gather", Range: workload.Range{Elems: int64(b / 4)},
			ElemBytes: 4, Schedule: gather{n}}}}
	for i := range n {
		job.Groups[0].Ranks = append(job.Groups[0].Ranks, int32(i))
	}
	if err := job.Validate(); err != nil {
		t.Fatal(err)
	}
	rec := &records{}
	for i := range n {
		rank := exec.NewRank(exec.Config{Rank: int32(i), Job: job, Steps: 1, Transport: driver,
			Clock: driver, Observer: rec})
		driver.SetRank(int32(i), rank, 0)
	}
	r.eng.Run()
	if err := r.fab.Check(); err != nil {
		t.Fatal(err)
	}
	if len(rec.steps) != n {
		t.Fatalf("%d of %d ranks ended their step", len(rec.steps), n)
	}
	for _, s := range rec.steps {
		if s.Split.Sum() != s.End.Sub(s.Start) {
			t.Errorf("rank %d: causes sum to %v, the step took %v", s.Rank, s.Split.Sum(), s.End.Sub(s.Start))
		}
	}
	return r, rec
}

// Gangidi et al., SIGCOMM'24, section 5.2: with DCQCN off, the collective library's clear-to-send
// keeps the receiver's port from being flooded, at no cost in completion time.
func TestReceiverDrivenAdmissionBoundsIncast(t *testing.T) {
	const n, b, slot = 8, 4_000_000, 64_000
	port := func(r *rig) fabric.PortStats { return r.fab.Stats(r.eng.Now(), r.graph.NICs[0].Port^1) }
	free, freeSteps := gatherRun(t, n, b, nic.Admission{})
	held, heldSteps := gatherRun(t, n, b, nic.Admission{Slots: 2, Bytes: slot})
	end := func(rec *records) (d unit.Duration) {
		for _, s := range rec.steps {
			d = max(d, s.End.Sub(0))
		}
		return d
	}
	t.Logf("all at once: queue %v, %v; admitted: queue %v, %v", port(free).MaxQueue, end(freeSteps),
		port(held).MaxQueue, end(heldSteps))
	if got, bound := port(held).MaxQueue, unit.Bytes((n-1)*2*slot*1048/1000); got > bound {
		t.Errorf("queue of %v with admission, want at most what the slots hold, %v", got, bound)
	}
	if port(free).MaxQueue < 10*port(held).MaxQueue {
		t.Errorf("queue of %v without admission, %v with it: want a tenth", port(free).MaxQueue, port(held).MaxQueue)
	}
	if d := end(heldSteps) - end(freeSteps); d > end(freeSteps)/50 {
		t.Errorf("admission took %v longer than %v", d, end(freeSteps))
	}
}
