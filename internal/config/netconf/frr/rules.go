package frr

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

type (
	rule  = lines.Rule[*reader]
	block = lines.Block[*reader]
)

// The blocks of frr.conf.
var (
	top = &block{Known: knownAtTop, Rules: []rule{
		{Pattern: "frr version TEXT..."},
		{Pattern: "exit"},
		{Pattern: "ip route PREFIX TEXT...", Do: static},
		{Pattern: "ipv6 route PREFIX TEXT...", Do: static},
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
		{Pattern: "interface NAME", Enter: inInterface, Do: startInterface},
		{Pattern: "int NAME", Enter: inInterface, Do: startInterface},
		{Pattern: "interface NAME vrf VRF", Enter: inInterface, Do: func(r *reader, l *lines.Line) error {
			if r.at = r.port(l.Args[0], l); r.at == nil {
				r.at = &netconf.Interface{}
				return errf("%s: not the name of an interface", located.Shown(l.Args[0]))
			}
			r.at.VRF = l.Args[1]
			return nil
		}},
		{Pattern: "router bgp AS", Enter: inBGP, Do: startBGP},
		{Pattern: "bfd", Enter: inBFD},
	}}
	inInterface = &block{Ends: []string{"exit"}, OfPort: true, Known: knownOnInterface, Rules: []rule{
		{Pattern: "description TEXT...", Do: func(r *reader, l *lines.Line) error {
			r.at.Description = strings.Join(strings.Fields(l.Args[0]), " ")
			return nil
		}},
		{Pattern: "shutdown", Do: func(r *reader, _ *lines.Line) error { r.at.Down = true; return nil }},
		{Pattern: "ip address PREFIX", Do: func(r *reader, l *lines.Line) error { return r.addressed(l, false) }},
		{Pattern: "ipv6 address PREFIX", Do: func(r *reader, l *lines.Line) error { return r.addressed(l, true) }},
	}}
	inBGP = &block{Ends: []string{"exit"}, Known: knownInBGP, Rules: slices.Concat([]rule{
		{Pattern: "bgp router-id ADDRESS", Do: func(r *reader, l *lines.Line) (err error) {
			r.d.BGP.RouterID, err = lines.Address4(l.Args[0])
			return err
		}},
		{Pattern: "no bgp default ipv4-unicast", Do: func(r *reader,
			_ *lines.Line) error {
			r.silent4 = true
			return nil
		}},
		{Pattern: "no bgp ebgp-requires-policy", Do: func(r *reader,
			_ *lines.Line) error {
			r.noPolicy = true
			return nil
		}},
		{Pattern: "bgp bestpath as-path multipath-relax", Do: relax},
		{Pattern: "bgp bestpath as-path multipath-relax no-as-set", Do: relax},
		{Pattern: "maximum-paths N", Do: func(r *reader, l *lines.Line) error {
			n, err := lines.Whole(l.Args[0], 1, mostPathsBuilt)
			r.paths[0] = int(n)
			r.say(l, "paths")
			return err
		}},
		{Pattern: "timers bgp KEEPALIVE HOLD", Do: setTimers},
		{Pattern: "neighbor ADDRESS remote-as AS", Do: func(r *reader, l *lines.Line) error {
			var err error
			if out := r.neighbour(l, func(n *peer) { err = n.remote(l.Args[1]) }); out != nil {
				return out
			}
			return err
		}},
		{Pattern: "neighbor ADDRESS description TEXT...", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l, func(n *peer) { n.Description = strings.Join(strings.Fields(l.Args[1]), " ") })
		}},
		{Pattern: "neighbor ADDRESS ebgp-multihop", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l, func(n *peer) { n.Hops = mostHops })
		}},
		{Pattern: "neighbor ADDRESS ebgp-multihop N", Do: func(r *reader, l *lines.Line) error {
			hops, err := lines.Whole(l.Args[1], 2, mostHops)
			if err != nil {
				return err
			}
			return r.neighbour(l, func(n *peer) { n.Hops = int(hops) })
		}},
		{Pattern: "neighbor ADDRESS disable-connected-check", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l, func(*peer) {}) // it changes no session that comes up
		}},
		{Pattern: "neighbor ADDRESS update-source ADDRESS", Do: func(r *reader, l *lines.Line) error {
			from, err := lines.Address(l.Args[1])
			if err != nil && !strings.ContainsAny(l.Args[1], ".:") {
				return r.neighbour(l, func(n *peer) { n.source = l.Args[1] })
			}
			if err != nil {
				return err
			}
			return r.neighbour(l, func(n *peer) { n.Source = from })
		}},
		{Pattern: "neighbor ADDRESS bfd", Do: func(r *reader, l *lines.Line) error { return r.watched(l, "") }},
		{Pattern: "neighbor ADDRESS bfd profile NAME", Do: func(r *reader, l *lines.Line) error {
			return r.watched(l, l.Args[1])
		}},
		{Pattern: "no neighbor ADDRESS bfd", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l, func(n *peer) { n.watched = false })
		}},
		{Pattern: "neighbor ADDRESS bfd MULTIPLIER RX TX", Do: func(r *reader,
			l *lines.Line) error {
			return r.watched(l, "")
		}},
		{Pattern: "neighbor ADDRESS shutdown", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l, func(n *peer) { n.Down = true })
		}},
		{Pattern: "neighbor NAME peer-group", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l,
				func(*peer) {})
		}},
		{Pattern: "neighbor ADDRESS peer-group NAME", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l, func(n *peer) { n.group = l.Args[1] })
		}},
		{Pattern: "neighbor NAME interface", Do: func(r *reader, l *lines.Line) error {
			return behind(r, l,
				func(*peer) {})
		}},
		{Pattern: "neighbor NAME interface v6only", Do: func(r *reader, l *lines.Line) error {
			return behind(r,
				l, func(*peer) {})
		}},
		{Pattern: "neighbor NAME interface peer-group GROUP", Do: behindGroup},
		{Pattern: "neighbor NAME interface v6only peer-group GROUP", Do: behindGroup},
		{Pattern: "neighbor NAME interface remote-as AS", Do: behindAS},
		{Pattern: "neighbor NAME interface v6only remote-as AS", Do: behindAS},
		{Pattern: "bgp listen range PREFIX peer-group NAME", Do: func(r *reader, l *lines.Line) error {
			p, err := lines.Prefix(l.Args[0], strings.Contains(l.Args[0], ":"), false)
			if err == nil {
				r.d.BGP.Listen = append(r.d.BGP.Listen, p.Masked())
			}
			r.listens[l.Args[1]] = true
			return err
		}},
		{Pattern: "address-family ipv4", Enter: carries(false)},
		{Pattern: "address-family ipv6", Enter: carries(true)},
		{Pattern: "address-family ipv4 unicast", Enter: carries(false)},
		{Pattern: "address-family ipv6 unicast", Enter: carries(true)},
		{Pattern: "address-family l2vpn evpn", Enter: inEVPN},
		{Pattern: "address-family ipv4 SAFI", Enter: otherFamily},
		{Pattern: "address-family ipv6 SAFI", Enter: otherFamily},
		{Pattern: "address-family link-state link-state", Enter: otherFamily},
	}, policed, carries(false).Rules)}
	inBFD = &block{Ends: []string{"exit"}, Known: []string{"peer"}, Rules: []rule{
		{Pattern: "profile NAME", Enter: inProfile, Do: func(r *reader, l *lines.Line) error {
			r.profile = &netconf.BFD{Interval: 300 * unit.Millisecond, Multiplier: 3} // FRR's defaults
			r.profiles[l.Args[0]], r.profileLines[l.Args[0]] = r.profile, l
			return nil
		}},
	}}
	inProfile = &block{Ends: []string{"exit"}, Known: []string{"echo", "no echo", "passive-mode", "minimum-ttl",
		"log-session", "shutdown",
		"no shutdown", "no passive-mode", "no log-session"}, Rules: []rule{
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

func behindGroup(r *reader, l *lines.Line) error {
	return behind(r, l, func(n *peer) { n.group = l.Args[1] })
}

func behindAS(r *reader, l *lines.Line) error {
	var err error
	if out := behind(r, l, func(n *peer) { err = n.remote(l.Args[1]) }); out != nil {
		return out
	}
	return err
}

// startInterface begins the block of one.
func startInterface(r *reader, l *lines.Line) error {
	if r.at = r.port(l.Args[0], l); r.at == nil {
		r.at = &netconf.Interface{} // so that its lines are read
		return errf("%s: not the name of an interface", located.Shown(l.Args[0]))
	}
	return nil
}

// carries is the block of what sessions of a family carry.
func carries(six bool) *block {
	k := 0
	if six {
		k = 1
	}
	return &block{Ends: []string{"exit-address-family", "exit"}, Known: knownInFamily, Rules: append([]rule{
		{Pattern: "network PREFIX", Do: func(r *reader, l *lines.Line) error { return network(r, l, six) }},
		{Pattern: "aggregate-address PREFIX", Do: func(r *reader, l *lines.Line) error {
			return r.aggregate(l,
				six, false)
		}},
		{Pattern: "aggregate-address PREFIX summary-only", Do: func(r *reader, l *lines.Line) error {
			return r.aggregate(l, six, true)
		}},
		{Pattern: "neighbor ADDRESS activate", Do: func(r *reader, l *lines.Line) error {
			if err := foreign(l, six); err != nil && !six {
				return lines.ErrKnown // IPv4 over IPv6: RFC 5549
			} else if err != nil {
				return err
			}
			return r.neighbour(l, func(n *peer) { n.active[k] = true })
		}},
		{Pattern: "no neighbor ADDRESS activate", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l, func(n *peer) { n.silent[k] = true })
		}},
		{Pattern: "redistribute connected", Do: connected},
		{Pattern: "redistribute connected TEXT...", Do: connected},
		{Pattern: "network PREFIX route-map NAME", Do: func(r *reader, l *lines.Line) error {
			return network(r,
				l, six)
		}},
		{Pattern: "neighbor ADDRESS allowas-in", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l, func(n *peer) { n.AllowASIn = 3 }) // FRR's default
		}},
		{Pattern: "neighbor ADDRESS allowas-in N", Do: func(r *reader, l *lines.Line) error {
			return allowASIn(r,
				l)
		}},
		{Pattern: "neighbor ADDRESS route-reflector-client", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l, func(n *peer) { n.Client = true })
		}},
		{Pattern: "neighbor ADDRESS next-hop-self force", Do: func(r *reader, l *lines.Line) error {
			return r.neighbour(l, func(n *peer) { n.NextHopSelf = true })
		}},
		{Pattern: "maximum-paths ibgp N equal-cluster-length", Do: func(r *reader, l *lines.Line) error {
			n, err := lines.Whole(l.Args[0], 1, mostPathsBuilt)
			r.inner[k] = int(n)
			return err
		}},
		{Pattern: "maximum-paths N", Do: func(r *reader, l *lines.Line) error {
			n, err := lines.Whole(l.Args[0], 1, mostPathsBuilt)
			r.paths[k] = int(n)
			r.say(l, "paths")
			return err
		}},
	}, policed...)}
}

