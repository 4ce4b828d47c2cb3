package junos

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

// A group is one of BGP: what its neighbours have in common.
type group struct {
	netconf.Neighbour
	line      *line
	multipath bool
	evpn      bool
	source    string
}

// A session is a neighbour of a group.
type session struct {
	netconf.Neighbour
	of     *group
	line   *line
	source string
	evpn   bool
}

// routed are the statements of interfaces, VLANs and BGP.
var routed = []rule{
	{Pattern: "set interfaces irb unit N TEXT...", Do: func(r *reader, l *line) error {
		v, err := l.Int(0, 0, 16_000)
		if err != nil {
			return err
		}
		i := r.interfaceOf(&line{File: l.File, Number: l.Number, Args: []string{""}},
			netconf.Interface{Name: "Vlan" + itoa(v), Kind: netconf.SVI, VLAN: v})
		r.Names[i.Name] = "irb." + itoa(v)
		return r.unitLine(l, i, strings.Fields(l.Args[1]))
	}},
	{Pattern: "set interfaces irb mtu N", Do: func(r *reader, l *line) error {
		v, err := l.Int(0, leastMTU, mostMTU)
		if err == nil {
			r.irb = &framed{l, unit.Bytes(v) + fcs}
		}
		return err
	}},
	{Pattern: "set interfaces NAME TEXT...", Do: interfaceLine},
	{Pattern: "set vlans NAME vlan-id N", Do: func(r *reader, l *line) (err error) {
		r.vlans[l.Args[0]], err = l.Int(1, 1, 4094)
		return err
	}},
	{Pattern: "set vlans NAME vlan-id none"},
	{Pattern: "set vlans NAME TEXT...", Do: func(_ *reader, l *line) error {
		if w := strings.Fields(l.Args[1])[0]; slices.Contains([]string{"description", "l3-interface", "vxlan",
			"vlan-range", "forwarding-options", "interface",
			"switch-options", "mcast", "private-vlan", "isolation-vlan-id", "community-vlans",
			"no-local-switching", "vlan-id-list", "domain-type"}, w) {
			return lines.ErrKnown
		}
		return lines.ErrUnknown
	}},
	{Pattern: "set routing-options router-id ADDRESS", Do: func(r *reader, l *line) (err error) {
		r.bgp(l).RouterID, err = lines.Address4(l.Args[0])
		return err
	}},
	{Pattern: "set routing-options autonomous-system AS", Do: autonomous},
	{Pattern: "set routing-options autonomous-system AS TEXT...", Do: autonomous},
	{Pattern: "set routing-options static route PREFIX TEXT...", Do: func(r *reader, l *line) error {
		if p, err := lines.Prefix(l.Args[0], strings.Contains(l.Args[0], ":"), false); err == nil {
			r.Routes = append(r.Routes, p.Masked())
		}
		return nil
	}},
	{Pattern: "set routing-options static TEXT..."},
	{Pattern: "set protocols bgp group NAME neighbor ADDRESS", Do: neighbourLine},
	{Pattern: "set protocols bgp group NAME neighbor ADDRESS TEXT...", Do: neighbourLine},
	{Pattern: "set protocols bgp group NAME TEXT...", Do: groupLine},
	{Pattern: "set protocols bgp TEXT...", Do: groupLine},
}

func autonomous(r *reader, l *line) error {
	as, err := lines.AS(l.Args[0])
	r.bgp(l).AS = as
	return err
}

// bgp is that of the device, made where it is not there.
func (r *reader) bgp(l *line) *netconf.BGP {
	if r.Device.BGP == nil {
		r.Device.BGP = &netconf.BGP{MaximumPaths: 1, Keepalive: 30 * unit.Second, Hold: 90 * unit.Second}
		r.say(l, "bgp")
	}
	return r.Device.BGP
}

// begins reports whether words begin as one of some do: N stands for any.
func begins(words, all []string) bool {
	return slices.ContainsFunc(all, func(begin string) bool {
		i := 0
		for w := range strings.FieldsSeq(begin) {
			if i == len(words) || w != words[i] && w != "N" {
				return false
			}
			i++
		}
		return true
	})
}

// management are names of interfaces that carry nothing of the fabric: of management, tunnels and the device itself.
var management = regexp.MustCompile(`^(?:fxp\d+|em\d+|me\d+|vme|re\d+:mgmt-\d+|vtep|esi|bme\d+|jsrv|gr-.*|st\d+|` +
	`reth\d+|lt-.*|lsi|dsc|tap|pip\d+|vcp-.*|fti\d+|ip-.*|lc-.*|pfe-.*|pfh-.*|cbp\d+|demux\d+|pp\d+|vt-.*|fab\d+|irb)$`)

