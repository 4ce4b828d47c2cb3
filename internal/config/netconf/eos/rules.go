package eos

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

type (
	rule  = lines.Rule[*reader]
	block = lines.Block[*reader]
	line  = lines.Line
)

// The blocks of a configuration.
var (
	top = &block{Known: knownAtTop, Rules: append([]rule{
		{Pattern: "switchport default mode routed", Do: func(r *reader, _ *line) error { r.routedByDefault = true; return nil }},
		{Pattern: "hostname NAME", Do: func(r *reader, l *line) error {
			r.Device.Name = l.Args[0]
			r.say(l, "hostname")
			return nil
		}},
		{Pattern: "end"},
		{Pattern: "exit"},
		{Pattern: "qos map dscp LIST...", Do: mapDSCP},
		{Pattern: "qos map traffic-class LIST...", Do: mapClass},
		{Pattern: "priority-flow-control all off", Do: func(r *reader, l *line) error { r.allOff = l; return nil }},
		{Pattern: "priority-flow-control pause watchdog default timeout T", Do: func(r *reader, l *line) (err error) {
			r.watchdog.Detect, err = duration(l, 0, 10*unit.Millisecond, 60*unit.Second)
			r.watchdog.On = err == nil
			r.say(l, "watchdog")
			return err
		}},
		{Pattern: "priority-flow-control pause watchdog default recovery-time T", Do: func(r *reader,
			l *line) (err error) {
			r.watchdog.Restore, err = duration(l, 0, 0, 60*unit.Second)
			return err
		}},
		{Pattern: "priority-flow-control pause watchdog default polling-interval T", Do: func(r *reader,
			l *line) (err error) {
			r.watchdog.Poll, err = duration(l, 0, 5*unit.Millisecond, 30*unit.Second)
			r.say(l, "watchdog poll")
			return err
		}},
		{Pattern: "priority-flow-control pause watchdog action ACTION", Do: func(r *reader, l *line) error {
			switch l.Args[0] {
			case "drop", "errdisable":
				r.watchdog.Action = l.Args[0]
			case "no-drop", "notify-only":
				r.watchdog.Action = "forward"
			default:
				return lines.ErrUnknown
			}
			return nil
		}},
		{Pattern: "qos profile NAME", Enter: inProfile, Do: func(r *reader, l *line) error {
			if r.at = r.profiles[l.Args[0]]; r.at == nil {
				r.at = newSetting()
				r.profiles[l.Args[0]], r.at.line, r.at.name = r.at, l, l.Args[0]
				r.order = append(r.order, r.at)
			}
			r.said = true
			return nil
		}},
		{Pattern: "interface NAME", Enter: inInterface, Do: beginInterface},
		{Pattern: "interface KIND NUMBER", Enter: inInterface, Do: beginInterface},
	}, routed...)}
	settings = []rule{
		{Pattern: "qos trust dscp", Do: func(r *reader, l *line) error { r.at.trust = "dscp"; return nil }},
		{Pattern: "qos trust cos", Do: untrusted("cos")},
		{Pattern: "no qos trust", Do: untrusted("none")},
		{Pattern: "priority-flow-control on", Do: func(r *reader, l *line) error { return r.pfcOn(l) }},
		{Pattern: "priority-flow-control mode on", Do: func(r *reader, l *line) error { return r.pfcOn(l) }}, // before 4.20
		{Pattern: "no priority-flow-control", Do: pfcOff},
		{Pattern: "priority-flow-control off", Do: pfcOff},
		{Pattern: "priority-flow-control priority N no-drop", Do: func(r *reader, l *line) error {
			v, err := l.Int(0, 0, netconf.Classes-1)
			if err == nil {
				r.at.noDrop[uint8(v)], r.said = l, true
			}
			return err
		}},
		{Pattern: "priority-flow-control priority N drop", Do: func(r *reader, l *line) error {
			v, err := l.Int(0, 0, netconf.Classes-1)
			if err == nil {
				r.at.drop[uint8(v)], r.said = l, true
			}
			return err
		}},
		{Pattern: "priority-flow-control priority N enable", Do: func(r *reader, l *line) error {
			return r.slip("Q15", l,
				"priority-flow-control priority ends in no-drop or drop, enable is no word of it: nothing is paused")
		}},
		{Pattern: "priority-flow-control pause watchdog disable", Do: func(r *reader, l *line) error {
			r.at.unwatched = l
			return nil
		}},
		{Pattern: "no priority-flow-control pause watchdog", Do: func(r *reader, l *line) error {
			r.at.unwatched = l
			return nil
		}},
		{Pattern: "priority-flow-control pause watchdog"},
		{Pattern: "priority-flow-control pause watchdog port TEXT..."},
		{Pattern: "uc-tx-queue N", Enter: inQueue, Do: beginQueue},
		{Pattern: "tx-queue N", Enter: inQueue, Do: beginQueue},
		{Pattern: "flowcontrol DIRECTION on", Do: func(r *reader, l *line) error {
			return r.slip("Q09", l, "flowcontrol pauses the whole link: no class goes on")
		}},
	}
	knownSettings = []string{"qos cos", "qos dscp", "shape rate", "service-policy", "mc-tx-queue", "flowcontrol",
		"no flowcontrol",
		"no shape"}
	inProfile   = &block{Rules: settings, Ends: []string{"exit"}, Known: knownSettings}
	inInterface = &block{OfPort: true, Known: append(knownOnInterface, knownSettings...), Rules: append([]rule{
		{Pattern: "description TEXT...", Do: func(r *reader, l *line) error {
			r.port.Description = strings.Join(strings.Fields(l.Args[0]), " ")
			return nil
		}},
		{Pattern: "mtu N", Do: func(r *reader, l *line) error {
			v, err := l.Int(0, leastMTU, mostMTU)
			if err == nil {
				r.port.MTU = netconf.FrameOf(unit.Bytes(v))
				r.say(l, "interface %s mtu", r.port.Name)
			}
			return err
		}},
		{Pattern: "no switchport", Do: func(r *reader, _ *line) error { r.port.Routed = true; return nil }},
		{Pattern: "switchport", Do: func(r *reader, _ *line) error { r.at.switched = true; return nil }},
		{Pattern: "switchport mode access", Do: func(r *reader, _ *line) error { r.at.switched = true; return nil }},
		{Pattern: "switchport mode trunk", Do: trunk},
		{Pattern: "switchport trunk allowed vlan NAME", Do: func(r *reader, l *line) error {
			r.port.Allowed = netconf.ReadVLANs(l.Args[0])
			return trunk(r, l)
		}},
		{Pattern: "switchport trunk TEXT...", Do: trunk},
		{Pattern: "no shutdown"},
		{Pattern: "shutdown", Do: func(r *reader, _ *line) error { r.port.Down = true; return nil }},
		{Pattern: "vrf NAME", Do: inVRF},
		{Pattern: "vrf forwarding NAME", Do: inVRF},
		{Pattern: "speed TEXT...", Do: speed},
		{Pattern: "mlag N", Do: func(r *reader, l *line) (err error) {
			if r.channel != nil {
				r.channel.mlag, err = l.Int(0, 1, mostMLAG)
			}
			return err
		}},
		{Pattern: "service-profile NAME", Do: func(r *reader, l *line) error {
			r.at.base, r.said = l, true
			r.say(l, "interface %s classify", r.port.Name)
			return nil
		}},
		{Pattern: "dcbx mode ieee", Do: func(r *reader, l *line) error { return r.dcbx(l, netconf.DCBXIEEE) }},
		{Pattern: "dcbx mode cee", Do: func(r *reader, l *line) error { return r.dcbx(l, netconf.DCBXCEE) }},
	}, slices.Concat(settings, onInterface)...), Ends: []string{"exit"}}
	inQueue = &block{Ends: []string{"exit"}, Known: []string{"shape rate", "no shape", "random-detect drop",
		"random-detect non-ect",
		"random-detect ecn delay", "latency", "shape", "guaranteed", "no bandwidth guaranteed",
		"no shape rate", "queue", "buffer", "no random-detect drop"}, Rules: []rule{
		{Pattern: "no priority", Do: func(r *reader, l *line) error { r.queue.strict = new(bool); return nil }},
		{Pattern: "priority strict", Do: func(r *reader, l *line) error {
			yes := true
			r.queue.strict = &yes
			return nil
		}},
		{Pattern: "bandwidth percent N", Do: share},
		{Pattern: "bandwidth guaranteed percent N", Do: share},
		{Pattern: "no bandwidth percent", Do: func(r *reader, l *line) error { r.queue.share = 0; return nil }},
		{Pattern: "random-detect ecn count"}, // counts, and changes nothing: EOS user manual, Quality of Service
		{Pattern: "no random-detect ecn", Do: func(r *reader, l *line) error { r.queue.unmarked = l; return nil }},
		{Pattern: "random-detect ecn minimum-threshold TEXT...", Do: detect},
	}}
)

