package topo

import "strconv"

// SingleSwitch puts every NIC on one switch, rail1 (book chapter 13, the single rail switch). NIC i of
// each host is on rail i all the same: rails share the switch, each as a VLAN.
//
//	        rail1
//	 / |    |  |    | \
//	host1  host2   host3
type SingleSwitch struct {
	Hosts, GPUs, NICs int   // GPUs and NICs of each host
	Bond              int   // ports of each NIC, all to the switch; 0: 1
	HostLink          Cable // between a NIC and the switch
	Isolated          bool  // nothing routes between the VLANs
}

// Graph makes the network.
func (d SingleSwitch) Graph() (*Graph, error) {
	return shared{DesignSingleSwitch, 1, hosts{d.Hosts, d.GPUs, d.NICs, d.Bond, d.HostLink}, 0, Cable{}, d.Isolated}.graph()
}

// DualRail puts port k of every card on switch k (book chapter 13, the dual rail switches: either port
// carries any queue pair where they are bonded, by MLAG or an Ethernet segment of EVPN, RFC 7432 section
// 5). What comes to a switch for a NIC whose link to it is gone crosses the links between the switches.
//
//	rail1 ==== rail2
//	|  |  \  /  |  |
//	|  |   \/   |  |
//	host1      host2
type DualRail struct {
	Hosts, GPUs, NICs int   // GPUs and NICs of each host
	Bond              int   // ports of each NIC; 0: 1, a NIC being one port of a card
	Switches          int   // ports of a card: 2 to 4
	HostLink          Cable // between a port and its switch
	Peer              int   // links between every two switches; 0: none
	PeerLink          Cable // one of them
	Isolated          bool  // nothing routes between the VLANs
}

// Graph makes the network.
func (d DualRail) Graph() (*Graph, error) {
	s := shared{DesignDualRail, d.Switches, hosts{d.Hosts, d.GPUs, d.NICs, d.Bond, d.HostLink}, d.Peer, d.PeerLink, d.Isolated}
	return s.graph()
}

// shared is a design in which all rails share each of its switches.
type shared struct {
	design   DesignName
	switches int
	hosts    hosts
	peer     int // links between every two
	peerLink Cable
	isolated bool
}

func (d shared) graph() (*Graph, error) {
	m, h := &Misfits{Design: d.design}, &d.hosts
	h.check(m)
	m.within("Peer", "links between two switches", d.peer, 0, 1<<10)
	m.refuse(d.design == "dual-rail" && (d.switches < 2 || d.switches > MaxPorts), "Switches",
		"%d ports of a NIC, each on a switch of its own, want 2 to %d", d.switches, MaxPorts)
	m.refuse(d.switches > 0 && h.cables()%d.switches != 0, "Switches",
		"%d cables of a host for %d switches, want a multiple of that", h.cables(), d.switches)
	if d.peer > 0 {
		m.cable("PeerLink", "link between two switches", d.peerLink)
	}
	if len(m.All) == 0 {
		h.links(m, d.peer*d.switches*(d.switches-1)/2)
	}
	if err := m.err(); err != nil {
		return nil, err
	}
	b := NewBuilder()
	all := h.add(b, noPod)
	sw := make([]NodeID, d.switches)
	for i := range sw {
		sw[i] = b.AddSwitch("rail"+strconv.Itoa(i+1), Leaf)
	}
	h.connect(b, all, func(_, cable int) NodeID { return sw[cable%d.switches] })
	for i, one := range sw {
		for _, other := range sw[:i] {
			for range d.peer {
				b.Connect(other, one, d.peerLink)
			}
		}
	}
	b.g.Isolated = d.isolated
	return b.Build()
}
