package nic_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// fairness is Jain's index of shares: 1 if all are equal, 1/n if one has everything (DEC-TR-301,
// 1984).
func fairness(shares []int64) float64 {
	sum, squares := 0.0, 0.0
	for _, s := range shares {
		sum += float64(s)
		squares += float64(s) * float64(s)
	}
	return sum * sum / (float64(len(shares)) * squares)
}

// TestIncastIsFair: N senders of 100 MB to one host at 100 Gb/s, DCQCN, marking and PFC at their
// defaults. Of what is delivered in the second half of the time until the first flow ends, each has
// about the same share; the link is busy; nothing is dropped.
func TestIncastIsFair(t *testing.T) {
	const rate = 100 * unit.GigabitPerSec
	bytes := 100 * unit.Megabyte
	if testing.Short() {
		bytes = 30 * unit.Megabyte
	}
	for _, n := range []int{2, 8, 16} {
		r := defaults(oneSwitch(t, n+1, rate), rate)
		r.build(t)
		var qps []int32
		for i := range n {
			qps = append(qps, r.gpuFlow(t, topo.NICID(i), topo.NICID(n), bytes, 0))
		}
		const every = 50 * unit.Microsecond
		var delivered [][]int64 // at each probe, by flow
		r.watch(func() unit.Duration { return every }, func(unit.Time) bool {
			now := make([]int64, n)
			for i, qp := range qps {
				now[i] = r.net.Delivered(qp)
			}
			delivered = append(delivered, now)
			return r.left > 0
		})
		r.run(t)
		first := unit.Never
		for _, f := range r.flows {
			first = min(first, f.Placed)
		}
		end := int(first / unit.Time(every))
		shares, total := make([]int64, n), int64(0)
		for i := range shares {
			shares[i] = delivered[end][i] - delivered[end/2][i]
			total += shares[i]
		}
		goodput := float64(total) * 8 / (unit.Duration(end-end/2) * every).Seconds() / float64(rate)
		var drops, pauses, marks int64
		for id := range r.graph.Ports {
			s := r.fab.Stats(r.eng.Now(), topo.PortID(id))
			drops, pauses, marks = drops+s.Drops, pauses+s.PausesSent, marks+s.Marks
		}
		t.Logf("%d:1: Jain %.4f, goodput %.3f of the link, first flow ends at %v, last event %v, marks %d, CNPs %d, "+
			"pauses %d, drops %d, sent again %d, %d hops in %d events",
			n, fairness(shares), goodput, first, r.eng.Now(), marks, r.net.CNPs(), pauses, drops, r.net.Retransmits(),
			r.fab.Hops(), r.eng.Events())
		if j := fairness(shares); j <= 0.95 {
			t.Errorf("%d:1: Jain index %.4f, want above 0.95; shares %v", n, j, shares)
		}
		if goodput < 0.8 && !testing.Short() { // the short flows end before the rates have recovered from the start
			t.Errorf("%d:1: %.3f of the link is used, want above 0.8", n, goodput)
		}
		if drops != 0 {
			t.Errorf("%d:1: %d drops", n, drops)
		}
	}
}