// knownAtTop are commands of the device that say nothing of what it does with packets of the fabric.
var knownAtTop = []string{"aaa", "alias", "arp", "banner", "boot", "clock", "cvx", "daemon", "dhcp", "dns",
	"dot1x", "enable",
	"errdisable", "event-handler", "event-monitor", "flow", "hardware", "ip access-list", "ip as-path",
	"ip community-list",
	"ip dhcp", "ip domain", "ip domain-list", "ip domain-lookup", "ip domain-name", "ip extcommunity-list",
	"ip ftp", "ip hardware",
	"ip host", "ip http", "ip icmp", "ip igmp", "ip large-community-list", "ip load-sharing",
	"ip multicast-routing", "ip name-server",
	"ip nat", "ip prefix-list", "ip radius", "ip route", "ip routing", "ip security", "ip ssh", "ip tacacs",
	"ip tftp", "ip verify",
	"ip virtual-router", "ip address virtual", "ip address-virtual", "ip default-gateway", "ipv6 access-list",
	"ipv6 prefix-list",
	"ipv6 route", "ipv6 neighbor", "ipv6 nd", "ipv6 virtual-router", "ipv6 icmp", "ipv6 dhcp", "ipv6 hardware",
	"ipv6 unicast-routing",
	"key", "l2-protocol", "lacp", "link", "lldp", "load-balance", "load-interval", "logging", "mac",
	"management", "match-list",
	"maintenance", "monitor", "mpls", "nat", "no aaa", "no enable", "no ip routing", "no logging", "no lldp",
	"no service", "no snmp-server",
	"no spanning-tree", "no username", "ntp", "patch", "peer-filter", "platform", "poe", "policy-map",
	"port-channel", "prompt",
	"ptp", "qos map cos", "qos map exp", "qos random-detect", "qos rewrite", "queue-monitor", "radius",
	"radius-server", "redundancy",
	"role", "route-map", "router bfd", "router general", "router igmp", "router isis", "router multicast",
	"router ospf",
	"router ospf3", "router pim", "router traffic-engineering", "router adaptive-virtual-topology",
	"router path-selection",
	"router internet-exit", "router msdp", "router l2-vpn", "router segment-security", "router service-insertion",
	"schedule", "security", "service", "sflow", "snmp", "snmp-server", "spanning-tree", "ssl", "stun",
	"switchport", "system",
	"tacacs", "tacacs-server", "tap", "tcam", "terminal", "traffic-policies", "transceiver", "trackers",
	"tunnel", "username",
	"virtual-router", "vlan internal", "vmtracer", "vrf instance", "vrf definition", "class-map",
	"traffic-loopback", "hardware tcam",
	"dynamic", "no hardware", "monitor session", "agent", "address", "application", "control-plane", "copp",
	"default", "interface defaults",
	"interface profile", "identity", "group", "ip ospf", "metadata", "mcs", "mirror", "object-group", "power",
	"priority-flow-control counters",
	"counters", "track", "unsupported", "tcp", "vxlan", "no vlan", "no switchport", "no ip", "no ipv6", "no ptp",
	"no schedule", "no transceiver",
	"no sflow", "bfd", "network", "ip telnet", "ip client", "ip tcp", "pim", "vrrp", "sync-e", "no aaa",
	"email", "environment",
	"forwarding", "frame", "fips", "hostname-alias", "ip sla", "kernel", "license", "locator-led", "mld",
	"module", "nd", "no ipv4", "no logging",
	"openflow", "packet", "pki", "policy", "processor", "qos scheduling", "rib", "router rip",
	"router bgp-ls", "rpki", "sandbox", "session", "sflow",
	"tunnels", "twamp", "uam", "vlan-translation", "watch", "xmpp", "zerotouch", "zone", "no errdisable",
	"no queue-monitor", "no platform", "no router", "no mpls", "no lacp", "no dot1x"}

