package workload

import (
	"fmt"
	"slices"

	"railyard/internal/job/coll"
)

// groups makes the groups and their collectives.
func (b *lowering) groups() error {
	replicas, parts := b.l.each()
	for s := range b.l.PP {
		for t := range parts {
			if err := b.replicas(Coord{Tensor: t, Stage: s}); err != nil {
				return err
			}
		}
	}
	for s := range b.l.PP {
		if err := b.spreadStage(s); err != nil {
			return err
		}
		for t := range parts {
			if b.l.Zero > ZeroNone {
				b.own(Coord{Tensor: t, Stage: s})
			}
			if err := b.statistics(Coord{Tensor: t, Stage: s}); err != nil {
				return err
			}
		}
	}
	for d := range replicas {
		for s := range b.l.PP {
			if err := b.parted(d, s); err != nil {
				return err
			}
		}
	}
	if err := b.tieStages(); err != nil {
		return err
	}
	if err := b.norms(); err != nil {
		return err
	}
	for run := 1; run < b.l.Chunks(); run++ {
		for d := range replicas {
			for t := range parts {
				for _, backward := range []bool{false, true} {
					if err := b.neighbours(link{d, t, run, backward}); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// group adds a group of the ranks at these places.
func (b *lowering) group(name, kind string, at ...Coord) (*Group, int32) {
	g, whole := Group{Name: name, Kind: kind}, b.l.Unfolded()
	for _, c := range at {
		rank := int32(b.l.Rank(c))
		if b.l.Folded {
			g.All = append(g.All, int32(whole.Rank(c)))
			if slices.Contains(g.Ranks, rank) {
				continue
			}
		}
		g.Ranks = append(g.Ranks, rank)
	}
	b.j.Groups = append(b.j.Groups, g)
	n := len(b.j.Groups) - 1
	return &b.j.Groups[n], int32(n)
}

// replicas joins the replicas of a stage and tensor rank, which sum their gradients bucket by bucket.
func (b *lowering) replicas(at Coord) error {
	if b.l.DP == 1 {
		return nil
	}
	name, of := "data-parallel", ""
	if b.l.PP > 1 || b.l.TP > 1 {
		name, of = "data-parallel"+b.l.suffix(at, false), b.l.suffix(at, false)
	}
	places := make([]Coord, b.l.DP)
	for d := range places {
		places[d] = at
		places[d].Data = d
	}
	g, id := b.group(name, GroupKindData, places...)
	b.data[at] = id
	st := &b.stages[at.Stage]
	if b.l.Zero > ZeroNone {
		return b.shards(st, g, id, of, false)
	}
	s, err := b.Schedules(g, coll.AllReduce)
	if err != nil {
		return err
	}
	for i := range st.Buckets {
		k := &st.Buckets[i]
		if k.Own {
			continue
		}
		for m := range b.updates() {
			b.sum(k, sum{id, k.Offset, m}, fmt.Sprintf("allreduce%s.bucket%d%s", of, i+1, b.ofUpdate(m)),
				b.onWire(at.Stage, Range{st.Gradients, k.Offset, k.Elems}), s)
		}
	}
	return nil
}

// sum adds the collective that sums a bucket.
func (b *lowering) sum(k *Bucket, at sum, name string, on Range, s coll.Schedule) {
	id := b.collective(name, at.group, on, s)
	b.sums[at] = id
	if k.Sum < 0 {
		k.Sum = id
	}
}

// collective adds one in place.
func (b *lowering) collective(name string, group int32, on Range, s coll.Schedule) int32 {
	b.j.Collectives = append(b.j.Collectives, Collective{Name: name, Group: group, Range: on,
		ElemBytes: b.j.Buffers[on.Buffer].ElemBytes, Schedule: s})
	return int32(len(b.j.Collectives) - 1)
}

// neighbours joins two virtual stages that follow each other, of one replica and tensor rank, in one direction.
func (b *lowering) neighbours(at link) error {
	from, to := (at.run-1)%b.l.PP, at.run%b.l.PP
	out, in := b.chunk(at.run-1), b.chunk(at.run)
	layer, n := in.first+1, len(out.x)-1
	what, source, target := "activations", out.x[n], in.x[0]
	if at.backward {
		from, to = to, from
		what, source, target = "deltas", in.d[0], out.d[n]
		layer--
	}
	place := func(stage int) Coord { return Coord{at.data, at.tensor, stage} }
	what = fmt.Sprintf("%s.%d", what, layer)
	where := b.l.suffix(Coord{Data: at.data, Tensor: at.tensor, Stage: -1}, true)
	g, id := b.group("pipeline "+what+where, GroupKindPipeline, place(from), place(to))
	b.links[at] = id
	s, err := b.Schedules(g, coll.SendReceive)
	if err != nil {
		return err
	}
	goal := coll.Goal{Collective: coll.SendReceive, From: func(member int32) int32 { return member - 1 }}
	for m := range b.l.MicroBatches {
		b.sends[send{at, m}] = int32(len(b.j.Collectives))
		c := Collective{Name: what + b.ofMicro(m) + where, Group: id, Range: target.at(m), Schedule: s,
			ElemBytes: b.j.Buffers[target.buffer].ElemBytes}
		b.j.Collectives = append(b.j.Collectives,
			c.OutOfPlace(source.at(m), goal, func(int, int) int { return int(source.elems) }))
	}
	return nil
}

// chunk is the virtual stage of a number.
func (b *lowering) chunk(run int) *chunk { return &b.stages[run%b.l.PP].chunks[run/b.l.PP] }

// suffix names a place by the axes that are more than one rank long, those of replicas on demand.
func (l *Layout) suffix(at Coord, replica bool) (s string) {
	if l.PP > 1 && at.Stage >= 0 {
		s += fmt.Sprintf(".stage%d", at.Stage+1)
	}
	if l.DP > 1 && replica {
		s += fmt.Sprintf(".replica%d", at.Data+1)
	}
	if l.TP > 1 {
		s += fmt.Sprintf(".part%d", at.Tensor+1)
	}
	return s
}

// ofMicro names a micro-batch where there are several.
func (b *lowering) ofMicro(m int) string {
	if b.l.MicroBatches == 1 {
		return ""
	}
	return fmt.Sprintf(".m%d", m+1)
}

// updates is how often a stage updates in a step.
func (b *lowering) updates() int {
	if b.l.Update == UpdateEach {
		return b.l.MicroBatches
	}
	return 1
}

func (b *lowering) ofUpdate(m int) string {
	if b.updates() == 1 {
		return ""
	}
	return b.ofMicro(m)
}
