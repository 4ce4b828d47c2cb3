package frr

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
	"railyard/internal/net/inventory"
)

// mostHops bounds ebgp-multihop.
const mostHops = 255

var isMAC = regexp.MustCompile(`^[0-9a-f]{2}(:[0-9a-f]{2}){5}$`)

// checkTunnels reports what of VXLANs cannot be said: each VLAN of them has one, and an SVI or a port.
func checkTunnels(d *netconf.Device) (err error) {
	t := d.Tunnels
	if t == nil {
		return nil
	}
	no := func(format string, args ...any) { err = errors.Join(err, fmt.Errorf(d.Name+": "+format, args...)) }
	if !t.Source.Is4() || t.MTU != 0 && t.MTU < 64 || len(t.VNIs) == 0 || d.BGP == nil {
		no("VXLAN from %v with frames of %v: want an IPv4 address, 64B or more, a VNI and BGP", t.Source, t.MTU)
	}
	for i, v := range t.VNIs {
		used := slices.ContainsFunc(d.Interfaces, func(i netconf.Interface) bool { return i.VLAN == v.VLAN })
		again := slices.ContainsFunc(t.VNIs[:i], func(o netconf.VNI) bool { return o.VLAN == v.VLAN || o.Number == v.Number })
		if v.Number < 1 || v.Number > netconf.MostVNI || !used || again {
			no("VNI %d of VLAN %d: want one from 1 to %d for a VLAN of an interface", v.Number, v.VLAN,
				netconf.MostVNI)
		}
	}
	return err
}

// overlay writes what sessions of EVPN carry.
func overlay(w *strings.Builder, b *netconf.BGP, end bool) {
	if !end && !slices.ContainsFunc(b.Neighbours, func(n netconf.Neighbour) bool { return n.EVPN }) {
		return
	}
	w.WriteString(" !\n address-family l2vpn evpn\n")
	for i := range b.Neighbours {
		n := &b.Neighbours[i]
		if !n.EVPN {
			continue
		}
		fmt.Fprintf(w, "  neighbor %s activate\n", n.Address)
		if n.Client {
			fmt.Fprintf(w, "  neighbor %s route-reflector-client\n", n.Address)
		}
		if n.AllowASIn > 0 {
			fmt.Fprintf(w, "  neighbor %s allowas-in %d\n", n.Address, n.AllowASIn)
		}
	}
	if end {
		w.WriteString("  advertise-all-vni\n")
	}
	w.WriteString(" exit-address-family\n")
}

// tunnels writes the ends of VXLANs: where other ends are FRR says, so they learn nothing from frames.
func tunnels(w *strings.Builder, t *netconf.Tunnels) {
	for _, v := range t.VNIs {
		fmt.Fprintf(w, "\nauto %[1]s\niface %[1]s\n", tunnelName(v.Number))
		if t.MTU != 0 {
			fmt.Fprintf(w, "    mtu %d\n", inventory.IPMTU(t.MTU))
		}
		fmt.Fprintf(w,
			"    bridge-access %d\n    bridge-learning off\n    vxlan-id %d\n    vxlan-local-tunnelip %s\n", v.VLAN,
			v.Number, t.Source)
	}
}

// An end is that of a VXLAN, as far as it was read.
type end struct {
	line   *lines.Line
	number int // of its name
	id     int // of its VXLAN
	vlan   int
	source netip.Addr
	mtu    unit.Bytes
	silent bool // it does not learn from frames
}

// activate has a session carry EVPN's routes.
func activate(r *reader, l *lines.Line) error {
	return r.neighbour(l, func(n *peer) { n.EVPN = true })
}

