package lint

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"railyard/internal/config/netconf"
)

// owner is an interface with an address.
type owner struct {
	end
	prefix netip.Prefix
}

// name is its place for people.
func (o *owner) name() string {
	return strings.TrimSpace(o.of.Device.Name + " " + o.of.Native(o.port.Name))
}

// routing holds addresses and sessions of devices against each other.
func (l *linter) routing() {
	byAddress := map[netip.Addr][]owner{}
	var all []owner
	for _, d := range l.devices {
		for i := range d.Device.Interfaces {
			p := &d.Device.Interfaces[i]
			if p.VRF != "" || p.Down {
				continue
			}
			for _, a := range p.Addresses {
				o := owner{end{d, p}, a}
				all = append(all, o)
				byAddress[a.Addr()] = append(byAddress[a.Addr()], o)
			}
		}
	}
	l.duplicates(all, byAddress)
	l.overlapping(all)
	l.identifiers()
	for _, d := range l.devices {
		if b := d.Device.BGP; b != nil {
			l.sessions(d, b, byAddress)
			l.paths(d, b)
			l.originated(d, b)
		}
	}
}

// shared reports whether an address may be that of several switches: a gateway of a VLAN, or a loopback beside the first.
func shared(p *netconf.Interface) bool {
	return p.Kind == netconf.SVI || p.Kind == netconf.Loopback && p.Name != "Loopback0"
}

// duplicates finds an address that two interfaces have.
func (l *linter) duplicates(all []owner, by map[netip.Addr][]owner) {
	for i := range all {
		o := &all[i]
		first := &by[o.prefix.Addr()][0]
		if first.port == o.port || shared(first.port) && shared(o.port) && first.of != o.of {
			continue
		}
		l.add(o.of, "Q27", Error, fmt.Sprintf("%s has %v, as %s", o.of.Native(o.port.Name), o.prefix.Addr(),
			first.name()),
			fmt.Sprintf("interface %s address %v", o.port.Name, o.prefix), "interface "+o.port.Name)
	}
}

// overlapping finds subnets of which one is a part of another, and a subnet of VLANs of several switches that are not one.
func (l *linter) overlapping(all []owner) {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b owner) int {
		if c := a.prefix.Masked().Addr().Compare(b.prefix.Masked().Addr()); c != 0 {
			return c
		}
		return a.prefix.Bits() - b.prefix.Bits()
	})
	var wide []owner // those around, the widest first
	for _, o := range sorted {
		m := o.prefix.Masked()
		for len(wide) > 0 && !wide[len(wide)-1].prefix.Masked().Contains(m.Addr()) {
			wide = wide[:len(wide)-1]
		}
		if len(wide) > 0 {
			l.within(&wide[len(wide)-1], &o)
		}
		if o.port.Kind != netconf.Loopback && (len(wide) == 0 || wide[len(wide)-1].prefix.Masked() != m) {
			wide = append(wide, o)
		}
	}
}

// within compares a subnet with one that it is inside of, or that is the same.
func (l *linter) within(a, b *owner) {
	x, y := a.prefix.Masked(), b.prefix.Masked()
	if a.prefix.Addr() == b.prefix.Addr() && x == y && a.of == b.of { // said of the address
		return
	}
	if b.port.Kind == netconf.Loopback || a.port.Kind == netconf.SVI && b.port.Kind == netconf.SVI && a.of == b.of { // Q26
		return
	}
	places := []string{fmt.Sprintf("interface %s address %v", b.port.Name, b.prefix), "interface " + b.port.Name}
	text := fmt.Sprintf("%s has %v and %s has %v", b.of.Native(b.port.Name), b.prefix, a.name(), a.prefix)
	joined := func(d *Device) bool { return d.Device.Peer != nil || d.Device.Overlaid() }
	gateways := a.port.Kind == netconf.SVI && b.port.Kind == netconf.SVI
	switch {
	case gateways && (joined(a.of) || joined(b.of) || l.together[[2]*Device{a.of, b.of}] || l.together[[2]*Device{b.of, a.of}]): // Q25
	case x != y:
		l.add(b.of, "Q27", Error, text+": they have addresses in common", places...)
	case a.of == b.of:
		l.add(b.of, "Q27", Error, text+": two interfaces of one switch in one subnet", places...)
	case gateways && a.prefix.Addr() == b.prefix.Addr() && a.port.VLAN != b.port.VLAN:
		l.lacks(b.of, netconf.AboutRouting, "", "Q27", Error, text+": one gateway of two VLANs", places...)
	case gateways && a.prefix.Addr() != b.prefix.Addr():
		s := Warning // a VLAN may reach from one to the other
		if a.port.VLAN != b.port.VLAN || tells(a.of, x) && tells(b.of, x) {
			s = Error
		}
		l.lacks(b.of, netconf.AboutRouting, "", "Q27", s, text+": one subnet of two switches that are not one", places...)
	}
}

// tells reports whether a switch originates a subnet.
func tells(d *Device, p netip.Prefix) bool {
	b := d.Device.BGP
	return b != nil && (b.Connected || slices.Contains(b.Networks, p))
}

