package topo

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
// book's many, two or one rail per switch). The NICs of a rail go to different leaves, and the ports of a
// NIC that bonds several.
type RailOptimized struct {
	Hosts, GPUs, NICs int   // GPUs and NICs of each host
	Bond              int   // ports of each NIC; 0: 1
	HostLink          Cable // between a port and its leaf
	Segment           int   // hosts of a segment; 0: all
	Ports             int   // NICs of a rail; 0: 1
	RailsPerLeaf      int   // 0: 1
	Spines            int   // of each pod and plane
	Parallel          int   // links between a leaf and a spine; 0: 1
	SpineLink         Cable // between a leaf and a spine, if there are spines
	Peer              int   // links between every two leaves that the ports of a NIC are on; 0: none
	PeerLink          Cable // one of them
	Upper
}

// Graph makes the network.
func (d RailOptimized) Graph() (*Graph, error) {
	c := clos{misfits: Misfits{Design: DesignRailOptimized}, hosts: hosts{d.Hosts, d.GPUs, d.NICs, d.Bond, d.HostLink},
		segment: orAll(d.Segment, d.Hosts), leafName: "leaf", spines: d.Spines,
		parallel: d.Parallel, spineLink: d.SpineLink, peer: d.Peer,
		peerLink: d.PeerLink, Upper: d.Upper}
	m, ports, perLeaf := &c.misfits, orAll(d.Ports, 1), orAll(d.RailsPerLeaf, 1)
	c.hosts.check(m)
	m.within("Segment", "hosts per segment", c.segment, 1, maxNodes/2)
	m.within("Ports", "NICs per rail", ports, 1, maxGPUs)
	m.within("RailsPerLeaf", "rails per leaf", perLeaf, 1, maxGPUs)
	if err := m.err(); err != nil {
		return nil, err
	}
	rails := d.NICs / ports
	lanes := ports * max(d.Bond, 1)
	m.refuse(d.Hosts%c.segment != 0, "Segment", "%d hosts do not split into segments of %d, want a multiple of that",
		d.Hosts, c.segment)
	m.refuse(d.NICs%ports != 0, "Ports", "%d NICs do not split into rails of %d, want a multiple of that", d.NICs, ports)
	m.refuse(rails%perLeaf != 0, "RailsPerLeaf", "%d rails do not split into %d a leaf, want a number that divides %d",
		rails, perLeaf, rails)
	c.sets, c.lanes = rails/perLeaf*lanes, lanes
	c.setOf = func(cable int) int { return cable/lanes/perLeaf*lanes + cable%lanes }
	if perLeaf == 1 {
		c.railOf = func(set int) int { return set / max(d.Bond, 1) }
		if c.segment == d.Hosts && d.Bond <= 1 {
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
