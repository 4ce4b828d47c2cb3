package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/config/dcbx"
	"railyard/internal/config/lint"
	"railyard/internal/config/lint/linttest"
	"railyard/internal/config/lldp"
	"railyard/internal/config/netconf"
)

// A port is held against the NIC that hears it: both pause the same priorities, by themselves or by DCBX, which a NIC that
// its host sets up does not speak.
//
// False if the NIC is taken for one that asks, or that has nothing of its own.
func TestPortsAgainstNICs(t *testing.T) {
	const auto, apart = netconf.PFCAuto, "Q23 error priorities 3 pause here, "
	for _, c := range []struct {
		name  string
		pfc   netconf.PFCMode
		lldp  bool // the switch speaks
		card  dcbx.Card
		known bool // who sets the NIC up
		want  string
	}{
		{"both on", netconf.PFCOn, true, dcbx.Card{PFC: 1 << 3, Host: true}, true, ""},
		{"another priority", netconf.PFCOn, true, dcbx.Card{PFC: 1 << 4, Host: true}, true, apart + "4 there (host1/qos:9)"},
		{"one more", netconf.PFCOn, true, dcbx.Card{PFC: 3 << 3, Host: true}, true, apart + "3,4 there (host1/qos:9)"},
		{"none at the NIC", netconf.PFCOn, true, dcbx.Card{Host: true}, true, apart + "none there"},
		{"firmware asks", netconf.PFCOn, true, dcbx.Card{PFC: 1 << 4}, true, ""},
		{"firmware asks, nobody answers", netconf.PFCOn, false, dcbx.Card{PFC: 1 << 4}, true, apart + "4 there"},
		{"auto and firmware", auto, true, dcbx.Card{}, true, ""},
		{"auto and a host", auto, true, dcbx.Card{PFC: 1 << 3, Host: true}, true, "Q22 error PFC is auto here, and the NIC's"},
		{"who sets it up is not known", netconf.PFCOn, false, dcbx.Card{PFC: 1 << 4}, false,
			"Q23 unknown priorities 3 pause here, 4 there (host1/qos:9), if"},
	} {
		d := linttest.Clean()
		port := &d.Interfaces[0]
		port.QoS.PFC, d.LLDP, port.LLDP.Silent = c.pfc, &netconf.LLDP{On: true}, !c.lldp
		dev := linttest.Read("nxos", "leaf1", linttest.Render(t, "nxos", d))
		card := lint.Card{Name: "host1 eth2", Card: c.card, At: netconf.Place{File: "host1/qos", Line: 9}}
		if c.known {
			card.By = netconf.Place{File: "host1/qos", Line: 3}
		}
		for system, held := range map[string]int{dev.Device.Name: 1, dev.Device.Name + ".example.org": 1, "leaf7": 0} {
			for _, say := range []lldp.Neighbour{{FarPort: dev.Native(dev.Device.Interfaces[0].Name)},
				{FarPort: "00:11:22:33:44:55", FarPortSay: dev.Native(dev.Device.Interfaces[0].Name)}} {
				card.Hears = say
				card.Hears.System = system
				hosts := lint.Hosts{Cards: []lint.Card{card}}
				if all, n := hosts.Held([]*lint.Device{dev}); all != 1 || n != held {
					t.Errorf("%s: %d of %d held", system, n, all)
				}
				var found []string
				for _, f := range lint.Check([]*lint.Device{dev}, nil, hosts) {
					if strings.Contains(f.Text, "host1 eth2: ") {
						found = append(found, fmt.Sprintf("%s %s %s", f.Rule, f.Severity, f.Text[strings.Index(f.Text, ": ")+2:]))
					}
				}
				got, want := strings.Join(found, "; "), c.want
				if held == 0 {
					want = ""
				}
				if !strings.HasPrefix(got, want) || want == "" && got != "" {
					t.Errorf("%s, %s: %q, want %q", c.name, system, got, want)
				}
			}
		}
	}
}
