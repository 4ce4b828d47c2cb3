package plan

import (
	"strings"
	"testing"

	"railyard/internal/plan/plan/plantest"
)

// Where no switch joins two rails a flow goes over NVLink to the GPU on the receiver's rail; from a NIC
// it cannot.
func TestFlowsAcrossRailsAreRelayed(t *testing.T) {
	for _, fabric := range []string{"design: rail-only", "spines: 0", "design: single-switch, vlans: isolated"} {
		p := planned(t, plantest.GPUs("hosts: 2, host: {gpus: 4}", fabric, "from: host1/gpu2, to: host2/gpu3, bytes: 1kB",
			"from: host1/gpu3, to: host2/gpu3, bytes: 1kB"))
		for i := range p.Pairs {
			if q := &p.Pairs[i]; p.Graph.NICs[q.From].Index != 3 || p.Graph.NICs[q.To].Index != 3 || q.FromGPU != int32(2+i) {
				t.Errorf("%s: from GPU %d by %s to %s", fabric, q.FromGPU, p.Graph.NICName(q.From), p.Graph.NICName(q.To))
			}
		}
		_, err := New(plantest.Read(t, plantest.GPUs("hosts: 2, host: {gpus: 4}", fabric, "from: host1/nic2, to: host2/gpu3, bytes: 1kB")),
			Files{}, nil)
		if err == nil || !strings.Contains(err.Error(), "test.yaml:3:15: job.flows[0]: flow1: no path from host1/nic2") {
			t.Errorf("%s: %v", fabric, err)
		}
	}
	p := planned(t, plantest.GPUs("hosts: 2, host: {gpus: 4}", "spines: 1", "from: host1/gpu2, to: host2/gpu3, bytes: 1kB"))
	if q := &p.Pairs[0]; p.Graph.NICs[q.From].Index != 2 {
		t.Errorf("with a spine by %s", p.Graph.NICName(q.From))
	}
}

// A path of a flow does not cross VLANs that nothing routes between.
func TestGivenPathsKeepToTheirVLAN(t *testing.T) {
	_, err := New(plantest.Read(t, plantest.GPUs("hosts: 2, host: {gpus: 2}", "design: single-switch, vlans: isolated",
		"from: host1/nic0, to: host2/nic1, bytes: 1kB, path: [host1, rail1, host2]")), Files{}, nil)
	if want := "from host1/nic0 to host2/nic1: rails are VLANs that nothing routes between"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}
