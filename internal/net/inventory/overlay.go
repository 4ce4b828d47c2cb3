package inventory

import (
	"slices"

	"railyard/internal/net/topo"
)

// firstVNI is added to a VLAN for the number of its VXLAN: 10101 of rail 1.
const firstVNI = 10_000

// Overlay reports whether hosts are in VXLANs that EVPN tells switches of: a VLAN is then the same subnet on every switch
// that can be reached, each of them its gateway, and a switch's loopback is its end of tunnels.
func (in *Inventory) Overlay() bool {
	return in.Options.Routing.Protocol == EVPN && Joined(in.Graph)
}

// CheckOverlay refuses EVPN where NICs have ports on several switches: these would be one end of tunnels only as Ethernet
// segments (RFC 7432, section 8.4), and spines would share packets by end, not by NIC as a run has it.
func CheckOverlay(g *topo.Graph, r *Routing) error {
	if r.Protocol != EVPN || !Joined(g) {
		return nil
	}
	for i := range g.NICs {
		first := g.Ports[g.NICs[i].Port].To
		for _, p := range g.NICs[i].Ports {
			if g.Ports[p].To != first {
				return refuse("Protocol", "evpn: %s has ports on %s and %s, which takes an Ethernet segment of EVPN: that is not "+
					"made here, want protocol ebgp or ibgp, or NICs that are not bonded", g.NICName(topo.NICID(i)),
					g.Nodes[first].Name, g.Nodes[g.Ports[p].To].Name)
			}
		}
	}
	return nil
}

// Neighbours lists the switches at the other ends of a switch's links, each once, in the order of its ports.
func (in *Inventory) Neighbours(n topo.NodeID) (all []topo.NodeID) {
	for _, p := range in.Trunks(n) {
		if far := in.Graph.Ports[p].To; !slices.Contains(all, far) {
			all = append(all, far)
		}
	}
	return all
}

// Ends lists the other switches with NICs in the overlay of one.
func (in *Inventory) Ends(n topo.NodeID) (all []topo.NodeID) {
	block := in.Devices[n].Block // that all of an overlay have
	for i := range in.Devices {
		if d := &in.Devices[i]; topo.NodeID(i) != n && len(d.Rails) > 0 && d.Block == block {
			all = append(all, topo.NodeID(i))
		}
	}
	return all
}

// domains joins the sets of switches that have ways to each other, in the order of the first of each, and gives every
// switch all rails of its domain with their VNIs.
func (in *Inventory) domains(sets [][]topo.NodeID) (all [][]topo.NodeID) {
	part := joined(in.Graph, func(a, b topo.Kind) bool { return a != topo.HostKind && b != topo.HostKind })
	at := map[topo.NodeID]int{}
	for _, set := range sets {
		first := part[set[0]]
		k, known := at[first]
		if !known {
			k = len(all)
			at[first], all = k, append(all, nil)
		}
		all[k] = append(all[k], set...)
	}
	for _, domain := range all {
		slices.Sort(domain)
		members := in.members(domain)
		for _, n := range domain {
			d := &in.Devices[n]
			for i := range d.Rails {
				d.Rails[i].VNI = firstVNI + d.Rails[i].VLAN
			}
			for _, m := range members {
				if !slices.ContainsFunc(d.Rails, func(r Rail) bool { return r.Rail == m.rail }) {
					vlan := firstVLAN + m.rail
					d.Away = append(d.Away, Rail{Rail: m.rail, VLAN: vlan, VNI: firstVNI + vlan})
				}
			}
		}
	}
	return all
}
