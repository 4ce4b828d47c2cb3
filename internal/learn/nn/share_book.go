package nn

// Of a half shared as InsideBook every product is by columns, and what it makes is gathered (Pasanen,
// 2025, chapter 8): of attention queries and keys go to all ranks, values stay. The book leaves out the
// gather of the context vectors, which each rank has a part of, and sums the gradients of weights over
// the parts; they are of different weights: what is summed is the gradients of inputs.
//
//	x ─ norm ─ q, k, v ─ all-gather q, k ─ attend ─ all-gather contexts ─ product ─ all-gather ─ + x ─> y
//	x ─ norm ─ up, activation ─ all-gather ─ down ─ all-gather ─ + x ─> y
//
// Back each gather becomes a sum of gradients.

// bookSides are the parts of what is gathered.
type bookSides struct{ inner, outputs side }

// bookSaved keeps what was gathered between the products.
type bookSaved struct {
	Saved
	inner []float32 // rows x positions x the inputs of the last product
	d     []float32 // rows x positions x a part of its outputs, or of their gradient
	qk    []float32 // attention: rows x positions x (2 x inner): all queries, all keys
	own   []float32 // rows x positions x (3 x a part): queries, keys, values of the part
	y     []float32 // rows x positions x inner: contexts, or their gradient
}

func (s *bookSaved) residual() *halved { return s.Saved.(keeping).residual() }

// bookEnd are the phases from the last product on, and those before it on the way back.
//
//	to: the product as the part has it
func bookEnd(l inside, to linear, k Kernel, at bookSides, part int) (forward, back []Phase) {
	h, w := l.of(), workOf(l)
	n := h.all
	project := Phase{Name: "project", Work: []Work{to.work(n)}, Params: true, Then: Gather, What: "outputs",
		Elems: n * at.outputs.own * at.outputs.parts, Run: func(m *Hand) {
			s := m.Saved.(*bookSaved)
			at.inner.join(s.inner, m)
			to.forward(k, m.Part, s.inner, m.P, m.Rows*n)
		}}
	join := Phase{Name: "finish", Work: w.after, Inputs: true, Params: true, Run: func(m *Hand) {
		at.outputs.join(m.Y, m)
		h.finish(m.Y, m.X, m.P, m.Rows, m.half(), m.Pass)
	}}
	first := sumOf("context-deltas", n*to.in)
	first.Name, first.Work, first.Gradient = "backward", concat(w.backAfter, []Work{to.work(n)}), []Work{to.gradientWork(n)}
	first.Run = func(m *Hand) {
		s := m.Saved.(*bookSaved)
		at.outputs.cut(s.d, h.finishBack(m.G, m.D, m.P, m.Rows, m.half()), part, m.Rows)
		to.gradients(k, m.G, s.d, s.inner, m.Rows*n)
		to.back(k, m.Give, s.d, m.P, m.Rows*n)
	}
	return []Phase{project, join}, []Phase{first}
}

// bookPart is some of the hidden elements and some of the outputs.
func (l feedForward) bookPart(part, parts int) (*Part, []Piece) {
	made, _ := l.part(part, parts)
	of, n := made.(feedForward), l.all
	hidden, size := of.up.out, l.norm.size/parts
	of.down = linear{l.down.name, l.down.in, size, l.down.biased, of.up.end()}
	of.gate.at = of.down.end()
	pieces := append(l.up.outputs(of.up, part*hidden, 0, hidden), l.down.outputs(of.down, part*size, 0, size)...)
	if l.gated {
		pieces = append(pieces, l.gate.outputs(of.gate, part*hidden, 0, hidden)...)
	}
	at := bookSides{side{parts, n, l.down.in, hidden}, side{parts, n, l.norm.size, size}}
	h, w, c := of.half, workOf(of), of.Cost()
	end, back := bookEnd(of, of.down, l.kernel, at, part)
	p := &Part{In: l.In(), Out: l.Out(), Params: of.Params(), Saved: c.Saved + n*l.down.in, Notes: c.Notes + 4*n*size}
	p.NewSaved = func(rows int) Saved {
		return &bookSaved{Saved: of.NewSaved(rows), inner: make([]float32, rows*n*l.down.in), d: make([]float32, rows*n*size)}
	}
	products := len(w.inside) - 1 // without down, which is third
	up, inner := concat(w.before, w.inside[:2], w.inside[3:]), sumOf("inner-deltas", l.In())
	p.Forward = append([]Phase{{Name: "forward", Work: up, Inputs: true, Params: true, Then: Gather, What: "hidden",
		Elems: n * l.down.in, Run: func(m *Hand) {
			s := m.Saved.(*bookSaved)
			copy(m.Part, of.hidden(h.begin(m.X, m.P, m.Rows, m.half()), m.P, m.Rows, s.Saved))
		}}}, end...)
	inner.Name, inner.Work, inner.Gradient = "backward-inner", w.back[1:][:products], w.gradient[1:]
	inner.Run = func(m *Hand) {
		s := m.Saved.(*bookSaved)
		f := s.Saved.(*feedForwardSaved)
		to := f.a
		if of.gated {
			to = f.m
		} else if of.activation.ByOutput() {
			to = f.z
		}
		to = to[:m.Rows*n*hidden]
		at.inner.cut(to, m.Got, part, m.Rows)
		of.hiddenBack(m.G, to, m.Give, h.took(m.X, m.half()), m.P, m.Rows, s.Saved)
	}
	p.Backward = append(back, inner, beginning(of, w, func(m *Hand) []float32 { return m.Got }))
	return p, pieces
}

