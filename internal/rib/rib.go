package rib

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"railyard/internal/netconf"
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
}

// An Advert is what a neighbour is told. It is told its own routes too: they come back refused.
type Advert struct {
	Prefix  netip.Prefix
	NextHop netip.Addr
	ASs     []uint32 // as the neighbour sees them
	Refused bool     // by the neighbour, whose AS is in them
}

// New works out the tables of devices; those that are not watched (nil: all are) have no routes in
// the result. The error names a session inside an AS: it knows none.
func New(devices []netconf.Device, watched func(device int) bool) (*Network, error) {
	n := &Network{Devices: devices, Tables: make([]Table, len(devices))}
	s := &solver{n: n, watched: watched}
	if err := s.sessions(); err != nil {
		return nil, err
	}
	for i := range devices {
		n.Tables[i].Connected = connected(&devices[i])
	}
	s.solve()
	return n, nil
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
func (s *solver) sessions() error {
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
		b := s.n.Devices[i].BGP
		if b == nil {
			continue
		}
		for k := range b.Neighbours {
			nb := &b.Neighbours[k]
			if nb.AS == b.AS {
				return fmt.Errorf("%s: neighbour %v is in the same AS %d: only sessions between ASs are worked out",
					s.n.Devices[i].Name, nb.Address, b.AS)
			}
			e := Session{Neighbour: nb.Address, Device: -1, back: -1}
			for _, in := range s.n.Devices[i].Interfaces {
				for _, a := range in.Addresses {
					if a.Masked().Contains(nb.Address) && a.Addr() != nb.Address {
						e.Own, e.Local = a.Addr(), in.Name
					}
				}
			}
			far, known := owner[nb.Address]
			switch {
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
	return nil
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
			}
		}
	}
}

// Advertised is what a device tells the neighbour of one of its sessions, by prefix.
func (n *Network) Advertised(device, session int) (all []Advert) {
	t, b := &n.Tables[device], n.Devices[device].BGP
	e := &t.Sessions[session]
	if e.Why != "" {
		return nil
	}
	far := n.Devices[e.Device].BGP
	for i := range t.Routes {
		r := &t.Routes[i]
		if r.Prefix.Addr().Is6() != e.Neighbour.Is6() || r.Suppressed {
			continue
		}
		a := Advert{Prefix: r.Prefix, NextHop: e.Own, ASs: append([]uint32{b.AS}, r.Paths[0].ASs...)}
		times := 0
		for _, as := range a.ASs {
			if as == far.AS {
				times++
			}
		}
		a.Refused = times > far.Neighbours[e.back].AllowASIn
		all = append(all, a)
	}
	return all
}
