package eos

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

// finishRouting puts sessions in, and reports those that carry nothing and VLANs that are not there.
func (r *reader) finishRouting() {
	wrong := func(l *line, format string, args ...any) {
		r.Problems = append(r.Problems, located.Problem{File: l.File, Line: int(l.Number), Column: 1, Width: 1,
			Message: fmt.Sprintf(format, args...)})
	}
	missing := func(l *line, format string, args ...any) {
		r.Missing(netconf.AboutRouting, netconf.Place{File: l.File, Line: int(l.Number)}, "", format, args...)
	}
	for _, s := range r.routing.sessions {
		if s.name != "" {
			continue
		}
		if !r.inherit(s) {
			missing(s.line, "neighbour %v: no peer group %s", s.Name(), located.Shown(s.group))
			continue
		}
		carries := s.active[familyOf(s.Address.Is6())]
		switch {
		case !s.Address.IsValid():
		case s.AS == 0:
			missing(s.line, "neighbour %v: no remote-as", s.Address)
		case (r.routing.silent || s.Address.Is6()) && !carries && !s.evpn:
			missing(s.line, "neighbour %v: not activated: it carries no routes", s.Address)
		}
		s.EVPN = s.evpn && !carries
		if s.source != "" {
			s.Source = r.addressOf(s.source, s.Address.Is6())
		}
		r.Device.BGP.Neighbours = append(r.Device.BGP.Neighbours, *s.Neighbour)
	}
	r.finishChannels(missing, wrong)
	for i := range r.Device.Interfaces {
		here := &r.Device.Interfaces[i]
		at := r.Places["interface "+here.Name]
		l := &line{File: at.File, Number: lines.Number(at.Line)}
		switch {
		case here.VLAN > 1 && !r.routing.vlans[here.VLAN] && here.Kind != netconf.Bundle:
			missing(l, "%s: no vlan %d", r.Native(here.Name), here.VLAN)
		case here.Kind == netconf.Physical && here.VLAN > 0 && len(here.Addresses) > 0:
			wrong(l, "%s: an address, and VLAN %d", r.Native(here.Name), here.VLAN)
		}
	}
}

// addressOf is an interface's of a family; not valid: it has none.
func (r *reader) addressOf(name string, six bool) netip.Addr {
	if i, ok := named(name); ok {
		if p := r.Device.Port(i.Name); p != nil {
			for _, a := range p.Addresses {
				if isSix(a) == six {
					return a.Addr()
				}
			}
		}
	}
	return netip.Addr{}
}

// inherit takes what a neighbour does not say itself from its peer group; false: there is none of the name.
func (r *reader) inherit(s *session) bool {
	if s.group == "" {
		return true
	}
	i := slices.IndexFunc(r.routing.sessions, func(g *session) bool { return g.name == s.group })
	if i < 0 {
		return false
	}
	g := r.routing.sessions[i]
	s.AS, s.Description, s.AllowASIn = cmp.Or(s.AS, g.AS), cmp.Or(s.Description, g.Description), cmp.Or(s.AllowASIn, g.AllowASIn)
	s.Hops, s.source, s.evpn = cmp.Or(s.Hops, g.Hops), cmp.Or(s.source, g.source), s.evpn || g.evpn
	s.Client, s.Down = s.Client || g.Client, s.Down || g.Down
	if s.AS != 0 {
		s.External = false
	}
	if s.BFD == nil && !s.blind {
		s.BFD = g.BFD
	}
	for k := range g.active {
		s.active[k] = s.active[k] || g.active[k] && !s.silent[k]
	}
	return true
}

// vlan reads vlan 101 or vlan 1,101-104. A name is for people.
func vlan(r *reader, l *line) error {
	for part := range strings.SplitSeq(l.Args[0], ",") {
		first, last, ranged := strings.Cut(part, "-")
		low, err := lines.Whole(first, 1, mostVLAN)
		high := low
		if err == nil && ranged {
			high, err = lines.Whole(last, low, mostVLAN)
		}
		if err != nil {
			return err
		}
		for id := low; id <= high; id++ {
			r.routing.vlans[int(id)] = true
		}
	}
	return nil
}
