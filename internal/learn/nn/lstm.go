package nn

import "fmt"

// lstm is a long short-term memory (Hochreiter, Schmidhuber, 1997; with a forget gate). Gates in
// PyTorch's order: input i, forget f, candidate g, output o.
//
//	i, f, o = sigmoid(W x[t] + U h[t-1] + b)    g = a(W x[t] + U h[t-1] + b)
//	c[t] = f c[t-1] + i g                       h[t] = o a(c[t])
//
// a is tanh; the book draws ReLU. With a threshold a gate below the first value is 0, above the second
// 1, and learns nothing there.
type lstm struct {
	recurrent
	cell      Activation
	threshold *[2]float32
}

// The gates of an LSTM cell, in the order of its weights.
const (
	inputGate = iota
	forgetGate
	candidate
	outputGate
	lstmGates
)

// LSTM is a layer of long short-term memory that gives its state h after every step: cell is Tanh or
// ReLU, threshold nil as a rule.
func LSTM(c Recurrence, cell Activation, threshold *[2]float32) (Layer, error) {
	of, err := newRecurrent(c, lstmGates)
	if err == nil && cell != Tanh && cell != ReLU {
		err = fmt.Errorf("lstm: activation %v, want tanh or relu", cell)
	}
	if t := threshold; err == nil && t != nil && !(0 <= t[0] && t[0] < t[1] && t[1] <= 1) {
		err = fmt.Errorf("lstm: gate_threshold %v, want two values from 0 to 1, the lower one first", *t)
	}
	return lstm{of, cell, threshold}, err
}

func (l lstm) With(k Kernel) Layer {
	l.kernel = k
	return l
}

func (l lstm) Cost() Cost {
	c := l.cost(12)
	c.Saved, c.Notes = (lstmGates+3)*l.Out(), 4*2*l.size
	return c
}

// lstmSaved has gates after their activation, and room for the way back.
type lstmSaved struct {
	gates   []float32 // rows x steps x (4*size); Backward turns them into gradients
	c, a, h []float32 // rows x steps x size: the cell, its activation, the state
	dh, dc  []float32 // rows x size
	norms   []float64 // by step, of the last Backward
}

func (l lstm) NewSaved(rows int) Saved {
	n, m := rows*l.Out(), rows*l.size
	return &lstmSaved{make([]float32, lstmGates*n), make([]float32, n), make([]float32, n), make([]float32, n),
		make([]float32, m), make([]float32, m), make([]float64, l.steps)}
}

func (l lstm) Forward(y, x, p []float32, rows int, saved Saved, _ *Pass) {
	s := saved.(*lstmSaved)
	l.sums(s.gates, x, p, rows)
	for t := range l.steps {
		l.onState(s.gates, s.h, p, rows, t)
		for r := range rows {
			l.step(s, r*l.steps+t, t == 0)
		}
	}
	copy(y, s.h[:rows*l.Out()])
}

// step makes cell and state at one position, numbered over rows and steps.
func (l lstm) step(s *lstmSaved, at int, first bool) {
	n := l.size
	z := s.gates[at*lstmGates*n : (at+1)*lstmGates*n]
	l.open(z[:2*n])
	l.cell.apply(z[2*n:3*n], l.kernel)
	l.open(z[3*n:])
	i, f, g, o := z[:n], z[n:2*n], z[2*n:3*n], z[3*n:]
	c := s.c[at*n : (at+1)*n]
	for k := range c {
		c[k] = float32(i[k] * g[k])
		if !first {
			c[k] = float32(f[k]*s.c[(at-1)*n+k]) + c[k]
		}
	}
	a, h := s.a[at*n:(at+1)*n], s.h[at*n:(at+1)*n]
	copy(a, c)
	l.cell.apply(a, l.kernel)
	for k := range h {
		h[k] = float32(o[k] * a[k])
	}
}

// open makes gates of sums. One at exactly 0 or 1 has no slope, by s (1 - s).
func (l lstm) open(z []float32) {
	l.kernel.Sigmoid(z)
	if l.threshold == nil {
		return
	}
	for i, v := range z {
		switch {
		case v < l.threshold[0]:
			z[i] = 0
		case v > l.threshold[1]:
			z[i] = 1
		}
	}
}

func (l lstm) Backward(dx, g, d, x, p []float32, rows int, saved Saved) {
	s := saved.(*lstmSaved)
	dh, dc := s.dh[:rows*l.size], s.dc[:rows*l.size]
	clear(dh)
	clear(dc)
	for t := l.steps - 1; t >= 0; t-- {
		for r := range rows {
			Add(dh[r*l.size:(r+1)*l.size], d[(r*l.steps+t)*l.size:][:l.size])
		}
		s.norms[t] = length(dh)
		for r := range rows {
			l.back(s, dh[r*l.size:(r+1)*l.size], dc[r*l.size:(r+1)*l.size], r*l.steps+t, t == 0)
		}
		if t > 0 {
			l.fromState(dh, s.gates, p, rows, t)
		}
	}
	l.gradient(dx, g, s.gates, s.gates, x, s.h, p, rows)
}

// back turns the gates at one position into their sums' gradients, and dc into that of the cell before.
func (l lstm) back(s *lstmSaved, dh, dc []float32, at int, first bool) {
	n := l.size
	z := s.gates[at*lstmGates*n : (at+1)*lstmGates*n]
	i, f, g, o := z[:n], z[n:2*n], z[2*n:3*n], z[3*n:]
	a := s.a[at*n : (at+1)*n]
	for k, d := range dh {
		var before float32
		if !first {
			before = s.c[(at-1)*n+k]
		}
		do := float32(d * a[k])
		inner := float32(d * o[k])
		e := dc[k] + float32(inner*l.cell.slopeAt(a[k]))
		dc[k] = float32(e * f[k])
		di, df, dg := float32(e*g[k]), float32(e*before), float32(e*i[k])
		i[k] = float32(di * Sigmoid.slopeAt(i[k]))
		f[k] = float32(df * Sigmoid.slopeAt(f[k]))
		g[k] = float32(dg * l.cell.slopeAt(g[k]))
		o[k] = float32(do * Sigmoid.slopeAt(o[k]))
	}
}

// slopeAt is a'(z) where a(z) is y.
func (a Activation) slopeAt(y float32) float32 {
	switch a {
	case ReLU:
		if y == 0 {
			return 0
		}
		return 1
	case Sigmoid:
		return float32(y * (1 - y))
	case Tanh:
		return 1 - float32(y*y)
	}
	return 1
}
