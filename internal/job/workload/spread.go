package workload

import (
	"fmt"

	"railyard/internal/job/coll"
)

// spread has replicas share the layers with experts.
func (b *lowering) spread() error {
	var wrong Misfits
	any := false
	for i := range b.Layers {
		split := b.Layers[i].Ways[Spread]
		if split == nil {
			continue
		}
		any = true
		for _, w := range split.Widths {
			if w.Size%b.l.EP != 0 {
				wrong = append(wrong, Misfit{"ep", fmt.Sprintf("ep %d does not divide the %d %s of layer %d", b.l.EP, w.Size, w.What, i+1)})
			}
		}
		if len(wrong) == 0 {
			b.parts[i] = part{split.Of(b.l.EP), Spread}
		}
	}
	if !any {
		wrong = append(wrong, Misfit{"ep", fmt.Sprintf("ep %d: no layer has experts, want ep 1", b.l.EP)})
	}
	return wrong.err()
}

// spreadStage joins the replicas of a stage that have the same experts, and those between which experts are spread.
func (b *lowering) spreadStage(stage int) error {
	if b.l.EP == 1 {
		return nil
	}
	st := &b.stages[stage]
	has := false
	for _, k := range st.Buckets {
		has = has || k.Own
	}
	if !has {
		return nil
	}
	for t := range b.l.TP {
		for e := range b.l.EP {
			if err := b.owners(Coord{e, t, stage}); err != nil {
				return err
			}
		}
		for first := 0; first < b.l.DP; first += b.l.EP {
			if err := b.swap(Coord{first, t, stage}); err != nil {
				return err
			}
		}
	}
	return nil
}

// owners are the replicas that have the same experts as the first of them, and sum their gradients: as ZeRO has it.
func (b *lowering) owners(at Coord) error {
	if b.l.DP == b.l.EP {
		return nil
	}
	var places []Coord
	for d := at.Data; d < b.l.DP; d += b.l.EP {
		places = append(places, Coord{d, at.Tensor, at.Stage})
	}
	of, st := fmt.Sprintf("%s.experts%d", b.l.suffix(at, false), at.Data+1), &b.stages[at.Stage]
	g, id := b.group("data-parallel"+of, GroupKindData, places...)
	b.owned[at] = id
	if b.l.Zero > ZeroNone {
		return b.shards(st, g, id, of, true)
	}
	s, err := b.Schedules(g, coll.AllReduce)
	if err != nil {
		return err
	}
	for i := range st.Buckets {
		if k := &st.Buckets[i]; k.Own {
			b.sum(k, sum{id, k.Offset, 0}, fmt.Sprintf("allreduce%s.bucket%d", of, i+1),
				b.onWire(at.Stage, Range{st.Gradients, k.Offset, k.Elems}), s)
			b.lists(k, at, sum{id, k.Offset, 0})
		}
	}
	return nil
}

// lists notes how the experts of a bucket are summed: of the first part of layers, which stands for all.
func (b *lowering) lists(k *Bucket, at Coord, of sum) {
	if at.Tensor > 0 {
		return
	}
	k.Sums = append(k.Sums, b.sums[of])
	if id, gathered := b.gatherings[gathering{of.group, turn{bucket: of.offset}}]; gathered {
		k.Gathers = append(k.Gathers, id)
	}
}

// swap joins replicas that send each other positions: of each layer with experts and micro-batch counts and rows forward,
// rows back, and the same of gradients.
func (b *lowering) swap(at Coord) error {
	var places []Coord
	var order []int32
	for e := range b.l.EP {
		places, order = append(places, Coord{at.Data + e, at.Tensor, at.Stage}), append(order, int32(e))
	}
	where := b.l.suffix(at, false)
	if b.l.DP > b.l.EP {
		where += fmt.Sprintf(".group%d", at.Data/b.l.EP+1)
	}
	g, id := b.group("expert-parallel"+where, GroupKindExpert, places...)
	rows, err := b.Schedules(g, coll.AllToAll)
	if err != nil {
		return err
	}
	if goal, ok := coll.GoalOf(rows); !ok || goal.Collective != coll.AllToAll {
		return fmt.Errorf("group %q runs %s, want an all-to-all", g.Name, rows.Name())
	}
	ask, err := coll.DirectAllToAll([][]int32{order}, 1)
	if len(coll.Through(rows, 0)) > 0 { // who passes on what others send each other has to know of it
		ask, err = coll.DirectAllGather([][]int32{order}, 1)
	}
	if err != nil {
		return err
	}
	for v := range b.stages[at.Stage].chunks {
		c := &b.stages[at.Stage].chunks[v]
		for l := c.first; l <= c.last; l++ {
			for m := range b.l.MicroBatches {
				if b.parts[l].way == Spread {
					b.swapLayer(c, l, m, id, places, ask, rows, where)
				}
			}
		}
	}
	return nil
}

