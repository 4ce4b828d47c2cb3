package nxos

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

// features are those whose commands are read, beside LLDP.
var features = []string{"bgp", "bfd", "interface-vlan", "vpc"}

// routing is what is read of VLANs, BGP and BFD.
type routing struct {
	features map[string]bool
	vlans    map[int]bool
	bfd      *netconf.BFD // of all interfaces; nil: the platform's
	sessions []*session
	paths    [2]int // of each family; 0: not said
	carried  [2]bool
	// templates are what neighbours inherit, by kind and name.
	templates map[string]*session
	sessionOf map[netip.Addr]int // index of a neighbour
}

// A session is a neighbour with what is said of it elsewhere, or a template of some.
type session struct {
	netconf.Neighbour
	line     *line
	watched  bool
	carries  [2]bool
	allowed  [2]int  // how often the own AS may stand in a path, of each family
	inherits []*line // inherit peer NAME
	source   string  // the interface whose address is its own
	evpn     bool
	open     bool // what it says is not all understood: it may say more than is known
}

// fine reports what is wrong with a word, if anything is.
func (r *reader) fine(l *line, word int, err error) bool {
	if err != nil {
		r.Wrong(l, word, "%v", err)
	}
	return err == nil
}

// virtual returns an SVI or a loopback by its name; false: it is neither.
func virtual(name string) (netconf.Interface, bool) {
	name = strings.ReplaceAll(name, " ", "")
	if len(name) > 8 && strings.EqualFold(name[:8], "loopback") && strings.Trim(name[8:], "0123456789") == "" {
		return netconf.Interface{Name: "Loopback" + name[8:], Kind: netconf.Loopback}, true
	}
	text, ok := strings.CutPrefix(strings.ToLower(name), "vlan")
	id, err := strconv.Atoi(text)
	return netconf.Interface{Name: "Vlan" + text, Kind: netconf.SVI, VLAN: id},
		ok && err == nil && id >= 1 && id <= mostVLAN && text == strconv.Itoa(id)
}

// vlan reads vlan 101 or vlan 1,101-104. A name is for people.
func (r *reader) vlan(l *line) {
	for _, id := range r.numbers(l, 1, mostVLAN) {
		if id == 0 {
			r.Wrong(l, 1, "0: want VLANs from 1 to %d", mostVLAN)
		}
		r.routing.vlans[id] = true
	}
	for _, b := range l.Below {
		if !b.Is("name") || len(b.Words) != 2 {
			r.Tell(b, []string{"vn-segment", "mode", "state", "no shutdown", "private-vlan", "remote-span"})
			continue
		}
		r.None(b)
	}
}

// addressLine reads a line of an interface that says where it belongs; false: it says something else.
func (r *reader) addressLine(p *port, here *netconf.Interface, b *line) bool {
	port := here.Kind == netconf.Physical || here.Kind == netconf.Bundle
	switch text := b.Text(0); {
	case text == "shutdown":
		here.Down = true
	case b.Is("vrf", "member") && len(b.Words) == 3:
		here.VRF = b.Word(2)
	case port && text == "no switchport":
		here.Routed = true
	case port && (text == "switchport mode trunk" || b.Is("switchport", "trunk")):
		here.Trunk = true
		if b.Is("switchport", "trunk", "allowed", "vlan") && len(b.Words) == 5 {
			here.Allowed = netconf.ReadVLANs(b.Word(4))
		}
	case port && b.Is("channel-group") && len(b.Words) > 1:
		if n, ok := r.whole(b, 1, 1, mostChannel); ok {
			here.Channel = n
		}
	case port && b.Is("speed") && len(b.Words) == 2:
		if v, err := strconv.Atoi(b.Word(1)); err == nil && v > 0 && v <= 3_200_000 {
			here.Speed = unit.Bitrate(v) * unit.MegabitPerSec
		}
	case b.Is("ip", "address") && b.Word(len(b.Words)-1) == "secondary":
	case b.Is("ip", "address") && len(b.Words) == 5 && b.Word(3) == "tag":
		short := *b
		short.Words = b.Words[:3]
		r.address(p, here, &short)
	case b.Is("description") && len(b.Words) > 1:
		here.Description = b.Text(1)
	case text == "no shutdown", text == "no ip redirects", text == "no ipv6 redirects":
	case port && (text == "switchport" || text == "switchport mode access"):
	case port && b.Is("switchport", "access", "vlan") && len(b.Words) == 4:
		if id, ok := r.whole(b, 3, 1, mostVLAN); ok {
			here.VLAN = id
			r.At(b, "interface %s vlan", p.name)
		}
	case b.Is("mtu") && len(b.Words) == 2 && here.Kind != netconf.Loopback:
		if v, ok := r.whole(b, 1, leastMTU, mostMTU); ok {
			p.mtu = unit.Bytes(v)
			r.At(b, "interface %s mtu", p.name)
			if !port {
				here.MTU = p.mtu
			}
		}
	case b.Is("bfd", "interval"):
		p.bfd = r.watch(b)
	case (b.Is("ip", "address") || b.Is("ipv6", "address")) && len(b.Words) == 3, b.Is("ip", "address") &&
		len(b.Words) == 4:
		r.address(p, here, b)
	default:
		return false
	}
	return true
}

