package eos

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/located"
	"railyard/internal/netconf"
	"railyard/internal/netconf/lines"
	"railyard/internal/unit"
)

// unrouted says what of a device's addresses and sessions there is no command on record for; "": nothing.
func unrouted(d *netconf.Device) string {
	for i := range d.Interfaces {
		if n := len(slices.DeleteFunc(slices.Clone(d.Interfaces[i].Addresses), isSix)); n > 1 {
			return "several IPv4 addresses of an interface"
		}
	}
	b := d.BGP
	if b == nil {
		return ""
	}
	if !b.Relax || b.Keepalive%unit.Second != 0 || b.Hold%unit.Second != 0 {
		return "equal paths of one AS only, or timers of parts of a second"
	}
	for i := range b.Neighbours {
		n := &b.Neighbours[i]
		switch {
		case n.AS == b.AS:
			return "equal paths inside an AS that count reflections"
		case n.BFD != nil && n.BFD.Interval%unit.Millisecond != 0:
			return "BFD by parts of a millisecond"
		}
	}
	return ""
}

func isSix(p netip.Prefix) bool { return p.Addr().Is6() }

// nameOf is what EOS calls an interface: Ethernet24, Ethernet24/2, Vlan101, Loopback0.
func nameOf(i *netconf.Interface) string {
	if i.Kind != netconf.Physical {
		return i.Name
	}
	number, part, _ := netconf.SplitPort(i.Name)
	name := fmt.Sprintf("Ethernet%d", number)
	if part > 0 {
		name += fmt.Sprintf("/%d", part)
	}
	return name
}

