package nn

// outputs are some of a linear's outputs, n of them from one on, which are those from at on of a part.
func (l linear) outputs(own linear, from, at, n int) []Piece {
	if n <= 0 {
		return nil
	}
	all := []Piece{{l.at + from*l.in, own.at + at*l.in, n * l.in}}
	if l.biased {
		all = append(all, Piece{l.at + l.in*l.out + from, own.at + own.in*own.out + at, n})
	}
	return all
}

// inputs are as many of a linear's inputs as a part has, from one on, and all biases.
func (l linear) inputs(own linear, from int) (all []Piece) {
	for o := range l.out {
		all = append(all, Piece{l.at + o*l.in + from, own.at + o*own.in, own.in})
	}
	if l.biased {
		all = append(all, Piece{l.at + l.in*l.out, own.at + own.in*own.out, l.out})
	}
	return all
}

// Of a half shared as Inside every rank has the norm, and f in parts: heads of attention, elements between
// the two products of a feed-forward network (Shoeybi et al., "Megatron-LM", 2019, section 3). One
// all-reduce forward, one back:
//
//	x ─ norm ─ f, a part of it ─ all-reduce ─ bias, dropout, + x ─> y
//
// Shared as Sequence each has a part of the positions outside f (Korthikanti et al., "Reducing
// Activation Recomputation in Large Transformer Models", 2022, section 4.2.2):
//
//	x ─ norm ─ all-gather ─ f, a part of it ─ reduce-scatter ─ bias, dropout, + x ─> y
//
// Backward an all-gather takes the place of the reduce-scatter, and the other way round. What f took
// is kept whole, not gathered once more as in section 4.2.3.

// splitHalf is how ranks share a half: part makes a part of f, whose norm has all parameters.
func splitHalf(way Way, widths []Width, l inside, part func(part, parts int) (inside, []Piece),
	book func(part, parts int) (*Part, []Piece)) *Split {
	positions := l.of().all
	switch way {
	case Inside:
		return &Split{widths, func(t, parts int) (*Part, []Piece) {
			own, pieces := part(t, parts)
			return summedHalf(own), append(pieces, wholeNorm(l))
		}}
	case InsideBook:
		return &Split{widths, func(t, parts int) (*Part, []Piece) {
			p, pieces := book(t, parts)
			return p, append(pieces, wholeNorm(l))
		}}
	case Sequence:
		return &Split{append(widths, Width{positions, "positions"}), func(t, parts int) (*Part, []Piece) {
			own, pieces := part(t, parts)
			return spreadHalf(own, t, parts), append(pieces, wholeNorm(l))
		}}
	}
	return nil
}

// wholeNorm says that a part has all parameters of the half's norm, at their place.
func wholeNorm(l inside) Piece {
	n := l.of().norm
	return Piece{n.at, n.at, n.end() - n.at}
}

// halfWork is what a half's kernels do, before f, in it and after it, forward and back.
type halfWork struct{ before, inside, after, back, gradient, backBefore, backAfter []Work }

func workOf(l inside) (w halfWork) {
	c, h := l.Cost(), l.of()
	own := half{norm: h.norm, positions: h.positions}.cost()
	w.inside, w.back, w.gradient = c.Forward[2:], c.Input[2:], c.Gradient
	if h.after {
		w.after, w.backAfter = own.Forward[:2], own.Input[:2]
		return w
	}
	w.before, w.after = own.Forward[:1], own.Forward[1:2]
	w.backBefore, w.backAfter = own.Input[:1], own.Input[1:2]
	return w
}

// sumOf is the phase of a kind that ends in a sum with room of its own.
func sumOf(what string, elems int) Phase { return Phase{Then: Sum, What: what, Elems: elems} }

// summedHalf is a part of a half whose norm is whole.
func summedHalf(l inside) *Part {
	h, w, c := l.of(), workOf(l), l.Cost()
	p := &Part{In: l.In(), Out: l.Out(), Params: l.Params(), NewSaved: l.NewSaved, Saved: c.Saved,
		Notes: c.Notes}
	p.Forward = []Phase{
		{Name: "forward", Work: concat(w.before, w.inside), Inputs: true, Params: true, Then: Sum, What: "outputs", InPlace: true,
			Run: func(m *Hand) {
				l.product(m.Y, h.begin(m.X, m.P, m.Rows, m.half()), m.P, m.Rows, m.Saved, m.Pass)
			}},
		finishing(l, w)}
	back := sumOf("inner-deltas", l.In())
	back.Name, back.Work, back.Gradient = "backward", concat(w.backAfter, w.back), w.gradient
	back.Run = func(m *Hand) {
		of := h.finishBack(m.G, m.D, m.P, m.Rows, m.half())
		l.back(m.G, of, h.took(m.X, m.half()), m.P, m.Rows, m.Saved)
		copy(m.Give, of)
	}
	p.Backward = []Phase{back, beginning(l, w, func(m *Hand) []float32 { return m.Got })}
	return p
}

// half is what the half that a phase is of keeps.
func (m *Hand) half() *halved { return m.Saved.(keeping).residual() }

// finishing is the phase after f: its sum is in y.
func finishing(l inside, w halfWork) Phase {
	h := l.of()
	return Phase{Name: "finish", Work: w.after, Inputs: true, Params: true, Run: func(m *Hand) {
		addRows(m.Y[:m.Rows*h.Out()], l.last().bias(m.P))
		h.finish(m.Y, m.X, m.P, m.Rows, m.half(), m.Pass)
	}}
}

