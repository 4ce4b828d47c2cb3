package sonic_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/netconftest"
	"railyard/internal/config/netconf/sonic"
)

const ms = unit.Millisecond

// stock is a device of which each table is rendered: two ports whose class 3 pauses, one in a VLAN.
func stock() *netconf.Device {
	d := &netconf.Device{Name: "leaf1", QoS: &netconf.QoS{Profiles: make([]netconf.Profile, 1),
		Watchdog: netconf.Watchdog{On: true, Poll: 100 * ms, Detect: 400 * ms, Restore: 600 * ms, Action: "drop"}}}
	p := &d.QoS.Profiles[0]
	p.Classify[26] = 3
	p.Classes = []netconf.Class{{Share: 40}, {TC: 3, Queue: 3, Share: 60, ECN: &netconf.ECN{Min: 1000, Max: 2000, Probability: 5},
		Pause: &netconf.Pause{Priority: 3, Buffer: &netconf.Buffer{Alpha: unit.Ratio{Num: 1, Den: 8}, Resume: 3000, Headroom: 70000}}}}
	d.Interfaces = []netconf.Interface{
		{Name: "Loopback0", Kind: netconf.Loopback, Addresses: []netip.Prefix{netip.MustParsePrefix("10.255.0.1/32")}},
		{Name: "Vlan5", Kind: netconf.SVI, VLAN: 5, Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.5.1/24")}},
		{Name: "Ethernet1/1", VLAN: 5, MTU: 9018, Speed: 400 * unit.GigabitPerSec,
			QoS: &netconf.PortQoS{PFC: netconf.PFCOn, Watchdog: true}},
		{Name: "Ethernet1/2", MTU: 9018, Speed: 400 * unit.GigabitPerSec, QoS: &netconf.PortQoS{PFC: netconf.PFCOn}},
	}
	return d
}

// What is rendered is what the tables have a place for: each of these is stock but for one thing.
func TestWhatIsRefused(t *testing.T) {
	port := func(d *netconf.Device) *netconf.Interface { return &d.Interfaces[2] }
	class := func(d *netconf.Device) *netconf.Class { return &d.QoS.Profiles[0].Classes[1] }
	buffer := func(d *netconf.Device) *netconf.Buffer { return class(d).Pause.Buffer }
	peer := func(change func(p *netconf.Peer)) func(d *netconf.Device) {
		return func(d *netconf.Device) {
			d.Peer = &netconf.Peer{Domain: "1", Address: netip.MustParseAddr("10.9.0.1"),
				Source: netip.MustParseAddr("10.9.0.0"), Link: 10}
			change(d.Peer)
		}
	}
	for _, c := range []struct {
		what   string
		change func(d *netconf.Device)
		want   string // "": it is rendered
	}{
		{"as it is", func(*netconf.Device) {}, ""},
		{"no name", func(d *netconf.Device) { d.Name = "" }, "without a name"},
		{"LLDP", func(d *netconf.Device) { d.LLDP = &netconf.LLDP{} }, "LLDP and load balancing"},
		{"a balancer", func(d *netconf.Device) { d.Balance = &netconf.Balance{Method: "ecmp"} }, "LLDP and load balancing"},
		{"tunnels", func(d *netconf.Device) { d.Tunnels = &netconf.Tunnels{} }, "VXLAN"},
		{"a port channel", func(d *netconf.Device) { port(d).Channel = 1 }, "port channel 1"},
		{"half a Mb/s", func(d *netconf.Device) { port(d).Speed += unit.MegabitPerSec / 2 }, "a speed in whole Mb/s"},
		{"LLDP of a port", func(d *netconf.Device) { port(d).LLDP.DCBX = netconf.DCBXCEE }, "LLDP is not rendered"},
		{"a name without a number", func(d *netconf.Device) { port(d).Name = "mgmt" }, "want the name of a port"},
		{"two ports of one number", func(d *netconf.Device) { port(d).Name = "Ethernet1/2/1" }, "have the same number"},
		{"the least MTU", func(d *netconf.Device) { port(d).MTU = 68 + 18 }, ""},
		{"less", func(d *netconf.Device) { port(d).MTU = 67 + 18 }, "MTU 85B, want at least 86B"},
		{"no MTU", func(d *netconf.Device) { port(d).MTU = 0 }, ""},
		{"PFC by DCBX", func(d *netconf.Device) { port(d).QoS.PFC = netconf.PFCAuto }, "PFC auto"},
		{"no PFC", func(d *netconf.Device) { port(d).QoS.PFC = netconf.PFCOff }, ""},
		{"no QoS of a port", func(d *netconf.Device) { d.Interfaces[3].QoS = nil }, ""},
		{"Loopback1", func(d *netconf.Device) { d.Interfaces[0].Name = "Loopback1" }, "want Loopback0"},
		{"an SVI by another name", func(d *netconf.Device) { d.Interfaces[1].Name = "Vlan6" }, "want Loopback0 or VlanN"},
		{"MTU of an SVI", func(d *netconf.Device) { d.Interfaces[1].MTU = 9018 }, "of an SVI or a loopback"},
		{"description of a loopback", func(d *netconf.Device) { d.Interfaces[0].Description = "x" }, "of an SVI or a loopback"},
		{"QoS of an SVI", func(d *netconf.Device) { d.Interfaces[1].QoS = port(d).QoS }, "of an SVI or a loopback"},
		{"an address beside a VLAN", func(d *netconf.Device) { port(d).Addresses = d.Interfaces[0].Addresses }, "an address and VLAN 5"},
		{"VLAN 4094", func(d *netconf.Device) { port(d).VLAN = 4094 }, ""},
		{"VLAN 4095", func(d *netconf.Device) { port(d).VLAN = 4095 }, "VLAN 4095, want"},
		{"VLAN -1", func(d *netconf.Device) { port(d).VLAN = -1 }, "VLAN -1, want"},
		{"a size", func(d *netconf.Device) { d.QoS.Pools.Size = 1 }, ""},
		{"headroom of a size", func(d *netconf.Device) { d.QoS.Pools.Size, d.QoS.Pools.Headroom = 2, 1 }, ""},
		{"headroom of no size", func(d *netconf.Device) { d.QoS.Pools.Headroom = 1 }, "headroom without a size"},
		{"percent for headroom", func(d *netconf.Device) { d.QoS.Pools.HeadroomPart = 7 }, "in percent"},
		{"percent that pauses", func(d *netconf.Device) { d.QoS.Pools.LosslessPart = 7 }, "in percent"},
		{"percent that drops", func(d *netconf.Device) { d.QoS.Pools.LossyPart = 7 }, "in percent"},
		{"percents of three", func(d *netconf.Device) {
			d.QoS.Pools.LosslessPart, d.QoS.Pools.HeadroomPart, d.QoS.Pools.LossyPart = 7, 7, 14
		}, "in percent"},
		{"ECN that drops", func(d *netconf.Device) { class(d).ECN.Drops = true }, "want marks"},
		{"ECN in percent", func(d *netconf.Device) { class(d).ECN.MaxFill = 1 }, "want marks"},
		{"never", func(d *netconf.Device) { class(d).ECN.Probability = 0 }, ""},
		{"less than never", func(d *netconf.Device) { class(d).ECN.Probability = -1 }, "want marks"},
		{"always", func(d *netconf.Device) { class(d).ECN.Probability = 100 }, ""},
		{"more than always", func(d *netconf.Device) { class(d).ECN.Probability = 101 }, "want marks"},
		{"to 1 B", func(d *netconf.Device) { class(d).ECN.Max = 1 }, ""},
		{"to 0 B", func(d *netconf.Device) { class(d).ECN.Max = 0 }, "want marks"},
		{"strict", func(d *netconf.Device) { class(d).Strict, class(d).Share = true, 0 }, ""},
		{"strict with a share", func(d *netconf.Device) { class(d).Strict = true }, "strict, and a share"},
		{"strict with 1 %", func(d *netconf.Device) { class(d).Strict, class(d).Share = true, 1 }, "strict, and a share"},
		{"one queue of two", func(d *netconf.Device) { class(d).Queue = 0 }, "share a queue"},
		{"one priority of two", func(d *netconf.Device) {
			d.QoS.Profiles[0].Classes[0].Pause = &netconf.Pause{Priority: 3}
		}, "share a queue or a priority"},
		{"two priorities", func(d *netconf.Device) { d.QoS.Profiles[0].Classes[0].Pause = &netconf.Pause{} }, ""},
		{"2^8", func(d *netconf.Device) { buffer(d).Alpha = unit.Ratio{Num: 256, Den: 1} }, ""},
		{"2^9", func(d *netconf.Device) { buffer(d).Alpha = unit.Ratio{Num: 512, Den: 1} }, "from 2^-8 to 2^8"},
		{"2^-8", func(d *netconf.Device) { buffer(d).Alpha = unit.Ratio{Num: 1, Den: 256} }, ""},
		{"2^-9", func(d *netconf.Device) { buffer(d).Alpha = unit.Ratio{Num: 1, Den: 512} }, "from 2^-8 to 2^8"},
		{"a third", func(d *netconf.Device) { buffer(d).Alpha = unit.Ratio{Num: 1, Den: 3} }, "a power of 2"},
		{"three", func(d *netconf.Device) { buffer(d).Alpha = unit.Ratio{Num: 3, Den: 1} }, "a power of 2"},
		{"nothing", func(d *netconf.Device) { buffer(d).Alpha = unit.Ratio{} }, "a power of 2"},
		{"less than nothing", func(d *netconf.Device) { buffer(d).Alpha = unit.Ratio{Num: -1, Den: 2} }, "a power of 2"},
		{"a fixed one", func(d *netconf.Device) { buffer(d).Alpha, buffer(d).XOFF = unit.Ratio{}, 1 }, ""},
		{"both", func(d *netconf.Device) { buffer(d).XOFF = 1 }, "want a fixed one"},
		{"a peer", peer(func(*netconf.Peer) {}), ""},
		{"domain 4095", peer(func(p *netconf.Peer) { p.Domain = "4095" }), ""},
		{"domain 4096", peer(func(p *netconf.Peer) { p.Domain = "4096" }), "peer switch"},
		{"a domain with a name", peer(func(p *netconf.Peer) { p.Domain = "POD1" }), "peer switch"},
		{"a peer by IPv6", peer(func(p *netconf.Peer) { p.Address = netip.MustParseAddr("fd00::1") }), "peer switch"},
		{"from IPv6", peer(func(p *netconf.Peer) { p.Source = netip.MustParseAddr("fd00::1") }), "peer switch"},
		{"heard by an SVI", peer(func(p *netconf.Peer) { p.Local = "Vlan5" }), "peer switch"},
		{"in a VRF", peer(func(p *netconf.Peer) { p.VRF = "x" }), "peer switch"},
		{"no link", peer(func(p *netconf.Peer) { p.Link = 0 }), ""},
		{"link -1", peer(func(p *netconf.Peer) { p.Link = -1 }), "peer switch"},
		{"link 9999", peer(func(p *netconf.Peer) { p.Link = 9999 }), ""},
		{"link 10000", peer(func(p *netconf.Peer) { p.Link = 10000 }), "peer switch"},
	} {
		d := stock()
		c.change(d)
		netconftest.Refused(t, c.what, sonic.Dialect{}, d, c.want)
	}
}

// A watchdog is rendered with all its times in milliseconds, an action and a port that has it.
func TestWhichWatchdogsAreRefused(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(w *netconf.Watchdog, p *netconf.PortQoS)
		want   string
	}{
		{"1 ms", func(w *netconf.Watchdog, _ *netconf.PortQoS) { w.Poll, w.Detect, w.Restore = ms, ms, ms }, ""},
		{"no poll", func(w *netconf.Watchdog, _ *netconf.PortQoS) { w.Poll = 0 }, "watchdog"},
		{"no detect", func(w *netconf.Watchdog, _ *netconf.PortQoS) { w.Detect = 0 }, "watchdog"},
		{"no restore", func(w *netconf.Watchdog, _ *netconf.PortQoS) { w.Restore = 0 }, "watchdog"},
		{"half a millisecond", func(w *netconf.Watchdog, _ *netconf.PortQoS) { w.Restore = 3 * ms / 2 }, "watchdog"},
		{"it forwards", func(w *netconf.Watchdog, _ *netconf.PortQoS) { w.Action = "forward" }, ""},
		{"it tells", func(w *netconf.Watchdog, _ *netconf.PortQoS) { w.Action = "alert" }, ""},
		{"it shuts", func(w *netconf.Watchdog, _ *netconf.PortQoS) { w.Action = "shutdown" }, "watchdog"},
		{"no action", func(w *netconf.Watchdog, _ *netconf.PortQoS) { w.Action = "" }, "watchdog"},
		{"of no port", func(_ *netconf.Watchdog, p *netconf.PortQoS) { p.Watchdog = false }, "watchdog"},
		{"off", func(w *netconf.Watchdog, p *netconf.PortQoS) { *w, p.Watchdog = netconf.Watchdog{}, false }, ""},
		{"off with times", func(w *netconf.Watchdog, p *netconf.PortQoS) { w.On, p.Watchdog = false, false }, "watchdog"},
		{"off, and a port has it", func(w *netconf.Watchdog, _ *netconf.PortQoS) { *w = netconf.Watchdog{} }, "a device that has none"},
	} {
		d := stock()
		c.change(&d.QoS.Watchdog, d.Interfaces[2].QoS)
		netconftest.Refused(t, c.what, sonic.Dialect{}, d, c.want)
	}
}

