package train

import (
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// Where experts are spread over replicas, or a layer takes means over the rows of all, the oracle takes these through a layer
// together. It moves rows between them by plain copies, in the order that the layout has, and sums by the schedule.

// together takes a micro-batch of all replicas through layers [lo, hi), or back.
func (o *oracle) together(step int64, v visit, lo, hi int) {
	for i := range hi - lo {
		l := lo + i
		if v.backward {
			l = hi - 1 - i
		}
		h := o.held(l)
		if h.Way == workload.Together {
			o.meet(step, v, h)
			continue
		}
		if h.Way == workload.Spread {
			for first := 0; first < len(o.replicas); first += o.t.Layout.EP {
				o.swap(step, v, h, first)
			}
			continue
		}
		o.apart(step, v, l, l+1)
	}
}

// held is a layer as its stage holds it.
func (o *oracle) held(layer int) *workload.Held {
	for s := range o.t.Stages {
		for i := range o.t.Stages[s].Layers {
			if h := &o.t.Stages[s].Layers[i]; h.Layer == layer {
				return h
			}
		}
	}
	panic("train: a layer of no stage")
}

// member is one of the replicas between which a layer's experts are spread.
type member struct {
	r             *replica
	part          *nn.Part
	pieces        []nn.Piece
	hand          nn.Hand
	mine, theirs  []float32 // rows that it sends, and gets
	sends, counts []float32
}

// swap takes a micro-batch of some replicas through a layer, or back.
func (o *oracle) swap(step int64, v visit, h *workload.Held, first int) {
	n, l, of := o.t.Rows(), h.Layer, make([]member, o.t.Layout.EP)
	lo, _ := o.cfg.Model.LayerRange(l)
	for e := range of {
		m := &of[e]
		m.r = &o.replicas[first+e]
		m.part, m.pieces = partOf(o.layers[l], h.Way, e, len(of))
		m.mine, m.theirs = make([]float32, n*m.part.Rooms[0]), make([]float32, n*m.part.Rooms[1])
		m.sends, m.counts = make([]float32, m.part.Sorts), make([]float32, m.part.Sorts)
		micro := &m.r.micro[v.micro]
		m.hand = nn.Hand{Rows: n, X: micro.x[l], P: make([]float32, m.part.Params)}
		for _, p := range m.pieces {
			copy(m.hand.P[p.Part:][:p.Elems], m.r.weights[lo+p.Whole:])
		}
		if v.backward {
			m.hand.D, m.hand.Saved, m.hand.G = micro.d[l], micro.saved[l].(counted).Saved, make([]float32, m.part.Params)
			m.sends = micro.saved[l].(counted).sends
			if l > o.t.Trained {
				micro.d[l-1] = make([]float32, len(micro.x[l]))
				m.hand.DX = micro.d[l-1]
			}
			continue
		}
		micro.x[l+1] = make([]float32, n*o.layers[l].Out())
		m.hand.Y, m.hand.Saved = micro.x[l+1], m.part.NewSaved(n)
		micro.saved[l] = counted{m.hand.Saved, m.sends}
		m.hand.Pass = &nn.Pass{Train: true, Seed: o.cfg.Seed, Step: o.p.first + step, Layer: l, Tokens: o.tokens(micro),
			Samples: o.p.rows(step, (first+e)*o.cfg.Batch+v.micro*n, n)}
	}
	o.phases(of, v.backward)
	for e := range of {
		o.took(&of[e], v, l, lo)
	}
}

// counted is what a layer saved, and how many rows went to which expert.
type counted struct {
	nn.Saved
	sends []float32
}

// phases runs those of a forward or a backward, and moves rows between them.
func (o *oracle) phases(of []member, backward bool) {
	run := func(i int, set func(m *member)) {
		for e := range of {
			m := &of[e]
			set(m)
			phases := m.part.Forward
			if backward {
				phases = m.part.Backward
			}
			phases[i].Run(&m.hand)
			stored(o.t.Precision.Activations, m.mine)
			stored(o.t.Precision.Activations, m.theirs)
		}
	}
	run(0, func(m *member) { m.hand.Give, m.hand.Counts = m.mine, m.sends })
	o.move(of, false)
	run(1, func(m *member) { m.hand.Give, m.hand.Got, m.hand.Counts = m.theirs, m.theirs, m.counts })
	o.move(of, true)
	run(2, func(m *member) { m.hand.Got = m.mine })
}

// move moves rows from where they are to where their experts are, or back.
func (o *oracle) move(of []member, back bool) {
	for e := range of {
		to := &of[e]
		mine, at := len(to.counts)/len(of), 0
		for r := range of {
			from := &of[r]
			before, rows := 0, 0
			for i, c := range from.sends {
				if i < e*mine {
					before += int(c)
				} else if i < (e+1)*mine {
					to.counts[r*mine+i-e*mine] = c
					rows += int(c)
				}
			}
			row := to.part.Row
			a, b := from.mine[before*row:(before+rows)*row], to.theirs[at*row:(at+rows)*row]
			if back {
				a, b = b, a
			}
			copy(b, a)
			at += rows
		}
	}
}

// took keeps what a layer gave a replica.
func (o *oracle) took(m *member, v visit, l, lo int) {
	micro := &m.r.micro[v.micro]
	if !v.backward {
		stored(o.t.Precision.Activations, micro.x[l+1])
		return
	}
	if m.hand.DX != nil {
		o.layers[l-1].Through(m.hand.DX, micro.x[l])
		stored(o.t.Precision.Activations, m.hand.DX)
	}
	for _, p := range m.pieces {
		to, g := m.r.grads[lo+p.Whole:][:p.Elems], m.hand.G[p.Part:]
		for i := range to {
			if v.micro == 0 || o.t.Layout.Update == workload.UpdateEach || o.scatters() {
				to[i] = g[i]
			} else {
				to[i] += g[i]
			}
		}
	}
}

// sumSpread sums a bucket over the replicas that have it.
func (o *oracle) sumSpread(st *workload.Stage, k *workload.Bucket) {
	over := func(first, by int, ids ...int32) {
		var bufs [][]float32
		for d := first; d < len(o.replicas); d += by {
			var buf []float32
			o.bucket(st, k, first%o.t.Layout.EP, func(lo, hi int) { buf = append(buf, o.replicas[d].grads[lo:hi]...) })
			bufs = append(bufs, buf)
		}
		for _, id := range ids {
			if id >= 0 {
				o.execute(o.cfg.Work.Collectives[id].Schedule, bufs)
			}
		}
		for i, d := 0, first; d < len(o.replicas); i, d = i+1, d+by {
			buf := bufs[i]
			o.bucket(st, k, first%o.t.Layout.EP, func(lo, hi int) { buf = buf[copy(o.replicas[d].grads[lo:hi], buf):] })
		}
	}
	if !k.Own {
		over(0, 1, k.Sum, k.Gather)
		return
	}
	for e, id := range k.Sums {
		if len(k.Gathers) > 0 { // a reduce-scatter, before it
			over(e, o.t.Layout.EP, id, k.Gathers[e])
			continue
		}
		over(e, o.t.Layout.EP, id)
	}
}

// bucket visits the parameters of a bucket, as a replica with some of the experts has them in order, of all parts of layers:
// what parts have alike more than once.
func (o *oracle) bucket(st *workload.Stage, k *workload.Bucket, part int, visit func(lo, hi int)) {
	for i := range st.Layers {
		h := &st.Layers[i]
		parts, lo := partsOf(h.Way, &o.t.Layout), 0
		first, end := 0, parts
		if lo, _ = o.cfg.Model.LayerRange(h.Layer); h.Way == workload.Spread {
			first, end = part, part+1
		} else if h.Way == workload.Whole {
			end = 1
		}
		for which := first; which < end; which++ {
			_, pieces := partOf(o.layers[h.Layer], h.Way, which, parts)
			for _, p := range pieces {
				if at := h.Offset + int64(p.Part); p.Elems > 0 && at >= k.Offset && at < k.Offset+k.Elems {
					visit(lo+p.Whole, lo+p.Whole+p.Elems)
				}
			}
		}
	}
}

// share gives each replica the experts that others have.
func (o *oracle) share() {
	ep := o.t.Layout.EP
	for s := range o.t.Stages {
		st := &o.t.Stages[s]
		for i := range st.Buckets {
			k := &st.Buckets[i]
			if !k.Own {
				continue
			}
			for d := range o.replicas {
				for e := range ep {
					from := &o.replicas[d/ep*ep+e]
					o.bucket(st, k, e, func(lo, hi int) {
						copy(o.replicas[d].params[lo:hi], from.params[lo:hi])
						copy(o.replicas[d].grads[lo:hi], from.grads[lo:hi])
					})
				}
			}
		}
	}
}