func (r *reader) address(p *port, here *netconf.Interface, b *line) {
	six := b.Is("ipv6")
	text, err := b.Word(2), error(nil)
	if len(b.Words) == 4 {
		text, err = withMask(text, b.Word(3))
	}
	if !r.fine(b, 3, err) {
		return
	}
	a, err := lines.Prefix(text, six, false)
	if !r.fine(b, 2, err) {
		return
	}
	if slices.ContainsFunc(here.Addresses, func(other netip.Prefix) bool { return other.Addr().Is6() == six }) {
		r.Wrong(b, 2, "%v: a second address of %s, want one of each family", a, p.name)
		return
	}
	here.Addresses = append(here.Addresses, a)
	r.At(b, "interface %s address %v", p.name, a)
}

// withMask is an address with the length of its mask: 10.0.0.1 255.255.255.0.
func withMask(address, mask string) (string, error) {
	m, err := lines.Address4(mask)
	if err == nil {
		parts := m.As4()
		set := binary.BigEndian.Uint32(parts[:])
		if ones := bits.LeadingZeros32(^set); set<<ones == 0 {
			return fmt.Sprintf("%s/%d", address, ones), nil
		}
	}
	return "", fmt.Errorf("%s: want an IPv4 mask", located.Shown(mask))
}

// watch reads bfd interval MS min_rx MS multiplier N: of both directions the longer interval counts (RFC 5880,
// section 6.8.4). Nil: it is something else, or wrong.
func (r *reader) watch(l *line) *netconf.BFD {
	if len(l.Words) != 7 || l.Word(3) != "min_rx" || l.Word(5) != "multiplier" {
		r.Unknown(l)
		return nil
	}
	send, ok1 := r.whole(l, 2, leastInterval, mostInterval)
	receive, ok2 := r.whole(l, 4, leastInterval, mostInterval)
	times, ok3 := r.whole(l, 6, 1, mostMultiplier)
	if !ok1 || !ok2 || !ok3 {
		return nil
	}
	return &netconf.BFD{Interval: unit.Duration(max(send, receive)) * unit.Millisecond, Multiplier: times}
}

// bgp reads router bgp AS and what is below it.
func (r *reader) bgp(l *line) {
	as, err := lines.AS(l.Word(2))
	r.fine(l, 2, err)
	d := r.Device
	switch {
	case d.BGP == nil:
		d.BGP = &netconf.BGP{AS: as, MaximumPaths: 1, Keepalive: 60 * unit.Second, Hold: 180 * unit.Second}
		r.At(l, "bgp")
	case err == nil && d.BGP.AS != as:
		r.Wrong(l, 2, "%d: a second BGP beside AS %d, want one", as, d.BGP.AS)
	}
	for _, b := range l.Below {
		r.bgpLine(b)
	}
}

