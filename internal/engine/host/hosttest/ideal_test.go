package hosttest_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/host"
	"railyard/internal/engine/host/hosttest"
	"railyard/internal/engine/sim"
	"railyard/internal/net/topo"
)

// An ideal wire is a network.
func TestIdeal(t *testing.T) {
	hosttest.Suite(t, func(t *testing.T, _ bool) *hosttest.Bench {
		g, err := topo.SingleSwitch{Hosts: 2, GPUs: 1, NICs: 1,
			HostLink: topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: unit.Microsecond}}.Graph()
		if err != nil {
			t.Fatal(err)
		}
		eng := sim.New([]int{1}, 0)
		hosts := host.New(eng, g, host.Config{}, make([]int32, len(g.Nodes)))
		net := hosttest.NewIdeal(hosts, 2*unit.Microsecond, 100*unit.GigabitPerSec)
		return &hosttest.Bench{Engine: eng, Hosts: hosts, Pair: net.Pair, Build: func() {}, Err: hosts.Err}
	})
}
