package netconf_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// must is a value that a script has right.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func whole(text string) int { return must(strconv.Atoi(text)) }

func address(text string) netip.Addr { return must(netip.ParseAddr(text)) }

func prefix(text string) netip.Prefix { return must(netip.ParsePrefix(text)) }

func size(text string) unit.Bytes { return must(unit.ParseBytes(text)) }

func duration(text string) unit.Duration { return must(unit.ParseDuration(text)) }

// attributes sets what words say: key, or key=value.
func attributes(words []string, set map[string]func(value string)) {
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		f := set[key]
		if f == nil {
			panic(w + ": not known")
		}
		f(value)
	}
}

// yes is an attribute that is said or not.
func yes(of *bool) func(string) { return func(string) { *of = true } }

// port adds an interface: its name, then what is said of it.
func (s *stage) port(kind netconf.Kind, words []string) {
	i := netconf.Interface{Name: words[0], Kind: kind}
	qos := func() *netconf.PortQoS {
		if i.QoS == nil {
			i.QoS = &netconf.PortQoS{}
		}
		return i.QoS
	}
	attributes(words[1:], map[string]func(string){
		"vlan": func(v string) { i.VLAN = whole(v) }, "channel": func(v string) { i.Channel = whole(v) },
		"mtu": func(v string) { i.MTU = size(v) }, "speed": func(v string) { i.Speed = must(unit.ParseBitrate(v)) },
		"vrf": func(v string) { i.VRF = v }, "mac": func(v string) { i.MAC = v }, "text": func(v string) { i.Description = v },
		"trunk": yes(&i.Trunk), "routed": yes(&i.Routed), "down": yes(&i.Down), "silent": yes(&i.LLDP.Silent),
		"allowed": func(v string) { i.Allowed = netconf.ReadVLANs(v) },
		"address": func(v string) { i.Addresses = append(i.Addresses, prefix(v)) },
		"dcbx":    func(v string) { i.LLDP.DCBX = dcbx(v) },
		"pfc": func(v string) {
			qos().PFC = netconf.PFCMode(slices.Index([]string{"off", "on", "auto"}, v))
		},
		"profile": func(v string) { qos().Profile = whole(v) },
		"watched": func(string) { qos().Watchdog = true },
		"cable":   func(v string) { qos().Cable = must(unit.ParseLength(v)) },
	})
	s.d.Interfaces = append(s.d.Interfaces, i)
}

func dcbx(v string) netconf.DCBX {
	return netconf.DCBX(slices.Index([]string{"default", "ieee", "cee", "off"}, v))
}

// qos is that of the device, made where it is not there.
func (s *stage) qos() *netconf.QoS {
	if s.d.QoS == nil {
		s.d.QoS = &netconf.QoS{}
	}
	return s.d.QoS
}

// dscps puts 24-31:3 into the last profile.
func (s *stage) dscps(words []string) {
	p := &s.d.QoS.Profiles[len(s.d.QoS.Profiles)-1]
	for _, w := range words {
		span, tc, _ := strings.Cut(w, ":")
		first, last, ranged := strings.Cut(span, "-")
		if !ranged {
			last = first
		}
		for d := whole(first); d <= whole(last); d++ {
			p.Classify[d] = uint8(whole(tc))
		}
	}
}

// class adds one to the last profile: its number, then what is said of it.
func (s *stage) class(words []string) {
	tc := uint8(whole(words[0]))
	c := netconf.Class{TC: tc, Queue: tc}
	buffer := func() *netconf.Buffer {
		if c.Pause.Buffer == nil {
			c.Pause.Buffer = &netconf.Buffer{}
		}
		return c.Pause.Buffer
	}
	three := func(v string) (a, b, c string) {
		all := strings.Split(v, ",")
		return all[0], all[1], all[2]
	}
	attributes(words[1:], map[string]func(string){
		"queue": func(v string) { c.Queue = uint8(whole(v)) }, "share": func(v string) { c.Share = whole(v) },
		"strict": yes(&c.Strict), "drop": func(v string) { c.Drop = size(v) },
		"ecn": func(v string) {
			low, high, p := three(v)
			c.ECN = &netconf.ECN{Min: size(low), Max: size(high), Probability: whole(p)}
		},
		"fill": func(v string) {
			low, high, p := three(v)
			c.ECN = &netconf.ECN{MinFill: whole(low), MaxFill: whole(high), Probability: whole(p)}
		},
		"scaled": func(v string) {
			low, high, of := three(v)
			c.ECN = &netconf.ECN{Scale: of, Least: whole(low), Most: whole(high), Probability: 100}
		},
		"drops":    func(string) { c.ECN.Drops = true },
		"pause":    func(v string) { c.Pause = &netconf.Pause{Priority: uint8(whole(v))} },
		"xoff":     func(v string) { buffer().XOFF = size(v) },
		"alpha":    func(v string) { buffer().Alpha = must(unit.ParseRatio(v)) },
		"resume":   func(v string) { buffer().Resume = size(v) },
		"reserve":  func(v string) { buffer().Reserve = size(v) },
		"headroom": func(v string) { buffer().Headroom = size(v) },
	})
	p := &s.d.QoS.Profiles[len(s.d.QoS.Profiles)-1]
	p.Classes = append(p.Classes, c)
}