func network(r *reader, l *lines.Line, six bool) error {
	p, err := lines.Prefix(l.Args[0], six, false)
	if p = p.Masked(); err == nil { // as bgpd does
		r.d.BGP.Networks = append(r.d.BGP.Networks, p)
		r.say(l, "network "+p.String())
	}
	return err
}

func connected(r *reader, _ *lines.Line) error {
	r.d.BGP.Connected = true
	return nil
}

// allowASIn takes paths from a neighbour with the own AS in them so often.
func allowASIn(r *reader, l *lines.Line) error {
	times, err := lines.Whole(l.Args[1], 1, 10)
	if err != nil {
		return err
	}
	return r.neighbour(l, func(n *peer) { n.AllowASIn = int(times) })
}

func relax(r *reader, _ *lines.Line) error {
	r.d.BGP.Relax = true
	return nil
}

// static notes where a static route leads.
func static(r *reader, l *lines.Line) error {
	if p, err := lines.Prefix(l.Args[0], strings.Contains(l.Args[0], ":"), false); err == nil {
		r.Routes = append(r.Routes, p.Masked())
	}
	return nil
}

func startBGP(r *reader, l *lines.Line) error {
	as, err := lines.AS(l.Args[0])
	switch {
	case r.d.BGP == nil:
		r.d.BGP = &netconf.BGP{AS: as}
		r.say(l, "bgp")
	case err == nil && r.d.BGP.AS != as:
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
	if p, err := netip.ParsePrefix(l.Args[0]); err == nil && p.Addr().Is4In6() {
		return lines.ErrKnown // of no link: such as BFD's tests have it
	}
	p, err := lines.Prefix(l.Args[0], six, false)
	if err == nil {
		r.at.Addresses = append(r.at.Addresses, p)
		r.say(l, fmt.Sprintf("interface %s address %v", r.at.Name, p))
	}
	return err
}

// neighbour changes one, or a group of some, by its first argument.
func (r *reader) neighbour(l *lines.Line, change func(*peer)) error {
	name := l.Args[0]
	a, err := lines.Address(name)
	if err != nil && strings.ContainsAny(name, ".:/") && strings.Trim(name, "0123456789abcdef.:/") == "" {
		return err // an address that is none
	}
	if err == nil {
		name = a.String()
	}
	n := r.neighbours[name]
	if n == nil {
		n = &peer{Neighbour: &netconf.Neighbour{Address: a}, name: name, isGroup: err != nil, line: l}
		r.neighbours[name] = n
		r.sessions = append(r.sessions, n)
		if err == nil {
			r.say(l, "neighbour "+name)
		}
	}
	change(n)
	return nil
}

// foreign refuses a family that is not that of an address.
func foreign(l *lines.Line, six bool) error {
	if a, err := lines.Address(l.Args[0]); err == nil && a.Is6() != six {
		return errf("neighbour %v in the address family of others: it would carry routes of another family", a)
	}
	return nil
}

// behind makes a neighbour one of an interface, between the link's own addresses (RFC 5549).
func behind(r *reader, l *lines.Line, change func(*peer)) error {
	i := r.port(l.Args[0], nil)
	if i == nil {
		return errf("%s: not the name of an interface", located.Shown(l.Args[0]))
	}
	port := i.Name
	if len(i.Addresses) == 0 && i.Description == "" {
		r.say(l, "interface "+port)
	}
	return r.neighbour(l, func(n *peer) {
		n.isGroup, n.Port = false, port
		r.say(l, "neighbour "+port)
		change(n)
	})
}

// remote reads what AS a neighbour is of.
func (n *peer) remote(text string) error {
	switch text {
	case "external":
		n.External = true
		return nil
	case "internal":
		n.Internal = true
		return nil
	case "auto":
		n.auto = true
		return nil
	}
	as, err := lines.AS(text)
	n.AS = as
	return err
}

// watched turns BFD on for a neighbour, with the parameters of a profile; "": FRR's.
func (r *reader) watched(l *lines.Line, profile string) error {
	return r.neighbour(l, func(n *peer) {
		n.watched = true
		if n.profile == "" {
			n.profile = profile
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
