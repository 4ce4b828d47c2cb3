package nic_test

import (
	"fmt"
	"testing"

	"railyard/internal/cc"
	"railyard/internal/fabric"
	"railyard/internal/nic"
	"railyard/internal/qos"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// byLeaf puts each leaf with its hosts into an island, and each spine.
func byLeaf(g *topo.Graph) (islandOf []int32, n int) {
	islandOf = make([]int32, len(g.Nodes))
	for i, node := range g.Nodes {
		if node.Kind != topo.HostKind {
			islandOf[i] = int32(n)
			n++
		}
	}
	for i, node := range g.Nodes {
		if node.Kind == topo.HostKind {
			islandOf[i] = islandOf[g.Ports[node.Ports[0]].To]
		}
	}
	return islandOf, n
}

// large is a leaf-spine fabric at 100 Gb/s in which every host sends packets of 1,048 bytes to one
// under another leaf, no two over the same link; each is acknowledged. Starts are spread over the
// time of a packet.
func large(tb testing.TB, leaves, per int, packets unit.Bytes, islands bool) *rig {
	tb.Helper()
	const rate, payload, wire = 100 * unit.GigabitPerSec, 1000, 1048
	link := topo.Cable{Rate: rate, Delay: unit.Microsecond}
	hosts := leaves * per
	g, err := topo.LeafSpine(topo.Params{Hosts: hosts, GPUs: 1, NICs: 1, HostLink: link, Leaves: leaves,
		Spines: per, SpineLink: link})
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
	path := func(from, to int) []topo.PortID {
		p, err := routes.Path(topo.NICID(from), topo.NICID(to), func(_ topo.NodeID, n int) int { return from % n })
		if err != nil {
			tb.Fatal(err)
		}
		return p
	}
	for i := range hosts {
		to := (i + per + i%per*per) % hosts
		if to/per == i/per {
			to = (to + per) % hosts
		}
		qp := r.net.AddQP(nic.QueuePair{Name: fmt.Sprint(i), From: topo.NICID(i), To: topo.NICID(to), FromGPU: -1,
			ToGPU: -1, Path: path(i, to), Back: path(to, i)})
		r.net.AddFlow(nic.FlowSpec{QP: qp, Start: unit.Time(i * 7919 % int(rate.TransmitTime(wire))),
			Bytes: packets * payload, Count: 1})
		r.left++
	}
	return r
}

// BenchmarkLarge measures packet-hops per second, in one island and in one per switch. Run it with
// -benchtime 1x.
func BenchmarkLarge(b *testing.B) {
	for _, c := range []struct {
		leaves, per int
		packets     unit.Bytes
	}{{8, 16, 4000}, {32, 32, 500}, {64, 128, 50}} {
		for _, islands := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d hosts/islands=%t", c.leaves*c.per, islands), func(b *testing.B) {
				var hops, events int64
				for range b.N {
					b.StopTimer()
					r := large(b, c.leaves, c.per, c.packets, islands)
					b.StartTimer()
					r.run(b)
					hops += r.fab.Hops()
					events += r.eng.Events()
				}
				s := b.Elapsed().Seconds()
				b.ReportMetric(float64(hops)/s/1e6, "Mhops/s")
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
