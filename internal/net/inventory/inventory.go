package inventory

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// An Inventory is the names and addresses of a network.
type Inventory struct {
	Graph   *topo.Graph
	Options Options
	Devices []Device // by topo.NodeID
	Ports   []Port   // by topo.PortID
}

// A Device is a host or a switch. Of hosts only the name and the ports are there.
type Device struct {
	Name     string
	Loopback Address
	AS       uint32 // 0: no sessions
	Block    Address
	Rails    []Rail // on a switch with NICs, ascending
	// Away are the rails of the overlay that have no NIC on this switch, which is a gateway of theirs too: what it
	// routes from one rail into another goes into that one's tunnels (RFC 9135, section 4.1).
	Away []Rail
	// Peers are the switches that NICs of this one have ports on too: bonded by MLAG or an Ethernet segment of EVPN
	// (RFC 7432, section 5), they have the same rails, subnets and gateways.
	Peers []topo.NodeID
	// Pair is the one of Peers that links of its own lead to; nil: there is none, or several.
	Pair *Pair
}

// A Rail is the NICs of one rail that are on one switch: a VLAN and a subnet.
type Rail struct {
	Rail    int // from 0
	VLAN    int
	VNI     int // of the VXLAN that joins the VLAN of all switches; 0: there is none
	Subnet  Address
	Gateway Address       // on the switch; none where nothing routes between rails
	Ports   []topo.PortID // of the switch, in order of hosts; none where the rail is away
}

// A Port is one end of a cable.
type Port struct {
	Name    PortName
	Address Address // of a NIC (at the first of several ports), and of the links between switches or between NICs
	VLAN    int     // of a switch's port to a host
	Channel int     // the port channel of a pair's port, the same on both switches; 0: none
}

// A Refusal is an option that does not fit the network.
type Refusal struct {
	Option string // its name in Options, Pools or Routing; empty: the network itself
	Text   string
}

// Error returns what does not fit, and what would.
func (r *Refusal) Error() string { return r.Text }

func refuse(option, format string, args ...any) error {
	return &Refusal{option, fmt.Sprintf(format, args...)}
}

// New makes the inventory of a network. The error is a Refusal, or several joined: what the options
// have no room for, or what sessions cannot do.
func New(g *topo.Graph, o Options) (*Inventory, error) {
	names, err := Ports(g, o.Panel)
	if err != nil {
		return nil, &Refusal{"Panel", err.Error()}
	}
	if err := o.Pools.check(o.IPv6); err != nil {
		return nil, err
	}
	if err := CheckOverlay(g, &o.Routing); err != nil {
		return nil, err
	}
	in := &Inventory{Graph: g, Options: o, Devices: make([]Device, len(g.Nodes)), Ports: make([]Port, len(g.Ports))}
	for i := range g.Nodes {
		in.Devices[i].Name = g.Nodes[i].Name
	}
	for i := range names {
		in.Ports[i].Name = names[i]
	}
	for _, step := range []func() error{in.loopbacks, in.rails, in.links, in.numbers} {
		err = errors.Join(err, step())
	}
	if err != nil {
		return nil, err
	}
	return in, nil
}

// take is the n-th subnet of a pool, and of the IPv6 one of that name.
func (in *Inventory) take(what string, bits, bits6 int, n uint64) (a Address, err error) {
	for _, pool := range in.Options.Pools.all(in.Options.IPv6) {
		at, length := &a.V4, bits
		switch pool.name {
		case what:
		case what + "6":
			at, length = &a.V6, bits6
		default:
			continue
		}
		var ok bool
		if *at, ok = subnet(*pool.prefix, length, n); !ok {
			return a, refuse(pool.name, "%s holds %s, want a larger one for number %d", *pool.prefix,
				holds(*pool.prefix, length), n+1)
		}
	}
	return a, nil
}

// holds says how many prefixes of a length a pool has.
func holds(pool netip.Prefix, bits int) string {
	if room := bits - pool.Bits(); room >= 0 {
		return fmt.Sprintf("%d of /%d", uint64(1)<<room, bits)
	}
	return fmt.Sprintf("none of /%d", bits)
}