// knownOnInterface are those of an interface.
var knownOnInterface = []string{"arp", "bfd", "dot1x", "encapsulation", "error-correction", "flow",
	"ip access-group", "ip attached-host",
	"ip dhcp", "ip helper-address", "ip igmp", "ip local-proxy-arp", "ip nat", "ip ospf", "ip pim",
	"ip proxy-arp", "ip verify",
	"ip virtual-router", "ip address virtual", "ipv6 access-group", "ipv6 dhcp", "ipv6 enable", "ipv6 nd",
	"ipv6 ospf", "ipv6 verify",
	"ipv6 virtual-router", "ipv6 address virtual", "ipv6 attached-host", "isis", "l2", "l2-protocol", "lacp",
	"link", "lldp", "load-interval",
	"logging", "mac", "mpls", "no autostate", "no ip", "no lldp", "no logging", "no ptp", "no snmp", "no sflow",
	"no spanning-tree",
	"no traffic-loopback", "phy", "poe", "port-channel", "profile", "ptp", "pvlan", "sflow", "snmp",
	"spanning-tree", "storm-control",
	"switchport", "tcp", "traffic-policy", "transceiver", "unidirectional", "evpn", "mac-address",
	"traffic-loopback", "no mpls", "vmtracer",
	"vxlan", "multicast", "tunnel", "autostate", "metric-profile", "lane", "no error-correction", "no bfd",
	"queue-monitor", "no qos rewrite",
	"qos rewrite", "campus", "dps", "bgp", "no bgp", "priority-flow-control counters", "monitor", "address",
	"identity", "no load-interval", "pim", "vrrp", "no vrrp", "sync-e", "node-segment", "no isis",
	"ip directed-broadcast", "no pim", "no vrf",
	"ipv6 address PREFIX link-local", "ip address dhcp", "ip rip", "ipv6 pim", "rate", "no shape", "no lacp",
	"no mac", "no phy", "power",
	"overlay", "zone", "reload-delay", "no ipv6", "loopback", "dhcp", "lldp", "rx-queue", "uc-tx-queue-set",
	"ip icmp", "ipv6 icmp", "ipv6 mld",
	"no multicast", "path-mtu-discovery", "keepalive", "qos police", "police", "hardware", "vlan", "no vlan",
	"no tunnel", "no speed"}

