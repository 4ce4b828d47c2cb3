package frr

import (
	"strings"

	"railyard/internal/located"
	"railyard/internal/netconf"
	"railyard/internal/netconf/lines"
	"railyard/internal/unit"
)

type (
	rule  = lines.Rule[*reader]
	block = lines.Block[*reader]
)

// The blocks of frr.conf.
var (
	top = &block{Rules: []rule{
		{Pattern: "frr version VERSION"},
		{Pattern: "frr defaults PROFILE", Do: func(r *reader, l *lines.Line) error {
			switch l.Args[0] {
			case "datacenter":
			case "traditional":
				r.traditional = true
			default:
				return errf("%s: want datacenter or traditional", located.Shown(l.Args[0]))
			}
			return nil
		}},
		{Pattern: "hostname NAME", Do: func(r *reader, l *lines.Line) error {
			r.d.Name = l.Args[0]
			r.say(l, "hostname")
			return nil
		}},
		{Pattern: "service integrated-vtysh-config"},
		{Pattern: "ip forwarding"},
		{Pattern: "ipv6 forwarding"},
		{Pattern: "log syslog LEVEL"},
		{Pattern: "line vty"},
		{Pattern: "end"},
		{Pattern: "interface NAME", Enter: inInterface, Do: func(r *reader, l *lines.Line) error {
			if r.at = r.port(l.Args[0], l); r.at == nil {
				r.at = &netconf.Interface{} // so that its lines are read
				return errf("%s: not the name of a port, an SVI or the loopback, want swp1, swp1s0, vlan101 or lo",
					located.Shown(l.Args[0]))
			}
			return nil
		}},
		{Pattern: "router bgp AS", Enter: inBGP, Do: startBGP},
		{Pattern: "bfd", Enter: inBFD},
	}}
	inInterface = &block{Ends: []string{"exit"}, Rules: []rule{
		{Pattern: "description TEXT...", Do: func(r *reader, l *lines.Line) error {
			r.at.Description = strings.Join(strings.Fields(l.Args[0]), " ")
			return nil
		}},
		{Pattern: "ip address PREFIX", Do: func(r *reader, l *lines.Line) error { return r.addressed(l, false) }},
		{Pattern: "ipv6 address PREFIX", Do: func(r *reader, l *lines.Line) error { return r.addressed(l, true) }},
	}}
	inBGP = &block{Ends: []string{"exit"}, Rules: []rule{
		{Pattern: "bgp router-id ADDRESS", Do: func(r *reader, l *lines.Line) (err error) {
			r.d.BGP.RouterID, err = lines.Address4(l.Args[0])
			return err
		}},
		{Pattern: "no bgp default ipv4-unicast", Do: func(r *reader, _ *lines.Line) error { r.silent4 = true; return nil }},
		{Pattern: "no bgp ebgp-requires-policy", Do: func(r *reader, _ *lines.Line) error { r.noPolicy = true; return nil }},
		{Pattern: "bgp bestpath as-path multipath-relax", Do: func(r *reader, _ *lines.Line) error {
			r.d.BGP.Relax = true
			return nil
		}},
		{Pattern: "timers bgp KEEPALIVE HOLD", Do: setTimers},
		{Pattern: "neighbor ADDRESS remote-as AS", Do: func(r *reader, l *lines.Line) error {
			as, err := lines.Whole(l.Args[1], 1, lines.MostAS)
			if err != nil {
				return err
			}
			return r.neighbour(l, func(n *netconf.Neighbour) { n.AS = uint32(as) })
		}},
		{Pattern: "neighbor ADDRESS description TEXT...", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l, func(n *netconf.Neighbour) { n.Description = strings.Join(strings.Fields(l.Args[1]), " ") })
		}},
		{Pattern: "neighbor ADDRESS ebgp-multihop", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l, func(n *netconf.Neighbour) { n.Hops = mostHops })
		}},
		{Pattern: "neighbor ADDRESS ebgp-multihop N", Do: func(r *reader, l *lines.Line) error {
			hops, err := lines.Whole(l.Args[1], 2, mostHops)
			if err != nil {
				return err
			}
			return r.neighbour(l, func(n *netconf.Neighbour) { n.Hops = int(hops) })
		}},
		{Pattern: "neighbor ADDRESS disable-connected-check", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l, func(*netconf.Neighbour) {}) // it changes no session that comes up
		}},
		{Pattern: "neighbor ADDRESS update-source ADDRESS", Do: func(r *reader, l *lines.Line) error {
			from, err := lines.Address(l.Args[1])
			if err != nil {
				return err
			}
			return r.neighbour(l, func(n *netconf.Neighbour) { n.Source = from })
		}},
		{Pattern: "neighbor ADDRESS bfd", Do: func(r *reader, l *lines.Line) error { return r.watched(l, "") }},
		{Pattern: "neighbor ADDRESS bfd profile NAME", Do: func(r *reader, l *lines.Line) error {
			return r.watched(l, l.Args[1])
		}},
		{Pattern: "address-family ipv4 unicast", Enter: carries(false)},
		{Pattern: "address-family ipv6 unicast", Enter: carries(true)},
		{Pattern: "address-family l2vpn evpn", Enter: inEVPN},
	}}
	inBFD = &block{Ends: []string{"exit"}, Rules: []rule{
		{Pattern: "profile NAME", Enter: inProfile, Do: func(r *reader, l *lines.Line) error {
			r.profile = &netconf.BFD{Interval: 300 * unit.Millisecond, Multiplier: 3} // FRR's defaults
			r.profiles[l.Args[0]] = r.profile
			return nil
		}},
	}}
	inProfile = &block{Ends: []string{"exit"}, Rules: []rule{
		{Pattern: "detect-multiplier N", Do: func(r *reader, l *lines.Line) error {
			n, err := lines.Whole(l.Args[0], 2, 255)
			r.profile.Multiplier = int(n)
			return err
		}},
		{Pattern: "receive-interval MS", Do: setInterval},
		{Pattern: "transmit-interval MS", Do: setInterval},
	}}
	daemons = &block{Rules: []rule{
		{Pattern: "bgpd=yes"}, {Pattern: "bfdd=yes"}, {Pattern: "zebra=yes"}, {Pattern: "staticd=yes"},
	}}
)

