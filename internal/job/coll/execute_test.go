package coll

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawSchedule draws an algorithm, its size and its rank orders, with credit or
// without.
func drawSchedule(t *rapid.T, of func(Algorithm) bool) withGoal {
	var names []string
	for _, name := range AlgorithmNames() {
		if of(Algorithms[name]) {
			names = append(names, name)
		}
	}
	name := rapid.SampledFrom(names).Draw(t, "algorithm")
	n := rapid.IntRange(1, 9).Draw(t, "ranks")
	channels := rapid.IntRange(1, 3).Draw(t, "channels")
	if !fits(name, channels) {
		channels++
	}
	pipeline := rapid.SampledFrom(pipelines(name, 1, 2, 3)).Draw(t, "pipeline")
	s, err := Algorithms[name].New(shuffled(n, channels), pipeline)
	if perHost := rapid.IntRange(1, n).Draw(t, "ranks per host"); Algorithms[name].OnHosts != nil && n%perHost == 0 {
		s, err = Algorithms[name].OnHosts(shuffled(n, channels), pipeline, perHost)
	}
	if err != nil {
		t.Fatal(err)
	}
	if slots := rapid.IntRange(0, 4).Draw(t, "slots with credit"); slots > 0 {
		if c := credited(s.(withGoal), slots); c != nil {
			return c
		}
	}
	return s.(withGoal)
}

func anyAlgorithm(Algorithm) bool { return true }
func inPlace(a Algorithm) bool    { return a.Collective.InPlace() }
func outOfPlace(a Algorithm) bool { return !a.Collective.InPlace() && a.Collective != Barrier }

func buffers(ranks, elems int, value func() float32) [][]float32 {
	bufs := make([][]float32, ranks)
	for r := range bufs {
		bufs[r] = make([]float32, elems)
		for e := range bufs[r] {
			bufs[r][e] = value()
		}
	}
	return bufs
}

func clones(bufs [][]float32) [][]float32 {
	out := make([][]float32, len(bufs))
	for i := range bufs {
		out[i] = slices.Clone(bufs[i])
	}
	return out
}

// eachWanted calls f with every range that the goal of a schedule in place speaks
// of, and with the sum (float64) of the inputs that belong in it.
func eachWanted(s withGoal, in [][]float32, f func(rank, lo, hi int, sum []float64)) {
	g, elems := s.Goal(), len(in[0])
	for c := range s.Channels() {
		for k := range s.Chunks() {
			lo, hi := ChunkRange(s, elems, c, k)
			sum := make([]float64, hi-lo)
			for r := range in {
				if g.Collective == BroadcastFrom && r != int(g.Root) ||
					g.Collective == AllGather && r != int(g.Owner(c, k)) {
					continue
				}
				for e := lo; e < hi; e++ {
					sum[e-lo] += float64(in[r][e])
				}
			}
			for r := range in {
				if g.Collective == ReduceTo && r != int(g.Root) ||
					g.Collective == ReduceScatter && r != int(g.Owner(c, k)) {
					continue
				}
				f(r, lo, hi, sum)
			}
		}
	}
}

// Small integers add up exactly in any order.
func TestExecuteIsExactOnIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSchedule(t, inPlace)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		in := buffers(s.Ranks(), rapid.IntRange(0, 100).Draw(t, "elements"),
			func() float32 { return float32(rng.IntN(2001) - 1000) })
		out := clones(in)
		Execute(s, out)
		eachWanted(s, in, func(r, lo, hi int, sum []float64) {
			for e := lo; e < hi; e++ {
				if float64(out[r][e]) != sum[e-lo] {
					t.Fatalf("rank %d element %d: %v, want %v", r, e, out[r][e], sum[e-lo])
				}
			}
		})
	})
}

// Floats: within n rounding errors of the sum; after an all-reduce every rank
// has the same bits.
func TestExecuteIsCloseOnFloats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSchedule(t, inPlace)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		in := buffers(s.Ranks(), rapid.IntRange(1, 100).Draw(t, "elements"),
			func() float32 { return float32(rng.NormFloat64()) })
		out := clones(in)
		Execute(s, out)
		eachWanted(s, in, func(r, lo, hi int, sum []float64) {
			for e := lo; e < hi; e++ {
				size := 0.0
				for q := range in {
					size += math.Abs(float64(in[q][e]))
				}
				if d := math.Abs(float64(out[r][e]) - sum[e-lo]); d > size*float64(len(in))/(1<<24) {
					t.Fatalf("rank %d element %d: %v, want %v", r, e, out[r][e], sum[e-lo])
				}
			}
		})
		if s.Goal().Collective != AllReduce {
			return
		}
		for r := range out {
			if !slices.Equal(out[r], out[0]) {
				t.Fatalf("rank %d has other bits than rank 0", r)
			}
		}
	})
}

