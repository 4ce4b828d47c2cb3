package rib

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"railyard/internal/config/netconf"
)

// A Network is what all switches know.
type Network struct {
	Devices []netconf.Device
	Tables  []Table // by device
}

// A Table is what one switch knows.
type Table struct {
	Connected []Connected // by prefix
	Sessions  []Session   // as the device's neighbours
	Routes    []Route     // BGP's, by prefix
	Ends      []End       // of tunnels, that EVPN tells of, by address
}

// Connected is a subnet of an interface.
type Connected struct {
	Prefix    netip.Prefix
	Interface string
}

// A Session is one end of one.
type Session struct {
	Neighbour netip.Addr
	Device    int    // at the other end; -1: none of them
	Local     string // the interface that leads there
	Why       string // it is down; "": it is up

	Own netip.Addr // the address of this end

	back int // its number at the other end
}

// A Route is a prefix with all paths to it that are taken into account, the best first, then those
// that share traffic with it.
type Route struct {
	Prefix     netip.Prefix
	Paths      []Path
	Aggregate  bool // originated because of routes inside it
	Suppressed bool // inside an aggregate of the switch that is summary-only: not advertised
}

// Hops is how many paths packets take: the best and those that share with it; 0: the switch itself
// has the prefix.
func (r *Route) Hops() (n int) {
	for _, p := range r.Paths {
		if p.Shares && p.Session >= 0 {
			n++
		}
	}
	return n
}

// A Path is one way to a prefix.
type Path struct {
	Session int        // that it came by; -1: the switch's own
	NextHop netip.Addr // invalid for its own
	ASs     []uint32   // nearest first; none for its own
	Shares  bool       // packets take it

	// Of a path inside the own AS (RFC 4456):
	Originator netip.Addr   // router identifier of who brought it in
	Clusters   []netip.Addr // of those who reflected it, nearest first
}

// An Advert is what a neighbour is told. It is told its own routes too: they come back refused.
type Advert struct {
	Prefix  netip.Prefix
	NextHop netip.Addr
	ASs     []uint32 // as the neighbour sees them
	Refused bool     // by the neighbour, whose AS is in them, or whose own or reflected route it is
}

// New works out the tables of devices; those that are not watched (nil: all are) have no routes in
// the result.
func New(devices []netconf.Device, watched func(device int) bool) *Network {
	n := &Network{Devices: devices, Tables: make([]Table, len(devices))}
	s := &solver{n: n, watched: watched}
	s.sessions()
	for i := range devices {
		n.Tables[i].Connected = connected(&devices[i])
	}
	s.solve()
	return n
}

// connected lists the subnets of a device's interfaces.
func connected(d *netconf.Device) (all []Connected) {
	for k := range d.Interfaces {
		for _, a := range d.Interfaces[k].Addresses {
			all = append(all, Connected{a.Masked(), d.Interfaces[k].Name})
		}
	}
	slices.SortStableFunc(all, func(a, b Connected) int { return ComparePrefixes(a.Prefix, b.Prefix) })
	return all
}

// ComparePrefixes orders prefixes, IPv4 first, shorter ones before those inside them.
func ComparePrefixes(a, b netip.Prefix) int {
	return cmp.Or(a.Addr().Compare(b.Addr()), cmp.Compare(a.Bits(), b.Bits()))
}

// sessions joins the ends of sessions.
func (s *solver) sessions() {
	owner := map[netip.Addr]int{}
	for i := range s.n.Devices {
		d := &s.n.Devices[i]
		for k := range d.Interfaces {
			for _, a := range d.Interfaces[k].Addresses {
				owner[a.Addr()] = i
			}
		}
	}
	for i := range s.n.Devices {
		b, near := s.n.Devices[i].BGP, subnets(&s.n.Devices[i])
		if b == nil {
			continue
		}
		for k := range b.Neighbours {
			nb := &b.Neighbours[k]
			e := Session{Neighbour: nb.Address, Device: -1, back: -1}
			e.Own, e.Local = near.to(nb.Address)
			if nb.Source.IsValid() {
				e.Own, e.Local = near.at(nb.Source)
			}
			far, known := owner[nb.Address]
			switch {
			case nb.Source.IsValid() && !e.Own.IsValid():
				e.Why = fmt.Sprintf("no interface has %v, which it is to come from", nb.Source)
			case !e.Own.IsValid():
				e.Why = "not in the subnet of an interface"
			case !known || far == i:
				e.Why = "no device has this address"
			default:
				e.Device = far
			}
			s.n.Tables[i].Sessions = append(s.n.Tables[i].Sessions, e)
		}
	}
	s.join()
}

// A subnet is that of an interface, with the interface's own address.
type subnet struct {
	first netip.Addr
	own   netip.Prefix
	local string
}

// near is the subnets of a device, those with lower first addresses first.
type near []subnet

