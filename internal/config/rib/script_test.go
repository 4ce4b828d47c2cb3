package rib_test

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/config/netconf"
	"railyard/internal/config/rib"
)

// stage is switches that are cabled and configured line by line:
//
//	switch NAME AS              its router identifier is 10.255.0.N, the N-th of the script
//	link A B                    a /31 with a session, 172.16.0.2k at A
//	network NAME PREFIX         with an interface in it
//	aggregate NAME PREFIX [summary-only]
//	reflect NAME PEER, self NAME PEER
//	allowas NAME PEER N, expect NAME PEER AS, paths NAME N, strict NAME
//	end NAME VNI...             its router identifier is a loopback, and an end of tunnels
//	evpn A B                    a session of EVPN between loopbacks
//	show NAME, tells NAME PEER, ends NAME, connected NAME, sessions NAME
type stage struct {
	scripttest.Log
	t       *testing.T
	devices []netconf.Device
	links   int
	addr    map[[2]string]netip.Addr // of the first, on the link to the second
}

func (s *stage) device(name string) *netconf.Device {
	for i := range s.devices {
		if s.devices[i].Name == name {
			return &s.devices[i]
		}
	}
	s.t.Fatalf("no switch %s", name)
	return nil
}

// peer is the neighbour of a switch that is another one.
func (s *stage) peer(name, other string) *netconf.Neighbour {
	b := s.device(name).BGP
	for i := range b.Neighbours {
		if b.Neighbours[i].Address == s.addr[[2]string{other, name}] {
			return &b.Neighbours[i]
		}
	}
	s.t.Fatalf("%s has no neighbour %s", name, other)
	return nil
}

func (s *stage) number(text string) int {
	s.t.Helper()
	return int(scripttest.Number(s.t, text))
}

func (s *stage) Do(c []string) {
	switch c[0] {
	case "switch":
		id := netip.AddrFrom4([4]byte{10, 255, 0, byte(len(s.devices) + 1)})
		s.devices = append(s.devices, netconf.Device{Name: c[1], BGP: &netconf.BGP{AS: uint32(s.number(c[2])), RouterID: id,
			MaximumPaths: 64, Relax: true}})
	case "link":
		s.link(c[1], c[2])
	case "network":
		p := netip.MustParsePrefix(c[2])
		d := s.device(c[1])
		d.Interfaces = append(d.Interfaces, netconf.Interface{Name: "Vlan" + strconv.Itoa(len(d.Interfaces)),
			Addresses: []netip.Prefix{netip.PrefixFrom(p.Addr().Next(), p.Bits())}})
		d.BGP.Networks = append(d.BGP.Networks, p)
	case "aggregate":
		b := s.device(c[1]).BGP
		b.Aggregates = append(b.Aggregates, netconf.Aggregate{Prefix: netip.MustParsePrefix(c[2]), SummaryOnly: len(c) > 3})
	case "reflect":
		s.peer(c[1], c[2]).Client = true
	case "self":
		s.peer(c[1], c[2]).NextHopSelf = true
	case "allowas":
		s.peer(c[1], c[2]).AllowASIn = s.number(c[3])
	case "expect":
		s.peer(c[1], c[2]).AS = uint32(s.number(c[3]))
	case "paths":
		s.device(c[1]).BGP.MaximumPaths = s.number(c[2])
	case "strict":
		s.device(c[1]).BGP.Relax = false
	case "end":
		s.end(c[1], c[2:])
	case "evpn":
		for k, name := range c[1:] {
			here, far := s.device(name).BGP, s.device(c[2-k]).BGP
			here.Neighbours = append(here.Neighbours, netconf.Neighbour{Address: far.RouterID, AS: far.AS, EVPN: true,
				Source: here.RouterID, Hops: 2})
		}
	case "ends":
		n, at := s.solved(c[1])
		for _, e := range n.Tables[at].Ends {
			fmt.Fprintf(s, "%v %v shared %v, %d next hops:", e.Address, e.VNIs, e.Shared, e.Hops)
			for _, p := range e.Paths {
				fmt.Fprintf(s, " %s", ases(p.ASs))
			}
			fmt.Fprintln(s)
		}
	case "show":
		s.show(c[1])
	case "sessions":
		n, at := s.solved(c[1])
		for _, x := range n.Tables[at].Sessions {
			fmt.Fprintf(s, "%v from %v on %s\n", x.Neighbour, x.Own, x.Local)
		}
	case "connected":
		n, at := s.solved(c[1])
		for _, x := range n.Tables[at].Connected {
			fmt.Fprintln(s, x.Prefix, x.Interface)
		}
	case "tells":
		s.tells(c[1], c[2])
	default:
		s.t.Fatalf("%s: no such command", c[0])
	}
}

