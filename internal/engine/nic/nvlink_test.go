package nic_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/host"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/net/topo"
)

// insideHost has rank 0 send rank 1, on the same host, three chunks of 16 kB, through so many slots
// (0: one each), over an NVLink of 2 us; a copy of a chunk takes 10 us. It returns the ends of the
// ranks' steps.
func insideHost(t *testing.T, slots int, p *workload.Protocol) (ends [2]unit.Time) {
	t.Helper()
	const elems = 12_000
	g, err := topo.SingleSwitch{Hosts: 1, GPUs: 2, NICs: 1,
		HostLink: topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: unit.Microsecond}}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	r := defaults(g, 100*unit.GigabitPerSec)
	r.host.NVLink = host.Pipe{Latency: 2 * unit.Microsecond}
	r.build(t)
	r.net.Build(func(int32) unit.Duration { return unit.Microsecond })
	chain, err := coll.ChainBroadcast([][]int32{{0, 1}}, 3)
	if err == nil && slots > 0 {
		chain, err = chain.Credited(slots)
	}
	if err != nil {
		t.Fatal(err)
	}
	job := &workload.Job{Of: []int32{0, 0}, Groups: []workload.Group{{Name: "all", Ranks: []int32{0, 1}}},
		Buffers: []workload.Buffer{{Name: "numbers", Elems: elems, ElemBytes: 4}},
		Programs: []workload.Program{{Streams: []workload.Stream{{Name: "compute", Group: -1}, {Name: "broadcast"}},
			Device: workload.Device{MemoryBandwidth: 51_200 * unit.MegabitPerSec, MemoryEff: unit.Ratio{Num: 1, Den: 2}},
			Ops:    []workload.Op{{Name: "broadcast", Kind: workload.Communication, Stream: 1, Body: -1}}}},
		Collectives: []workload.Collective{{Name: "broadcast", Range: workload.Range{Elems: elems}, ElemBytes: 4,
			Schedule: chain, Protocol: p}}}
	if err := job.Validate(); err != nil {
		t.Fatal(err)
	}
	rec, driver := &records{}, r.hosts.AddJob()
	for i := range int32(2) {
		driver.AddRank(0, i)
	}
	driver.Connect(exec.Way{Src: 0, Dst: 1})
	for i := range int32(2) {
		driver.SetRank(i, exec.NewRank(exec.Config{Rank: i, Job: job, Steps: 1, Transport: driver, Clock: driver,
			Observer: rec}), 0)
	}
	r.eng.Run()
	if len(rec.steps) != 2 {
		t.Fatalf("%d steps ended", len(rec.steps))
	}
	for _, s := range rec.steps {
		ends[s.Rank] = s.End
	}
	return ends
}

// What passes between the GPUs of a host: messages, and credits, which take the link's latency.
func TestInsideAHost(t *testing.T) {
	const us = unit.Microsecond
	for _, c := range []struct {
		name  string
		slots int
		p     *workload.Protocol
		ends  [2]unit.Duration
	}{
		// All three are there after 2 us; three copies.
		{"a slot each", 0, nil, [2]unit.Duration{2 * us, 32 * us}},
		// Message, copy, credit, three times, but for the last credit: 3(2 + 10) + 2(2).
		{"one slot", 1, nil, [2]unit.Duration{30 * us, 40 * us}},
		// A connection that takes 10 us for a chunk takes them one after the other, and copies wait.
		{"a limit of rate", 0, &workload.Protocol{Rate: 12_800 * unit.MegabitPerSec}, [2]unit.Duration{32 * us, 42 * us}},
		// That limit counts data, not what is put round them.
		{"a limit of rate on half of the bytes", 0, &workload.Protocol{Rate: 12_800 * unit.MegabitPerSec, Data: 8, Line: 16},
			[2]unit.Duration{32 * us, 42 * us}},
		// A message that is there 1 us sooner than the link's latency, or later.
		{"sooner", 0, &workload.Protocol{Inside: -1 * us}, [2]unit.Duration{1 * us, 31 * us}},
		{"later", 0, &workload.Protocol{Inside: 3 * us}, [2]unit.Duration{5 * us, 35 * us}},
	} {
		if got := insideHost(t, c.slots, c.p); got[0].Sub(0) != c.ends[0] || got[1].Sub(0) != c.ends[1] {
			t.Errorf("%s: ranks end at %v, want %v", c.name, got, c.ends)
		}
	}
}
