package eos_test

import (
	"net/netip"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/eos"
	"railyard/internal/config/netconf/netconftest"
)

const ms = unit.Millisecond

// stock is a device of which each part is rendered: one of two peers.
func stock() *netconf.Device {
	d := &netconf.Device{Name: "leaf1", QoS: &netconf.QoS{Profiles: make([]netconf.Profile, 1),
		Watchdog: netconf.Watchdog{On: true, Poll: 100 * ms, Detect: 400 * ms, Restore: 600 * ms, Action: "drop"}},
		BGP: &netconf.BGP{AS: 65001, RouterID: netip.MustParseAddr("10.255.0.1"), MaximumPaths: 4, Keepalive: 3 * unit.Second,
			Hold: 9 * unit.Second, Relax: true, Neighbours: []netconf.Neighbour{{Address: netip.MustParseAddr("172.16.0.1"), AS: 65002}}},
		Peer: &netconf.Peer{Domain: "POD1", Local: "Vlan4094", Address: netip.MustParseAddr("10.9.0.1"), Link: 10}}
	p := &d.QoS.Profiles[0]
	p.Classify[26] = 3
	p.Classes = []netconf.Class{{Share: 40}, {TC: 3, Queue: 4, Share: 60,
		ECN: &netconf.ECN{Min: 1000, Max: 2000, Probability: 5}, Pause: &netconf.Pause{Priority: 3}}}
	prefixes := func(all ...string) (out []netip.Prefix) {
		for _, text := range all {
			out = append(out, netip.MustParsePrefix(text))
		}
		return out
	}
	qos := func() *netconf.PortQoS { return &netconf.PortQoS{PFC: netconf.PFCOn, Watchdog: true} }
	d.Interfaces = []netconf.Interface{
		{Name: "Loopback0", Kind: netconf.Loopback, Addresses: prefixes("10.255.0.1/32")},
		{Name: "Vlan5", Kind: netconf.SVI, VLAN: 5, MTU: 9018, Addresses: prefixes("10.0.5.1/24")},
		{Name: "Vlan4094", Kind: netconf.SVI, VLAN: 4094, Addresses: prefixes("10.9.0.0/31")},
		{Name: "Ethernet1/1", VLAN: 5, MTU: 9018, QoS: qos()},
		{Name: "Ethernet1/2", QoS: qos(), Addresses: prefixes("172.16.0.0/31")},
		{Name: "Ethernet1/3", Channel: 10},
		{Name: "Ethernet1/4", Channel: 7, VLAN: 5},
		{Name: "Ethernet1/5", Channel: 7, VLAN: 5},
	}
	return d
}

