package nxos_test

import (
	"net/netip"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/netconftest"
	"railyard/internal/config/netconf/nxos"
)

// stock is a device of which each part is rendered.
func stock() *netconf.Device {
	d := &netconf.Device{Name: "leaf1", LLDP: &netconf.LLDP{On: true}, Balance: &netconf.Balance{Method: "ecmp"},
		QoS: &netconf.QoS{Profiles: make([]netconf.Profile, 1), Watchdog: netconf.Watchdog{On: true}},
		BGP: &netconf.BGP{AS: 65001, RouterID: netip.MustParseAddr("10.255.0.1"), MaximumPaths: 4, Keepalive: 3 * unit.Second,
			Hold: 9 * unit.Second}}
	p := &d.QoS.Profiles[0]
	p.Classify[26] = 3
	p.Classes = []netconf.Class{{Share: 40}, {TC: 3, Queue: 3, Share: 60,
		ECN: &netconf.ECN{Min: 1000, Max: 2000, Probability: 5}, Pause: &netconf.Pause{Priority: 3,
			Buffer: &netconf.Buffer{XOFF: 90_000, Resume: 3000, Headroom: 70_000}}}}
	for n, a := range []string{"172.16.0.1", "fd00::1"} {
		d.BGP.Neighbours = append(d.BGP.Neighbours, netconf.Neighbour{Address: netip.MustParseAddr(a), AS: uint32(65002 + n),
			BFD: &netconf.BFD{Interval: 100 * unit.Millisecond, Multiplier: 3}})
	}
	d.Interfaces = []netconf.Interface{
		{Name: "Loopback0", Kind: netconf.Loopback, Addresses: []netip.Prefix{netip.MustParsePrefix("10.255.0.1/32")}},
		{Name: "Vlan5", Kind: netconf.SVI, VLAN: 5, MTU: 9216, Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.5.1/24")}},
		{Name: "Ethernet1/1", VLAN: 5, MTU: 9216, QoS: &netconf.PortQoS{PFC: netconf.PFCOn, Watchdog: true}},
		{Name: "Ethernet1/2", QoS: &netconf.PortQoS{PFC: netconf.PFCOn}, Addresses: []netip.Prefix{
			netip.MustParsePrefix("172.16.0.0/31"), netip.MustParsePrefix("fd00::/127")}},
	}
	return d
}

// What is rendered is what NX-OS has words for: each of these is stock but for one thing.
func TestWhatIsRefused(t *testing.T) {
	type device = netconf.Device
	port := func(d *device) *netconf.Interface { return &d.Interfaces[2] }
	class := func(d *device) *netconf.Class { return &d.QoS.Profiles[0].Classes[1] }
	buffer := func(d *device) *netconf.Buffer { return class(d).Pause.Buffer }
	bfd := func(d *device) *netconf.BFD { return d.BGP.Neighbours[0].BFD }
	watched := func(interval unit.Duration, multiplier int) func(d *device) {
		return func(d *device) {
			*bfd(d) = netconf.BFD{Interval: interval, Multiplier: multiplier}
			d.BGP.Neighbours[1].BFD = nil
		}
	}
	balance := func(b netconf.Balance) func(d *device) { return func(d *device) { d.Balance = &b } }
	lldp := func(l netconf.LLDP) func(d *device) { return func(d *device) { d.LLDP = &l } }
	peer := func(change func(p *netconf.Peer)) func(d *device) {
		return func(d *device) {
			d.Peer = &netconf.Peer{Domain: "1", Address: netip.MustParseAddr("10.9.0.1"), Link: 10}
			change(d.Peer)
		}
	}
	for _, c := range []struct {
		what   string
		change func(d *device)
		want   string // "": it is rendered
	}{
		{"as it is", func(*device) {}, ""},
		{"no name", func(d *device) { d.Name = "" }, "without a name"},
		{"a port channel", func(d *device) { port(d).Channel = 1 }, "port channel 1"},
		{"tunnels", func(d *device) { d.Tunnels = &netconf.Tunnels{} }, "VXLAN"},
		{"two addresses of a family", func(d *device) {
			d.Interfaces[0].Addresses = append(d.Interfaces[0].Addresses, netip.MustParsePrefix("10.255.0.2/32"))
		}, "several addresses"},
		{"keepalives of parts of a second", func(d *device) { d.BGP.Keepalive++ }, "parts of a second"},
		{"hold of parts of a second", func(d *device) { d.BGP.Hold++ }, "parts of a second"},
		{"a neighbour inside", func(d *device) { d.BGP.Neighbours[0].AS = 65001 }, "inside an AS"},
		{"BFD of 50 ms", watched(50*unit.Millisecond, 1), ""},
		{"BFD of 49 ms", watched(49*unit.Millisecond, 1), "BFD of 1 x 49ms"},
		{"BFD of 999 ms", watched(999*unit.Millisecond, 50), ""},
		{"BFD of 1000 ms", watched(unit.Second, 1), "BFD of 1 x 1s"},
		{"BFD of 99.5 ms", watched(199*unit.Millisecond/2, 3), "BFD of 3 x"},
		{"BFD never", watched(100*unit.Millisecond, 0), "BFD of 0 x"},
		{"BFD of 51", watched(100*unit.Millisecond, 51), "BFD of 51 x"},
		{"BFD of two kinds", func(d *device) { bfd(d).Multiplier = 4 }, "differs between neighbours"},
		{"no router identifier", func(d *device) { d.BGP.RouterID = netip.Addr{} }, "without a router identifier"},
		{"1 path", func(d *device) { d.BGP.MaximumPaths = 1 }, ""},
		{"0 paths", func(d *device) { d.BGP.MaximumPaths = 0 }, "0 equal paths"},
		{"64 paths", func(d *device) { d.BGP.MaximumPaths = 64 }, ""},
		{"65 paths", func(d *device) { d.BGP.MaximumPaths = 65 }, "65 equal paths"},
		{"80 bytes", func(d *device) { d.BGP.Neighbours[1].Description = strings.Repeat("x", 80) }, ""},
		{"81 bytes", func(d *device) { d.BGP.Neighbours[1].Description = strings.Repeat("x", 81) }, "of 81 bytes"},
		{"frames of 576 B", func(d *device) { port(d).MTU = 576 }, ""},
		{"frames of 575 B", func(d *device) { port(d).MTU = 575 }, "at most 575B"},
		{"frames of 9216 B", func(d *device) { port(d).MTU = 9216 }, ""},
		{"frames of 9217 B", func(d *device) { port(d).MTU = 9217 }, "at most 9217B"},
		{"frames of an SVI", func(d *device) { d.Interfaces[1].MTU = 9217 }, "at most 9217B"},
		{"a rate", func(d *device) { port(d).Speed = 1 }, "speed"},
		{"an address beside a VLAN", func(d *device) { port(d).Addresses = d.Interfaces[1].Addresses }, "an address and VLAN 5"},
		{"DCBX off", func(d *device) { port(d).LLDP.DCBX = netconf.DCBXOff }, "DCBX off"},
		{"no LLDP", func(d *device) { port(d).LLDP.Silent = true }, ""},
		{"DCBX without LLDP", func(d *device) {
			port(d).LLDP = netconf.PortLLDP{Silent: true, DCBX: netconf.DCBXCEE}
		}, "without LLDP"},
		{"a cable", func(d *device) { port(d).QoS.Cable = 1 }, "it takes no lengths"},
		{"Loopback1", func(d *device) { d.Interfaces[0].Name = "Loopback1" }, "want Loopback0"},
		{"a loopback in a VLAN", func(d *device) { d.Interfaces[0].VLAN = 5 }, "want Loopback0"},
		{"frames of a loopback", func(d *device) { d.Interfaces[0].MTU = 9000 }, "want Loopback0"},
		{"an SVI by another name", func(d *device) { d.Interfaces[1].Name = "Vlan6" }, "VlanN"},
		{"Vlan1", func(d *device) { d.Interfaces[1].Name, d.Interfaces[1].VLAN = "Vlan1", 1 }, ""},
		{"Vlan0", func(d *device) { d.Interfaces[1].Name, d.Interfaces[1].VLAN = "Vlan0", 0 }, "VlanN"},
		{"Vlan4094", func(d *device) { d.Interfaces[1].Name, d.Interfaces[1].VLAN = "Vlan4094", 4094 }, ""},
		{"Vlan4095", func(d *device) { d.Interfaces[1].Name, d.Interfaces[1].VLAN = "Vlan4095", 4095 }, "VlanN"},
		{"QoS of an SVI", func(d *device) { d.Interfaces[1].QoS = port(d).QoS }, "VlanN"},
		{"a rate of an SVI", func(d *device) { d.Interfaces[1].Speed = 1 }, "VlanN"},
		{"LLDP of an SVI", func(d *device) { d.Interfaces[1].LLDP.Silent = true }, "VlanN"},
		{"LLDP off", lldp(netconf.LLDP{}), "LLDP that is off"},
		{"DCBX of no port", lldp(netconf.LLDP{On: true, DCBX: netconf.DCBXOff}), ""},
		{"DCBX of IEEE for all", lldp(netconf.LLDP{On: true, DCBX: netconf.DCBXIEEE}), "one kind of DCBX"},
		{"DCBX of CEE for all", lldp(netconf.LLDP{On: true, DCBX: netconf.DCBXCEE}), "one kind of DCBX"},
		{"ECMP with a seed", balance(netconf.Balance{Method: "ecmp", Seed: 1}), ""},
		{"ECMP of queue pairs", balance(netconf.Balance{Method: "ecmp", QP: true}), "want the 5-tuple hashed"},
		{"ECMP with a gap", balance(netconf.Balance{Method: "ecmp", Gap: 1}), "want ecmp"},
		{"ECMP with a MAC", balance(netconf.Balance{Method: "ecmp", MAC: "x"}), "want ecmp"},
		{"ECMP of a port", balance(netconf.Balance{Method: "ecmp", Ports: []string{"x"}}), "want ecmp"},
		{"ECMP by packet", balance(netconf.Balance{Method: "ecmp", Unit: "packet"}), "want ecmp"},
		{"dlb by packet", balance(netconf.Balance{Method: "dlb", Unit: "packet"}), ""},
		{"dlb by nothing", balance(netconf.Balance{Method: "dlb"}), "want ecmp, or dlb by"},
		{"dlb with a seed", balance(netconf.Balance{Method: "dlb", Unit: "packet", Seed: 1}), "want ecmp, or dlb by"},
		{"packets with a gap", balance(netconf.Balance{Method: "dlb", Unit: "packet", Gap: unit.Microsecond}), "of flowlets"},
		{"flowlets", balance(netconf.Balance{Method: "dlb", Unit: "flowlet"}), ""},
		{"flowlets of 1 us", balance(netconf.Balance{Method: "dlb", Unit: "flowlet", Gap: unit.Microsecond}), ""},
		{"flowlets of 1.5 us", balance(netconf.Balance{Method: "dlb", Unit: "flowlet", Gap: 1500 * unit.Nanosecond}), "want whole"},
		{"a split", func(d *device) { d.QoS.Pools.LossyPart = 1 }, "a split of the packet buffer"},
		{"times", func(d *device) { d.QoS.Watchdog.Detect = 1 }, "times of the PFC watchdog"},
		{"no watchdog", func(d *device) { d.QoS.Watchdog.On = false }, ""},
		{"a queue of another number", func(d *device) { class(d).Queue = 4 }, "its queue has its number"},
		{"class 0 pauses", func(d *device) { d.QoS.Profiles[0].Classes[0].Pause = &netconf.Pause{} }, "other than 0"},
		{"a strict one pauses", func(d *device) { class(d).Strict = true }, "not strict"},
		{"ECN in percent", func(d *device) { class(d).ECN.MaxFill = 1 }, "in percent"},
		{"from half a kbyte", func(d *device) { class(d).ECN.Min = 1500 }, "whole kbytes"},
		{"to half a kbyte", func(d *device) { class(d).ECN.Max = 2500 }, "whole kbytes"},
		{"never", func(d *device) { class(d).ECN.Probability = 0 }, "ECN of 0%"},
		{"1 %", func(d *device) { class(d).ECN.Probability = 1 }, ""},
		{"always", func(d *device) { class(d).ECN.Probability = 100 }, ""},
		{"more than always", func(d *device) { class(d).ECN.Probability = 101 }, "ECN of 101%"},
		{"xON at nothing", func(d *device) { buffer(d).Resume = buffer(d).XOFF }, ""},
		{"xON below nothing", func(d *device) { buffer(d).Resume = buffer(d).XOFF + 1 }, "at least as high as xON"},
		{"xOFF of 1 B", func(d *device) { buffer(d).XOFF, buffer(d).Resume = 1, 0 }, ""},
		{"no xOFF", func(d *device) { buffer(d).XOFF, buffer(d).Resume = 0, 0 }, "a fixed one"},
		{"a reserve", func(d *device) { buffer(d).Reserve = 1 }, "a fixed one"},
		{"an alpha", func(d *device) { buffer(d).Alpha = unit.Ratio{Num: 1, Den: 8} }, "a fixed one"},
		{"another priority on some ports", func(d *device) { second(d).Priority = 4 }, "3 on some ports and pause of priority 4"},
		{"no pause on some ports", func(d *device) {
			second(d)
			d.QoS.Profiles[1].Classes[1].Pause = nil
		}, "pause of priority 3 on some ports and no pause on others"},
		{"a peer", peer(func(*netconf.Peer) {}), ""},
		{"domain 1000", peer(func(p *netconf.Peer) { p.Domain = "1000" }), ""},
		{"domain 1001", peer(func(p *netconf.Peer) { p.Domain = "1001" }), "peer switch"},
		{"a peer by IPv6", peer(func(p *netconf.Peer) { p.Address = netip.MustParseAddr("fd00::1") }), "peer switch"},
		{"from an address", peer(func(p *netconf.Peer) { p.Source = netip.MustParseAddr("10.9.0.0") }), ""},
		{"from IPv6", peer(func(p *netconf.Peer) { p.Source = netip.MustParseAddr("fd00::1") }), "peer switch"},
		{"heard by an SVI", peer(func(p *netconf.Peer) { p.Local = "Vlan5" }), "peer switch"},
		{"in a VRF", peer(func(p *netconf.Peer) { p.VRF = "x" }), ""},
		{"in a VRF of two words", peer(func(p *netconf.Peer) { p.VRF = "x y" }), "peer switch"},
		{"no link", peer(func(p *netconf.Peer) { p.Link = 0 }), ""},
		{"link -1", peer(func(p *netconf.Peer) { p.Link = -1 }), "peer switch"},
		{"link 4096", peer(func(p *netconf.Peer) { p.Link = 4096 }), ""},
		{"link 4097", peer(func(p *netconf.Peer) { p.Link = 4097 }), "peer switch"},
	} {
		d := stock()
		c.change(d)
		netconftest.Refused(t, c.what, nxos.Dialect{}, d, c.want)
	}
}

// second gives the second port a profile of its own, alike but for its pause, which it returns.
func second(d *netconf.Device) *netconf.Pause {
	d.QoS.Profiles = append(d.QoS.Profiles, stock().QoS.Profiles[0])
	d.Interfaces[3].QoS.Profile = 1
	d.QoS.Profiles[1].Classes[1].Share = 30
	return d.QoS.Profiles[1].Classes[1].Pause
}

// What is fitted is rendered: what there is no word for is left to the platform, and said.
func TestWhatIsFitted(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(d *netconf.Device)
		want   string // is rendered
		left   string // is said; "": nothing
	}{
		{"as it is", func(*netconf.Device) {}, "pause buffer-size 160000 pause-threshold 90000 resume-threshold 87000", ""},
		{"a reserve", func(d *netconf.Device) { d.QoS.Profiles[0].Classes[1].Pause.Buffer.Reserve = 1000 },
			"pause buffer-size 161000 pause-threshold 91000 resume-threshold 88000", ""},
		{"an alpha", func(d *netconf.Device) {
			b := d.QoS.Profiles[0].Classes[1].Pause.Buffer
			b.XOFF, b.Alpha = 0, unit.Ratio{Num: 1, Den: 8}
		}, "pause pfc-cos 3", "fixed thresholds only"},
		{"ECMP of queue pairs", func(d *netconf.Device) { d.Balance.QP = true }, "ip load-sharing", "hashes the 5-tuple"},
		{"dlb by nothing", func(d *netconf.Device) { d.Balance.Method = "dlb" }, "feature bgp", "load balancing dlb"},
		{"dlb by packet", func(d *netconf.Device) { d.Balance.Method, d.Balance.Unit = "dlb", "packet" }, "mode per-packet", ""},
		{"dlb by flowlet", func(d *netconf.Device) { d.Balance.Method, d.Balance.Unit = "dlb", "flowlet" }, "mode flowlet", ""},
		{"65 paths", func(d *netconf.Device) { d.BGP.MaximumPaths = 65 }, "maximum-paths 64", "65 equal paths"},
		{"a rate and a cable", func(d *netconf.Device) { d.Interfaces[2].Speed, d.Interfaces[2].QoS.Cable = 1, 1 }, "feature bgp", ""},
		{"a split", func(d *netconf.Device) { d.QoS.Pools.LossyPart = 1 }, "feature bgp", "split of the packet buffer"},
		{"times", func(d *netconf.Device) { d.QoS.Watchdog.Detect = unit.Second }, "watch-dog-interval on", "acts after 1s"},
		{"a port channel", func(d *netconf.Device) { d.Interfaces[2].Channel = 4 }, "feature bgp", "port channels"},
		{"timers of parts of a second", func(d *netconf.Device) { d.BGP.Hold++ }, "pause pfc-cos 3", "timers of parts of a second"},
		{"a peer heard by an SVI", func(d *netconf.Device) {
			d.Peer = &netconf.Peer{Domain: "1", Address: netip.MustParseAddr("10.9.0.1"), Local: "Vlan5"}
		}, "feature bgp", "peer switch"},
	} {
		d := stock()
		c.change(d)
		netconftest.Fitted(t, c.what, nxos.Dialect{}, d, c.want, c.left)
	}
}