func untrusted(what string) func(*reader, *line) error {
	return func(r *reader, l *line) error {
		r.at.trust, r.at.trustLine = what, l
		if r.port != nil {
			r.said = true
		}
		return nil
	}
}

func pfcOff(r *reader, l *line) error {
	r.at.noPFC, r.said = l, true
	return nil
}

func trunk(r *reader, _ *line) error {
	r.port.Trunk, r.at.switched = true, true
	if r.channel != nil {
		r.channel.trunk = true
	}
	return nil
}

func inVRF(r *reader, l *line) error { r.port.VRF = l.Args[0]; return nil }

func share(r *reader, l *line) (err error) {
	r.queue.share, err = l.Int(0, 1, 100)
	return err
}

// rates finds the number of a rate such as 100g-4, 100gfull or forced 25gfull.
var rates = regexp.MustCompile(`([0-9]+)g`)

func speed(r *reader, l *line) error {
	if m := rates.FindStringSubmatch(l.Args[0]); m != nil {
		v, _ := strconv.Atoi(m[1])
		if v > 0 && v <= 3200 {
			r.port.Speed = unit.Bitrate(v) * unit.GigabitPerSec
		}
	}
	return nil
}

func (r *reader) pfcOn(l *line) error {
	r.at.pfc, r.said = l, true
	return nil
}

