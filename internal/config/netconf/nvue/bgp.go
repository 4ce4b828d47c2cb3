package nvue

import (
	"cmp"
	"net/netip"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

// A peer is a neighbour of BGP, or a group of some.
type peer struct {
	netconf.Neighbour
	name    string
	isGroup bool
	group   string
	line    *line
	source  string
	// What it says: that it is watched by BFD, carries EVPN and IPv4, and is up; nil: nothing.
	watched, evpn, unicast, up *bool
}

// bgp is that of the device, made where it is not there.
func (r *reader) bgp(l *line) *netconf.BGP {
	if r.Device.BGP == nil {
		r.Device.BGP = &netconf.BGP{MaximumPaths: 64, Relax: true, Keepalive: 3 * unit.Second, Hold: 9 * unit.Second}
		r.say(l, "bgp")
	}
	return r.Device.BGP
}

// setBGP reads a line of BGP: of the device or of the default VRF.
func setBGP(r *reader, l *line) error {
	words := strings.Fields(l.Args[len(l.Args)-1])
	b := r.bgp(l)
	switch {
	case len(words) == 2 && words[0] == "autonomous-system":
		if words[1] == "leaf" || words[1] == "spine" { // made of the MAC address
			return nil
		}
		as, err := lines.AS(words[1])
		b.AS = as
		return err
	case len(words) == 2 && words[0] == "router-id":
		id, err := lines.Address4(words[1])
		if err == nil {
			b.RouterID = id
		}
		return err
	case words[0] == "state" || words[0] == "enable":
		if yes, ok := on(words); ok && !yes {
			return lines.ErrUnknown
		}
		return nil
	case words[0] == "neighbor" && len(words) > 1, words[0] == "peer-group" && len(words) > 1:
		return r.peerLine(l, words)
	case len(words) == 5 && words[0] == "address-family" && words[2] == "multipaths" && words[3] == "ebgp":
		n, err := whole(words[4], 1, 256)
		if err == nil {
			b.MaximumPaths = n
			r.say(l, "paths")
		}
		return err
	case len(words) == 4 && words[0] == "address-family" && words[2] == "network", len(words) > 4 &&
		words[0] == "address-family" &&
		words[2] == "network" && words[4] == "route-map":
		p, err := lines.Prefix(words[3], strings.Contains(words[3], ":"), true)
		if err == nil {
			b.Networks = append(b.Networks, p)
			r.say(l, "network %v", p)
		}
		return err
	case len(words) >= 4 && words[0] == "address-family" && words[2] == "redistribute" && words[3] == "connected":
		b.Connected = true
		return nil
	case len(words) >= 4 && words[0] == "address-family" && words[2] == "aggregate-route":
		p, err := lines.Prefix(words[3], strings.Contains(words[3], ":"), true)
		if err == nil {
			b.Aggregates = append(b.Aggregates, netconf.Aggregate{Prefix: p,
				SummaryOnly: strings.Contains(l.Args[0], "summary-only")})
			r.say(l, "aggregate %v", p)
		}
		return err
	case words[0] == "path-selection" && strings.Contains(l.Args[0], "aspath-ignore"):
		yes, _ := on(words[len(words)-2:])
		b.Relax = yes || strings.HasSuffix(l.Args[0], " on") || strings.HasSuffix(l.Args[0], " enabled")
		return nil
	case known(words[0], "address-family", "path-selection", "graceful-restart", "timers", "convergence-wait",
		"dynamic-neighbor", "confederation",
		"route-reflection", "rd", "wait-for-install", "optimize", "route-import", "route-export",
		"policy-update-timer", "graceful-shutdown",
		"queue-limit", "nexthop", "nexthop-tracking", "bestpath", "srv6", "label", "update-source", "rpki", "soo", "suppress-fib-pending"):
		return lines.ErrKnown
	}
	return lines.ErrUnknown
}

func known(word string, all ...string) bool {
	for _, w := range all {
		if w == word {
			return true
		}
	}
	return false
}

// peerLine reads neighbor X ... and peer-group X ...
func (r *reader) peerLine(l *line, words []string) error {
	names := []string{words[1]}
	group := words[0] == "peer-group"
	if !group {
		var err error
		if names, err = expand(words[1]); err != nil {
			return err
		}
	}
	for _, name := range names {
		p, err := r.peerOf(l, name, group)
		if err == nil {
			err = p.set(words[2:])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) peerOf(l *line, name string, group bool) (*peer, error) {
	key := name
	if group {
		key = "group " + name
	}
	p := r.peers[key]
	if p != nil {
		return p, nil
	}
	p = &peer{name: name, isGroup: group, line: l}
	if !group {
		a, err := netip.ParseAddr(name)
		i, ok := named(name)
		switch {
		case err == nil:
			p.Address = a
		case ok:
			p.Port = i.Name
		case strings.Trim(name, "0123456789.:") == "":
			_, err := lines.Address(name)
			return nil, err
		default:
			p.Port = name // a bond, or the link to a peer
		}
		r.say(l, "neighbour %s", p.Name())
	}
	r.peers[key] = p
	r.order = append(r.order, p)
	return p, nil
}

// set reads an attribute of a neighbour.
func (p *peer) set(words []string) error {
	if len(words) == 0 {
		return nil
	}
	switch last := words[len(words)-1]; {
	case len(words) == 2 && words[0] == "remote-as":
		switch last {
		case "external":
			p.External = true
		case "internal":
			p.Internal = true
		default:
			as, err := lines.AS(last)
			p.AS = as
			return err
		}
	case len(words) == 2 && words[0] == "peer-group":
		p.group = last
	case len(words) == 2 && words[0] == "type":
	case len(words) > 1 && words[0] == "description":
		p.Description = strings.Trim(strings.Join(words[1:], " "), `'"`)
	case words[0] == "bfd":
		if yes, ok := on(words[1:]); ok {
			p.watched = &yes
		} else if words[1] != "profile" {
			return lines.ErrKnown
		}
	case words[0] == "enable" || words[0] == "state" || words[0] == "shutdown":
		yes, ok := on(words)
		if !ok && words[0] == "shutdown" {
			yes, ok = on(words[1:])
		}
		if !ok {
			return lines.ErrUnknown
		}
		if words[0] == "shutdown" {
			yes = last != "on" && last != "enabled"
		}
		p.up = &yes
	case len(words) == 2 && words[0] == "update-source":
		p.source = last
	case len(words) == 2 && words[0] == "multihop-ttl":
		n, err := whole(last, 1, 255)
		p.Hops = n
		return err
	case len(words) >= 2 && words[0] == "address-family":
		yes, ok := on(words[2:])
		switch {
		case !ok:
			return lines.ErrKnown
		case words[1] == "l2vpn-evpn":
			p.evpn = &yes
		case words[1] == "ipv4-unicast":
			p.unicast = &yes
		}
	case known(words[0], "password", "timers", "capabilities", "local-as", "nexthop-connected-check",
		"passive-mode", "ttl-security",
		"graceful-restart-mode", "graceful-restart", "capability", "nexthop", "srv6", "ttl", "enforce-first-as", "graceful-shutdown"):
		return lines.ErrKnown
	default:
		return lines.ErrUnknown
	}
	return nil
}

// finishRouting puts sessions in.
func (r *reader) finishRouting() {
	d := r.Device
	if d.BGP == nil {
		return
	}
	for _, p := range r.order {
		if p.isGroup {
			continue
		}
		at := netconf.Place{File: p.line.File, Line: int(p.line.Number)}
		if p.group != "" {
			g := r.peers["group "+p.group]
			if g == nil {
				r.Missing(netconf.AboutRouting, at, "", "neighbour %s: no peer group %s", p.Name(),
					located.Shown(p.group))
				continue
			}
			p.AS, p.Hops, p.source = cmp.Or(p.AS, g.AS), cmp.Or(p.Hops, g.Hops), cmp.Or(p.source, g.source)
			p.watched, p.evpn = cmp.Or(p.watched, g.watched), cmp.Or(p.evpn, g.evpn)
			p.unicast, p.up = cmp.Or(p.unicast, g.unicast), cmp.Or(p.up, g.up)
			if p.AS == 0 && !p.External && !p.Internal {
				p.External, p.Internal = g.External, g.Internal
			}
		}
		if p.AS == 0 && !p.External && !p.Internal {
			r.Missing(netconf.AboutRouting, at, "", "neighbour %s: no remote-as", p.Name())
		}
		if p.watched != nil && *p.watched {
			p.BFD = &netconf.BFD{Interval: 300 * unit.Millisecond, Multiplier: 3}
		}
		if p.source != "" {
			if i, ok := named(p.source); ok && d.Port(i.Name) != nil {
				for _, a := range d.Port(i.Name).Addresses {
					if a.Addr().Is6() == p.Address.Is6() {
						p.Source = a.Addr()
					}
				}
			} else if a, err := netip.ParseAddr(p.source); err == nil {
				p.Source = a
			}
		}
		p.Down = p.up != nil && !*p.up
		alone := p.unicast != nil && !*p.unicast
		p.EVPN = p.evpn != nil && *p.evpn && (alone || p.Source.IsValid() || p.Hops > 1)
		d.BGP.Neighbours = append(d.BGP.Neighbours, p.Neighbour)
	}
}
