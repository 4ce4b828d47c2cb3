package nic_test

import (
	"slices"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/nic"
	"railyard/internal/net/cc"
	"railyard/internal/net/topo"
)

// Four flows of one host that begin together take turns from the first packet on: each ends a
// packet after the one before it.
func TestFlowsOfAHostTakeTurns(t *testing.T) {
	const rate = 100 * unit.GigabitPerSec
	r := hpcc(star(5, rate), cc.None{})
	r.build(t)
	for i := range 4 {
		r.flow(t, 0, topo.NICID(i+1), 100_000, 0)
	}
	r.run(t)
	slices.SortFunc(r.flows, func(a, b nic.Flow) int { return int(a.QP - b.QP) })
	for i, f := range r.flows {
		// Its last packet is number 396 + i + 1 of the host.
		want := rate.TransmitTime(1048)*unit.Duration(397+i) + rate.TransmitTime(1048) +
			2*rate.TransmitTime(60) + 4*unit.Microsecond
		if got := f.Acked.Sub(0); got != want {
			t.Errorf("flow %d: %v, want %v", i, got, want)
		}
	}
}
