// Package inventorytest draws networks for tests of what has names and addresses.
package inventorytest

import (
	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/net/inventory"
	"railyard/internal/net/topo"
)

// Cables of the networks that are drawn.
var (
	Host200  = topo.Cable{Rate: 200 * unit.GigabitPerSec, Length: 5 * unit.Metre}
	Trunk400 = topo.Cable{Rate: 400 * unit.GigabitPerSec, Length: 30 * unit.Metre}
)

// Usual are the options of a scenario that names none.
func Usual() inventory.Options {
	return inventory.Options{Panel: func(topo.NodeID) inventory.Panel { return inventory.Panel{} }, MTU: 9216,
		Pools: inventory.DefaultPools, Routing: inventory.Routing{Protocol: inventory.EBGP, ASBase: inventory.PrivateAS,
			Summaries: true, BFD: &inventory.BFD{Interval: 100 * unit.Millisecond, Multiplier: 3}, Hold: 9 * unit.Second}}
}

// Draw draws a network of some design and shape.
func Draw(t *rapid.T) *topo.Graph {
	draw := func(name string, from ...int) int { return rapid.SampledFrom(from).Draw(t, name) }
	segments, size := draw("segments", 1, 2, 4), draw("segment", 1, 2, 3)
	nics := draw("NICs", 1, 2, 4, 8)
	up := topo.Upper{Pods: 1}
	if segments > 1 && draw("pods", 0, 1) == 1 {
		up = topo.Upper{Pods: 2, SuperSpines: draw("super-spines", 1, 2), SuperLink: Trunk400}
	}
	var d topo.Design
	bond := draw("ports of a NIC", 1, 2)
	switch spines, parallel := draw("spines", 1, 2, 3), draw("parallel", 1, 2); draw("design", 0, 1, 2, 3, 4) {
	case 4:
		d = topo.DualRail{Hosts: segments * size, GPUs: nics, NICs: nics, Bond: 2, Switches: 2, HostLink: Host200,
			Peer: parallel, PeerLink: Trunk400}
	case 0:
		d = topo.SingleSwitch{Hosts: segments * size, GPUs: nics, NICs: nics, HostLink: Host200}
	case 1:
		d = topo.LeafSpine{Hosts: segments * size, GPUs: nics, NICs: nics, Leaves: segments * bond, Bond: bond, Spines: spines,
			Parallel: parallel, HostLink: Host200, SpineLink: Trunk400, Upper: up}
	case 2: // two planes
		up.Planes = 2
		d = topo.RailOptimized{Hosts: segments * size, GPUs: nics, NICs: 2 * nics, Ports: 2, Segment: size,
			Spines: spines, Parallel: parallel, HostLink: Host200, SpineLink: Trunk400, Upper: up}
	default:
		d = topo.RailOptimized{Hosts: segments * size, GPUs: nics, NICs: nics, Bond: bond, Segment: size,
			RailsPerLeaf: draw("rails per leaf", 1, nics), Spines: spines, Parallel: parallel, HostLink: Host200,
			SpineLink: Trunk400, Upper: up}
	}
	g, err := d.Graph()
	if err != nil {
		t.Fatal(err)
	}
	return g
}
