package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/lint"
	"railyard/internal/lint/linttest"
)

// says wants one finding of a rule to have a text.
func says(t *testing.T, all []lint.Finding, rule, text string) {
	t.Helper()
	if !slices.ContainsFunc(all, func(f lint.Finding) bool { return f.Rule == rule && strings.Contains(f.Text, text) }) {
		t.Errorf("no %s says %q: %+v", rule, text, all)
	}
}

// What findings say of a switch by itself: what is wrong, and on which line.
func TestFindingsSay(t *testing.T) {
	d := linttest.Clean()
	p := &d.QoS.Profiles[0]
	p.Classify[48] = 3 // of CNPs
	text := linttest.Render(t, "sonic", d)
	all := lint.Check([]*lint.Device{linttest.Read("sonic", "f", text)}, nil, lint.Hosts{})
	says(t, all, "Q03", "DSCP 48 of CNPs is in traffic class 3, which pauses")
	for _, f := range all {
		if line := strings.Split(text, "\n")[f.Line-1]; f.Rule == "Q03" && !strings.Contains(line, `"48": "3"`) {
			t.Errorf("Q03 is about %q, want the line of DSCP 48", line)
		}
	}
	d = linttest.Clean()
	d.Interfaces[2].QoS = nil
	all = lint.Check([]*lint.Device{linttest.Read("eos", "f", linttest.Render(t, "eos", d))}, nil, lint.Hosts{})
	says(t, all, "Q13", "Ethernet3: no quality of service; most ports: PFC on; class 0: ")
	for _, f := range all {
		most := f.Text[strings.Index(f.Text, "most ports"):]
		for _, class := range strings.Split(most, "; class ")[1:] {
			if strings.HasPrefix(class, "3") != strings.HasSuffix(class, ", pauses") {
				t.Errorf("class %s: want 3 alone to pause", class)
			}
		}
	}
}

// Where one end has no class that pauses, that alone is said, and nothing of shares.
func TestOneEndPauses(t *testing.T) {
	leaf, spine := linttest.Clean(), linttest.Clean()
	spine.Name, spine.Balance.Seed = "spine1", 2
	for i := range spine.Interfaces {
		spine.Interfaces[i].Description = fmt.Sprintf("to leaf%d Ethernet1/2", i+1)
	}
	spine.QoS.Profiles[0].Classes[1].Pause = nil
	var all []lint.Finding
	for _, f := range lint.Check([]*lint.Device{linttest.Read("nxos", "leaf1", linttest.Render(t, "nxos", leaf)),
		linttest.Read("nxos", "spine1", linttest.Render(t, "nxos", spine))}, nil, lint.Hosts{}) {
		if f.Rule == "Q23" {
			all = append(all, f)
		}
	}
	if says(t, all, "Q23", "priorities 3 pause here"); len(all) != 1 {
		t.Errorf("want one Q23: %+v", all)
	}
}

// What findings say of two leaves that NICs share: of gateways, of addresses from which a peer is not heard, and of a
// summary of nothing.
func TestFindingsOfPeersSay(t *testing.T) {
	for _, c := range []struct{ dialect, old, with, rule, text string }{
		{"frr", "10.0.1.0/24", "10.9.0.0/24", "Q26", "summary 10.9.0.0/24 contains no network of the switch"},
		{"eos", "peer-address 10.255.255.0", "peer-address 10.0.1.1", "Q25",
			"its peer is 10.0.1.1, and leaf1 speaks from 10.255.255.0"},
		{"eos", "   ip address 10.0.1.129/25\n", "", "Q25", "gateway none here, 10.0.1.129/25 there"},
	} {
		says(t, lintRouted(t, c.dialect, strings.NewReplacer(c.old, c.with)), c.rule, c.text)
	}
}