func (r *reader) dcbx(l *line, mode netconf.DCBX) error {
	r.port.LLDP.DCBX = mode
	r.say(l, "interface %s dcbx", r.port.Name)
	return nil
}

// mapDSCP reads DSCPs and to traffic-class N [drop-precedence P]: 8 9 10, 8,9 or 8-10.
func mapDSCP(r *reader, l *line) error {
	words := strings.Fields(l.Args[0])
	n := len(words)
	if n > 2 && words[n-2] == "drop-precedence" { // which packets go first where some are dropped
		n -= 2
	}
	if n < 4 || words[n-3] != "to" || words[n-2] != "traffic-class" {
		return lines.ErrUnknown
	}
	tc, err := strconv.Atoi(words[n-1])
	if err != nil || tc < 0 || tc >= netconf.Classes {
		return fmt.Errorf("%s: want a traffic class from 0 to %d", located.Shown(words[n-1]), netconf.Classes-1)
	}
	all, err := numbers(words[:n-3], netconf.CodePoints-1)
	for _, v := range all {
		r.classify[v], r.dscpLines[v], r.said = uint8(tc), l, true
	}
	return err
}

// numbers reads 1 2, 1,2 and 1-2.
func numbers(words []string, most int) (all []int, err error) {
	for _, w := range words {
		for part := range strings.SplitSeq(w, ",") {
			first, last, ranged := strings.Cut(part, "-")
			if !ranged {
				last = first
			}
			low, err1 := strconv.Atoi(first)
			high, err2 := strconv.Atoi(last)
			if err1 != nil || err2 != nil || low < 0 || high < low || high > most {
				return nil, fmt.Errorf("%s: want numbers from 0 to %d", located.Shown(w), most)
			}
			for v := low; v <= high; v++ {
				all = append(all, v)
			}
		}
	}
	return all, nil
}

// mapClass reads qos map traffic-class LIST to tx-queue Q. What is written into packets that leave is of no matter.
func mapClass(r *reader, l *line) error {
	words := strings.Fields(l.Args[0])
	n := len(words)
	if n < 4 || words[n-3] != "to" {
		return lines.ErrUnknown
	}
	switch words[n-2] {
	case "tx-queue":
	case "uc-tx-queue":
		return r.slip("Q15", l,
			"the map of the device says tx-queue on every platform, uc-tx-queue is no target of it")
	case "dscp", "cos", "exp", "mc-tx-queue":
		return lines.ErrKnown
	default:
		return lines.ErrUnknown
	}
	all, err := numbers(words[:n-3], netconf.Classes-1)
	if err != nil {
		return err
	}
	queue, err := numbers(words[n-1:], netconf.Classes-1)
	if err == nil && len(queue) != 1 {
		err = fmt.Errorf("%s: want one queue", located.Shown(words[n-1]))
	}
	for _, tc := range all {
		if err == nil {
			r.queueOf[tc], r.mapped[tc], r.said = uint8(queue[0]), true, true
		}
	}
	return err
}

func beginInterface(r *reader, l *line) error {
	r.at, r.port, r.channel = newSetting(), &netconf.Interface{}, nil // so that its lines are read
	text := strings.Join(l.Args, "")
	if text == "defaults" || l.Args[0] == "profile" {
		return lines.ErrKnown
	}
	if strings.ContainsAny(text, ",-") && !strings.HasPrefix(text, "Port-Channel") {
		return lines.ErrUnknown
	}
	if i := strings.IndexAny(text, "0123456789"); i > 0 && (strings.Contains(text[i:], ".") ||
		slices.Contains(kindsOfNoMatter, text[:i])) {
		return lines.ErrKnown
	}
	i, ok := named(text)
	if !ok {
		if strings.HasPrefix(text, "Et") || strings.HasPrefix(text, "Port-Channel") {
			return fmt.Errorf("%s: not the name of a port, want Ethernet24, Ethernet24/1, Vlan101 or Loopback0",
				located.Shown(text))
		}
		return lines.ErrUnknown
	}
	if r.ports[i.Name] == nil {
		r.ports[i.Name] = newSetting()
		r.ports[i.Name].line = l
		r.index[i.Name] = len(r.Device.Interfaces)
		r.Device.Interfaces = append(r.Device.Interfaces, i)
		r.say(l, "interface %s", i.Name)
		if i.Kind == netconf.Physical {
			r.Names[i.Name] = text
		}
	}
	r.at, r.port = r.ports[i.Name], &r.Device.Interfaces[r.index[i.Name]]
	if i.Kind == netconf.Bundle {
		r.channel = r.channelOf(l, i.Name)
	}
	return nil
}

