package prove

import (
	"regexp"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/config/lint"
	"railyard/internal/config/lint/linttest"
	"railyard/internal/config/netconf"
)

// As many hosts send as a proof's words say.
func TestAsManySendAsIsSaid(t *testing.T) {
	design := &lint.Design{DSCP: 26, CNPDSCP: 48, Frame: 4178, Devices: map[string]*netconf.Device{"leaf1": linttest.Clean()},
		Delay: func(string, string) unit.Duration { return 500 * unit.Nanosecond }}
	said := regexp.MustCompile(`^(two|four|sixteen) hosts send (\S+ \S+) each`)
	from := regexp.MustCompile(`\{from: host(\d+)/gpu0, to: host(\d+)/gpu0`)
	number := map[string]int{"two": 2, "four": 4, "sixteen": 16}
	looked := map[string]bool{}
	devices := []*lint.Device{linttest.Read("sonic", "leaf1", linttest.Render(t, "sonic", linttest.Clean()))}
	for rule, r := range recipes {
		s, why := newSubject(&lint.Finding{Rule: rule, Device: "leaf1", Place: netconf.Place{File: devices[0].File}}, devices, design)
		if why != "" {
			t.Fatalf("%s: %s", rule, why)
		}
		sc, _ := r.scene(s)
		if sc == nil {
			continue
		}
		m := said.FindStringSubmatch(sc.network)
		if m == nil {
			continue
		}
		looked[rule] = true
		senders := map[string]bool{}
		for _, f := range from.FindAllStringSubmatch(sc.yaml, -1) {
			senders[f[1]] = true
		}
		if len(senders) != number[m[1]] {
			t.Errorf("%s: %s\n%s", rule, sc.network, strings.TrimSpace(sc.yaml))
		}
	}
	if !looked["Q07"] || len(looked) < 4 {
		t.Errorf("looked at %v", looked)
	}
}