// beginning is the phase before f on the way back, from the gradient of what f took.
func beginning(l inside, w halfWork, of func(m *Hand) []float32) Phase {
	h := l.of()
	return Phase{Name: "backward-norm", Work: w.backBefore, Run: func(m *Hand) {
		h.beginBack(m.DX, m.G, of(m)[:m.Rows*h.In()], m.D, m.X, m.P, m.Rows, m.half())
	}}
}

func concat(lists ...[]Work) (all []Work) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// spread keeps what f took and gives of all positions.
type spread struct {
	Saved
	in, d []float32 // rows x all positions x size
}

func (s *spread) residual() *halved { return s.Saved.(keeping).residual() }

// spreadHalf is a part of a half with a part of the positions outside f.
func spreadHalf(l inside, part, parts int) *Part {
	own := l.of()
	own.positions = own.all / parts
	own.first = part * own.positions
	l = l.(interface{ with(h half) inside }).with(own)
	h, w, c := l.of(), workOf(l), l.Cost()
	all := side{parts, 1, h.all * h.norm.size, h.In()}
	p := &Part{In: h.In(), Out: h.Out(), Params: l.Params(), Saved: c.Saved + all.whole,
		Notes: c.Notes + 4*all.whole}
	p.Partial.At, p.Partial.Elems = h.norm.at, h.norm.end()-h.norm.at
	p.NewSaved = func(rows int) Saved {
		return &spread{l.NewSaved(rows), make([]float32, rows*all.whole), make([]float32, rows*all.whole)}
	}
	finish := finishing(l, w)
	after := finish.Run
	finish.Run = func(m *Hand) {
		copy(m.Y[:m.Rows*h.Out()], m.Part)
		after(m)
	}
	p.Forward = []Phase{
		{Name: "norm", Work: w.before, Inputs: true, Params: true, Then: Gather, What: "inner-inputs", Elems: all.whole,
			Run: func(m *Hand) { copy(m.Part, h.begin(m.X, m.P, m.Rows, m.half())) }},
		{Name: "forward", Work: w.inside, Params: true, Then: Scatter, What: "outputs", Elems: all.whole, Run: func(m *Hand) {
			s := m.Saved.(*spread)
			all.join(s.in, m)
			l.product(s.d, s.in, m.P, m.Rows, s.Saved, m.Pass)
			all.put(s.d, m)
		}},
		finish}
	p.Backward = []Phase{
		{Name: "backward", Work: w.backAfter, Then: Gather, What: "output-deltas", Elems: all.whole, Run: func(m *Hand) {
			copy(m.Part, h.finishBack(m.G, m.D, m.P, m.Rows, m.half()))
		}},
		{Name: "backward-inner", Work: w.back, Gradient: w.gradient, Then: Scatter, What: "inner-deltas", Elems: all.whole,
			Run: func(m *Hand) {
				s := m.Saved.(*spread)
				all.join(s.d, m)
				l.back(m.G, s.d, s.in, m.P, m.Rows, s.Saved)
				all.put(s.d, m)
			}},
		beginning(l, w, func(m *Hand) []float32 { return m.Part })}
	return p
}

func (l attention) with(h half) inside {
	l.half = h
	return l
}

func (l feedForward) with(h half) inside {
	l.half = h
	return l
}

// Split is by heads; of the book's way by columns, whatever heads they are of. Where heads share keys and values
// there is no such way: a column of those is of several heads.
func (l attention) Split(way Way) *Split {
	widths := []Width{{l.heads.count, "heads"}}
	if l.heads.kv < l.heads.count {
		widths = []Width{{l.heads.kv, "heads of keys and values"}}
	}
	if way == InsideBook {
		if l.heads.kv < l.heads.count {
			return nil
		}
		widths = []Width{{l.heads.inner(), "elements of all heads"}, {l.norm.size, "outputs"}}
	}
	return splitHalf(way, widths, l, l.part, l.bookPart)
}

// part is some of the heads: of queries, keys and values, and of the inputs of the product after them.
func (l attention) part(part, parts int) (inside, []Piece) {
	of := l
	of.heads.count, of.heads.kv = l.heads.count/parts, l.heads.kv/parts
	of.heads.first = part * of.heads.count
	of.qkv.out = of.heads.wide()
	of.to.in, of.to.at = of.heads.inner(), of.qkv.end()
	var pieces []Piece
	whole, at := 0, 0
	for _, heads := range []int{of.heads.count, of.heads.kv, of.heads.kv} {
		own := heads * l.heads.size
		pieces = append(pieces, l.qkv.outputs(of.qkv, whole+part*own, at, own)...)
		whole, at = whole+parts*own, at+own
	}
	return of, append(pieces, l.to.inputs(of.to, part*of.heads.inner())...)
}

// Split is by hidden elements.
func (l feedForward) Split(way Way) *Split {
	widths := []Width{{l.up.out, "hidden elements"}}
	if way == InsideBook {
		widths = append(widths, Width{l.norm.size, "outputs"})
	}
	return splitHalf(way, widths, l, l.part, l.bookPart)
}

// part is some of the hidden elements.
func (l feedForward) part(part, parts int) (inside, []Piece) {
	of, own := l, l.up.out/parts
	of.up.out, of.gate.out = own, own
	of.down.in, of.down.at = own, of.up.end()
	of.gate.at = of.down.end()
	pieces := append(l.up.outputs(of.up, part*own, 0, own), l.down.inputs(of.down, part*own)...)
	if l.gated {
		pieces = append(pieces, l.gate.outputs(of.gate, part*own, 0, own)...)
	}
	return of, pieces
}
