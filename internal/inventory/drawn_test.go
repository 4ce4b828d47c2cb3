package inventory_test

import (
	"pgregory.net/rapid"

	"railyard/internal/topo"
)

// drawn draws a network of some design and shape.
func drawn(t *rapid.T) *topo.Graph {
	draw := func(name string, from ...int) int { return rapid.SampledFrom(from).Draw(t, name) }
	segments, size := draw("segments", 1, 2, 4), draw("segment", 1, 2, 3)
	nics := draw("NICs", 1, 2, 4, 8)
	up := topo.Upper{Pods: 1}
	if segments > 1 && draw("pods", 0, 1) == 1 {
		up = topo.Upper{Pods: 2, SuperSpines: draw("super-spines", 1, 2), SuperLink: trunk400}
	}
	switch spines, parallel := draw("spines", 1, 2, 3), draw("parallel", 1, 2); draw("design", 0, 1, 2, 3) {
	case 0:
		return mustGraph(t, topo.SingleSwitch{Hosts: segments * size, GPUs: nics, NICs: nics, HostLink: host200})
	case 1:
		return mustGraph(t, topo.LeafSpine{Hosts: segments * size, GPUs: nics, NICs: nics, Leaves: segments, Spines: spines,
			Parallel: parallel, HostLink: host200, SpineLink: trunk400, Upper: up})
	case 2: // two planes
		return mustGraph(t, topo.RailOptimized{Hosts: segments * size, GPUs: nics, NICs: 2 * nics, Ports: 2, Segment: size,
			Spines: spines, Parallel: parallel, HostLink: host200, SpineLink: trunk400,
			Upper: topo.Upper{Planes: 2, Pods: up.Pods, SuperSpines: up.SuperSpines, SuperLink: trunk400}})
	default:
		perLeaf := draw("rails per leaf", 1, nics)
		return mustGraph(t, topo.RailOptimized{Hosts: segments * size, GPUs: nics, NICs: nics, Segment: size,
			RailsPerLeaf: perLeaf, Spines: spines, Parallel: parallel, HostLink: host200, SpineLink: trunk400, Upper: up})
	}
}
