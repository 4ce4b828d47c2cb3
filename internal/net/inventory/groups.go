package inventory

import (
	"slices"

	"railyard/internal/net/topo"
)

// A Group is next hops of equal cost that a switch shares packets over.
type Group struct {
	Ports    []topo.PortID // by their numbers
	Switches int           // with NICs, to which they lead
}

// Groups lists the groups of a switch that packets to NICs elsewhere take, those to most switches
// first. What its peers have is on the switch itself.
func (in *Inventory) Groups(r *topo.Routes, at topo.NodeID) (all []Group) {
	index := map[int32]int{}
	for i := range in.Devices {
		d := &in.Devices[i]
		if len(d.Rails) == 0 || topo.NodeID(i) == at || slices.Contains(d.Peers, at) {
			continue
		}
		nic := in.Graph.Ports[d.Rails[0].Ports[0]].NIC
		hops := r.NextHops(at, nic)
		if len(hops) == 0 {
			continue
		}
		group := r.Group(at, nic)
		k, known := index[group]
		if !known {
			k = len(all)
			index[group] = k
			ports := slices.Clone(hops)
			in.sort(ports)
			all = append(all, Group{Ports: ports})
		}
		all[k].Switches++
	}
	slices.SortStableFunc(all, func(a, b Group) int { return b.Switches - a.Switches })
	return all
}
