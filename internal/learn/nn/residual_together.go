package nn

import "fmt"

// Statistical is a layer that takes, in training, means over the rows of a micro-batch.
type Statistical interface {
	// Statistics is how many values of a row a mean goes over, the fewest of those that the layer takes; 0: it takes none.
	Statistics() int
}

// Statistics is that of the layers inside.
func (l residual) Statistics() (least int) {
	for _, p := range l.paths() {
		for _, of := range p.layers {
			if s, ok := of.Layer.(Statistical); ok && (least == 0 || s.Statistics() < least) {
				least = s.Statistics()
			}
		}
	}
	return least
}

// Split is over replicas, where a layer inside is.
func (l residual) Split(way Way) *Split {
	if way != Together || l.Statistics() == 0 {
		return nil
	}
	return &Split{Of: func(_, _ int) (*Part, []Piece) { return l.together(), []Piece{{Elems: l.Params()}} }}
}

// together is the layer in phases, which end where a layer inside has replicas sum something: layers after each other, and
// of one that sums what comes before that.
//
//	conv, sums of norm | norm, relu, conv, sums of norm | norm, + x, relu
func (l residual) together() *Part {
	c := l.Cost()
	p := &Part{In: l.In(), Out: l.Out(), Params: l.Params(), ThroughWork: c.Through, Saved: c.Saved, Notes: c.Notes + 4*l.In(),
		NewSaved: func(rows int) Saved {
			s := l.NewSaved(rows).(*residualSaved)
			s.back = make([]float32, rows*l.In())
			return s
		}}
	var forward, backward []Phase
	for at := range l.paths() {
		forward = append(forward, l.ahead(at)...)
		backward = append(backward, l.back(at)...)
	}
	n := len(c.Forward)
	p.Forward = numbered("forward", append(forward, Phase{Work: c.Forward[n-1:], Run: l.join}))
	p.Backward = numbered("backward", append(backward, Phase{Work: c.Input[len(c.Input)-1:], Run: l.part}))
	for i := range p.Forward {
		p.Forward[i].Inputs, p.Forward[i].Params = true, true
	}
	return p
}

// numbered puts phases together up to each one that sums, and calls them NAME, NAME-2 and so on, and what is summed likewise.
func numbered(name string, of []Phase) (all []Phase) {
	var run []func(*Hand)
	one := Phase{}
	for i, ph := range of {
		run = append(run, ph.Run)
		one.Work, one.Gradient = append(one.Work, ph.Work...), append(one.Gradient, ph.Gradient...)
		if ph.Then == Keep && i < len(of)-1 {
			continue
		}
		one.Name, one.Then, one.What, one.Fixed = name, ph.Then, ph.What, ph.Fixed
		if n := len(all) + 1; n > 1 {
			one.Name = fmt.Sprintf("%s-%d", name, n)
			if one.What != "" {
				one.What = fmt.Sprintf("%s-%d", one.What, n)
			}
		}
		steps := run
		one.Run = func(h *Hand) {
			for _, step := range steps {
				step(h)
			}
		}
		all, run, one = append(all, one), nil, Phase{}
	}
	return all
}

// parted is a layer inside: its phases.
func parted(l Layer) *Part {
	if s, ok := l.(Splitter); ok {
		if split := s.Split(Together); split != nil {
			p, _ := split.Of(0, 1)
			return p
		}
	}
	p, _ := WholePart(l)
	return p
}

// before is how many layers of the whole come before those of a path.
func (l residual) before(at int) int { return at * len(l.f.layers) }

// hand is what layer i of a path works on, in a phase of the whole.
func (l residual) hand(h *Hand, at, i int) *Hand {
	s, p := h.Saved.(*residualSaved), l.paths()[at]
	kept := s.path(at)
	own := &s.hand
	*own = Hand{Rows: h.Rows, X: h.X, Y: kept.y[i][:h.Rows*p.layers[i].Out()], P: p.of(h.P, i), Saved: kept.saved[i], Got: h.Got,
		Give: h.Give}
	if i > 0 {
		own.X = kept.y[i-1][:h.Rows*p.layers[i-1].Out()]
	}
	if h.Pass != nil {
		s.pass = *h.Pass
		s.pass.Layer += (l.before(at) + i + 1) << 16
		own.Pass = &s.pass
	}
	return own
}

// ahead are the phases of a path's layers forward.
func (l residual) ahead(at int) (all []Phase) {
	for i, of := range l.paths()[at].layers {
		for _, ph := range parted(of.Layer).Forward {
			run := ph.Run
			ph.Run = func(h *Hand) { run(l.hand(h, at, i)) }
			all = append(all, ph)
		}
	}
	return all
}

// join makes the sum of both paths.
func (l residual) join(h *Hand) {
	s, to := h.Saved.(*residualSaved), h.Y[:h.Rows*l.out]
	copy(to, s.f.y[len(l.f.layers)-1])
	around := h.X
	if n := len(l.g.layers); n > 0 {
		around = s.g.y[n-1]
	}
	Add(to, around)
	l.activation.apply(to, l.kernel)
}

// back are the phases of a path's layers backward.
func (l residual) back(at int) (all []Phase) {
	p := l.paths()[at]
	last := len(p.layers) - 1
	for i := last; i >= 0; i-- {
		of := p.layers[i]
		for n, ph := range parted(of.Layer).Backward {
			run := ph.Run
			ph.Run = func(h *Hand) {
				s, own := h.Saved.(*residualSaved), l.hand(h, at, i)
				kept := s.path(at)
				own.D, own.G, own.DX = kept.d[i][:len(own.Y)], p.of(h.G, i), s.input(at)[:h.Rows*l.In()]
				if i > 0 {
					own.DX = kept.d[i-1][:len(own.X)]
				}
				if n == 0 {
					if i == last {
						copy(own.D, h.D)
					}
					of.Through(own.D, own.Y)
				}
				run(own)
			}
			if n == 0 {
				ph.Gradient = concat(of.Cost().Through, ph.Gradient)
			}
			if i > 0 {
				ph.Gradient, ph.Work = concat(ph.Gradient, ph.Work), nil
			}
			all = append(all, ph)
		}
	}
	return all
}

// part makes the gradient of what goes in.
func (l residual) part(h *Hand) {
	if h.DX == nil {
		return
	}
	s, dx := h.Saved.(*residualSaved), h.DX[:h.Rows*l.In()]
	copy(dx, s.input(0))
	if len(l.g.layers) == 0 {
		Add(dx, h.D)
		return
	}
	Add(dx, s.input(1))
}

// path is what is kept of f, or of g.
func (s *residualSaved) path(at int) *pathSaved { return [...]*pathSaved{&s.f, &s.g}[at] }

// input is room for the gradient of what goes into a path.
func (s *residualSaved) input(at int) []float32 { return [...][]float32{s.back, s.dx}[at] }
