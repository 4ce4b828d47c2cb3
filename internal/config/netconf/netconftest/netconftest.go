// Package netconftest is for the tests of dialects. It draws devices: what a dialect renders and reads back must be
// the device that was drawn. It plays scripts: configurations, and what each comes to.
package netconftest

import (
	"net/netip"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// Draw draws a device in the order of Device.Sort.
func Draw(t *rapid.T) *netconf.Device {
	d := &netconf.Device{Name: rapid.SampledFrom([]string{"rail1", "leaf-12", "spine3", "superspine1"}).Draw(t, "name")}
	six := rapid.Bool().Draw(t, "IPv6")
	lo := netconf.Interface{Name: "Loopback0", Kind: netconf.Loopback, Addresses: addresses(t, six, "10.255.0.1/32",
		"fd00:2::1/128")}
	d.Interfaces = append(d.Interfaces, lo)
	vlans := rapid.IntRange(0, 3).Draw(t, "VLANs")
	for v := range vlans {
		d.Interfaces = append(d.Interfaces, svi(t, six, v))
	}
	for n := range rapid.IntRange(0, 5).Draw(t, "ports") {
		d.Interfaces = append(d.Interfaces, port(t, six, n, vlans))
	}
	if rapid.Bool().Draw(t, "peer") {
		d.Peer = peer(t)
		bundle(t, d)
	}
	if Mostly(t, "BGP") {
		d.BGP = speaker(t, six)
		if vlans > 0 && rapid.Bool().Draw(t, "overlay") {
			overlay(t, d)
		}
	}
	d.Sort()
	return d
}

// Mostly is true three times of four. IntRange and SampledFrom would not say so: they favour what
// they begin with.
func Mostly(t *rapid.T, name string) bool {
	return rapid.Bool().Draw(t, name) || rapid.Bool().Draw(t, name+" after all")
}

func peer(t *rapid.T) *netconf.Peer {
	p := &netconf.Peer{Domain: rapid.SampledFrom([]string{"1", "100", "POD1"}).Draw(t, "domain"),
		Address: netip.MustParseAddr("10.255.255.1"), Link: rapid.SampledFrom([]int{0, 10, 4096}).Draw(t, "link")}
	if rapid.Bool().Draw(t, "own") {
		p.Source = netip.MustParseAddr("10.255.255.0")
	}
	if rapid.Bool().Draw(t, "SVI") {
		p.Local = "Vlan4094"
	} else if rapid.Bool().Draw(t, "VRF") {
		p.VRF = "management"
	}
	return p
}

// bundle puts some ports into port channels: those that are routed into that to the peer.
func bundle(t *rapid.T, d *netconf.Device) {
	for i := range d.Interfaces {
		p := &d.Interfaces[i]
		switch {
		case p.Kind != netconf.Physical || !rapid.Bool().Draw(t, "bundled"):
		case p.VLAN != 0:
			p.Channel = 4000 + i // each its own
			if rapid.Bool().Draw(t, "low") {
				p.Channel = 11 + i
			}
		case d.Peer.Link != 0:
			p.Channel, p.Addresses = d.Peer.Link, nil
		}
	}
}

func addresses(t *rapid.T, six bool, four, other string) (all []netip.Prefix) {
	if rapid.IntRange(0, 3).Draw(t, "bare") > 0 {
		all = append(all, netip.MustParsePrefix(four))
	}
	if six {
		all = append(all, netip.MustParsePrefix(other))
	}
	return all
}

func description(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "to spine1 Ethernet1/4", "rail 2", "x"}).Draw(t, "description")
}

func mtu(t *rapid.T) unit.Bytes {
	return rapid.SampledFrom([]unit.Bytes{0, 1518, 9216, 9232}).Draw(t, "MTU")
}

func svi(t *rapid.T, six bool, v int) netconf.Interface {
	names := [...]string{"Vlan101", "Vlan102", "Vlan4094"}
	return netconf.Interface{Name: names[v], Kind: netconf.SVI, VLAN: [...]int{101, 102, 4094}[v], MTU: mtu(t),
		Description: description(t),
		Addresses:   addresses(t, six, [...]string{"10.0.1.1/25", "10.0.1.129/25", "10.9.0.1/16"}[v], "fd00:0:0:1::1/64")}
}

func port(t *rapid.T, six bool, n, vlans int) netconf.Interface {
	number, part := n+1, 0
	if n > 2 && rapid.Bool().Draw(t, "split") {
		part = n - 2
	}
	i := netconf.Interface{Name: netconf.JoinPort(number, part), MTU: mtu(t), Description: description(t),
		Speed: rapid.SampledFrom([]unit.Bitrate{0, 100, 400, 800}).Draw(t, "speed") * unit.GigabitPerSec}
	if vlans > 0 && rapid.Bool().Draw(t, "access") {
		i.VLAN = [...]int{101, 102, 4094}[rapid.IntRange(0, vlans-1).Draw(t, "VLAN")]
		return i
	}
	i.Addresses = addresses(t, six, netip.PrefixFrom(netip.AddrFrom4([4]byte{172, 16, 0, byte(2 * n)}), 31).String(),
		"fd00:1::/127")
	return i
}