// carries is the block of what sessions of a family carry.
func carries(six bool) *block {
	k := 0
	if six {
		k = 1
	}
	return &block{Ends: []string{"exit-address-family", "exit"}, Rules: []rule{
		{Pattern: "network PREFIX", Do: func(r *reader, l *lines.Line) error {
			p, err := lines.Prefix(l.Args[0], six, true)
			if err == nil {
				r.d.BGP.Networks = append(r.d.BGP.Networks, p)
				r.say(l, "network "+p.String())
			}
			return err
		}},
		{Pattern: "aggregate-address PREFIX", Do: func(r *reader, l *lines.Line) error { return r.aggregate(l, six, false) }},
		{Pattern: "aggregate-address PREFIX summary-only", Do: func(r *reader, l *lines.Line) error {
			return r.aggregate(l, six, true)
		}},
		{Pattern: "neighbor ADDRESS activate", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l, func(n *netconf.Neighbour) { r.active[n.Address] = true }, six)
		}},
		{Pattern: "neighbor ADDRESS allowas-in", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l, func(n *netconf.Neighbour) { n.AllowASIn = 3 }, six) // FRR's default
		}},
		{Pattern: "neighbor ADDRESS allowas-in N", Do: func(r *reader, l *lines.Line) error { return allowASIn(r, l, six) }},
		{Pattern: "neighbor ADDRESS route-reflector-client", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l, func(n *netconf.Neighbour) { n.Client = true }, six)
		}},
		{Pattern: "neighbor ADDRESS next-hop-self force", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l, func(n *netconf.Neighbour) { n.NextHopSelf = true }, six)
		}},
		{Pattern: "maximum-paths ibgp N equal-cluster-length", Do: func(r *reader, l *lines.Line) error {
			n, err := lines.Whole(l.Args[0], 1, MostPaths)
			r.inner[k] = int(n)
			return err
		}},
		{Pattern: "maximum-paths N", Do: func(r *reader, l *lines.Line) error {
			n, err := lines.Whole(l.Args[0], 1, MostPaths)
			r.paths[k] = int(n)
			return err
		}},
	}}
}

