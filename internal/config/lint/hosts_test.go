package lint_test

import (
	"strings"
	"testing"

	"railyard/internal/config/lint"
	"railyard/internal/config/lint/linttest"
	"railyard/internal/config/netconf"
)

// Without a scenario the DSCPs are those that hosts write: of a clean file nothing is said where they write what it pauses, and its
// line where they write another one. False if the guess (24 or 26, and 48) goes before it.
func TestDSCPsAreTheHosts(t *testing.T) {
	text := linttest.Render(t, "nxos", linttest.Clean())
	check := func(data, cnp int) (found []string) {
		h := lint.Hosts{}
		if data > 0 {
			h.DSCP = lint.Written{Value: data, Place: netconf.Place{File: "h1/environment", Line: 3}}
		}
		if cnp > 0 {
			h.CNPDSCP = lint.Written{Value: cnp, Place: netconf.Place{File: "h1/net", Line: 7}}
		}
		for _, f := range lint.Check([]*lint.Device{linttest.Read("nxos", "f", text)}, nil, h) {
			found = append(found, f.Rule+" "+string(f.Severity)+" "+f.Text)
		}
		return found
	}
	if found := check(0, 0); len(found) > 0 {
		t.Fatalf("a clean file: %q", found)
	}
	p := linttest.Read("nxos", "f", text).Device.QoS.Profiles[0]
	paused := -1
	for _, v := range []int{24, 26} {
		if c := p.Class(p.Classify[v]); c != nil && c.Pause != nil {
			paused = v
		}
	}
	if found := check(paused, 48); paused < 0 || len(found) > 0 {
		t.Errorf("hosts write what it pauses, %d: %q", paused, found)
	}
	found := strings.Join(check(10, 0), "\n")
	if !strings.Contains(found, "Q02 error") || !strings.Contains(found, "DSCP 10 of RoCE data (hosts write it: h1/environment:3)") {
		t.Errorf("hosts write 10: %s", found)
	}
	if found := strings.Join(check(0, paused), "\n"); !strings.Contains(found, "of CNPs (hosts write it: h1/net:7)") {
		t.Errorf("CNPs have %d: %s", paused, found)
	}
}
