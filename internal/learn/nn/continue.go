package nn

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"railyard/internal/base/splitmix"
)

// Sampling says how a token is drawn from what a model makes of a text.
type Sampling struct {
	Temperature float64 // outputs are divided by it; 0: the likeliest token
	Top         int     // only so many of the likeliest are drawn; 0: any
	Seed        uint64
}

// A Writer says what comes next in a text. It keeps room for one window.
type Writer struct {
	m    *Model
	r    *Replica
	s    Sampling
	draw splitmix.Stream
	from []following
}

// following is a token that may come next.
type following struct {
	token  int32
	weight float64
}

// NewWriter makes a writer with the weights of a model of text, whose draws follow the seed.
func (m *Model) NewWriter(params []float32, s Sampling, k Kernel) *Writer {
	const label = 0x6e6e2f7772697465 // "nn/write"
	return &Writer{m: m, r: m.replica(params, 1, k, false), s: s,
		draw: splitmix.Stream(splitmix.Mix(splitmix.Mix(label) ^ s.Seed))}
}

// Next draws the token after some, 1 to Model.Inputs() of them: one of those in [lo, hi). What is left
// of the window is padding, which no token before it sees. It fails where an output is no number.
func (w *Writer) Next(tokens []int32, lo, hi int32) (int32, error) {
	if len(tokens) < 1 || len(tokens) > w.m.Inputs() {
		panic(fmt.Sprintf("nn: %d tokens, want 1 to %d", len(tokens), w.m.Inputs()))
	}
	x := w.r.acts[0]
	clear(x) // Padding is 0
	for i, t := range tokens {
		x[i] = float32(t)
	}
	w.r.begin(1)
	for l := range w.m.Layers() {
		w.r.Forward(l)
	}
	z := w.r.Outputs()[(len(tokens)-1)*w.m.Classes():][:w.m.Classes()]
	w.from = w.from[:0]
	for t := lo; t < hi; t++ {
		v := float64(z[t])
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("the score of token %d is %v: the weights are too large", t, v)
		}
		w.from = append(w.from, following{t, v})
	}
	return w.pick(), nil
}

// pick draws one of what may follow, whose weights are outputs as yet.
func (w *Writer) pick() int32 {
	slices.SortStableFunc(w.from, func(a, b following) int { return cmp.Compare(b.weight, a.weight) })
	if w.s.Temperature == 0 {
		return w.from[0].token
	}
	if w.s.Top > 0 {
		w.from = w.from[:min(w.s.Top, len(w.from))]
	}
	best, sum := w.from[0].weight, 0.0
	for i, c := range w.from {
		w.from[i].weight = exp((c.weight - best) / w.s.Temperature)
		sum += w.from[i].weight
	}
	at := float64(float64(float64(w.draw.Next()>>11)/(1<<53)) * sum)
	for _, c := range w.from {
		if at -= c.weight; at < 0 {
			return c.token
		}
	}
	return w.from[0].token // the sum was rounded up
}
