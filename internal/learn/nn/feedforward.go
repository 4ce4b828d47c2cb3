package nn

import "fmt"

// feedForward is the half of a block that works on each position by itself:
//
//	f(x) = W2 a(W1 x + b1) + b2, or with a gate (SwiGLU) W2 (a(Wg x + bg) * (W1 x + b1)) + b2
type feedForward struct {
	half
	activation     Activation
	gated          bool
	up, down, gate linear
	kernel         Kernel
}

// FeedForward is the feed-forward network as half a transformer block, with so many hidden elements
// for each position. gated multiplies what the activation gives with a second product: with SiLU
// that is SwiGLU. Tensors are named as in torch.nn.TransformerEncoderLayer; the gate's, which that
// lacks, gate.
func FeedForward(c Half, hidden int, a Activation, gated bool) (Layer, error) {
	h, err := newHalf(c, "norm.")
	if err == nil && hidden < 1 {
		err = fmt.Errorf("feed-forward: %d hidden elements, want at least 1", hidden)
	}
	l := feedForward{half: h, activation: a, gated: gated, kernel: Portable}
	l.up = linear{"linear1.", c.Size, hidden, !c.NoBias, h.norm.end()}
	l.down = linear{"linear2.", hidden, c.Size, !c.NoBias, l.up.end()}
	l.gate = linear{"gate.", c.Size, hidden, !c.NoBias, l.down.end()}
	return l, err
}

func (l feedForward) Params() int {
	if l.gated {
		return l.gate.end()
	}
	return l.down.end()
}

func (l feedForward) Tensors() []Tensor {
	t := append(append(l.norm.tensors(), l.up.tensors()...), l.down.tensors()...)
	if l.gated {
		t = append(t, l.gate.tensors()...)
	}
	return t
}

// Init is that of each part.
func (l feedForward) Init(p []float32, draw *Stream) {
	l.norm.init(p)
	l.up.init(p, draw)
	l.down.init(p, draw)
	if l.gated {
		l.gate.init(p, draw)
	}
}

func (l feedForward) With(k Kernel) Layer {
	l.kernel = k
	return l
}

func (l feedForward) Cost() Cost {
	c, n := l.cost(), l.all
	hidden := int64(n * l.up.out)
	elements := Work{FLOP: 2 * hidden, Words: 2 * hidden}
	c.Forward = append(c.Forward, l.up.work(n), elements, l.down.work(n))
	c.Gradient = []Work{l.down.gradientWork(n), l.up.gradientWork(n)}
	c.Input = append(c.Input, l.down.work(n).turned(), elements, l.up.work(n).turned())
	c.Saved += 2 * n * l.up.out
	if l.gated {
		c.Forward = append(c.Forward, l.gate.work(n))
		c.Gradient = append(c.Gradient, l.gate.gradientWork(n))
		c.Input = append(c.Input, l.gate.work(n).turned())
		c.Saved += 2 * n * l.up.out
		c.Notes += 4 * n * l.norm.size
	}
	return c
}

type feedForwardSaved struct {
	halved
	z []float32 // rows x positions x hidden: what the activation takes
	a []float32 // what it gives; what down takes, if there is no gate
	// With a gate:
	u, m []float32 // the product beside it, and both multiplied
	room []float32 // rows x positions x size: a second gradient of what f takes
}

func (l feedForward) NewSaved(rows int) Saved {
	n := rows * l.all
	s := &feedForwardSaved{halved: l.newHalved(rows), z: make([]float32, n*l.up.out), a: make([]float32, n*l.up.out)}
	if l.gated {
		s.u, s.m, s.room = make([]float32, n*l.up.out), make([]float32, n*l.up.out), make([]float32, n*l.norm.size)
	}
	return s
}

func (l feedForward) of() half     { return l.half }
func (l feedForward) last() linear { return l.down }

func (l feedForward) Forward(y, x, p []float32, rows int, saved Saved, pass *Pass) {
	forwardHalf(l, y, x, p, rows, saved, pass)
}

func (l feedForward) Backward(dx, g, d, x, p []float32, rows int, saved Saved) {
	backwardHalf(l, dx, g, d, x, p, rows, saved)
}

func (l feedForward) product(y, in, p []float32, rows int, saved Saved, _ *Pass) {
	l.down.product(l.kernel, y, l.hidden(in, p, rows, saved), p, rows*l.all)
}

