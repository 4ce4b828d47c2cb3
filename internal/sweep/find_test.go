package sweep

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"railyard/internal/result"
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

// A row's file in which a byte is another is not believed, wherever that byte is: the run is made again.
func TestRowsAreWhole(t *testing.T) {
	dir := t.TempDir()
	d, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close() //nolint:errcheck // the test is over
	row := Row{Key: "k", State: result.Complete, Drops: 3, Figures: map[string]float64{"drops": 3, "step_time": 1.5e6}}
	if err := d.keep(&row); err != nil {
		t.Fatal(err)
	}
	if got := (Row{Key: "k"}); !d.find(t.Context(), &got) || got.Drops != 3 || got.Digest != "" {
		t.Fatalf("not found: %+v", got)
	}
	name := filepath.Join(dir, "rows", "k.json")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		if text[i] == ' ' || text[i] == '\n' {
			continue // another blank says the same
		}
		other := slices.Clone(text)
		other[i] ^= 1
		if err := os.WriteFile(name, other, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := (Row{Key: "k"}); d.find(t.Context(), &got) && (got.Drops != 3 || got.Figures["step_time"] != 1.5e6) {
			t.Fatalf("byte %d: %q is believed", i, other[i])
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
