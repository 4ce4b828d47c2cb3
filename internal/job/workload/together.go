package workload

import (
	"fmt"

	"railyard/internal/job/coll"
)

// meets has replicas share the layers that take means over the rows of all of them. Ranks that share layers otherwise have
// such a layer whole.
func (b *lowering) meets() error {
	var wrong Misfits
	for i := range b.Layers {
		split := b.Layers[i].Ways[Together]
		if split == nil {
			continue
		}
		if n := int64(b.l.DP) * int64(b.rows) * int64(b.Layers[i].Values); n < 2 {
			wrong = append(wrong, Misfit{"micro_batches", fmt.Sprintf("layer %d, %s, takes the variance of a micro-batch, which has one "+
				"value of each channel: want at least 2 rows on all replicas", i+1, b.Layers[i].Name)})
		}
		if b.l.DP > 1 {
			b.parts[i] = part{split.Of(b.l.DP), Together}
		}
	}
	return wrong.err()
}

// statistics joins the replicas of a stage and tensor rank that sum what a layer's rows have in common: of each such layer
// and micro-batch once forward and once back, or as often as layers inside it do. They have queue pairs of their own, so that
// they do not wait behind gradients.
func (b *lowering) statistics(at Coord) error {
	st := &b.stages[at.Stage]
	any := false
	for _, h := range st.Layers {
		any = any || h.Way == Together
	}
	if !any {
		return nil
	}
	places := make([]Coord, b.l.DP)
	for d := range places {
		places[d] = at
		places[d].Data = d
	}
	where := b.l.suffix(at, false)
	g, id := b.group("statistics"+where, GroupKindStatistics, places...)
	s, err := b.Schedules(g, coll.AllReduce)
	if err != nil {
		return err
	}
	for i := range st.Layers {
		h := &st.Layers[i]
		if h.Way != Together {
			continue
		}
		h.Sum = int32(len(b.j.Collectives))
		for m := range b.l.MicroBatches {
			key := exchange{tensor: at.Tensor, stage: at.Stage, layer: h.Layer, micro: m}
			b.summed(key, b.parts[h.Layer].Forward, id, s, where)
			if key.backward = true; h.Layer >= b.trained {
				b.summed(key, b.parts[h.Layer].Backward, id, s, where)
			}
		}
	}
	return nil
}

// summed adds the collectives of a layer's pass.
func (b *lowering) summed(at exchange, phases []Phase, group int32, s coll.Schedule, where string) {
	for at.phase = range phases {
		ph := &phases[at.phase]
		if ph.Then == Keep {
			continue
		}
		name := fmt.Sprintf("%s.%s.%d%s%s", exchangeNames[ph.Then], ph.What, at.layer+1, b.ofMicro(at.micro), where)
		id := b.collective(name, group, b.roomOf(WorkspaceTerm, ph.What, int64(ph.Fixed), Float32), s)
		for at.data = range b.l.DP {
			b.exchanges[at] = id
		}
	}
}
