package nn

// spreadExperts is a mixture of experts of which each of some ranks has experts of its own, and the norm, the router and the
// shared experts too. Each rank works on positions of its own: their rows go to the experts' ranks and come back.
//
//	own parameters:  norm | router | shared experts | experts first..first+mine-1
//
// Positions of an expert are in the order (rank, position), those of a rank in the order of a layer that is whole: so all
// but the gradients of experts, which are sums over more positions, has the bits of that.
type spreadExperts struct {
	experts
	ranks, mine int
	own, common []expert // experts that it alone has, and shared ones
	params      int
}

// Split is how ranks spread the experts; in no other way.
func (l experts) Split(way Way) *Split {
	if way != Spread {
		return nil
	}
	return &Split{Widths: []Width{{l.routing.Count, "experts"}}, Of: l.spread}
}

// spread is a part of so many.
func (l experts) spread(part, parts int) (*Part, []Piece) {
	s := spreadExperts{experts: l, ranks: parts, mine: l.routing.Count / parts}
	at := l.router.end()
	pieces := []Piece{{Elems: at}}
	take := func(e int) expert {
		of := l.nets[e]
		pieces = append(pieces, Piece{Whole: of.up.at, Part: at, Elems: of.params()})
		of = of.at(at)
		at = of.end()
		return of
	}
	for e := l.routing.Count; e < len(l.nets); e++ {
		s.common = append(s.common, take(e))
	}
	own := at
	for k := range s.mine {
		s.own = append(s.own, take(part*s.mine+k))
	}
	s.params = at
	p := s.part()
	p.Own.At, p.Own.Elems = own, at-own
	return p, pieces
}

// most is how many of the positions of a row can come to a rank from another at most: all that its experts may be, or as
// many as they take.
func (l spreadExperts) most() int {
	return min(l.all*min(l.routing.Top, l.mine), l.mine*l.room(0, l.all, &Pass{Train: true}))
}

func (l spreadExperts) part() *Part {
	whole, c := l.experts.Cost(), l.half.cost()
	n, size, one, common := l.all*l.routing.Top, l.norm.size, l.nets[0], l.all*l.routing.Shared
	own := func(all []Work) []Work { // one product of all own experts reads the weights of each
		for i := range all {
			all[i].Fixed *= int64(l.mine)
		}
		return all
	}
	moves := func(n int) Work { return Work{Words: 2 * int64(n*size)} }
	came := l.ranks * l.most()
	p := &Part{In: l.In(), Out: l.Out(), Params: l.params, NewSaved: l.newSaved, ThroughWork: whole.Through,
		Saved: c.Saved + l.all*l.routing.Count + common*one.kept() + (n+2*common)*size + came*(one.kept()+2*size),
		Notes: c.Notes + 4*(l.all*(l.routing.Count+2*l.taken())+3*l.all*l.taken()) + 4*came +
			(came+common)*one.notes()}
	p.Rooms = [2]int{n * size, came * size}
	p.Sorts, p.Block, p.Row = l.routing.Count, l.most()*size, size
	p.Forward = []Phase{
		{Name: "route", Work: []Work{c.Forward[0], l.router.work(l.all), moves(n)}, Inputs: true, Params: true, Run: l.route,
			Then: Dispatch, What: "expert-rows"},
		{Name: "expert", Work: own(one.forwardWork(1)), Positions: n, Params: true, Run: l.run, Then: Combine, What: "expert-rows"},
		{Name: "combine", Work: append([]Work{moves(n), c.Forward[1]}, some(common, one.forwardWork)...), Inputs: true,
			Params: true, Run: l.combine},
	}
	p.Backward = []Phase{
		{Name: "backward-combine", Work: []Work{c.Input[1], moves(n)}, Run: l.combineBack, Then: Dispatch, What: "expert-deltas"},
		{Name: "backward-expert", Work: own(one.inputWork(1)), Gradient: own(one.gradientWork(1)), Positions: n, Run: l.runBack,
			Then: Combine, What: "expert-deltas"},
		{Name: "backward-route",
			Work:     append([]Work{l.router.work(l.all).turned(), moves(n), c.Input[0]}, some(common, one.inputWork)...),
			Gradient: append([]Work{l.router.gradientWork(l.all)}, some(common, one.gradientWork)...), Run: l.routeBack},
	}
	return p
}

