package nn

import "fmt"

// residual is layers with a way around them as one layer, as in a residual network (He and others, "Deep Residual
// Learning for Image Recognition", 2015):
//
//	y = activation(f(x) + g(x))
//
// where f is layers one after the other and so is g, the shortcut, or g is nothing: x itself. As one layer it goes to
// one stage whole, and to all ranks that share layers.
//
//	x, y: as f and g take and give them    parameters: f's, layer after layer, then g's
type residual struct {
	f, g       path
	activation Activation // whose slope its output tells
	out        int
	kernel     Kernel
}

// path is layers one after the other.
type path struct {
	layers []Named
	starts []int // where each begins in the parameters of the whole; one more for the end
}

// Residual is layers f beside a shortcut g, nil for what goes in itself, then an activation whose slope can be told from
// its output. Tensors are called by the layers' names.
func Residual(f, g []Named, a Activation) (Layer, error) {
	if err := a.fromOutput(); err != nil {
		return nil, err
	}
	if len(f) == 0 {
		return nil, fmt.Errorf("no layer, want at least one")
	}
	in, out := f[0].In(), f[len(f)-1].Out()
	if got := in; len(g) > 0 {
		if got = g[len(g)-1].Out(); g[0].In() != in || got != out {
			return nil, fmt.Errorf("the layers make %d of %d elements, the shortcut %d of %d: want as many", out, in, got, g[0].In())
		}
	} else if got != out {
		return nil, fmt.Errorf("the layers make %d elements of %d, to which those cannot be added: want as many, or a shortcut", out,
			in)
	}
	l := residual{f: path{layers: f}, g: path{layers: g}, activation: a, out: out, kernel: Portable}
	at := 0
	for _, p := range []*path{&l.f, &l.g} {
		for i := range p.layers {
			p.starts = append(p.starts, at)
			at += p.layers[i].Params()
		}
		p.starts = append(p.starts, at)
	}
	return l, nil
}

func (l residual) In() int     { return l.f.layers[0].In() }
func (l residual) Out() int    { return l.out }
func (l residual) Params() int { return l.g.starts[len(l.g.layers)] }

// Undivided says why ranks cannot share it.
func (l residual) Undivided() string { return "what goes around its layers wants them whole" }

// paths are both, the shortcut last.
func (l residual) paths() []path { return []path{l.f, l.g} }

func (l residual) Tensors() (all []Tensor) {
	for _, p := range l.paths() {
		for i, of := range p.layers {
			for _, t := range of.Tensors() {
				t.Name, t.Offset = of.Name+"."+t.Name, t.Offset+p.starts[i]
				all = append(all, t)
			}
		}
	}
	return all
}

// Init is that of each layer.
func (l residual) Init(v []float32, draw *Stream) {
	for _, p := range l.paths() {
		for i, of := range p.layers {
			of.Init(p.of(v, i), draw)
		}
	}
}

func (l residual) With(k Kernel) Layer {
	l.kernel = k
	for _, p := range []*path{&l.f, &l.g} {
		all := make([]Named, len(p.layers))
		for i, of := range p.layers {
			all[i] = Named{of.Name, of.With(k)}
		}
		p.layers = all
	}
	return l
}

// Cost is that of the layers, and a sum with the activation. What goes in is wanted back by every layer but the first
// of each path, whoever else wants it.
func (l residual) Cost() (c Cost) {
	n := int64(l.out)
	for _, p := range l.paths() {
		for i, of := range p.layers {
			one := of.Cost()
			c.Forward = append(c.Forward, one.Forward...)
			c.Gradient = append(c.Gradient, one.Gradient...)
			if i > 0 {
				c.Gradient = append(append(c.Gradient, one.Input...), p.layers[i-1].Cost().Through...)
			} else {
				c.Input = append(c.Input, one.Input...)
			}
			c.Saved += one.Saved + of.Out() // what the next one takes; of the last what its slope is told by
			c.Notes += one.Notes + 4*of.Out()
		}
		if k := len(p.layers); k > 0 {
			c.Gradient = append(c.Gradient, p.layers[k-1].Cost().Through...)
		}
	}
	c.Forward = append(c.Forward, Work{FLOP: n, Words: 3 * n})
	c.Input = append(c.Input, Work{FLOP: int64(l.In()), Words: 3 * int64(l.In())})
	if l.activation != Identity {
		c.Through = []Work{{Words: 3 * n}}
	}
	c.Notes += 4 * l.In()
	return c
}

