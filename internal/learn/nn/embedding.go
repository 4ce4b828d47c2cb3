package nn

import (
	"fmt"
	"math"
)

// Padding is the token of positions that hold no text, Unknown that of what the vocabulary lacks.
const (
	Padding = 0
	Unknown = 1
)

// embedding looks up a row of its table for each token.
//
//	x: rows x positions (tokens)    y: rows x (positions*size)    table: vocabulary x size
type embedding struct {
	positions, vocabulary, size int
	skip                        bool    // the row of the padding token learns nothing
	deviation                   float64 // of first values
}

// Embedding is a table of vectors. With skipPadding the vector of the padding token has no gradient,
// as padding_idx 0 of torch.nn.Embedding.
func Embedding(positions, vocabulary, size int, skipPadding bool) Layer {
	return embedding{positions, vocabulary, size, skipPadding, 1}
}

func (l embedding) In() int            { return l.positions }
func (l embedding) Out() int           { return l.positions * l.size }
func (l embedding) Params() int        { return l.vocabulary * l.size }
func (l embedding) With(Kernel) Layer  { return l }
func (l embedding) NewSaved(int) Saved { return nil }

func (l embedding) Tensors() []Tensor {
	return []Tensor{{Name: "weight", Shape: []int{l.vocabulary, l.size}, Role: Weight, FanIn: l.vocabulary,
		FanOut: l.size}}
}

// Init draws from a normal distribution, of variance 1 as a rule, as torch.nn.Embedding does.
func (l embedding) Init(p []float32, draw *Stream) { draw.Normal(p, l.deviation) }

// Cost reads and writes a vector for each position; back, the table's gradient is cleared first.
func (l embedding) Cost() Cost {
	n := int64(l.Out())
	return Cost{
		Forward:  []Work{{Words: 2*n + int64(l.positions)}},
		Gradient: []Work{{FLOP: n, Words: 3 * n, Fixed: int64(l.Params())}},
	}
}

func (l embedding) row(table []float32, token float32) []float32 {
	i := tokenIn(token, l.vocabulary)
	return table[i*l.size : (i+1)*l.size]
}

func (l embedding) Forward(y, x, p []float32, rows int, _ Saved, _ *Pass) {
	for i, token := range x[:rows*l.positions] {
		copy(y[i*l.size:(i+1)*l.size], l.row(p, token))
	}
}

func (l embedding) Through(_, _ []float32) {}

// Backward adds up what each token's positions say, the first position first. Nothing goes back to
// tokens.
func (l embedding) Backward(dx, g, d, x, _ []float32, rows int, _ Saved) {
	clear(g)
	for i, token := range x[:rows*l.positions] {
		if l.skip && token == Padding {
			continue
		}
		Add(l.row(g, token), d[i*l.size:(i+1)*l.size])
	}
	clear(dx)
}

// oneHot makes of each token a vector that is 1 at its place and 0 elsewhere.
//
//	x: rows x positions (tokens)    y: rows x (positions*vocabulary)
type oneHot struct{ positions, vocabulary int }

// OneHot is a layer that has a place for each token.
func OneHot(positions, vocabulary int) Layer { return oneHot{positions, vocabulary} }

func (l oneHot) In() int                     { return l.positions }
func (l oneHot) Out() int                    { return l.positions * l.vocabulary }
func (l oneHot) Params() int                 { return 0 }
func (l oneHot) Tensors() []Tensor           { return nil }
func (l oneHot) Init(_ []float32, _ *Stream) {}
func (l oneHot) With(Kernel) Layer           { return l }
func (l oneHot) NewSaved(int) Saved          { return nil }
func (l oneHot) Through(_, _ []float32)      {}

func (l oneHot) Cost() Cost {
	return Cost{Forward: []Work{{Words: int64(l.In() + l.Out())}}}
}

func (l oneHot) Forward(y, x, _ []float32, rows int, _ Saved, _ *Pass) {
	clear(y[:rows*l.Out()])
	for i, token := range x[:rows*l.positions] {
		y[i*l.vocabulary+tokenIn(token, l.vocabulary)] = 1
	}
}