// The block of what sessions of EVPN carry, and what is said of the end of a VXLAN alone.
var (
	inEVPN = &block{Ends: []string{"exit-address-family", "exit"}, Known: append([]string{"vni",
		"exit-vni", "advertise-svi-ip", "advertise-default-gw", "advertise-all", "default-originate",
		"ead-es-frag", "ead-es-route-target", "disable-ead-evi-rx", "disable-ead-evi-tx", "autort",
		"rd", "route-target", "advertise",
		"dup-addr-detection", "flooding", "use-es-l3nhg", "disable-ead-evi", "no", "mac-vrf",
		"enable-resolve-overlay-index"},
		knownInFamily...), Rules: []rule{
		{Pattern: "neighbor ADDRESS activate", Do: activate},
		{Pattern: "neighbor ADDRESS route-reflector-client", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l, func(n *peer) { n.Client = true })
		}},
		{Pattern: "neighbor ADDRESS allowas-in N", Do: func(r *reader, l *lines.Line) error {
			return allowASIn(r,
				l)
		}},
		{Pattern: "advertise-all-vni", Do: func(r *reader, l *lines.Line) error { r.allVNIs = l; return nil }},
	}}
	onEnd = []rule{
		{Pattern: "bridge-learning off", Do: anEnd(func(r *reader,
			_ *lines.Line) error {
			r.end.silent = true
			return nil
		})},
		{Pattern: "bridge-arp-nd-suppress on", Do: anEnd(func(*reader, *lines.Line) error { return nil })},
		{Pattern: "vxlan-id ID", Do: anEnd(func(r *reader, l *lines.Line) error {
			n, err := lines.Whole(l.Args[0], 1, netconf.MostVNI)
			r.end.id = int(n)
			return err
		})},
		{Pattern: "vxlan-local-tunnelip ADDRESS", Do: anEnd(func(r *reader, l *lines.Line) (err error) {
			r.end.source, err = lines.Address4(l.Args[0])
			return err
		})},
	}
)

// anEnd refuses what is said of an interface that is not the end of a VXLAN.
func anEnd(do func(r *reader, l *lines.Line) error) func(r *reader, l *lines.Line) error {
	return func(r *reader, l *lines.Line) error {
		if r.end == nil {
			return errf("%s: want it on the end of a VXLAN, such as vni10101", r.at.Name)
		}
		return do(r, l)
	}
}

// startEnd begins the end of a VXLAN; false: the name is not one's.
func (r *reader) startEnd(l *lines.Line) bool {
	r.end = nil
	text, ok := strings.CutPrefix(l.Args[0], "vni")
	n, err := strconv.Atoi(text)
	if !ok || err != nil || n < 1 || n > netconf.MostVNI || tunnelName(n) != l.Args[0] {
		return false
	}
	at := slices.IndexFunc(r.ends, func(e *end) bool { return e.number == n })
	if at < 0 {
		at = len(r.ends)
		r.ends = append(r.ends, &end{line: l, number: n})
		r.say(l, fmt.Sprintf("VNI %d", n))
	}
	r.end, r.at = r.ends[at], &netconf.Interface{Name: l.Args[0]}
	return true
}

// finishTunnels puts ends together: they have one source and one size of frames.
func (r *reader) finishTunnels() {
	if len(r.ends) == 0 {
		if r.allVNIs != nil && r.linux { // else its interfaces are in a file that is not here
			r.about(r.allVNIs, "advertise-all-vni, and no iface vniN is the end of a VXLAN")
		}
		return
	}
	t := &netconf.Tunnels{Source: r.ends[0].source, MTU: r.ends[0].mtu}
	for _, e := range r.ends {
		switch {
		case e.id != e.number:
			r.about(e.line, fmt.Sprintf("vni%d: want vxlan-id %d", e.number, e.number))
		case !e.source.IsValid() || e.source != t.Source:
			r.about(e.line, fmt.Sprintf("vni%d: want vxlan-local-tunnelip, the same for all", e.number))
		case e.vlan == 0:
			r.about(e.line, fmt.Sprintf("vni%d: want bridge-access, the VLAN that it joins", e.number))
		case e.mtu != t.MTU:
			r.about(e.line, fmt.Sprintf("vni%d: frames of at most %v, and %v in others, want one size", e.number,
				e.mtu, t.MTU))
		case !e.silent:
			r.about(e.line, fmt.Sprintf("vni%d: want bridge-learning off: what is behind other ends EVPN says",
				e.number))
		case r.firstIn(e.vlan) == "":
			r.about(e.line, fmt.Sprintf("vni%d: VLAN %d, which no interface has", e.number, e.vlan))
		case slices.ContainsFunc(t.VNIs, func(v netconf.VNI) bool { return v.VLAN == e.vlan }):
			r.about(e.line, fmt.Sprintf("vni%d: a second one of VLAN %d", e.number, e.vlan))
		}
		t.VNIs = append(t.VNIs, netconf.VNI{VLAN: e.vlan, Number: e.number})
	}
	r.say(r.ends[0].line, "vxlan")
	if r.allVNIs == nil {
		r.about(r.ends[0].line,
			located.Shown(tunnelName(r.ends[0].number))+": no router is told of it, want advertise-all-vni in "+
				"address-family l2vpn evpn")
	}
	r.d.Tunnels = t
}

// about adds a problem about a line.
func (r *reader) about(l *lines.Line, message string) {
	r.Problems = append(r.Problems, located.Problem{File: l.File, Line: int(l.Number), Column: 1, Width: 1, Message: message})
}
