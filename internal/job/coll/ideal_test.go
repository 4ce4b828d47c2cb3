package coll

import (
	"testing"

	"railyard/internal/base/unit"
)

// ideal is how long a schedule takes over links that are all alike, without time
// to reduce: each rank does its ops strictly in order, messages leave it one after
// the other and reach a peer one after the other, each in order of its start.
func ideal(s Schedule, size func(rank int, op Op) unit.Bytes, l Link) unit.Duration {
	n := s.Ranks()
	pc, now := make([]int, n), make([]unit.Duration, n)
	out, in := make([]unit.Duration, n), make([]unit.Duration, n)
	arrived := map[[2]int][]unit.Duration{}
	for {
		// The rank whose next op starts first goes on: what starts later cannot come before it.
		next, at := -1, unit.Duration(0)
		end := unit.Duration(0)
		for r := range n {
			end = max(end, now[r], out[r])
			if pc[r] == s.Len(r, 0) {
				continue
			}
			op, start := s.Op(r, 0, pc[r]), now[r]
			switch op.Kind {
			case Send:
				start = max(start, out[r])
			case Recv:
				from := arrived[[2]int{int(op.Peer), r}]
				if len(from) == 0 {
					continue
				}
				start = max(start, from[0])
			}
			if next < 0 || start < at {
				next, at = r, start
			}
		}
		if next < 0 {
			return end
		}
		r := next
		switch op := s.Op(r, 0, pc[r]); op.Kind {
		case Send:
			t := l.Rate.TransmitTime(size(r, op))
			q := int(op.Peer)
			in[q] = max(in[q], at+l.Latency) + t
			out[r] = at + t
			arrived[[2]int{r, q}] = append(arrived[[2]int{r, q}], in[q])
		case Recv:
			from := [2]int{int(op.Peer), r}
			now[r], arrived[from] = at, arrived[from][1:]
		}
		pc[r]++
	}
}

// The closed forms are what an ideal network takes for the schedules, to the
// picosecond; where they are said to be bounds, it takes no longer, and not less
// than the given part of it.
func TestTimesAreThoseOfAnIdealNetwork(t *testing.T) {
	bounds := map[string]float64{"chain-all-reduce": 0.5, "tree-broadcast": 0.5, "tree-reduce": 0.3,
		"tree-all-reduce": 0.4, "double-tree-all-reduce": 0.4, "nvls-tree-all-reduce": 0.4, "nvls-all-reduce": 0.5}
	powers := map[string]bool{ // exact for powers of two
		"halving-doubling-all-reduce": true, "halving-reduce-scatter": true, "doubling-all-gather": true,
		"hypercube-all-gather": true}
	for _, name := range AlgorithmNames() {
		least := 1.0
		for _, n := range []int{2, 3, 4, 5, 8, 13, 15, 16, 17} {
			for _, k := range pipelines(name, 1, 5) {
				for _, latency := range []unit.Duration{0, unit.Millisecond} {
					l := Link{100 * unit.GigabitPerSec, latency}
					got, want := idealOf(t, name, n, k, l), Time(name, n, unit.Bytes(n*bytesPerRank), l, k)
					part := float64(got) / float64(want)
					least = min(least, part)
					bound, bounded := bounds[name]
					most := 1.0
					if powers[name] && n&(n-1) != 0 {
						bound, bounded, most = 0.8, true, 1.4
					}
					if !bounded && got != want || bounded && (part > most || part < bound) {
						t.Errorf("%s, %d ranks, pipeline %d, latency %v: %v, the closed form says %v", name,
							n, k, latency, got, want)
					}
				}
			}
		}
		t.Logf("%-28s at least %.3f of the closed form", name, least)
	}
}

// bytesPerRank can be cut by all that the test asks for.
const bytesPerRank = 2 * 3 * 5 * 7 * 16 * 11 * 13 * 17 * 8

func idealOf(t *testing.T, name string, n, k int, l Link) unit.Duration {
	channels := 1
	if !fits(name, 1) { // one tree is as good as the other: its first half is asked
		channels = 2
	}
	s := make1(t, name, identity(n, channels), k)
	bytes := n * bytesPerRank
	of := func(_ int, op Op) unit.Bytes {
		lo, hi := ChunkRange(s, bytes*channels, 0, int(op.Chunk))
		return unit.Bytes(hi - lo)
	}
	switch c := s.Goal().Collective; {
	case c == Barrier:
		of = func(int, Op) unit.Bytes { return unit.Bytes(bytes) }
	case c == SendReceive:
		of = func(int, Op) unit.Bytes { return unit.Bytes(bytes / k) }
	case !c.InPlace():
		of = func(int, Op) unit.Bytes { return unit.Bytes(bytes / n / k) }
	}
	return ideal(s, of, l)
}
