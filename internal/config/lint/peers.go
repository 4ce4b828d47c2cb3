package lint

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"railyard/internal/config/netconf"
)

// A leg is a switch's port to a NIC that has ports on several.
type leg struct {
	of   *Device
	port *netconf.Interface
}

// peers holds switches that share NICs (MLAG, or an Ethernet segment of EVPN) against each other: what one tells a NIC,
// and which subnet it is in, the other must too. Whose ports are one NIC's is read from descriptions: "to host1
// nic0/1" and "to host1 nic0/2".
func (l *linter) peers() {
	legs := map[string][]leg{}
	var names []string
	for _, d := range l.devices {
		for i := range d.Device.Interfaces {
			p := &d.Device.Interfaces[i]
			words := strings.Fields(p.Description)
			if len(words) != 3 || words[0] != "to" {
				continue
			}
			nic, _, several := strings.Cut(words[2], "/")
			if !several || !strings.HasPrefix(nic, "nic") {
				continue
			}
			name := words[1] + " " + nic
			if legs[name] == nil {
				names = append(names, name)
			}
			legs[name] = append(legs[name], leg{d, p})
		}
	}
	var together [][2]*Device
	for _, name := range names {
		for _, other := range legs[name][1:] {
			l.pair(name, legs[name][0], other)
			together = append(together, [2]*Device{legs[name][0].of, other.of})
			l.together[[2]*Device{legs[name][0].of, other.of}] = true
		}
	}
	l.paired(together)
}

// paired compares what switches say of each other: those that share NICs, and those that name each other's address.
func (l *linter) paired(together [][2]*Device) {
	for k, a := range l.devices {
		if a.Device.Peer != nil {
			l.whole(a)
		}
		for _, b := range l.devices[k+1:] {
			share := slices.Contains(together, [2]*Device{a, b}) || slices.Contains(together, [2]*Device{b, a})
			if share || l.names(a, b) || l.names(b, a) {
				l.peer(a, b)
			}
		}
	}
}

// whole wants of a pairing all that it takes.
func (l *linter) whole(d *Device) {
	p := d.Device.Peer
	if p.Domain == "" || !p.Address.IsValid() || p.Link == 0 {
		l.lacks(d, netconf.AboutRouting, "", "Q25", Error,
			fmt.Sprintf("peer switch, %s: want a domain, the address of the other one and a link to it", p),
			"peer")
	}
}

// names reports whether b is a's peer by its address. Pairs may have the same addresses between them: then it is the one
// of a's domain.
func (l *linter) names(a, b *Device) bool {
	if !names(a, b) {
		return false
	}
	n := 0
	for _, d := range l.devices {
		if d != a && names(a, d) {
			n++
		}
	}
	return n == 1 || b.Device.Peer != nil && b.Device.Peer.Domain == a.Device.Peer.Domain
}

// names reports whether a's peer has an address of b.
func names(a, b *Device) bool {
	p := a.Device.Peer
	if p == nil || !p.Address.IsValid() {
		return false
	}
	return slices.ContainsFunc(heard(b), func(x netip.Addr) bool { return x == p.Address })
}

// heard lists where a switch may be heard by its peer; none: it does not say.
func heard(d *Device) (all []netip.Addr) {
	p := d.Device.Peer
	if p != nil && p.Source.IsValid() {
		return []netip.Addr{p.Source}
	}
	for i := range d.Device.Interfaces {
		here := &d.Device.Interfaces[i]
		if p != nil && p.Local != "" && p.Local != here.Name {
			continue
		}
		for _, a := range here.Addresses {
			all = append(all, a.Addr())
		}
	}
	return all
}

// peer compares two that are one to others.
func (l *linter) peer(a, b *Device) {
	p, q := a.Device.Peer, b.Device.Peer
	switch {
	case p == nil && q == nil: // an Ethernet segment, or two VLANs
	case p == nil:
		l.add(a, "Q25", Error, fmt.Sprintf("%s takes this switch for its peer, and here is none", b.Device.Name),
			"hostname")
	case q == nil:
		l.add(b, "Q25", Error, fmt.Sprintf("%s takes this switch for its peer, and here is none", a.Device.Name),
			"hostname")
	case p.Domain != q.Domain:
		l.add(b, "Q25", Error, fmt.Sprintf("domain %s with its peer, and %s on %s", q.Domain, p.Domain,
			a.Device.Name),
			"peer domain", "peer")
	default:
		l.pointsAt(a, b)
		l.pointsAt(b, a)
	}
}

// pointsAt wants a peer's address to be one of the other switch. Addresses of a network for management are not known.
func (l *linter) pointsAt(a, b *Device) {
	p, q := a.Device.Peer, b.Device.Peer
	known := q.Source.IsValid() || q.Local != ""
	if p.Address.IsValid() && known && len(heard(b)) > 0 && !names(a, b) {
		l.add(a, "Q25", Error, fmt.Sprintf("its peer is %v, and %s speaks from %v", p.Address, b.Device.Name,
			heard(b)[0]),
			"peer address", "peer")
	}
}

// pair compares two legs of a NIC.
func (l *linter) pair(nic string, a, b leg) {
	differ := func(what string, x, y any) {
		if x != y {
			here := "interface " + b.port.Name
			l.add(b.of, "Q25", Error, fmt.Sprintf("%s is on %s and on %s %s: %s %v here, %v there", nic,
				b.of.Native(b.port.Name),
				a.of.Device.Name, a.of.Native(a.port.Name), what, y, x), here+" vlan", here)
		}
	}
	differ("VLAN", a.port.VLAN, b.port.VLAN)
	if a.port.VLAN == b.port.VLAN {
		differ("gateway", gateways(a), gateways(b))
	}
	if a.port.MTU > 0 && b.port.MTU > 0 {
		differ("frames of at most", a.port.MTU, b.port.MTU)
	}
	if a.port.Speed > 0 && b.port.Speed > 0 {
		differ("rate", a.port.Speed, b.port.Speed)
	}
	differ("port channel", a.port.Channel, b.port.Channel)
	if x, y := priorities(a.of.Device, a.port), priorities(b.of.Device, b.port); x != "" && y != "" {
		differ("priorities that pause", x, y)
	}
}

// gateways are the addresses of a leg's VLAN.
func gateways(of leg) string {
	i := slices.IndexFunc(of.of.Device.Interfaces, func(i netconf.Interface) bool {
		return i.Kind == netconf.SVI && i.VLAN == of.port.VLAN
	})
	if i < 0 || len(of.of.Device.Interfaces[i].Addresses) == 0 {
		return "none"
	}
	return strings.Trim(fmt.Sprint(of.of.Device.Interfaces[i].Addresses), "[]")
}
