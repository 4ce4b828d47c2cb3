package coll

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawSchedule draws an algorithm, its size and its rank orders.
func drawSchedule(t *rapid.T) withGoal {
	name := rapid.SampledFrom(AlgorithmNames()).Draw(t, "algorithm")
	n := rapid.IntRange(1, 9).Draw(t, "ranks")
	channels := rapid.IntRange(1, 3).Draw(t, "channels")
	s, err := Algorithms[name].New(shuffled(n, channels), rapid.IntRange(1, 3).Draw(t, "pipeline"))
	if err != nil {
		t.Fatal(err)
	}
	return s.(withGoal)
}

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

// eachWanted calls f with every range that the goal speaks of, and with the sum
// (float64) of the inputs that belong in it.
func eachWanted(s withGoal, in [][]float32, f func(rank, lo, hi int, sum []float64)) {
	g, elems := s.Goal(), len(in[0])
	for c := range s.Channels() {
		for k := range s.Chunks() {
			lo, hi := Range(elems, s.Channels(), s.Chunks(), c, k)
			sum := make([]float64, hi-lo)
			for r := range in {
				for e := lo; e < hi && g.starts(int32(r), c, k); e++ {
					sum[e-lo] += float64(in[r][e])
				}
			}
			for r := range in {
				if g.wants(int32(r), c, k) {
					f(r, lo, hi, sum)
				}
			}
		}
	}
}

// Small integers add up exactly in any order.
func TestExecuteIsExactOnIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSchedule(t)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		in := buffers(s.Ranks(), rapid.IntRange(0, 100).Draw(t, "elements"), func() float32 { return float32(rng.IntN(2001) - 1000) })
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
		s := drawSchedule(t)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		in := buffers(s.Ranks(), rapid.IntRange(1, 100).Draw(t, "elements"), func() float32 { return float32(rng.NormFloat64()) })
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

// Whatever the interleaving of ranks, channels, messages and acknowledgements,
// the bits are those of Execute.
func TestBitsDoNotDependOnInterleaving(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSchedule(t)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		elems := s.Channels()*s.Chunks() + rapid.IntRange(0, 20).Draw(t, "elements above one per chunk")
		in := buffers(s.Ranks(), elems, func() float32 { return float32(rng.NormFloat64()) })
		runs := 1
		if ReuseSafe(s, 1) == nil && s.Goal().Collective == AllReduce {
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
			if s.Goal().Collective != ReduceScatter && !slices.Equal(got[r], want[r]) {
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