// Backward gives nothing: tokens have no gradient.
func (l oneHot) Backward(dx, _, _, _, _ []float32, _ int, _ Saved) { clear(dx) }

// tokenIn is a token as a number below that of a vocabulary.
func tokenIn(token float32, vocabulary int) int {
	i := int(token)
	if i < 0 || i >= vocabulary {
		panic(fmt.Sprintf("nn: token %v of a vocabulary of %d", token, vocabulary))
	}
	return i
}

// positions adds to each position's vector one that says where it is.
//
//	x, y: rows x (positions*size)    learned table: positions x size
type positions struct {
	count, size int
	fixed       []float32 // of sinusoids; nil: learned
	deviation   float64   // of first values
}

// LearnedPositions is a table of vectors, one for each position, that learns.
func LearnedPositions(count, size int) Layer { return positions{count, size, nil, 1} }

// SinusoidalPositions is a fixed table (see Sinusoid).
func SinusoidalPositions(count, size int) Layer {
	l := positions{count, size, make([]float32, count*size), 0}
	for pos := range count {
		for i := range size {
			l.fixed[pos*size+i] = float32(Sinusoid(pos, i, size))
		}
	}
	return l
}

// Sinusoid is element i of the vector of a position (Vaswani and others, 2017): for an even i
//
//	sin(pos / 10000^(i/size)),
//
// and for the odd one after it the cosine of the same angle.
func Sinusoid(pos, i, size int) float64 {
	even := i &^ 1
	angle := float64(float64(pos) * exp(-float64(float64(even)*log(10000))/float64(size)))
	if i == even {
		return sin(angle)
	}
	return cos(angle)
}

func (l positions) In() int            { return l.count * l.size }
func (l positions) Out() int           { return l.count * l.size }
func (l positions) With(Kernel) Layer  { return l }
func (l positions) NewSaved(int) Saved { return nil }

func (l positions) Params() int {
	if l.fixed != nil {
		return 0
	}
	return l.count * l.size
}

func (l positions) Tensors() []Tensor {
	if l.fixed != nil {
		return nil
	}
	return []Tensor{{Name: "weight", Shape: []int{l.count, l.size}, Role: Weight, FanIn: l.count, FanOut: l.size}}
}

// Init is that of an embedding.
func (l positions) Init(p []float32, draw *Stream) { draw.Normal(p, l.deviation) }

func (l positions) Cost() Cost {
	n := int64(l.In())
	c := Cost{Forward: []Work{{FLOP: n, Words: 2 * n, Fixed: n}}, Input: []Work{{Words: 2 * n}}}
	if l.fixed == nil {
		c.Gradient = []Work{{FLOP: n, Words: n, Fixed: n}}
	}
	return c
}

func (l positions) Forward(y, x, p []float32, rows int, _ Saved, _ *Pass) {
	if l.fixed != nil {
		p = l.fixed
	}
	y = y[:rows*l.In()]
	copy(y, x)
	addRows(y, p)
}

func (l positions) Through(_, _ []float32) {}

func (l positions) Backward(dx, g, d, _, _ []float32, rows int, _ Saved) {
	d = d[:rows*l.In()]
	if l.fixed == nil {
		sumRows(g, d)
	}
	if dx != nil {
		copy(dx, d)
	}
}

// Normal fills p with draws from a normal distribution of mean 0: Marsaglia's polar method, which
// needs a logarithm and a square root only.
func (s *Stream) Normal(p []float32, deviation float64) {
	for i := 0; i < len(p); {
		u, v := float64(s.Symmetric()), float64(s.Symmetric())
		q := float64(u*u) + float64(v*v)
		if q >= 1 || q == 0 {
			continue
		}
		f := float64(deviation * math.Sqrt(float64(-2*log(q))/q))
		p[i] = float32(u * f)
		if i++; i < len(p) {
			p[i] = float32(v * f)
			i++
		}
	}
}