func (r *reader) bgpLine(b *line) {
	d := r.Device
	switch text := b.Text(0); {
	case b.Is("router-id") && len(b.Words) == 2:
		id, err := lines.Address4(b.Word(1))
		if r.fine(b, 1, err) {
			d.BGP.RouterID = id
		}
	case b.Is("timers", "bgp") && len(b.Words) == 4:
		keep, ok1 := r.whole(b, 2, 0, 3600)
		hold, ok2 := r.whole(b, 3, 0, 3600)
		if ok1 && ok2 {
			d.BGP.Keepalive, d.BGP.Hold = unit.Duration(keep)*unit.Second, unit.Duration(hold)*unit.Second
		}
	case text == "bestpath as-path multipath-relax":
		d.BGP.Relax = true
	case text == "log-neighbor-changes":
	case text == "address-family ipv4 unicast", text == "address-family ipv6 unicast":
		r.carried(b)
		return
	case b.Is("neighbor") && strings.Contains(b.Word(1), "/") && b.Word(1)[0] <= '9': // whoever comes from there
		if p, err := lines.Prefix(b.Word(1), strings.Contains(b.Word(1), ":"), false); r.fine(b, 1, err) {
			d.BGP.Listen = append(d.BGP.Listen, p.Masked())
		}
		for _, x := range b.Below {
			r.Known(x)
		}
		return
	case text == "address-family l2vpn evpn", b.Is("address-family") && (b.Word(1) == "vpnv4" ||
		b.Word(1) == "link-state"):
		for _, x := range b.Below {
			r.Tell(x, append([]string{"maximum-paths", "network"}, knownInBGP...))
		}
		return
	case b.Is("neighbor") && (len(b.Words) == 2 || len(b.Words) == 4 && b.Word(2) == "remote-as"):
		r.neighbour(b)
		return
	case b.Is("template") && len(b.Words) == 3 && templates[b.Word(1)]:
		t := &session{line: b}
		r.routing.templates[b.Text(1)] = t
		r.sessionLines(t, b.Below)
		return
	default:
		r.Tell(b, knownInBGP)
		return
	}
	r.None(b)
}

// carried reads what sessions of a family carry.
func (r *reader) carried(l *line) {
	six := l.Word(1) == "ipv6"
	k := 0
	if six {
		k = 1
	}
	r.routing.carried[k] = true
	for _, b := range l.Below {
		switch only := b.Word(2) == "summary-only"; {
		case b.Is("network") && len(b.Words) == 2:
			p, err := lines.Prefix(b.Word(1), six, true)
			if r.fine(b, 1, err) && !slices.Contains(r.Device.BGP.Networks, p) {
				r.Device.BGP.Networks = append(r.Device.BGP.Networks, p)
				r.At(b, "network %v", p)
			}
		case b.Is("aggregate-address") && (len(b.Words) == 2 || len(b.Words) == 3 && only):
			p, err := lines.Prefix(b.Word(1), six, true)
			if r.fine(b, 1, err) {
				r.Device.BGP.Aggregates = append(r.Device.BGP.Aggregates, netconf.Aggregate{Prefix: p, SummaryOnly: only})
				r.At(b, "aggregate %v", p)
			}
		case b.Is("maximum-paths") && len(b.Words) == 2:
			if n, ok := r.whole(b, 1, 1, mostPaths); ok {
				r.routing.paths[k] = n
				r.At(b, "paths")
			}
		case b.Is("maximum-paths", "ibgp"):
		case b.Is("network") && (len(b.Words) == 4 && (b.Word(2) == "route-map" || b.Word(2) == "mask")):
			text := b.Word(1)
			var err error
			if b.Word(2) == "mask" {
				text, err = withMask(text, b.Word(3))
			}
			if r.fine(b, 3, err) {
				p, err := lines.Prefix(text, six, true)
				if r.fine(b, 1, err) && !slices.Contains(r.Device.BGP.Networks, p) {
					r.Device.BGP.Networks = append(r.Device.BGP.Networks, p)
					r.At(b, "network %v", p)
				}
			}
		case b.Is("redistribute", "direct"):
			r.Device.BGP.Connected = true
		default:
			r.Tell(b, knownInBGP)
			continue
		}
		r.None(b)
	}
}

