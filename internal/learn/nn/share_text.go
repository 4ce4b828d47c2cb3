package nn

import "math"

// The ends of a language model, shared by vocabulary: each rank has a part of the tokens, of as many as
// the others, and beyond the last token places that nothing uses (Megatron-LM pads so, too).

// vocabularyPart is the first token of a part, how many places it has, and how many of them tokens.
func vocabularyPart(vocabulary, part, parts int) (first, places, tokens int) {
	places = (vocabulary + parts - 1) / parts
	first = part * places
	return first, places, max(0, min(places, vocabulary-first))
}

// Split is by rows of the table, whose vectors are then summed: all but one rank have 0 for a token.
func (l embedding) Split(way Way) *Split {
	switch way {
	case Inside:
		return &Split{nil, l.summed}
	case Sequence:
		return &Split{[]Width{{l.positions, "positions"}}, l.spread}
	}
	return nil
}

// part is some of the tokens.
func (l embedding) part(part, parts int) (own embeddingPart, pieces []Piece) {
	first, places, tokens := vocabularyPart(l.vocabulary, part, parts)
	own = embeddingPart{embedding: l, first: first}
	own.vocabulary = places
	if tokens > 0 {
		pieces = []Piece{{first * l.size, 0, tokens * l.size}}
	}
	return own, pieces
}

// embeddingPart has the vectors of the tokens from one on.
type embeddingPart struct {
	embedding
	first int
}

// row is nil of a token that another part has.
func (l embeddingPart) row(table []float32, token float32) []float32 {
	i := int(token) - l.first
	if i < 0 || i >= l.vocabulary {
		return nil
	}
	return table[i*l.size : (i+1)*l.size]
}

// look makes a vector for each of so many tokens of a row, from one on.
func (l embeddingPart) look(y, x, p []float32, from, n, rows int) {
	for r := range rows {
		for i, token := range x[r*l.positions+from:][:n] {
			to := y[(r*n+i)*l.size:][:l.size]
			if row := l.row(p, token); row != nil {
				copy(to, row)
			} else {
				clear(to)
			}
		}
	}
}

// add adds what such positions say.
func (l embeddingPart) add(g, d, x []float32, from, n, rows int) {
	for r := range rows {
		for i, token := range x[r*l.positions+from:][:n] {
			if row := l.row(g, token); row != nil && !(l.skip && token == Padding) {
				Add(row, d[(r*n+i)*l.size:][:l.size])
			}
		}
	}
}

func (l embedding) summed(part, parts int) (*Part, []Piece) {
	own, pieces := l.part(part, parts)
	p, _ := WholePart(own.embedding)
	f, b := &p.Forward[0], &p.Backward[0]
	f.Then, f.What, f.InPlace = Sum, "outputs", true
	f.Run = func(m *Hand) { own.look(m.Y, m.X, m.P, 0, l.positions, m.Rows) }
	b.Run = func(m *Hand) {
		clear(m.G)
		own.add(m.G, m.D, m.X, 0, l.positions, m.Rows)
		clear(m.DX)
	}
	return p, pieces
}

// spread leaves each rank the vectors of its positions.
func (l embedding) spread(part, parts int) (*Part, []Piece) {
	own, pieces := l.part(part, parts)
	n := l.positions / parts
	p, _ := WholePart(own.embedding)
	p.Out = n * l.size
	f, b := &p.Forward[0], &p.Backward[0]
	f.Then, f.What, f.Elems = Scatter, "outputs", l.Out()
	f.Run = func(m *Hand) {
		for t := range parts {
			own.look(m.Part, m.X, m.P, t*n, n, m.Rows)
			m.Wire.Put(t)
		}
	}
	p.Forward = append(p.Forward, Phase{Name: "finish", Work: []Work{{Words: 2 * int64(p.Out)}},
		Run: func(m *Hand) { copy(m.Y[:m.Rows*p.Out], m.Part) }})
	inner := *b
	inner.Name, inner.Run = "backward-inner", func(m *Hand) {
		clear(m.G)
		for t := range parts {
			m.Wire.Take(t)
			own.add(m.G, m.Part, m.X, t*n, n, m.Rows)
		}
		clear(m.DX)
	}
	*b = Phase{Name: "backward", Then: Gather, What: "output-deltas", Elems: l.Out(),
		Run: func(m *Hand) { copy(m.Part, m.D[:m.Rows*p.Out]) }}
	p.Backward = append(p.Backward, inner)
	return p, pieces
}

