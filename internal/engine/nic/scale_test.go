package nic_test

import (
	"fmt"
	"testing"

	"railyard/internal/base/machine/machinetest"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/host"
	"railyard/internal/engine/nic"
	"railyard/internal/net/cc"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
	"railyard/internal/study/bench"
)

// byLeaf makes an island of each switch, and of each 32 hosts or fewer under one leaf: as a run on one
// core does.
func byLeaf(g *topo.Graph) (islandOf []int32, n int) {
	islandOf = make([]int32, len(g.Nodes))
	under := map[topo.NodeID]int{}
	for i, node := range g.Nodes {
		if node.Kind != topo.HostKind {
			islandOf[i] = int32(n)
			n++
		}
	}
	groups := map[[2]int]int32{} // by leaf and number among its hosts / 32
	for i, node := range g.Nodes {
		if node.Kind != topo.HostKind {
			continue
		}
		leaf := g.Ports[node.Ports[0]].To
		group := [2]int{int(leaf), under[leaf] / 32}
		under[leaf]++
		if _, known := groups[group]; !known {
			groups[group] = int32(n)
			n++
		}
		islandOf[i] = groups[group]
	}
	return islandOf, n
}

// large is the permutation of package bench at 100 Gb/s: every host sends packets of 1,048 bytes to one
// under another leaf, no two over the same link; each is acknowledged.
func large(tb testing.TB, leaves, per int, packets unit.Bytes, islands bool) *rig {
	tb.Helper()
	const rate, payload, wire = 100 * unit.GigabitPerSec, 1000, 1048
	link := topo.Cable{Rate: rate, Delay: unit.Microsecond}
	hosts := leaves * per
	g, err := topo.LeafSpine{Hosts: hosts, GPUs: 1, NICs: 1, HostLink: link, Leaves: leaves,
		Spines: per, SpineLink: link}.Graph()
	if err != nil {
		tb.Fatal(err)
	}
	dcqcn := cc.Presets["dcqcn-sigcomm15"].DCQCN
	dcqcn.AI, dcqcn.HAI, dcqcn.PortRate = rate/1000, rate/200, 0
	r := hpcc(g, dcqcn)
	r.fabric.PFC.Headroom = qos.FixedHeadroom(37_500)
	if islands {
		r.parts, r.look = byLeaf, link.Delay
	}
	r.build(tb)
	routes := topo.NewRoutes(g)
	path := func(from, to, spine int) []topo.PortID {
		p, err := routes.Path(topo.NICID(from), topo.NICID(to), func(topo.NodeID, int) int { return spine })
		if err != nil {
			tb.Fatal(err)
		}
		return p
	}
	for i, w := range bench.Permutation(leaves, per) {
		qp := r.net.AddQP(nic.QueuePair{Name: fmt.Sprint(i), From: topo.NICID(w.From), To: topo.NICID(w.To), FromGPU: -1,
			ToGPU: -1, Path: path(w.From, w.To, w.Spine), Back: path(w.To, w.From, w.Spine)})
		r.hosts.AddFlow(int32(w.From), host.FlowSpec{QP: qp, Start: unit.Time(bench.Start(i, rate.TransmitTime(wire))),
			Bytes: packets * payload, Count: 1})
		r.left++
	}
	return r
}

// BenchmarkLarge measures packet-hops per second of CPU time, in one island and in one per switch. Run it
// with -benchtime 1x. `railyard bench` measures the same as whole runs.
func BenchmarkLarge(b *testing.B) {
	for _, c := range []struct {
		leaves, per int
		packets     unit.Bytes
	}{{8, 16, 4000}, {32, 32, 500}, {64, 128, 50}} {
		for _, islands := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d hosts/islands=%t", c.leaves*c.per, islands), func(b *testing.B) {
				var hops, events int64
				cpu := machinetest.Start(b)
				for range b.N {
					cpu.Stop()
					r := large(b, c.leaves, c.per, c.packets, islands)
					cpu.Start()
					r.run(b)
					hops += r.fab.Hops()
					events += r.eng.Events()
				}
				b.ReportMetric(float64(hops)/cpu.Report()/1e6, "Mhops/cpu-s")
				b.ReportMetric(float64(events)/float64(hops), "events/hop")
			})
		}
	}
}

// TestLargeIslandsChangeNothing: one island for each switch gives the flows of a single one.
func TestLargeIslandsChangeNothing(t *testing.T) {
	outcome := func(islands bool) (s string, hops int64) {
		r := large(t, 4, 4, 200, islands)
		r.run(t)
		acked := make([]unit.Time, len(r.flows))
		for _, f := range r.flows {
			acked[f.QP] = f.Acked
		}
		for id := range r.graph.Ports {
			s += fmt.Sprintln(r.fab.Stats(r.eng.Now(), fabric.PortID(id)))
		}
		return fmt.Sprint(acked) + s, r.fab.Hops()
	}
	want, hops := outcome(false)
	if got, n := outcome(true); got != want || n != hops {
		t.Errorf("%d packet-hops in islands, %d in one; flows and ports equal: %t", n, hops, got == want)
	}
}
