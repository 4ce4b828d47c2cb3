package nic_test

import (
	"slices"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/host"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/sim"
	"railyard/internal/net/cc"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
	"railyard/internal/net/wire"
)

// rig is a small network under test, made of ordinary parameters.
type rig struct {
	graph  *topo.Graph
	fabric fabric.Config
	nic    nic.Config
	host   host.Config
	rtt    unit.Duration                                 // of an empty network; 0: 4 us
	parts  func(g *topo.Graph) (islandOf []int32, n int) // nil: one island
	look   unit.Duration

	eng    *sim.Engine
	fab    *fabric.Fabric
	hosts  *host.Hosts
	net    *nic.Net
	flows  []nic.Flow
	left   int
	latest unit.Time // of the flows' acknowledgements; of several islands the one handled last need not be it
}

// hpcc is the parameters of the reference simulator (shared reference, section 2).
func hpcc(g *topo.Graph, ctl cc.Params) *rig {
	return &rig{graph: g,
		fabric: fabric.Config{
			Classes: []fabric.Class{{Name: "data", Priority: 3, Weight: 1, Lossless: true,
				ECN: qos.Curve(400_000, 1_600_000, unit.Ratio{Num: 20, Den: 100}, true)}},
			PFC: fabric.PFC{Alpha: unit.Ratio{Num: 1, Den: 8}, ResumeOffset: 3072,
				Headroom: qos.DelaysHeadroom(3)},
			Buffer:     fabric.Buffer{Size: 32 << 20, Reserve: 4096, LossyAlpha: unit.Ratio{Num: 1, Den: 1}},
			PauseFrame: 43, MTU: 1048, Seed: 1},
		nic: nic.Config{Frames: wire.HPCCNS3, CompleteAtSender: true, Controller: ctl,
			Transport: roce.Params{MTU: 1000, AckEvery: 1, EchoMarks: true}},
	}
}

// star is the reference's: hosts on one switch.
func star(hosts int, rate unit.Bitrate) *topo.Graph {
	g, err := topo.SingleSwitch{Hosts: hosts, GPUs: 1, NICs: 1,
		HostLink: topo.Cable{Rate: rate, Delay: unit.Microsecond}}.Graph()
	if err != nil {
		panic(err)
	}
	return g
}

func (r *rig) build(tb testing.TB) {
	tb.Helper()
	islandOf, n := make([]int32, len(r.graph.Nodes)), 1
	if r.parts != nil {
		islandOf, n = r.parts(r.graph)
	}
	sizes := make([]int, n)
	for _, p := range r.graph.Ports {
		sizes[islandOf[p.Node]]++
	}
	r.eng = sim.New(sizes, r.look)
	var err error
	if r.fab, err = fabric.New(r.eng, r.graph, r.fabric, islandOf); err != nil {
		tb.Fatal(err)
	}
	r.hosts = host.New(r.eng, r.graph, r.host, islandOf)
	r.net = nic.New(r.eng, r.fab, r.graph, r.hosts, r.nic)
	r.net.OnFlow(func(_ int32, f *nic.Flow) {
		keep := *f
		keep.Hops = slices.Clone(f.Hops)
		r.flows = append(r.flows, keep)
		r.latest = max(r.latest, f.Acked)
		if r.left--; r.left == 0 {
			r.eng.StopAt(r.latest.Add(r.net.Linger()))
		}
	})
}

// flow adds a flow between two NICs, start posting at a time, and returns its queue pair.
func (r *rig) flow(tb testing.TB, from, to topo.NICID, b unit.Bytes, start unit.Time) int32 {
	tb.Helper()
	routes := topo.NewRoutes(r.graph)
	path, err := routes.Path(from, to, func(_ topo.NodeID, n int) int { return int(to) % n })
	if err != nil {
		tb.Fatal(err)
	}
	back, err := routes.Path(to, from, func(_ topo.NodeID, n int) int { return int(to) % n })
	if err != nil {
		tb.Fatal(err)
	}
	return r.flowOf(nic.QueuePair{From: from, To: to, FromGPU: -1, ToGPU: -1, Path: path, Back: back}, b, start)
}