// neighbour reads neighbor ADDRESS [remote-as AS] and what is below it.
func (r *reader) neighbour(l *line) {
	if names, ok := portNames(l.Word(1)); ok && len(names) == 1 { // between the link's own addresses
		s := &session{Neighbour: netconf.Neighbour{Port: names[0], External: true}, line: l}
		r.routing.sessions = append(r.routing.sessions, s)
		r.At(l, "neighbour %s", names[0])
		r.sessionLines(s, l.Below)
		return
	}
	a, err := lines.Address(l.Word(1))
	if !r.fine(l, 1, err) {
		r.sessionLines(&session{line: l}, l.Below) // so that they are read
		return
	}
	i, known := r.routing.sessionOf[a]
	if !known {
		i = len(r.routing.sessions)
		r.routing.sessionOf[a] = i
		r.routing.sessions = append(r.routing.sessions, &session{Neighbour: netconf.Neighbour{Address: a}, line: l})
		r.At(l, "neighbour %v", a)
	}
	s := r.routing.sessions[i]
	if len(l.Words) == 4 {
		r.remoteAS(s, l, 3)
	}
	r.sessionLines(s, l.Below)
}

// templates are the kinds of templates whose lines are those of a neighbour.
var templates = map[string]bool{"peer": true, "peer-session": true}

func (r *reader) remoteAS(s *session, b *line, word int) {
	v, err := lines.AS(b.Word(word))
	if r.fine(b, word, err) {
		s.AS = v
	}
}

// sessionLines reads what is said below a neighbour or a template.
func (r *reader) sessionLines(s *session, below []*line) {
	for _, b := range below {
		switch {
		case b.Is("remote-as", "external") || b.Is("remote-as", "route-map"):
			s.External = true
		case b.Is("remote-as") && len(b.Words) == 2:
			r.remoteAS(s, b, 1)
		case b.Is("description") && len(b.Words) > 1:
			s.Description = b.Text(1)
		case b.Text(0) == "bfd":
			s.watched = true
		case b.Is("update-source") && len(b.Words) > 1:
			s.source = strings.ReplaceAll(b.Text(1), " ", "")
		case b.Is("ebgp-multihop"):
			s.Hops = mostHops
			if len(b.Words) == 2 {
				s.Hops, _ = r.whole(b, 1, 1, mostHops)
			}
		case b.Text(0) == "shutdown":
			s.Down = true
		case b.Text(0) == "address-family l2vpn evpn":
			s.evpn = true
			for _, x := range b.Below {
				r.Tell(x, knownInBGP)
			}
			continue
		case b.Is("inherit") && len(b.Words) == 3 && templates[b.Word(1)]:
			s.inherits = append(s.inherits, b)
		case b.Is("address-family") && len(b.Words) == 3 && b.Word(2) == "unicast":
			r.session(s, b)
			continue
		default:
			n := r.Lines.Unread
			r.Tell(b, knownInBGP)
			s.open = s.open || r.Lines.Unread > n
			continue
		}
		r.None(b)
	}
}

// mostHops is how far a session may go where it is not said.
const mostHops = 255

// session reads an address family of a neighbour. That one carries routes of another family than its address's is not
// in the model.
func (r *reader) session(s *session, l *line) {
	k := slices.Index(unicast[:], l.Word(1))
	if k < 0 || s.Address.IsValid() && k != family(s.Address) {
		s.open = true
		r.Unknown(l)
		return
	}
	s.carries[k] = true
	for _, b := range l.Below {
		switch {
		case b.Text(0) == "allowas-in":
			s.allowed[k] = 3 // the platform's
		case b.Is("allowas-in") && len(b.Words) == 2:
			if n, ok := r.whole(b, 1, 1, 10); ok {
				s.allowed[k] = n
			}
		case b.Text(0) == "route-reflector-client":
			s.Client = true
		default:
			r.Tell(b, knownInBGP)
			continue
		}
		r.None(b)
	}
}