// Split of what works on each position by itself is by positions; else each rank has all of it.
func (l positions) Split(way Way) *Split {
	switch way {
	case Inside:
		return everyones(l)
	case Sequence:
		return &Split{[]Width{{l.count, "positions"}}, func(part, parts int) (*Part, []Piece) {
			of := l
			of.count = l.count / parts
			if l.fixed != nil {
				of.fixed = l.fixed[part*of.In():][:of.In()]
				p, _ := WholePart(of)
				return p, nil
			}
			p, _ := WholePart(of)
			return p, []Piece{{part * of.In(), 0, of.In()}}
		}}
	}
	return nil
}

// Split is as that of positions; gain and bias are everyone's.
func (l normLayer) Split(way Way) *Split {
	switch way {
	case Inside:
		return everyones(l)
	case Sequence:
		return &Split{[]Width{{l.positions, "positions"}}, func(_, parts int) (*Part, []Piece) {
			of := l
			of.positions = l.positions / parts
			p, pieces := WholePart(of)
			p.Partial.Elems = l.Params()
			return p, pieces
		}}
	}
	return nil
}

// everyones is a layer that all ranks have whole, and do the same with.
func everyones(l Layer) *Split {
	return &Split{nil, func(_, _ int) (*Part, []Piece) { return WholePart(l) }}
}

// Split is by positions: equal runs of elements.
func (l dropoutLayer) Split(way Way) *Split {
	if way != Sequence {
		return nil
	}
	return &Split{[]Width{{l.size, "elements"}}, func(part, parts int) (*Part, []Piece) {
		of := l
		of.size = l.size / parts
		of.first = part * of.size
		p, _ := WholePart(of)
		return p, nil
	}}
}

// Split is by outputs of each position.
func (l everywhere) Split(way Way) *Split {
	switch way {
	case Gathered:
		return &Split{nil, func(part, parts int) (*Part, []Piece) {
			own, pieces := l.part(part, parts)
			return gathered(l, own, part, parts, l.positions), pieces
		}}
	case Vocabulary:
		return &Split{nil, func(part, parts int) (*Part, []Piece) {
			own, pieces := l.part(part, parts)
			return byColumns(own), pieces
		}}
	case Sequence:
		return &Split{[]Width{{l.positions, "positions"}}, l.spread}
	}
	return nil
}

// part is some of the outputs.
func (l everywhere) part(part, parts int) (everywhere, []Piece) {
	first, places, tokens := vocabularyPart(l.out, part, parts)
	own := l
	own.out = places
	return own, l.outputs(own.linear, first, 0, tokens)
}

// spread takes each rank's positions, and leaves all of them for a part of the outputs.
func (l everywhere) spread(part, parts int) (*Part, []Piece) {
	own, pieces := l.part(part, parts)
	p, _ := WholePart(own)
	all := side{parts, 1, l.In(), l.In() / parts}
	p.In, p.Saved, p.Notes = all.own, l.In(), 4*l.In()
	p.NewSaved = func(rows int) Saved {
		return &spread{in: make([]float32, rows*l.In()), d: make([]float32, rows*l.In())}
	}
	f, b := p.Forward[0], p.Backward[0]
	f.Inputs = false
	f.Run = func(m *Hand) {
		s := m.Saved.(*spread)
		all.join(s.in, m)
		own.Forward(m.Y, s.in, m.P, m.Rows, nil, nil)
	}
	p.Forward = []Phase{{Name: "norm", Inputs: true, Then: Gather, What: "inner-inputs", Elems: l.In(),
		Run: func(m *Hand) { copy(m.Part, m.X[:m.Rows*all.own]) }}, f}
	b.Then, b.What, b.Elems = Scatter, "inner-deltas", l.In()
	b.Run = func(m *Hand) {
		s := m.Saved.(*spread)
		own.Backward(s.d, m.G, m.D, s.in, m.P, m.Rows, nil)
		all.put(s.d, m)
	}
	p.Backward = []Phase{b, {Name: "backward-norm", Work: []Work{{Words: 2 * int64(all.own)}}, Run: func(m *Hand) {
		if m.DX != nil {
			copy(m.DX[:m.Rows*all.own], m.Part)
		}
	}}}
	return p, pieces
}

