package inventory

import (
	"slices"

	"railyard/internal/net/topo"
)

// share puts switches together that have NICs in common, directly or over others, in order of the first of each,
// and tells each of its peers.
func (in *Inventory) share(edges []topo.NodeID) (sets [][]topo.NodeID) {
	first := make([]topo.NodeID, len(in.Devices)) // of the set of a switch
	for _, n := range edges {
		first[n] = n
	}
	g := in.Graph
	for i := range g.NICs {
		for _, p := range g.NICs[i].Ports[1:] {
			a, b := first[g.Ports[g.NICs[i].Port].To], first[g.Ports[p].To]
			if a == b {
				continue
			}
			for _, n := range edges {
				if first[n] == max(a, b) {
					first[n] = min(a, b)
				}
			}
		}
	}
	at := map[topo.NodeID]int{}
	for _, n := range edges {
		k, known := at[first[n]]
		if !known {
			k = len(sets)
			at[first[n]], sets = k, append(sets, nil)
		}
		sets[k] = append(sets[k], n)
	}
	for _, set := range sets {
		for _, n := range set {
			in.Devices[n].Peers = slices.DeleteFunc(slices.Clone(set), func(m topo.NodeID) bool { return m == n })
		}
	}
	return sets
}

// A member is the NICs of a rail on switches that share them.
type member struct {
	rail int
	nics []topo.NICID // in the order of their first ports, the first switch's first
}

// members lists the rails on some switches, ascending.
func (in *Inventory) members(set []topo.NodeID) (all []member) {
	for _, n := range set {
		for _, r := range in.Devices[n].Rails {
			k, known := slices.BinarySearchFunc(all, r.Rail, func(m member, rail int) int { return m.rail - rail })
			if !known {
				all = slices.Insert(all, k, member{rail: r.Rail})
			}
			for _, p := range r.Ports {
				// A NIC counts at its first port, wherever the others are.
				if nic := in.Graph.Ports[p].NIC; in.Graph.NICs[nic].Port == in.Graph.Peer(p) {
					all[k].nics = append(all[k].nics, nic)
				}
			}
		}
	}
	return all
}
