package foresight

import (
	"math"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/learn/dataset"
	"railyard/internal/plan/plan/plantest"
)

// Counts in closed form: an incast of four waits at its receiver's port, a ring over two hosts sends by NICs and NVLink.
func TestWorkIsCountedByKinds(t *testing.T) {
	flows := func(rows string) Work {
		return EstimateOf(planned(t, "cluster: {hosts: 5, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n"+
			"fabric: {design: single-switch}\ntransport: {mtu: 4096B}\njob: {flows: ["+rows+"]}"), make([]dataset.Size, 1)).Work
	}
	in := flows("{pattern: incast, from: 'host[1-4]/gpu0', to: host5/gpu0, bytes: 40960B}")
	if in.Packets != 4*10 || in.Acks != 4 {
		t.Errorf("incast: %d packets and %d acknowledgements, want 40 and one for each message", in.Packets, in.Acks)
	}
	if in.NICMessages != 4 || in.QueuedPackets != 4*10 || in.NVLinkMessages != 0 || in.Ranks != 0 || in.Ports != 10 || in.Connections != 4 {
		t.Errorf("incast: %+v", in)
	}
	apart := flows("{from: host1/gpu0, to: host2/gpu0, bytes: 40960B, count: 3, every: 100us}, " +
		"{from: host3/gpu0, to: host4/gpu0, bytes: 40960B}")
	if apart.NICMessages != 4 || apart.QueuedPackets != 0 {
		t.Errorf("flows apart: %+v", apart)
	}
	ring := EstimateOf(planned(t, plantest.Collectives("op: all-reduce, algorithm: ring, bytes: 1MiB")), make([]dataset.Size, 1)).Work
	if ring.Ranks == 0 || ring.Connections == 0 || ring.NICMessages == 0 || ring.QueuedPackets != 0 {
		t.Errorf("ring: %+v", ring)
	}
}

// Each kind costs time by itself, and what no cache holds costs more of it; another machine takes it times its slowness.
func TestCostsOfWork(t *testing.T) {
	c := Costs{Hop: 100, HopDoubled: 10, Packet: 20, Ack: 30, Queued: 200, NIC: 1000, NVLink: 500, Doubled: 50, FLOP: 0.5,
		Port: 7, Connection: 9, Always: 11, Memory: 3}
	for _, x := range []struct {
		w      Work
		memory unit.Bytes
		ns     float64
	}{
		{Work{}, 0, 11},
		{Work{PacketHops: 3, Ports: 512}, 0, 3*100 + 512*7 + 11},
		{Work{PacketHops: 3, Ports: 2048}, 0, 3*(100+2*10) + 2048*7 + 11},
		{Work{NICMessages: 2, Ranks: 16, Connections: 3}, 0, 2*(1000+50) + 3*9 + 11},
		{Work{NVLinkMessages: 2, Ranks: 8}, 0, 2*500 + 11},
		{Work{Packets: 4, Acks: 2}, 0, 4*20 + 2*30 + 11},
		{Work{}, 7, 7*3 + 11},
		{Work{QueuedPackets: 5, FLOP: 8}, 0, 5*200 + 8*0.5 + 11},
	} {
		if got := c.Seconds(&Estimate{Work: x.w, Memory: x.memory}) * 1e9; math.Abs(got-x.ns) > 1e-6 {
			t.Errorf("%+v: %v ns, want %v", x.w, got, x.ns)
		}
	}
	e := Estimate{Work: Work{PacketHops: 1e9}}.On(2, 0)
	if want := 2 * Reference.Seconds(&e); e.Seconds != want || e.Slowness != 2 {
		t.Errorf("%v s of a machine twice as slow, want %v", e.Seconds, want)
	}
	e.Reuse = &Reuse{Seconds: 1}
	if s := e.Started(); s.Seconds != e.Seconds+2*Start || s.Reuse.Seconds != 1+2*Start || e.Reuse.Seconds != 1 {
		t.Errorf("%v and %v s with the program's start, want %v more each, and the estimate as it was", s.Seconds, s.Reuse.Seconds, 2*Start)
	}
}

// What a training carries is the bytes of its rings: each of n replicas sends 2(n-1)/n of the gradients in each step. A replay of
// the same carries nothing that anybody copies.
func TestCarriedBytes(t *testing.T) {
	const params = 784*1024 + 1024 + 1024*10 + 10
	e := EstimateOf(planned(t, plantest.Training(1, "")), []dataset.Size{plantest.Images})
	want := e.Steps * 2 * 7 * 4 * params
	if more := e.Carried - want; want == 0 || more < 0 || more > 4*e.NVLinkMessages { // chunks are rounded up to an element
		t.Errorf("%d bytes carried in %d steps, want %d and up to 4 for each of %d messages", e.Carried, e.Steps, want, e.NVLinkMessages)
	}
	ring := EstimateOf(planned(t, plantest.Collectives("op: all-reduce, algorithm: ring, bytes: 1MiB")), make([]dataset.Size, 1)).Work
	if ring.Carried != 0 {
		t.Errorf("%d bytes of collectives that carry nothing", ring.Carried)
	}
}
