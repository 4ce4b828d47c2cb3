package foresight

import (
	"fmt"
	"testing"

	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
)

// Rows of one algorithm and number of channels share a schedule, and all rows a connection where
// their messages go the same way: each way has one queue pair. The estimate counts the warm-up.
func TestRowsShareConnections(t *testing.T) {
	one := planned(t, plantest.Collectives("op: all-reduce, bytes: 1MB, iterations: 2, warmup: 1"))
	two := planned(t, plantest.Collectives("op: all-reduce, bytes: 1MB, iterations: 2, warmup: 1",
		"op: all-gather, bytes: 1MB", "op: all-reduce, bytes: 2MB, iterations: 2, warmup: 1"))
	if len(one.Pairs) == 0 || len(one.Pairs) != len(two.Pairs) || len(one.Jobs[0].Links) != len(two.Jobs[0].Links) {
		t.Errorf("%d queue pairs and %d links, with more rows round the same rings %d and %d", len(one.Pairs), len(one.Jobs[0].Links),
			len(two.Pairs), len(two.Jobs[0].Links))
	}
	seen := map[string]bool{}
	for _, l := range planned(t, plantest.Collectives("op: all-reduce, bytes: 1MB", "op: all-reduce, bytes: 1MB, algorithm: tree",
		"op: broadcast, bytes: 1MB, channels: 2")).Jobs[0].Links {
		if way := fmt.Sprint(l.Way); seen[way] {
			t.Errorf("%s twice", way)
		} else {
			seen[way] = true
		}
	}
	hops := func(row string) int64 { return inspected(t, plantest.Collectives(row)).Estimate.PacketHops }
	few := hops("op: all-reduce, bytes: 8MB, iterations: 1, warmup: 0")
	if many := hops("op: all-reduce, bytes: 8MB, iterations: 6, warmup: 4"); many < 99*few/10 || many > 10*few {
		t.Errorf("%d packet-hops for 1 run, %d for 10", few, many)
	}
}

// The estimate knows the sizes of each pair.
func TestTrafficOfASkewedRow(t *testing.T) {
	j := &planned(t, plantest.Collectives("op: all-to-all, bytes: 11MB, skew: 4, channels: 3, warmup: 0, iterations: 1")).Jobs[0]
	to := make([]int64, j.Ranks())
	first := j.Rows[0].First
	eachTraffic(j, func(k int, l *plan.RankLink, t traffic) {
		if int32(k) == first {
			to[l.Dst] += t.bytes
		}
	})
	for r, got := range to { // of 11 MB 4 for rank 0 and 1 for each other, from 7 ranks
		want := int64(7_000_000)
		if r == 0 {
			want *= 4
		}
		if got != want {
			t.Errorf("rank %d gets %d bytes, want %d", r, got, want)
		}
	}
}

// The estimate counts what ranks send from their inputs: of 8 ranks, on 2 hosts, 4 send their part to
// the root's host or get it from there, and in an all-to-all all 8 send 4 parts to the other host.
func TestEstimateOfRowsOutOfPlace(t *testing.T) {
	hops := func(op string) float64 {
		return float64(inspected(t, plantest.Collectives("op: "+op+", bytes: 32MB, channels: 1, warmup: 0, iterations: 1")).Estimate.
			PacketHops)
	}
	gather := hops("gather")
	for op, want := range map[string]float64{"scatter": 1, "all-to-all": 8, "broadcast": 2, "send-receive": 4} {
		if got := hops(op) / gather; got < 0.6*want || got > 1.5*want {
			t.Errorf("%s: %.2f times the packet-hops of a gather, want about %v", op, got, want)
		}
	}
}
