package coll

import (
	"testing"

	"railyard/internal/base/unit"
)

// 100 MB over 4 ranks at 100 Gb/s: 6 steps of 25 MB (2 ms) and 5 us each.
func TestRingAllReduceTime(t *testing.T) {
	for _, c := range []struct {
		n     int
		bytes unit.Bytes
		want  unit.Duration
	}{
		{4, 100_000_000, 6 * (2*unit.Millisecond + 5*unit.Microsecond)},
		{2, 100_000_000, 2 * (4*unit.Millisecond + 5*unit.Microsecond)},
		{3, 1, 4 * (80*unit.Picosecond + 5*unit.Microsecond)}, // the largest chunk is 1 byte
		{1, 100_000_000, 0},
	} {
		link := Link{100 * unit.GigabitPerSec, 5 * unit.Microsecond}
		if got := Time("ring-all-reduce", c.n, c.bytes, link, 1); got != c.want {
			t.Errorf("%d ranks, %v: %v, want %v", c.n, c.bytes, got, c.want)
		}
	}
}

// A ring without latency runs at the link's rate on the bus: nccl-tests' point.
func TestBusBandwidthOfARingIsTheLinkRate(t *testing.T) {
	rate := 400 * unit.GigabitPerSec
	for _, n := range []int{2, 4, 8, 16} {
		size := unit.Bytes(n) * unit.Megabyte
		d := Time("ring-all-reduce", n, size, Link{Rate: rate}, 1)
		if got := BusBandwidth(AllReduce, n, size, d); got != rate {
			t.Errorf("all-reduce over %d ranks: %v, want %v", n, got, rate)
		}
		for _, half := range []Collective{AllGather, ReduceScatter} {
			if got := BusBandwidth(half, n, size, d/2); got != rate {
				t.Errorf("%v over %d ranks: %v, want %v", half, n, got, rate)
			}
		}
		if got := BusBandwidth(BroadcastFrom, n, size, rate.TransmitTime(size)); got != rate {
			t.Errorf("broadcast over %d ranks: %v, want %v", n, got, rate)
		}
	}
}

// As nccl-tests has them in GetBw of each test.
func TestBusFactors(t *testing.T) {
	for c, want := range map[Collective]unit.Ratio{
		AllReduce: {Num: 14, Den: 8}, AllGather: {Num: 7, Den: 8}, ReduceScatter: {Num: 7, Den: 8},
		AllToAll: {Num: 7, Den: 8},
		GatherTo: {Num: 7, Den: 8}, ScatterFrom: {Num: 7, Den: 8},
		BroadcastFrom: {Num: 1, Den: 1}, ReduceTo: {Num: 1, Den: 1}, SendReceive: {Num: 1, Den: 1},
	} {
		if got := BusFactor(c, 8); got.Cmp(want) != 0 {
			t.Errorf("%v over 8 ranks: %v, want %v", c, got, want)
		}
	}
}

// The steps and sizes of the closed form are those of the schedule: each rank
// sends 2(n-1) messages of 1/n of its data.
func TestClosedFormMatchesSchedule(t *testing.T) {
	for n := 2; n <= 17; n++ {
		ring, _ := RingAllReduce(identity(n, 1))
		sends := 0
		for i := range ring.Len(0, 0) {
			if ring.Op(0, 0, i).Kind == Send {
				sends++
			}
		}
		if sends != 2*(n-1) || ring.Chunks() != n {
			t.Errorf("%d ranks: %d sends of 1/%d, want %d of 1/%d", n, sends, ring.Chunks(), 2*(n-1), n)
		}
	}
}

// The bound of NVLS: bytes go through each link twice, as if the switch neither added nor copied.
func TestBoundOfNVLS(t *testing.T) {
	l := Link{100 * unit.GigabitPerSec, 5 * unit.Microsecond}
	one := Time("nvls-all-gather", 4, 100_000_000, l, 1)
	if want := 3*2*unit.Millisecond + 5*unit.Microsecond; one != want {
		t.Errorf("all-gather: %v, want %v", one, want)
	}
	if both := Time("nvls-all-reduce", 4, 100_000_000, l, 1); both != 2*one {
		t.Errorf("all-reduce: %v, want %v", both, 2*one)
	}
}
