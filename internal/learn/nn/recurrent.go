package nn

import "fmt"

// recurrent is what a vanilla RNN, an LSTM and a GRU share: weights from the input and from the state before,
// and how many bias vectors, for so many gates of so many cells.
//
//	x: rows x (steps*in)    y: rows x (steps*size)
//	weight_ih_l0: (gates*size) x in    weight_hh_l0: (gates*size) x size    biases: gates*size
//
// Names and layouts are PyTorch's. State begins at 0.
type recurrent struct {
	steps, in, size int
	gates           int
	biases          int // 0, 1 or 2 vectors
	mean            bool
	kernel          Kernel
}

// Recurrence is the size of a recurrent layer.
type Recurrence struct {
	Steps, In, Size int
	// Biases is how many bias vectors are added to each gate: 2 in PyTorch, whose second one can do
	// nothing that the first cannot; 1; or 0, as the book draws it.
	Biases int
	// Mean divides the gradient of the parameters by the number of steps, instead of summing over
	// them.
	Mean bool
}

func newRecurrent(c Recurrence, gates int) (recurrent, error) {
	switch {
	case c.Steps < 1 || c.In < 1 || c.Size < 1:
		return recurrent{}, fmt.Errorf("recurrent layer: %d steps, %d inputs and %d cells, want at least 1 of each",
			c.Steps, c.In, c.Size)
	case c.Biases < 0 || c.Biases > 2:
		return recurrent{}, fmt.Errorf("recurrent layer: %d bias vectors, want 0, 1 or 2", c.Biases)
	}
	return recurrent{c.Steps, c.In, c.Size, gates, c.Biases, c.Mean, Portable}, nil
}

func (l recurrent) In() int                { return l.steps * l.in }
func (l recurrent) Out() int               { return l.steps * l.size }
func (l recurrent) wide() int              { return l.gates * l.size }
func (l recurrent) Through(_, _ []float32) {}

// Undivided is why ranks cannot share it.
func (l recurrent) Undivided() string {
	return "each step of its recurrence wants the whole state of the step before"
}

// input and state are the products with x and with the state before.
func (l recurrent) input() linear { return linear{in: l.in, out: l.wide()} }
func (l recurrent) state() linear { return linear{in: l.size, out: l.wide(), at: l.input().end()} }

func (l recurrent) Params() int { return l.state().end() + l.biases*l.wide() }

func (l recurrent) bias(v []float32, i int) []float32 {
	at := l.state().end() + i*l.wide()
	return v[at : at+l.wide()]
}

func (l recurrent) Tensors() []Tensor {
	t := append(l.input().tensors(), l.state().tensors()...)
	t[0].Name, t[1].Name = "weight_ih_l0", "weight_hh_l0"
	for i, name := range []string{"bias_ih_l0", "bias_hh_l0"}[:l.biases] {
		t = append(t, Tensor{Name: name, Shape: []int{l.wide()}, Offset: l.state().end() + i*l.wide(), Role: Bias})
	}
	return t
}

// Init draws all uniform in ±1/sqrt(size), as torch.nn.RNN, LSTM and GRU do.
func (l recurrent) Init(p []float32, draw *Stream) { draw.Uniform(p, rootOf(l.size)) }

// sums makes the part of z, rows x (steps*wide), that does not wait for a state before: x's product
// at all steps, and the biases.
func (l recurrent) sums(z, x, p []float32, rows int) {
	l.input().forward(l.kernel, z, x, p, rows*l.steps)
	for i := range l.biases {
		addRows(z[:rows*l.Out()*l.gates], l.bias(p, i))
	}
}

// onState adds to z at step t the product with the state h before it.
func (l recurrent) onState(z, h, p []float32, rows, t int) {
	if t == 0 {
		return
	}
	w := l.state()
	l.kernel.NT(z[t*w.out:], h[(t-1)*w.in:], w.weight(p),
		Product{M: rows, N: w.out, K: w.in, LDA: l.Out(), LDB: w.in, LDC: l.steps * w.out, Add: true})
}

// fromState makes dh, rows x size, of the state before step t from the gradient dz at step t.
func (l recurrent) fromState(dh, dz, p []float32, rows, t int) {
	w := l.state()
	l.kernel.NN(dh, dz[t*w.out:], w.weight(p),
		Product{M: rows, N: w.in, K: w.out, LDA: l.steps * w.out, LDB: w.in, LDC: w.in})
}

