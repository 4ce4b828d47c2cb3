package lint_test

import (
	"fmt"
	"net/netip"
	"testing"

	"railyard/internal/config/lint"
	"railyard/internal/config/netconf"
)

// end is a leaf with a rail, which a VXLAN joins with that of other leaves. Nothing is wrong with two of them.
func end(n byte) *netconf.Device {
	return &netconf.Device{Name: fmt.Sprintf("leaf%d", n), Interfaces: []netconf.Interface{
		{Name: "Vlan101", Kind: netconf.SVI, VLAN: 101, MTU: 9166, MAC: netconf.GatewayMAC,
			Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.1.1/24")}},
		{Name: "Ethernet1/1", VLAN: 101, MTU: 9216, Description: fmt.Sprintf("to host%d nic0", n)},
		{Name: "Ethernet1/2", MTU: 9216, Addresses: []netip.Prefix{netip.PrefixFrom(netip.AddrFrom4([4]byte{172, 16, 0, 2 * n}), 31)}},
	}, Tunnels: &netconf.Tunnels{Source: netip.AddrFrom4([4]byte{10, 255, 0, n}), MTU: 9166,
		VNIs: []netconf.VNI{{VLAN: 101, Number: 10101}}}}
}

// Of tunnels that their links do not hold, and of VXLANs that join what is not one subnet, exactly that is found.
func TestOverlay(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(*netconf.Device)
		rule   string
	}{
		{"nothing", func(*netconf.Device) {}, ""},
		{"frames of tunnels", func(d *netconf.Device) { d.Tunnels.MTU = 9167 }, "Q12"},
		{"a subnet", func(d *netconf.Device) {
			d.Interfaces[0].Addresses = []netip.Prefix{netip.MustParsePrefix("10.0.2.1/24")}
		}, "Q26"},
		{"a gateway's MAC address", func(d *netconf.Device) { d.Interfaces[0].MAC = "" }, "Q26"},
		{"the VNI", func(d *netconf.Device) { d.Tunnels.VNIs[0].Number = 10102 }, ""},
	} {
		second := end(2)
		c.change(second)
		var all []*lint.Device
		for _, d := range []*netconf.Device{end(1), second} {
			all = append(all, &lint.Device{Parsed: &netconf.Parsed{Device: d}, Dialect: "frr", File: d.Name})
		}
		if got := rules(lint.Check(all, nil, lint.Hosts{})); got != c.rule {
			t.Errorf("%s: %q, want %q", c.what, got, c.rule)
		}
	}
}