// allowASIn takes paths from a neighbour with the own AS in them so often.
func allowASIn(r *reader, l *lines.Line, six ...bool) error {
	times, err := lines.Whole(l.Args[1], 1, 10)
	if err != nil {
		return err
	}
	return r.neighbour(l, func(n *netconf.Neighbour) { n.AllowASIn = int(times) }, six...)
}

func startBGP(r *reader, l *lines.Line) error {
	as, err := lines.Whole(l.Args[0], 1, lines.MostAS)
	switch {
	case r.d.BGP == nil:
		r.d.BGP = &netconf.BGP{AS: uint32(as)}
		r.say(l, "bgp")
	case err == nil && r.d.BGP.AS != uint32(as):
		return errf("%d: a second BGP beside AS %d, want one", as, r.d.BGP.AS)
	}
	return err
}

func setTimers(r *reader, l *lines.Line) error {
	keep, err := lines.Whole(l.Args[0], 1, 65535)
	if err != nil {
		return err
	}
	hold, err := lines.Whole(l.Args[1], 3, 65535)
	if err != nil {
		return err
	}
	r.timers = true
	r.d.BGP.Keepalive, r.d.BGP.Hold = unit.Duration(keep)*unit.Second, unit.Duration(hold)*unit.Second
	return nil
}

// setInterval takes both directions' intervals for one: the longer counts (RFC 5880, section 6.8.4).
func setInterval(r *reader, l *lines.Line) error {
	ms, err := lines.Whole(l.Args[0], 10, 60000)
	if err != nil {
		return err
	}
	given := unit.Duration(ms) * unit.Millisecond
	if r.profileSet == r.profile {
		given = max(given, r.profile.Interval)
	}
	r.profileSet, r.profile.Interval = r.profile, given
	return nil
}

// addressed adds an address to the interface that is read.
func (r *reader) addressed(l *lines.Line, six bool) error {
	p, err := lines.Prefix(l.Args[0], six, false)
	if err == nil {
		r.at.Addresses = append(r.at.Addresses, p)
	}
	return err
}

// neighbour changes one, by its first argument; a family says that it must be of that.
func (r *reader) neighbour(l *lines.Line, change func(*netconf.Neighbour), six ...bool) error {
	a, err := lines.Address(l.Args[0])
	if err != nil {
		return err
	}
	if len(six) > 0 && a.Is6() != six[0] {
		return errf("neighbour %v in the address family of others: it would carry routes of another family", a)
	}
	n := r.neighbours[a]
	if n == nil {
		n = &netconf.Neighbour{Address: a}
		r.neighbours[a] = n
		r.sessions = append(r.sessions, a)
		r.say(l, "neighbour "+a.String())
	}
	change(n)
	return nil
}

// watched turns BFD on for a neighbour, with the parameters of a profile; "": FRR's.
func (r *reader) watched(l *lines.Line, profile string) error {
	return r.neighbour(l, func(n *netconf.Neighbour) {
		if r.bfd[n.Address] == "" {
			r.bfd[n.Address] = profile
		}
	})
}

func (r *reader) aggregate(l *lines.Line, six, only bool) error {
	p, err := lines.Prefix(l.Args[0], six, true)
	if err == nil {
		r.d.BGP.Aggregates = append(r.d.BGP.Aggregates, netconf.Aggregate{Prefix: p, SummaryOnly: only})
		r.say(l, "aggregate "+p.String())
	}
	return err
}