func (s *stage) neighbour(words []string) {
	n := netconf.Neighbour{}
	if a, err := netip.ParseAddr(words[0]); err == nil {
		n.Address = a
	} else {
		n.Port = words[0]
	}
	attributes(words[1:], map[string]func(string){
		"as": func(v string) { n.AS = uint32(whole(v)) }, "allow": func(v string) { n.AllowASIn = whole(v) },
		"hops": func(v string) { n.Hops = whole(v) }, "source": func(v string) { n.Source = address(v) },
		"external": yes(&n.External), "internal": yes(&n.Internal), "evpn": yes(&n.EVPN), "client": yes(&n.Client),
		"self": yes(&n.NextHopSelf), "down": yes(&n.Down),
		"bfd": func(v string) {
			times, interval, _ := strings.Cut(v, "x")
			n.BFD = &netconf.BFD{Multiplier: whole(times), Interval: duration(interval)}
		},
	})
	s.d.BGP.Neighbours = append(s.d.BGP.Neighbours, n)
}

func (s *stage) bgp(words []string) {
	b := &netconf.BGP{Keepalive: 3 * unit.Second, Hold: 9 * unit.Second, MaximumPaths: 1}
	attributes(words, map[string]func(string){
		"as": func(v string) { b.AS = uint32(whole(v)) }, "id": func(v string) { b.RouterID = address(v) },
		"paths": func(v string) { b.MaximumPaths = whole(v) }, "relax": yes(&b.Relax), "connected": yes(&b.Connected),
		"listen":    func(v string) { b.Listen = append(b.Listen, prefix(v)) },
		"network":   func(v string) { b.Networks = append(b.Networks, prefix(v)) },
		"aggregate": func(v string) { b.Aggregates = append(b.Aggregates, netconf.Aggregate{Prefix: prefix(v)}) },
		"alone": func(v string) {
			b.Aggregates = append(b.Aggregates, netconf.Aggregate{Prefix: prefix(v), SummaryOnly: true})
		},
	})
	s.d.BGP = b
}

func (s *stage) tunnels(words []string) {
	t := &netconf.Tunnels{}
	attributes(words, map[string]func(string){
		"source": func(v string) { t.Source = address(v) }, "mtu": func(v string) { t.MTU = size(v) },
		"vni": func(v string) {
			vlan, number, _ := strings.Cut(v, ":")
			t.VNIs = append(t.VNIs, netconf.VNI{VLAN: whole(vlan), Number: whole(number)})
		},
	})
	s.d.Tunnels = t
}

func (s *stage) peer(words []string) {
	p := &netconf.Peer{}
	attributes(words, map[string]func(string){
		"domain": func(v string) { p.Domain = v }, "address": func(v string) { p.Address = address(v) },
		"source": func(v string) { p.Source = address(v) }, "local": func(v string) { p.Local = v },
		"vrf": func(v string) { p.VRF = v }, "link": func(v string) { p.Link = whole(v) },
	})
	s.d.Peer = p
}

func (s *stage) balance(words []string) {
	b := &netconf.Balance{Method: words[0]}
	attributes(words[1:], map[string]func(string){
		"by": func(v string) { b.Unit = v }, "gap": func(v string) { b.Gap = duration(v) },
		"seed": func(v string) { b.Seed = uint32(whole(v)) }, "qp": yes(&b.QP),
		"port": func(v string) { b.Ports = append(b.Ports, v) },
	})
	s.d.Balance = b
}

func (s *stage) watchdog(words []string) {
	w := &s.qos().Watchdog
	attributes(words, map[string]func(string){
		"on": yes(&w.On), "poll": func(v string) { w.Poll = duration(v) }, "detect": func(v string) { w.Detect = duration(v) },
		"restore": func(v string) { w.Restore = duration(v) }, "action": func(v string) { w.Action = v },
	})
}

func (s *stage) pools(words []string) {
	p := &s.qos().Pools
	attributes(words, map[string]func(string){
		"size": func(v string) { p.Size = size(v) }, "headroom": func(v string) { p.Headroom = size(v) },
		"lossless": func(v string) { p.LosslessPart = whole(v) }, "room": func(v string) { p.HeadroomPart = whole(v) },
		"lossy": func(v string) { p.LossyPart = whole(v) },
	})
}

// build obeys a command that says something of a device; false: it is none.
func (s *stage) build(command []string) bool {
	rest := command[1:]
	switch command[0] {
	case "device":
		s.before, s.d = s.d, &netconf.Device{Name: rest[0]}
	case "port":
		s.port(netconf.Physical, rest)
	case "svi":
		s.port(netconf.SVI, append([]string{"Vlan" + rest[0], "vlan=" + rest[0]}, rest[1:]...))
	case "loopback":
		s.port(netconf.Loopback, rest)
	case "bundle":
		s.port(netconf.Bundle, rest)
	case "profile":
		s.qos().Profiles = append(s.qos().Profiles, netconf.Profile{})
		s.dscps(rest)
	case "class":
		s.class(rest)
	case "bgp":
		s.bgp(rest)
	case "neighbour":
		s.neighbour(rest)
	case "tunnels":
		s.tunnels(rest)
	case "peer":
		s.peer(rest)
	case "balance":
		s.balance(rest)
	case "watchdog":
		s.watchdog(rest)
	case "pools":
		s.pools(rest)
	case "lldp":
		s.d.LLDP = &netconf.LLDP{On: rest[0] == "on", DCBX: dcbx(rest[1])}
	default:
		return false
	}
	return true
}

// text is a list as it stands in an outcome.
func text[T any](all []T) string { return strings.Trim(fmt.Sprint(all), "[]") }
