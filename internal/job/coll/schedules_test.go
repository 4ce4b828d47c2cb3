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

// pipelines are the depths of a list that an algorithm can have.
func pipelines(name string, depths ...int) []int {
	if Algorithms[name].Pipeline == 0 {
		return []int{1}
	}
	return depths
}

// fits reports whether an algorithm takes so many channels.
func fits(name string, channels int) bool { return name != "double-tree-all-reduce" || channels%2 == 0 }

// credited is a schedule with so many slots per link, nil if it has no such form.
func credited(s withGoal, slots int) withGoal {
	var c withGoal
	var err error
	switch s := s.(type) {
	case *Ring:
		c, err = s.Credited(slots)
	case *Tree:
		c, err = s.Credited(slots)
	case *Direct:
		if s.exchange() && !s.paced && slots < s.slices {
			return nil
		}
		c, err = s.Credited(slots)
	case *Dissemination:
		c, err = s.Credited(slots)
	default:
		return nil
	}
	if err != nil {
		panic(err)
	}
	return c
}

// proofs counts what a test has proved, by algorithm.
type proofs map[string]int

func (p proofs) prove(t *testing.T, s withGoal, what string, args ...any) {
	t.Helper()
	if err := Check(s, s.Goal()); err != nil {
		t.Fatalf("%s, %d ranks, %d channels, %s:\n%v", s.Name(), s.Ranks(), s.Channels(),
			fmt.Sprintf(what, args...), err)
	}
	p[s.Name()]++
}

func (p proofs) log(t *testing.T) {
	total := 0
	for _, name := range AlgorithmNames() {
		t.Logf("%-28s %5d", name, p[name])
		total += p[name]
	}
	t.Logf("%-28s %5d", "in all", total)
}

// Every algorithm, 2 to 17 ranks (and a lone one), 1 to 4 channels with rank
// orders of their own, several pipelining depths.
func TestEveryScheduleIsProved(t *testing.T) {
	p := proofs{}
	for _, name := range AlgorithmNames() {
		for n := 1; n <= 17; n++ {
			for channels := 1; channels <= 4; channels++ {
				for _, pipeline := range pipelines(name, 1, 2, 5) {
					if fits(name, channels) {
						p.prove(t, make1(t, name, shuffled(n, channels), pipeline), "pipeline %d", pipeline)
					}
				}
			}
		}
	}
	p.log(t)
}