// What is fitted is rendered: what it has no word for is left to SONiC, and said.
func TestWhatIsFitted(t *testing.T) {
	times := func(poll, detect, restore int) string {
		return fmt.Sprintf(`"GLOBAL": {"POLL_INTERVAL": "%d"},
  "Ethernet0": {"action": "drop", "detection_time": "%d", "restoration_time": "%d"}`, poll, detect, restore)
	}
	for _, c := range []struct {
		what   string
		change func(d *netconf.Device)
		want   string // is rendered
		left   string // is said
	}{
		{"as it is", func(*netconf.Device) {}, times(100, 400, 600), ""},
		{"of 5 s", func(d *netconf.Device) { d.QoS.Watchdog.Detect = 5001 * ms }, times(100, 5000, 600), "acts after 5.001s"},
		{"of a minute", func(d *netconf.Device) { d.QoS.Watchdog.Restore = 61_000 * ms }, times(100, 400, 60_000), "gives back after"},
		{"no port has it", func(d *netconf.Device) { d.Interfaces[2].QoS.Watchdog = false }, `"VLAN_MEMBER"`, ""},
		{"it is off", func(d *netconf.Device) { d.QoS.Watchdog.On = false }, `"VLAN_MEMBER"`, ""},
		{"percents", func(d *netconf.Device) { d.QoS.Pools = netconf.Pools{Size: 9, Headroom: 4, LosslessPart: 60} },
			`"size": "9", "xoff": "4"`, ""},
		{"a third", func(d *netconf.Device) {
			d.QoS.Profiles[0].Classes[1].Pause.Buffer.Alpha = unit.Ratio{Num: 1, Den: 3}
		}, `"pfc_enable": "3"`, "a power of 2"},
		{"a fixed xOFF", func(d *netconf.Device) {
			b := d.QoS.Profiles[0].Classes[1].Pause.Buffer
			b.Alpha, b.XOFF = unit.Ratio{}, 1
		}, `"static_th": "1"`, ""},
		{"more paths than FRR takes", func(d *netconf.Device) {
			d.BGP = &netconf.BGP{AS: 65001, RouterID: netip.MustParseAddr("10.255.0.1"), MaximumPaths: 4096,
				Keepalive: 3 * unit.Second, Hold: 9 * unit.Second}
		}, `"docker_routing_config_mode": "split-unified"`, "4096 equal paths"},
		{"a port channel", func(d *netconf.Device) { d.Interfaces[2].Channel = 4 }, `"VLAN_MEMBER"`, "port channels"},
		{"a balancer", func(d *netconf.Device) { d.Balance = &netconf.Balance{Method: "dlb"} }, `"VLAN_MEMBER"`, "dlb"},
		{"PFC by DCBX", func(d *netconf.Device) { d.Interfaces[2].QoS.PFC = netconf.PFCAuto }, `"pfc_enable": "3"`, "auto"},
		{"a drop threshold", func(d *netconf.Device) { d.QoS.Profiles[0].Classes[0].Drop = 1 }, `"VLAN_MEMBER"`, "drop"},
		{"a description of an SVI", func(d *netconf.Device) { d.Interfaces[1].Description = "x" }, `"VLAN_MEMBER"`, "description of SVIs"},
	} {
		d := stock()
		c.change(d)
		d, text := netconftest.Fitted(t, c.what, sonic.Dialect{}, d, c.want, c.left)
		if strings.Contains(text, "PFC_WD") != d.QoS.Watchdog.On {
			t.Errorf("%s: watchdog %+v, and rendered\n%s", c.what, d.QoS.Watchdog, text)
		}
	}
}

