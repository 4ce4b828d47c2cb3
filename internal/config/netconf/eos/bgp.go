package eos

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

// A session is a neighbour with what is said of it elsewhere.
type session struct {
	*netconf.Neighbour
	name   string // of a peer group; "": a neighbour
	line   *line
	active [2]bool // in the families of IPv4 and IPv6
	silent [2]bool // in which it is not, though its group may be
	evpn   bool
	group  string // that it is of
	blind  bool   // no BFD, though its group may have it
	source string // the interface whose address is its own
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
		{Pattern: "ip routing ipv6 interfaces"},
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
		{Pattern: "channel-group N mode MODE", Do: bundled},
		{Pattern: "switchport access vlan ID", Do: func(r *reader, l *line) (err error) {
			if r.port.Kind != netconf.Physical && r.port.Kind != netconf.Bundle {
				return fmt.Errorf("an access VLAN on %s, want it on a port", r.port.Name)
			}
			r.port.VLAN, err = l.Int(0, 1, mostVLAN)
			r.at.switched = true
			r.say(l, "interface %s vlan", r.port.Name)
			if r.channel != nil {
				r.channel.vlan = r.port.VLAN
			}
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
		{Pattern: "ip address PREFIX secondary"},
		{Pattern: "ip address unnumbered NAME"},
		{Pattern: "ip address dhcp"},
		{Pattern: "ipv6 address PREFIX", Do: func(r *reader, l *line) error {
			a, err := lines.Prefix(l.Args[0], true, false)
			if err != nil {
				return err
			}
			return r.address(l, a)
		}},
	}
	inVLAN = &block{Ends: []string{"exit"}, Rules: []rule{{Pattern: "name TEXT..."}},
		Known: []string{"trunk group", "private-vlan", "mac", "no", "state"}}
	inBGP = &block{Ends: []string{"exit"}, Known: knownInBGP, Rules: slices.Concat([]rule{
		{Pattern: "router-id ADDRESS", Do: func(r *reader, l *line) (err error) {
			r.Device.BGP.RouterID, err = lines.Address4(l.Args[0])
			return err
		}},
		{Pattern: "no bgp default ipv4-unicast", Do: func(r *reader,
			_ *line) error {
			r.routing.silent = true
			return nil
		}},
		{Pattern: "timers bgp KEEPALIVE HOLD", Do: func(r *reader, l *line) error {
			keep, err := l.Int(0, 0, 3600)
			if err != nil {
				return err
			}
			hold, err := l.Int(1, 0, 7200)
			r.Device.BGP.Keepalive, r.Device.BGP.Hold = unit.Duration(keep)*unit.Second, unit.Duration(hold)*unit.Second
			return err
		}},
		{Pattern: "maximum-paths N", Do: paths},
		{Pattern: "maximum-paths N ecmp M", Do: paths},
		{Pattern: "bgp bestpath as-path multipath-relax", Do: func(r *reader,
			_ *line) error {
			r.Device.BGP.Relax = true
			return nil
		}},
		{Pattern: "no bgp bestpath as-path multipath-relax",
			Do: func(r *reader, _ *line) error { r.Device.BGP.Relax = false; return nil }},
		{Pattern: "redistribute connected", Do: connected},
		{Pattern: "redistribute connected TEXT...", Do: connected},
		// A MAC-VRF of EVPN, and no VLAN of the device: EOS user manual, EVPN.
		{Pattern: "vlan ID", Enter: inMACVRF},
		{Pattern: "vlan-aware-bundle NAME", Enter: inMACVRF},
		{Pattern: "bgp listen range PREFIX TEXT...", Do: listen},
		{Pattern: "neighbor interface NAMES peer-group NAME", Do: unnumbered},
		{Pattern: "neighbor interface NAMES peer-group NAME remote-as AS", Do: unnumbered},
		{Pattern: "neighbor interface NAMES peer-group NAME peer-filter FILTER", Do: unnumbered},
		{Pattern: "aggregate-address PREFIX", Do: func(r *reader, l *line) error { return r.aggregate(l, false) }},
		{Pattern: "aggregate-address PREFIX TEXT...", Do: func(r *reader, l *line) error {
			return r.aggregate(l, slices.Contains(strings.Fields(l.Args[1]), "summary-only"))
		}},
		{Pattern: "network PREFIX", Do: anyNetwork},
		{Pattern: "network PREFIX route-map NAME", Do: anyNetwork},
		{Pattern: "address-family ipv4", Enter: inFamily(false)},
		{Pattern: "address-family ipv6", Enter: inFamily(true)},
		{Pattern: "address-family evpn", Enter: inEVPN},
	}, onNeighbour)}
	// inMACVRF is what is said of VLANs that EVPN joins.
	inMACVRF = &block{Ends: []string{"exit"}, Known: []string{"rd", "route-target", "redistribute", "vlan",
		"rd evpn", "no redistribute"}}
	inEVPN = &block{Ends: []string{"exit"}, Known: []string{"bgp", "neighbor default", "host-flap", "no",
		"next-hop", "route",
		"domain", "import", "encapsulation", "neighbor NAME domain", "neighbor NAME encapsulation",
		"neighbor NAME route-map",
		"neighbor NAME rcf", "neighbor NAME default-route", "neighbor NAME additional-paths", "layer-2", "evpn"},
		Rules: []rule{
			{Pattern: "neighbor NAME activate", Do: func(r *reader, l *line) error {
				return r.neighbour(l, func(s *session) { s.evpn = true })
			}},
			{Pattern: "no neighbor NAME activate"},
		}}
	onNeighbour = []rule{
		{Pattern: "neighbor NAME peer group", Do: mention},
		{Pattern: "neighbor NAME peer-group", Do: mention}, // before 4.23
		{Pattern: "neighbor ADDRESS peer group NAME", Do: grouped},
		{Pattern: "neighbor ADDRESS peer-group NAME", Do: grouped},
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
		{Pattern: "neighbor ADDRESS bfd", Do: watched},
		{Pattern: "neighbor ADDRESS fall-over bfd", Do: watched},
		{Pattern: "no neighbor ADDRESS bfd", Do: func(r *reader, l *line) error {
			return r.neighbour(l, func(s *session) { s.BFD, s.blind = nil, true })
		}},
		{Pattern: "neighbor ADDRESS bfd interval MS min-rx MS multiplier N", Do: watch},
		{Pattern: "neighbor ADDRESS allowas-in", Do: func(r *reader, l *line) error {
			return r.neighbour(l, func(s *session) { s.AllowASIn = 3 }) // EOS user manual
		}},
		{Pattern: "neighbor ADDRESS allowas-in N", Do: func(r *reader, l *line) error {
			times, err := l.Int(1, 1, 10)
			if err != nil {
				return err
			}
			return r.neighbour(l, func(s *session) { s.AllowASIn = times })
		}},
		{Pattern: "neighbor ADDRESS update-source NAME", Do: func(r *reader, l *line) error {
			return r.neighbour(l, func(s *session) { s.source = l.Args[1] })
		}},
		{Pattern: "neighbor ADDRESS ebgp-multihop", Do: func(r *reader, l *line) error {
			return r.neighbour(l, func(s *session) { s.Hops = mostHops })
		}},
		{Pattern: "neighbor ADDRESS ebgp-multihop N", Do: func(r *reader, l *line) error {
			n, err := l.Int(1, 1, mostHops)
			if err != nil {
				return err
			}
			return r.neighbour(l, func(s *session) { s.Hops = n })
		}},
		{Pattern: "neighbor ADDRESS route-reflector-client", Do: func(r *reader, l *line) error {
			return r.neighbour(l, func(s *session) { s.Client = true })
		}},
		{Pattern: "neighbor ADDRESS shutdown", Do: func(r *reader, l *line) error {
			return r.neighbour(l, func(s *session) { s.Down = true })
		}},
	}
)

// mostHops is how far a session outside the AS may go where nothing is said.
const mostHops = 255

// knownInBGP are commands of BGP that change none of what is read of it.
var knownInBGP = []string{"bgp", "no bgp", "neighbor NAME send-community", "neighbor NAME maximum-routes",
	"neighbor NAME password",
	"neighbor NAME route-map", "neighbor NAME next-hop-self", "neighbor NAME next-hop-unchanged",
	"neighbor NAME timers",
	"neighbor NAME rib-in", "neighbor NAME remove-private-as", "neighbor NAME weight",
	"neighbor NAME default-originate",
	"neighbor NAME as-path", "neighbor NAME ttl", "neighbor NAME prefix-list", "neighbor NAME rcf",
	"neighbor NAME local-as",
	"neighbor NAME idle-restart-timer", "neighbor NAME transport", "neighbor NAME shared-secret",
	"neighbor NAME session",
	"neighbor NAME auto-local-addr", "neighbor NAME passive", "neighbor NAME link-bandwidth",
	"neighbor NAME missing-policy",
	"neighbor NAME additional-paths", "neighbor NAME out-delay", "neighbor NAME graceful-restart",
	"neighbor NAME dont-capability-negotiate",
	"neighbor NAME metric-out", "neighbor NAME export-localpref", "neighbor NAME import-localpref",
	"neighbor NAME enforce-first-as",
	"neighbor NAME maximum-accepted-routes", "neighbor NAME monitoring", "neighbor NAME soft-reconfiguration",
	"neighbor NAME next-hop-peer",
	"neighbor default", "no neighbor NAME", "distance", "graceful-restart", "graceful-restart-helper", "update",
	"redistribute", "rd",
	"route-target", "vrf", "address-family ipv4 multicast", "address-family ipv4 labeled-unicast",
	"address-family ipv6 labeled-unicast",
	"address-family ipv4 sr-te", "address-family ipv6 sr-te", "address-family vpn-ipv4",
	"address-family vpn-ipv6", "address-family rt-membership",
	"address-family link-state", "address-family path-selection", "address-family flow-spec",
	"address-family ipv6 multicast",
	"monitoring", "shutdown", "default", "convergence", "timers", "ucmp", "vpws", "session tracker",
	"no redistribute", "dynamic"}

func mention(r *reader, l *line) error { return r.neighbour(l, func(*session) {}) }

func grouped(r *reader, l *line) error {
	return r.neighbour(l, func(s *session) { s.group = l.Args[1] })
}

func watched(r *reader, l *line) error {
	return r.neighbour(l, func(s *session) {
		if s.BFD == nil {
			s.BFD = &netconf.BFD{Interval: 300 * unit.Millisecond, Multiplier: 3}
		}
	})
}

func connected(r *reader, _ *line) error {
	r.Device.BGP.Connected = true
	return nil
}

// listen reads from where whoever comes is a neighbour.
func listen(r *reader, l *line) error {
	p, err := lines.Prefix(l.Args[0], strings.Contains(l.Args[0], ":"), false)
	if err == nil {
		r.Device.BGP.Listen = append(r.Device.BGP.Listen, p.Masked())
	}
	return err
}

func anyNetwork(r *reader, l *line) error { return r.network(l, strings.Contains(l.Args[0], ":")) }

func paths(r *reader, l *line) error {
	n, err := l.Int(0, 1, mostPaths)
	if err == nil && len(l.Args) > 1 {
		var ways int
		ways, err = l.Int(1, 1, mostPaths)
		n = min(n, max(ways, 1))
	}
	if err == nil {
		r.Device.BGP.MaximumPaths = n
		r.say(l, "paths")
	}
	return err
}

// unnumbered reads sessions between the own addresses of links: Et1-4,Et7/1.
func unnumbered(r *reader, l *line) error {
	var as uint32
	if len(l.Args) > 2 && strings.Trim(l.Args[2], "0123456789") == "" {
		var err error
		if as, err = asNumber(l, 2); err != nil {
			return err
		}
	}
	before := ""
	for part := range strings.SplitSeq(l.Args[0], ",") {
		first, last, ranged := strings.Cut(part, "-")
		if strings.Trim(first, "0123456789/") == "" {
			first = before + first
		}
		before = strings.TrimRight(first, "0123456789")
		low, err := strconv.Atoi(first[len(before):])
		high := low
		if err == nil && ranged {
			high, err = strconv.Atoi(last[strings.LastIndexAny(last, "t/")+1:])
		}
		if err != nil || high < low || high-low > 512 {
			return fmt.Errorf("%s: want interfaces such as Ethernet1-4", located.Shown(part))
		}
		for n := low; n <= high; n++ {
			i, ok := named(before + strconv.Itoa(n))
			if !ok {
				return fmt.Errorf("%s: want interfaces such as Ethernet1-4", located.Shown(part))
			}
			s := &session{Neighbour: &netconf.Neighbour{Port: i.Name, AS: as, External: as == 0}, group: l.Args[1], line: l}
			r.routing.sessions = append(r.routing.sessions, s)
			r.say(l, "neighbour %s", i.Name)
		}
	}
	return nil
}

// inFamily is the block of a family. That a neighbour carries the routes of another family than its address's is not in
// the model.
func inFamily(six bool) *block {
	return &block{Ends: []string{"exit"}, Known: append([]string{"neighbor NAME next-hop", "no neighbor NAME"},
		knownInBGP...),
		Rules: []rule{
			{Pattern: "neighbor ADDRESS activate", Do: func(r *reader, l *line) error {
				if a, err := netip.ParseAddr(l.Args[0]); err == nil && a.Is6() != six {
					return lines.ErrUnknown
				}
				return r.neighbour(l, func(s *session) { s.active[familyOf(six)] = true })
			}},
			{Pattern: "no neighbor ADDRESS activate", Do: func(r *reader, l *line) error {
				return r.neighbour(l, func(s *session) { s.silent[familyOf(six)] = true })
			}},
			{Pattern: "redistribute connected", Do: connected},
			{Pattern: "redistribute connected TEXT...", Do: connected},
			{Pattern: "network PREFIX", Do: func(r *reader, l *line) error { return r.network(l, six) }},
			{Pattern: "network PREFIX route-map NAME", Do: func(r *reader, l *line) error {
				return r.network(l,
					six)
			}},
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

func asNumber(l *line, arg int) (uint32, error) { return lines.AS(l.Args[arg]) }

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
	if n, err := strconv.Atoi(strings.TrimPrefix(name, "Loopback")); err == nil && n >= 0 &&
		name == "Loopback"+strconv.Itoa(n) {
		return netconf.Interface{Name: name, Kind: netconf.Loopback}, true
	}
	text, ok := strings.CutPrefix(name, "Vlan")
	id, err := strconv.Atoi(text)
	return netconf.Interface{Name: name, Kind: netconf.SVI, VLAN: id},
		ok && err == nil && id >= 1 && id <= mostVLAN && text == strconv.Itoa(id)
}
