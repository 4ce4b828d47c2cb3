package nn

import "math"

// dense is a fully connected layer: y = activation(x wᵀ + b), parameters w (out x in), then b.
type dense struct {
	in, out    int
	activation Activation
	kernel     Kernel
	unbiased   bool // there is no b
}

// Dense is a fully connected layer of in inputs and out outputs, and what follows it: an activation
// whose slope can be told from its output.
func Dense(in, out int, a Activation) Layer {
	if err := a.fromOutput(); err != nil {
		panic("nn: " + err.Error())
	}
	return dense{in: in, out: out, activation: a, kernel: Portable}
}

func (l dense) In() int     { return l.in }
func (l dense) Out() int    { return l.out }
func (l dense) Params() int { return l.in*l.out + l.biases() }

// biases is how many there are.
func (l dense) biases() int {
	if l.unbiased {
		return 0
	}
	return l.out
}

func (l dense) Tensors() []Tensor {
	all := []Tensor{{Name: "weight", Shape: []int{l.out, l.in}, Role: Weight, FanIn: l.in, FanOut: l.out}}
	if !l.unbiased {
		all = append(all, Tensor{Name: "bias", Shape: []int{l.out}, Offset: l.in * l.out, Role: Bias})
	}
	return all
}

// Init draws weights and biases uniform in ±1/sqrt(in), as torch.nn.Linear does.
func (l dense) Init(p []float32, draw *Stream) {
	draw.Uniform(p, float32(1/math.Sqrt(float64(l.in))))
}

func (l dense) With(k Kernel) Layer {
	l.kernel = k
	return l
}

// Cost is, forward, a matrix product, rows x in by in x out, and one elementwise pass that adds the
// bias and applies the activation in place. Backward is the product for the weights' gradient, which
// also sums the bias's (as cuBLAS's epilogue does), and the product for the gradient of the input; an
// activation has an elementwise pass back.
func (l dense) Cost() Cost {
	in, out := int64(l.in), int64(l.out)
	product := Work{FLOP: 2 * in * out, Words: in + out, Fixed: in * out, Product: 2 * in * out}
	sums := product
	sums.Fixed += int64(l.biases())
	c := Cost{
		Forward:  []Work{product, {Words: 2 * out, Fixed: int64(l.biases())}},
		Gradient: []Work{sums},
		Input:    []Work{product},
	}
	if l.unbiased && l.activation == Identity { // nothing follows the product
		c.Forward = c.Forward[:1]
	}
	if l.activation != Identity {
		c.Through = []Work{{Words: 3 * out}}
	}
	return c
}

// cut returns the weights and the biases of a vector with the parameters' layout.
func (l dense) cut(v []float32) (w, b []float32) {
	split := l.in * l.out
	return v[:split:split], v[split:l.Params()]
}

func (l dense) NewSaved(int) Saved { return nil }

func (l dense) Forward(y, x, p []float32, rows int, _ Saved, _ *Pass) {
	l.product(y, x, p, rows)
	l.finish(y, p)
}

// product is x wᵀ alone.
func (l dense) product(y, x, p []float32, rows int) {
	w, _ := l.cut(p)
	l.kernel.NT(y, x, w, Product{M: rows, N: l.out, K: l.in, LDA: l.in, LDB: l.in, LDC: l.out})
}

// finish makes the outputs of products.
func (l dense) finish(y, p []float32) {
	_, b := l.cut(p)
	addRows(y, b)
	l.activation.apply(y, l.kernel)
}

// Split is by columns or by rows.
func (l dense) Split(way Way) *Split {
	outputs := []Width{{l.out, "outputs"}}
	switch way {
	case Columns:
		return &Split{outputs, func(part, parts int) (*Part, []Piece) {
			of, pieces := l.columns(part, parts)
			return byColumns(of), pieces
		}}
	case Gathered:
		return &Split{nil, func(part, parts int) (*Part, []Piece) {
			of, pieces := l.places(part, parts)
			return gathered(l, of, part, parts, 1), pieces
		}}
	case Rows:
		return &Split{[]Width{{l.in, "inputs"}}, l.rows}
	}
	return nil
}

// columns is rows of w, and as much of b.
//
//	w  | part 0 |    b  | part 0 |
//	   | part 1 |       | part 1 |
func (l dense) columns(part, parts int) (dense, []Piece) {
	of := l
	of.out = l.out / parts
	n := of.in * of.out
	pieces := []Piece{{part * n, 0, n}}
	if !l.unbiased {
		pieces = append(pieces, Piece{l.in*l.out + part*of.out, n, of.out})
	}
	return of, pieces
}

// places is columns of any number of outputs: each part has as many places, and beyond the last output are some that
// nothing uses, as of a vocabulary. They begin at 0 and have no gradient.
func (l dense) places(part, parts int) (of dense, pieces []Piece) {
	first, places, outputs := vocabularyPart(l.out, part, parts)
	of = l
	if of.out = places; outputs == 0 {
		return of, nil
	}
	pieces = []Piece{{first * l.in, 0, outputs * l.in}}
	if !l.unbiased {
		pieces = append(pieces, Piece{l.in*l.out + first, places * l.in, outputs})
	}
	return of, pieces
}

// rows is columns of w, and b: the outputs are the sum of all shares, finished.
//
//	w  | part 0 | part 1 |    b  | all |
func (l dense) rows(part, parts int) (*Part, []Piece) {
	of := l
	of.in = l.in / parts
	var pieces []Piece
	for o := range l.out {
		pieces = append(pieces, Piece{o*l.in + part*of.in, o * of.in, of.in})
	}
	p, _ := WholePart(of)
	work := of.Cost().Forward
	p.Forward = []Phase{
		{Name: "forward", Work: work[:1], Inputs: true, Params: true, Then: Sum, What: "outputs", InPlace: true,
			Run: func(h *Hand) { of.product(h.Y, h.X, h.P, h.Rows) }},
		{Name: "finish", Work: work[1:], Params: true, Run: func(h *Hand) { of.finish(h.Y, h.P) }}}
	if !l.unbiased {
		pieces = append(pieces, Piece{l.in * l.out, of.in * l.out, l.out})
	}
	return p, pieces
}

func (l dense) Through(d, y []float32) { l.activation.backward(d, y) }

func (l dense) Backward(dx, g, d, x, p []float32, rows int, _ Saved) {
	gw, gb := l.cut(g)
	l.kernel.TN(gw, d, x, Product{M: l.out, N: l.in, K: rows, LDA: l.out, LDB: l.in, LDC: l.in})
	if !l.unbiased {
		sumRows(gb, d[:rows*l.out])
	}
	if dx == nil {
		return
	}
	w, _ := l.cut(p)
	l.kernel.NN(dx, d, w, Product{M: rows, N: l.in, K: l.out, LDA: l.out, LDB: l.in, LDC: l.in})
}