// Names and lanes of ports and their parts: eight lanes a port, of a part as many as its rate takes.
func TestLanes(t *testing.T) {
	for name, want := range map[string]string{
		"Ethernet1/1":   `"Ethernet0": {"alias": "Ethernet1/1", "lanes": "1,2,3,4,5,6,7,8", "speed": "400000"`,
		"Ethernet1/3":   `"Ethernet16": {"alias": "Ethernet1/3", "lanes": "17,18,19,20,21,22,23,24"`,
		"Ethernet1/3/1": `"Ethernet16": {"alias": "Ethernet1/3/1", "lanes": "17,18,19,20"`,
		"Ethernet1/3/5": `"Ethernet20": {"alias": "Ethernet1/3/5", "lanes": "21,22,23,24"`,
		"Ethernet1/3/7": `"Ethernet22": {"alias": "Ethernet1/3/7", "lanes": "23,24"`,
	} {
		d := stock()
		d.Interfaces[2].Name = name
		files, err := sonic.Dialect{}.Render(d)
		if err != nil || !strings.Contains(string(files[0].Text), want) {
			t.Errorf("%s: %v: want %s in %s", name, err, want, files)
		}
	}
}

// Texts are written as JSON has them.
func TestTextsAreJSON(t *testing.T) {
	for text, want := range map[string]string{
		"a~": `"a~"`, "a b": `"a b"`, `a"b`: `"a\"b"`, "ü": `"ü"`, "a\x7f": "\"a\x7f\"", "a<b": `"a\u003cb"`, "a\x1fb": `"a\u001fb"`,
	} {
		d := stock()
		d.Interfaces[2].Description = text
		files, err := sonic.Dialect{}.Render(d)
		if err != nil || !strings.Contains(string(files[0].Text), `"description": `+want) {
			t.Errorf("%q: %v: want %s in %s", text, err, want, files)
		}
	}
}

