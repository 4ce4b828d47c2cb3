package lab

import (
	"slices"
	"strings"
	"testing"
)

const configured = "# My lab\n> Why?\n\n{{config nxos/rail1}}\n"

// A place shows what a switch of the scenario is told: with its thresholds, and as readers have changed them.
func TestConfig(t *testing.T) {
	lines := func(o *Outcome) []string {
		if len(o.Configs) != 1 || len(o.Configs[0].Left) == 0 {
			t.Fatalf("%d configurations", len(o.Configs))
		}
		return o.Configs[0].Lines
	}
	const marks = "random-detect minimum-threshold %s kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn"
	has := func(l []string, min string) bool {
		return slices.Contains(l, "    "+strings.Replace(marks, "%s", min, 1))
	}
	of := strings.Replace(paused, "switch: {buffer: 1MB}", "switch: {buffer: 1MB}, qos: {preset: book}", 1)
	if l := lines(outcome(t, folder(configured, "", of))); !has(l, "150") {
		t.Errorf("no marks from 150 kB in\n%s", strings.Join(l, "\n"))
	}
	if l := lines(outcome(t, folder(configured, "", of), Change{"fabric.qos.ecn.min", "90kB"})); !has(l, "90") {
		t.Errorf("no marks from 90 kB in\n%s", strings.Join(l, "\n"))
	}
}

// A place that names nothing is told with what it may name.
func TestProblemsOfConfig(t *testing.T) {
	for text, want := range map[string]string{
		strings.Replace(configured, "rail1", "rail9", 1): "README.md:4:3: there is no nxos/rail9, want one of eos, frr, junos",
		strings.Replace(configured, "nxos", "ios", 1):    "README.md:4:3: there is no ios/rail1, want one of",
		strings.Replace(configured, "/", "", 1):          "README.md:4:3: there is no nxosrail1, want one of",
	} {
		if _, err := Parse("my-lab", folder(text, "", paused)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := Parse("my-lab", folder(configured, "")); err == nil || !strings.Contains(err.Error(), "there is no scenario.yaml") {
		t.Errorf("without a scenario: %v", err)
	}
}