// What is rendered is what EOS has words for: each of these is stock but for one thing.
func TestWhatIsRefused(t *testing.T) {
	type device = netconf.Device
	svi := func(d *device) *netconf.Interface { return &d.Interfaces[1] }
	port := func(d *device) *netconf.Interface { return &d.Interfaces[3] }
	bundled := func(d *device) *netconf.Interface { return &d.Interfaces[7] }
	class := func(d *device) *netconf.Class { return &d.QoS.Profiles[0].Classes[1] }
	peer := func(change func(p *netconf.Peer)) func(d *device) { return func(d *device) { change(d.Peer) } }
	watchdog := func(change func(w *netconf.Watchdog)) func(d *device) {
		return func(d *device) { change(&d.QoS.Watchdog) }
	}
	for _, c := range []struct {
		what   string
		change func(d *device)
		want   string // "": it is rendered
	}{
		{"as it is", func(*device) {}, ""},
		{"no name", func(d *device) { d.Name = "" }, "without a name"},
		{"LLDP", func(d *device) { d.LLDP = &netconf.LLDP{} }, "LLDP of the device"},
		{"a balancer", func(d *device) { d.Balance = &netconf.Balance{Method: "ecmp"} }, "load balancing"},
		{"tunnels", func(d *device) { d.Tunnels = &netconf.Tunnels{} }, "VXLAN"},
		{"a neighbour inside", func(d *device) { d.BGP.Neighbours[0].AS = 65001 }, "inside an AS"},
		{"BFD of 99.5 ms", func(d *device) { d.BGP.Neighbours[0].BFD = &netconf.BFD{Interval: 199 * ms / 2} }, "parts of a millisecond"},
		{"a rate", func(d *device) { port(d).Speed = 1 }, "speed and LLDP"},
		{"no LLDP", func(d *device) { port(d).LLDP.Silent = true }, "speed and LLDP"},
		{"DCBX off", func(d *device) { port(d).LLDP.DCBX = netconf.DCBXOff }, "speed and LLDP"},
		{"DCBX", func(d *device) { port(d).LLDP.DCBX = netconf.DCBXCEE }, ""},
		{"an address beside a VLAN", func(d *device) { port(d).Addresses = svi(d).Addresses }, "an address and VLAN 5"},
		{"a name without a number", func(d *device) { port(d).Name = "mgmt" }, "want the name of a port"},
		{"the least MTU", func(d *device) { port(d).MTU = 68 + 18 }, ""},
		{"less", func(d *device) { port(d).MTU = 67 + 18 }, "MTU 85B"},
		{"PFC by DCBX", func(d *device) { port(d).QoS.PFC, port(d).QoS.Watchdog = netconf.PFCAuto, false }, "PFC auto"},
		{"a cable", func(d *device) { port(d).QoS.Cable = 1 }, "cable lengths"},
		{"no watchdog of a port", func(d *device) { port(d).QoS.Watchdog = false }, "on some ports only"},
		{"none where PFC is off", func(d *device) { port(d).QoS.PFC, port(d).QoS.Watchdog = netconf.PFCOff, false }, ""},
		{"Loopback1", func(d *device) { d.Interfaces[0].Name = "Loopback1" }, "want Loopback0"},
		{"a loopback in a VLAN", func(d *device) { d.Interfaces[0].VLAN = 5 }, "want Loopback0"},
		{"frames of a loopback", func(d *device) { d.Interfaces[0].MTU = 9018 }, "want Loopback0"},
		{"the least MTU of an SVI", func(d *device) { svi(d).MTU = 68 + 18 }, ""},
		{"less of an SVI", func(d *device) { svi(d).MTU = 67 + 18 }, "VlanN"},
		{"no MTU of an SVI", func(d *device) { svi(d).MTU = 0 }, ""},
		{"an SVI by another name", func(d *device) { svi(d).Name = "Vlan6" }, "VlanN"},
		{"Vlan1", func(d *device) { svi(d).Name, svi(d).VLAN = "Vlan1", 1 }, ""},
		{"Vlan0", func(d *device) { svi(d).Name, svi(d).VLAN = "Vlan0", 0 }, "VlanN"},
		{"Vlan4095", func(d *device) { svi(d).Name, svi(d).VLAN = "Vlan4095", 4095 }, "VlanN"},
		{"QoS of an SVI", func(d *device) { svi(d).QoS = port(d).QoS }, "VlanN"},
		{"a rate of an SVI", func(d *device) { svi(d).Speed = 1 }, "VlanN"},
		{"LLDP of an SVI", func(d *device) { svi(d).LLDP.DCBX = netconf.DCBXCEE }, "VlanN"},
		{"no peer for port channels", func(d *device) { d.Peer = nil }, "without a peer switch"},
		{"an SVI in a channel", func(d *device) { svi(d).Channel = 7 }, "without a peer switch, or with an address"},
		{"channel -1", func(d *device) { bundled(d).Channel = -1 }, "port channel -1"},
		{"an address in a channel", func(d *device) { bundled(d).Addresses = svi(d).Addresses }, "or with an address"},
		{"no VLAN in a channel", func(d *device) { bundled(d).VLAN = 0 }, "port channel 7 with VLAN 0"},
		{"another VLAN in a channel", func(d *device) { bundled(d).VLAN = 6 }, "port channel 7 with VLAN 6"},
		{"a VLAN to the peer", func(d *device) { d.Interfaces[5].VLAN = 5 }, "port channel 10 with VLAN 5"},
		{"channel 2000", func(d *device) { bundled(d).Channel = 2000 }, ""},
		{"channel 2001", func(d *device) { bundled(d).Channel = 2001 }, "want at most 2000"},
		{"link 999999", func(d *device) { d.Peer.Link, d.Interfaces[5].Channel = 999_999, 999_999 }, ""},
		{"link 1000000", func(d *device) { d.Peer.Link, d.Interfaces[5].Channel = 1_000_000, 1_000_000 }, "port channel 1000000"},
		{"a domain of two words", peer(func(p *netconf.Peer) { p.Domain = "POD 1" }), "peer switch"},
		{"no SVI", peer(func(p *netconf.Peer) { p.Local = "" }), "peer switch"},
		{"a loopback for an SVI", peer(func(p *netconf.Peer) { p.Local = "Loopback0" }), "peer switch"},
		{"an SVI that is none", peer(func(p *netconf.Peer) { p.Local = "Vlan4095" }), "peer switch"},
		{"a peer by IPv6", peer(func(p *netconf.Peer) { p.Address = netip.MustParseAddr("fd00::1") }), "peer switch"},
		{"from an address", peer(func(p *netconf.Peer) { p.Source = netip.MustParseAddr("10.9.0.0") }), "peer switch"},
		{"in a VRF", peer(func(p *netconf.Peer) { p.VRF = "x" }), "peer switch"},
		{"a split", func(d *device) { d.QoS.Pools.LossyPart = 1 }, "a split of the packet buffer"},
		{"10 ms, each 5", watchdog(func(w *netconf.Watchdog) { w.Detect, w.Poll = 10*ms, 5*ms }), ""},
		{"9 ms", watchdog(func(w *netconf.Watchdog) { w.Detect, w.Poll = 9*ms, 0 }), "watchdog"},
		{"each 4 ms", watchdog(func(w *netconf.Watchdog) { w.Poll = 4 * ms }), "watchdog"},
		{"no poll", watchdog(func(w *netconf.Watchdog) { w.Poll = 0 }), ""},
		{"a minute", watchdog(func(w *netconf.Watchdog) { w.Detect, w.Restore = unit.Minute, unit.Minute }), ""},
		{"more than a minute", watchdog(func(w *netconf.Watchdog) { w.Detect = unit.Minute + ms }), "watchdog"},
		{"back after more", watchdog(func(w *netconf.Watchdog) { w.Restore = unit.Minute + ms }), "watchdog"},
		{"back at once", watchdog(func(w *netconf.Watchdog) { w.Restore = 0 }), ""},
		{"half of that", watchdog(func(w *netconf.Watchdog) { w.Poll = 200 * ms }), ""},
		{"more than half", watchdog(func(w *netconf.Watchdog) { w.Poll = 201 * ms }), "watchdog"},
		{"more than half of going back", watchdog(func(w *netconf.Watchdog) { w.Restore = 199 * ms }), "watchdog"},
		{"a microsecond", watchdog(func(w *netconf.Watchdog) { w.Detect += unit.Microsecond }), ""},
		{"half of one", watchdog(func(w *netconf.Watchdog) { w.Detect += unit.Microsecond / 2 }), "watchdog"},
		{"it forwards", watchdog(func(w *netconf.Watchdog) { w.Action = "forward" }), "watchdog"},
		{"no action", watchdog(func(w *netconf.Watchdog) { w.Action = "" }), ""},
		{"off with times", watchdog(func(w *netconf.Watchdog) { w.On = false }), "watchdog"},
		{"two classes in a queue", func(d *device) { class(d).Queue = 0 }, "want a queue for each class"},
		{"a class in two queues", func(d *device) { second(d).Queue = 5 }, "want a queue for each class"},
		{"a share on a port", func(d *device) { second(d).Share = 5 }, ""},
		{"a map of one port", func(d *device) {
			second(d)
			d.QoS.Profiles[1].Classify[1] = 3
		}, "different maps"},
		{"another priority", func(d *device) { class(d).Pause.Priority = 4 }, "want its own number"},
		{"thresholds", func(d *device) { class(d).Pause.Buffer = &netconf.Buffer{} }, "the platform's thresholds"},
		{"strict", func(d *device) { class(d).Strict, class(d).Share = true, 0 }, ""},
		{"strict with 1 %", func(d *device) { class(d).Strict, class(d).Share = true, 1 }, "strict, and a share"},
		{"no ECN", func(d *device) { class(d).ECN = nil }, ""},
		{"it drops", func(d *device) { class(d).ECN.Drops = true }, "want marks"},
		{"in percent", func(d *device) { class(d).ECN.MaxFill = 1 }, "want marks"},
		{"from half a kbyte", func(d *device) { class(d).ECN.Min = 1500 }, "whole kbytes"},
		{"to half a kbyte", func(d *device) { class(d).ECN.Max = 2500 }, "whole kbytes"},
		{"never", func(d *device) { class(d).ECN.Probability = 0 }, "1 to 100"},
		{"1 %", func(d *device) { class(d).ECN.Probability = 1 }, ""},
		{"always", func(d *device) { class(d).ECN.Probability = 100 }, ""},
		{"more than always", func(d *device) { class(d).ECN.Probability = 101 }, "1 to 100"},
		{"to nothing", func(d *device) { class(d).ECN.Min, class(d).ECN.Max = 0, 0 }, "1 to 100"},
	} {
		d := stock()
		c.change(d)
		netconftest.Refused(t, c.what, eos.Dialect{}, d, c.want)
	}
}

