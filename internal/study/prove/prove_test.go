package prove_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/config/lint"
	"railyard/internal/config/lint/linttest"
	"railyard/internal/config/netconf"
	"railyard/internal/study/prove"
)

// notShown are the planted mistakes that no simulation can show, by a part of what is found, and why.
var notShown = map[string]string{
	"not understood":                    "not understood",
	"never used":                        "nothing by itself",
	"pause no-drop in a queuing policy": "does without it",
	"random-detect ecn on a line":       "does without it",
	"no effect until the switch":        "the platform's",
	"looks every":                       "in no model",
	"no guaranteed bandwidth":           "not in the model",
	"uc-tx-queue is no target":          "does without it",
	"enable is no word of it":           "does without it",
	"they must match":                   "does without it",
	"under forwarding-classes":          "does without it",
}

// proveAll proves the first finding of each rule; it either shows what it claims, or says why there is nothing to show.
func proveAll(t *testing.T, name string, devices []*lint.Device, design *lint.Design) (shown int) {
	t.Helper()
	seen := map[string]bool{}
	for _, f := range lint.Check(devices, design, lint.Hosts{}) {
		if seen[f.Rule] {
			continue
		}
		seen[f.Rule] = true
		p, err := prove.Of(context.Background(), &f, devices, design)
		if err != nil {
			t.Errorf("%s %s: %v", name, f.Rule, err)
			continue
		}
		var why string
		for part, w := range notShown {
			if strings.Contains(f.Text, part) {
				why = w
			}
		}
		switch {
		case why != "" && (p.Claim != "" || !strings.Contains(p.Why, why)):
			t.Errorf("%s %s: %q, want why: %s", name, f.Rule, p.Why, why)
		case why != "":
		case !p.Shown || p.Claim == "" || p.Mended == "":
			t.Errorf("%s %s: %s: not shown (%s): %+v", name, f.Rule, f.Text, p.Why, p.Figures)
		default:
			shown++
		}
	}
	return shown
}

// Of each planted mistake the claimed figure moves as claimed, or the proof says why nothing can be simulated.
func TestPlanted(t *testing.T) {
	done := map[string]bool{} // what other dialects call the same comes to the same model
	shown := 0
	for _, m := range linttest.Planted {
		if key := m.Rule + m.With; !done[key] {
			done[key] = true
			shown += proveAll(t, m.Dialect+" "+m.Rule, []*lint.Device{linttest.Read(m.Dialect, "f", m.Break(t))}, nil)
		}
	}
	if shown < 25 {
		t.Errorf("%d shown, want at least 25", shown)
	}
}

// What is wrong between neighbours, or against a design, is shown as well.
func TestBetweenDevices(t *testing.T) {
	spine := func(change func(*netconf.Device)) *netconf.Device {
		d := linttest.Clean()
		d.Name, d.Balance.Seed = "spine1", 2
		for i := range d.Interfaces {
			d.Interfaces[i].Description = fmt.Sprintf("to leaf%d Ethernet1/2", i+1)
		}
		change(d)
		return d
	}
	pair := func(leaf, spine *netconf.Device) []*lint.Device {
		return []*lint.Device{linttest.Read("nxos", "leaf1", linttest.Render(t, "nxos", leaf)),
			linttest.Read("nxos", "spine1", linttest.Render(t, "nxos", spine))}
	}
	cee := linttest.Clean()
	cee.Interfaces[1].LLDP.DCBX = netconf.DCBXIEEE
	quiet := spine(func(d *netconf.Device) { d.LLDP = nil })
	for i := range quiet.Interfaces {
		quiet.Interfaces[i].QoS.PFC = netconf.PFCOn
	}
	short := linttest.Clean()
	short.QoS.Profiles[0].Classes[1].Pause.Buffer.Headroom = 20 * unit.Kilobyte
	design := &lint.Design{DSCP: 26, CNPDSCP: 48, Frame: 4178, Circle: "a > b > a",
		Devices: map[string]*netconf.Device{"leaf1": linttest.Clean()},
		Delay:   func(string, string) unit.Duration { return 500 * unit.Nanosecond }}
	design.Devices["leaf1"].Interfaces[2].Speed = 100 * unit.GigabitPerSec
	for rule, devices := range map[string][]*lint.Device{
		"Q01": pair(linttest.Clean(), spine(func(d *netconf.Device) {
			p := &d.QoS.Profiles[0]
			p.Classify[26], p.Classify[24] = 0, 3
		})),
		"Q18":         pair(linttest.Clean(), spine(func(d *netconf.Device) { d.Balance.Seed = 1 })),
		"Q23":         pair(linttest.Clean(), spine(func(d *netconf.Device) { d.QoS.Profiles[0].Classes[1].Pause.Priority = 4 })),
		"Q24":         pair(cee, spine(func(d *netconf.Device) { d.Interfaces[0].LLDP.DCBX = netconf.DCBXCEE })),
		"Q07 Q08 Q19": {linttest.Read("sonic", "f", linttest.Render(t, "sonic", short))},
	} {
		var of *lint.Design
		if strings.Contains(rule, "Q19") {
			of = design
		}
		rules := strings.Fields(rule)
		all := lint.Check(devices, of, lint.Hosts{})
		for _, r := range rules {
			if !slices.ContainsFunc(all, func(f lint.Finding) bool { return f.Rule == r }) {
				t.Errorf("%s: %+v", r, all)
			}
		}
		if n := proveAll(t, rule, devices, of); n < len(rules) {
			t.Errorf("%s: %d shown", rule, n)
		}
	}
}

// Where one of the two usual DSCPs does not pause, and the other does, hosts of the proof write the one that does not.
//
// False if they write what pauses: then nothing is dropped in either run.
func TestTheDSCPOfTheFinding(t *testing.T) {
	devices := []*lint.Device{linttest.Read("nvue", "f", "nv set qos roce\nnv set qos mapping default-global dscp 26 switch-priority 1\n"+
		"nv set interface swp1-2 link mtu 9216\nnv set interface swp1-2 qos pfc-watchdog\n")}
	if shown := proveAll(t, "DSCP 26 apart", devices, nil); shown != 1 {
		t.Errorf("%d shown", shown)
	}
}

// Where another class pauses than that of the data, the one of the data pauses in what is mended, as the fix says: nothing
// is dropped, and hosts are paused.
//
// False if data move to the class that pauses: hosts do not hear that priority.
func TestThePauseThatIsElsewhereComesBack(t *testing.T) {
	m := linttest.Mistake{Dialect: "eos", Old: "priority-flow-control priority 3 no-drop", With: "priority-flow-control priority 4 no-drop",
		Rule: "Q02"}
	devices := []*lint.Device{linttest.Read("eos", "f", m.Break(t))}
	for _, f := range lint.Check(devices, nil, lint.Hosts{}) {
		if f.Rule != "Q02" {
			continue
		}
		p, err := prove.Of(context.Background(), &f, devices, nil)
		if err != nil {
			t.Fatal(err)
		}
		of := map[string]prove.Figure{}
		for _, x := range p.Figures {
			of[x.Name] = x
		}
		if !p.Shown || of["drops"].Broken == 0 || of["drops"].Mended != 0 || of["pauses"].Mended == 0 {
			t.Errorf("%s: %s: %+v", f.Text, p.Why, p.Figures)
		}
		return
	}
	t.Error("not found")
}