// LossPart is cross entropy where each rank has a part of every label's outputs. Ranks gather three
// numbers for each label: the largest of their outputs, the sum of exponentials below it, and the
// label's output, which all but one have none of. Megatron-LM has three all-reduces in their place.
//
//	ln sum e^z = m + ln sum over parts of s e^(m of the part - m)    (Milakov, Gimelshein, 2018)
type LossPart struct {
	kernel  Kernel
	targets int
	parts   int
	first   int
	classes int // that the rank has, of so many places
	places  int
	tops    []float64 // by part: of a label
	sums    []float64
	room    []float32 // what all parts gave
}

// lossFields are what ranks gather for a label.
const lossFields = 3

// LossPart is one of so many; nil of a loss that wants whole outputs.
func (m *Model) LossPart(k Kernel, part, parts int) *LossPart {
	if m.loss != CrossEntropy {
		return nil
	}
	l := &LossPart{kernel: k, targets: m.targets, parts: parts, tops: make([]float64, parts), sums: make([]float64, parts)}
	l.first, l.places, l.classes = vocabularyPart(m.Classes(), part, parts)
	return l
}

// LossPhases are those of a loss over so many labels of a row, whose classes lie in so many parts.
func LossPhases(targets, classes, parts int) []Phase {
	l := &LossPart{targets: targets, parts: parts}
	_, l.places, _ = vocabularyPart(classes, 0, parts)
	return l.Phases()
}

// Phases are what a device does before the gather and after it; each runs by itself.
func (l *LossPart) Phases() []Phase {
	n := int64(l.targets * l.places)
	return []Phase{
		{Name: "loss-sums", Work: []Work{{FLOP: 4 * n, Words: n}}, Then: Gather, What: "loss-sums",
			Elems: l.targets * lossFields * l.parts},
		{Name: "loss", Work: []Work{{FLOP: 4 * n, Words: 2 * n}}}}
}

// Gives makes what the rank gathers, and leaves exponentials in d.
func (l *LossPart) Gives(give, d, y []float32, labels []int32) {
	for i, label := range labels {
		z, to := y[i*l.places:][:l.classes], give[i*lossFields:][:lossFields]
		clear(to)
		to[0] = float32(math.Inf(-1))
		if len(z) == 0 {
			continue
		}
		to[0] = z[argmax(z)]
		to[1] = float32(l.kernel.ExpSum(d[i*l.places:][:l.classes], z, to[0]))
		if at := int(label) - l.first; at >= 0 && at < l.classes {
			to[2] = z[at]
		}
	}
}

// Loss is as that of Model, of what was gathered: take is what a part gave.
func (l *LossPart) Loss(d []float32, labels []int32, n float64, take func(part int) []float32) float64 {
	size := len(labels) * lossFields
	if len(l.room) < l.parts*size {
		l.room = make([]float32, l.parts*size)
	}
	room := l.room
	for t := range l.parts {
		copy(room[t*size:][:size], take(t))
	}
	sum := 0.0
	for i, label := range labels {
		to := d[i*l.places:][:l.places]
		if label == Ignored {
			clear(to)
			continue
		}
		sum += l.one(to, int(label)-l.first, n, func(t int) []float32 { return room[t*size+i*lossFields:] })
	}
	if n == 0 {
		return 0
	}
	return sum / n
}

// one is the loss of a label, and turns exponentials below the rank's largest output into a gradient.
func (l *LossPart) one(d []float32, at int, n float64, of func(part int) []float32) float64 {
	top, all, label := math.Inf(-1), 0.0, 0.0
	for t := range l.parts {
		top = max(top, float64(of(t)[0]))
	}
	for t := range l.parts {
		f := of(t)
		if l.sums[t] = 0; f[1] > 0 {
			l.tops[t] = exp(float64(f[0]) - top)
			l.sums[t] = float64(l.tops[t] * float64(f[1]))
		}
		all += l.sums[t]
		label += float64(f[2])
	}
	own := 0.0
	if l.classes > 0 {
		own = l.tops[l.first/l.places]
	}
	by := float32(own / float64(all*n))
	for j := range d[:l.classes] {
		d[j] = float32(d[j] * by)
	}
	clear(d[l.classes:])
	if at >= 0 && at < l.classes {
		d[at] -= float32(1 / n)
	}
	return log(all) - (label - top)
}