// identifiers wants each device its own router identifier.
func (l *linter) identifiers() {
	first := map[netip.Addr]*Device{}
	for _, d := range l.devices {
		b := d.Device.BGP
		if b == nil || !b.RouterID.IsValid() {
			continue
		}
		if o := first[b.RouterID]; o != nil {
			l.add(d, "Q27", Error, fmt.Sprintf("router identifier %v, as %s", b.RouterID, o.Device.Name),
				"router-id", "bgp")
			continue
		}
		first[b.RouterID] = d
	}
}

// sessions compares what a device says of its neighbours with what they say.
func (l *linter) sessions(d *Device, b *netconf.BGP, by map[netip.Addr][]owner) {
	addressed := slices.ContainsFunc(d.Device.Interfaces, func(i netconf.Interface) bool { return len(i.Addresses) > 0 })
	for k := range b.Neighbours {
		n := &b.Neighbours[k]
		place := "neighbour " + n.Name()
		if n.Down {
			continue
		}
		if !n.Address.IsValid() {
			l.unnumbered(d, b, n, place)
			continue
		}
		owners := by[n.Address]
		if len(owners) == 0 || owners[0].of == d {
			if addressed && l.strays(d, b, n) {
				l.lacks(d, netconf.AboutRouting, "", "Q29", Error,
					fmt.Sprintf("neighbour %v: no interface is in a subnet with it", n.Address), place)
			}
			if len(owners) > 0 && len(owners) < 2 {
				l.add(d, "Q29", Error, fmt.Sprintf("neighbour %v: an address of the switch itself", n.Address), place)
			}
			continue
		}
		if len(owners) == 1 {
			l.session(d, b, n, owners[0].of, place)
		}
	}
}

// strays reports whether a neighbour of a link is in no subnet of the switch.
func (l *linter) strays(d *Device, b *netconf.BGP, n *netconf.Neighbour) bool {
	if n.EVPN || n.Hops > 1 || n.Source.IsValid() || n.Internal || n.AS == b.AS || n.Address.IsLinkLocalUnicast() {
		return false
	}
	for i := range d.Device.Interfaces {
		for _, a := range d.Device.Interfaces[i].Addresses {
			if a.Masked().Contains(n.Address) {
				return false
			}
		}
	}
	return true
}

// session compares the ends of one.
func (l *linter) session(d *Device, b *netconf.BGP, n *netconf.Neighbour, far *Device, place string) {
	other := far.Device.BGP
	if other == nil {
		l.lacks(far, netconf.AboutRouting, "", "Q29", Error,
			fmt.Sprintf("%s has a session with this switch, and here is no BGP",
				d.Device.Name), "hostname")
		return
	}
	if n.AS != 0 && n.AS != other.AS || n.External && other.AS == b.AS || n.Internal && other.AS != b.AS {
		l.add(d, "Q28", Error, fmt.Sprintf("neighbour %v: %s, and %s is AS %d", n.Address, n, far.Device.Name,
			other.AS), place)
	}
	back := answer(d, far, n)
	switch {
	case back == nil && listens(d, other):
	case back == nil:
		l.lacks(far, netconf.AboutRouting, "", "Q29", Error,
			fmt.Sprintf("%s has a session with %v, and here is none with it",
				d.Device.Name, n.Address), "bgp")
	case back.Down:
	case n.BFD != nil && back.BFD == nil:
		l.lacks(far, netconf.AboutRouting, "", "Q30", Error, fmt.Sprintf("neighbour %v: no BFD, and %s has it",
			back.Address,
			d.Device.Name), "neighbour "+back.Name())
	}
}

// answer is the session of the other end; nil: there is none.
func answer(d, far *Device, n *netconf.Neighbour) *netconf.Neighbour {
	for k := range far.Device.BGP.Neighbours {
		back := &far.Device.BGP.Neighbours[k]
		if !back.Address.IsValid() {
			continue
		}
		for i := range d.Device.Interfaces {
			here := &d.Device.Interfaces[i]
			for _, a := range here.Addresses {
				if a.Addr() != back.Address || here.VRF != "" {
					continue
				}
				// Of links that pair of switches may have several: the subnet says which.
				if a.Masked().Contains(n.Address) || n.Source == a.Addr() || n.Hops > 0 || n.EVPN ||
					back.EVPN || here.Kind == netconf.Loopback {
					if n.EVPN == back.EVPN || here.Kind != netconf.Loopback {
						return back
					}
				}
			}
		}
	}
	return nil
}

// listens reports whether a BGP takes whoever comes from an address of a device.
func listens(d *Device, b *netconf.BGP) bool {
	for i := range d.Device.Interfaces {
		for _, a := range d.Device.Interfaces[i].Addresses {
			if slices.ContainsFunc(b.Listen, func(p netip.Prefix) bool { return p.Contains(a.Addr()) }) {
				return true
			}
		}
	}
	return false
}

