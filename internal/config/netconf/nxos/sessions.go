package nxos

import (
	"cmp"
	"net/netip"
	"slices"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// inherit takes what a session does not say itself from its templates, and those from theirs; each is taken once.
func (r *reader) inherit(s *session) {
	seen := map[*session]bool{}
	for todo := s.inherits; len(todo) > 0; {
		b := todo[0]
		t := r.routing.templates[b.Text(1)]
		todo = todo[1:]
		if t == nil {
			r.Missing(netconf.AboutRouting, netconf.Place{File: b.File, Line: b.Number}, "", "no template %s",
				located.Shown(b.Text(1)))
			continue
		}
		if seen[t] {
			continue
		}
		seen[t] = true
		s.AS, s.Description = cmp.Or(s.AS, t.AS), cmp.Or(s.Description, t.Description)
		s.watched, s.open = s.watched || t.watched, s.open || t.open
		s.evpn, s.source, s.Hops, s.Down = s.evpn || t.evpn, cmp.Or(s.source, t.source), cmp.Or(s.Hops, t.Hops), s.Down || t.Down
		for k := range t.carries {
			s.carries[k] = s.carries[k] || t.carries[k]
			s.allowed[k] = cmp.Or(s.allowed[k], t.allowed[k])
		}
		todo = append(todo, t.inherits...)
	}
}

// finishRouting puts sessions in, and reports those that carry nothing and VLANs that are not there.
func (r *reader) finishRouting() {
	missing := func(l *line, format string, args ...any) {
		r.Missing(netconf.AboutRouting, netconf.Place{File: l.File, Line: l.Number}, "", format, args...)
	}
	for i, p := range r.ports {
		switch here := &r.Device.Interfaces[i]; {
		case here.VLAN > 0 && !r.routing.vlans[here.VLAN]:
			missing(p.line, "%s: no vlan %d", here.Name, here.VLAN)
		case here.Kind == netconf.SVI && !r.routing.features["interface-vlan"] && here.VLAN != 1:
			missing(p.line, "%s without feature interface-vlan: the command is not there", here.Name)
		case here.Kind == netconf.Physical && here.VLAN > 0 && len(here.Addresses) > 0:
			r.Wrong(p.line, 1, "%s: an address, and VLAN %d", here.Name, here.VLAN)
		}
	}
	for i := range r.Device.Interfaces {
		if here := &r.Device.Interfaces[i]; len(here.Addresses) > 0 {
			here.Routed = false // its address says so
		}
	}
	b := r.Device.BGP
	if b == nil {
		return
	}
	if !r.routing.features["bgp"] {
		at := r.Places["bgp"]
		missing(&line{File: at.File, Number: at.Line}, "router bgp without feature bgp: the command is not there")
	}
	for _, s := range r.routing.sessions {
		r.inherit(s)
		of := family(s.Address)
		s.AllowASIn = s.allowed[of]
		if s.AS != 0 {
			s.External = false
		}
		switch {
		case !s.Address.IsValid():
		case s.AS == 0 && !s.open && !s.External:
			missing(s.line, "neighbour %v: no remote-as", s.Address)
		case !s.carries[of] && !s.evpn && !s.open:
			missing(s.line, "neighbour %v: no address-family: it carries no routes", s.Address)
		}
		s.EVPN = s.evpn && !s.carries[of]
		if i, ok := virtual(s.source); ok {
			if p := r.Device.Port(i.Name); p != nil {
				for _, a := range p.Addresses {
					if family(a.Addr()) == of {
						s.Source = a.Addr()
					}
				}
			}
		}
		if s.watched {
			s.BFD = r.bfdOf(s)
		}
		b.Neighbours = append(b.Neighbours, s.Neighbour)
	}
	r.equalPaths(b)
}

// equalPaths takes the number of equal paths, which each family has for itself: the most.
func (r *reader) equalPaths(b *netconf.BGP) {
	b.MaximumPaths = 1
	for k, said := range r.routing.carried {
		if said {
			b.MaximumPaths = max(b.MaximumPaths, r.routing.paths[k])
		}
	}
}

// bfdOf is how a neighbour is watched: as its interface says, else the device, else the platform.
func (r *reader) bfdOf(s *session) *netconf.BFD {
	if !r.routing.features["bfd"] {
		r.Missing(netconf.AboutRouting, netconf.Place{File: s.line.File, Line: s.line.Number}, "",
			"neighbour %v: bfd without feature bfd",
			s.Name())
	}
	out := netconf.BFD{Interval: 50 * unit.Millisecond, Multiplier: 3}
	if r.routing.bfd != nil {
		out = *r.routing.bfd
	}
	for i, p := range r.ports {
		reaches := func(a netip.Prefix) bool { return a.Contains(s.Address) }
		if p.bfd != nil && slices.ContainsFunc(r.Device.Interfaces[i].Addresses, reaches) {
			out = *p.bfd
		}
	}
	return &out
}