// some is the work on so many positions, none of none.
func some(n int, of func(int) []Work) []Work {
	if n == 0 {
		return nil
	}
	return of(n)
}

type spreadSaved struct {
	expertsSaved
	x, room []float32 // of what came, by expert: what experts take, and give
	inside  between   // likewise
	place   []int32   // likewise: the row of it as it came
	upTo    []int     // by own expert: where its rows end
}

func (l spreadExperts) newSaved(rows int) Saved {
	n, came := rows*l.all, l.ranks*rows*l.most()
	floats := func(n int) []float32 { return make([]float32, n) }
	slots, common, one, size := n*l.taken(), n*l.routing.Shared, l.nets[0], l.norm.size
	s := &spreadSaved{x: floats(came * size), inside: one.between(came), room: floats(came * size), place: make([]int32, came),
		upTo: make([]int, l.mine)}
	all := len(l.nets)
	s.expertsSaved = expertsSaved{l.newHalved(rows), floats(n * l.routing.Count), floats(n * l.routing.Count),
		one.between(common), floats(common * size), floats(slots * size), make([]int32, slots),
		floats(slots), make([]int32, slots), make([]int32, slots), floats(slots), make([]int, all), make([]int, all),
		make([]int, all), floats(l.routing.Count), 0}
	return s
}

// sent is how many rows leave a rank.
func (l spreadExperts) sent(s *spreadSaved) int { return s.ends[l.routing.Count-1] }

// route finds the experts of each position, and lays their rows in the order of experts, which is that of ranks.
func (l spreadExperts) route(h *Hand) {
	s, n, size := h.Saved.(*spreadSaved), h.Rows*l.all, l.norm.size
	in := l.begin(h.X, h.P, h.Rows, &s.halved)
	s.n = n
	l.router.forward(l.kernel, s.p, in, h.P, n)
	l.choose(&s.expertsSaved, n)
	l.experts.place(&s.expertsSaved, n, h.Pass)
	from := 0
	for e := range l.routing.Count {
		h.Counts[e] = float32(s.ends[e] - from)
		from = s.ends[e]
	}
	for slot := range from {
		copy(h.Give[slot*size:][:size], in[int(s.position[slot])*size:])
	}
}

// sort finds where rows that came lie: from each rank, those of each of its experts.
func (l spreadExperts) sort(s *spreadSaved, counts []float32) (rows int) {
	for k := range l.mine {
		at := 0
		for r := range l.ranks {
			for i, c := range counts[r*l.mine:][:l.mine] {
				for j := range int(c) {
					if i == k {
						s.place[rows] = int32(at + j)
						rows++
					}
				}
				at += int(c)
			}
		}
		s.upTo[k] = rows
	}
	return rows
}

// run has the experts work on what came; what they give takes its place.
func (l spreadExperts) run(h *Hand) {
	s, size := h.Saved.(*spreadSaved), l.norm.size
	for i, from := range s.place[:l.sort(s, h.Counts)] {
		copy(s.x[i*size:][:size], h.Give[int(from)*size:])
	}
	from := 0
	for k, end := range s.upTo {
		if end > from {
			e := &l.own[k]
			e.forward(l.kernel, l.activation, s.room[from*size:end*size], s.x[from*size:end*size], h.P, s.inside.of(e, from, end),
				end-from)
		}
		from = end
	}
	l.back(h, s)
}

// back puts what experts gave where the rows had come.
func (l spreadExperts) back(h *Hand, s *spreadSaved) {
	size := l.norm.size
	for i, to := range s.place[:s.upTo[l.mine-1]] {
		copy(h.Give[int(to)*size:][:size], s.room[i*size:])
	}
}