// kindsOfNoMatter are interfaces that carry nothing of the fabric here: of management, ends of tunnels.
var kindsOfNoMatter = []string{"Management", "Vxlan", "Tunnel", "Dps", "Recirc-Channel", "UnconnectedEthernet",
	"Ma", "InternalRecirc"}

// named is an interface by EOS's name; false: there is none of it.
func named(text string) (netconf.Interface, bool) {
	if i, ok := virtual(text); ok {
		return i, true
	}
	if _, err := channelNumber(text); err == nil {
		return netconf.Interface{Name: text, Kind: netconf.Bundle}, true
	}
	name, ok := portName(text)
	return netconf.Interface{Name: name}, ok
}

func beginQueue(r *reader, l *line) error {
	r.queue = &queue{line: l}
	v, err := l.Int(0, 0, netconf.Classes-1)
	if err != nil {
		return err
	}
	if r.at.queues[uint8(v)] == nil {
		r.at.queues[uint8(v)] = r.queue
	}
	r.queue, r.said = r.at.queues[uint8(v)], true
	return nil
}

// scales are units of thresholds that are lengths.
var scales = map[string]unit.Bytes{"bytes": unit.Byte, "kbytes": unit.Kilobyte, "mbytes": unit.Megabyte}

func detect(r *reader, l *line) error {
	words := strings.Fields(l.Args[0])
	for len(words) < 5 || words[2] != "maximum-threshold" {
		return lines.ErrUnknown
	}
	e := &netconf.ECN{Probability: 100} // where nothing is said: EOS user manual
	var v [2]int
	for k, at := range []int{0, 3} {
		n, err := strconv.Atoi(words[at])
		if err != nil || n < 0 || n > 1_000_000_000 {
			return fmt.Errorf("%s: want a number from 0 to 1000000000", located.Shown(words[at]))
		}
		v[k] = n
	}
	if words[1] != words[4] {
		return fmt.Errorf("%s and %s: want one unit", located.Shown(words[1]), located.Shown(words[4]))
	}
	switch scale, known := scales[words[1]]; {
	case known:
		e.Min, e.Max = unit.Bytes(v[0])*scale, unit.Bytes(v[1])*scale
	case slices.Contains([]string{"segments", "milliseconds", "microseconds"}, words[1]):
		e.Scale, e.Least, e.Most = words[1], v[0], v[1]
	default:
		return fmt.Errorf("%s: want bytes, kbytes, mbytes, segments, milliseconds or microseconds",
			located.Shown(words[1]))
	}
	for rest := words[5:]; len(rest) > 0; rest = rest[2:] {
		if len(rest) < 2 {
			return lines.ErrUnknown
		}
		n, err := strconv.Atoi(rest[1])
		switch {
		case rest[0] == "max-mark-probability":
			if err != nil || n < 1 || n > 100 {
				return fmt.Errorf("%s: want a number from 1 to 100", located.Shown(rest[1]))
			}
			e.Probability = n
		case rest[0] == "weight":
			if err != nil || n < 0 || n > 15 {
				return fmt.Errorf("%s: want a number from 0 to 15", located.Shown(rest[1]))
			}
		default:
			return lines.ErrUnknown
		}
	}
	r.queue.ecn, r.queue.marks, r.queue.unmarked = e, l, nil
	return nil
}
