package plan

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/nccl"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan/plantest"
)

// A path is fuller than another if its fullest link is, or if that is as full and it has more in all; what is less than rounding is
// no difference.
func TestFullerPaths(t *testing.T) {
	const hair = Rounding / 2
	for _, c := range []struct {
		a, b []float64
		want bool
	}{
		{[]float64{3, 1}, []float64{2, 2}, true}, {[]float64{2, 2}, []float64{3, 1}, false},
		{[]float64{3, 2}, []float64{3, 1}, true}, {[]float64{3, 1}, []float64{3, 2}, false}, {[]float64{3, 1}, []float64{1, 3}, false},
		{[]float64{3, 9}, []float64{10, 0}, false}, {[]float64{3 * (1 + hair), 1}, []float64{3, 1}, false},
		{[]float64{3, 2}, []float64{3 * (1 + hair), 1}, true}, {[]float64{3, 1 + hair}, []float64{3, 1}, false},
	} {
		key, ports := loadKey{job: 1}, []topo.PortID{0, 1}
		p := controller{loads: map[loadKey][]float64{key: append(c.a, c.b...)}}
		if got := p.fuller(key, ports, []topo.PortID{2, 3}); got != c.want {
			t.Errorf("%v is fuller than %v: %v", c.a, c.b, got)
		}
	}
}

// Where no NVLink joins all GPUs NCCL has PCIe, and its rate; and so it has on hosts without GPUs. Ranks are as many on each host.
func TestWhatNCCLSeesOfAHost(t *testing.T) {
	p := planned(t, plantest.Collectives("op: all-reduce, bytes: 1MB"))
	sc, j := p.Scenario, &p.Scenario.Jobs[0]
	with := NCCLGroup(sc, j, NCCLHost{})
	if with.Intra != nccl.NVLink || !with.NVSwitch || with.IntraRate != sc.Cluster.Host.NVLink || with.Ranks != 8 || with.Nodes != 2 {
		t.Errorf("%+v", with)
	}
	without := NCCLGroup(sc, j, NCCLHost{Peers: 7 * unit.GigabitPerSec, PCIe: 9, AMD: true})
	if without.Intra != nccl.PCI || without.NVSwitch || without.IntraRate != 7*unit.GigabitPerSec || without.PCIe != 9 || !without.AMD {
		t.Errorf("%+v", without)
	}
	at := p.Jobs[0].Placement
	for ranks, want := range map[int]int{8: 8, 7: 8, 5: 6} { // 4 on the first host
		if at.Ranks = p.Jobs[0].Placement.Ranks[:ranks]; groupOf(sc, at, NCCLHost{}).Ranks != want {
			t.Errorf("%d ranks on two hosts are %d, want %d", ranks, groupOf(sc, at, NCCLHost{}).Ranks, want)
		}
	}
}
