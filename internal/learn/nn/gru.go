package nn

// gru is a gated recurrent unit (Cho and others, "Learning Phrase Representations using RNN Encoder-Decoder", 2014), as
// torch.nn.GRU has it. Gates in its order: reset r, update z, candidate n.
//
//	r, z = sigmoid(W x[t] + b + U h[t-1] + c)    n = tanh(W x[t] + b + r (U h[t-1] + c))
//	h[t] = (1 - z) n + z h[t-1]
//
// b is the first bias vector, c the second: within n the two are not alike.
type gru struct{ recurrent }

// gruGates are the gates of a GRU cell: reset, update, candidate, in the order of its weights.
const gruGates = 3

// GRU is a layer of gated recurrent units that gives its state after every step.
func GRU(c Recurrence) (Layer, error) {
	of, err := newRecurrent(c, gruGates)
	return gru{of}, err
}

func (l gru) With(k Kernel) Layer {
	l.kernel = k
	return l
}

func (l gru) Cost() Cost {
	c := l.cost(10)
	c.Saved, c.Notes = (2*gruGates+1)*l.Out(), 4*2*l.size
	return c
}

// gruSaved has gates after their activation, and room for the way back.
type gruSaved struct {
	gates []float32 // rows x steps x (3*size); Backward turns them into gradients of the input's sums
	u     []float32 // likewise: the state's sums, then their gradients
	h     []float32 // rows x steps x size
	dh    []float32 // rows x size
	room  []float32 // likewise: what goes past the products with the state
	norms []float64 // by step, of the last Backward
}

func (l gru) NewSaved(rows int) Saved {
	n, m := rows*l.Out(), rows*l.size
	return &gruSaved{make([]float32, gruGates*n), make([]float32, gruGates*n), make([]float32, n), make([]float32, m),
		make([]float32, m), make([]float64, l.steps)}
}

func (l gru) Forward(y, x, p []float32, rows int, saved Saved, _ *Pass) {
	s, wide := saved.(*gruSaved), l.wide()
	l.input().forward(l.kernel, s.gates, x, p, rows*l.steps)
	clear(s.u[:rows*l.steps*wide])
	for i, sums := range [][]float32{s.gates, s.u}[:l.biases] {
		addRows(sums[:rows*l.steps*wide], l.bias(p, i))
	}
	for t := range l.steps {
		l.onState(s.u, s.h, p, rows, t)
		for r := range rows {
			l.step(s, r*l.steps+t, t == 0)
		}
	}
	copy(y, s.h[:rows*l.Out()])
}

// step makes the state at one position, numbered over rows and steps.
func (l gru) step(s *gruSaved, at int, first bool) {
	n := l.size
	z, u := s.gates[at*gruGates*n:(at+1)*gruGates*n], s.u[at*gruGates*n:(at+1)*gruGates*n]
	Add(z[:2*n], u[:2*n])
	l.kernel.Sigmoid(z[:2*n])
	reset, update, candidate := z[:n], z[n:2*n], z[2*n:]
	for k, v := range u[2*n:] {
		candidate[k] += float32(reset[k] * v)
	}
	Tanh.apply(candidate, l.kernel)
	h := s.h[at*n : (at+1)*n]
	for k := range h {
		h[k] = float32((1 - update[k]) * candidate[k])
		if !first {
			h[k] += float32(update[k] * s.h[(at-1)*n+k])
		}
	}
}

func (l gru) Backward(dx, g, d, x, p []float32, rows int, saved Saved) {
	s := saved.(*gruSaved)
	dh, past := s.dh[:rows*l.size], s.room[:rows*l.size]
	clear(dh)
	for t := l.steps - 1; t >= 0; t-- {
		for r := range rows {
			Add(dh[r*l.size:(r+1)*l.size], d[(r*l.steps+t)*l.size:][:l.size])
		}
		s.norms[t] = length(dh)
		for r := range rows {
			l.back(s, past[r*l.size:(r+1)*l.size], dh[r*l.size:(r+1)*l.size], r*l.steps+t, t == 0)
		}
		if t > 0 {
			l.fromState(dh, s.u, p, rows, t)
			Add(dh, past)
		}
	}
	l.gradient(dx, g, s.gates, s.u, x, s.h, p, rows)
}

// back turns the sums at one position into their gradients, and makes past, what of dh goes to the state before as it is.
func (l gru) back(s *gruSaved, past, dh []float32, at int, first bool) {
	n := l.size
	z, u := s.gates[at*gruGates*n:(at+1)*gruGates*n], s.u[at*gruGates*n:(at+1)*gruGates*n]
	for k, d := range dh {
		r, update, candidate := z[k], z[n+k], z[2*n+k]
		var before float32
		if !first {
			before = s.h[(at-1)*n+k]
		}
		dc := float32(float32(d*(1-update)) * Tanh.slopeAt(candidate))
		z[k] = float32(float32(dc*u[2*n+k]) * Sigmoid.slopeAt(r))
		z[n+k] = float32(float32(d*(before-candidate)) * Sigmoid.slopeAt(update))
		z[2*n+k] = dc
		u[k], u[n+k], u[2*n+k] = z[k], z[n+k], float32(dc*r)
		past[k] = float32(d * update)
	}
}
