package run

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"railyard/internal/out/result"
)

// The table of docs/faults.md: 1 MB at 100 Gb/s, and one of its packets is lost. What it costs is decided by what the
// receiver can say of it: a NAK brings it back after a round trip, with what go-back-N sends again behind it; behind the
// last packet nothing comes that could show the gap, so the timeout does.
func TestWhatALostPacketCosts(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		which, recovery, at string
		again               int64
	}{
		{"none", "go-back-n", "1h", 0},
		{"in the middle", "go-back-n", "40.2us", 11},
		{"the last", "go-back-n", "83.6us", 5},
		{"none", "selective-repeat", "1h", 0},
		{"in the middle", "selective-repeat", "40us", 1},
		{"the last", "selective-repeat", "83.9us", 1},
	} {
		r := run(t, fmt.Sprintf(`
cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: single-switch}
transport: {timeout: 1ms, recovery: %s}
congestion: {algorithm: none}
job: {flows: [{name: f, from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}
faults: [{link: host2/rail1, at: %s, down: 1ns}]
`, c.recovery, c.at), Options{})
		lost := 0
		for _, l := range rows(t, r.Run.Losses()) {
			if l.Kind == "data" {
				lost++
			}
		}
		if want := c.which != "none"; lost > 1 || want != (lost == 1) || r.Retransmits != c.again {
			t.Errorf("%s, %s: %d data frames were lost, %d sent again, want %d", c.which, c.recovery, lost, r.Retransmits, c.again)
		}
		row := fmt.Sprintf("| %s | `%s` | %d | %s |", c.which, c.recovery, r.Retransmits, flow(r, "f").FCT.Human())
		if !strings.Contains(string(doc), row) {
			t.Errorf("docs/faults.md has no row %s", row)
		}
	}
}

// Lost packets cost a training time and nothing else: it does not start again, and its weights are the same.
func TestLostPacketsDoNotChangeWeights(t *testing.T) {
	well := run(t, surviving(t, "", ""), Options{})
	for _, recovery := range []string{"go-back-n", "selective-repeat"} {
		yaml := strings.Replace(surviving(t, "", "faults: [{link: host2/leaf1, drop: 1/300}]"), "retries: 2", "recovery: "+recovery, 1)
		r := run(t, yaml, Options{})
		if r.State != result.Complete || r.Retransmits == 0 || len(r.Aborts) > 0 || r.StepTime <= well.StepTime ||
			r.WeightsSHA256 == "" || r.WeightsSHA256 != well.WeightsSHA256 {
			t.Errorf("%s: %d packets sent again, a step takes %v (without losses %v), weights %s, want %s", recovery, r.Retransmits,
				r.StepTime, well.StepTime, r.WeightsSHA256, well.WeightsSHA256)
		}
	}
}
