package coll

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// identity is the rank order 0, 1, .. n-1 in each channel.
func identity(n, channels int) [][]int32 {
	orders := make([][]int32, channels)
	for c := range orders {
		for r := range n {
			orders[c] = append(orders[c], int32(r))
		}
	}
	return orders
}

// shuffled is a different rank order per channel, all beginning with the same rank.
func shuffled(n, channels int) [][]int32 {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(channels)))
	orders := identity(n, channels)
	root := rng.IntN(n)
	for _, o := range orders {
		o[0], o[root] = o[root], o[0]
		rng.Shuffle(n-1, func(i, j int) { o[i+1], o[j+1] = o[j+1], o[i+1] })
	}
	return orders
}

type withGoal interface {
	Schedule
	Goal() Goal
}

func make1(t testing.TB, name string, orders [][]int32, pipeline int) withGoal {
	t.Helper()
	s, err := Algorithms[name].New(orders, pipeline)
	if err != nil {
		t.Fatal(err)
	}
	if s.Name() != name {
		t.Fatalf("%s names itself %s", name, s.Name())
	}
	return s.(withGoal)
}

// Every algorithm, 2 to 17 ranks (and a lone one), 1 to 4 channels with rank
// orders of their own, several pipelining depths.
func TestEveryScheduleIsProved(t *testing.T) {
	for _, name := range AlgorithmNames() {
		for n := 1; n <= 17; n++ {
			for channels := 1; channels <= 4; channels++ {
				for _, pipeline := range []int{1, 2, 5} {
					s := make1(t, name, shuffled(n, channels), pipeline)
					if err := Check(s, s.Goal()); err != nil {
						t.Fatalf("%s, %d ranks, %d channels, pipeline %d:\n%v", name, n, channels, pipeline, err)
					}
				}
			}
		}
	}
}

// Run back to back: a ring all-reduce in one staging area, the half rings in two
// in alternation, a broadcast in none.
func TestReuseOfStaging(t *testing.T) {
	areas := map[string]int{"ring-all-reduce": 1, "ring-all-gather": 2, "ring-reduce-scatter": 2}
	for _, name := range AlgorithmNames() {
		for n := 2; n <= 17; n++ {
			for _, pipeline := range []int{1, 3} {
				s := make1(t, name, shuffled(n, 2), pipeline)
				need, ok := areas[name]
				for stagings := 1; stagings <= 3; stagings++ {
					err := ReuseSafe(s, stagings)
					if safe := ok && stagings >= need; safe != (err == nil) {
						t.Fatalf("%s, %d ranks, pipeline %d, %d areas: safe %t, got: %v", name, n, pipeline, stagings, safe, err)
					}
				}
			}
		}
	}
}

func TestReuseErrorNamesTheMessage(t *testing.T) {
	s := make1(t, "chain-broadcast", identity(3, 1), 1)
	err := ReuseSafe(s, 1)
	want := "rank 0 channel 0 op 0: send chunk 0 to 1 of run 1: may land in slot 0 of rank 1 before its op 1 has read it in run 0"
	if err == nil || err.Error() != want {
		t.Fatalf("got  %v\nwant %s", err, want)
	}
}

// keepChunks is a schedule without the ops of chunks from m on: what a driver
// runs that leaves out empty chunks.
func keepChunks(s Schedule, m int) *Table {
	t := NewTable(s)
	for part, ops := range t.ops {
		index := make([]int32, len(ops))
		var kept []Op
		for i, op := range ops {
			index[i] = -1
			if int(op.Chunk) < m {
				index[i] = int32(len(kept))
				kept = append(kept, op)
			}
		}
		for i := range kept {
			if a := kept[i].After; a >= 0 {
				kept[i].After = index[a]
			}
			if a := kept[i].Acked; a >= 0 {
				kept[i].Acked = index[a]
			}
		}
		t.ops[part] = kept
	}
	return t
}

// A buffer with fewer elements than chunks leaves chunks empty; a driver may
// leave them out without losing any ordering.
func TestEmptyChunksMayBeLeftOut(t *testing.T) {
	for n := 2; n <= 9; n++ {
		for _, pipeline := range []int{1, 2} {
			s := make1(t, "ring-all-reduce", identity(n, 1), pipeline)
			for m := 1; m < s.Chunks(); m++ {
				few := keepChunks(s, m)
				few.chunks = m
				if err := Check(few, s.Goal()); err != nil {
					t.Fatalf("%d ranks, pipeline %d, %d chunks:\n%v", n, pipeline, m, err)
				}
				if err := ReuseSafe(few, 1); err != nil {
					t.Fatalf("%d ranks, pipeline %d, %d chunks, back to back:\n%v", n, pipeline, m, err)
				}
			}
		}
	}
}