// combine adds up what came back, and what shared experts give.
func (l spreadExperts) combine(h *Hand) {
	s, n, size := h.Saved.(*spreadSaved), h.Rows*l.all, l.norm.size
	in, sent := l.took(h.X, &s.halved), l.sent(s)
	y := h.Y[:n*size]
	clear(y)
	copy(s.out, h.Got[:sent*size])
	l.add(y, s, 0, sent)
	for e := range l.common {
		x, of := s.in[e*n*size:][:n*size], &l.common[e]
		copy(x, in)
		of.forward(l.kernel, l.activation, s.out[(sent+e*n)*size:][:n*size], x, h.P, s.mid.of(of, e*n, (e+1)*n), n)
		l.add(y, s, sent+e*n, sent+(e+1)*n)
	}
	l.finish(h.Y, h.X, h.P, h.Rows, &s.halved, h.Pass)
}

// add adds what slots hold to their positions, by their weights.
func (l spreadExperts) add(y []float32, s *spreadSaved, from, end int) {
	size := l.norm.size
	for slot := from; slot < end; slot++ {
		to, w := y[int(s.position[slot])*size:][:size], s.weight[s.of[slot]]
		for i, v := range s.out[slot*size:][:size] {
			to[i] += float32(w * v)
		}
	}
}

// weigh makes the gradients of slots' weights and of what they hold.
func (l spreadExperts) weigh(of []float32, s *spreadSaved, from, end int) {
	size := l.norm.size
	for slot := from; slot < end; slot++ {
		d, out, w, sum := of[int(s.position[slot])*size:][:size], s.out[slot*size:][:size], s.weight[s.of[slot]], float32(0)
		for i, v := range d {
			sum += float32(v * out[i])
			out[i] = float32(v * w)
		}
		s.dw[s.of[slot]] = sum
	}
}

// combineBack makes the gradients of what came back.
func (l spreadExperts) combineBack(h *Hand) {
	s := h.Saved.(*spreadSaved)
	clear(h.G)
	clear(s.dw[:h.Rows*l.all*l.taken()])
	of, sent := l.finishBack(h.G, h.D, h.P, h.Rows, &s.halved), l.sent(s)
	l.weigh(of, s, 0, sent)
	copy(h.Give, s.out[:sent*l.norm.size])
}

// runBack makes the gradients of the experts and of what came.
func (l spreadExperts) runBack(h *Hand) {
	s, size := h.Saved.(*spreadSaved), l.norm.size
	for i, from := range s.place[:s.upTo[l.mine-1]] {
		copy(s.room[i*size:][:size], h.Give[int(from)*size:])
	}
	from := 0
	for k, end := range s.upTo {
		if end > from {
			e := &l.own[k]
			e.backward(l.kernel, l.activation, h.G, s.room[from*size:end*size], s.x[from*size:end*size], h.P, s.inside.of(e, from, end),
				end-from)
		}
		from = end
	}
	l.back(h, s)
}

// routeBack makes the gradients of the rest.
func (l spreadExperts) routeBack(h *Hand) {
	s, n, size := h.Saved.(*spreadSaved), h.Rows*l.all, l.norm.size
	of, sent := s.d[:n*size], l.sent(s)
	for e := range l.common {
		from, one := sent+e*n, &l.common[e]
		l.weigh(of, s, from, from+n)
		one.backward(l.kernel, l.activation, h.G, s.out[from*size:][:n*size], s.in[e*n*size:][:n*size], h.P,
			s.mid.of(one, e*n, (e+1)*n), n)
	}
	l.routerBack(&s.expertsSaved, n)
	l.router.backward(l.kernel, of, h.G, s.dp, l.took(h.X, &s.halved), h.P, n)
	copy(s.out, h.Got[:sent*size])
	for slot := range sent + len(l.common)*n {
		Add(of[int(s.position[slot])*size:][:size], s.out[slot*size:][:size])
	}
	l.beginBack(h.DX, h.G, of, h.D[:n*size], h.X, h.P, h.Rows, &s.halved)
}
