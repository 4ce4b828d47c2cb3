package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/config/lint"
	"railyard/internal/config/lint/linttest"
)

// second is a fabric of the other dialects: a leaf of SONiC, one of Junos and one of Cumulus, a spine of FRR and one of EOS.
// Nothing is wrong with it.
func second(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, key := range []string{"sonic leaf3", "junos leaf4", "nvue leaf5", "frr spine3", "eos spine4"} {
		dialect, name, _ := strings.Cut(key, " ")
		text, err := os.ReadFile(filepath.Join("testdata", "fabric", name+"."+dialect))
		if err != nil {
			t.Fatal(err)
		}
		all[key] = string(text)
	}
	return all
}

// A plant is a mistake in one text of a network, what is found and at which line.
type plant struct{ device, old, with, rule, at string }

// plants reads testdata/plants.txt: blocks of the device, the text and what is put in its place, and the rule with words
// of the line that it is found at; "nothing" is a near miss. \n stands for the end of a line.
func plants(t *testing.T) (all []plant) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "plants.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		var p plant
		for line := range strings.Lines(block) {
			key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ": ")
			value = strings.ReplaceAll(value, `\n`, "\n")
			switch key {
			case "in":
				p.device = value
			case "old":
				p.old = value
			case "new", "new:":
				p.with = value
			case "find":
				p.rule, p.at, _ = strings.Cut(value, " ")
			default:
				if !strings.HasPrefix(line, "#") {
					t.Fatalf("plants.txt: %q", line)
				}
			}
		}
		if p.device != "" {
			all = append(all, p)
		}
	}
	return all
}

// network is the texts of the devices that one is among: of a fabric, or a file of package dialects by itself.
func network(t *testing.T, device string) map[string]string {
	t.Helper()
	for _, texts := range []map[string]string{fabric(), second(t)} {
		if _, there := texts[device]; there {
			return texts
		}
	}
	dialect, name, _ := strings.Cut(device, " ")
	text, err := os.ReadFile(filepath.Join("..", "netconf", "dialects", "testdata", "public", dialect, name))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{device: string(text)}
}

// check lints texts by their devices, in the order of their names, without what is found where nothing is planted.
func check(texts map[string]string) (all []lint.Finding) {
	var devices []*lint.Device
	for _, key := range []string{"eos leaf1", "nxos leaf2", "frr spine1", "frr spine2", "sonic leaf3", "junos leaf4", "nvue leaf5",
		"frr spine3", "eos spine4"} {
		if text, there := texts[key]; there {
			dialect, name, _ := strings.Cut(key, " ")
			devices = append(devices, linttest.Read(dialect, name, text))
			delete(texts, key)
		}
	}
	for key, text := range texts { // one at most
		dialect, name, _ := strings.Cut(key, " ")
		devices = append(devices, linttest.Read(dialect, name, text))
	}
	return lint.Check(devices, nil, lint.Hosts{})
}

// Each mistake is found once, by its rule and at its line, and nothing else is.
//
// False if a rule is taken away, finds more than the mistake, or names another line.
func TestPlants(t *testing.T) {
	all := plants(t)
	count := len(linttest.Planted)
	for _, p := range all {
		if p.rule != "nothing" {
			count++
		}
	}
	if count < 120 {
		t.Errorf("%d mistakes are planted, want 120", count)
	}
	for n, p := range all {
		texts := network(t, p.device)
		before := map[string]bool{}
		for _, f := range check(network(t, p.device)) {
			before[f.Rule+f.Text] = true
		}
		text := strings.Replace(texts[p.device], p.old, p.with, 1)
		if text == texts[p.device] {
			t.Errorf("plant %d in %s: %q is not there", n+1, p.device, p.old)
			continue
		}
		lines := map[string][]string{}
		texts[p.device] = text
		for key, of := range texts {
			_, name, _ := strings.Cut(key, " ")
			lines[name] = strings.Split(of, "\n")
		}
		var found []lint.Finding
		for _, f := range check(texts) {
			if !before[f.Rule+f.Text] && f.Severity != lint.Unknown {
				found = append(found, f)
			}
		}
		if p.rule == "nothing" && len(found) == 0 {
			continue
		}
		got := ""
		if len(found) == 1 && found[0].Line > 0 {
			got = lines[found[0].File][found[0].Line-1]
		}
		if len(found) != 1 || found[0].Rule != p.rule || !strings.Contains(got, p.at) {
			t.Errorf("plant %d, %s: %q for %q: want one %s at %q", n+1, p.device, p.with, p.old, p.rule, p.at)
			for _, f := range found {
				t.Logf("   %v %s %s:%d %s", f.Severity, f.Rule, f.Device, f.Line, fmt.Sprint(f.Text))
			}
		}
	}
}

// Of the networks themselves nothing is found.
func TestPlantsAreInCleanNetworks(t *testing.T) {
	for _, texts := range []map[string]string{fabric(), second(t)} {
		for _, f := range check(texts) {
			t.Errorf("%v %s %s:%d %s", f.Severity, f.Rule, f.Device, f.Line, f.Text)
		}
	}
}
