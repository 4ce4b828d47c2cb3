package junos_test

import (
	"net/netip"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/junos"
	"railyard/internal/config/netconf/netconftest"
)

// stock is a device of which each part is rendered: two ports whose class 3 pauses.
func stock() *netconf.Device {
	d := &netconf.Device{Name: "leaf1", Balance: &netconf.Balance{Method: "dlb", Unit: "flowlet", Gap: 50 * unit.Microsecond},
		QoS: &netconf.QoS{Profiles: make([]netconf.Profile, 1), Watchdog: netconf.Watchdog{On: true},
			Pools: netconf.Pools{LosslessPart: 80, HeadroomPart: 10, LossyPart: 10}}}
	p := &d.QoS.Profiles[0]
	p.Classify[26] = 3
	p.Classes = []netconf.Class{{Share: 40}, {TC: 3, Queue: 4, Share: 60,
		ECN: &netconf.ECN{MinFill: 10, MaxFill: 20, Probability: 5}, Pause: &netconf.Pause{Priority: 3}}}
	d.Interfaces = []netconf.Interface{
		{Name: "Ethernet1/1", MTU: 9018, QoS: &netconf.PortQoS{PFC: netconf.PFCOn, Watchdog: true}},
		{Name: "Ethernet1/2", QoS: &netconf.PortQoS{PFC: netconf.PFCOn, Watchdog: true}},
	}
	return d
}