// flowOf is flow with a queue pair as it is described.
func (r *rig) flowOf(q nic.QueuePair, b unit.Bytes, start unit.Time) int32 {
	q.Name = r.graph.NICName(q.From)
	qp := r.net.AddQP(q)
	r.hosts.AddFlow(r.graph.NICs[q.From].Host, host.FlowSpec{QP: qp, Start: start, Bytes: b, Count: 1})
	r.left++
	return qp
}

func (r *rig) run(tb testing.TB) {
	tb.Helper()
	if r.rtt == 0 {
		r.rtt = 4 * unit.Microsecond
	}
	r.net.Build(func(int32) unit.Duration { return r.rtt })
	r.eng.Run()
	if err := r.net.Err(); err != nil {
		tb.Fatal(err)
	}
	if err := r.fab.Check(); err != nil {
		tb.Fatal(err)
	}
	if r.left != 0 {
		tb.Fatalf("%d flows unfinished at %v", r.left, r.eng.Now())
	}
	for _, f := range r.flows {
		if got, want := f.Split.Sum(), r.net.Completed(&f).Sub(f.Posted); got != want {
			tb.Errorf("%s: causes sum to %v, the flow took %v: %v", r.net.Name(f.QP), got, want, f.Split)
		}
	}
}

func TestSingleFlowExact(t *testing.T) {
	const rate, payload = 100 * unit.GigabitPerSec, 1000
	for _, bytes := range []unit.Bytes{1000, 10_000, 1_000_000, 1_000_500, 100_000_000} {
		r := hpcc(star(2, rate), cc.None{})
		r.build(t)
		r.flow(t, 0, 1, bytes, 0)
		r.run(t)
		// FCT = (N+h-2) Td + Tlast + h Ta + 2h d: reference section 3.1. (A last packet shorter
		// than an ACK would wait for that of the one before it.)
		n := (bytes + payload - 1) / payload
		last := bytes - (n-1)*payload
		td, tl, ta := rate.TransmitTime(1048), rate.TransmitTime(48+last), rate.TransmitTime(60)
		const h, d = 2, unit.Microsecond
		waits := td - tl // of a short last packet for the full one before it
		if n == 1 {
			waits = 0
		}
		want := unit.Duration(n+h-2)*td + tl + unit.Duration(h)*ta + 2*h*d
		if got := r.flows[0].Acked.Sub(0); got != want {
			t.Errorf("%v: completed after %v, want %v", bytes, got, want)
		}
		// there and back: it completes at the sender
		if s := r.flows[0].Split; s[cause.OwnQueueing] != waits || s[cause.Propagation] != 4*d {
			t.Errorf("%v: causes %v", bytes, s)
		}
	}
}

func TestReferenceIncast(t *testing.T) {
	for _, n := range []int{2, 8} {
		r := hpcc(star(n+1, 100*unit.GigabitPerSec), cc.None{})
		r.fabric.Classes[0].ECN = nil
		r.build(t)
		for i := range n {
			r.flow(t, topo.NICID(i), topo.NICID(n), 10_000_000, 0)
		}
		r.run(t)
		var lo, hi, sum unit.Duration
		lo = 1 << 60
		for _, f := range r.flows {
			d := f.Acked.Sub(f.Posted)
			lo, hi, sum = min(lo, d), max(hi, d), sum+d
		}
		port := r.graph.NICs[n].Port ^ 1
		pauses := int64(0)
		for i := range n {
			pauses += r.fab.Stats(r.eng.Now(), r.graph.NICs[i].Port).PausesReceived
		}
		t.Logf("%d:1 pfconly: %v / %v / %v, max queue %v, pauses %d, hops %d events %d", n, lo, sum/unit.Duration(n),
			hi, r.fab.Stats(r.eng.Now(), port).MaxQueue, pauses, r.fab.Hops(), r.eng.Events())
	}
}