func speaker(t *rapid.T, six bool) *netconf.BGP {
	b := &netconf.BGP{AS: rapid.SampledFrom([]uint32{65001, 4200000001}).Draw(t, "AS"),
		RouterID: netip.MustParseAddr("10.255.0.1"), Keepalive: 3 * unit.Second, Hold: 9 * unit.Second,
		MaximumPaths: rapid.IntRange(1, 64).Draw(t, "paths"), Relax: rapid.Bool().Draw(t, "relax")}
	neighbours := 0
	if Mostly(t, "with neighbours") {
		neighbours = rapid.IntRange(1, 4).Draw(t, "neighbours")
	}
	for n := range neighbours {
		a := netip.AddrFrom4([4]byte{172, 16, 0, byte(2*n + 1)})
		if six && n%2 == 1 {
			a = netip.MustParseAddr([...]string{"", "fd00:1::1", "", "fd00:1::3"}[n])
		}
		nb := netconf.Neighbour{Address: a, AS: 4200000100 + uint32(n), Description: description(t),
			AllowASIn: rapid.IntRange(0, 2).Draw(t, "allowas"), BFD: watch(t)}
		if rapid.IntRange(0, 3).Draw(t, "inside") == 0 {
			nb.AS, nb.Client, nb.NextHopSelf = b.AS, rapid.Bool().Draw(t, "client"), rapid.Bool().Draw(t, "self")
		}
		b.Neighbours = append(b.Neighbours, nb)
	}
	for k, p := range []string{"10.0.1.0/25", "10.0.1.128/25", "10.255.0.1/32", "fd00:0:0:1::/64"} {
		if rapid.Bool().Draw(t, "network") && (k < 3 || six) {
			b.Networks = append(b.Networks, netip.MustParsePrefix(p))
		}
	}
	if rapid.Bool().Draw(t, "aggregate") {
		b.Aggregates = []netconf.Aggregate{{Prefix: netip.MustParsePrefix("10.0.1.0/24"),
			SummaryOnly: rapid.Bool().Draw(t, "only")}}
	}
	return b
}

// overlay makes a device an end of tunnels, and gives it sessions of EVPN.
func overlay(t *rapid.T, d *netconf.Device) {
	d.Tunnels = &netconf.Tunnels{Source: netip.MustParseAddr("10.255.0.1"), MTU: mtu(t)}
	for i := range d.Interfaces {
		if s := &d.Interfaces[i]; s.Kind == netconf.SVI {
			s.MAC = rapid.SampledFrom([]string{"", netconf.GatewayMAC}).Draw(t, "MAC")
			if len(d.Tunnels.VNIs) == 0 || rapid.Bool().Draw(t, "VNI") {
				d.Tunnels.VNIs = append(d.Tunnels.VNIs, netconf.VNI{VLAN: s.VLAN, Number: 10_000 + s.VLAN})
			}
		}
	}
	for n := range rapid.IntRange(0, 2).Draw(t, "sessions of EVPN") {
		d.BGP.Neighbours = append(d.BGP.Neighbours, netconf.Neighbour{Address: netip.AddrFrom4([4]byte{10, 255, 0, byte(n + 2)}),
			AS: 4200000200, Description: description(t), EVPN: true, Source: d.Tunnels.Source,
			Hops: rapid.SampledFrom([]int{0, 2, 255}).Draw(t, "hops"), AllowASIn: rapid.IntRange(0, 2).Draw(t, "allowas")})
	}
}

func watch(t *rapid.T) *netconf.BFD {
	interval := rapid.SampledFrom([]unit.Duration{0, 100, 300, 1000}).Draw(t, "BFD") * unit.Millisecond
	if interval == 0 {
		return nil
	}
	return &netconf.BFD{Interval: interval, Multiplier: rapid.IntRange(2, 5).Draw(t, "multiplier")}
}

// RoundTrip renders a device and reads it back: it must be the same.
func RoundTrip(t *rapid.T, of netconf.Dialect, d *netconf.Device) {
	files, err := of.Render(d)
	if err != nil {
		t.Fatal(err)
	}
	p := of.Parse(files)
	if len(p.Problems) > 0 {
		t.Fatal(p.Problems.Error())
	}
	if diff := cmp.Diff(d, p.Device, equal, same, none[netip.Prefix](), none[netconf.Interface](),
		none[netconf.Neighbour]()); diff != "" {
		t.Fatal(diff)
	}
}

// How addresses are compared.
var (
	equal = cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })
	same  = cmp.Comparer(func(a, b netip.Addr) bool { return a == b })
)

// none has a list of nothing be equal to no list.
func none[T any]() cmp.Option {
	return cmp.FilterValues(func(a, b []T) bool { return len(a) == 0 && len(b) == 0 }, cmp.Ignore())
}
