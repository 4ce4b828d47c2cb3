package netconf

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"

	"railyard/internal/inventory"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// Design is the switches of an inventory as they are to be configured, in its order. The error names
// a protocol for which that is not done.
func Design(in *inventory.Inventory) ([]Device, error) {
	if p := in.Options.Routing.Protocol; p == inventory.EVPN {
		return nil, fmt.Errorf("protocol %s: its names and addresses are known, its sessions are not configured, "+
			"want %s or %s", p, inventory.EBGP, inventory.IBGP)
	}
	var all []Device
	for i := range in.Devices {
		if in.Graph.Nodes[i].Kind != topo.HostKind {
			all = append(all, design(in, topo.NodeID(i)))
		}
	}
	return all, nil
}

func design(in *inventory.Inventory, at topo.NodeID) Device {
	from := &in.Devices[at]
	d := Device{Name: from.Name}
	d.Interfaces = append(d.Interfaces, Interface{Name: "Loopback0", Kind: Loopback, Addresses: from.Loopback.All()})
	for _, r := range from.Rails {
		d.Interfaces = append(d.Interfaces, Interface{Name: "Vlan" + strconv.Itoa(r.VLAN), Kind: SVI, VLAN: r.VLAN,
			Description: fmt.Sprintf("rail %d", r.Rail+1), Addresses: r.Gateway.All(), MTU: in.Options.MTU})
	}
	for _, p := range in.Graph.Nodes[at].Ports {
		d.Interfaces = append(d.Interfaces, port(in, p))
	}
	if from.AS != 0 {
		d.BGP = speaker(in, at)
	}
	d.Sort()
	return d
}

func port(in *inventory.Inventory, p topo.PortID) Interface {
	here := &in.Ports[p]
	return Interface{Name: here.Name.String(), Kind: Physical, Description: "to " + opposite(in, p), VLAN: here.VLAN,
		Addresses: here.Address.All(), MTU: in.Options.MTU, Speed: in.Graph.Ports[p].Rate}
}

// opposite names the other end of a cable: spine1 Ethernet1/2, host1 nic0.
func opposite(in *inventory.Inventory, p topo.PortID) string {
	far := in.Graph.Peer(p)
	return in.Devices[in.Graph.Ports[far].Node].Name + " " + in.Ports[far].Name.String()
}

// speaker is the BGP of a switch: a session on each link to another one and family, its loopback and
// rails as networks.
func speaker(in *inventory.Inventory, at topo.NodeID) *BGP {
	from, r := &in.Devices[at], &in.Options.Routing
	b := &BGP{AS: from.AS, RouterID: from.Loopback.V4.Addr(), Keepalive: r.Hold / unit.Second / 3 * unit.Second,
		Hold: r.Hold, Relax: true,
		Networks: from.Loopback.All()}
	for _, rail := range from.Rails {
		if rail.Gateway.V4.IsValid() {
			b.Networks = append(b.Networks, rail.Subnet.All()...)
		}
	}
	if r.Summaries && len(from.Rails) > 1 {
		for _, block := range from.Block.All() {
			b.Aggregates = append(b.Aggregates, Aggregate{Prefix: block, SummaryOnly: true})
		}
	}
	trunks, below := in.Trunks(at), in.Reflects(at)
	for _, p := range trunks {
		far := in.Graph.Peer(p)
		for _, a := range in.Ports[far].Address.All() {
			n := Neighbour{Address: a.Addr(), AS: in.Devices[in.Graph.Ports[far].Node].AS, Description: opposite(in, p)}
			if n.AS == b.AS {
				n.Client, n.NextHopSelf = slices.Contains(below, p), len(below) > 0
			}
			if r.BFD != nil {
				n.BFD = &BFD{r.BFD.Interval, r.BFD.Multiplier}
			}
			b.Neighbours = append(b.Neighbours, n)
		}
	}
	b.MaximumPaths = max(len(trunks), 1)
	return b
}

// comparePrefixes orders prefixes, IPv4 first.
func comparePrefixes(a, b netip.Prefix) int {
	return cmp.Or(a.Addr().Compare(b.Addr()), cmp.Compare(a.Bits(), b.Bits()))
}
