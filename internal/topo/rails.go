package topo

import "fmt"

// RailOptimized gives rails switches of their own and links those to spines. A rail is a NIC, or so
// many NICs (Ports), of each host; NVIDIA's DGX SuperPOD reference architecture has one leaf for each
// rail of 32 hosts. Without spines the rails are islands, and traffic between them crosses NVLink
// inside a host (rail-only).
//
//	    spine1    spine2
//	     |   \    /   |
//	     |    \  /    |
//	   rail1   ..   rail2        rail r: NIC r-1 of every host
//	   /   \        /   \
//	host1 host2  host1 host2
//
// Hosts of a segment (NVIDIA: scalable unit) share their leaves. RailsPerLeaf rails share a leaf (the
// book's many, two or one rail per switch). The ports of a rail go to different leaves.
type RailOptimized struct {
	Hosts, GPUs, NICs int   // GPUs and NICs of each host
	HostLink          Cable // between a NIC and its leaf
	Segment           int   // hosts of a segment; 0: all
	Ports             int   // NICs of a rail; 0: 1
	RailsPerLeaf      int   // 0: 1
	Spines            int   // of each pod and plane
	Parallel          int   // links between a leaf and a spine; 0: 1
	SpineLink         Cable // between a leaf and a spine, if there are spines
	Upper
}

// Graph makes the network.
func (d RailOptimized) Graph() (*Graph, error) {
	const design = "rail-optimized"
	segment, ports, perLeaf := orAll(d.Segment, d.Hosts), orAll(d.Ports, 1), orAll(d.RailsPerLeaf, 1)
	err := checkBounds(design, bound{"hosts", d.Hosts, 1, maxNodes / 2}, bound{"NICs per host", d.NICs, 1, maxGPUs},
		bound{"hosts per segment", segment, 1, maxNodes / 2}, bound{"NICs per rail", ports, 1, d.NICs},
		bound{"rails per leaf", perLeaf, 1, maxGPUs})
	rails := 0
	if err == nil {
		rails = d.NICs / ports
	}
	switch {
	case err != nil:
		return nil, err
	case d.Hosts%segment != 0:
		return nil, fmt.Errorf("design %s: %d hosts do not split into segments of %d, want a multiple of that", design,
			d.Hosts, segment)
	case d.NICs%ports != 0:
		return nil, fmt.Errorf("design %s: %d NICs do not split into rails of %d, want a multiple of that", design, d.NICs,
			ports)
	case rails%perLeaf != 0:
		return nil, fmt.Errorf("design %s: %d rails do not split into %d a leaf, want a number that divides %d", design,
			rails, perLeaf, rails)
	}
	c := clos{design: design, hosts: hosts{d.Hosts, d.GPUs, d.NICs, d.HostLink}, segment: segment, leafName: "leaf",
		ports: ports, sets: rails / perLeaf * ports, spines: d.Spines, parallel: d.Parallel, spineLink: d.SpineLink,
		Upper: d.Upper}
	c.setOf = func(nic int) int { return nic/ports/perLeaf*ports + nic%ports }
	if perLeaf == 1 {
		c.railOf = func(set int) int { return set }
		if segment == d.Hosts {
			c.leafName = "rail"
		}
	}
	return c.graph()
}

// orAll is a count, or what stands for it if it is not given.
func orAll(n, all int) int {
	if n == 0 {
		return all
	}
	return n
}