func (s *stage) end(name string, vnis []string) {
	d := s.device(name)
	id := netip.PrefixFrom(d.BGP.RouterID, 32)
	d.Interfaces = append(d.Interfaces, netconf.Interface{Name: "Loopback0", Addresses: []netip.Prefix{id}})
	d.BGP.Networks = append(d.BGP.Networks, id)
	for i, vni := range vnis {
		if d.Tunnels == nil {
			d.Tunnels = &netconf.Tunnels{Source: d.BGP.RouterID}
		}
		d.Tunnels.VNIs = append(d.Tunnels.VNIs, netconf.VNI{VLAN: 101 + i, Number: s.number(vni)})
	}
}

func (s *stage) link(a, b string) {
	for k, name := range []string{a, b} {
		at := netip.AddrFrom4([4]byte{172, 16, 0, byte(2*s.links + k)})
		d := s.device(name)
		d.Interfaces = append(d.Interfaces, netconf.Interface{Name: "to " + []string{b, a}[k],
			Addresses: []netip.Prefix{netip.PrefixFrom(at, 31)}})
		s.addr[[2]string{name, []string{b, a}[k]}] = at
	}
	for _, ends := range [][2]string{{a, b}, {b, a}} {
		here, far := s.device(ends[0]), s.device(ends[1])
		here.BGP.Neighbours = append(here.BGP.Neighbours, netconf.Neighbour{Address: s.addr[[2]string{ends[1], ends[0]}],
			AS: far.BGP.AS})
	}
	s.links++
}

func (s *stage) solved(name string) (*rib.Network, int) {
	n := rib.New(s.devices, nil)
	for i := range s.devices {
		if s.devices[i].Name == name {
			return n, i
		}
	}
	s.t.Fatalf("no switch %s", name)
	return nil, 0
}

func (s *stage) show(name string) {
	n, at := s.solved(name)
	t := &n.Tables[at]
	for _, e := range t.Sessions {
		if e.Why != "" {
			fmt.Fprintf(s, "session %v down: %s\n", e.Neighbour, e.Why)
		}
	}
	for _, r := range t.Routes {
		fmt.Fprint(s, r.Prefix)
		for _, p := range r.Paths {
			mark := map[bool]string{true: " *", false: " "}[p.Shares]
			if p.Session < 0 {
				fmt.Fprint(s, mark+"own")
				continue
			}
			fmt.Fprintf(s, "%s%s %s", mark, s.devices[t.Sessions[p.Session].Device].Name, ases(p.ASs))
		}
		fmt.Fprintln(s, map[bool]string{true: " aggregate"}[r.Aggregate]+map[bool]string{true: " suppressed"}[r.Suppressed])
	}
}

func (s *stage) tells(name, other string) {
	n, at := s.solved(name)
	for k, e := range n.Tables[at].Sessions {
		if e.Neighbour == s.addr[[2]string{other, name}] {
			for _, a := range n.Advertised(at, k) {
				fmt.Fprintf(s, "%v by %v %s%s\n", a.Prefix, a.NextHop, ases(a.ASs), map[bool]string{true: " refused"}[a.Refused])
			}
		}
	}
}

func ases(all []uint32) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(all), " ", "-"), "[]")
}

func TestScripts(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage { return &stage{t: t, addr: map[[2]string]netip.Addr{}} })
}
