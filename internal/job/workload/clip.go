package workload

import (
	"fmt"

	"railyard/internal/job/coll"
)

// normed is the sum for the norm of all gradients of an update, over the ranks that hold them between them:
// those of a replica, or with shards all.
type normed struct{ data, update int }

// norms joins the ranks that hold a model's gradients between them, if there are several, and makes room
// for the digits that they sum.
func (b *lowering) norms() error {
	if b.Clip == 0 {
		return nil
	}
	b.digits = b.buffer(WorkspaceTerm, "gradient-norm", b.Clip, Float32)
	replicas, _ := b.l.each()
	shared := 1
	if b.l.Zero > ZeroNone {
		replicas, shared = 1, b.l.DP
	}
	if b.l.PP*b.l.TP*shared == 1 {
		return nil
	}
	for d := range replicas {
		var places []Coord
		whole := b.l.Unfolded()
		for r := range whole.World() {
			if at := whole.Coord(r); shared > 1 || at.Data == d {
				places = append(places, at)
			}
		}
		where := ""
		if replicas > 1 {
			where = b.l.suffix(Coord{Data: d, Stage: -1}, true)
			if b.l.TP > 1 { // of all parts
				where = fmt.Sprintf(".replica%d", d+1)
			}
		}
		g, id := b.group("gradient-norm"+where, GroupKindNorm, places...)
		s, err := b.Schedules(g, coll.AllReduce)
		if err != nil {
			return err
		}
		for m := range b.updates() {
			b.normSums[normed{d, m}] = b.collective("allreduce.gradient-norm"+b.ofUpdate(m)+where, id,
				Range{Buffer: b.digits, Elems: b.Clip}, s)
		}
	}
	return nil
}

// norm finds the norm of all gradients, once they are summed over replicas. It returns what updates read.
func (b *builder) norm(m int) Range {
	if b.Clip == 0 {
		return Range{}
	}
	digits := Range{Buffer: b.digits, Elems: b.Clip}
	elems := b.st.Params()
	grads := Range{Buffer: b.st.Gradients, Elems: elems}
	if b.l.Zero > ZeroNone {
		elems = 0
		for _, s := range b.j.Training.Shards[b.l.Rank(b.at)] {
			elems += s.Elems
		}
		if b.l.Zero >= ZeroGradients {
			grads.Elems = elems
		}
	}
	b.compute("norm-gradients"+b.ofUpdate(m), b.kernelOf(0, elems*b.Precision.Gradients.Bytes()+b.Clip*Float32.Bytes(), 0),
		Body{Work: SquareGradients, Micro: m, X: grads, Y: digits})
	at := normed{b.at.Data, m}
	if b.l.Zero > ZeroNone {
		at.data = 0
	}
	if id, shared := b.normSums[at]; shared {
		b.communicate("", id, []Range{digits}, []Range{digits})
	}
	return digits
}