// loopbacks gives each switch one, in order.
func (in *Inventory) loopbacks() (err error) {
	n := uint64(1) // number 0 is left out: it looks like the pool
	for i := range in.Graph.Nodes {
		if in.Graph.Nodes[i].Kind == topo.HostKind {
			continue
		}
		if in.Devices[i].Loopback, err = in.take("Loopbacks", 32, 128, n); err != nil {
			return err
		}
		n++
	}
	return nil
}

// links gives each link between two switches, or two hosts, a subnet of two addresses: the even one
// is at the end that is nearer to the hosts.
func (in *Inventory) links() error {
	g, n := in.Graph, uint64(0)
	for l, link := range g.Links {
		low, high := topo.PortID(2*l), topo.PortID(2*l+1)
		if (g.Nodes[link.A].Kind == topo.HostKind) != (g.Nodes[link.B].Kind == topo.HostKind) || in.Ports[low].Channel != 0 {
			continue
		}
		if g.Nodes[link.A].Tier > g.Nodes[link.B].Tier {
			low, high = high, low
		}
		s, err := in.take("Links", 31, 127, n)
		if err != nil {
			return err
		}
		for k, port := range []topo.PortID{low, high} {
			in.Ports[port].Address = in.host(s, uint64(k))
		}
		n++
	}
	return in.between(n)
}

// host is the n-th address of both families' subnets.
func (in *Inventory) host(s Address, n uint64) Address {
	a := Address{V4: host(s.V4, n)}
	if in.Options.IPv6 {
		a.V6 = host(s.V6, n)
	}
	return a
}

// firstVLAN is that of rail 1: 101 (book, chapter 13).
const firstVLAN = 101

// lastVLAN is the highest identifier of IEEE 802.1Q but one, which is that between two peers.
const lastVLAN = peerVLAN - 1

// rails gives each switch with NICs a block, and in it each rail a subnet. Switches that share NICs have one, and so have
// those that an overlay joins.
func (in *Inventory) rails() error {
	sets := in.share(in.group())
	in.pair(sets)
	if in.Overlay() {
		sets = in.domains(sets)
	}
	slots, widest := 0, 0 // rails of a switch, addresses of a rail's subnet
	for _, set := range sets {
		members := in.members(set)
		slots = max(slots, len(members))
		for _, m := range members {
			widest = max(widest, len(m.nics)+3) // network, gateway, broadcast
			if vlan := firstVLAN + m.rail; vlan > lastVLAN {
				return refuse("", "rail %d: VLAN %d, want at most %d", m.rail+1, vlan, lastVLAN)
			}
		}
	}
	bits, err := in.railBits(log2(slots), log2(widest))
	if err != nil {
		return err
	}
	blockBits := min(24, bits-log2(slots))
	for i, set := range sets {
		// Block 0 is left out, so that the first is 10.0.1.0/24 as in the book.
		block, err := in.take("Hosts", blockBits, 64-log2(slots), uint64(i+1))
		if err != nil {
			return err
		}
		for _, n := range set {
			in.Devices[n].Block = block
		}
		for k, m := range in.members(set) {
			in.rail(set, k, m, bits)
		}
	}
	return nil
}

// railBits is the length of a rail's subnet that leaves room for so many rails, and so many
// addresses, both as powers of two.
func (in *Inventory) railBits(rails, addresses int) (int, error) {
	bits := in.Options.RailBits
	switch most := 32 - addresses; {
	case bits == 0:
		return min(24+rails, most), nil
	case bits > most:
		return 0, refuse("RailBits", "subnets of /%d have too few addresses for the NICs of a rail, "+
			"want at most /%d", bits, most)
	}
	return bits, nil
}