// second gives the second port a profile of its own, and returns its class 3.
func second(d *netconf.Device) *netconf.Class {
	d.QoS.Profiles = append(d.QoS.Profiles, stock().QoS.Profiles[0])
	d.Interfaces[4].QoS.Profile = 1
	return &d.QoS.Profiles[1].Classes[1]
}

// What is fitted is rendered: what there is no word for is left to the platform, and said.
func TestWhatIsFitted(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(d *netconf.Device)
		want   string // is rendered
		left   string // is said; "": nothing
	}{
		{"as it is", func(*netconf.Device) {}, "watchdog default timeout 0.4\n", ""},
		{"of two minutes", func(d *netconf.Device) { d.QoS.Watchdog.Detect = 2 * unit.Minute }, "timeout 60\n", "acts after"},
		{"it forwards", func(d *netconf.Device) { d.QoS.Watchdog.Action = "forward" }, "watchdog action drop", "drop alone"},
		{"the own address of the SVI", func(d *netconf.Device) { d.Peer.Source = netip.MustParseAddr("10.9.0.0") }, "peer-link", ""},
		{"that of another", func(d *netconf.Device) { d.Peer.Source = netip.MustParseAddr("10.0.5.1") }, "hostname", "peer switch"},
		{"a channel without a VLAN", func(d *netconf.Device) { d.Interfaces[7].VLAN = 0 }, "hostname", "port channel 7"},
		{"no LLDP", func(d *netconf.Device) { d.Interfaces[3].LLDP.Silent = true }, "hostname", "no LLDP on a port"},
		{"LLDP", func(d *netconf.Device) { d.LLDP = &netconf.LLDP{On: true} }, "hostname", ""},
		{"LLDP off", func(d *netconf.Device) { d.LLDP = &netconf.LLDP{} }, "hostname", "LLDP off"},
		{"DCBX for all", func(d *netconf.Device) { d.LLDP = &netconf.LLDP{On: true, DCBX: netconf.DCBXCEE} }, "hostname", "one kind"},
		{"PFC by DCBX", func(d *netconf.Device) {
			d.Interfaces[3].QoS.PFC, d.Interfaces[3].QoS.Watchdog = netconf.PFCAuto, false
		}, "default timeout 0.4", "PFC auto"},
		{"a split", func(d *netconf.Device) { d.QoS.Pools.LossyPart = 1 }, "hostname", "split of the packet buffer"},
		{"a rate and a cable", func(d *netconf.Device) { d.Interfaces[3].Speed, d.Interfaces[3].QoS.Cable = 1, 1 }, "hostname", ""},
		{"thresholds", func(d *netconf.Device) {
			d.QoS.Profiles[0].Classes[1].Pause.Buffer = &netconf.Buffer{XOFF: 1}
		}, "hostname", "thresholds of an ingress"},
		{"a balancer", func(d *netconf.Device) { d.Balance = &netconf.Balance{Method: "dlb"} }, "hostname", "load balancing dlb"},
	} {
		d := stock()
		c.change(d)
		netconftest.Fitted(t, c.what, eos.Dialect{}, d, c.want, c.left)
	}
}
