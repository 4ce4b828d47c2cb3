package topo

import (
	"cmp"
	"slices"
)

// A bond is what routes know of a NIC with several ports: those whose links are not dead. If all are,
// none is left out: there is no other way.
type bond struct {
	own  []PortID // at the host, ascending; nil: the NIC has one port
	down []PortID // at the switches, by switch and port
}

func newBonds(g *Graph, dead func(LinkID) bool) []bond {
	all := make([]bond, len(g.NICs))
	for i := range g.NICs {
		n := &g.NICs[i]
		if len(n.Ports) == 1 {
			continue
		}
		own := slices.DeleteFunc(slices.Clone(n.Ports), func(p PortID) bool { return dead != nil && dead(g.Ports[p].Link) })
		if len(own) == 0 {
			own = n.Ports
		}
		down := make([]PortID, len(own))
		for k, p := range own {
			down[k] = g.Peer(p)
		}
		slices.SortFunc(down, func(a, b PortID) int {
			return cmp.Or(cmp.Compare(g.Ports[a].Node, g.Ports[b].Node), cmp.Compare(a, b))
		})
		all[i] = bond{own, down}
	}
	return all
}

// at returns a switch's ports to the NIC, ascending.
func (b *bond) at(g *Graph, sw NodeID) []PortID {
	first := slices.IndexFunc(b.down, func(p PortID) bool { return g.Ports[p].Node == sw })
	if first < 0 {
		return nil
	}
	last := first + 1
	for last < len(b.down) && g.Ports[b.down[last]].Node == sw {
		last++
	}
	return b.down[first:last:last]
}

// Live returns the ports by which a NIC sends, of a bond those whose links are not dead. The caller must
// not change the slice.
func (r *Routes) Live(n NICID) []PortID {
	if r.bonds != nil && r.bonds[n].own != nil {
		return r.bonds[n].own
	}
	return r.g.NICs[n].Ports
}