// touched are the heads that a part of the columns of all is of, so many from one on.
func (h heads) touched(part, columns int) (first, count int) {
	first = part * columns / h.size
	return first, ((part+1)*columns-1)/h.size - first + 1
}

// bookPart is some of the columns of queries, keys and values, and some of the outputs. Of the heads
// that its columns of values are of it makes whole maps; of these heads' values and contexts the
// columns of others are 0.
func (l attention) bookPart(part, parts int) (*Part, []Piece) {
	of, n, inner := l, l.all, l.heads.inner()
	own, size := inner/parts, l.norm.size/parts
	of.qkv.out = 3 * own
	of.to = linear{l.to.name, inner, size, l.to.biased, of.qkv.end()}
	of.heads.first, of.heads.count = l.heads.touched(part, own)
	of.heads.kv = of.heads.count
	var pieces []Piece
	for third := range 3 {
		pieces = append(pieces, l.qkv.outputs(of.qkv, third*inner+part*own, third*own, own)...)
	}
	pieces = append(pieces, l.to.outputs(of.to, part*size, 0, size)...)
	b := bookHeads{heads: of.heads, n: n, inner: inner, own: own, at: part*own - of.heads.first*l.heads.size}
	at := bookSides{side{parts, n, inner, own}, side{parts, n, l.norm.size, size}}
	two := side{parts, 2 * n, inner, own}
	h, w := of.half, workOf(of)
	end, back := bookEnd(of, of.to, l.kernel, at, part)
	p := &Part{In: l.In(), Out: l.Out(), Params: of.to.end(), NewSaved: func(rows int) Saved {
		s := &bookSaved{Saved: of.bookSaved(rows, b), inner: make([]float32, rows*n*inner), d: make([]float32, rows*n*size),
			qk: make([]float32, rows*n*2*inner), own: make([]float32, rows*n*3*own), y: make([]float32, rows*n*b.inner)}
		return s
	}}
	kept := half{norm: h.norm, positions: h.positions}.cost()
	p.Saved = kept.Saved + b.saved() + n*(3*inner+3*own+3*b.wide())
	p.Notes = kept.Notes + 8 + 4*n*(size+inner+b.wide())
	p.Forward = append([]Phase{
		{Name: "forward", Work: concat(w.before, w.inside[:1]), Inputs: true, Params: true, Then: Gather,
			What: "queries-keys", Elems: 2 * n * inner, Run: func(m *Hand) {
				s := m.Saved.(*bookSaved)
				of.qkv.forward(l.kernel, s.own, h.begin(m.X, m.P, m.Rows, m.half()), m.P, m.Rows*n)
				b.queriesKeys(m.Part, s.own, m.Rows)
			}},
		{Name: "attend", Work: []Work{b.work(2)}, Then: Gather, What: "contexts", Elems: n * inner, Run: func(m *Hand) {
			s := m.Saved.(*bookSaved)
			a := s.Saved.(*attentionSaved)
			two.join(s.qk, m)
			b.assemble(a.qkv, s.qk, s.own, m.Rows)
			b.forward(l.kernel, a.o, a.qkv, m.Rows, &a.attended, m.Pass)
			b.columns(m.Part, a.o, m.Rows)
		}}}, end...)
	attend, project := sumOf("queries-keys-deltas", 2*n*inner), sumOf("inner-deltas", l.In())
	attend.Name, attend.Work = "backward-attend", []Work{b.work(4)}
	attend.Run = func(m *Hand) {
		s := m.Saved.(*bookSaved)
		a := s.Saved.(*attentionSaved)
		at.inner.cut(s.y, m.Got, part, m.Rows)
		b.spread(a.o, s.y, m.Rows)
		b.backward(l.kernel, a.qkv, a.o, m.Rows, &a.attended)
		b.partial(m.Give, s.own, a.qkv, m.Rows)
	}
	project.Name, project.Work, project.Gradient = "backward-inner", w.back[2:], w.gradient[1:]
	project.Run = func(m *Hand) {
		s := m.Saved.(*bookSaved)
		b.ownDeltas(s.own, m.Got, part, m.Rows)
		of.qkv.backward(l.kernel, m.Give, m.G, s.own, h.took(m.X, m.half()), m.P, m.Rows*n)
	}
	p.Backward = append(back, attend, project, beginning(of, w, func(m *Hand) []float32 { return m.Got }))
	return p, pieces
}