// A file may have 200,000 values: the object, its list and what is in that.
func TestMostValues(t *testing.T) {
	for n, wrong := range map[int]bool{199_998: false, 199_999: true} {
		text := `{"NTP_SERVER": [0` + strings.Repeat(",0", n-1) + "]}"
		p := sonic.Dialect{}.Parse([]netconf.File{{Name: "config_db.json", Text: []byte(text)}})
		if got := len(p.Problems) > 0; got != wrong {
			t.Errorf("%d in a list: %v", n, p.Problems)
		}
	}
}

// Lines of both files are counted together, each once.
func TestLinesOfBothFiles(t *testing.T) {
	db := netconf.File{Name: "config_db.json", Text: []byte(`{"PORT": {"Ethernet0": {"mtu": "9000", "colour": "blue"}},
 "NTP_SERVER": {"a": {}}}`)}
	bgp := netconf.File{Name: "frr/frr.conf", Text: []byte("frr defaults datacenter\nlog syslog\nrouter bgp 65001\n colour blue\n")}
	parse := func(files ...netconf.File) *netconf.Parsed { return sonic.Dialect{}.Parse(files) }
	a, b, both := parse(db).Lines, parse(bgp).Lines, parse(db, bgp).Lines
	if a.Understood == 0 || a.Known == 0 || a.Unread == 0 || b.Understood == 0 || b.Known == 0 || b.Unread == 0 {
		t.Fatalf("%+v, %+v: want some of each", a, b)
	}
	a.Understood, a.Known, a.Unread = a.Understood+b.Understood, a.Known+b.Known, a.Unread+b.Unread
	if both != a {
		t.Errorf("%+v, want %+v", both, a)
	}
}