// residualSaved keeps what each path's layers give.
type residualSaved struct {
	f, g pathSaved
	dx   []float32 // room: the gradient of what goes in, of the shortcut
	back []float32 // likewise, of the layers: in phases
	hand Hand      // of a layer inside, likewise
	pass Pass
}

type pathSaved struct {
	y, d  [][]float32 // by layer: what it gives, and room for the gradient of that
	saved []Saved
}

func (l residual) NewSaved(rows int) Saved {
	return &residualSaved{f: l.f.newSaved(rows), g: l.g.newSaved(rows), dx: make([]float32, rows*l.In())}
}

func (p path) newSaved(rows int) (s pathSaved) {
	for _, of := range p.layers {
		s.y, s.d = append(s.y, make([]float32, rows*of.Out())), append(s.d, make([]float32, rows*of.Out()))
		s.saved = append(s.saved, of.NewSaved(rows))
	}
	return s
}

// of is a layer's part of the parameters, or of their gradient.
func (p path) of(v []float32, i int) []float32 { return v[p.starts[i]:p.starts[i+1]] }

func (l residual) Forward(y, x, p []float32, rows int, saved Saved, pass *Pass) {
	s := saved.(*residualSaved)
	if pass != nil {
		s.pass = *pass
	}
	to := y[:rows*l.out]
	copy(to, l.f.forward(x, p, rows, &s.f, s, pass, 0))
	Add(to, l.g.forward(x, p, rows, &s.g, s, pass, len(l.f.layers)))
	l.activation.apply(to, l.kernel)
}

// forward returns what the last layer gives, of no layer x. Each layer draws as one of its own: first is how many of
// the whole came before.
func (p path) forward(x, params []float32, rows int, s *pathSaved, all *residualSaved, pass *Pass, first int) []float32 {
	own := pass
	if pass != nil {
		own = &all.pass
	}
	for i, of := range p.layers {
		if pass != nil {
			own.Layer = pass.Layer + (first+i+1)<<16
		}
		y := s.y[i][:rows*of.Out()]
		of.Forward(y, x, p.of(params, i), rows, s.saved[i], own)
		x = y
	}
	return x
}

func (l residual) Through(d, y []float32) { l.activation.backward(d, y) }

func (l residual) Backward(dx, g, d, x, p []float32, rows int, saved Saved) {
	s := saved.(*residualSaved)
	d = d[:rows*l.out]
	l.f.backward(dx, g, d, x, p, rows, &s.f)
	if len(l.g.layers) == 0 {
		if dx != nil {
			Add(dx[:len(d)], d)
		}
		return
	}
	var around []float32
	if dx != nil {
		around = s.dx[:rows*l.In()]
	}
	l.g.backward(around, g, d, x, p, rows, &s.g)
	if dx != nil {
		Add(dx[:len(around)], around)
	}
}

// backward takes the gradient of what the last layer gives back to x, unless dx is nil. It leaves d as it is.
func (p path) backward(dx, g, d, x, params []float32, rows int, s *pathSaved) {
	last := len(p.layers) - 1
	copy(s.d[last], d)
	for i := last; i >= 0; i-- {
		of, from, back := p.layers[i], x, dx
		if i > 0 {
			from, back = s.y[i-1][:rows*p.layers[i-1].Out()], s.d[i-1][:rows*p.layers[i-1].Out()]
		}
		to := s.d[i][:rows*of.Out()]
		of.Through(to, s.y[i][:rows*of.Out()])
		of.Backward(back, p.of(g, i), to, from, p.of(params, i), rows, s.saved[i])
	}
}