// interfaceLine reads what is said of an interface.
func interfaceLine(r *reader, l *line) error {
	i, ok := interfaceNamed(l.Args[0])
	words := strings.Fields(l.Args[1])
	if !ok {
		ranged := l.Args[0] == "interface-range" && len(words) > 2 && strings.HasPrefix(words[1], "member")
		if ranged || strings.ContainsAny(l.Args[0], "*<>") || management.MatchString(l.Args[0]) {
			return lines.ErrKnown
		}
		return lines.ErrUnknown
	}
	p := r.interfaceOf(l, i)
	switch {
	case words[0] == "description":
		p.Description = strings.Trim(strings.Join(words[1:], " "), `"`)
		return nil
	case len(words) == 2 && words[0] == "mtu":
		v, ok := number(words[1])
		if !ok || v < leastMTU || v > mostMTU {
			return fmt.Errorf("%s: want a number from %d to %d", located.Shown(words[1]), leastMTU, mostMTU)
		}
		if p.Kind != netconf.Loopback {
			p.MTU = unit.Bytes(v)*unit.Byte + fcs
			r.say(l, "interface %s mtu", p.Name)
		}
		return nil
	case len(words) == 2 && words[0] == "speed":
		if n, ok := number(strings.TrimRight(words[1], "gG")); ok {
			p.Speed = unit.Bitrate(n) * unit.GigabitPerSec
		}
		return nil
	case words[0] == "disable":
		p.Down = true
		return nil
	case len(words) == 3 && (words[0] == "ether-options" || words[0] == "gigether-options") && words[1] == "802.3ad":
		if n, ok := number(strings.TrimPrefix(words[2], "ae")); ok {
			p.Channel = n + 1
			return nil
		}
		return lines.ErrUnknown
	case len(words) > 2 && words[0] == "unit" && words[1] != "0":
		return lines.ErrKnown // of a VLAN on the wire, or of another VRF
	case len(words) == 2 && words[0] == "unit":
		return nil
	case len(words) > 2 && words[0] == "unit":
		return r.unitLine(l, p, words[2:])
	case begins(words, []string{"ether-options flow-control", "gigether-options flow-control"}):
		r.slip("Q09", l, "flow-control pauses the whole link: no class goes on")
		return nil
	}
	if begins(words, knownOnInterface) {
		return lines.ErrKnown
	}
	return lines.ErrUnknown
}

// unitLine reads what is said of the first unit of an interface.
func (r *reader) unitLine(l *line, p *netconf.Interface, words []string) error {
	switch {
	case len(words) >= 4 && words[0] == "family" && strings.HasPrefix(words[1], "inet") && words[2] == "address":
		a, err := lines.Prefix(words[3], words[1] == "inet6", false)
		if err != nil && words[1] == "inet" && !strings.Contains(words[3], "/") {
			a, err = lines.Prefix(words[3]+"/32", false, false)
		}
		if err == nil && !slices.Contains(p.Addresses, a) {
			p.Addresses = append(p.Addresses, a)
			r.say(l, "interface %s address %v", p.Name, a)
		}
		return err
	case len(words) == 4 && words[0] == "family" && words[1] == "inet" && words[2] == "mtu":
		v, ok := number(words[3])
		if !ok || v < leastMTU || v > mostMTU {
			return fmt.Errorf("%s: want a number from %d to %d", located.Shown(words[3]), leastMTU, mostMTU)
		}
		r.inet[p.Name] = &framed{l, netconf.FrameOf(unit.Bytes(v))}
		return nil
	case len(words) == 2 && words[0] == "family" && strings.HasPrefix(words[1], "inet"):
		p.Routed = p.Kind == netconf.Physical
		return nil
	case len(words) == 4 && words[1] == "ethernet-switching" && words[2] == "interface-mode":
		p.Trunk = words[3] == "trunk"
		return nil
	case len(words) > 4 && words[1] == "ethernet-switching" && words[2] == "vlan" && words[3] == "members":
		here, all := strings.Trim(strings.Join(words[4:], " "), "[] "), ""
		if m := r.members[p.Name]; m != nil {
			all = m.Args[1] + " "
		}
		r.members[p.Name] = &line{File: l.File, Number: l.Number, Args: []string{here, all + here}}
		return nil
	}
	if begins(append([]string{"unit", "0"}, words...), knownOnInterface) {
		return lines.ErrKnown
	}
	return lines.ErrUnknown
}

// framed is the largest frame that a line says.
type framed struct {
	line  *line
	frame unit.Bytes
}

