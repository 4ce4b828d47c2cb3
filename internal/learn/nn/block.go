package nn

import "fmt"

// Half is what both halves of a transformer block have in common. A half is one layer, with the
// residual inside; f is attention or the feed-forward network:
//
//	norm before: y = x + dropout(f(norm(x)))    norm after: y = norm(x + dropout(f(x)))
//
//	x, y: rows x (Positions*Size)
type Half struct {
	Positions, Size int
	Norm            Norm
	After           bool // the norm follows the residual sum, as in the first transformer and the book
	NoBias          bool // of the products
	Dropout         float64
	NoNormBias      bool // of a layer norm
}

// half does everything of a half but f.
type half struct {
	norm      normalise
	positions int
	after     bool
	dropout   dropout
	// Of ranks that have a part of the positions each: the first of this one, and on how many f works.
	first, all int
}

func newHalf(c Half, name string) (half, error) {
	if c.Positions < 1 || c.Size < 1 {
		return half{}, fmt.Errorf("transformer block: %d positions of %d elements, want at least 1 of each",
			c.Positions, c.Size)
	}
	if c.Norm >= norms {
		return half{}, fmt.Errorf("transformer block: norm %d is none, want %s", c.Norm, names(normNames[:]))
	}
	d, err := newDropout(c.Dropout)
	return half{normalise{name: name, kind: c.Norm, size: c.Size, unbiased: c.NoNormBias}, c.Positions, c.After, d, 0, c.Positions}, err
}

func (h half) In() int                { return h.positions * h.norm.size }
func (h half) Out() int               { return h.positions * h.norm.size }
func (h half) Through(_, _ []float32) {}

// halved is what a half keeps.
type halved struct {
	scales []scale   // of the norm
	normed []float32 // what f takes, if the norm is before; the residual sum, if it is after
	d      []float32 // room for the gradient of what f gives
	keys   []uint64  // of each row's dropout
}

// residual is of any layer's saved values what its half keeps.
func (s *halved) residual() *halved { return s }

func (h half) newHalved(rows int) halved {
	n := rows * h.Out()
	return halved{make([]scale, rows*h.positions), make([]float32, n), make([]float32, n), make([]uint64, rows)}
}

// begin returns what f takes.
func (h half) begin(x, p []float32, rows int, s *halved) []float32 {
	if h.after {
		return x[:rows*h.In()]
	}
	normed := s.normed[:rows*h.In()]
	h.norm.forward(normed, x, p, s.scales[:rows*h.positions])
	return normed
}

// finish makes y of what f gave, which is in y.
func (h half) finish(y, x, p []float32, rows int, s *halved, pass *Pass) {
	for r := range rows {
		s.keys[r] = h.dropout.key(pass, residualPlace, r)
		h.dropout.apply(y[r*h.Out():(r+1)*h.Out()], s.keys[r], h.first*h.norm.size)
	}
	y = y[:rows*h.Out()]
	Add(y, x)
	if h.after {
		sum := s.normed[:len(y)]
		copy(sum, y)
		h.norm.forward(y, sum, p, s.scales[:rows*h.positions])
	}
}

// Places of dropout within a layer: maps of attention are at 0.
const residualPlace = 1

// finishBack returns the gradient of what f gave, and turns d into the residual's.
func (h half) finishBack(g, d, p []float32, rows int, s *halved) []float32 {
	d = d[:rows*h.Out()]
	if h.after {
		h.norm.backward(d, g, d, s.normed, p, s.scales[:rows*h.positions])
	}
	of := s.d[:len(d)]
	copy(of, d)
	for r, key := range s.keys[:rows] {
		h.dropout.apply(of[r*h.Out():(r+1)*h.Out()], key, h.first*h.norm.size)
	}
	return of
}

// beginBack makes dx of the gradient of what f takes, and of d, that of the residual.
func (h half) beginBack(dx, g, of, d, x, p []float32, rows int, s *halved) {
	if !h.after {
		h.norm.backward(of, g, of, x, p, s.scales[:rows*h.positions])
	}
	if dx != nil {
		copy(dx[:rows*h.In()], of)
		Add(dx[:rows*h.In()], d)
	}
}

func (h half) cost() Cost {
	n := int64(h.Out())
	return Cost{
		Forward: []Work{h.norm.work(h.positions), {FLOP: n, Words: 3 * n}},
		Input:   []Work{h.norm.backWork(h.positions), {FLOP: n, Words: 3 * n}},
		Saved:   h.Out() + 2*h.positions,
		Notes:   4*h.Out() + 8,
	}
}

// inside is a half with its f, or a part of it.
type inside interface {
	Layer
	of() half
	last() linear // whose bias follows what f gives
	// product makes y = f(in) without the last bias.
	product(y, in, p []float32, rows int, saved Saved, pass *Pass)
	// back makes the parameters' gradient from of, that of y, and turns of into that of in.
	back(g, of, in, p []float32, rows int, saved Saved)
}

// keeping is what any half leaves for its way back.
type keeping interface{ residual() *halved }

func forwardHalf[L inside](l L, y, x, p []float32, rows int, saved Saved, pass *Pass) {
	h, s := l.of(), saved.(keeping).residual()
	l.product(y, h.begin(x, p, rows, s), p, rows, saved, pass)
	addRows(y[:rows*h.Out()], l.last().bias(p))
	h.finish(y, x, p, rows, s, pass)
}

func backwardHalf[L inside](l L, dx, g, d, x, p []float32, rows int, saved Saved) {
	h, s := l.of(), saved.(keeping).residual()
	of := h.finishBack(g, d, p, rows, s)
	l.back(g, of, h.took(x, s), p, rows, saved)
	h.beginBack(dx, g, of, d, x, p, rows, s)
}

