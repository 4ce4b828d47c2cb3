package inventory

import (
	"slices"

	"railyard/internal/net/topo"
)

// A Pair is two switches that are one to the NICs with a port on each (IEEE 802.1AX at the NIC; MLAG, vPC or MCLAG at the
// switches). The links between them carry all VLANs, in one port channel: what comes to one for a NIC that it has lost
// goes over to the other. Each NIC's ports are a port channel with one number on both.
type Pair struct {
	Domain  int         // from 1, the same on both
	Peer    topo.NodeID // the other one
	Channel int         // of the links between them
	VLAN    int         // of the addresses below
	Address Address     // of this switch
	Other   Address     // of the other one
}

// The port channel between two peers, and what is added to the number of a NIC among theirs, from 0.
const peerChannel, firstChannel = 1, 11

// peerVLAN is the VLAN in which two peers hear each other.
const peerVLAN = 4094

// pair finds switches that share NICs with one other alone, and have links to it.
func (in *Inventory) pair(sets [][]topo.NodeID) {
	domain := 0
	for _, set := range sets {
		if len(set) != 2 {
			continue
		}
		links := in.linksBetween(set[0], set[1])
		if len(links) == 0 {
			continue
		}
		domain++
		for k, n := range set {
			in.Devices[n].Pair = &Pair{Domain: domain, Peer: set[1-k], Channel: peerChannel, VLAN: peerVLAN}
		}
		for _, l := range links {
			in.Ports[2*l].Channel, in.Ports[2*l+1].Channel = peerChannel, peerChannel
		}
		in.bundle(set)
	}
}

// Paired reports whether each switch that NICs have one of several ports on is one of a Pair.
func Paired(g *topo.Graph) bool {
	in := &Inventory{Graph: g, Devices: make([]Device, len(g.Nodes)), Ports: make([]Port, len(g.Ports))}
	in.pair(in.share(in.edges()))
	for i := range g.NICs {
		ports := g.NICs[i].Ports
		for _, p := range ports {
			if len(ports) > 1 && in.Devices[g.Ports[p].To].Pair == nil {
				return false
			}
		}
	}
	return true
}

// linksBetween lists the links of two switches.
func (in *Inventory) linksBetween(a, b topo.NodeID) (all []topo.LinkID) {
	for _, p := range in.Graph.Nodes[a].Ports {
		if in.Graph.Ports[p].To == b {
			all = append(all, in.Graph.Ports[p].Link)
		}
	}
	return all
}

// bundle makes the ports of each NIC on a pair a port channel, in the order of NICs.
func (in *Inventory) bundle(pair []topo.NodeID) {
	g, number := in.Graph, firstChannel
	for i := range g.NICs {
		ports := g.NICs[i].Ports
		if len(ports) < 2 || !slices.Contains(pair, g.Ports[ports[0]].To) {
			continue
		}
		for _, p := range ports {
			in.Ports[g.Peer(p)].Channel = number
		}
		number++
	}
}

// between gives each pair a subnet of two addresses, behind those of so many links.
func (in *Inventory) between(links uint64) error {
	for i := range in.Devices {
		p := in.Devices[i].Pair
		if p == nil || p.Peer < topo.NodeID(i) {
			continue
		}
		s, err := in.take("Links", 31, 127, links)
		if err != nil {
			return err
		}
		links++
		other := in.Devices[p.Peer].Pair
		p.Address, p.Other = in.host(s, 0), in.host(s, 1)
		other.Address, other.Other = p.Other, p.Address
	}
	return nil
}