// hidden makes what the second product takes.
func (l feedForward) hidden(in, p []float32, rows int, saved Saved) []float32 {
	s, n := saved.(*feedForwardSaved), rows*l.all
	of, hidden := s.a[:n*l.up.out], l.up
	if l.gated {
		hidden = l.gate
	}
	hidden.forward(l.kernel, s.z, in, p, n)
	copy(of, s.z)
	l.activation.apply(of, l.kernel)
	if l.gated {
		l.up.forward(l.kernel, s.u, in, p, n)
		of = s.m[:n*l.up.out]
		for i, v := range s.a[:n*l.up.out] {
			of[i] = float32(v * s.u[i])
		}
	}
	return of
}

func (l feedForward) back(g, of, in, p []float32, rows int, saved Saved) {
	s, n := saved.(*feedForwardSaved), rows*l.all
	hidden, to := s.a, s.a[:n*l.up.out]
	switch {
	case l.gated:
		hidden, to = s.m, s.m[:n*l.up.out]
	case l.activation.ByOutput(): // a is needed until its slope is taken: the gradient goes to z
		to = s.z[:n*l.up.out]
	}
	l.down.gradients(l.kernel, g, of, hidden, n)
	l.down.back(l.kernel, to, of, p, n)
	l.hiddenBack(g, to, of, in, p, rows, saved)
}

// hiddenBack goes on from the gradient of hidden, to turn of into that of in.
func (l feedForward) hiddenBack(g, hidden, of, in, p []float32, rows int, saved Saved) {
	s, n := saved.(*feedForwardSaved), rows*l.all
	switch {
	case l.gated:
		l.backGated(g, hidden, of, in, p, n, s)
		return
	case l.activation.ByOutput():
		l.activation.backward(hidden, s.a[:n*l.up.out])
	default:
		l.activation.backwardInput(hidden, s.z[:n*l.up.out], l.kernel)
	}
	l.up.backward(l.kernel, of, g, hidden, in, p, n)
}

// backGated does so with a gate.
func (l feedForward) backGated(g, dm, of, in, p []float32, n int, s *feedForwardSaved) {
	u, a := s.u[:n*l.up.out], s.a[:n*l.up.out]
	for i, v := range dm { // dm becomes that of the activation, u that of the product beside it
		dm[i], u[i] = float32(v*u[i]), float32(v*a[i])
	}
	if l.activation.ByOutput() {
		l.activation.backward(dm, a)
	} else {
		l.activation.backwardInput(dm, s.z[:n*l.up.out], l.kernel)
	}
	l.up.backward(l.kernel, of, g, u, in, p, n)
	l.gate.backward(l.kernel, s.room, g, dm, in, p, n)
	Add(of, s.room[:len(of)])
}

// everywhere is a dense layer at each position: the head of a language model, for one.
//
//	x: rows x (positions*in)    y: rows x (positions*out)
type everywhere struct {
	linear
	positions int
	kernel    Kernel
}

// Everywhere is a dense layer that works on each position of a sequence, with or without a bias.
func Everywhere(positions, in, out int, biased bool) Layer {
	return everywhere{linear{in: in, out: out, biased: biased}, positions, Portable}
}

func (l everywhere) In() int                        { return l.positions * l.in }
func (l everywhere) Out() int                       { return l.positions * l.out }
func (l everywhere) Params() int                    { return l.end() }
func (l everywhere) Tensors() []Tensor              { return l.tensors() }
func (l everywhere) Init(p []float32, draw *Stream) { l.init(p, draw) }
func (l everywhere) NewSaved(int) Saved             { return nil }
func (l everywhere) Through(_, _ []float32)         {}

func (l everywhere) With(k Kernel) Layer {
	l.kernel = k
	return l
}

func (l everywhere) Cost() Cost {
	w := l.work(l.positions)
	return Cost{Forward: []Work{w}, Gradient: []Work{l.gradientWork(l.positions)}, Input: []Work{w.turned()}}
}

func (l everywhere) Forward(y, x, p []float32, rows int, _ Saved, _ *Pass) {
	l.forward(l.kernel, y, x, p, rows*l.positions)
}

func (l everywhere) Backward(dx, g, d, x, p []float32, rows int, _ Saved) {
	l.backward(l.kernel, dx, g, d, x, p, rows*l.positions)
}