// rail gives the k-th rail of some switches its subnet, and its NICs their addresses in the order of hosts.
func (in *Inventory) rail(set []topo.NodeID, k int, m member, bits int) {
	block := in.Devices[set[0]].Block
	var s, gateway Address
	s.V4, _ = subnet(block.V4, bits, uint64(k))
	if in.Options.IPv6 {
		s.V6, _ = subnet(block.V6, 64, uint64(k))
	}
	if !in.Graph.Isolated {
		gateway = in.host(s, 1)
	}
	for _, n := range set {
		d := &in.Devices[n]
		for _, some := range [][]Rail{d.Rails, d.Away} {
			for i := range some {
				if r := &some[i]; r.Rail == m.rail {
					r.Subnet, r.Gateway = s, gateway
					for _, port := range r.Ports {
						in.Ports[port].VLAN = r.VLAN
					}
				}
			}
		}
	}
	for n, nic := range m.nics {
		in.Ports[in.Graph.NICs[nic].Port].Address = in.host(s, uint64(n+2))
	}
}

// edges lists the switches with NICs.
func (in *Inventory) edges() (all []topo.NodeID) {
	for i := range in.Graph.Nodes {
		n := &in.Graph.Nodes[i]
		if n.Kind != topo.HostKind && slices.ContainsFunc(n.Ports, func(p topo.PortID) bool { return in.Graph.Ports[p].NIC >= 0 }) {
			all = append(all, topo.NodeID(i))
		}
	}
	return all
}

// group finds the rails on each switch, and returns the switches that have any.
func (in *Inventory) group() (edges []topo.NodeID) {
	g := in.Graph
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Kind == topo.HostKind {
			continue
		}
		d := &in.Devices[i]
		for _, p := range (Panel{}).inOrder(g, n) {
			if g.Ports[p].NIC < 0 {
				break
			}
			r := int(g.NICs[g.Ports[p].NIC].Rail)
			if len(d.Rails) == 0 || d.Rails[len(d.Rails)-1].Rail != r {
				d.Rails = append(d.Rails, Rail{Rail: r, VLAN: firstVLAN + r})
			}
			last := &d.Rails[len(d.Rails)-1]
			last.Ports = append(last.Ports, p)
		}
		if len(d.Rails) > 0 {
			edges = append(edges, topo.NodeID(i))
		}
	}
	return edges
}

// Summary is what a switch advertises that packets to its hosts follow: its block, or with one rail that one's subnet; with
// an overlay its end of tunnels.
func (in *Inventory) Summary(n topo.NodeID) []Address {
	d := &in.Devices[n]
	if in.Overlay() {
		return []Address{{V4: d.Loopback.V4}}
	}
	if in.Options.Routing.Summaries && len(d.Rails) > 1 {
		return []Address{d.Block}
	}
	all := make([]Address, len(d.Rails))
	for i, r := range d.Rails {
		all[i] = r.Subnet
	}
	return all
}

// Gateway is where a NIC sends what is not in its subnet; false: nowhere.
func (in *Inventory) Gateway(n topo.NICID) (Address, bool) {
	g := in.Graph
	port := g.Peer(g.NICs[n].Port)
	for _, r := range in.Devices[g.Ports[port].Node].Rails {
		if slices.Contains(r.Ports, port) {
			return r.Gateway, r.Gateway.V4.IsValid()
		}
	}
	return Address{}, false
}

// Rate is the rate of a port.
func (in *Inventory) Rate(p topo.PortID) unit.Bitrate { return in.Graph.Ports[p].Rate }

// Trunks lists the routed ports of a switch to other switches, by their numbers.
func (in *Inventory) Trunks(n topo.NodeID) (all []topo.PortID) {
	for _, p := range in.Graph.Nodes[n].Ports {
		if in.Graph.Ports[p].NIC < 0 && in.Ports[p].Channel == 0 {
			all = append(all, p)
		}
	}
	in.sort(all)
	return all
}

// sort puts ports of a switch in the order of their numbers.
func (in *Inventory) sort(ports []topo.PortID) {
	slices.SortFunc(ports, func(a, b topo.PortID) int {
		x, y := in.Ports[a].Name, in.Ports[b].Name
		return cmp.Or(cmp.Compare(x.Number, y.Number), cmp.Compare(x.Part, y.Part))
	})
}
