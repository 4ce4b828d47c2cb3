package topo

// LeafSpine splits hosts evenly over the leaves, in order: host1.. under leaf1, and so on, with all of
// their NICs (any-to-any, rail-unified). Every leaf has Parallel links to every spine. With planes a
// host has a leaf in each, and with bonded ports one for each port, and so many leaves take its place.
//
//	  spine1       spine2
//	    |   \     /   |
//	  leaf1   ...   leaf2
//	  /   \         /   \
//	host1 host2  host3 host4
type LeafSpine struct {
	Hosts, GPUs, NICs int   // GPUs and NICs of each host
	Bond              int   // ports of each NIC; 0: 1
	HostLink          Cable // between a port and its leaf
	Ports             int   // NICs of a GPU, which planes take in turn; 0: 1
	Leaves            int   // in all
	Spines            int   // of each pod and plane
	Parallel          int   // links between a leaf and a spine; 0: 1
	SpineLink         Cable // between a leaf and a spine, if there are spines
	Peer              int   // links between every two leaves that the ports of a NIC are on; 0: none
	PeerLink          Cable // one of them
	Upper
}

// Graph makes the network.
func (d LeafSpine) Graph() (*Graph, error) {
	planes, ports, bond := orAll(d.Planes, 1), orAll(d.Ports, 1), max(d.Bond, 1)
	sets := max(planes, bond)
	c := clos{misfits: Misfits{Design: DesignLeafSpine}, hosts: hosts{d.Hosts, d.GPUs, d.NICs, d.Bond, d.HostLink},
		leafName: "leaf", lanes: ports * bond, sets: sets, spines: d.Spines, parallel: d.Parallel, spineLink: d.SpineLink,
		peer: d.Peer, peerLink: d.PeerLink, Upper: d.Upper}
	m := &c.misfits
	c.hosts.check(m)
	m.within("Leaves", "leaves", d.Leaves, 1, maxNodes/4)
	m.within("Planes", "planes", planes, 1, maxPlanes)
	m.within("Ports", "NICs per GPU", ports, 1, maxGPUs)
	if err := m.err(); err != nil {
		return nil, err
	}
	m.refuse(sets%min(planes, bond) != 0, "Planes", "%d planes for %d ports of a NIC, want one to divide the other",
		planes, bond)
	what := "planes"
	if bond > planes {
		what = "ports of a NIC"
	}
	m.refuse(d.Leaves%sets != 0, "Leaves", "%d leaves do not split over %d %s, want a multiple of that", d.Leaves,
		sets, what)
	racks := max(d.Leaves/sets, 1)
	m.refuse(d.Hosts%racks != 0, "Leaves", "%d hosts do not split evenly over %d leaves, want a multiple of %d hosts",
		d.Hosts, racks, racks)
	c.segment = max(d.Hosts/racks, 1)
	c.setOf = func(cable int) int { return cable % c.lanes % sets }
	return c.graph()
}
