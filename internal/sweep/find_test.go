package sweep

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// sought runs a finder over a condition, and returns it with how many rounds it took.
func sought(n int, holds func(int) bool) (f *finder, rounds int) {
	f = newFinder(n)
	for {
		tries := f.next()
		if len(tries) == 0 {
			return f, rounds
		}
		rounds++
		for _, i := range tries {
			f.take(i, holds(i))
		}
	}
}

// Where the condition holds from some value on, that value is found, whatever it is, in as many rounds as bisection takes.
func TestFinderFindsEachStep(t *testing.T) {
	for n := 1; n <= 70; n++ {
		for step := 0; step <= n; step++ {
			f, rounds := sought(n, func(i int) bool { return i >= step })
			if f.high != step || len(f.against()) > 0 {
				t.Fatalf("%d values, from %d on: found %d, against it %v", n, step, f.high, f.against())
			}
			if rounds > 9 {
				t.Errorf("%d values, from %d on: %d rounds", n, step, rounds)
			}
		}
	}
}

// What is found holds, and its neighbour does not, also where the condition comes and goes; of a gap beside the answer, and
// of one that is an eighth of the rest, it is said that the condition is not monotone.
func TestFinderTellsOfGaps(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 3 + r.IntN(400)
		known := make([]bool, n)
		for i := range known {
			known[i] = r.IntN(2) == 0
		}
		f, _ := sought(n, func(i int) bool { return known[i] })
		if f.high < n && (!known[f.high] || f.high > 0 && known[f.high-1]) {
			t.Fatalf("seed %d: %d is no edge", seed, f.high)
		}
		for _, i := range f.against() {
			if known[i] != f.known[i] || known[i] == (i >= f.high) {
				t.Fatalf("seed %d: %d is not against %d", seed, i, f.high)
			}
		}
		step := r.IntN(n)
		gap := func(i int) bool { return i >= step && i != step+1 && i != step+2 }
		if f, _ = sought(n, gap); step+3 < n && f.high == step && !slices.Contains(f.against(), step+1) {
			t.Fatalf("seed %d: %d values, a gap behind %d: against it %v", seed, n, step, f.against())
		}
	}
}