// finishFrames gives gateways what irb says for all of them, and interfaces what is said of their IP packets, which may be
// less than what the interface takes.
func (r *reader) finishFrames() {
	for k := range r.Device.Interfaces {
		i := &r.Device.Interfaces[k]
		if i.Kind == netconf.SVI && r.irb != nil {
			i.MTU = r.irb.frame
			r.say(r.irb.line, "interface %s mtu", i.Name)
		}
		if of := r.inet[i.Name]; of != nil && (i.MTU > of.frame || i.MTU == 0 && (i.Kind == netconf.SVI || of.frame < defaultFrame)) {
			i.MTU = of.frame
			r.say(of.line, "interface %s mtu", i.Name)
		}
	}
}

// finishPorts puts ports into their VLANs.
func (r *reader) finishPorts() {
	split := map[int]bool{} // ports whose parts are interfaces
	for i := range r.Device.Interfaces {
		if n, part, ok := netconf.SplitPort(r.Device.Interfaces[i].Name); ok && part > 0 {
			split[n] = true
		}
	}
	r.Device.Interfaces = netconf.Without(r.Device.Interfaces, func(i netconf.Interface) bool {
		n, part, ok := netconf.SplitPort(i.Name)
		return ok && part == 0 && split[n] && len(i.Addresses) == 0 && i.MTU == 0 && r.ports[i.Name] == nil
	})
	for i := range r.Device.Interfaces {
		p := &r.Device.Interfaces[i]
		p.Routed = p.Routed && len(p.Addresses) == 0
		l := r.members[p.Name]
		if p.Kind == netconf.Physical && p.Channel > 0 {
			ae := r.Device.Port("ae" + itoa(p.Channel-1))
			if ae == nil {
				at := r.Places["interface "+p.Name]
				r.Missing(netconf.AboutRouting, at, "", "%s: no interface ae%d", r.Native(p.Name), p.Channel-1)
				continue
			}
			p.Trunk = p.Trunk || ae.Trunk
			if p.MTU == 0 {
				p.MTU = ae.MTU
			}
			l = r.members[ae.Name]
		}
		if l != nil && p.Trunk {
			p.Allowed = r.allowed(l.Args[1])
		}
		if l == nil || p.Trunk || p.Kind != netconf.Physical {
			continue
		}
		id, known := r.vlans[l.Args[0]]
		if n, isNumber := number(l.Args[0]); isNumber {
			id, known = n, true
		}
		if strings.ContainsAny(l.Args[0], " -") || l.Args[0] == "all" {
			p.Trunk = true
			continue
		}
		if !known {
			r.NoSuch(netconf.AboutRouting, len(r.vlans) > 0, netconf.Place{File: l.File, Line: int(l.Number)},
				"no vlan %s", located.Shown(l.Args[0]))
			continue
		}
		p.VLAN = id
		r.say(l, "interface %s vlan", p.Name)
	}
}

// allowed are the VLANs that a trunk is in, by names and numbers; none: all, or one of them is not known.
func (r *reader) allowed(members string) (all netconf.VLANs) {
	for m := range strings.FieldsSeq(members) {
		if id, known := r.vlans[m]; known {
			m = itoa(id)
		}
		one := netconf.ReadVLANs(m)
		if one == nil {
			return nil
		}
		all = append(all, one...)
	}
	return all
}

func (r *reader) groupOf(l *line, name string) *group {
	r.bgp(l)
	if r.groups[name] == nil {
		r.groups[name] = &group{line: l}
	}
	return r.groups[name]
}

// groupLine reads what is said of a group, or of all of BGP.
func groupLine(r *reader, l *line) error {
	name := ""
	if len(l.Args) > 1 {
		name = l.Args[0]
	}
	g := r.groupOf(l, name)
	words := strings.Fields(l.Args[len(l.Args)-1])
	switch {
	case words[0] == "type":
		g.Internal = len(words) > 1 && words[1] == "internal"
		return nil
	case words[0] == "multipath":
		g.multipath = true
		r.say(l, "paths")
		if len(words) > 1 && words[1] == "multiple-as" {
			r.bgp(l).Relax = true
		}
		return nil
	case len(words) > 1 && words[0] == "local-as":
		as, err := lines.AS(words[1])
		r.localAS = as
		return err
	case words[0] == "export":
		r.wholeBGP = true
		return nil
	case words[0] == "family" && len(words) > 1 && words[1] == "evpn":
		g.evpn = true
		return nil
	case words[0] == "allow" || words[0] == "dynamic-neighbor" || words[0] == "peer-as-list":
		for _, w := range words[1:] {
			if p, err := lines.Prefix(w, strings.Contains(w, ":"), false); err == nil {
				r.bgp(l).Listen = append(r.bgp(l).Listen, p.Masked())
			}
		}
		return nil
	case words[0] == "disable" || words[0] == "shutdown":
		g.Down = true
		return nil
	}
	return r.common(l, &g.Neighbour, &g.source, words)
}