// gradient makes g and dx once those of the sums are known at all steps, rows x (steps*wide): dz of what comes of the
// input, du of what comes of the state, the same slice where both are alike. The steps' gradients add up: the first row's
// first step first.
func (l recurrent) gradient(dx, g, dz, du, x, h, p []float32, rows int) {
	l.input().backward(l.kernel, dx, g, dz, x, p, rows*l.steps)
	// Step t's with the state after step t-1. Of one step there is none: the product clears g.
	w, later := l.state(), l.steps-1
	shape := Product{M: w.out, N: w.in, K: later, LDA: w.out, LDB: w.in, LDC: w.in}
	for r := range rows {
		from := (r*l.steps + min(1, later)) * w.out
		l.kernel.TN(w.weight(g), du[from:], h[r*l.Out():], shape)
		shape.Add = true
	}
	for i := range l.biases {
		gb, from := l.bias(g, i), [2][]float32{dz, du}[i]
		if i > 0 && &dz[0] == &du[0] {
			copy(gb, l.bias(g, 0))
			continue
		}
		sumRows(gb, from[:rows*l.steps*w.out])
	}
	if l.mean {
		for i, v := range g {
			g[i] = v / float32(l.steps)
		}
	}
}

// cost is that of products and of so many FLOP for each cell.
func (l recurrent) cost(perCell int64) Cost {
	in, st := l.input().work(l.steps), l.state().work(l.steps)
	st.Fixed *= int64(l.steps) // read again at every step
	cells := int64(l.Out())
	elements := Work{FLOP: perCell * cells, Words: int64(l.gates+2) * cells}
	return Cost{
		Forward:  []Work{in, st, elements},
		Gradient: []Work{l.input().gradientWork(l.steps), l.state().gradientWork(l.steps)},
		Input:    []Work{elements, st, in},
	}
}

// rnn is a vanilla recurrent layer: h[t] = activation(W x[t] + U h[t-1] + b).
type rnn struct {
	recurrent
	activation Activation
}

// RNN is a vanilla recurrent layer that gives its state after every step. Its activation is tanh as
// a rule; sigmoid, relu and identity go, too.
func RNN(c Recurrence, a Activation) (Layer, error) {
	of, err := newRecurrent(c, 1)
	if err == nil {
		err = a.fromOutput()
	}
	return rnn{of, a}, err
}

func (l rnn) With(k Kernel) Layer {
	l.kernel = k
	return l
}

func (l rnn) Cost() Cost {
	c := l.cost(2)
	c.Saved, c.Notes = l.Out(), 4*(l.Out()+l.size)
	return c
}

// rnnSaved has the states, and room for the way back.
type rnnSaved struct {
	h, dz []float32 // rows x (steps*size)
	dh    []float32 // rows x size
	norms []float64 // by step, of the last Backward
}

func (l rnn) NewSaved(rows int) Saved {
	n := rows * l.Out()
	return &rnnSaved{make([]float32, n), make([]float32, n), make([]float32, rows*l.size), make([]float64, l.steps)}
}

func (l rnn) Forward(y, x, p []float32, rows int, saved Saved, _ *Pass) {
	s := saved.(*rnnSaved)
	l.sums(s.h, x, p, rows)
	for t := range l.steps {
		l.onState(s.h, s.h, p, rows, t)
		for r := range rows {
			l.activation.apply(s.h[(r*l.steps+t)*l.size:][:l.size], l.kernel)
		}
	}
	copy(y, s.h[:rows*l.Out()])
}

func (l rnn) Backward(dx, g, d, x, p []float32, rows int, saved Saved) {
	s := saved.(*rnnSaved)
	dh := s.dh[:rows*l.size]
	clear(dh)
	for t := l.steps - 1; t >= 0; t-- {
		for r := range rows {
			Add(dh[r*l.size:(r+1)*l.size], d[(r*l.steps+t)*l.size:][:l.size])
		}
		s.norms[t] = length(dh)
		for r := range rows {
			at := (r*l.steps + t) * l.size
			dz := s.dz[at : at+l.size]
			copy(dz, dh[r*l.size:])
			l.activation.backward(dz, s.h[at:at+l.size])
		}
		if t > 0 {
			l.fromState(dh, s.dz, p, rows, t)
		}
	}
	l.gradient(dx, g, s.dz, s.dz, x, s.h, p, rows)
}
