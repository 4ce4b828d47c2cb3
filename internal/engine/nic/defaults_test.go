package nic_test

import (
	"fmt"
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

// Railyard's default constants, as a scenario that sets nothing has them.
const (
	cable         = 100 * unit.Nanosecond // 20 m
	switchLatency = 600 * unit.Nanosecond
	nicLatency    = 500 * unit.Nanosecond
	pcieLatency   = 300 * unit.Nanosecond
	pcieRate      = 504 * unit.GigabitPerSec // Gen5 x16
	mtu           = 4096
)

// defaults is Railyard's default parameters on a graph whose hosts have links of rate.
func defaults(g *topo.Graph, rate unit.Bitrate) *rig {
	const frame = 9216
	dcqcn := cc.Presets["dcqcn-sigcomm15"].DCQCN
	dcqcn.AI, dcqcn.HAI, dcqcn.PortRate = rate/1000, rate/200, 0
	return &rig{graph: g,
		fabric: fabric.Config{
			Classes: []fabric.Class{
				{Name: "data", Priority: 3, Weight: 50, Lossless: true, ECN: &qos.DefaultECN},
				{Name: "other", Priority: 0, Weight: 50},
				{Name: "cnp", Priority: 7, Strict: true}},
			PFC: fabric.PFC{Alpha: unit.Ratio{Num: 1, Den: 8}, ResumeOffset: 2 * frame, Quanta: 0xffff,
				Refresh:  unit.Ratio{Num: 1, Den: 2},
				Headroom: qos.FormulaHeadroom(frame, 600*unit.Nanosecond)},
			Buffer: fabric.Buffer{Size: 64 * unit.Megabyte, Reserve: 4096,
				LossyAlpha: unit.Ratio{Num: 1, Den: 1}, FreeAtTxEnd: true},
			SwitchLatency: switchLatency, HostLatency: nicLatency, LinkOverhead: wire.RoCEv2.Overhead,
			PauseFrame: wire.RoCEv2.PFC, MTU: frame, Seed: 1},
		nic: nic.Config{Frames: wire.RoCEv2,
			Transport: roce.Params{MTU: mtu, AckEvery: 16, Timeout: 1_048_576 * unit.Nanosecond,
				Retries: 7, AckDuplicates: true, CNPInterval: 50 * unit.Microsecond},
			AckClass: 0, CNPClass: 2, Controller: dcqcn},
		host: host.Config{PCIe: host.Pipe{Latency: pcieLatency, Rate: pcieRate},
			NVLink: host.Pipe{Latency: unit.Microsecond, Rate: 3600 * unit.GigabitPerSec}, NIC: nicLatency},
	}
}

// oneSwitch is hosts on one switch with cables of 20 m.
func oneSwitch(tb testing.TB, hosts int, rate unit.Bitrate) *topo.Graph {
	tb.Helper()
	g, err := topo.SingleSwitch{Hosts: hosts, GPUs: 1, NICs: 1,
		HostLink: topo.Cable{Rate: rate, Delay: cable}}.Graph()
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// leafSpine is a leaf-spine fabric whose links are all alike but for the spines' rate.
func leafSpine(tb testing.TB, leaves, hostsPerLeaf, spines int, rate, spine unit.Bitrate) *topo.Graph {
	tb.Helper()
	g, err := topo.LeafSpine{Hosts: leaves * hostsPerLeaf, GPUs: 1, NICs: 1,
		HostLink: topo.Cable{Rate: rate, Delay: cable},
		Leaves:   leaves, Spines: spines, SpineLink: topo.Cable{Rate: spine, Delay: cable}}.Graph()
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// gpuFlow is flow between the memories of two hosts' first GPUs.
func (r *rig) gpuFlow(tb testing.TB, from, to topo.NICID, b unit.Bytes, start unit.Time) int32 {
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
	qp := r.net.AddQP(nic.QueuePair{Name: r.graph.NICName(from) + ">" + r.graph.NICName(to), From: from,
		To: to, Path: path, Back: back})
	r.hosts.AddFlow(r.graph.NICs[from].Host, host.FlowSpec{QP: qp, Start: start, Bytes: b, Count: 1})
	r.left++
	return qp
}

// probe is called every so often, after everything else of that instant, until it says no.
type probe struct {
	eng   *sim.Engine
	every func() unit.Duration
	do    func(now unit.Time) bool
}

func (p *probe) Handle(_ *sim.Island, now unit.Time, _ int32) {
	if p.do(now) {
		p.eng.At(0, now.Add(p.every()), probeKey)
	}
}

var probeKey = sim.MakeKey(sim.Host, sim.Classes-1, sim.MaxOwner)

// watch starts a probe; build comes before it. It is for runs of one island.
func (r *rig) watch(every func() unit.Duration, do func(now unit.Time) bool) {
	p := &probe{r.eng, every, do}
	r.eng.Register(sim.Classes-1, p)
	r.eng.At(0, 0, probeKey)
}

// completion is when one flow alone on a path is complete: its last byte is in the memory of the
// receiving GPU.
//
// Packet i (of N) occupies a link of rate r for t(i, r): 62 bytes of headers, 16 more for the first
// packet's RETH, 4 for the last one's immediate, 20 of preamble and gap. Links store and forward,
// so packets go through a tandem of queues whose service times are the same at every hop but for
// the link's rate. The last bit leaves the last hop at the maximum, over all ways from (packet 1,
// hop 1) to (packet N, hop H) that step to the next packet or the next hop, of the sum of times on
// the way. The first packet is the longest, so the longest way takes it through every hop, and the
// others over the slowest one:
//
//	sum over hops of t(1, r_hop) + sum over packets 2..N of t(i, slowest)
//
// Before it: PCIe latency, NIC latency, and the first payload over PCIe (the others are there in
// time: PCIe is faster than the link). Beside it: a cable per hop, a pipeline per switch. After it:
// the receiving NIC, the payload over PCIe and its latency. A short last payload may find the one
// before it still on PCIe.
func completion(bytes unit.Bytes, hops []unit.Bitrate) unit.Duration {
	n := (bytes + mtu - 1) / mtu
	payload := func(i unit.Bytes) unit.Bytes { return min(mtu, bytes-(i-1)*mtu) }
	wireBytes := func(i unit.Bytes) unit.Bytes {
		b := 62 + 20 + payload(i)
		if i == 1 {
			b += 16
		}
		if i == n {
			b += 4
		}
		return b
	}
	slowest := hops[0]
	first := unit.Duration(0)
	for _, r := range hops {
		slowest = min(slowest, r)
		first += r.TransmitTime(wireBytes(1))
	}
	d := pcieLatency + nicLatency + pcieRate.TransmitTime(payload(1)) + first
	if n > 1 {
		d += unit.Duration(n-2)*slowest.TransmitTime(wireBytes(2)) + slowest.TransmitTime(wireBytes(n))
	}
	d += unit.Duration(len(hops))*cable + unit.Duration(len(hops)-1)*switchLatency + nicLatency
	up := d
	if n > 1 {
		last := hops[len(hops)-1]
		gap := last.TransmitTime(wireBytes(n)) // between the arrivals of the last two
		up = max(d, d-gap+pcieRate.TransmitTime(payload(n-1)))
	}
	return up + pcieRate.TransmitTime(payload(n)) + pcieLatency
}

// TestSingleFlowDefaults: with Railyard's default parameters one flow takes what the closed form
// says, to the picosecond, and its causes are the parts of it.
func TestSingleFlowDefaults(t *testing.T) {
	const rate = 200 * unit.GigabitPerSec
	for _, c := range []struct {
		name  string
		graph *topo.Graph
		to    topo.NICID
		hops  []unit.Bitrate
	}{
		{"2 hops", oneSwitch(t, 2, rate), 1, []unit.Bitrate{rate, rate}},
		{"4 hops", leafSpine(t, 2, 1, 2, rate, rate), 1, []unit.Bitrate{rate, rate, rate, rate}},
		{"4 hops, faster spines", leafSpine(t, 2, 1, 2, rate, 2*rate), 1,
			[]unit.Bitrate{rate, 2 * rate, 2 * rate, rate}},
	} {
		for _, bytes := range []unit.Bytes{1, 4096, 4097, 8192, 10_000, 1_000_000, 4096 * 1000, 100_000_000} {
			t.Run(fmt.Sprintf("%s %v", c.name, bytes), func(t *testing.T) {
				r := defaults(c.graph, rate)
				r.build(t)
				r.gpuFlow(t, 0, c.to, bytes, unit.Time(3*unit.Microsecond))
				r.run(t)
				f := r.flows[0]
				if got, want := f.Placed.Sub(f.Posted), completion(bytes, c.hops); got != want {
					t.Errorf("%v: complete after %v, want %v (%v more)", bytes, got, want, got-want)
				}
				s := f.Split
				if want := unit.Duration(len(c.hops)) * cable; s[cause.Propagation] != want {
					t.Errorf("%v: propagation %v, want %v", bytes, s[cause.Propagation], want)
				}
				if want := unit.Duration(len(c.hops)-1) * switchLatency; s[cause.SwitchLatency] != want {
					t.Errorf("%v: switch latency %v, want %v", bytes, s[cause.SwitchLatency], want)
				}
				if s[cause.RateLimit] != 0 || s[cause.Window] != 0 || s[cause.Pause] != 0 ||
					s[cause.Retransmission] != 0 || s[cause.Dependency] != 0 || s[cause.Compute] != 0 {
					t.Errorf("%v: causes %v", bytes, s)
				}
			})
		}
	}
}
