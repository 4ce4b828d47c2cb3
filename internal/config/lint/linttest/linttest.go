// Package linttest holds configurations for the tests of package lint and of what shows its findings: a clean one,
// and mistakes to plant in it.
package linttest

import (
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/config/lint"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/dialects"
)

// Clean is a leaf with three ports: DSCP 26 in class 3, CNPs in class 6. Nothing is wrong with it.
func Clean() *netconf.Device {
	p := netconf.Profile{Classes: []netconf.Class{
		{TC: 0, Queue: 0, Share: 50},
		{TC: 3, Queue: 3, Share: 50, ECN: &netconf.ECN{Min: 150 * unit.Kilobyte, Max: 1500 * unit.Kilobyte,
			Probability: 20},
			Pause: &netconf.Pause{Priority: 3, Buffer: &netconf.Buffer{Alpha: unit.Ratio{Num: 1, Den: 8},
				Resume: 18 * unit.Kilobyte, Headroom: 70 * unit.Kilobyte}}},
		{TC: 6, Queue: 6, Strict: true},
	}}
	p.Classify[26], p.Classify[48] = 3, 6
	d := &netconf.Device{
		Name: "leaf1", LLDP: &netconf.LLDP{On: true}, Balance: &netconf.Balance{Method: "ecmp", Seed: 1},
		QoS: &netconf.QoS{Profiles: []netconf.Profile{p},
			Watchdog: netconf.Watchdog{On: true, Poll: 100 * unit.Millisecond, Detect: 400 * unit.Millisecond,
				Restore: 400 * unit.Millisecond, Action: "drop"},
			Pools: netconf.Pools{Size: 64 * unit.Megabyte, Headroom: unit.Megabyte, LosslessPart: 80,
				HeadroomPart: 10, LossyPart: 10}},
	}
	for n, far := range []string{"host1 nic0", "spine1 Ethernet1/1", "spine2 Ethernet1/1"} {
		d.Interfaces = append(d.Interfaces, netconf.Interface{Name: netconf.JoinPort(n+1, 0), MTU: 9216,
			Description: "to " + far,
			Speed:       400 * unit.GigabitPerSec, QoS: &netconf.PortQoS{PFC: netconf.PFCAuto, Watchdog: true,
				Cable: 5 * unit.Metre}})
	}
	return d
}

// Render writes a device in a dialect.
func Render(t *testing.T, dialect string, d *netconf.Device) string {
	t.Helper()
	fitting, _ := dialects.All[dialect].Fit(d)
	files, err := dialects.All[dialect].Render(fitting)
	if err != nil {
		t.Fatal(err)
	}
	return string(files[0].Text)
}

// Read reads the one file of a device.
func Read(dialect, name, text string) *lint.Device {
	files := []netconf.File{{Name: name, Text: []byte(text)}}
	return &lint.Device{Parsed: dialects.All[dialect].Parse(files), Dialect: dialect, File: name}
}

// A Mistake changes a clean configuration of a dialect and breaks one rule, or two.
type Mistake struct{ Dialect, Old, With, Rule string }

// Break returns the clean configuration with the mistake in it. It fails where nothing is changed.
func (m *Mistake) Break(t *testing.T) string {
	t.Helper()
	text := Render(t, m.Dialect, Clean())
	broken := strings.Replace(text, m.Old, m.With, 1)
	switch {
	case m.Old == "spanning":
		broken = text + "frobnicate mode mst\n"
	case strings.Contains("Q10 Q12 Q04 Q03 Q21", m.Rule): // on all ports, of which none is forgotten
		broken = strings.ReplaceAll(text, m.Old, m.With)
	}
	if strings.HasPrefix(m.Rule, "Q04") && m.Dialect == "sonic" || strings.Contains(m.Old, "pfc_enable") {
		broken = strings.ReplaceAll(text, m.Old, m.With)
	}
	if broken == text {
		t.Errorf("%s %s: nothing is changed\n%s", m.Dialect, m.Rule, text)
	}
	return broken
}

