package rib

import (
	"net/netip"
	"slices"

	"railyard/internal/config/netconf"
)

// An End is one of tunnels that a switch is told of by EVPN: a route of type 3 for each of its VNIs (RFC 7432, section 7.3;
// RFC 8365, section 5.1.3). They go the same ways, so they are one here. Their next hop stays the end itself.
type End struct {
	Address netip.Addr
	VNIs    []int  // ascending
	Shared  []int  // of these, that the switch has too: frames to all of a VLAN go there
	Paths   []Path // the best first
	Hops    int    // next hops to the address by unicast routes, for watched devices; 0: the switch itself, or there is none
}

// An ask is a session whose neighbour is in no subnet: it needs a route.
type ask struct{ device, session int }

// ask lists the sessions that need routes of a host.
func (s *solver) ask() {
	s.asks, s.reached = map[netip.Prefix][]ask{}, map[ask]bool{}
	for i := range s.n.Devices {
		if b := s.n.Devices[i].BGP; b != nil {
			for k := range b.Neighbours {
				if nb := &b.Neighbours[k]; nb.EVPN && nb.Source.IsValid() {
					to := netip.PrefixFrom(nb.Address, nb.Address.BitLen())
					s.asks[to] = append(s.asks[to], ask{i, k})
				}
			}
		}
	}
}

// overlay finds what EVPN tells of ends of tunnels.
func (s *solver) overlay() {
	for i := range s.n.Tables {
		for k := range s.n.Tables[i].Sessions {
			e := &s.n.Tables[i].Sessions[k]
			if nb := s.neighbour(i, k); e.Why == "" && nb.EVPN && nb.Source.IsValid() && !s.reached[ask{i, k}] {
				e.Why = "no route to it"
			}
		}
	}
	for i := range s.n.Tables { // a session has two ends
		for k := range s.n.Tables[i].Sessions {
			e := &s.n.Tables[i].Sessions[k]
			if e.Why == "" && s.neighbour(i, k).EVPN && s.n.Tables[e.Device].Sessions[e.back].Why != "" {
				e.Why = s.n.Devices[e.Device].Name + " has no route back"
			}
		}
	}
	s.edgesOf(true)
	s.aggregates = nil
	for i := range s.n.Devices {
		t := s.n.Devices[i].Tunnels
		if t == nil || s.n.Devices[i].BGP == nil {
			continue
		}
		s.prefix = netip.PrefixFrom(t.Source, t.Source.BitLen())
		s.origins = map[netip.Prefix][]int{s.prefix: {i}}
		s.flood()
		for d := range s.n.Tables {
			if s.best[d].known && (s.watched == nil || s.watched(d)) {
				s.n.Tables[d].Ends = append(s.n.Tables[d].Ends, s.end(d, t))
			}
		}
	}
	for i := range s.n.Tables {
		slices.SortFunc(s.n.Tables[i].Ends, func(a, b End) int { return a.Address.Compare(b.Address) })
	}
}

func (s *solver) neighbour(device, session int) *netconf.Neighbour {
	return &s.n.Devices[device].BGP.Neighbours[session]
}

// end is what a device knows of an end.
func (s *solver) end(d int, t *netconf.Tunnels) End {
	e := End{Address: t.Source, Paths: s.route(d).Paths}
	own := s.n.Devices[d].Tunnels
	for _, v := range t.VNIs {
		e.VNIs = append(e.VNIs, v.Number)
		if own != nil && slices.ContainsFunc(own.VNIs, func(o netconf.VNI) bool { return o.Number == v.Number }) {
			e.Shared = append(e.Shared, v.Number)
		}
	}
	slices.Sort(e.VNIs)
	slices.Sort(e.Shared)
	for i := range e.Paths {
		if e.Paths[i].Session >= 0 {
			e.Paths[i].NextHop = t.Source
		}
	}
	routes := s.n.Tables[d].Routes
	if i := slices.IndexFunc(routes, func(r Route) bool { return r.Prefix == s.prefix }); i >= 0 {
		e.Hops = routes[i].Hops()
	}
	return e
}