// What is rendered is what Junos has words for: each of these is stock but for one thing.
func TestWhatIsRefused(t *testing.T) {
	type device = netconf.Device
	port := func(d *device) *netconf.Interface { return &d.Interfaces[0] }
	class := func(d *device) *netconf.Class { return &d.QoS.Profiles[0].Classes[1] }
	balance := func(b netconf.Balance) func(d *device) { return func(d *device) { d.Balance = &b } }
	pools := func(lossless, headroom, lossy int) func(d *device) {
		return func(d *device) {
			d.QoS.Pools = netconf.Pools{LosslessPart: lossless, HeadroomPart: headroom, LossyPart: lossy}
		}
	}
	ecn := func(e netconf.ECN) func(d *device) { return func(d *device) { class(d).ECN = &e } }
	const split, only = "a split of the buffer", "and nothing else"
	for _, c := range []struct {
		what   string
		change func(d *device)
		want   string // "": it is rendered
	}{
		{"as it is", func(*device) {}, ""},
		{"no name", func(d *device) { d.Name = "" }, "without a name"},
		{"BGP", func(d *device) { d.BGP = &netconf.BGP{} }, "BGP and LLDP"},
		{"LLDP", func(d *device) { d.LLDP = &netconf.LLDP{} }, "BGP and LLDP"},
		{"tunnels", func(d *device) { d.Tunnels = &netconf.Tunnels{} }, "VXLAN"},
		{"a port channel", func(d *device) { port(d).Channel = 1 }, "port channel 1"},
		{"a peer", func(d *device) { d.Peer = &netconf.Peer{Domain: "1"} }, "peer switch"},
		{"no balancer", func(d *device) { d.Balance = nil }, ""},
		{"ECMP", balance(netconf.Balance{Method: "ecmp"}), "load balancing"},
		{"flowlets", balance(netconf.Balance{Method: "dlb", Unit: "flowlet"}), ""},
		{"flowlets of 1 us", balance(netconf.Balance{Method: "dlb", Unit: "flowlet", Gap: unit.Microsecond}), ""},
		{"flowlets of 1.5 us", balance(netconf.Balance{Method: "dlb", Unit: "flowlet", Gap: 1500 * unit.Nanosecond}), "load balancing"},
		{"packets", balance(netconf.Balance{Method: "dlb", Unit: "packet"}), ""},
		{"packets with a gap", balance(netconf.Balance{Method: "dlb", Unit: "packet", Gap: unit.Microsecond}), "load balancing"},
		{"of nothing", balance(netconf.Balance{Method: "dlb"}), "load balancing"},
		{"with a MAC", balance(netconf.Balance{Method: "dlb", Unit: "packet", MAC: "x"}), "load balancing"},
		{"of a port", balance(netconf.Balance{Method: "dlb", Unit: "packet", Ports: []string{"x"}}), "load balancing"},
		{"with a seed", balance(netconf.Balance{Method: "dlb", Unit: "packet", Seed: 1}), "load balancing"},
		{"a name without a number", func(d *device) { port(d).Name = "mgmt" }, only},
		{"a loopback", func(d *device) { port(d).Kind = netconf.Loopback }, only},
		{"a VLAN", func(d *device) { port(d).VLAN = 5 }, only},
		{"an address", func(d *device) { port(d).Addresses = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/31")} }, only},
		{"a rate", func(d *device) { port(d).Speed = 1 }, only},
		{"DCBX", func(d *device) { port(d).LLDP.DCBX = netconf.DCBXCEE }, only},
		{"a description", func(d *device) { port(d).Description = "x" }, only},
		{"no QoS", func(d *device) { port(d).QoS = nil }, only},
		{"256 B", func(d *device) { port(d).MTU = 256 + 4 }, ""},
		{"255 B", func(d *device) { port(d).MTU = 255 + 4 }, "at most 259B"},
		{"16000 B", func(d *device) { port(d).MTU = 16_000 + 4 }, ""},
		{"16001 B", func(d *device) { port(d).MTU = 16_001 + 4 }, "at most 16005B"},
		{"no MTU", func(d *device) { port(d).MTU = 0 }, ""},
		{"PFC by DCBX", func(d *device) { port(d).QoS.PFC, port(d).QoS.Watchdog = netconf.PFCAuto, false }, "PFC auto"},
		{"a cable", func(d *device) { port(d).QoS.Cable = 1 }, "cable lengths"},
		{"no watchdog of a port", func(d *device) { port(d).QoS.Watchdog = false }, "on some ports only"},
		{"no watchdog where PFC is off", func(d *device) { port(d).QoS.PFC, port(d).QoS.Watchdog = netconf.PFCOff, false }, ""},
		{"one where PFC is off", func(d *device) { port(d).QoS.PFC = netconf.PFCOff }, "on some ports only"},
		{"one of a device that has none", func(d *device) { d.QoS.Watchdog.On = false }, "on some ports only"},
		{"one without PFC", func(d *device) {
			for i := range d.Interfaces {
				*d.Interfaces[i].QoS = netconf.PortQoS{}
			}
		}, "no port with PFC"},
		{"times", func(d *device) { d.QoS.Watchdog.Detect = 1 }, "times of the watchdog"},
		{"no split", pools(0, 0, 0), ""},
		{"1 %", pools(1, 0, 99), ""},
		{"100 %", pools(100, 0, 0), ""},
		{"99 %", pools(80, 10, 9), split},
		{"101 %", pools(80, 11, 10), split},
		{"nothing lossless", pools(0, 50, 50), split},
		{"less than no headroom", pools(80, -1, 21), split},
		{"less than nothing lossy", pools(80, 21, -1), split},
		{"a size", func(d *device) { d.QoS.Pools.Size = 1 }, split},
		{"headroom in bytes", func(d *device) { d.QoS.Pools.Headroom = 1 }, split},
		{"thresholds", func(d *device) { class(d).Pause.Buffer = &netconf.Buffer{} }, "thresholds of an ingress"},
		{"no DSCP that pauses", func(d *device) { d.QoS.Profiles[0].Classify[26] = 0 }, "no DSCP is in it"},
		{"no DSCP, and no pause", func(d *device) { d.QoS.Profiles[0].Classify[26], class(d).Pause = 0, nil }, ""},
		{"no ECN", func(d *device) { class(d).ECN = nil }, ""},
		{"from 0 to 1 %", ecn(netconf.ECN{MaxFill: 1}), ""},
		{"to nothing", ecn(netconf.ECN{}), "WRED"},
		{"from 100 to 100 %", ecn(netconf.ECN{MinFill: 100, MaxFill: 100, Probability: 100}), ""},
		{"to 101 %", ecn(netconf.ECN{MinFill: 100, MaxFill: 101}), "WRED"},
		{"from less than nothing", ecn(netconf.ECN{MinFill: -1, MaxFill: 1}), "WRED"},
		{"downwards", ecn(netconf.ECN{MinFill: 2, MaxFill: 1}), "WRED"},
		{"from bytes", ecn(netconf.ECN{MaxFill: 1, Min: 1}), "WRED"},
		{"to bytes", ecn(netconf.ECN{MaxFill: 1, Max: 1}), "WRED"},
		{"less than never", ecn(netconf.ECN{MaxFill: 1, Probability: -1}), "WRED"},
		{"more than always", ecn(netconf.ECN{MaxFill: 1, Probability: 101}), "WRED"},
		{"another queue on a port", func(d *device) { second(d).Queue = 5 }, "another queue or pause"},
		{"another priority on a port", func(d *device) { second(d).Pause.Priority = 5 }, "another queue or pause"},
		{"no pause on a port", func(d *device) { second(d).Pause = nil }, "another queue or pause"},
		{"another share on a port", func(d *device) { second(d).Share = 5 }, ""},
	} {
		d := stock()
		c.change(d)
		netconftest.Refused(t, c.what, junos.Dialect{}, d, c.want)
	}
}

// second gives the second port a profile of its own, and returns its class 3.
func second(d *netconf.Device) *netconf.Class {
	d.QoS.Profiles = append(d.QoS.Profiles, stock().QoS.Profiles[0])
	d.Interfaces[1].QoS.Profile = 1
	return &d.QoS.Profiles[1].Classes[1]
}

// What is fitted is rendered: lengths become parts of the lossless buffer, and what there is no word for is said.
func TestWhatIsFitted(t *testing.T) {
	marks := func(low, high unit.Bytes) func(d *netconf.Device) {
		return func(d *netconf.Device) {
			d.QoS.Pools.Size = 125_000 // 80 % of it are 100 kB
			d.QoS.Profiles[0].Classes[1].ECN = &netconf.ECN{Min: low, Max: high, Probability: 5}
		}
	}
	const curve = "interpolate fill-level [ "
	for _, c := range []struct {
		what   string
		change func(d *netconf.Device)
		want   string // is rendered
		left   string // is said; "": nothing
	}{
		{"as it is", func(*netconf.Device) {}, curve + "10 20 ] drop-probability [ 0 5 ]", ""},
		{"a fifth to a half", marks(20_999, 50_000), curve + "20 50 ]", "20 to 50 % of the queue"},
		{"two that are one", marks(20_000, 20_500), curve + "20 21 ]", "20 to 21 %"},
		{"all of it", marks(99_000, 100_000), curve + "99 100 ]", "99 to 100 %"},
		{"more than all", marks(100_000, 300_000), curve + "99 100 ]", "99 to 100 %"},
		{"no size", func(d *netconf.Device) { d.QoS.Profiles[0].Classes[1].ECN.Drops = true }, curve + "10 20 ]", ""},
		{"flowlets without an interval", func(d *netconf.Device) { d.Balance.Gap = 0 }, "ecmp-dlb flowlet\n", ""},
		{"flowlets of 1 us", func(d *netconf.Device) { d.Balance.Gap = unit.Microsecond }, "flowlet inactivity-interval 1\n", ""},
		{"packets", func(d *netconf.Device) { d.Balance.Unit, d.Balance.Gap = "packet", 0 }, "ecmp-dlb per-packet\n", ""},
		{"of a port", func(d *netconf.Device) { d.Balance.Ports = []string{"x"} }, "inactivity-interval 50\n", ""},
		{"ECMP", func(d *netconf.Device) { d.Balance.Method = "ecmp" }, "pfc-watchdog", "load balancing ecmp"},
		{"dlb of nothing", func(d *netconf.Device) { d.Balance.Unit = "" }, "pfc-watchdog", "load balancing dlb"},
		{"a cable", func(d *netconf.Device) { d.Interfaces[0].QoS.Cable = unit.Metre }, "pfc-watchdog", ""},
		{"a rate", func(d *netconf.Device) { d.Interfaces[0].Speed = 1 }, "pfc-watchdog", ""},
		{"a description", func(d *netconf.Device) { d.Interfaces[0].Description = "x" }, "pfc-watchdog", "descriptions of ports"},
		{"thresholds", func(d *netconf.Device) {
			d.QoS.Profiles[0].Classes[1].Pause.Buffer = &netconf.Buffer{XOFF: 1}
		}, "pfc-priority 3", "headroom is a part of the buffer"},
		{"a watchdog of a port", func(d *netconf.Device) { d.Interfaces[1].QoS.Watchdog = false }, "pfc-watchdog", ""},
		{"times", func(d *netconf.Device) { d.QoS.Watchdog.Detect = unit.Second }, "pfc-watchdog", "acts after 1s"},
	} {
		d := stock()
		c.change(d)
		netconftest.Fitted(t, c.what, junos.Dialect{}, d, c.want, c.left)
	}
}

// Without PFC anywhere there is nothing to watch.
func TestNoWatchdogWithoutPFC(t *testing.T) {
	d := stock()
	for i := range d.Interfaces {
		d.Interfaces[i].QoS.PFC = netconf.PFCOff
	}
	d, _ = junos.Dialect{}.Fit(d)
	if d.QoS.Watchdog.On || d.Interfaces[0].QoS.Watchdog {
		t.Errorf("%+v, %+v", d.QoS.Watchdog, d.Interfaces[0].QoS)
	}
}
