package workload

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// Tie says that two equal parts of the parameters are one: an embedding and the head that is its
// transpose. Each layer has its own copy and makes a gradient of its own; after the sums over
// replicas, whose order depends on where an element lies, the sum of both is the gradient of both,
// so that the copies stay equal. Of layers in parts each rank ties what it has of both, which is as much
// and lies in both parts where it does in the whole.
type Tie struct {
	Lower, Upper TiedPart
	Elems        int64 // of a part
}

// TiedPart is where a layer has its copy.
type TiedPart struct {
	Layer  int
	Offset int64 // in its parameters
}

// tied is a tie between two stages of one replica and tensor rank.
type tied struct{ tie, data, tensor int }

// checkTies reports ties that cannot be lowered.
func (c *Config) checkTies(l Layout) error {
	for _, t := range c.Ties {
		for _, p := range []TiedPart{t.Lower, t.Upper} {
			if p.Layer < 0 || p.Layer >= len(c.Layers) || p.Offset < 0 || p.Offset+t.Elems > c.Layers[p.Layer].Params {
				return fmt.Errorf("training: %d tied elements from %d of layer %d, which has not as many", t.Elems, p.Offset, p.Layer+1)
			}
		}
		var wrong Misfits
		say := func(key, format string, args ...any) {
			wrong = append(wrong, Misfit{key, fmt.Sprintf(format, args...)})
		}
		apart := l.PP > 1 && c.stageOf(l, t.Lower.Layer) != c.stageOf(l, t.Upper.Layer)
		switch {
		case l.Zero >= ZeroGradients:
			say("zero", "zero %d: layers %d and %d have one tensor, whose gradients go to different replicas before both are "+
				"there: want zero 0 or 1, or layers that are not tied", l.Zero, t.Lower.Layer+1, t.Upper.Layer+1)
		case l.Zero > ZeroNone && apart:
			say("zero", "zero %d: layers %d and %d, on different stages, have one tensor, whose copies different replicas would "+
				"own: want zero 0, or layers that are not tied", l.Zero, t.Lower.Layer+1, t.Upper.Layer+1)
		}
		if l.Update == UpdateEach && l.PP > 1 {
			say("update", "update each with pp %d: layers %d and %d, which have one tensor, would be updated at different times: "+
				"want update end", l.PP, t.Lower.Layer+1, t.Upper.Layer+1)
		}
		if err := wrong.err(); err != nil {
			return err
		}
	}
	return nil
}

// stageOf is which stage has a layer.
func (c *Config) stageOf(l Layout, layer int) int {
	for q := range l.Chunks() {
		if lo, hi := l.Run(len(c.Layers), q); lo <= layer && layer < hi {
			return q % l.PP
		}
	}
	panic("workload: a layer without a stage")
}

// tieStages joins the stages of one replica that have copies of one tensor.
func (b *lowering) tieStages() error {
	for i, t := range b.Ties {
		lower, upper := b.stageOf(b.l, t.Lower.Layer), b.stageOf(b.l, t.Upper.Layer)
		if lower == upper {
			continue
		}
		room := b.buffer(WorkspaceTerm, fmt.Sprintf("tied.%d", i+1), t.Elems, b.Precision.Gradients)
		replicas, parts := b.l.each()
		for d := range replicas {
			for part := range parts {
				where := b.l.suffix(Coord{Data: d, Tensor: part, Stage: -1}, true)
				place := func(stage int) Coord { return Coord{d, part, stage} }
				g, id := b.group("tied"+where, GroupKindTied, place(lower), place(upper))
				s, err := b.Schedules(g, coll.AllReduce)
				if err != nil {
					return err
				}
				b.tied[tied{i, d, part}] = b.collective(fmt.Sprintf("allreduce.tied.%d%s", i+1, where), id,
					Range{room, 0, t.Elems}, s)
			}
		}
	}
	return nil
}

// ties sums the gradients of what is tied, after those over the replicas.
func (b *builder) ties(m int) {
	for i, t := range b.Ties {
		lower, upper := b.stageOf(b.l, t.Lower.Layer), b.stageOf(b.l, t.Upper.Layer)
		of := func(p TiedPart) Range {
			return Range{b.st.Gradients, b.st.held(p.Layer).Offset + p.Offset, t.Elems}
		}
		name := fmt.Sprintf("tie.%d%s", i+1, b.ofUpdate(m))
		switch b.at.Stage {
		case lower, upper:
		default:
			continue
		}
		if lower == upper {
			b.compute(name, b.moveTime(4*t.Elems, b.Precision.Gradients), Body{Work: SumTied, X: of(t.Upper), Y: of(t.Lower)})
			continue
		}
		id := b.tied[tied{i, b.at.Data, b.at.Tensor}]
		mine, room := t.Lower, b.j.Collectives[id].Range
		if b.at.Stage == upper {
			mine = t.Upper
		}
		b.compute(name+".copy", b.copyTime(t.Elems, b.Precision.Gradients), Body{Work: Stash, X: of(mine), Y: room})
		b.communicate("", id, []Range{room}, []Range{room})
		b.compute(name, b.copyTime(t.Elems, b.Precision.Gradients), Body{Work: Stash, X: room, Y: of(mine)})
	}
}

// share makes the upper copies of what is tied the lower ones. With ZeroOptimiser each replica has summed the
// gradients of both before those of the replicas are summed, whose order depends on where an element
// lies: so the copies would part, and the lower one counts.
func (b *builder) share() {
	for i, t := range b.Ties {
		if b.stageOf(b.l, t.Lower.Layer) != b.at.Stage {
			continue
		}
		of := func(p TiedPart) Range {
			return Range{b.st.Parameters, b.st.held(p.Layer).Offset + p.Offset, t.Elems}
		}
		b.compute(fmt.Sprintf("share.%d", i+1), b.copyTime(t.Elems, b.Precision.Weights),
			Body{Work: Stash, X: of(t.Lower), Y: of(t.Upper)})
	}
}

// copyTime is how long a copy of so many elements takes: a read and a write.
func (b *builder) copyTime(elems int64, f Format) unit.Duration { return b.moveTime(2*elems, f) }

// moveTime is how long a kernel takes that moves so many elements and computes next to nothing.
func (b *builder) moveTime(elems int64, f Format) unit.Duration {
	return b.kernelOf(0, elems*f.Bytes(), 0)
}
