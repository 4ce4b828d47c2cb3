package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/lint"
	"railyard/internal/netconf"
	"railyard/internal/netconf/dialects"
	"railyard/internal/unit"
)

// clean is a leaf with three ports: DSCP 26 in class 3, CNPs in class 6. Nothing is wrong with it.
func clean() *netconf.Device {
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

// render writes a device in a dialect.
func render(t *testing.T, dialect string, d *netconf.Device) string {
	t.Helper()
	fitting, _ := dialects.All[dialect].Fit(d)
	files, err := dialects.All[dialect].Render(fitting)
	if err != nil {
		t.Fatal(err)
	}
	return string(files[0].Text)
}

func read(dialect, name, text string) *lint.Device {
	files := []netconf.File{{Name: name, Text: []byte(text)}}
	return &lint.Device{Parsed: dialects.All[dialect].Parse(files), Dialect: dialect, File: name}
}

// planted are mistakes: each changes a clean configuration and breaks one rule.
var planted = []struct{ dialect, old, with, rule string }{
	{"nxos", "match dscp 26", "match dscp 28", "Q02"},
	{"nxos", "    priority level 1", "    bandwidth remaining percent 1", "Q03"},
	{"nxos", " weight 0 ecn", " weight 0", "Q04"},
	{"nxos", "minimum-threshold 150 kbytes", "minimum-threshold 1500 kbytes", "Q05"},
	{"nxos", "  priority-flow-control mode auto\n  priority-flow-control watch-dog-interval on\n",
		"  priority-flow-control mode auto\n",
		"Q10"},
	{"nxos", "mtu 9216", "mtu 1500", "Q12"},
	{"nxos", "interface Ethernet1/3\n  description to spine2 Ethernet1/1\n  priority-flow-control mode auto",
		"interface Ethernet1/3\n  description to spine2 Ethernet1/1\n  priority-flow-control mode off", "Q13"},
	{"nxos", "class-map type qos match-any ROCEv2\n  match dscp 26",
		"class-map type qos match-all ROCEv2\n  match dscp 26\n  match cos 3",
		"Q14"},
	{"nxos", "    bandwidth remaining percent 50\n    random-detect",
		"    bandwidth remaining percent 50\n    pause no-drop\n    random-detect",
		"Q14"},
	{"nxos", "    random-detect minimum-threshold", "    random-detect ecn\n    random-detect minimum-threshold", "Q14"},
	{"nxos", "spanning", "", "Q20"},
	{"nxos", "\npriority-flow-control watch-dog-interval on", "\npriority-flow-control watch-dog-interval 100", "Q21"},
	{"nxos", "feature lldp", "feature lldp\nno lldp tlv-select dcbxp", "Q22"},
	{"nxos", "feature lldp", "leaf1# show system config reload-pending\nFollowing config commands require copy r s + reload :\n" +
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
	{"eos", "hostname leaf1", "hostname leaf1\nspanning-tree mode mstp", "Q20"},
	{"sonic", `"26": "3"`, `"26": "1"`, "Q02"},
	{"sonic", `"pfc_enable": "3", "pfcwd_sw_enable": "3"`, `"pfcwd_sw_enable": "3"`, "Q02"},
	{"sonic", `"48": "6"`, `"48": "3"`, "Q03"},
	{"sonic", `, "wred_profile": "AZURE_LOSSLESS"`, ``, "Q04"},
	{"sonic", `"green_min_threshold": "150000"`, `"green_min_threshold": "1500000"`, "Q05"},
	{"sonic", `"dynamic_th": "-3"`, `"dynamic_th": "-8"`, "Q06"},
	{"sonic", `"pfc_enable": "3", "pfcwd_sw_enable": "3"`, `"pfc_enable": "0,1,3"`, "Q09"},
	{"sonic", `"POLL_INTERVAL": "100"`, `"POLL_INTERVAL": "300"`, "Q10"},
	{"sonic", `"mtu": "9198"`, `"mtu": "1500"`, "Q12"},
	{"sonic", ` "PORT": {`, ` "TELEMETRY": {"a": {"b": "c"}}, "PORT": {`, "Q20"},
	{"nvue", "ecn enable", "ecn disable", "Q04"},
	{"nvue", "min-threshold 150000", "min-threshold 1500000", "Q05"},
	{"nvue", "link mtu 9198", "link mtu 1500", "Q12"},
	{"nvue", "nv config apply", "nv set qos pfc x y\nnv config apply", "Q20"},
	{"junos", "set class-of-service schedulers s1-TC3 explicit-congestion-notification\n", "", "Q04"},
	{"junos", "schedulers s1-TC6 priority strict-high", "schedulers s1-TC6 transmit-rate percent 5", "Q03"},
	{"junos", "set class-of-service interfaces et-0/0/2 congestion-notification-profile cnp1\n", "", "Q13"},
	{"junos", "egress buffer-partition lossless percent 80", "egress buffer-partition lossless percent 70", "Q16"},
	{"junos", "set system", "set class-of-service forwarding-classes class TC3 explicit-congestion-notification\nset system", "Q16"},
	{"junos", "set class-of-service congestion-notification-profile cnp1 pfc-watchdog\n", "", "Q10"},
	{"junos", "set system", "set protocols lldp interface all\nset system", "Q20"},
}

// rules lists the rules of findings, each once.
func rules(all []lint.Finding) string {
	seen := map[string]bool{}
	var out []string
	for _, f := range all {
		if !seen[f.Rule] {
			seen[f.Rule] = true
			out = append(out, f.Rule)
		}
	}
	return strings.Join(out, " ")
}

func TestCleanIsSilent(t *testing.T) {
	for _, dialect := range dialects.Names() {
		if dialect == "frr" {
			continue // it says nothing of quality of service
		}
		if all := lint.Check([]*lint.Device{read(dialect, "f", render(t, dialect, clean()))}, nil); len(all) > 0 {
			t.Errorf("%s: %+v", dialect, all)
		}
	}
}

// TestPlanted: of each broken configuration exactly the planted rule is named, at a line.
func TestPlanted(t *testing.T) {
	n := 0
	for _, c := range planted {
		text := render(t, c.dialect, clean())
		broken := strings.Replace(text, c.old, c.with, 1)
		switch {
		case c.old == "spanning":
			broken = text + "spanning-tree mode mst\n"
		case strings.Contains("Q10 Q12 Q04 Q03 Q21", c.rule): // on all ports, of which none is forgotten
			broken = strings.ReplaceAll(text, c.old, c.with)
		}
		if c.rule == "Q04" && c.dialect == "sonic" || strings.Contains(c.old, "pfc_enable") {
			broken = strings.ReplaceAll(text, c.old, c.with)
		}
		if broken == text {
			t.Errorf("%s %s: nothing is changed\n%s", c.dialect, c.rule, text)
			continue
		}
		n++
		all := lint.Check([]*lint.Device{read(c.dialect, "f", broken)}, nil)
		if got := rules(all); got != c.rule {
			t.Errorf("%s, %q for %q: %s, want %s: %+v", c.dialect, c.with, c.old, got, c.rule, all)
		}
		for _, f := range all {
			if f.Line == 0 || f.Reason == "" || f.Fix == "" {
				t.Errorf("%s %s: no line, reason or fix: %+v", c.dialect, c.rule, f)
			}
		}
	}
	if n < 30 {
		t.Errorf("%d broken configurations, want at least 30", n)
	}
}

// Cumulus marks class 0 alone from the start, and nothing pauses.
func TestStockCumulus(t *testing.T) {
	all := lint.Check([]*lint.Device{read("nvue", "f", "nv set interface swp1 link mtu 9216\n"+
		"nv set qos mapping default-global dscp 26 switch-priority 1\n")}, nil)
	if got := rules(all); got != "Q21" {
		t.Errorf("%s, want Q21: %+v", got, all)
	}
}

// TestPairs: what two devices do against each other.
func TestPairs(t *testing.T) {
	spine := func(change func(*netconf.Device)) *netconf.Device {
		d := clean()
		d.Name, d.Balance.Seed = "spine1", 2
		for i := range d.Interfaces {
			d.Interfaces[i].Description = fmt.Sprintf("to leaf%d Ethernet1/2", i+1)
		}
		change(d)
		return d
	}
	for _, c := range []struct {
		rule   string
		change func(*netconf.Device)
	}{
		{"", func(*netconf.Device) {}},
		{"Q01", func(d *netconf.Device) {
			p := &d.QoS.Profiles[0]
			p.Classify[26], p.Classify[24] = 0, 3
		}},
		{"Q18", func(d *netconf.Device) { d.Balance.Seed = 1 }},
		{"Q23", func(d *netconf.Device) { d.QoS.Profiles[0].Classes[1].Pause.Priority = 4 }},
		{"Q23", func(d *netconf.Device) {
			d.QoS.Profiles[0].Classes[0].Share, d.QoS.Profiles[0].Classes[1].Share = 20, 80
		}},
	} {
		all := lint.Check([]*lint.Device{read("nxos", "leaf1", render(t, "nxos", clean())),
			read("nxos", "spine1", render(t, "nxos", spine(c.change)))}, nil)
		if got := rules(all); got != c.rule {
			t.Errorf("%s, want %s: %+v", got, c.rule, all)
		}
	}
	leaf, other := clean(), spine(func(d *netconf.Device) { d.Interfaces[0].LLDP.DCBX = netconf.DCBXCEE })
	leaf.Interfaces[1].LLDP.DCBX = netconf.DCBXIEEE
	all := lint.Check([]*lint.Device{read("eos", "leaf1", render(t, "eos", leaf)), read("nxos", "spine1",
		render(t, "nxos", other))}, nil)
	if got := rules(all); got != "Q24" {
		t.Errorf("%s, want Q24: %+v", got, all)
	}
	// With CEE shares that differ are an error; with IEEE they are a warning.
	for dcbx, want := range map[netconf.DCBX]lint.Severity{netconf.DCBXIEEE: lint.Warning, netconf.DCBXCEE: lint.Error} {
		leaf, other := clean(), spine(func(d *netconf.Device) {
			d.QoS.Profiles[0].Classes[0].Share, d.QoS.Profiles[0].Classes[1].Share = 20, 80
		})
		leaf.Interfaces[1].LLDP.DCBX, other.Interfaces[0].LLDP.DCBX = dcbx, dcbx
		all := lint.Check([]*lint.Device{read("nxos", "leaf1", render(t, "nxos", leaf)),
			read("nxos", "spine1", render(t, "nxos", other))}, nil)
		if len(all) != 1 || all[0].Rule != "Q23" || all[0].Severity != want {
			t.Errorf("%s: want one Q23, %s: %+v", dcbx, want, all)
		}
	}
	dlb := func(mac string) *netconf.Device {
		d := clean()
		d.Balance = &netconf.Balance{Method: "dlb", Unit: "packet", MAC: mac}
		return d
	}
	all = lint.Check([]*lint.Device{read("nxos", "a", render(t, "nxos", dlb("aa:bb:cc:dd:ee:ff"))),
		read("nxos", "b", render(t, "nxos", dlb("00:cc:cc:cc:cc:cc")))}, nil)
	errors := 0
	for _, f := range all {
		if f.Rule == "Q17" && f.Severity == lint.Error {
			errors++
		}
	}
	if rules(all) != "Q17" || errors != 1 {
		t.Errorf("want Q17: %+v", all)
	}
}

// TestDesign: with a design rates and cables are known, so headroom and marking are held against them.
func TestDesign(t *testing.T) {
	meant := clean()
	for _, c := range []struct {
		rule   string
		change func(d *netconf.Device)
	}{
		{"Q08", func(*netconf.Device) { meant.Interfaces[2].Speed = 100 * unit.GigabitPerSec }},
		{"", func(*netconf.Device) {}},
		{"Q02", func(d *netconf.Device) { d.QoS.Profiles[0].Classify[26], d.QoS.Profiles[0].Classify[24] = 0, 3 }},
		{"Q07", func(d *netconf.Device) { d.QoS.Profiles[0].Classes[1].Pause.Buffer.Headroom = 20 * unit.Kilobyte }},
	} {
		meant = clean()
		d := clean()
		d.QoS.Profiles[0].Classes[1].Pause.Buffer.Headroom = 300 * unit.Kilobyte
		c.change(d)
		design := &lint.Design{DSCP: 26, CNPDSCP: 48, Frame: 4178, Devices: map[string]*netconf.Device{"leaf1": meant},
			Delay: func(string, string) unit.Duration { return 25 * unit.Nanosecond }}
		all := lint.Check([]*lint.Device{read("sonic", "f", render(t, "sonic", d))}, design)
		if got := rules(all); got != c.rule {
			t.Errorf("%s, want %s: %+v", got, c.rule, all)
		}
	}
}

// TestCircle: a design in which buffers may wait for each other is warned of once, where a device pauses.
func TestCircle(t *testing.T) {
	design := &lint.Design{DSCP: 26, CNPDSCP: 48, Frame: 4178, Circle: "a > b > a"}
	pausing, other := read("eos", "leaf1", render(t, "eos", clean())), clean()
	other.Name, other.QoS, other.Balance.Seed = "leaf2", nil, 2
	for i := range other.Interfaces {
		other.Interfaces[i].QoS = nil
	}
	all := lint.Check([]*lint.Device{pausing, pausing}, design)
	if len(all) != 1 || all[0].Rule != "Q19" || all[0].Line == 0 {
		t.Errorf("want one Q19: %+v", all)
	}
	if all := lint.Check([]*lint.Device{read("eos", "leaf2", render(t, "eos", other))}, design); len(all) > 0 {
		t.Errorf("nothing pauses: %+v", all)
	}
}
