package dialects

import (
	"fmt"
	"testing"

	"railyard/internal/config/netconf"
)

// What is not said is the platform's default in the model too: of BFD, timers and equal paths of BGP, of classes of DSCPs
// and of the watchdog.
//
// False if any of these values is changed.
func TestDefaultsHold(t *testing.T) {
	for _, c := range []struct{ dialect, text, want string }{
		{"eos", "hostname a\nrouter bgp 1\n neighbor 10.0.0.1 remote-as 2\n neighbor 10.0.0.1 bfd\n", "1 paths, 60s 3min, BFD 3 x 300ms"},
		{"nxos", "feature bgp\nfeature bfd\nrouter bgp 1\n  neighbor 10.0.0.1\n    bfd\n    remote-as 2\n    address-family ipv4 unicast\n",
			"1 paths, 60s 3min, BFD 3 x 50ms"},
		{"frr", "frr version 8\nfrr defaults datacenter\nrouter bgp 1\n neighbor 10.0.0.1 remote-as 2\n neighbor 10.0.0.1 bfd\n",
			"256 paths, 3s 9s, BFD 3 x 300ms"},
		{"frr", "frr version 8\nfrr defaults traditional\nrouter bgp 1\n no bgp ebgp-requires-policy\n neighbor 10.0.0.1 remote-as 2\n" +
			" neighbor 10.0.0.1 bfd\n", "256 paths, 60s 3min, BFD 3 x 300ms"},
		{"junos", "set protocols bgp group a peer-as 2\nset protocols bgp group a bfd-liveness-detection multiplier 3\n" +
			"set routing-options autonomous-system 1\nset protocols bgp group a neighbor 10.0.0.1\n", "1 paths, 30s 90s, BFD 3 x 300ms"},
		{"nvue", "nv set router bgp autonomous-system 1\nnv set vrf default router bgp neighbor 10.0.0.1 remote-as 2\n" +
			"nv set vrf default router bgp neighbor 10.0.0.1 bfd enable on\n", "64 paths, 3s 9s, BFD 3 x 300ms"},
		{"sonic", `{"DEVICE_METADATA": {"localhost": {"bgp_asn": "1"}}, "BGP_NEIGHBOR": {"10.0.0.1": {"asn": "2"}}}`,
			"64 paths, 60s 3min, BFD none"},
	} {
		p := All[c.dialect].Parse([]netconf.File{netconf.NewFile("f", []byte(c.text))})
		for _, x := range p.Problems {
			t.Errorf("%s: %s", c.dialect, x.Message)
		}
		b := p.Device.BGP
		if b == nil || len(b.Neighbours) != 1 {
			t.Errorf("%s: %+v", c.dialect, b)
			continue
		}
		bfd := "none"
		if f := b.Neighbours[0].BFD; f != nil {
			bfd = fmt.Sprintf("%d x %v", f.Multiplier, f.Interval)
		}
		if got := fmt.Sprintf("%d paths, %v %v, BFD %s", b.MaximumPaths, b.Keepalive, b.Hold, bfd); got != c.want {
			t.Errorf("%s: %s, want %s", c.dialect, got, c.want)
		}
	}
}

// Classes of DSCPs where little or nothing is said, and what Cumulus' roce and its watchdog come to.
func TestDefaultClasses(t *testing.T) {
	for _, c := range []struct{ dialect, text, port, want string }{
		{"eos", "qos map dscp 26 to traffic-class 3\ninterface Ethernet1\n no switchport\n priority-flow-control on\n", "Ethernet1/1",
			"0:8-15 1:0-7 2:16-23 3:24-31 4:32-39 5:40-47 6:48-55 7:56-63"},
		{"nvue", "nv set qos roce\nnv set interface swp1 link mtu 9000\n", "Ethernet1/1", "0:0-23 32-47 56-63 3:24-31 6:48-55"},
		{"nxos", "interface Ethernet1/1\n  priority-flow-control mode on\n", "Ethernet1/1", "0:0-63"},
		{"sonic", `{"PORT": {"Ethernet0": {"alias": "Ethernet1/1"}}, "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3"}}}`, "Ethernet1/1",
			"0:0-63"},
	} {
		d := All[c.dialect].Parse([]netconf.File{netconf.NewFile("f", []byte(c.text))}).Device
		i := d.Port(c.port)
		if i == nil || d.ProfileOf(i) == nil {
			t.Errorf("%s: no profile of %s", c.dialect, c.port)
			continue
		}
		got := ""
		for tc := range uint8(netconf.Classes) {
			if all := d.ProfileOf(i).DSCPs(tc); len(all) > 0 {
				got += fmt.Sprintf(" %d:%s", tc, join(netconf.Ranges(all)))
			}
		}
		if got != " "+c.want {
			t.Errorf("%s:%s, want %s", c.dialect, got, c.want)
		}
	}
	watch := "nv set qos roce\nnv set interface swp1 qos pfc-watchdog\n"
	w := All["nvue"].Parse([]netconf.File{netconf.NewFile("f", []byte(watch))}).Device.QoS.Watchdog
	if fmt.Sprint(w.Poll, w.Detect) != "100ms 300ms" {
		t.Errorf("Cumulus' watchdog: %v, %v", w.Poll, w.Detect)
	}
	for _, name := range Names() { // shown as they are
		for _, x := range All[name].Parse(nil).Defaults.All {
			t.Logf("%s: %s: %s", name, x.What, x.Value)
		}
	}
}

func join(all []string) (text string) {
	for i, x := range all {
		if i > 0 {
			text += " "
		}
		text += x
	}
	return text
}