// common reads what a group and a neighbour may both say.
func (r *reader) common(l *line, n *netconf.Neighbour, source *string, words []string) error {
	switch {
	case len(words) == 2 && words[0] == "peer-as":
		as, err := lines.AS(words[1])
		n.AS = as
		return err
	case words[0] == "description":
		n.Description = strings.Trim(strings.Join(words[1:], " "), `"`)
		return nil
	case len(words) == 2 && words[0] == "local-address":
		*source = words[1]
		return nil
	case words[0] == "multihop":
		n.Hops = 64
		if len(words) == 3 && words[1] == "ttl" {
			n.Hops, _ = number(words[2])
		}
		return nil
	case len(words) == 3 && words[0] == "bfd-liveness-detection" && (words[1] == "minimum-interval" ||
		words[1] == "multiplier"):
		v, ok := number(words[2])
		if !ok || v < 1 {
			return fmt.Errorf("%s: want a number", located.Shown(words[2]))
		}
		if n.BFD == nil {
			n.BFD = &netconf.BFD{Interval: 300 * unit.Millisecond, Multiplier: 3}
		}
		if words[1] == "multiplier" {
			n.BFD.Multiplier = v
		} else {
			n.BFD.Interval = unit.Duration(v) * unit.Millisecond
		}
		return nil
	case len(words) == 1 && words[0] == "cluster", words[0] == "cluster":
		n.Client = true
		return nil
	case words[0] == "allow-as-in", words[0] == "local-as":
		return lines.ErrKnown
	case words[0] == "export":
		r.wholeBGP = true
		return nil
	}
	if begins(words, knownInBGP) {
		return lines.ErrKnown
	}
	return lines.ErrUnknown
}

// neighbourLine reads what is said of a neighbour of a group.
func neighbourLine(r *reader, l *line) error {
	g := r.groupOf(l, l.Args[0])
	a, err := lines.Address(l.Args[1])
	if err != nil {
		return err
	}
	i := slices.IndexFunc(r.order2, func(s *session) bool { return s.Address == a && s.of == g })
	if i < 0 {
		i = len(r.order2)
		r.order2 = append(r.order2, &session{Neighbour: netconf.Neighbour{Address: a}, of: g, line: l})
		r.say(l, "neighbour %v", a)
	}
	s := r.order2[i]
	if len(l.Args) < 3 {
		return nil
	}
	words := strings.Fields(l.Args[2])
	if words[0] == "disable" || words[0] == "shutdown" {
		s.Down = true
		return nil
	}
	if words[0] == "family" && len(words) > 1 && words[1] == "evpn" {
		s.evpn = true
		return nil
	}
	return r.common(l, &s.Neighbour, &s.source, words)
}

// finishRouting puts sessions in.
func (r *reader) finishRouting() {
	b := r.Device.BGP
	if b == nil {
		return
	}
	if b.AS == 0 {
		b.AS = r.localAS
	}
	if len(r.order2) == 0 && len(r.groups) == 0 { // a number of the device alone
		r.Device.BGP = nil
		return
	}
	b.Connected = r.wholeBGP
	all := r.groups[""]
	for _, s := range r.order2 {
		g := s.of
		if s.AS == 0 {
			s.AS = g.AS
		}
		if g.Internal {
			s.AS = b.AS
		}
		if s.AS == 0 && r.localAS == 0 {
			r.Missing(netconf.AboutRouting, netconf.Place{File: s.line.File, Line: int(s.line.Number)}, "",
				"neighbour %v: no peer-as", s.Address)
		}
		s.Hops, s.Down, s.Client = max(s.Hops, g.Hops), s.Down || g.Down, s.Client || g.Client
		if s.BFD == nil {
			s.BFD = g.BFD
		}
		if s.BFD == nil && all != nil {
			s.BFD = all.BFD
		}
		s.EVPN = g.evpn || s.evpn
		if s.source == "" {
			s.source = g.source
		}
		if a, err := lines.Address(s.source); err == nil && (s.Hops > 0 || s.EVPN || g.Internal) {
			s.Source = a
		}
		if (g.multipath || all != nil && all.multipath) && !s.EVPN {
			b.MaximumPaths = 64 // chassis maximum-ecmp bounds it
		}
		b.Neighbours = append(b.Neighbours, s.Neighbour)
	}
}