// Book chapter 14: 1024 gradients in 4 chunks of 256, A to D; rank r starts by
// sending chunk r; three reduce-scatter steps leave B on rank 0, C on 1, D on 2,
// A on 3; three all-gather steps give all to all.
func TestBookRingOfFour(t *testing.T) {
	ring, err := RingAllReduce(identity(4, 1))
	if err != nil {
		t.Fatal(err)
	}
	if lo, hi := Range(1024, 1, ring.Chunks(), 0, 1); lo != 256 || hi != 512 {
		t.Errorf("chunk B is [%d, %d), want [256, 512)", lo, hi)
	}
	for r := range 4 {
		if op := ring.Op(r, 0, 0); op.Kind != Send || int(op.Chunk) != r || int(op.Peer) != (r+1)%4 {
			t.Errorf("rank %d starts with %s, want to send chunk %d to rank %d", r, op, r, (r+1)%4)
		}
		var kinds []string
		last := -1 // the chunk reduced last
		for i := range ring.Len(r, 0) {
			op := ring.Op(r, 0, i)
			if op.Kind == Reduce {
				last = int(op.Chunk)
			}
			if op.Kind == Reduce || op.Kind == Copy {
				kinds = append(kinds, op.Kind.String())
			}
		}
		if got := strings.Join(kinds, " "); got != "reduce reduce reduce copy copy copy" {
			t.Errorf("rank %d does %s", r, got)
		}
		if want := "BCDA"[r]; "ABCD"[last] != want {
			t.Errorf("rank %d holds %c after the reduce-scatter, want %c", r, "ABCD"[last], want)
		}
		if got := ring.Owner(0, last); int(got) != r {
			t.Errorf("Owner says rank %d owns %c, want rank %d", got, "ABCD"[last], r)
		}
	}
	scatter, _ := RingReduceScatter(identity(4, 1))
	for chunk, owner := range []int32{3, 0, 1, 2} {
		if got := scatter.Owner(0, chunk); got != owner {
			t.Errorf("reduce-scatter: rank %d owns %c, want rank %d", got, "ABCD"[chunk], owner)
		}
	}
}

func TestTreeIsBinaryAndShallow(t *testing.T) {
	for n := 1; n <= 64; n++ {
		b, err := TreeBroadcast(identity(n, 1), 1)
		if err != nil {
			t.Fatal(err)
		}
		depth, levels := 0, 0
		for m := n; m > 1; m /= 2 {
			levels++
		}
		for p := range n {
			v, d := b.node(p), 0
			for _, c := range v.children {
				if c >= 0 && b.node(c).parent != p {
					t.Fatalf("%d ranks: %d is a child of %d, but its parent is %d", n, c, p, b.node(c).parent)
				}
			}
			for q := p; q != 0; q = b.node(q).parent {
				d++
			}
			depth = max(depth, d)
		}
		if depth > levels {
			t.Errorf("%d ranks: depth %d, want at most %d", n, depth, levels)
		}
	}
	// Two hosts of four: one crossing.
	b, _ := TreeBroadcast(identity(8, 1), 1)
	crossings := 0
	for p := 1; p < 8; p++ {
		if p/4 != b.node(p).parent/4 {
			crossings++
		}
	}
	if crossings != 1 {
		t.Errorf("the tree crosses between two hosts of four %d times, want 1", crossings)
	}
}

func TestBadOrders(t *testing.T) {
	for _, c := range []struct {
		orders [][]int32
		want   string
	}{
		{nil, "0 channels"},
		{[][]int32{{}}, "0 ranks"},
		{[][]int32{{0, 1}, {0}}, "channel 1: 1 ranks, want 2"},
		{[][]int32{{0, 2}}, "rank 2 at position 1, want 0 to 1"},
		{[][]int32{{0, 1}, {1, 1}}, "channel 1: rank 1 at positions 0 and 1"},
	} {
		for _, name := range AlgorithmNames() {
			if _, err := Algorithms[name].New(c.orders, 1); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s over %v: %v, want %q", name, c.orders, err, c.want)
			}
		}
	}
	if _, err := TreeBroadcast([][]int32{{0, 1}, {1, 0}}, 1); err == nil || !strings.Contains(err.Error(), "want the root first in all") {
		t.Errorf("two roots: %v", err)
	}
	for _, name := range AlgorithmNames() {
		for _, pipeline := range []int{0, -1, 1 << 30} {
			if _, err := Algorithms[name].New(identity(4, 1), pipeline); err == nil {
				t.Errorf("%s with pipeline %d: no error", name, pipeline)
			}
		}
	}
}

func TestRangeCoversTheBuffer(t *testing.T) {
	for _, elems := range []int{0, 1, 7, 1024, 1000003} {
		for _, channels := range []int{1, 2, 4} {
			for _, chunks := range []int{1, 4, 17} {
				next, sizes := 0, []int{}
				for c := range channels {
					for k := range chunks {
						lo, hi := Range(elems, channels, chunks, c, k)
						if lo != next || hi < lo {
							t.Fatalf("%d elements, channel %d chunk %d: [%d, %d), want to begin at %d", elems, c, k, lo, hi, next)
						}
						next = hi
						sizes = append(sizes, hi-lo)
					}
				}
				if next != elems {
					t.Fatalf("ranges end at %d, want %d", next, elems)
				}
				if got := MaxChunk(elems, channels, chunks); got != slices.Max(sizes) {
					t.Fatalf("MaxChunk %d, want %d", got, slices.Max(sizes))
				}
			}
		}
	}
}

// Ops are computed, not stored: a large ring costs no more than its orders.
func TestOpAllocatesNothing(t *testing.T) {
	for _, name := range AlgorithmNames() {
		s := make1(t, name, identity(1024, 1), 4)
		i := 0
		if a := testing.AllocsPerRun(100, func() { _ = s.Op(i%1024, 0, i%4); i++ }); a != 0 {
			t.Errorf("%s: %v allocations per Op", name, a)
		}
	}
}

func ExampleRingAllReduce() {
	ring, _ := RingAllReduce([][]int32{{0, 1, 2, 3}})
	for i := range 4 {
		fmt.Println(ring.Op(0, 0, i))
	}
	fmt.Println(Check(ring, ring.Goal()))
	// Output:
	// send chunk 0 to 1
	// recv chunk 3 from 3 slot 0
	// reduce chunk 3 slot 0 after 1
	// send chunk 3 to 1 after 2
	// <nil>
}