// With hosts of every size that goes into the ranks.
func TestEveryScheduleOnHostsIsProved(t *testing.T) {
	p := proofs{}
	for _, name := range AlgorithmNames() {
		a := Algorithms[name]
		for n := 1; n <= 18 && a.OnHosts != nil; n++ {
			for perHost := 1; perHost <= n; perHost++ {
				for _, pipeline := range pipelines(name, 1, 3) {
					s, err := a.OnHosts(shuffled(n, 2), pipeline, perHost)
					if n%perHost != 0 {
						if err == nil || !strings.Contains(err.Error(), "want as many on each host") {
							t.Errorf("%s, %d ranks, %d per host: %v", name, n, perHost, err)
						}
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					p.prove(t, s.(withGoal), "%d per host, pipeline %d", perHost, pipeline)
				}
			}
		}
	}
	p.log(t)
}

// With slots that serve in turn, from 1 up, a schedule is right, and may be run
// again and again in one staging area.
func TestEveryScheduleWithCreditIsProved(t *testing.T) {
	p := proofs{}
	for _, name := range AlgorithmNames() {
		for n := 1; n <= 17; n++ {
			for _, pipeline := range pipelines(name, 2, 5) {
				for _, slots := range []int{1, 3, 8} {
					c := credited(make1(t, name, shuffled(n, 2), pipeline), slots)
					if c == nil {
						continue
					}
					if want := n > 1; c.(interface{ NeedsCredit() bool }).NeedsCredit() != want {
						t.Fatalf("%s, %d ranks: needs credit: %t, want %t", name, n, !want, want)
					}
					p.prove(t, c, "pipeline %d, %d slots", pipeline, slots)
					if err := ReuseSafe(c, 1); err != nil {
						t.Fatalf("%s, %d ranks, pipeline %d, %d slots, run again:\n%v", name, n, pipeline, slots, err)
					}
				}
			}
		}
	}
	p.log(t)
}

// As a group of a larger job: every other rank, from the last.
func TestEveryScheduleOfAGroupIsProved(t *testing.T) {
	p := proofs{}
	for _, name := range AlgorithmNames() {
		for n := 1; n <= 17; n++ {
			var members []int32
			for i := range n {
				members = append(members, int32(2*(n-i)))
			}
			for _, slots := range []int{0, 2} {
				s := make1(t, name, shuffled(n, 2), pipelines(name, 2)[0])
				if slots > 0 {
					if s = credited(s, slots); s == nil {
						continue
					}
				}
				g, err := Within(s, members, 2*n+3)
				if err != nil {
					t.Fatal(err)
				}
				p.prove(t, g, "a group, %d slots", slots)
				if goal := s.Goal(); n > 1 && goal.From == nil && goal.Collective != Barrier && Check(g, goal) == nil {
					t.Fatalf("%s: a group of %d reaches the goal of other ranks", name, n)
				}
			}
		}
	}
	p.log(t)
}

// Run back to back without credit, for every number of ranks: an all-reduce in
// one staging area; what else makes every rank wait for every other in two in
// alternation, but not in one; what goes one way, or only to the neighbour, in
// none.
func TestReuseOfStaging(t *testing.T) {
	const never = 4
	for _, name := range AlgorithmNames() {
		need := never
		switch Algorithms[name].Collective {
		case AllReduce:
			need = 1
		case AllGather, ReduceScatter, AllToAll, Barrier:
			need = 2
		}
		for stagings := 1; stagings < never; stagings++ {
			safe, of := 0, 0
			for n := 2; n <= 17; n++ {
				for _, pipeline := range pipelines(name, 1, 3) {
					if of++; ReuseSafe(make1(t, name, shuffled(n, 2), pipeline), stagings) == nil {
						safe++
					}
				}
			}
			if want := stagings >= need; want != (safe == of) {
				t.Errorf("%s, %d areas: safe in %d of %d cases, want %d areas for all", name, stagings, safe, of, need)
			}
		}
	}
}

func TestReuseErrorNamesTheMessage(t *testing.T) {
	s := make1(t, "chain-broadcast", identity(3, 1), 1)
	err := ReuseSafe(s, 1)
	want := "rank 0 channel 0 op 0: send chunk 0 to 1 of run 1: may land in slot 0 of rank 1 before its op 1 has " +
		"read it in run 0"
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

// nccl-tests, src/hypercube.cu: in step s a rank sends all the 2^s chunks that it has to the rank
// whose number differs in bit s, on every channel.
func TestHypercubeGoesByRankNumbers(t *testing.T) {
	const channels = 3
	s, err := Algorithms[hypercube].Over(cluster(2, 4, 4), channels, 1)
	if err != nil {
		t.Fatal(err)
	}
	for rank := range s.Ranks() {
		for c := range channels {
			var got []int32
			for i := range s.Len(rank, c) {
				if op := s.Op(rank, c, i); op.Kind == Send {
					got = append(got, op.Peer)
				}
			}
			r := int32(rank)
			want := []int32{r ^ 1, r ^ 2, r ^ 2, r ^ 4, r ^ 4, r ^ 4, r ^ 4}
			if !slices.Equal(got, want) {
				t.Errorf("rank %d, channel %d sends to %v, want %v", rank, c, got, want)
			}
		}
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
			if len(c.orders) == 1 && !fits(name, 1) {
				continue
			}
			if _, err := Algorithms[name].New(c.orders, 1); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s over %v: %v, want %q", name, c.orders, err, c.want)
			}
		}
	}
	if _, err := TreeBroadcast([][]int32{{0, 1}, {1, 0}}, 1); err == nil ||
		!strings.Contains(err.Error(), "want the root first in all") {
		t.Errorf("two roots: %v", err)
	}
	for _, name := range AlgorithmNames() {
		for _, pipeline := range []int{0, -1, 1 << 30} {
			if _, err := Algorithms[name].New(identity(4, 2), pipeline); err == nil {
				t.Errorf("%s with pipeline %d: no error", name, pipeline)
			}
		}
	}
}

