package train

import (
	"slices"

	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// countedBy lists the elements of its stage's vectors whose gradients a rank counts in the norm of all:
// what several parts of a layer have the first of them counts, and of what is tied the lower copy.
func (j *Job) countedBy(at workload.Coord) (all []workload.Span) {
	for _, h := range j.work.Stages[at.Stage].Layers {
		before := map[int]bool{} // where pieces of lower parts begin
		for t := range at.Tensor {
			_, pieces := j.part(&h, t)
			for _, p := range pieces {
				before[p.Whole] = true
			}
		}
		_, pieces := j.part(&h, at.Tensor)
		lo, _ := j.cfg.Model.LayerRange(h.Layer)
		for _, p := range pieces {
			if !before[p.Whole] {
				all = append(all, countable(j.cfg.Model.Uncounted(), lo, p, h.Offset)...)
			}
		}
	}
	slices.SortFunc(all, func(a, b workload.Span) int { return int(a.Offset - b.Offset) })
	return all
}

// countable is what a piece has that counts in the norm of all gradients, in its stage's vectors, where its layer begins at an
// offset.
func countable(not []nn.Span, layer int, p nn.Piece, offset int64) (all []workload.Span) {
	span := func(lo, hi int) { // of the model
		if lo < hi {
			all = append(all, workload.Span{Offset: offset + int64(lo-layer-p.Whole+p.Part), Elems: int64(hi - lo)})
		}
	}
	lo, hi := layer+p.Whole, layer+p.Whole+p.Elems
	for _, t := range not {
		if t.At < hi && t.At+t.Elems > lo {
			span(lo, t.At)
			lo = t.At + t.Elems
		}
	}
	span(lo, hi)
	return all
}

// square sums the squares of the gradients that a rank counts, with ZeRO of those that it owns.
func (j *Job) square(id int32, r *rank, w *workload.Body) {
	r.squares.Clear()
	grads := r.on(w.X)
	own, whole := []workload.Span{{Elems: j.work.Stages[r.at.Stage].Params()}}, true
	if z := j.work.Layout.Zero; z > workload.ZeroNone {
		own, whole = j.work.Shards[id], z < workload.ZeroGradients
	}
	at := int64(0) // in the shard
	for _, s := range own {
		v := grads[at:][:s.Elems]
		if whole {
			v = grads[s.Offset:][:s.Elems]
		} else {
			at += s.Elems
		}
		for _, c := range r.counted {
			if lo, hi := max(c.Offset, s.Offset), min(c.Offset+c.Elems, s.Offset+s.Elems); lo < hi {
				r.squares.Add(v[lo-s.Offset : hi-s.Offset])
			}
		}
	}
	r.squares.Digits(r.on(w.Y))
}
