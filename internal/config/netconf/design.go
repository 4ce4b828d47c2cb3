package netconf

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"

	"railyard/internal/base/unit"
	"railyard/internal/net/inventory"
	"railyard/internal/net/topo"
	"railyard/internal/net/wire"
)

// Design is the switches of an inventory as they are to be configured, in its order.
func Design(in *inventory.Inventory) (all []Device) {
	for i := range in.Devices {
		if in.Graph.Nodes[i].Kind != topo.HostKind {
			all = append(all, design(in, topo.NodeID(i)))
		}
	}
	return all
}

func design(in *inventory.Inventory, at topo.NodeID) Device {
	from := &in.Devices[at]
	d := Device{Name: from.Name}
	d.Interfaces = append(d.Interfaces, Interface{Name: "Loopback0", Kind: Loopback, Addresses: from.Loopback.All()})
	for _, r := range slices.Concat(from.Rails, from.Away) {
		d.Interfaces = append(d.Interfaces, Interface{Name: "Vlan" + strconv.Itoa(r.VLAN), Kind: SVI, VLAN: r.VLAN,
			Description: fmt.Sprintf("rail %d", r.Rail+1), Addresses: r.Gateway.All(), MTU: in.Options.MTU})
		if r.VNI != 0 {
			d.tunnel(from, &r, in.Options.MTU-wire.OverlayBytes)
		}
	}
	for _, p := range in.Graph.Nodes[at].Ports {
		d.Interfaces = append(d.Interfaces, port(in, p))
	}
	if from.AS != 0 {
		d.BGP = speaker(in, at)
	}
	if from.Pair != nil {
		d.pair(in, from)
	}
	d.Sort()
	return d
}

// tunnel joins a rail, whose SVI was added last, with the same one of other switches: gateways are one to hosts, and
// frames have to leave room for the headers outside.
func (d *Device) tunnel(from *inventory.Device, r *inventory.Rail, inside unit.Bytes) {
	if d.Tunnels == nil {
		d.Tunnels = &Tunnels{Source: from.Loopback.V4.Addr(), MTU: inside}
	}
	d.Tunnels.VNIs = append(d.Tunnels.VNIs, VNI{VLAN: r.VLAN, Number: r.VNI})
	last := &d.Interfaces[len(d.Interfaces)-1]
	last.MAC, last.MTU = GatewayMAC, inside
}

func port(in *inventory.Inventory, p topo.PortID) Interface {
	here := &in.Ports[p]
	return Interface{Name: here.Name.String(), Kind: Physical, Description: "to " + opposite(in, p), VLAN: here.VLAN,
		Channel: here.Channel, Addresses: here.Address.All(), MTU: in.Options.MTU, Speed: in.Graph.Ports[p].Rate}
}

// pair makes a device one of two that are one to NICs: they hear each other, and have their session, in a VLAN of the
// links between them.
func (d *Device) pair(in *inventory.Inventory, from *inventory.Device) {
	p, far := from.Pair, &in.Devices[from.Pair.Peer]
	local := "Vlan" + strconv.Itoa(p.VLAN)
	d.Peer = &Peer{Domain: strconv.Itoa(p.Domain), Address: p.Other.V4.Addr(), Source: p.Address.V4.Addr(), Local: local,
		Link: p.Channel}
	d.Interfaces = append(d.Interfaces, Interface{Name: local, Kind: SVI, VLAN: p.VLAN, Description: "peer " + far.Name,
		Addresses: p.Address.All(), MTU: in.Options.MTU})
	if d.BGP == nil {
		return
	}
	for _, a := range p.Other.All() {
		n := session(&in.Options.Routing, a.Addr(), far.AS, far.Name+" "+local)
		n.Client, n.NextHopSelf = far.AS == from.AS, far.AS == from.AS // as to others of its tier
		d.BGP.Neighbours = append(d.BGP.Neighbours, n)
	}
}

// opposite names the other end of a cable: spine1 Ethernet1/2, host1 nic0.
func opposite(in *inventory.Inventory, p topo.PortID) string {
	far := in.Graph.Peer(p)
	return in.Devices[in.Graph.Ports[far].Node].Name + " " + in.Ports[far].Name.String()
}

// speaker is the BGP of a switch: a session on each link to another one and family, its loopback and
// rails as networks. With an overlay rails are in that, and sessions between loopbacks tell of it.
func speaker(in *inventory.Inventory, at topo.NodeID) *BGP {
	from, r := &in.Devices[at], &in.Options.Routing
	b := &BGP{AS: from.AS, RouterID: from.Loopback.V4.Addr(), Keepalive: r.Hold / unit.Second / 3 * unit.Second,
		Hold: r.Hold, Relax: true,
		Networks: from.Loopback.All()}
	for _, rail := range from.Rails {
		if rail.Gateway.V4.IsValid() && rail.VNI == 0 {
			b.Networks = append(b.Networks, rail.Subnet.All()...)
		}
	}
	if r.Summaries && len(from.Rails) > 1 && !in.Overlay() {
		for _, block := range from.Block.All() {
			b.Aggregates = append(b.Aggregates, Aggregate{Prefix: block, SummaryOnly: true})
		}
	}
	trunks, below := in.Trunks(at), in.Reflects(at)
	for _, p := range trunks {
		far := in.Graph.Peer(p)
		for _, a := range in.Ports[far].Address.All() {
			n := session(r, a.Addr(), in.Devices[in.Graph.Ports[far].Node].AS, opposite(in, p))
			if n.AS == b.AS {
				n.Client, n.NextHopSelf = slices.Contains(below, p), len(below) > 0
			}
			b.Neighbours = append(b.Neighbours, n)
		}
	}
	if in.Overlay() {
		b.overlay(in, at)
	}
	b.MaximumPaths = max(len(trunks), 1)
	return b
}

// session is one with a neighbour on a link.
func session(r *inventory.Routing, to netip.Addr, as uint32, description string) Neighbour {
	n := Neighbour{Address: to, AS: as, Description: description}
	if r.BFD != nil {
		n.BFD = &BFD{r.BFD.Interval, r.BFD.Multiplier}
	}
	return n
}

// overlayHops is how many links a session between loopbacks goes over: that of the two switches, and as far as FRR counts
// the loopback behind it.
const overlayHops = 2

// overlay adds a session between loopbacks with each switch at the other end of a link. It is watched by the routes below
// it.
func (b *BGP) overlay(in *inventory.Inventory, at topo.NodeID) {
	for _, far := range in.Neighbours(at) {
		there := &in.Devices[far]
		b.Neighbours = append(b.Neighbours, Neighbour{Address: there.Loopback.V4.Addr(), AS: there.AS,
			Description: there.Name, EVPN: true, Source: in.Devices[at].Loopback.V4.Addr(), Hops: overlayHops})
	}
}

// comparePrefixes orders prefixes, IPv4 first.
func comparePrefixes(a, b netip.Prefix) int {
	return cmp.Or(a.Addr().Compare(b.Addr()), cmp.Compare(a.Bits(), b.Bits()))
}