// Planted are mistakes of every dialect.
var Planted = []Mistake{
	{"nxos", "match dscp 26", "match dscp 28", "Q02"},
	{"nxos", "    priority level 1", "    bandwidth remaining percent 1", "Q03"},
	{"nxos", " weight 0 ecn", " weight 0", "Q04"},
	{"nxos", "minimum-threshold 150 kbytes", "minimum-threshold 1500 kbytes", "Q05"},
	{"nxos", "  priority-flow-control mode auto\n  priority-flow-control watch-dog-interval on\n",
		"  priority-flow-control mode auto\n",
		"Q10"},
	{"nxos", "mtu 9216", "mtu 1500", "Q12"},
	{"nxos",
		"interface Ethernet1/3\n  description to spine2 Ethernet1/1\n  mtu 9216\n  priority-flow-control mode auto",
		"interface Ethernet1/3\n  description to spine2 Ethernet1/1\n  mtu 9216\n  priority-flow-control mode off", "Q13"},
	{"nxos", "class-map type qos match-any ROCEv2\n  match dscp 26",
		"class-map type qos match-all ROCEv2\n  match dscp 26\n  match cos 3",
		"Q14"},
	{"nxos", "    bandwidth remaining percent 50\n    random-detect",
		"    bandwidth remaining percent 50\n    pause no-drop\n    random-detect",
		"Q14"},
	{"nxos", "    random-detect minimum-threshold", "    random-detect ecn\n    random-detect minimum-threshold",
		"Q14"},
	{"nxos", "spanning", "", "Q20"},
	{"nxos", "\npriority-flow-control watch-dog-interval on", "\npriority-flow-control watch-dog-interval 100",
		"Q21"},
	{"nxos", "feature lldp", "feature lldp\nno lldp tlv-select dcbxp", "Q22"},
	{"nxos", "feature lldp",
		"leaf1# show system config reload-pending\nFollowing config commands require copy r s + reload :\n" +
			"=====\nhardware profile dlb\n=====\nleaf1# show running-config\nfeature lldp", "Q17 Q20"},
	{"eos", "qos map dscp 26 to traffic-class 3", "qos map dscp 26 to traffic-class 0", "Q02"},
	{"eos", "      priority strict\n", "      no priority\n", "Q03"},
	{"eos", "      random-detect ecn", "      ! random-detect ecn", "Q04"},
	{"eos", "minimum-threshold 150 kbytes", "minimum-threshold 2000 kbytes", "Q05"},
	{"eos", "polling-interval 0.1", "polling-interval 0.3", "Q10"},
	{"eos", "      bandwidth percent 50\n      random-detect", "      random-detect", "Q10"},
	{"eos", "   mtu 9198", "   mtu 1500", "Q12"},
	{"eos", "   description to spine2 Ethernet1/1\n   mtu 9198\n   service-profile ROCE",
		"   description to spine2 Ethernet1/1\n   mtu 9198",
		"Q13"},
	{"eos", "qos map traffic-class 6 to tx-queue 6",
		"qos map traffic-class 6 to tx-queue 6\nqos map traffic-class 3 to uc-tx-queue 3",
		"Q15"},
	{"eos", "   priority-flow-control priority 3 no-drop", "   priority-flow-control priority 3 no-drop\n" +
		"   priority-flow-control priority 4 enable", "Q15"},
	{"eos", "hostname leaf1", "hostname leaf1\nfrobnicate mode mstp", "Q20"},
	{"sonic", `"26": "3"`, `"26": "1"`, "Q02"},
	{"sonic", `"pfc_enable": "3", "pfcwd_sw_enable": "3"`, `"pfcwd_sw_enable": "3"`, "Q02"},
	{"sonic", `"48": "6"`, `"48": "3"`, "Q03"},
	{"sonic", `, "wred_profile": "AZURE_LOSSLESS"`, ``, "Q04 Q33"},
	{"sonic", `"green_min_threshold": "150000"`, `"green_min_threshold": "1500000"`, "Q05"},
	{"sonic", `"dynamic_th": "-3"`, `"dynamic_th": "-8"`, "Q06"},
	{"sonic", `"pfc_enable": "3", "pfcwd_sw_enable": "3"`, `"pfc_enable": "0,1,3"`, "Q09"},
	{"sonic", `"POLL_INTERVAL": "100"`, `"POLL_INTERVAL": "300"`, "Q10"},
	{"sonic", `"mtu": "9198"`, `"mtu": "1500"`, "Q12"},
	{"sonic", ` "PORT": {`, ` "TELEMETTRY": {"a": {"b": "c"}}, "PORT": {`, "Q20"},
	{"nvue", "ecn enable", "ecn disable", "Q04"},
	{"nvue", "min-threshold 150000", "min-threshold 1500000", "Q05"},
	{"nvue", "link mtu 9198", "link mtu 1500", "Q12"},
	{"nvue", "nv config apply", "nv set qos pfc x y\nnv config apply", "Q20"},
	{"junos", "set class-of-service schedulers s1-TC3 explicit-congestion-notification\n", "", "Q04"},
	{"junos", "schedulers s1-TC6 priority strict-high", "schedulers s1-TC6 transmit-rate percent 5", "Q03"},
	{"junos", "set class-of-service interfaces et-0/0/2 congestion-notification-profile cnp1\n", "", "Q13"},
	{"junos", "egress buffer-partition lossless percent 80", "egress buffer-partition lossless percent 70", "Q16"},
	{"junos", "set system",
		"set class-of-service forwarding-classes class TC3 explicit-congestion-notification\nset system", "Q16"},
	{"junos", "set class-of-service congestion-notification-profile cnp1 pfc-watchdog\n", "", "Q10"},
	{"junos", "set system", "set frobnicate interface all\nset system", "Q20"},
}
