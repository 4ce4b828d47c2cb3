package configs

import (
	"strings"
	"testing"

	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
)

// planned is two leaves and two spines, with more keys of the fabric.
func planned(t *testing.T, more string) *plan.Plan {
	t.Helper()
	p, err := plan.New(plantest.Read(t, `
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  leaves: 2
  spines: 2
`+more+`
job: {flows: [{from: host1/gpu0, to: host3/gpu0, bytes: 1MB}]}
`), plan.Files{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Each switch has the values that a run has: classes by DSCP, shares of the buffer that sum to the whole, pauses where the
// scenario pauses.
func TestDevicesAreAsTheRunIs(t *testing.T) {
	for _, pauses := range []bool{true, false} {
		more := "  qos: {dscp: 30, data_priority: 4}"
		if !pauses {
			more = "  qos: {dscp: 30, data_priority: 4, pfc: {enabled: false}}"
		}
		all, err := Devices(planned(t, more))
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != 4 {
			t.Fatalf("%d switches, want 4", len(all))
		}
		for i := range all {
			d := &all[i]
			if sum := d.QoS.Pools.HeadroomPart + d.QoS.Pools.LossyPart + d.QoS.Pools.LosslessPart; pauses && sum != 100 {
				t.Errorf("%s: shares of the buffer sum to %d", d.Name, sum)
			}
			for k := range d.QoS.Profiles {
				p := &d.QoS.Profiles[k]
				paused := false
				for _, c := range p.Classes {
					paused = paused || c.Pause != nil && c.Pause.Priority == 4
				}
				if p.Classify[30] != 4 || paused != pauses {
					t.Errorf("%s: DSCP 30 is in class %d, paused %v", d.Name, p.Classify[30], paused)
				}
			}
			if leaf := strings.HasPrefix(d.Name, "leaf"); (d.Balance != nil) != leaf {
				t.Errorf("%s chooses among links by %v", d.Name, d.Balance)
			}
		}
	}
}

// What no configuration can say is refused at its key.
func TestWhatNoConfigurationSays(t *testing.T) {
	for _, c := range []struct{ more, want string }{
		{"  qos: {trust: pcp}", "fabric.qos.trust"},
		{"  qos: {ecn: {probability: 1/3}}", "fabric.qos.ecn.probability"},
		{"  qos: {data_weight: 1, other_weight: 2}", "fabric.qos.data_weight"},
	} {
		if _, err := Devices(planned(t, c.more)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want it at %s", c.more, err, c.want)
		}
	}
	if all := NotConfigured(planned(t, "  encapsulation: vxlan")); len(all) != 1 || !strings.Contains(all[0], "VXLAN") {
		t.Errorf("of tunnels it says %q", all)
	}
	if all := NotConfigured(planned(t, "")); len(all) != 0 {
		t.Errorf("of a plain fabric it says %q", all)
	}
}