// swapLayer adds the collectives of a layer and a micro-batch.
func (b *lowering) swapLayer(c *chunk, l, m int, group int32, places []Coord, ask, rows coll.Schedule, where string) {
	p, at := &b.parts[l], fmt.Sprintf(".%d%s%s", l+1, b.ofMicro(m), where)
	sorts := int64(p.Sorts)
	counts := func(key string, elems int64) Range {
		r := b.roomOf(ExpertTerm, fmt.Sprintf("%s.%d", key, l+1), int64(c.flight)*elems, Float32)
		return Range{r.Buffer, int64(m%c.flight) * elems, elems}
	}
	tell := Collective{Name: "counts" + at, Group: group, Schedule: ask, ElemBytes: Float32.Bytes()}
	if isFor(ask, coll.AllGather) {
		tell.Range = counts("expert-counts", sorts*int64(b.l.EP))
	} else {
		sends, each := counts("expert-counts-sent", sorts), int(sorts)/b.l.EP
		tell.Range = counts("expert-counts", sorts)
		tell = tell.OutOfPlace(sends, coll.Goal{Collective: coll.AllToAll}, func(int, int) int { return each })
	}
	b.j.Collectives = append(b.j.Collectives, tell)
	exchange := int32(len(b.j.Collectives) - 1)
	f := b.Precision.Activations
	through := b.throughRank(p, rows)
	mine := b.roomOf(ExpertTerm, "expert-rows", int64(b.rows*p.Rooms[0])+through[1], f)
	theirs := b.roomOf(ExpertTerm, "expert-inbox", int64(b.rows*p.Rooms[1])+through[0], f)
	all := &[4]int32{}
	for i, name := range []string{"dispatch", "combine", "dispatch-deltas", "combine-deltas"} {
		in, out := mine, theirs
		if i%2 == 1 {
			in, out = out, in
		}
		in.Elems -= through[1-i%2] // what passes through is behind what came
		if i >= 2 && l < b.trained {
			continue
		}
		b.j.Collectives = append(b.j.Collectives, Collective{Name: name + at, Group: group, Range: out, Schedule: rows,
			ElemBytes: f.Bytes()}.AtRunTime(in, Counts{Exchange: exchange, Capacity: int64(b.rows * p.Block),
			Through: through[i%2], Back: i%2 == 1, Each: int64(p.Row), Declared: b.declared(l, i%2 == 1)}))
		all[i] = int32(len(b.j.Collectives) - 1)
	}
	b.asks[all[0]] = exchange
	for _, place := range places {
		b.swaps[exchange0(place, l, m)] = all
	}
}

// throughRank is the most that passes through a rank when rows go to experts, and when they come back: a block of each two that
// send each other something through it, but of one rank no more than all rows that it has.
func (b *lowering) throughRank(p *part, rows coll.Schedule) (most [2]int64) {
	pairs := coll.Through(rows, 0)
	for back := range most {
		owners := map[int32]bool{} // of the rows
		for _, of := range pairs {
			owners[of[back]] = true
		}
		most[back] = int64(b.rows) * min(int64(len(pairs))*int64(p.Block), int64(len(owners))*int64(p.Rooms[0]))
	}
	return most
}

// exchange0 is the place of a layer's exchanges.
func exchange0(at Coord, l, m int) exchange {
	return exchange{data: at.Data, stage: at.Stage, tensor: at.Tensor, layer: l, micro: m}
}

// swapped is what a phase of a layer whose experts are spread gives: the collective and the range that it takes.
func (b *lowering) swapped(at exchange, ph *Phase) Handed {
	if ph.Then != Dispatch && ph.Then != Combine {
		return Handed{}
	}
	of := at
	of.backward, of.phase = false, 0
	n := 0
	if at.backward {
		n = 2
	}
	if ph.Then == Combine {
		n++
	}
	id := b.swaps[of][n]
	return Handed{By: ph.Then, Coll: id, On: b.j.Collectives[id].Input}
}

// swapRows sends what a phase gave, after the counts if nobody knows those yet, and returns what has come.
func (b *builder) swapRows(give Handed) Handed {
	c := &b.j.Collectives[give.Coll]
	e := &b.j.Collectives[c.Counts.Exchange]
	if id, first := b.asks[give.Coll]; first {
		b.communicate("", id, e.touched()[:1], []Range{e.Range})
	}
	b.communicate("", give.Coll, append([]Range{c.Input}, e.touched()...), []Range{c.Range})
	give.On = c.Range
	give.On.Elems -= c.through
	return give
}

// decides names the collectives whose sizes the route of a layer decides.
func (b *builder) decides(op int32, at exchange) {
	for _, id := range b.swaps[exchange0(b.at, at.layer, at.micro)] {
		if id > 0 {
			b.p.Ops[op].Decides = append(b.p.Ops[op].Decides, id)
		}
	}
}

// summing is the group over which the gradients of a bucket are summed, if there is one.
func (b *builder) summing(k *bucket) (group int32, ok bool) {
	at := Coord{Tensor: b.at.Tensor, Stage: b.at.Stage}
	if k.own {
		at.Data = b.at.Data % b.l.EP
		group, ok = b.owned[at]
		return group, ok
	}
	group, ok = b.data[at]
	return group, ok
}
