package nvue

import (
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

var top = &block{Known: knownAtTop, Rules: []rule{
	{Pattern: "nv config apply"},
	{Pattern: "nv config apply -y"},
	{Pattern: "nv set system hostname NAME", Do: func(r *reader, l *line) error {
		r.Device.Name = l.Args[0]
		r.say(l, "hostname")
		return nil
	}},
	{Pattern: "nv set qos roce", Do: setRoCE},
	{Pattern: "nv set qos roce TEXT...", Do: setRoCE},
	{Pattern: "nv set qos mapping PROFILE TEXT...", Do: setMapping},
	{Pattern: "nv set qos egress-queue-mapping PROFILE switch-priority LIST traffic-class N", Do: func(r *reader,
		l *line) error {
		all, err := list(l.Args[1], netconf.Classes-1)
		if err != nil {
			return err
		}
		tc, err := l.Int(2, 0, netconf.Classes-1)
		for _, sp := range all {
			into(r.queueOf, l.Args[0])[sp] = uint8(tc)
		}
		r.said = true
		return err
	}},
	{Pattern: "nv set qos pfc PROFILE TEXT...", Do: setPFC},
	{Pattern: "nv set qos congestion-control PROFILE traffic-class TC TEXT...", Do: setCurve},
	{Pattern: "nv set qos egress-scheduler PROFILE traffic-class TC TEXT...", Do: setScheduler},
	{Pattern: "nv set qos traffic-pool roce-lossless memory-percent N", Do: func(r *reader, l *line) (err error) {
		r.Device.QoS.Pools.LosslessPart, err = l.Int(0, 1, 100)
		return err
	}},
	{Pattern: "nv set qos traffic-pool default-lossy memory-percent N", Do: func(r *reader, l *line) (err error) {
		r.Device.QoS.Pools.LossyPart, err = l.Int(0, 1, 100)
		return err
	}},
	{Pattern: "nv set qos pfc-watchdog polling-interval N", Do: func(r *reader, l *line) error {
		v, err := l.Int(0, 100, 5000)
		if err == nil {
			r.poll = unit.Duration(v) * unit.Millisecond
			r.say(l, "watchdog")
		}
		return err
	}},
	{Pattern: "nv set qos pfc-watchdog robustness N", Do: func(r *reader, l *line) error {
		v, err := l.Int(0, 1, 1000)
		if err == nil {
			r.robustness = v
			r.say(l, "watchdog detect")
		}
		return err
	}},
	{Pattern: "nv set router adaptive-routing TEXT...", Do: func(r *reader, l *line) error {
		yes, ok := on(strings.Fields(l.Args[0]))
		switch {
		case !ok:
			return lines.ErrKnown // profiles, thresholds of links
		case yes:
			r.Device.Balance = &netconf.Balance{Method: "dlb"}
			r.say(l, "balance")
		}
		return nil
	}},
	{Pattern: "nv set router bgp TEXT...", Do: setBGP},
	{Pattern: "nv set vrf default router bgp TEXT...", Do: setBGP},
	{Pattern: "nv set vrf default router static PREFIX TEXT...", Do: func(r *reader, l *line) error {
		if p, err := lines.Prefix(l.Args[0], strings.Contains(l.Args[0], ":"), false); err == nil {
			r.Routes = append(r.Routes, p.Masked())
		}
		return nil
	}},
	{Pattern: "nv set interface PORTS TEXT...", Do: setInterface},
	{Pattern: "nv set interface PORTS", Do: func(r *reader, l *line) error {
		return r.ports(l, func(*netconf.Interface) error { return nil })
	}},
}}

// into is a map of a map, made where it is not there.
func into[K comparable, V any](all map[string]map[K]V, name string) map[K]V {
	if all[name] == nil {
		all[name] = map[K]V{}
	}
	return all[name]
}

// setRoCE reads nv set qos roce [mode M | M | enable on | state enabled | cable-length N].
func setRoCE(r *reader, l *line) error {
	var words []string
	if len(l.Args) > 0 {
		words = strings.Fields(l.Args[0])
	}
	if yes, ok := on(words); ok {
		if r.roce, r.said = nil, true; yes {
			r.roce = l
		}
		return nil
	}
	if len(words) == 2 && words[0] == "cable-length" {
		v, err := whole(words[1], 1, 100_000)
		r.cable, r.said = unit.Length(v)*unit.Metre, true
		return err
	}
	mode := words[len(words)-1]
	if len(words) > 2 || len(words) == 2 && words[0] != "mode" || !slices.Contains([]string{"lossless", "lossy",
		"lossless-single-ipool"}, mode) {
		return lines.ErrUnknown
	}
	r.roce, r.mode, r.said = l, mode, true
	return nil
}

// setMapping reads a line of a mapping profile.
func setMapping(r *reader, l *line) error {
	m := r.maps[l.Args[0]]
	if m == nil {
		m = &mapping{}
		r.maps[l.Args[0]] = m
	}
	switch words := strings.Fields(l.Args[1]); {
	case len(words) == 4 && words[0] == "dscp" && words[2] == "switch-priority":
		all, err := list(words[1], netconf.CodePoints-1)
		if err != nil {
			return err
		}
		sp, err := whole(words[3], 0, netconf.Classes-1)
		if err != nil {
			return err
		}
		for _, d := range all {
			m.sp[d], m.said[d] = uint8(sp), l
		}
		r.said = true
	case len(words) == 2 && words[0] == "trust":
		switch words[1] {
		case "l3", "both", "dscp":
			m.untrusted = nil
		case "l2", "port", "pcp":
			m.untrusted, r.said = l, true
		default:
			return lines.ErrUnknown
		}
	case words[0] == "pcp" || words[0] == "port-default-sp":
		return lines.ErrKnown
	default:
		return lines.ErrUnknown
	}
	return nil
}

// setPFC reads a line of a pfc profile.
func setPFC(r *reader, l *line) error {
	f := r.pfcs[l.Args[0]]
	if f == nil {
		f = &pfc{priorities: map[uint8]*line{}}
		r.pfcs[l.Args[0]] = f
	}
	switch words := strings.Fields(l.Args[1]); {
	case len(words) >= 2 && words[0] == "switch-priority":
		all, err := list(words[1], netconf.Classes-1)
		if err != nil {
			return err
		}
		for _, sp := range all {
			f.priorities[sp] = l
		}
		f.line, r.said = l, true
	case words[0] == "tx":
		yes, ok := on(words[1:])
		if !ok {
			return lines.ErrUnknown
		}
		f.quiet, r.said = !yes, true
	case slices.Contains([]string{"rx", "xoff-threshold", "xon-threshold", "port-buffer", "cable-length",
		"watchdog"}, words[0]):
		return lines.ErrKnown
	default:
		return lines.ErrUnknown
	}
	return nil
}

// setCurve reads a line of a congestion-control profile.
func setCurve(r *reader, l *line) error {
	classes, err := list(l.Args[1], netconf.Classes-1)
	if err != nil {
		return err
	}
	words := strings.Fields(l.Args[2])
	var set func(*curve)
	switch {
	case words[0] == "ecn" && len(words) <= 3:
		yes, ok := on(words[1:])
		if !ok {
			return lines.ErrUnknown
		}
		set = func(c *curve) { c.off, c.turned = !yes, l }
	case words[0] == "red":
		return lines.ErrKnown // for what is not marked
	case len(words) == 2 && slices.Contains([]string{"min-threshold", "max-threshold", "probability"}, words[0]):
		most := 1 << 40
		if words[0] == "probability" {
			most = 100
		}
		v, err := whole(words[1], 0, most)
		if err != nil {
			return err
		}
		set = func(c *curve) {
			switch words[0] {
			case "min-threshold":
				c.Min = unit.Bytes(v)
			case "max-threshold":
				c.Max = unit.Bytes(v)
			default:
				c.Probability = v
			}
		}
	default:
		return lines.ErrUnknown
	}
	all := into(r.curves, l.Args[0])
	for _, tc := range classes {
		if all[tc] == nil {
			all[tc] = &curve{ECN: netconf.ECN{Min: 150_000, Max: 1_500_000, Probability: 100}}
		}
		all[tc].line, r.said = l, true
		set(all[tc])
	}
	return nil
}

// setScheduler reads a line of an egress-scheduler profile.
func setScheduler(r *reader, l *line) error {
	classes, err := list(l.Args[1], netconf.Classes-1)
	if err != nil {
		return err
	}
	words := strings.Fields(l.Args[2])
	for _, tc := range classes {
		all := into(r.schedulers, l.Args[0])
		if all[tc] == nil {
			all[tc] = &scheduled{}
		}
		s := all[tc]
		s.line, r.said = l, true
		switch {
		case len(words) == 2 && words[0] == "mode" && (words[1] == "strict" || words[1] == "dwrr"):
			s.strict = words[1] == "strict"
		case len(words) == 2 && words[0] == "bw-percent":
			if s.share, err = whole(words[1], 0, 100); err != nil {
				return err
			}
		default:
			return lines.ErrUnknown
		}
	}
	return nil
}

// profiled are the kinds of profiles that a port names.
var profiled = []string{"mapping", "egress-queue-mapping", "pfc", "congestion-control", "egress-scheduler"}

// setInterface reads a line of interfaces.
func setInterface(r *reader, l *line) error {
	words := strings.Fields(l.Args[1])
	names, err := expand(l.Args[0])
	if err != nil {
		return err
	}
	if words[0] == "bond" {
		return r.bond(l, names, words)
	}
	switch {
	case len(words) == 3 && words[0] == "link" && words[1] == "mtu":
		v, err := whole(words[2], leastMTU, mostMTU)
		if err != nil {
			return err
		}
		return r.ports(l, func(i *netconf.Interface) error {
			i.MTU = netconf.FrameOf(unit.Bytes(v))
			r.say(l, "interface %s mtu", i.Name)
			return nil
		})
	case len(words) == 3 && words[0] == "link" && words[1] == "state":
		return r.ports(l, func(i *netconf.Interface) error { i.Down = words[2] == "down"; return nil })
	case len(words) == 3 && words[0] == "link" && words[1] == "speed":
		rate, err := unit.ParseBitrate(strings.TrimSuffix(strings.ToUpper(words[2]), "G") + "Gb/s")
		return r.ports(l, func(i *netconf.Interface) error {
			if err == nil && words[2] != "auto" {
				i.Speed = rate
			}
			return nil
		})
	case len(words) > 1 && words[0] == "description":
		text := strings.Trim(strings.Join(words[1:], " "), `'"`)
		return r.ports(l, func(i *netconf.Interface) error { i.Description = text; return nil })
	case len(words) == 3 && slices.Contains([]string{"ip", "ipv4", "ipv6"}, words[0]) && words[1] == "address":
		return r.address(l, words[2])
	case len(words) == 2 && words[0] == "vrf", len(words) == 3 && words[0] == "ip" && words[1] == "vrf":
		vrf := words[len(words)-1]
		if vrf == "default" {
			return nil
		}
		return r.ports(l, func(i *netconf.Interface) error { i.VRF = vrf; return nil })
	case len(words) >= 4 && words[0] == "bridge" && words[1] == "domain":
		return r.bridged(l, words[3:])
	case len(words) > 1 && words[0] == "qos":
		return r.qosOf(l, words[1:])
	case len(words) == 2 && words[0] == "type":
		return r.ports(l, func(*netconf.Interface) error { return nil })
	}
	if slices.Contains(knownOnInterface, words[0]) || len(words) > 1 && slices.Contains(knownOnInterface,
		words[0]+" "+words[1]) {
		return lines.ErrKnown
	}
	return lines.ErrUnknown
}

// qosOf reads what ports have of quality of service.
func (r *reader) qosOf(l *line, words []string) error {
	switch {
	case len(words) == 3 && words[1] == "profile" && slices.Contains(profiled, words[0]):
		r.said = true
		at := *l
		at.Args = append(slices.Clone(l.Args), words[2])
		return r.ports(l, func(i *netconf.Interface) error {
			into(r.uses, words[0])[i.Name] = &at
			return nil
		})
	case words[0] == "pfc-watchdog":
		yes, ok := on(words[1:])
		if !ok {
			return lines.ErrUnknown
		}
		r.said = true
		return r.ports(l, func(i *netconf.Interface) error {
			delete(r.watchOf, i.Name)
			if yes {
				r.watchOf[i.Name] = l
			}
			return nil
		})
	case words[0] == "link-pause":
		r.Slips = append(r.Slips, netconf.Slip{Rule: "Q09", Place: netconf.Place{File: l.File, Line: int(l.Number)},
			Text: "link-pause pauses the whole link: no class goes on"})
		return nil
	case slices.Contains([]string{"remark", "egress-shaper", "buffer", "roce", "advance-buffer-config",
		"packet-trim", "trust", "cable-length",
		"max-rate"}, words[0]):
		return lines.ErrKnown
	}
	return lines.ErrUnknown
}

// bridged reads where ports are in a bridge.
func (r *reader) bridged(l *line, words []string) error {
	switch {
	case len(words) == 2 && words[0] == "access":
		v, err := whole(words[1], 1, 4094)
		if err != nil {
			return err
		}
		return r.ports(l, func(i *netconf.Interface) error {
			i.VLAN = v
			r.say(l, "interface %s vlan", i.Name)
			return nil
		})
	case words[0] == "vlan" || words[0] == "untagged":
		return r.ports(l, func(i *netconf.Interface) error { i.Trunk = true; return nil })
	}
	return lines.ErrKnown
}

func (r *reader) address(l *line, text string) error {
	if text == "dhcp" {
		return lines.ErrKnown
	}
	a, err := lines.Prefix(text, strings.Contains(text, ":"), false)
	if err != nil {
		return err
	}
	return r.ports(l, func(i *netconf.Interface) error {
		if !slices.Contains(i.Addresses, a) {
			i.Addresses = append(i.Addresses, a)
			r.say(l, "interface %s address %v", i.Name, a)
		}
		return nil
	})
}

// bond reads which ports are one.
func (r *reader) bond(l *line, names, words []string) error {
	if len(words) != 3 || words[1] != "member" || len(names) != 1 {
		return lines.ErrKnown
	}
	if r.bonds[names[0]] == 0 {
		r.bonds[names[0]] = len(r.bonds) + 1
	}
	at := *l
	at.Args = []string{words[2]}
	return r.ports(&at, func(i *netconf.Interface) error { i.Channel = r.bonds[names[0]]; return nil })
}

// knownAtTop are commands that say nothing of what is read.
var knownAtTop = []string{"nv set system", "nv set service", "nv set acl", "nv set bridge", "nv set evpn",
	"nv set mlag", "nv set nve",
	"nv set platform", "nv set router policy", "nv set router bfd", "nv set router vrr", "nv set router vrrp",
	"nv set router ospf",
	"nv set router pbr", "nv set router pim", "nv set router igmp", "nv set router nexthop-group",
	"nv set router nexthop", "nv set router ptm",
	"nv set vrf", "nv set qos remark", "nv set qos link-pause", "nv set qos egress-shaper",
	"nv set qos advance-buffer-config",
	"nv set qos buffer", "nv set qos traffic-pool", "nv set qos pfc-watchdog", "nv set telemetry", "nv set ptp",
	"nv set maintenance",
	"nv set router adaptive-routing profile", "nv config", "nv show", "nv action", "nv set lldp", "nv set dhcp",
	"nv set cluster",
	"nv set router segment-routing", "nv set router rib", "nv set qos headroom", "nv set dot1x",
	"nv set interface-group", "nv set router isis", "nv set router static", "nv set router evpn", "nv set fabric",
	"nv set ib", "nv set security", "nv set macsec", "nv set qos advance-buffer", "nv set qos packet-trim",
	"nv set bmc", "nv list-commands",
	"sudo", "cumulus@"}

// knownOnInterface are attributes of an interface that say nothing of what is read.
var knownOnInterface = []string{"acl", "dot1x", "evpn", "link auto-negotiate", "link fec", "link breakout",
	"link lanes", "link duplex", "link flap-protection",
	"link phy-detail", "link fast-linkup", "link buffer", "link mac", "link mac-address", "link protodown",
	"link signal-degrade", "lldp", "neighbor",
	"ptp", "router", "storm-control", "synce", "telemetry", "tunnel", "vlan", "base-interface", "ip vrr",
	"ip gateway", "ip ipv4",
	"ip ipv6", "ip forward", "ip dhcp-client", "ip vrf", "link fec-override", "link training",
	"link fast-recovery", "link stats", "link dot1x",
	"link precoding", "link round-trip-latency", "link group", "link ttl", "hbn", "remote-fault", "ip pim",
	"ip recycle-port", "label", "ipv6 vrf",
	"transceiver", "upgrade", "port-security", "poe", "macsec", "description-lldp", "cluster", "ip igmp",
	"ip neighbor-discovery", "ip vrrp", "ip address", "ipv4 vrr", "ipv4 vrrp",
	"ipv4 gateway", "ipv4 igmp", "ipv4 forward",
	"ipv4 dhcp-client", "ipv6 vrr", "ipv6 forward", "ipv6 state", "ipv6 neighbor-discovery", "ipv6 gateway",
	"ipv6 vrrp", "ipv6 enable",
	"ipv6 dhcp-client", "sflow", "counters", "pbr", "lag", "parent", "tagged", "untagged", "packet-trim", "qos",
	"bridge", "vrf"}

// defaults are what Cumulus does where nothing is said.
var defaults = netconf.Defaults{SwitchedMTU: defaultFrame, RoutedMTU: defaultFrame, SVIMTU: defaultFrame, All: []netconf.Default{
	netconf.FrameDefault("an interface", defaultFrame, "4.0 and later",
		"Cumulus Linux user guide, Interface Configuration: MTU"),
	{What: "qos roce",
		Value: "DSCP 24-31 in switch priority 3, 48-55 in 6, others in 0; class 3 50%, 0 50%, 6 strict; ECN of class 3; " +
			"lossless: priority 3 pauses; lossy: none", Source: "Cumulus Linux user guide, RoCE; nv show qos roce"},
	{What: "ECN without roce", Value: "class 0, from 150000 to 1500000 B, 100%",
		Source: "Cumulus Linux user guide, QoS: ECN"},
	{What: "PFC watchdog", Value: "off; looks every 100ms, acts after 3",
		Source: "Cumulus Linux user guide, PFC watchdog"},
	{What: "equal paths of BGP", Value: "64", Source: "Cumulus Linux user guide, BGP: ECMP"},
}}

// defaultFrame is that of packets of 9,216 bytes.
var defaultFrame = netconf.FrameOf(9216)