// took is what f took.
func (h half) took(x []float32, s *halved) []float32 {
	if h.after {
		return x
	}
	return s.normed
}

// attention is the half of a block that looks at other positions.
type attention struct {
	half
	heads   heads
	qkv, to linear
	kernel  Kernel
}

// Heads are those of attention, which need not make up the vector's size together.
type Heads struct {
	Count, Size int
	KeyValues   int     // heads of keys and values, which queries' heads share; 0: each has its own
	Rotary      float64 // base of rotary positions; 0: none
	Sized       bool    // the layer is asked for its sizes and costs alone: it has no table of angles
}

// Attention is multi-head causal self-attention as half a transformer block: heads of a size each. Tensors are named as
// in torch.nn.TransformerEncoderLayer.
func Attention(c Half, count, size int) (Layer, error) {
	return AttentionOf(c, Heads{Count: count, Size: size})
}

// AttentionOf is Attention whose heads may share keys and values, and know positions by turning.
func AttentionOf(c Half, of Heads) (Layer, error) {
	h, err := newHalf(c, "norm.")
	if of.KeyValues == 0 {
		of.KeyValues = of.Count
	}
	switch {
	case err != nil:
	case of.Count < 1 || of.Size < 1:
		err = fmt.Errorf("attention: %d heads of %d elements, want at least 1 of each", of.Count, of.Size)
	case of.KeyValues < 1 || of.Count%of.KeyValues != 0:
		err = fmt.Errorf("kv_heads: %d of %d heads, want as many as divide them", of.KeyValues, of.Count)
	case of.Rotary != 0 && of.Size%2 != 0:
		err = fmt.Errorf("rope: a head has %d elements, which are turned in pairs: want an even number", of.Size)
	case of.Rotary != 0 && !(of.Rotary > 1):
		err = fmt.Errorf("rope: a base of %v, want more than 1", of.Rotary)
	}
	l := attention{half: h, kernel: Portable, heads: heads{positions: c.Positions, count: of.Count, size: of.Size,
		dropout: h.dropout, block: attentionBlock, kv: of.KeyValues}}
	if err != nil {
		return l, err
	}
	switch {
	case of.Rotary != 0 && of.Sized:
		l.heads.turn = []float32{}
	case of.Rotary != 0:
		l.heads.turn = rotary(c.Positions, of.Size, of.Rotary)
	}
	l.qkv = linear{"in_proj_", c.Size, l.heads.wide(), !c.NoBias, h.norm.end()}
	l.to = linear{"out_proj.", l.heads.inner(), c.Size, !c.NoBias, l.qkv.end()}
	return l, nil
}

func (l attention) of() half     { return l.half }
func (l attention) last() linear { return l.to }
func (l attention) Params() int  { return l.to.end() }

func (l attention) Tensors() []Tensor {
	return append(append(l.norm.tensors(), l.qkv.tensors()...), l.to.tensors()...)
}

// Init is that of each part.
func (l attention) Init(p []float32, draw *Stream) {
	l.norm.init(p)
	l.qkv.init(p, draw)
	l.to.init(p, draw)
}

func (l attention) With(k Kernel) Layer {
	l.kernel = k
	return l
}

func (l attention) Cost() Cost {
	c, n := l.cost(), l.all
	c.Forward = append(c.Forward, l.qkv.work(n), l.heads.work(2), l.to.work(n))
	c.Forward = append(c.Forward, l.heads.turnWork()...)
	c.Gradient = []Work{l.to.gradientWork(n), l.qkv.gradientWork(n)}
	c.Input = append(c.Input, l.to.work(n).turned(), l.heads.work(4), l.qkv.work(n).turned())
	c.Input = append(c.Input, l.heads.turnWork()...)
	c.Saved += l.heads.saved() + n*(l.qkv.out+l.to.in)
	c.Notes += 8
	return c
}

type attentionSaved struct {
	halved
	attended
	qkv []float32 // rows x positions x wide; Backward turns it into its gradient
	o   []float32 // rows x positions x inner, likewise
}

func (l attention) NewSaved(rows int) Saved {
	n := rows * l.all
	return &attentionSaved{l.newHalved(rows), l.heads.newAttended(rows), make([]float32, n*l.qkv.out),
		make([]float32, n*l.to.in)}
}

func (l attention) Forward(y, x, p []float32, rows int, saved Saved, pass *Pass) {
	forwardHalf(l, y, x, p, rows, saved, pass)
}

func (l attention) Backward(dx, g, d, x, p []float32, rows int, saved Saved) {
	backwardHalf(l, dx, g, d, x, p, rows, saved)
}

func (l attention) product(y, in, p []float32, rows int, saved Saved, pass *Pass) {
	s, n := saved.(*attentionSaved), rows*l.all
	l.qkv.forward(l.kernel, s.qkv, in, p, n)
	l.heads.forward(l.kernel, s.o, s.qkv, rows, &s.attended, pass)
	l.to.product(l.kernel, y, s.o, p, n)
}

func (l attention) back(g, of, in, p []float32, rows int, saved Saved) {
	s, n := saved.(*attentionSaved), rows*l.all
	l.to.gradients(l.kernel, g, of, s.o, n)
	l.to.back(l.kernel, s.o, of, p, n)
	l.heads.backward(l.kernel, s.qkv, s.o, rows, &s.attended)
	l.qkv.backward(l.kernel, of, g, s.qkv, in, p, n)
}
