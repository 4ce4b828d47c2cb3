package foresight

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/plan/scenario"
)

// A timer that is shorter than what a full path holds up, or than a packet at the lowest rate, is warned of, with what
// would be enough; the default never is, and a path that nothing shares holds nothing up.
func TestHastyTimersAreWarnedOf(t *testing.T) {
	for _, c := range []struct{ more, want, hint string }{
		{"", "", ""},
		{"transport: {timeout: 1ms}\n", "a packet waits up to 5.120 ms where rail1/host1 is full", "8388608ns (4.096 us x 2^11)"},
		{"transport: {timeout: 5.2ms}\n", "", ""},
		{"transport: {timeout: 5.1ms}\n", "5.120 ms", "2^11"},
		{"transport: {timeout: none}\n", "", ""},
		{"transport: {timeout: 3ms}\nfabric: {qos: {pfc: {enabled: false}}}\n", "", ""},
		{"transport: {timeout: 2ms}\nfabric: {qos: {pfc: {enabled: false}}}\n", "2.560 ms", "4194304ns"},
		{"transport: {timeout: 20ms}\ncongestion: {preset: connectx-default}\n",
			"a packet at the lowest rate of dcqcn, 1Mb/s, takes 33.4", "33554432ns (4.096 us x 2^13)"},
		{"congestion: {preset: connectx-default}\n", "", ""},
	} {
		yaml := "name: hasty\ncluster: {hosts: 3, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n"
		if !strings.Contains(c.more, "fabric:") {
			yaml += "fabric: {design: single-switch}\n"
		}
		yaml += strings.Replace(c.more, "fabric: {", "fabric: {design: single-switch, ", 1)
		for _, second := range []string{"host1", "host3"} {
			from := map[string]string{"host1": "host3", "host3": "host1"}[second]
			p := planned(t, yaml+fmt.Sprintf("job:\n  flows:\n    - {from: host2/gpu0, to: host1/gpu0, bytes: 1MB}\n"+
				"    - {from: %s/gpu0, to: %s/gpu0, bytes: 1MB}\n", from, second))
			got, want := hasty(p), c.want
			if second == "host3" && !strings.Contains(want, "lowest rate") {
				want = "" // the flows share no port
			}
			if want == "" {
				if len(got) > 0 {
					t.Errorf("%s: %v, want no warning", yaml, got)
				}
				continue
			}
			if len(got) != 1 || !strings.Contains(got[0].Message, want) || !strings.Contains(got[0].Hint, c.hint) ||
				got[0].Severity != scenario.Warning {
				t.Errorf("%s: %+v, want %s and %s", yaml, got, want, c.hint)
			}
		}
	}
}

// The default outlasts four full buffers, however slow the ports and large the buffers are.
func TestDefaultTimeoutOutlastsFullBuffers(t *testing.T) {
	for _, c := range []struct{ speed, buffer, want string }{
		{"400Gb/s", "64MB", "67108864ns"}, {"100Gb/s", "64MB", "67108864ns"}, {"25Gb/s", "64MB", "134217728ns"},
		{"10Gb/s", "256MB", "1073741824ns"}, {"25Gb/s", "16MB", "67108864ns"},
	} {
		p := planned(t, fmt.Sprintf("name: patient\ncluster: {hosts: 2, host: {gpus: 1}, nic: {speed: %s}}\n"+
			"fabric: {design: single-switch, switch: {buffer: %s}}\njob: {flows: [{from: host2/gpu0, to: host1/gpu0, bytes: 1MB}]}\n",
			c.speed, c.buffer))
		if got := p.Scenario.Transport.Timeout.Value.String(); got != c.want {
			t.Errorf("%s, %s: %s, want %s", c.speed, c.buffer, got, c.want)
		}
	}
}
