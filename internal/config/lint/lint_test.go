package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/config/lint"
	"railyard/internal/config/lint/linttest"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/dialects"
)

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
		device := linttest.Read(dialect, "f", linttest.Render(t, dialect, linttest.Clean()))
		if all := lint.Check([]*lint.Device{device}, nil, lint.Hosts{}); len(all) > 0 {
			t.Errorf("%s: %+v", dialect, all)
		}
	}
}

// TestPlanted: of each broken configuration exactly the planted rule is named, at a line.
func TestPlanted(t *testing.T) {
	n := 0
	for _, c := range linttest.Planted {
		broken := c.Break(t)
		n++
		all := lint.Check([]*lint.Device{linttest.Read(c.Dialect, "f", broken)}, nil, lint.Hosts{})
		if got := rules(all); got != c.Rule {
			t.Errorf("%s, %q for %q: %s, want %s: %+v", c.Dialect, c.With, c.Old, got, c.Rule, all)
		}
		for _, f := range all {
			if f.Line == 0 || f.Reason == "" || f.Fix == "" {
				t.Errorf("%s %s: no line, reason or fix: %+v", c.Dialect, c.Rule, f)
			}
		}
	}
	if n < 30 {
		t.Errorf("%d broken configurations, want at least 30", n)
	}
}

// Cumulus marks class 0 alone from the start, and nothing pauses.
func TestStockCumulus(t *testing.T) {
	all := lint.Check([]*lint.Device{linttest.Read("nvue", "f", "nv set interface swp1 link mtu 9216\n"+
		"nv set qos mapping default-global dscp 26 switch-priority 1\n")}, nil, lint.Hosts{})

	if got := rules(all); got != "Q21" {
		t.Errorf("%s, want Q21: %+v", got, all)
	}
}

// TestPairs: what two devices do against each other.
func TestPairs(t *testing.T) {
	spine := func(change func(*netconf.Device)) *netconf.Device {
		d := linttest.Clean()
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
		all := lint.Check([]*lint.Device{linttest.Read("nxos", "leaf1", linttest.Render(t, "nxos", linttest.Clean())),
			linttest.Read("nxos", "spine1", linttest.Render(t, "nxos", spine(c.change)))}, nil, lint.Hosts{})

		if got := rules(all); got != c.rule {
			t.Errorf("%s, want %s: %+v", got, c.rule, all)
		}
	}
	leaf, other := linttest.Clean(), spine(func(d *netconf.Device) { d.Interfaces[0].LLDP.DCBX = netconf.DCBXCEE })
	leaf.Interfaces[1].LLDP.DCBX = netconf.DCBXIEEE
	all := lint.Check([]*lint.Device{linttest.Read("eos", "leaf1", linttest.Render(t, "eos", leaf)), linttest.Read("nxos", "spine1",
		linttest.Render(t, "nxos", other))}, nil, lint.Hosts{})

	if got := rules(all); got != "Q24" {
		t.Errorf("%s, want Q24: %+v", got, all)
	}
	// A spine whose PFC is on and that says nothing leaves a port on auto without PFC.
	quiet := spine(func(d *netconf.Device) { d.LLDP = nil })
	for i := range quiet.Interfaces {
		quiet.Interfaces[i].QoS.PFC = netconf.PFCOn
	}
	if got := rules(lint.Check([]*lint.Device{linttest.Read("nxos", "leaf1", linttest.Render(t, "nxos", linttest.Clean())),
		linttest.Read("eos", "spine1", linttest.Render(t, "eos", quiet))}, nil, lint.Hosts{})); got != "Q22" {
		t.Errorf("%s, want Q22", got)
	}
	// With CEE shares that differ are an error; with IEEE they are a warning.
	for dcbx, want := range map[netconf.DCBX]lint.Severity{netconf.DCBXIEEE: lint.Warning, netconf.DCBXCEE: lint.Error} {
		leaf, other := linttest.Clean(), spine(func(d *netconf.Device) {
			d.QoS.Profiles[0].Classes[0].Share, d.QoS.Profiles[0].Classes[1].Share = 20, 80
		})
		leaf.Interfaces[1].LLDP.DCBX, other.Interfaces[0].LLDP.DCBX = dcbx, dcbx
		all := lint.Check([]*lint.Device{linttest.Read("nxos", "leaf1", linttest.Render(t, "nxos", leaf)),
			linttest.Read("nxos", "spine1", linttest.Render(t, "nxos", other))}, nil, lint.Hosts{})

		if len(all) != 1 || all[0].Rule != "Q23" || all[0].Severity != want {
			t.Errorf("%s: want one Q23, %s: %+v", dcbx, want, all)
		}
	}
	dlb := func(mac string) *netconf.Device {
		d := linttest.Clean()
		d.Balance = &netconf.Balance{Method: "dlb", Unit: "packet", MAC: mac}
		return d
	}
	all = lint.Check([]*lint.Device{linttest.Read("nxos", "a", linttest.Render(t, "nxos", dlb("aa:bb:cc:dd:ee:ff"))),
		linttest.Read("nxos", "b", linttest.Render(t, "nxos", dlb("00:cc:cc:cc:cc:cc")))}, nil, lint.Hosts{})

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
	meant := linttest.Clean()
	for _, c := range []struct {
		rule   string
		change func(d *netconf.Device)
	}{
		{"Q08", func(*netconf.Device) { meant.Interfaces[2].Speed = 100 * unit.GigabitPerSec }},
		{"", func(*netconf.Device) {}},
		{"Q02", func(d *netconf.Device) { d.QoS.Profiles[0].Classify[26], d.QoS.Profiles[0].Classify[24] = 0, 3 }},
		{"Q07", func(d *netconf.Device) { d.QoS.Profiles[0].Classes[1].Pause.Buffer.Headroom = 20 * unit.Kilobyte }},
	} {
		meant = linttest.Clean()
		d := linttest.Clean()
		d.QoS.Profiles[0].Classes[1].Pause.Buffer.Headroom = 300 * unit.Kilobyte
		c.change(d)
		design := &lint.Design{DSCP: 26, CNPDSCP: 48, Frame: 4178, Devices: map[string]*netconf.Device{"leaf1": meant},
			Delay: func(string, string) unit.Duration { return 25 * unit.Nanosecond }}
		all := lint.Check([]*lint.Device{linttest.Read("sonic", "f", linttest.Render(t, "sonic", d))}, design, lint.Hosts{})
		if got := rules(all); got != c.rule {
			t.Errorf("%s, want %s: %+v", got, c.rule, all)
		}
	}
}

