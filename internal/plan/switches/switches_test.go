package switches_test

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/net/topo"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
)

// A pattern of fabric.switches names switches that there are; what each has is what its entries say, later
// ones on top.
func TestSwitchesThatDiffer(t *testing.T) {
	const yaml = `
cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  leaves: 2
  spines: 2
  switches: [%s]
job: {flows: [{from: host1/gpu0, to: host5/gpu0, bytes: 1MB}]}
`
	entries := "{match: 'spine*', buffer: 8MB, latency: 1us}, {match: spine2, buffer: 4MB}"
	p, err := plan.New(plantest.Read(t, fmt.Sprintf(yaml, entries)), plan.Files{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg := p.FabricConfig()
	for id, n := range p.Graph.Nodes {
		want, is := map[string]string{"leaf1": "64MB 600ns", "leaf2": "64MB 600ns", "spine1": "8MB 1us",
			"spine2": "4MB 1us"}[n.Name]
		if !is {
			continue
		}
		policy := cfg.PolicyOf(topo.NodeID(id))
		if got := fmt.Sprint(policy.Buffer.Size, " ", policy.Pipeline); got != want {
			t.Errorf("%s: %s, want %s", n.Name, got, want)
		}
	}
	for entry, want := range map[string]string{
		"{match: 'spine*', spray: {samples: 3}}": "test.yaml:7:32: fabric.switches[0].spray: has no effect: no switch that " +
			"spine* matches balances so",
		"{match: spine1, balance: spray, spray: {samples: 3}}":                          "fabric.switches[0].spray.samples: has no effect",
		"{match: leaf1, balance: dlb}, {match: 'leaf*', dlb: {gap: 1us, mode: packet}}": "fabric.switches[1].dlb.gap: has no",
		"{match: 'spina*', buffer: 8MB}": "test.yaml:7:22: fabric.switches[0].match: spina*: matches no switch, " +
			"want one of leaf1, leaf2, spine1, spine2",
		"{match: host1, buffer: 8MB}": "fabric.switches[0].match: host1: matches no switch",
	} {
		if _, err := plan.New(plantest.Read(t, fmt.Sprintf(yaml, entry)), plan.Files{}, nil); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", entry, err, want)
		}
	}
}

// The thresholds of a switch that takes another DSCP for RoCE data are those of the class in which it is there: it
// neither marks nor pauses.
func TestThresholdsWhereDataIsInAnotherClass(t *testing.T) {
	p, err := plan.New(plantest.Read(t, `
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  leaves: 2
  spines: 2
  switches: [{match: spine1, dscp: 26}, {match: spine2, dscp: 26, cnp_dscp: 24}, {match: leaf2, buffer: 8MB}]
job: {flows: [{from: host1/gpu0, to: host3/gpu0, bytes: 1MB}]}
`), plan.Files{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows, mistakes, err := foresight.Thresholds(p)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range rows {
		r := &rows[i]
		got = append(got, fmt.Sprintf("%s %s: %q %s, marks %v, pauses %v", r.Switch, r.Match, r.Class, r.First, r.Marks(),
			r.Lossless()))
	}
	want := []string{`leaf : "" ECN, marks true, pauses true`, `leaf leaf2: "" ECN begins, marks true, pauses true`,
		`spine spine1: "other traffic" neither, marks false, pauses false`,
		`spine spine2: "a CNP" neither, marks false, pauses false`}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, m := range mistakes { // what another class lacks is no mistake of these thresholds
		if strings.Contains(m.Reason, "spine") {
			t.Errorf("%s: %s", m.Name, m.Reason)
		}
	}
}
