package topo

import "fmt"

// LeafSpine splits hosts evenly over the leaves, in order: host1.. under leaf1, and so on, with all of
// their NICs (any-to-any, rail-unified). Every leaf has Parallel links to every spine. With planes a
// host has a leaf in each, and so many leaves take its place.
//
//	  spine1       spine2
//	    |   \     /   |
//	  leaf1   ...   leaf2
//	  /   \         /   \
//	host1 host2  host3 host4
type LeafSpine struct {
	Hosts, GPUs, NICs int   // GPUs and NICs of each host
	HostLink          Cable // between a NIC and its leaf
	Ports             int   // NICs of a GPU, which planes take in turn; 0: 1
	Leaves            int   // in all
	Spines            int   // of each pod and plane
	Parallel          int   // links between a leaf and a spine; 0: 1
	SpineLink         Cable // between a leaf and a spine, if there are spines
	Upper
}

// Graph makes the network.
func (d LeafSpine) Graph() (*Graph, error) {
	const design = "leaf-spine"
	planes, ports := orAll(d.Planes, 1), orAll(d.Ports, 1)
	err := checkBounds(design, bound{"leaves", d.Leaves, 1, maxNodes / 4}, bound{"hosts", d.Hosts, 1, maxNodes / 2},
		bound{"planes", planes, 1, maxPlanes}, bound{"NICs per GPU", ports, 1, maxGPUs})
	switch {
	case err != nil:
		return nil, err
	case d.Leaves%planes != 0:
		return nil, fmt.Errorf("design %s: %d leaves do not split over %d planes, want a multiple of that", design,
			d.Leaves, planes)
	case d.Hosts%(d.Leaves/planes) != 0:
		return nil, fmt.Errorf("design %s: %d hosts do not split evenly over %d leaves, want a multiple of %d", design,
			d.Hosts, d.Leaves/planes, d.Leaves/planes)
	}
	c := clos{design: design, hosts: hosts{d.Hosts, d.GPUs, d.NICs, d.HostLink}, leafName: "leaf",
		segment: d.Hosts / (d.Leaves / planes), ports: ports, sets: planes, spines: d.Spines, parallel: d.Parallel,
		spineLink: d.SpineLink, Upper: d.Upper}
	c.setOf = func(nic int) int { return nic % ports % planes }
	return c.graph()
}