// IPv6 has its family in BGP where anything is of it.
func TestFamiliesOfBGP(t *testing.T) {
	const six, four = "\n  address-family ipv6 unicast\n", "\n  address-family ipv4 unicast\n"
	for what, c := range map[string]struct {
		change func(b *netconf.BGP)
		six    bool
	}{
		"a neighbour of it": {func(*netconf.BGP) {}, true},
		"none":              {func(b *netconf.BGP) { b.Neighbours = b.Neighbours[:1] }, false},
		"a network": {func(b *netconf.BGP) {
			b.Neighbours, b.Networks = nil, []netip.Prefix{netip.MustParsePrefix("fd00::/64")}
		}, true},
		"an aggregate": {func(b *netconf.BGP) {
			b.Neighbours, b.Aggregates = nil, []netconf.Aggregate{{Prefix: netip.MustParsePrefix("fd00::/64")}}
		}, true},
		"others' networks": {func(b *netconf.BGP) {
			p := netip.MustParsePrefix("10.0.0.0/8")
			b.Neighbours, b.Networks, b.Aggregates = nil, []netip.Prefix{p}, []netconf.Aggregate{{Prefix: p}}
		}, false},
	} {
		d := stock()
		c.change(d.BGP)
		files, err := nxos.Dialect{}.Render(d)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(files[0].Text); strings.Contains(text, six) != c.six || !strings.Contains(text, four) {
			t.Errorf("%s: %s", what, text)
		}
	}
}

// Lines are counted by what they are found to be, those of blocks too.
func TestLinesAreCounted(t *testing.T) {
	p := nxos.Dialect{}.Parse([]netconf.File{{Name: "running-config", Text: []byte("hostname leaf1\ninterface Ethernet1/1\n" +
		"  mtu 9000\n  colour blue\ninterface mgmt0\n  ip address 10.0.0.1/24\n")}})
	if l := p.Lines; l.Understood != 3 || l.Known != 2 || l.Unread != 1 {
		t.Errorf("%+v", l)
	}
}

// A port with one address is routed, as one with two is; one with a VLAN is not.
func TestRoutedPorts(t *testing.T) {
	d := stock()
	d.Interfaces[3].Addresses = d.Interfaces[3].Addresses[:1]
	files, err := nxos.Dialect{}.Render(d)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(files[0].Text); !strings.Contains(text, "interface Ethernet1/2\n  no switchport\n") ||
		strings.Count(text, "no switchport") != 1 {
		t.Error(text)
	}
}
