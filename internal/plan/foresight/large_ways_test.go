package foresight

import (
	"fmt"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
)

// Which way rows take to experts on another host shows in what they cross: by the receiver's rail (rails) nothing crosses a
// spine, and most goes over NVLink first; by each rank's own NIC (direct, exit own) most crosses a spine and nothing NVLink
// twice. What they carry is the same to the byte. A way that was read and not taken would show, in either.
func TestWaysOfDispatchCrossWhatTheySay(t *testing.T) {
	sent := map[string]unit.Bytes{}
	for _, c := range []struct {
		way, schedule  string
		spine, relayed bool
	}{
		{"direct", "direct-all-to-all", true, false}, {"pairwise", "pairwise-all-to-all", true, false},
		{"rails", "direct-all-to-all", false, true},
	} {
		p := largePlan(t, fmt.Sprintf(`
cluster: {hosts: 2, host: {gpus: 4, preset: hgx-h100}}
fabric: {design: rail-optimized, spines: 1}
job:
  model: {layers: 1, hidden: 256, ffn: 512, heads: 4, vocabulary: 1000, sequence: 128, experts: 8, top_k: 2, batch: 8, skew: 2}
  parallel: {ep: 8}
  collective: {exit: own, all_to_all: %s}
`, c.way))
		for _, g := range GroupTrafficOf(p, &p.Jobs[0]) {
			if g.Kind != workload.GroupKindExpert {
				continue
			}
			if spine, relayed := g.Step.Spine > 0, g.Step.Relayed > 0; spine != c.spine || relayed != c.relayed {
				t.Errorf("%s: %v cross a spine, %v go over NVLink too, want some: %v and %v", c.way, g.Step.Spine, g.Step.Relayed,
					c.spine, c.relayed)
			}
			sent[c.way] = g.Step.All()
		}
		w := p.Jobs[0].Work
		for i := range w.Collectives {
			if of := &w.Collectives[i]; of.Counts != nil && of.Schedule.Name() != c.schedule {
				t.Errorf("%s: %s runs %s, want %s", c.way, of.Name, of.Schedule.Name(), c.schedule)
			}
		}
	}
	if sent["direct"] == 0 || sent["pairwise"] != sent["direct"] || sent["rails"] != sent["direct"] {
		t.Errorf("they carry %v, want as much each", sent)
	}
}
