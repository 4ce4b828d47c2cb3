package train

import (
	"slices"

	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// meets reports whether replicas sum something between the phases of a layer.
func (o *oracle) meets() bool {
	return slices.ContainsFunc(o.t.Stages, func(s workload.Stage) bool {
		return slices.ContainsFunc(s.Layers, func(h workload.Held) bool { return h.Way == workload.Together })
	})
}

// meet takes a micro-batch of all replicas through a layer whose phases end in sums over them, or back.
func (o *oracle) meet(step int64, v visit, h *workload.Held) {
	part, _ := partOf(o.layers[h.Layer], h.Way, 0, len(o.replicas))
	hands := make([]nn.Hand, len(o.replicas))
	for d := range hands {
		hands[d] = o.hand(step, v, h.Layer, d, part)
	}
	phases := part.Forward
	if v.backward {
		phases = part.Backward
	}
	var sums [][]float32
	for i := range phases {
		var given [][]float32
		for d := range hands {
			hand := &hands[d]
			if hand.Give = make([]float32, phases[i].Fixed); sums != nil {
				hand.Got = sums[d]
			}
			phases[i].Run(hand)
			given = append(given, hand.Give)
		}
		if sums = given; phases[i].Then == nn.Sum {
			coll.Execute(o.cfg.Work.Collectives[h.Sum].Schedule, sums)
		}
	}
	lo, _ := o.cfg.Model.LayerRange(h.Layer)
	for d := range hands {
		r := &o.replicas[d]
		o.took(&member{r: r, part: part, pieces: []nn.Piece{{Elems: part.Params}}, hand: hands[d]}, v, h.Layer, lo)
		if !v.backward && h.Layer == len(o.layers)-1 {
			o.compare(r, &r.micro[v.micro], step, v, hands[d].Pass.Samples)
		}
	}
}

// hand is what the phases of a layer have of a replica.
func (o *oracle) hand(step int64, v visit, l, d int, part *nn.Part) nn.Hand {
	r, n := &o.replicas[d], o.t.Rows()
	micro := &r.micro[v.micro]
	lo, hi := o.cfg.Model.LayerRange(l)
	rows := o.p.rows(step, d*o.cfg.Batch+v.micro*n, n)
	if l == 0 && !v.backward {
		o.enter(micro, r, rows)
	}
	h := nn.Hand{Rows: n, X: micro.x[l], P: r.weights[lo:hi]}
	if v.backward {
		if o.t.Layout.Stash {
			h.P = micro.params[lo:hi]
		}
		h.D, h.Saved, h.G = micro.d[l], micro.saved[l], make([]float32, part.Params)
		if l > o.t.Trained {
			micro.d[l-1] = make([]float32, len(micro.x[l]))
			h.DX = micro.d[l-1]
		}
		return h
	}
	micro.x[l+1] = make([]float32, n*o.layers[l].Out())
	h.Y, h.Saved = micro.x[l+1], part.NewSaved(n)
	micro.saved[l] = h.Saved
	copy(micro.params[lo:hi], r.weights[lo:hi])
	h.Pass = &nn.Pass{Train: true, Seed: o.cfg.Seed, Step: o.p.first + step, Layer: l, Tokens: o.tokens(micro), Samples: rows}
	return h
}