// vlans writes the VLANs, and that packets are routed, where there is anything to route.
func (w *writer) vlans() {
	var ids []int
	routed, six := w.d.BGP != nil, w.d.BGP != nil && slices.ContainsFunc(w.d.BGP.Neighbours, ofSix)
	for i := range w.d.Interfaces {
		here := &w.d.Interfaces[i]
		routed = routed || len(here.Addresses) > 0
		six = six || slices.ContainsFunc(here.Addresses, isSix)
		if here.VLAN > 0 && !slices.Contains(ids, here.VLAN) {
			ids = append(ids, here.VLAN)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		w.line(0, "vlan %d", id)
	}
	if p := w.d.Peer; p != nil {
		// Else it may be the link to the peer that is blocked.
		w.line(0, "no spanning-tree vlan-id %s", strings.TrimPrefix(p.Local, "Vlan"))
	}
	if routed {
		w.line(0, "ip routing")
	}
	if six {
		w.line(0, "ipv6 unicast-routing")
	}
}

func ofSix(n netconf.Neighbour) bool { return n.Address.Is6() }

func (w *writer) addressed(i *netconf.Interface) {
	switch {
	case i.Channel > 0:
		w.line(1, "channel-group %d mode active", i.Channel)
	case i.Kind == netconf.Physical && i.VLAN > 0:
		w.line(1, "switchport access vlan %d", i.VLAN)
	}
	if i.Kind == netconf.Physical && len(i.Addresses) > 0 {
		w.line(1, "no switchport")
	}
	for _, a := range i.Addresses {
		w.line(1, "%s address %s", map[bool]string{false: "ip", true: "ipv6"}[isSix(a)], a)
	}
}

// checkVirtual refuses what an SVI or a loopback cannot have.
func (w *writer) checkVirtual(i *netconf.Interface) {
	named := i.Kind == netconf.Loopback && i.Name == "Loopback0" && i.VLAN == 0 ||
		i.Kind == netconf.SVI && i.Name == "Vlan"+strconv.Itoa(i.VLAN) && i.VLAN >= 1 && i.VLAN <= mostVLAN
	if !named || i.MTU != 0 || i.Description != "" || i.QoS != nil || i.Speed != 0 || i.LLDP != (netconf.PortLLDP{}) {
		w.Refuse("%s %s: want Loopback0 or VlanN, with addresses alone", i.Kind, i.Name)
	}
}

const mostVLAN = 4094

// speak writes BGP. That paths of several ASs are equal if they are as long is how EOS is.
func (w *writer) speak(b *netconf.BGP) {
	w.line(0, "router bgp %d", b.AS)
	w.line(1, "router-id %s", b.RouterID)
	w.line(1, "no bgp default ipv4-unicast")
	w.line(1, "timers bgp %d %d", b.Keepalive/unit.Second, b.Hold/unit.Second)
	w.line(1, "maximum-paths %d ecmp %d", b.MaximumPaths, b.MaximumPaths)
	for i := range b.Neighbours {
		n := &b.Neighbours[i]
		w.line(1, "neighbor %s remote-as %d", n.Address, n.AS)
		if n.Description != "" {
			w.line(1, "neighbor %s description %s", n.Address, n.Description)
		}
		if f := n.BFD; f != nil {
			ms := f.Interval / unit.Millisecond
			w.line(1, "neighbor %s bfd", n.Address)
			w.line(1, "neighbor %s bfd interval %d min-rx %d multiplier %d", n.Address, ms, ms, f.Multiplier)
		}
		if n.AllowASIn > 0 {
			w.line(1, "neighbor %s allowas-in %d", n.Address, n.AllowASIn)
		}
	}
	for _, a := range b.Aggregates {
		only := ""
		if a.SummaryOnly {
			only = " summary-only"
		}
		w.line(1, "aggregate-address %s%s", a.Prefix, only)
	}
	w.family(b, "ipv4", false)
	if slices.ContainsFunc(b.Neighbours, ofSix) || slices.ContainsFunc(b.Networks, isSix) {
		w.family(b, "ipv6", true)
	}
}

// family writes who carries the routes of a family, and which of them are the device's own.
func (w *writer) family(b *netconf.BGP, name string, six bool) {
	w.line(1, "address-family %s", name)
	for i := range b.Neighbours {
		if n := &b.Neighbours[i]; ofSix(*n) == six {
			w.line(2, "neighbor %s activate", n.Address)
		}
	}
	for _, p := range b.Networks {
		if isSix(p) == six {
			w.line(2, "network %s", p)
		}
	}
}

// A session is a neighbour with what is said of it elsewhere.
type session struct {
	*netconf.Neighbour
	name   string // of a peer group; "": a neighbour
	line   *line
	active [2]bool // in the families of IPv4 and IPv6
	group  string  // that it is of
}

// routing is what is read of BGP.
type routing struct {
	silent   bool // IPv4 neighbours carry nothing until they are activated, as IPv6 ones do in any case
	sessions []*session
	vlans    map[int]bool
}

// The commands of VLANs and BGP.
var (
	routed = []rule{
		{Pattern: "ip routing"},
		{Pattern: "ipv6 unicast-routing"},
		{Pattern: "no spanning-tree vlan-id ID"},
		{Pattern: "vlan IDS", Enter: inVLAN, Do: vlan},
		{Pattern: "mlag configuration", Enter: inMLAG, Do: beginMLAG},
		{Pattern: "router bgp AS", Enter: inBGP, Do: func(r *reader, l *line) error {
			as, err := asNumber(l, 0)
			if r.Device.BGP == nil {
				r.Device.BGP = &netconf.BGP{AS: as, Relax: true, MaximumPaths: 1, Keepalive: 60 * unit.Second,
					Hold: 180 * unit.Second}
				r.say(l, "bgp")
			} else if err == nil && r.Device.BGP.AS != as {
				err = fmt.Errorf("%d: a second BGP beside AS %d, want one", as, r.Device.BGP.AS)
			}
			return err
		}},
	}
	onInterface = []rule{
		{Pattern: "channel-group N mode active", Do: bundled},
		{Pattern: "switchport access vlan ID", Do: func(r *reader, l *line) (err error) {
			if r.port.Kind != netconf.Physical {
				return fmt.Errorf("an access VLAN on %s, want it on a port", r.port.Name)
			}
			r.port.VLAN, err = l.Int(0, 1, mostVLAN)
			r.say(l, "interface %s vlan", r.port.Name)
			return err
		}},
		{Pattern: "ip address PREFIX", Do: func(r *reader, l *line) error {
			other := slices.ContainsFunc(r.port.Addresses, func(p netip.Prefix) bool { return !isSix(p) })
			a, err := netip.ParsePrefix(l.Args[0])
			if err != nil || !a.Addr().Is4() || other {
				return fmt.Errorf("%s: want one IPv4 address with the length of its subnet", located.Shown(l.Args[0]))
			}
			return r.address(l, a)
		}},
		{Pattern: "ipv6 enable"},
		{Pattern: "ipv6 address PREFIX", Do: func(r *reader, l *line) error {
			a, err := lines.Prefix(l.Args[0], true, false)
			if err != nil {
				return err
			}
			return r.address(l, a)
		}},
	}
	inVLAN = &block{Ends: []string{"exit"}, Rules: []rule{{Pattern: "name TEXT..."}}}
	inBGP  = &block{Ends: []string{"exit"}, Rules: []rule{
		{Pattern: "router-id ADDRESS", Do: func(r *reader, l *line) (err error) {
			r.Device.BGP.RouterID, err = lines.Address4(l.Args[0])
			return err
		}},
		{Pattern: "no bgp default ipv4-unicast", Do: func(r *reader, _ *line) error { r.routing.silent = true; return nil }},
		{Pattern: "timers bgp KEEPALIVE HOLD", Do: func(r *reader, l *line) error {
			keep, err := l.Int(0, 0, 3600)
			if err != nil {
				return err
			}
			hold, err := l.Int(1, 0, 7200)
			r.Device.BGP.Keepalive, r.Device.BGP.Hold = unit.Duration(keep)*unit.Second, unit.Duration(hold)*unit.Second
			return err
		}},
		{Pattern: "maximum-paths N ecmp M", Do: func(r *reader, l *line) error {
			paths, err := l.Int(0, 1, mostPaths)
			if err == nil {
				var ways int
				ways, err = l.Int(1, 1, mostPaths)
				r.Device.BGP.MaximumPaths = min(paths, max(ways, 1))
			}
			return err
		}},
		{Pattern: "bgp bestpath as-path multipath-relax", Do: func(r *reader, _ *line) error { r.Device.BGP.Relax = true; return nil }},
		{Pattern: "no bgp bestpath as-path multipath-relax",
			Do: func(r *reader, _ *line) error { r.Device.BGP.Relax = false; return nil }},
		{Pattern: "neighbor NAME peer group", Do: func(r *reader, l *line) error {
			return r.neighbour(l, func(*session) {})
		}},
		{Pattern: "neighbor ADDRESS peer group NAME", Do: func(r *reader, l *line) error {
			return r.neighbour(l, func(s *session) { s.group = l.Args[1] })
		}},
		{Pattern: "neighbor ADDRESS remote-as AS", Do: func(r *reader, l *line) error {
			as, err := asNumber(l, 1)
			if err != nil {
				return err
			}
			return r.neighbour(l, func(s *session) { s.AS = as })
		}},
		{Pattern: "neighbor ADDRESS description TEXT...", Do: func(r *reader, l *line) error {
			return r.neighbour(l, func(s *session) { s.Description = strings.Join(strings.Fields(l.Args[1]), " ") })
		}},
		{Pattern: "neighbor ADDRESS bfd", Do: func(r *reader, l *line) error {
			return r.neighbour(l, func(s *session) {
				if s.BFD == nil {
					s.BFD = &netconf.BFD{Interval: 300 * unit.Millisecond, Multiplier: 3}
				}
			})
		}},
		{Pattern: "neighbor ADDRESS bfd interval MS min-rx MS multiplier N", Do: watch},
		{Pattern: "neighbor ADDRESS allowas-in N", Do: func(r *reader, l *line) error {
			times, err := l.Int(1, 1, 10)
			if err != nil {
				return err
			}
			return r.neighbour(l, func(s *session) { s.AllowASIn = times })
		}},
		{Pattern: "aggregate-address PREFIX", Do: func(r *reader, l *line) error { return r.aggregate(l, false) }},
		{Pattern: "aggregate-address PREFIX summary-only", Do: func(r *reader, l *line) error { return r.aggregate(l, true) }},
		{Pattern: "network PREFIX", Do: func(r *reader, l *line) error {
			return r.network(l, strings.Contains(l.Args[0], ":"))
		}},
		{Pattern: "address-family ipv4", Enter: inFamily(false)},
		{Pattern: "address-family ipv6", Enter: inFamily(true)},
	}}
)

// inFamily is the block of a family. That a neighbour carries the routes of another family than its address's is not in
// the model.
func inFamily(six bool) *block {
	return &block{Ends: []string{"exit"}, Rules: []rule{
		{Pattern: "neighbor ADDRESS activate", Do: func(r *reader, l *line) error {
			if a, err := netip.ParseAddr(l.Args[0]); err == nil && a.Is6() != six {
				return lines.ErrUnknown
			}
			return r.neighbour(l, func(s *session) { s.active[familyOf(six)] = true })
		}},
		{Pattern: "network PREFIX", Do: func(r *reader, l *line) error { return r.network(l, six) }},
	}}
}

// address gives the interface that is read one.
func (r *reader) address(l *line, a netip.Prefix) error {
	if slices.Contains(r.port.Addresses, a) {
		return nil
	}
	r.port.Addresses = append(r.port.Addresses, a)
	r.say(l, "interface %s address %v", r.port.Name, a)
	return nil
}

// network originates a prefix of a family.
func (r *reader) network(l *line, six bool) error {
	p, err := lines.Prefix(l.Args[0], six, true)
	if err == nil && !slices.Contains(r.Device.BGP.Networks, p) {
		r.Device.BGP.Networks = append(r.Device.BGP.Networks, p)
		r.say(l, "network %v", p)
	}
	return err
}

// mostPaths bounds what is read as a number of equal paths.
const mostPaths = 4096

func asNumber(l *line, arg int) (uint32, error) {
	v, err := lines.Whole(l.Args[arg], 1, lines.MostAS)
	return uint32(v), err
}

// watch reads how a neighbour is watched: of both directions the longer interval counts (RFC 5880, section 6.8.4).
func watch(r *reader, l *line) error {
	var v [3]int
	for i, most := range [3]int{60000, 60000, 255} {
		var err error
		if v[i], err = l.Int(i+1, 2, most); err != nil {
			return err
		}
	}
	return r.neighbour(l, func(s *session) {
		s.BFD = &netconf.BFD{Interval: unit.Duration(max(v[0], v[1])) * unit.Millisecond, Multiplier: v[2]}
	})
}

func familyOf(six bool) int {
	if six {
		return 1
	}
	return 0
}

// neighbour changes one, or a peer group, by its first argument.
func (r *reader) neighbour(l *line, change func(*session)) error {
	name := ""
	a, err := lines.Address(l.Args[0])
	if err != nil {
		if name = l.Args[0]; strings.ContainsAny(name, ".:/") {
			return err // an address that is none
		}
	}
	i := slices.IndexFunc(r.routing.sessions, func(s *session) bool { return s.Address == a && s.name == name })
	if i < 0 {
		i = len(r.routing.sessions)
		r.routing.sessions = append(r.routing.sessions, &session{Neighbour: &netconf.Neighbour{Address: a}, name: name, line: l})
		if name == "" {
			r.say(l, "neighbour %v", a)
		}
	}
	change(r.routing.sessions[i])
	return nil
}

func (r *reader) aggregate(l *line, only bool) error {
	p, err := lines.Prefix(l.Args[0], strings.Contains(l.Args[0], ":"), true)
	if err == nil {
		r.Device.BGP.Aggregates = append(r.Device.BGP.Aggregates, netconf.Aggregate{Prefix: p, SummaryOnly: only})
		r.say(l, "aggregate %v", p)
	}
	return err
}

// virtual returns an SVI's or a loopback's description by its name; false: it is neither.
func virtual(name string) (netconf.Interface, bool) {
	if name == "Loopback0" {
		return netconf.Interface{Name: name, Kind: netconf.Loopback}, true
	}
	text, ok := strings.CutPrefix(name, "Vlan")
	id, err := strconv.Atoi(text)
	return netconf.Interface{Name: name, Kind: netconf.SVI, VLAN: id},
		ok && err == nil && id >= 1 && id <= mostVLAN && text == strconv.Itoa(id)
}

// finishRouting puts sessions in, and reports those that carry nothing and VLANs that are not there.
func (r *reader) finishRouting() {
	wrong := func(l *line, format string, args ...any) {
		r.Problems = append(r.Problems, located.Problem{File: l.File, Line: int(l.Number), Column: 1, Width: 1,
			Message: fmt.Sprintf(format, args...)})
	}
	for _, s := range r.routing.sessions {
		if s.name != "" {
			continue
		}
		if !r.inherit(s) {
			wrong(s.line, "neighbour %v: no peer group %s", s.Address, located.Shown(s.group))
			continue
		}
		switch {
		case s.AS == 0:
			wrong(s.line, "neighbour %v: no remote-as", s.Address)
		case (r.routing.silent || s.Address.Is6()) && !s.active[familyOf(s.Address.Is6())]:
			wrong(s.line, "neighbour %v: not activated: it carries no routes", s.Address)
		}
		r.Device.BGP.Neighbours = append(r.Device.BGP.Neighbours, *s.Neighbour)
	}
	r.finishChannels(wrong)
	for i := range r.Device.Interfaces {
		here := &r.Device.Interfaces[i]
		at := r.Places["interface "+here.Name]
		l := &line{File: at.File, Number: lines.Number(at.Line)}
		switch {
		case here.VLAN > 0 && !r.routing.vlans[here.VLAN]:
			wrong(l, "%s: no vlan %d", here.Name, here.VLAN)
		case here.Kind == netconf.Physical && here.VLAN > 0 && len(here.Addresses) > 0:
			wrong(l, "%s: an address, and VLAN %d", here.Name, here.VLAN)
		}
	}
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
	if s.BFD == nil {
		s.BFD = g.BFD
	}
	for k := range g.active {
		s.active[k] = s.active[k] || g.active[k]
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