// TestCircle: a design in which buffers may wait for each other is warned of once, where a device pauses.
func TestCircle(t *testing.T) {
	design := &lint.Design{DSCP: 26, CNPDSCP: 48, Frame: 4178, Circle: "a > b > a"}
	pausing, other := linttest.Read("eos", "leaf1", linttest.Render(t, "eos", linttest.Clean())), linttest.Clean()
	other.Name, other.QoS, other.Balance.Seed = "leaf2", nil, 2
	for i := range other.Interfaces {
		other.Interfaces[i].QoS = nil
	}
	all := lint.Check([]*lint.Device{pausing, pausing}, design, lint.Hosts{})
	if len(all) != 1 || all[0].Rule != "Q19" || all[0].Line == 0 {
		t.Errorf("want one Q19: %+v", all)
	}
	eos := []*lint.Device{linttest.Read("eos", "leaf2", linttest.Render(t, "eos", other))}
	if all := lint.Check(eos, design, lint.Hosts{}); len(all) > 0 {
		t.Errorf("nothing pauses: %+v", all)
	}
}

// A finding about a device stands at the line that is to blame, whatever other interfaces the device has.
func TestPlacesOfADevice(t *testing.T) {
	clean := linttest.Render(t, "nxos", linttest.Clean())
	device := func(name, old, with string) *lint.Device {
		text := strings.Replace(strings.Replace(clean, "hostname leaf1", "hostname "+name, 1), old, with, 1)
		return linttest.Read("nxos", name, text+"interface loopback0\n  ip address 10.255.0.1/32\n")
	}
	for _, c := range []struct{ rule, old, with, at string }{
		{"Q01", "match dscp 26", "match dscp 24", "class-map type qos match-any ROCEv2"},
		{"Q10", "\npriority-flow-control watch-dog-interval on", "", "  priority-flow-control watch-dog-interval on"},
	} {
		odd := device("leaf3", c.old, c.with)
		found := false
		for _, f := range lint.Check([]*lint.Device{device("leaf1", "", ""), device("leaf2", "", ""), odd}, nil, lint.Hosts{}) {
			if f.Rule != c.rule || f.Device != "leaf3" {
				continue
			}
			found = true
			lines := strings.Split(strings.Replace(strings.Replace(clean, "leaf1", "leaf3", 1), c.old, c.with, 1), "\n")
			if f.Line == 0 || !strings.Contains(lines[f.Line-1], c.at) {
				t.Errorf("%s at line %d, want it at %q", c.rule, f.Line, c.at)
			}
		}
		if !found {
			t.Errorf("no %s", c.rule)
		}
	}
}

// Q12 is of both ends: frames that are too long for the far one are dropped, whichever of the two is read first. Q18 is
// of tiers: switches of one, which no frame passes after each other, may hash alike.
func TestRulesOfTwoEnds(t *testing.T) {
	device := func(name, to string, n int, mtu unit.Bytes) *netconf.Device {
		d := linttest.Clean()
		d.Name = name
		for i := range d.Interfaces {
			d.Interfaces[i].MTU = mtu
		}
		d.Interfaces[n].Description = "to " + to
		return d
	}
	check := func(a, b *netconf.Device) string {
		return rules(lint.Check([]*lint.Device{linttest.Read("nxos", a.Name, linttest.Render(t, "nxos", a)),
			linttest.Read("nxos", b.Name, linttest.Render(t, "nxos", b))}, nil, lint.Hosts{}))
	}
	for _, c := range []struct {
		near, far unit.Bytes
		want      string
	}{{9216, 9216, ""}, {9216, 9000, "Q12"}, {9000, 9216, "Q12"}} {
		leaf, spine := device("leaf1", "spine1 Ethernet1/2", 1, c.near), device("spine1", "leaf1 Ethernet1/2", 1, c.far)
		spine.Balance.Seed = 2
		if got := check(leaf, spine); got != c.want {
			t.Errorf("frames of %v here and %v there: %q, want %q", c.near, c.far, got, c.want)
		}
	}
	if got := check(device("leaf1", "spine1 Ethernet1/1", 1, 9216), device("leaf2", "spine1 Ethernet1/2", 1, 9216)); got != "" {
		t.Errorf("two leaves of one seed: %q", got)
	}
}
