package nn

import (
	"math"
	"slices"
	"testing"
)

// parrot is a network of text whose outputs are the embedding's rows: what follows a token depends on
// it alone.
func parrot(t *testing.T, rows ...[]float32) (*Model, []float32) {
	t.Helper()
	m, err := NewModel([]Named{{"", Embedding(3, len(rows), len(rows), false)}}, CrossEntropy, 3)
	if err != nil {
		t.Fatal(err)
	}
	return m, slices.Concat(rows...)
}

func draws(t *testing.T, w *Writer, n int, lo, hi int32, tokens ...int32) []int {
	t.Helper()
	count := make([]int, hi)
	for range n {
		token, err := w.Next(tokens, lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		count[token]++
	}
	return count
}

// Tokens come as often as softmax(outputs / temperature) says, of those that may come and of the
// likeliest few.
func TestDrawsFollowTheOutputs(t *testing.T) {
	ln := func(p float64) float32 { return float32(math.Log(p)) }
	none := []float32{0, 0, 0, 0, 0}
	// after token 2: 0 and 1 are likely, and may not come
	m, params := parrot(t, none, none, []float32{9, 9, ln(0.1), ln(0.3), ln(0.6)}, none, none)
	const n = 20_000
	for name, c := range map[string]struct {
		s    Sampling
		want []float64
	}{
		"as they are":         {Sampling{Temperature: 1}, []float64{0, 0, 0.1, 0.3, 0.6}},
		"the likeliest":       {Sampling{Temperature: 0}, []float64{0, 0, 0, 0, 1}},
		"the likeliest two":   {Sampling{Temperature: 1, Top: 2}, []float64{0, 0, 0, 1. / 3, 2. / 3}},
		"more than there are": {Sampling{Temperature: 1, Top: 9}, []float64{0, 0, 0.1, 0.3, 0.6}},
		// squares of 1, 3 and 6 are 1, 9 and 36
		"colder": {Sampling{Temperature: 0.5}, []float64{0, 0, 1. / 46, 9. / 46, 36. / 46}},
	} {
		for token, got := range draws(t, m.NewWriter(params, c.s, Portable), n, 2, 5, 4, 3, 2) {
			share := float64(got) / n
			if p := c.want[token]; math.Abs(share-p) > 5*math.Sqrt(p*(1-p)/n) {
				t.Errorf("%s: token %d comes in %.4f of the draws, want %.4f", name, token, share, p)
			}
		}
	}
}

// What follows depends on the last token that is there, not on the padding after it, and on the seed.
func TestWhatAWriterReads(t *testing.T) {
	none := []float32{0, 0, 0, 0}
	m, params := parrot(t, []float32{0, 0, 0, 8}, none, []float32{0, 0, 8, 0}, none)
	greedy := m.NewWriter(params, Sampling{}, Portable)
	for _, tokens := range [][]int32{{2}, {3, 2}, {3, 3, 2}} {
		if got := draws(t, greedy, 1, 0, 4, tokens...); got[2] != 1 {
			t.Errorf("after %v: %v, want token 2", tokens, got)
		}
	}
	if got := draws(t, greedy, 1, 2, 4, 3); got[2] != 1 {
		t.Errorf("of equally likely tokens %v, want the first", got)
	}
	text := func(seed uint64) (all []int32) {
		w := m.NewWriter(params, Sampling{Temperature: 1, Seed: seed}, Portable)
		for range 30 {
			token, err := w.Next([]int32{3}, 0, 4)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, token)
		}
		return all
	}
	if a := text(1); !slices.Equal(a, text(1)) || slices.Equal(a, text(2)) {
		t.Errorf("seed 1 gives %v, then %v; seed 2 %v", a, text(1), text(2))
	}
}

func TestOutputsThatAreNoNumbers(t *testing.T) {
	m, params := parrot(t, []float32{0, 0}, []float32{float32(math.Inf(1)), 0})
	w := m.NewWriter(params, Sampling{}, Portable)
	if _, err := w.Next([]int32{1}, 0, 2); err == nil {
		t.Error("an infinite output is drawn")
	}
	if got, err := w.Next([]int32{1}, 1, 2); got != 1 || err != nil {
		t.Errorf("token %d, %v: want 1, the other may not come", got, err)
	}
}