// unnumbered compares the ends of a session between a link's own addresses, where the link is known.
func (l *linter) unnumbered(d *Device, b *netconf.BGP, n *netconf.Neighbour, place string) {
	p := d.Device.Port(n.Port)
	if p == nil {
		return
	}
	far, port := l.links.far(d, p)
	if port == nil || far.Device.BGP == nil {
		return
	}
	k := slices.IndexFunc(far.Device.BGP.Neighbours, func(o netconf.Neighbour) bool { return o.Port == port.Name })
	if k < 0 {
		l.lacks(far, netconf.AboutRouting, port.Name, "Q29", Error,
			fmt.Sprintf("%s has a session over %s, and here is none", d.Device.Name,
				far.Native(port.Name)), "interface "+port.Name, "bgp")
		return
	}
	back := &far.Device.BGP.Neighbours[k]
	if n.AS != 0 && n.AS != far.Device.BGP.AS || n.External && far.Device.BGP.AS == b.AS || n.Internal && far.Device.BGP.AS != b.AS {
		l.add(d, "Q28", Error, fmt.Sprintf("neighbour %s: %s, and %s is AS %d", d.Native(n.Port), n,
			far.Device.Name, far.Device.BGP.AS), place)
	}
	if n.BFD != nil && back.BFD == nil && !back.Down {
		l.lacks(far, netconf.AboutRouting, port.Name, "Q30", Error,
			fmt.Sprintf("neighbour %s: no BFD, and %s has it", far.Native(port.Name),
				d.Device.Name), "neighbour "+back.Name())
	}
}

// paths wants several links to one AS to be used together.
func (l *linter) paths(d *Device, b *netconf.BGP) {
	if b.MaximumPaths != 1 {
		return
	}
	n := map[uint32]int{}
	for k := range b.Neighbours {
		o := &b.Neighbours[k]
		link := !o.EVPN && !o.Down && o.Address.Is4() && !o.Source.IsValid() && o.Hops <= 1
		if link && o.AS != b.AS && !o.Internal {
			if n[o.AS]++; n[o.AS] == 2 && o.AS != 0 {
				s := Warning // by default
				if _, said := d.Places["paths"]; said {
					s = Error
				}
				l.lacks(d, netconf.AboutRouting, "", "Q31", s,
					fmt.Sprintf("one path is used, and several links lead to AS %d", o.AS), "paths", "bgp")
				return
			}
		}
	}
}

// originated wants networks of BGP to be there.
func (l *linter) originated(d *Device, b *netconf.BGP) {
	var there []netip.Prefix
	for i := range d.Device.Interfaces {
		for _, a := range d.Device.Interfaces[i].Addresses {
			there = append(there, a.Masked())
		}
	}
	if len(there) == 0 {
		return // a file without interfaces
	}
	there = append(there, d.Routes...)
	for _, p := range b.Networks {
		if p.Bits() > 0 && !slices.ContainsFunc(there, p.Overlaps) {
			l.lacks(d, netconf.AboutRouting, "", "Q32", Error, fmt.Sprintf("network %v, which no interface has",
				p), "network "+p.String(), "bgp")
		}
	}
}

// loose warns of what is defined and not used.
func (l *linter) loose(d *Device) {
	for i := range d.Loose {
		x := &d.Loose[i]
		if l.told[x] {
			continue
		}
		s, text := Warning, x.Text+": defined, and never used"
		if d.Hides(netconf.AboutQoS|netconf.AboutRouting, "") {
			s, text = Unknown, text+"; not known, since lines that are not understood may use it"
		}
		r := RuleOf("Q33")
		l.findings = append(l.findings, Finding{Rule: "Q33", Severity: s, Device: d.Device.Name, Place: x.Place,
			Text:   text,
			Reason: r.Reason, Fix: r.Fix})
	}
}

// applied wants a device of a design that pauses to pause.
func (l *linter) applied(d *Device) {
	if l.design == nil || l.design.Devices[d.Meant()] == nil {
		return
	}
	meant := l.design.Devices[d.Meant()]
	pauses := func(of *netconf.Device) bool {
		return slices.ContainsFunc(of.Interfaces, func(i netconf.Interface) bool {
			return i.QoS != nil && i.QoS.PFC != netconf.PFCOff && pausesAt(of, &i)
		})
	}
	why := func(f Finding) bool { return f.Rule == "Q02" && f.Device == d.Device.Name }
	if pauses(meant) && !pauses(d.Device) && !slipped(d, "Q14") && !slices.ContainsFunc(l.findings, why) {
		l.lacks(d, netconf.AboutQoS, "", "Q34", Error, "nothing pauses here, and the design does", "hostname")
	}
}

// unknown warns of devices that the design does not have.
func (l *linter) unknown() {
	if l.design == nil {
		return
	}
	for _, d := range l.devices {
		if len(l.design.Devices) > 0 && l.design.Devices[d.Meant()] == nil {
			l.add(d, "Q35", Warning,
				fmt.Sprintf("%q is no switch of the design: nothing of it was held against that", d.Meant()),
				"hostname")
		}
	}
}
