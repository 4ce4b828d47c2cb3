package scenario_test

import (
	"testing"

	"railyard/internal/plan/scenario"
)

// How long all switches take to route around a link follows from what they speak; with none of these keys it is 600 ms,
// and a fault that says otherwise has its way.
func TestConvergenceFollowsRouting(t *testing.T) {
	for _, c := range []struct{ routing, fault, want string }{
		{"{}", "", "600ms"},
		{"{bfd_interval: 50ms}", "", "450ms"},
		{"{bfd_interval: 300ms, bfd_multiplier: 5, update: 1s}", "", "2.5s"},
		{"{protocol: ibgp}", "", "600ms"},
		{"{protocol: evpn}", "", "900ms"},
		{"{bfd: false}", "", "9.3s"},
		{"{bfd: false, hold: 90s}", "", "90.3s"},
		{"{protocol: none}", "", "600ms"},
		{"{bfd_interval: 50ms}", ", convergence: 1ms", "1ms"},
	} {
		sc, err := scenario.Parse("job.yaml", []byte("cluster: {hosts: 2}\nfabric: {routing: "+c.routing+"}\n"+
			"job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}\n"+
			"faults: [{link: rail1/spine1, down: 1s"+c.fault+"}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := sc.Faults[0].Convergence.Value.String(); got != c.want {
			t.Errorf("%s%s: %s, want %s", c.routing, c.fault, got, c.want)
		}
	}
}