func TestRangeCoversTheBuffer(t *testing.T) {
	for _, elems := range []int{0, 1, 7, 1024, 1000003} {
		for _, channels := range []int{1, 2, 4} {
			for _, ranks := range []int{1, 4, 17} {
				for _, slices := range []int{1, 3} {
					whole := make1(t, "ring-all-reduce", identity(ranks, channels), 1)
					coversTheBuffer(t, make1(t, "ring-all-reduce", identity(ranks, channels), slices), whole, elems)
				}
			}
		}
	}
}

func coversTheBuffer(t *testing.T, s, whole Schedule, elems int) {
	t.Helper()
	next, largest := 0, 0
	for c := range s.Channels() {
		for k := range s.Chunks() {
			lo, hi := ChunkRange(s, elems, c, k)
			if lo != next || hi < lo {
				t.Fatalf("%d elements, channel %d chunk %d: [%d, %d), want to begin at %d", elems, c, k, lo, hi, next)
			}
			if j := Slices(s); k%j == 0 {
				if first, _ := Range(elems, s.Channels(), whole.Chunks(), c, k/j); lo != first {
					t.Fatalf("%d elements, channel %d: ring chunk %d begins at %d, without slices at %d",
						elems, c, k/j, lo, first)
				}
			}
			next, largest = hi, max(largest, hi-lo)
		}
	}
	if next != elems {
		t.Fatalf("ranges end at %d, want %d", next, elems)
	}
	if got := MaxChunk(s, elems); got != largest {
		t.Fatalf("MaxChunk %d, want %d", got, largest)
	}
}

// Slices and credit change who waits for what, not what is added to what: the
// bits are those of the ring without.
func TestSlicesKeepTheBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for n := 2; n <= 9; n++ {
		ring, _ := RingAllReduce(shuffled(n, 2))
		in := buffers(n, 237, func() float32 { return float32(rng.NormFloat64()) })
		want := clones(in)
		Execute(ring, want)
		for _, k := range []int{2, 3, 7} {
			sliced, _ := ring.Sliced(k)
			few, _ := sliced.Credited(4)
			for _, s := range []Schedule{sliced, few} {
				got := clones(in)
				Execute(s, got)
				if !slices.EqualFunc(got, want, slices.Equal[[]float32]) {
					t.Errorf("%d ranks, %d slices, %d slots: other bits than without slices", n, k, s.Slots())
				}
			}
		}
	}
}

// With credit staging is as large as is asked for: of 8 ranks with 8 slices in 8
// slots an eighth of a ring chunk each, 1/8 of the buffer. Without it is 7/4, and
// two areas take 3.5 buffers.
func TestStagingWithCredit(t *testing.T) {
	const elems = 8 * 8 * 1000
	ring, _ := RingAllReduce(identity(8, 1))
	sliced, _ := ring.Sliced(8)
	few, _ := sliced.Credited(8)
	for _, c := range []struct {
		s    Schedule
		want int
	}{{ring, elems * 7 / 4}, {few, elems / 8}} {
		if got := c.s.Slots() * MaxChunk(c.s, elems); got != c.want {
			t.Errorf("%d slots: staging of %d elements, want %d", c.s.Slots(), got, c.want)
		}
	}
}

// Ops are computed, not stored: a large ring costs no more than its orders.
func TestOpAllocatesNothing(t *testing.T) {
	for _, name := range AlgorithmNames() {
		s := make1(t, name, identity(1024, 2), pipelines(name, 4)[0])
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

// What comes into a slot is read by one operation; that of a schedule that is written out may be read twice.
func TestASlotIsReadOnce(t *testing.T) {
	for name := range Algorithms {
		for _, k := range pipelines(name, 1, 3) {
			s := make1(t, name, shuffled(8, 2), k)
			for r := range s.Ranks() {
				if !ReadsOnce(s, r) {
					t.Errorf("%s: rank %d reads a slot twice", name, r)
				}
			}
		}
	}
	table := NewTable(make1(t, "ring-all-reduce", identity(2, 1), 1))
	again := &table.ops[1]
	last := (*again)[len(*again)-1]
	*again = append(*again, last)
	if !ReadsOnce(table, 0) || ReadsOnce(table, 1) {
		t.Error("the rank that reads a slot twice is not found")
	}
}