// A buffer's pool is written where it has a size, or where a profile is of it; the link to a peer where there is one.
func TestWhatIsNotSaid(t *testing.T) {
	text := func(change func(d *netconf.Device)) string {
		d := stock()
		change(d)
		files, err := sonic.Dialect{}.Render(d)
		if err != nil {
			t.Fatal(err)
		}
		return string(files[0].Text)
	}
	no := func(d *netconf.Device) { d.QoS.Profiles[0].Classes[1].Pause.Buffer = nil }
	for _, c := range []struct {
		change func(d *netconf.Device)
		word   string
		want   bool
	}{
		{func(*netconf.Device) {}, "BUFFER_POOL", true},
		{no, "BUFFER_POOL", false},
		{func(d *netconf.Device) { no(d); d.QoS.Pools.Size = 1 }, "BUFFER_POOL", true},
		{func(d *netconf.Device) {
			d.Peer = &netconf.Peer{Domain: "1", Address: netip.MustParseAddr("10.9.0.1"), Source: netip.MustParseAddr("10.9.0.0")}
		}, "peer_link", false},
		{func(d *netconf.Device) {
			d.Peer = &netconf.Peer{Domain: "1", Address: netip.MustParseAddr("10.9.0.1"), Source: netip.MustParseAddr("10.9.0.0"), Link: 1}
		}, `"peer_link": "PortChannel1"`, true},
	} {
		if got := text(c.change); strings.Contains(got, c.word) != c.want {
			t.Errorf("%s: want it said: %v, in\n%s", c.word, c.want, got)
		}
	}
}