// moves are the buffers of a collective out of place: count is how many elements
// a block of a rank's input has, want what each rank must end with.
func moves(s withGoal, count func(rank, block int) int) (at Layout, in, out, want [][]float32) {
	g, n := s.Goal(), s.Ranks()
	next := float32(0)
	blocks := make([][][]float32, n) // [rank][block]
	for r := range n {
		for b := range n {
			one := g.Collective == GatherTo || g.Collective == SendReceive
			if one && b > 0 || g.Collective == ScatterFrom && r != int(g.Root) {
				break // one block, or none
			}
			block := make([]float32, count(r, b))
			for e := range block {
				next++
				block[e] = next
			}
			blocks[r] = append(blocks[r], block)
		}
		in = append(in, slices.Concat(blocks[r]...))
	}
	for r := range n {
		var w []float32
		switch root := r == int(g.Root); {
		case g.Collective == AllToAll:
			for q := range n {
				w = append(w, blocks[q][r]...)
			}
		case g.Collective == GatherTo && root:
			w = slices.Concat(in...)
		case g.Collective == ScatterFrom:
			w = blocks[g.Root][r]
		case g.Collective == SendReceive && g.From(int32(r)) >= 0:
			w = in[g.From(int32(r))]
		}
		want = append(want, w)
	}
	size := func(rank, block int) int { return len(blocks[rank][block]) }
	for r := range n {
		out = append(out, make([]float32, OutputElems(s, g, r, size)))
	}
	return BlockLayout(s, g, size), in, out, want
}

// Blocks come where they belong, whatever their sizes: each pair of ranks has its
// own, none included.
func TestExecuteMovesBlocksOfAnySize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSchedule(t, outOfPlace)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		most := rapid.IntRange(0, 40).Draw(t, "most elements of a block")
		at, in, out, want := moves(s, func(int, int) int { return rng.IntN(most + 1) })
		ExecuteFrom(s, at, in, out)
		for r := range out {
			if !slices.Equal(out[r][:len(want[r])], want[r]) {
				t.Fatalf("%s: rank %d of %d: %v, want %v", s.Name(), r, s.Ranks(), out[r], want[r])
			}
		}
	})
}

// Whatever the interleaving of ranks, channels, messages, credits and
// acknowledgements, the bits are those of Execute.
func TestBitsDoNotDependOnInterleaving(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSchedule(t, anyAlgorithm)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		again := ReuseSafe(s, 1) == nil
		if !s.Goal().Collective.InPlace() {
			runs := 1
			if again {
				runs = 2
			}
			at, in, out, want := moves(s, func(int, int) int { return s.Channels()*Slices(s) + rng.IntN(5) })
			if s.Goal().Collective == Barrier {
				return // proved by its clocks; it moves nothing
			}
			if err := runHostileFrom(s, at, in, out, runs, rng.Uint64()); err != nil {
				t.Fatal(err)
			}
			for r := range out {
				if !slices.Equal(out[r][:len(want[r])], want[r]) {
					t.Fatalf("%s: rank %d: %v, want %v", s.Name(), r, out[r], want[r])
				}
			}
			return
		}
		elems := s.Channels()*s.Chunks() + rapid.IntRange(0, 20).Draw(t, "elements above one per chunk")
		in := buffers(s.Ranks(), elems, func() float32 { return float32(rng.NormFloat64()) })
		runs := 1
		if again && s.Goal().Collective == AllReduce {
			runs = 2
		}
		want, got := clones(in), clones(in)
		for range runs {
			Execute(s, want)
		}
		if err := runHostile(s, got, runs, rng.Uint64()); err != nil {
			t.Fatal(err)
		}
		for r := range got {
			if c := s.Goal().Collective; c != ReduceScatter && c != ReduceTo && !slices.Equal(got[r], want[r]) {
				t.Fatalf("rank %d: other bits than Execute", r)
			}
		}
		eachWanted(s, in, func(r, lo, hi int, _ []float64) {
			if !slices.Equal(got[r][lo:hi], want[r][lo:hi]) {
				t.Fatalf("rank %d elements [%d, %d): other bits than Execute", r, lo, hi)
			}
		})
	})
}

// The hostile driver does find what Check refuses: it is a test of the tests.
func TestHostileDriverFindsRaces(t *testing.T) {
	ring, _ := RingAllReduce(identity(4, 1))
	for name, s := range map[string]Schedule{
		"unacknowledged": edited(t, ring, 2, func(o []Op) []Op { o[11].Acked = -1; return o }),
		"too few slots":  oneSlot(ring),
		"unordered":      edited(t, ring, 1, func(o []Op) []Op { o[3].After = -1; return o }),
	} {
		if Check(s, ring.Goal()) == nil {
			t.Errorf("%s: Check accepts it", name)
		}
		in := buffers(4, 8, rand.New(rand.NewPCG(1, 2)).Float32)
		want := clones(in)
		Execute(ring, want)
		found := 0
		for seed := range uint64(300) {
			got := clones(in)
			if err := runHostile(s, got, 1, seed); err != nil || !slices.EqualFunc(got, want, slices.Equal[[]float32]) {
				found++
			}
		}
		if found == 0 {
			t.Errorf("%s: no interleaving of 300 goes wrong", name)
		}
	}
}

func TestExecuteRefusesNonsense(t *testing.T) {
	ring, _ := RingAllReduce(identity(3, 1))
	for name, f := range map[string]func(){
		"too few buffers": func() { Execute(ring, make([][]float32, 2)) },
		"uneven buffers":  func() { Execute(ring, [][]float32{{1}, {1}, {}}) },
		"deadlock":        func() { Execute(receiveFirst(ring), [][]float32{{1}, {1}, {1}}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func ExampleExecute() {
	ring, _ := RingAllReduce([][]int32{{0, 1, 2}})
	bufs := [][]float32{{1, 2, 3}, {10, 20, 30}, {100, 200, 300}}
	Execute(ring, bufs)
	fmt.Println(bufs)
	// Output: [[111 222 333] [111 222 333] [111 222 333]]
}