// bookSaved is what the heads that a part touches leave.
func (l attention) bookSaved(rows int, b bookHeads) Saved {
	n := rows * b.n
	return &attentionSaved{l.newHalved(rows), b.newAttended(rows), make([]float32, n*3*b.wide()), make([]float32, n*b.wide())}
}

// bookHeads are the heads that a part's columns are of, from column at on of theirs.
type bookHeads struct {
	heads
	n, inner, own, at int // positions, columns of all heads, columns of the part
}

// wide is the columns of the heads.
func (b bookHeads) wide() int { return b.heads.inner() }

// queriesKeys takes queries and keys of a part: (2 x own) of each position from (3 x own).
func (b bookHeads) queriesKeys(to, own []float32, rows int) {
	for i := range rows * b.n {
		copy(to[i*2*b.own:][:2*b.own], own[i*3*b.own:])
	}
}

// assemble makes queries, keys and values of the heads: values are 0 but in the part's columns.
func (b bookHeads) assemble(qkv, qk, own []float32, rows int) {
	wide, from := b.wide(), b.first*b.size
	clear(qkv[:rows*b.n*3*wide])
	for i := range rows * b.n {
		to := qkv[i*3*wide:]
		copy(to[:wide], qk[i*2*b.inner+from:])
		copy(to[wide:2*wide], qk[(i*2+1)*b.inner+from:])
		copy(to[2*wide+b.at:][:b.own], own[(i*3+2)*b.own:])
	}
}

// columns takes the part's columns of contexts.
func (b bookHeads) columns(to, o []float32, rows int) {
	for i := range rows * b.n {
		copy(to[i*b.own:][:b.own], o[i*b.wide()+b.at:])
	}
}

// spread puts the gradient of the part's columns of contexts where the heads have them.
func (b bookHeads) spread(o, d []float32, rows int) {
	clear(o[:rows*b.n*b.wide()])
	for i := range rows * b.n {
		copy(o[i*b.wide()+b.at:][:b.own], d[i*b.own:])
	}
}

// partial makes the part's share of the gradients of all queries and keys, and keeps that of its values.
func (b bookHeads) partial(qk, own, qkv []float32, rows int) {
	wide, from := b.wide(), b.first*b.size
	clear(qk[:rows*b.n*2*b.inner])
	for i := range rows * b.n {
		d := qkv[i*3*wide:]
		copy(qk[i*2*b.inner+from:][:wide], d)
		copy(qk[(i*2+1)*b.inner+from:][:wide], d[wide:])
		copy(own[(i*3+2)*b.own:][:b.own], d[2*wide+b.at:])
	}
}

// ownDeltas takes the part's columns of the gradients of all queries and keys.
func (b bookHeads) ownDeltas(own, qk []float32, part, rows int) {
	for i := range rows * b.n {
		for k := range 2 {
			copy(own[(i*3+k)*b.own:][:b.own], qk[(i*2+k)*b.inner+part*b.own:])
		}
	}
}
