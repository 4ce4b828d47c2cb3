package record

import (
	"testing"

	"railyard/internal/base/cause"
)

// What passed between hosts is the sum of the causes there; NVLink and PCIe are inside.
func TestTimeBetweenHosts(t *testing.T) {
	var s cause.Split
	s[cause.Serialisation], s[cause.Pause], s[cause.NIC] = 5, 7, 11
	s[cause.NVLink], s[cause.PCIe], s[cause.Compute] = 100, 100, 100
	if got := onNetwork(&s); got != 23 {
		t.Errorf("%d", got)
	}
}

// Of ranks on real time no events and no packets are known.
func TestNothingIsKnownOfARealNetwork(t *testing.T) {
	if m := (measured{}); m.Events() != 0 || m.Hops() != 0 || m.CNPs() != 0 || m.GaveUp() != 0 {
		t.Error("counts of a network that nobody saw")
	}
}

// Each of the ranks that take the first weights starts.
func TestRanksThatStart(t *testing.T) {
	r := training(t)
	ops := len(r.jobs[0].plan.Work.Program(3).Start)
	if n := r.jobs[0].starting(); n != 8 || ops != 1 {
		t.Errorf("%d ranks start, with %d operations; want 8 with one", n, ops)
	}
}
