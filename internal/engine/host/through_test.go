package host

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/net/topo"
)

// A GPU reaches each of its own NICs without another GPU, and those of the others over NVLink.
func TestAGPUHasSeveralNICs(t *testing.T) {
	g, err := topo.SingleSwitch{Hosts: 1, GPUs: 2, NICs: 4,
		HostLink: topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: unit.Microsecond}}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	h := New(sim.New([]int{len(g.Ports)}, 0), g, Config{}, make([]int32, len(g.Nodes)))
	for nic, want := range [][2]int32{{-1, 0}, {-1, 0}, {1, -1}, {1, -1}} {
		for gpu, by := range want {
			if got := h.through(topo.NICID(nic), int32(gpu)); got != by {
				t.Errorf("GPU %d reaches NIC %d through %d, want %d", gpu, nic, got, by)
			}
		}
	}
}
