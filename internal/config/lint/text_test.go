package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/config/lint"
	"railyard/internal/config/lint/linttest"
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

// pair is the texts of a leaf, another leaf and the spine to which both lead.
func pair(t *testing.T) (leaf1, leaf2, spine string) {
	t.Helper()
	a, b, s := linttest.Clean(), linttest.Clean(), linttest.Clean()
	b.Name, s.Name, s.Balance.Seed = "leaf2", "spine1", 2
	for i := range s.Interfaces {
		s.Interfaces[i].Description = fmt.Sprintf("to leaf%d Ethernet1/2", i+1)
	}
	return linttest.Render(t, "eos", a), linttest.Render(t, "eos", b), linttest.Render(t, "eos", s)
}

// about are the findings of some rules on devices with these texts, with the lines that they point to.
func about(rules string, texts map[string]string) (all []lint.Finding, lines []string) {
	var devices []*lint.Device
	for _, name := range []string{"leaf1", "leaf2", "spine1"} {
		if text, ok := texts[name]; ok {
			devices = append(devices, linttest.Read("eos", name, text))
		}
	}
	for _, f := range lint.Check(devices, nil, lint.Hosts{}) {
		if strings.Contains(rules, f.Rule) {
			all = append(all, f)
			lines = append(lines, f.Device+": "+strings.TrimSpace(strings.Split(texts[f.Device], "\n")[f.Line-1]))
		}
	}
	return all, lines
}

// A wrong priority of PFC is one mistake, at its line: the class map, marks, bandwidth and neighbours follow from it.
func TestAnotherClassPauses(t *testing.T) {
	leaf1, leaf2, spine := pair(t)
	const was, is = "priority-flow-control priority 3 no-drop", "priority-flow-control priority 4 no-drop"
	for _, name := range []string{"leaf1", "spine1"} {
		texts := map[string]string{"leaf1": leaf1, "leaf2": leaf2, "spine1": spine}
		texts[name] = strings.Replace(texts[name], was, is, 1)
		all, lines := about("Q01 Q02 Q04 Q10 Q11 Q23", texts)
		if len(all) != 1 || all[0].Rule != "Q02" || lines[0] != name+": "+is ||
			!strings.Contains(all[0].Fix, "class 3 pause in place of 4") {
			t.Errorf("%s: %q %+v", name, lines, all)
		}
	}
}

// Where neighbours pause other priorities, the end that differs from most devices is named, at the line that has it pause.
// What rests on a line of the far end that is not understood is not known.
func TestTheEndThatDiffers(t *testing.T) {
	leaf1, leaf2, spine := pair(t)
	moved := strings.NewReplacer("traffic-class 3", "traffic-class 4", "tx-queue 3", "tx-queue 4", "priority 3 no-drop",
		"priority 4 no-drop")
	for name, want := range map[string]int{"leaf1": 1, "spine1": 2} {
		texts := map[string]string{"leaf1": leaf1, "leaf2": leaf2, "spine1": spine}
		texts[name] = moved.Replace(texts[name])
		all, lines := about("Q23", texts)
		if len(all) != want {
			t.Errorf("%s: %d findings, want %d", name, len(all), want)
		}
		for i := range all {
			if lines[i] != name+": priority-flow-control priority 4 no-drop" ||
				!strings.Contains(all[i].Text, "priorities 4 pause here, 3 there") {
				t.Errorf("%s: %s, %s", name, lines[i], all[i].Text)
			}
		}
	}
	texts := map[string]string{"leaf1": leaf1, "spine1": strings.Replace(spine, "priority-flow-control priority 3",
		"priority-flow-controll priority 3", 1)}
	all, _ := about("Q23", texts)
	if len(all) != 1 || all[0].Severity != lint.Unknown {
		t.Errorf("a typing mistake at the far end: %+v", all)
	}
}