func subnets(d *netconf.Device) (all near) {
	for k := range d.Interfaces {
		for _, a := range d.Interfaces[k].Addresses {
			all = append(all, subnet{a.Masked().Addr(), a, d.Interfaces[k].Name})
		}
	}
	slices.SortStableFunc(all, func(a, b subnet) int { return a.first.Compare(b.first) })
	return all
}

// to is the own address and the interface that lead to a neighbour; none if it is in no subnet. Subnets within
// others are tried first, which is what a longest match finds.
func (n near) to(neighbour netip.Addr) (own netip.Addr, local string) {
	at, _ := slices.BinarySearchFunc(n, neighbour, func(s subnet, a netip.Addr) int {
		if s.first.Compare(a) <= 0 {
			return -1
		}
		return 1
	})
	for i := at - 1; i >= 0; i-- {
		if a := n[i].own; a.Masked().Contains(neighbour) && a.Addr() != neighbour {
			return a.Addr(), n[i].local
		}
	}
	return own, ""
}

// at is an own address and its interface; none if no interface has it.
func (n near) at(address netip.Addr) (own netip.Addr, local string) {
	for i := range n {
		if n[i].own.Addr() == address {
			return address, n[i].local
		}
	}
	return own, ""
}

// join finds the other end of each session, or says why it is down.
func (s *solver) join() {
	for i := range s.n.Tables {
		for k := range s.n.Tables[i].Sessions {
			e := &s.n.Tables[i].Sessions[k]
			if e.Why != "" {
				continue
			}
			here, far := s.n.Devices[i].BGP, s.n.Devices[e.Device].BGP
			if far == nil {
				e.Why = s.n.Devices[e.Device].Name + " has no BGP"
				continue
			}
			e.back = slices.IndexFunc(far.Neighbours, func(n netconf.Neighbour) bool { return n.Address == e.Own })
			switch {
			case far.AS != here.Neighbours[k].AS:
				e.Why = fmt.Sprintf("%s is AS %d, not %d", s.n.Devices[e.Device].Name, far.AS, here.Neighbours[k].AS)
			case e.back < 0:
				e.Why = fmt.Sprintf("%s has no neighbour %v", s.n.Devices[e.Device].Name, e.Own)
			case far.Neighbours[e.back].AS != here.AS:
				e.Why = fmt.Sprintf("%s expects AS %d, not %d", s.n.Devices[e.Device].Name, far.Neighbours[e.back].AS, here.AS)
			case far.Neighbours[e.back].EVPN != here.Neighbours[k].EVPN:
				e.Why = fmt.Sprintf("only one end carries EVPN, of %s and %s", s.n.Devices[i].Name, s.n.Devices[e.Device].Name)
			}
		}
	}
}

// Advertised is what a device tells the neighbour of one of its sessions of unicast routes, by prefix.
func (n *Network) Advertised(device, session int) (all []Advert) {
	t, b := &n.Tables[device], n.Devices[device].BGP
	e := &t.Sessions[session]
	if e.Why != "" || b.Neighbours[session].EVPN {
		return nil
	}
	for i := range t.Routes {
		r := &t.Routes[i]
		if r.Prefix.Addr().Is6() != e.Neighbour.Is6() || r.Suppressed {
			continue
		}
		if b.Neighbours[session].AS != b.AS {
			all = append(all, n.outside(device, session, r))
		} else if n.reflects(device, session, &r.Paths[0]) {
			all = append(all, n.inside(device, session, r))
		}
	}
	return all
}

// outside is a route as a neighbour in another AS is told it.
func (n *Network) outside(device, session int, r *Route) Advert {
	e := &n.Tables[device].Sessions[session]
	far := n.Devices[e.Device].BGP
	a := Advert{Prefix: r.Prefix, NextHop: e.Own, ASs: append([]uint32{n.Devices[device].BGP.AS}, r.Paths[0].ASs...)}
	times := 0
	for _, as := range a.ASs {
		if as == far.AS {
			times++
		}
	}
	a.Refused = times > far.Neighbours[e.back].AllowASIn
	return a
}

// reflects reports whether a neighbour in the same AS is told of a path: those from inside go from and to
// clients only (RFC 4456, section 6).
func (n *Network) reflects(device, session int, p *Path) bool {
	b := n.Devices[device].BGP
	return p.Session < 0 || b.Neighbours[p.Session].AS != b.AS || b.Neighbours[p.Session].Client ||
		b.Neighbours[session].Client
}

// inside is a route as a neighbour in the same AS is told it.
func (n *Network) inside(device, session int, r *Route) Advert {
	b, best, e := n.Devices[device].BGP, &r.Paths[0], &n.Tables[device].Sessions[session]
	a := Advert{Prefix: r.Prefix, NextHop: e.Own, ASs: append([]uint32{}, best.ASs...)}
	if best.Session >= 0 && !b.Neighbours[session].NextHopSelf {
		a.NextHop = best.NextHop
	}
	id := n.Devices[e.Device].BGP.RouterID
	a.Refused = best.Originator == id || slices.Contains(best.Clusters, id)
	return a
}
