package workload

import (
	"fmt"
	"slices"

	"railyard/internal/job/coll"
)

// turn is a micro-batch's way through the layers of a bucket.
type turn struct {
	bucket   int64 // its offset in the stage's vectors
	micro    int
	backward bool
}

// way names it for those who have their micro-batch and bucket.
func (t turn) way() string {
	if t.backward {
		return "backward"
	}
	return "forward"
}

// gathering is the all-gather of a bucket's parameters over a data-parallel group: for a turn, or
// after the updates (ZeroOptimiser, ZeroGradients; the turn of the first micro-batch stands for all).
type gathering struct {
	group int32
	turn
}

// bucket is the one that a layer of the run is in.
func (c *chunk) bucket(layer int) *bucket {
	i := slices.IndexFunc(c.buckets, func(k bucket) bool { return k.first <= layer && layer <= k.last })
	return &c.buckets[i]
}

// roomForBuckets lists a stage's turns and gives it room for the whole buckets of ZeRO.
func (b *lowering) roomForBuckets(st *stage, of string) {
	if b.l.Zero < ZeroGradients {
		return
	}
	backwards := 0
	for _, pass := range st.timetable {
		passed := slices.Clone(st.chunks[pass.Chunk].buckets)
		if !pass.Backward {
			slices.Reverse(passed) // buckets go from the last layer to the first
		} else {
			backwards += len(passed)
		}
		for _, k := range passed {
			st.turns = append(st.turns, turn{k.offset, pass.Micro, pass.Backward})
		}
	}
	largest := int64(0)
	for _, k := range st.Buckets {
		largest = max(largest, k.Elems)
	}
	room := func(name string, turns int, f Format) area {
		a := area{elems: largest, slots: min(ZeroBuckets, turns)}
		a.buffer = b.buffer(BucketTerm, name+of, a.elems*int64(a.slots), f)
		return a
	}
	st.made = room("gradients.buckets", backwards, b.Precision.Gradients)
	if b.l.Zero >= ZeroParameters {
		st.assembled = room("parameters.buckets", len(st.turns), b.Precision.Weights)
	}
}

// shards adds the collectives of ZeRO among the replicas of a stage and tensor rank: of what all have, or of the experts that
// some do.
func (b *lowering) shards(st *stage, g *Group, id int32, of string, own bool) error {
	scatter, err := b.Schedules(g, coll.ReduceScatter)
	if err != nil {
		return err
	}
	gather, err := b.Schedules(g, coll.AllGather)
	if err != nil {
		return err
	}
	if err := sameOwners(scatter, gather); err != nil {
		return fmt.Errorf("group %q: %w", g.Name, err)
	}
	if b.l.Zero >= ZeroGradients {
		b.bucketsInTurn(st, g, id, of, scatter, gather)
	}
	for i := range st.Buckets {
		k := &st.Buckets[i]
		if k.Own != own {
			continue
		}
		if b.l.Zero == ZeroOptimiser {
			b.sum(k, sum{id, k.Offset, 0}, fmt.Sprintf("reducescatter%s.bucket%d", of, i+1),
				b.onWire(b.l.Coord(int(g.Ranks[0])).Stage, Range{st.Gradients, k.Offset, k.Elems}), scatter)
		}
		if b.l.Zero < ZeroParameters {
			b.gathering(k, gathering{id, turn{bucket: k.Offset}}, fmt.Sprintf("allgather%s.bucket%d", of, i+1),
				Range{st.Parameters, k.Offset, k.Elems}, gather)
		}
		if own {
			b.lists(k, b.l.Coord(int(g.Ranks[0])), sum{id, k.Offset, 0})
		}
	}
	return nil
}

// bucketsInTurn adds the collectives of each turn, which use the room for whole buckets in turn.
func (b *lowering) bucketsInTurn(st *stage, g *Group, id int32, of string, scatter, gather coll.Schedule) {
	backwards := 0
	for i, t := range st.turns {
		n := st.bucket(t.bucket)
		k := &st.Buckets[n]
		in := func(a area, turn int) Range { return Range{a.buffer, a.at(turn).Offset, k.Elems} }
		if b.l.Zero >= ZeroParameters {
			b.gathering(k, gathering{id, t}, fmt.Sprintf("allgather.%s%s.bucket%d%s", t.way(), of, n+1, b.ofMicro(t.micro)),
				in(st.assembled, i), gather)
		}
		if t.backward {
			b.sum(k, sum{id, k.Offset, t.micro}, fmt.Sprintf("reducescatter%s.bucket%d%s", of, n+1, b.ofMicro(t.micro)),
				b.onWire(b.l.Coord(int(g.Ranks[0])).Stage, in(st.made, backwards)), scatter)
			backwards++
		}
	}
}

// gathering adds the collective that gathers a bucket's parameters.
func (b *lowering) gathering(k *Bucket, at gathering, name string, on Range, s coll.Schedule) {
	id := b.collective(name, at.group, on, s)
	b.gatherings[at] = id
	if k.Gather < 0 {
		k.Gather = id
	}
}

// sameOwners reports a reduce-scatter after which not those ranks have the chunks who have them before
// an all-gather, or whose chunks are others.
func sameOwners(scatter, gather coll.Schedule) error {
	has, had := owned(scatter, coll.ReduceScatter), owned(gather, coll.AllGather)
	if has == nil || had == nil {
		return fmt.Errorf("%s and %s are no reduce-scatter and all-gather whose owners are known", scatter.Name(),
			gather.Name())
	}
	if scatter.Channels() != gather.Channels() || scatter.Chunks() != gather.Chunks() ||
		coll.Slices(scatter) != coll.Slices(gather) {
		return fmt.Errorf("%s has %d channels of %d chunks of %d slices, %s %d of %d of %d: want the same", scatter.Name(),
			scatter.Channels(), scatter.Chunks(), coll.Slices(scatter), gather.Name(), gather.Channels(), gather.Chunks(),
			coll.Slices(gather))
	}
	for ch := range gather.Channels() {
		for k := range gather.Chunks() {
			if has(ch, k) != had(ch, k) {
				return fmt.Errorf("%s leaves chunk %d of channel %d to rank %d, %s takes it from rank %d: want one owner",
					scatter.Name(), k, ch, has(ch, k), gather.Name(), had(ch, k))
			}
		}
	}
	return nil
}

// own notes what each rank of a data-parallel group owns, bucket after bucket in ascending order, and
// makes room for the largest shard.
func (b *lowering) own(at Coord) {
	t, st, id := b.j.Training, &b.stages[at.Stage], b.data[at]
	g := &b.j.Groups[id]
	if t.Shards == nil {
		t.Shards = make([][]Span, b.l.World())
	}
	ascending := slices.Clone(st.Buckets)
	slices.SortFunc(ascending, func(a, b Bucket) int { return int(a.Offset - b.Offset) })
	for i := range ascending {
		if k := &ascending[i]; k.Own {
			b.ownExperts(at, k)
		} else {
			b.share(g, k, b.sums[sum{id, k.Offset, 0}])
		}
	}
	for _, rank := range g.Ranks {
		sum := int64(0)
		for _, s := range t.Shards[rank] {
			sum += s.Elems
		}
		sharded := func(buffer int32, from Zero) {
			if b.l.Zero >= from {
				b.j.Buffers[buffer].Elems = max(b.j.Buffers[buffer].Elems, sum)
			}
		}
		sharded(st.Gradients, ZeroGradients)
		sharded(st.Parameters, ZeroParameters)
		for _, buffer := range st.State {
			sharded(buffer, ZeroOptimiser)
		}
		if st.Masters != st.Parameters {
			sharded(st.Masters, ZeroOptimiser)
		}
	}
}

// ownExperts notes what each rank owns of a bucket of experts: what no other has, all of it.
func (b *lowering) ownExperts(at Coord, k *Bucket) {
	for at.Data = range b.l.EP {
		if id, several := b.owned[at]; several {
			b.share(&b.j.Groups[id], k, b.sums[sum{id, k.Offset, 0}])
			continue
		}
		all := &b.j.Training.Shards[b.l.Rank(at)]
		*all = append(*all, k.Span)
	}
}

// share gives the members of a data-parallel group what each owns of a bucket: chunks in a row are
// one span.
func (b *lowering) share(g *Group, k *Bucket, scatter int32) {
	c := &b.j.Collectives[scatter]
	owner := owned(c.Schedule, coll.ReduceScatter)
	for ch := range c.Schedule.Channels() {
		for n := range c.Schedule.Chunks() {
			lo, hi := coll.ChunkRange(c.Schedule, int(c.Range.Elems), ch, n)
			if int(owner(ch, n)) >= len(g.Ranks) {
				continue // one that others stand for
			}
			all := &b.j.Training.Shards[g.Ranks[owner(ch, n)]]
			s, last := Span{k.Offset + int64(lo), int64(hi - lo)}, len(*all)-1
			switch {
			case lo == hi:
			case last >= 0 && lo > 0 && (*all)[last].Offset+(*all)[last].Elems == s.Offset:
				(*all)[last].Elems += s.Elems
			default:
				*all = append(*all, s)
			}
		}
	}
}

// shardState is where a program of ZeRO is.
type shardState struct {
	params      Range // of the turn's bucket, whole
	grads       Range // that are made
	turn, ahead int   // of the stage's turns: how many have begun, how many are gathered
	travelling  []sum // not yet accumulated, oldest first
}

// group is the data-parallel group of the rank.
func (b *builder) group() int32 { return b.data[Coord{Tensor: b.at.Tensor, Stage: b.at.Stage}] }

// begin begins a turn: its bucket's parameters are gathered, and those of the next turns while it
// computes. What a gathering overwrites, a turn that has ended dropped.
//
//	compute   place.1 place.2  forward.1        place.3  forward.2       place.4 ..
//	group          allgather.1 | allgather.2               allgather.3 ..
func (b *builder) begin() {
	if b.l.Zero < ZeroParameters {
		return
	}
	turns := b.st.turns
	for ; b.zero.ahead < min(len(turns), b.zero.turn+b.st.assembled.slots); b.zero.ahead++ {
		t := turns[b.zero.ahead]
		id := b.gatherings[gathering{b.group(), t}]
		c := &b.j.Collectives[id]
		n := b.st.bucket(t.bucket)
		own := b.ownRange(b.st.Parameters, t.bucket)
		b.compute(fmt.Sprintf("place.%s.%d%s", t.way(), n+1, b.ofMicro(t.micro)), b.copyTime(own.Elems, b.Precision.Weights),
			Body{Work: Place, Micro: t.micro, Bucket: n, X: own, Y: c.Range})
		b.communicate("", id, []Range{c.Range}, []Range{c.Range})
	}
	b.zero.params = b.j.Collectives[b.gatherings[gathering{b.group(), turns[b.zero.turn]}]].Range
	b.zero.turn++
}

// room finds room for a bucket's gradients of a micro-batch: what was there before is accumulated.
func (b *builder) room(k *bucket, m int) {
	if b.l.Zero < ZeroGradients {
		return
	}
	b.zero.grads = b.madeFor(sum{b.group(), k.offset, m})
	for len(b.zero.travelling) > 0 && b.madeFor(b.zero.travelling[0]).overlaps(b.zero.grads) {
		b.accumulate()
	}
}

// madeFor is where the gradients of a turn are made, before they are packed and after they are unpacked.
func (b *builder) madeFor(at sum) Range {
	r := b.j.Collectives[b.sums[at]].Range
	r.Buffer = b.st.made.buffer
	return r
}

// scatter sums a bucket's gradients of a micro-batch over the replicas, each of whom gets its shard.
func (b *builder) scatter(k *bucket, m int) {
	if b.l.Zero < ZeroGradients {
		return
	}
	at := sum{b.group(), k.offset, m}
	on := []Range{b.pack(k.offset, m, b.ofMicro(m), b.zero.grads)}
	b.communicate("", b.sums[at], on, on)
	b.zero.travelling = append(b.zero.travelling, at)
}

// accumulate adds the oldest sums that travel to those of the micro-batches before, or begins with
// them. It comes as late as can be, for the compute stream waits for them there.
func (b *builder) accumulate() {
	at := b.zero.travelling[0]
	b.zero.travelling = b.zero.travelling[1:]
	made, own, words := b.madeFor(at), b.ownRange(b.st.Gradients, at.offset), int64(2)
	if at.micro > 0 {
		words = 3
	}
	n := b.st.bucket(at.offset)
	b.unpack(at.offset, at.micro, b.ofMicro(at.micro), made, -1)
	b.compute(fmt.Sprintf("accumulate.%d%s", n+1, b.ofMicro(at.micro)),
		b.moveTime(words*own.Elems, b.Precision.Gradients), Body{Work: Accumulate, Micro: at.micro, Adds: at.micro > 0,
			Bucket: n, X: made, Grads: own, Drop: made})
}

// updateShards moves what the rank owns of the parameters, and gathers them where they are held whole.
func (b *builder) updateShards(all []bucket) {
	if b.l.Zero == ZeroOptimiser {
		b.ties(0)
		for _, k := range all {
			if group, several := b.summing(&k); several {
				on := []Range{b.pack(k.offset, 0, "", Range{b.st.Gradients, k.offset, k.elems})}
				b.communicate("", b.sums[sum{group, k.offset, 0}], on, on)
			}
		}
		for _, k := range all {
			if _, several := b.summing(&k); several { // experts that one replica alone has are not packed
				b.unpack(k.offset, 0, "", Range{b.st.Gradients, k.offset, k.elems}, -1)
			}
		}
	}
	for b.Clip > 0 && len(b.zero.travelling) > 0 {
		b.accumulate()
	}
	norm := b.norm(0)
	for _, k := range all {
		for slices.ContainsFunc(b.zero.travelling, func(at sum) bool { return at.offset == k.offset }) {
			b.accumulate()
		}
		b.updateShard(&k, norm)
		if group, several := b.summing(&k); several && b.l.Zero < ZeroParameters {
			on := []Range{{b.st.Parameters, k.offset, k.elems}}
			b.communicate("", b.gatherings[gathering{group, turn{bucket: k.offset}}], on, on)
		}
	}
	if b.l.Zero == ZeroOptimiser {
		b.share()
	}
}

// updateShard moves what the rank owns of a bucket's parameters, by gradients of which norm says how long
// they are.
func (b *builder) updateShard(k *bucket, norm Range) {
	own := func(buffer int32) Range { return b.ownRange(buffer, k.offset) }
	all := func(buffer int32) Range { return Range{buffer, k.offset, k.elems} }
	body := Body{Work: Update, Bucket: b.st.bucket(k.offset), Grads: all(b.st.Gradients), X: norm}
	reads, writes := b.ownRanges(b.st.Gradients, k), b.ownRanges(b.st.Parameters, k)
	weights := all(b.st.Parameters)
	if b.l.Zero >= ZeroGradients {
		body.Grads = own(b.st.Gradients)
		reads = present(body.Grads)
	}
	if b.l.Zero >= ZeroParameters {
		weights = own(b.st.Parameters)
		writes = present(weights)
	}
	if body.Params = weights; b.st.Masters != b.st.Parameters {
		body.Params, body.Y = own(b.st.Masters), weights
		writes = append(writes, present(body.Params)...)
	}
	reads = append(reads, present(norm)...)
	for i, buffer := range b.st.State {
		body.State[i] = own(buffer)
		writes = append(writes, present(body.State[i])...)
	}
	d := b.updateTime(own(b.st.Parameters).Elems)
	b.add(Op{Name: fmt.Sprintf("update.%d", body.Bucket+1), Stream: ComputeStream, Duration: d, Body: b.body(body),
		Coll: -1, Reads: reads, Writes: writes})
}

// ownRanges is what the rank owns of a bucket in a vector that is whole.
func (b *builder) ownRanges(buffer int32, k *bucket) (all []Range) {
	b.j.Training.Owned(int32(b.l.Rank(b.at)), b.st.bucket(k.offset), func(lo, hi int64) {
		all = append(all, Range{buffer, k.offset + lo, hi - lo})
	})
	return all
}

// ownRange is where what the rank owns of a bucket lies in its shard of a vector.
func (b *builder) ownRange(buffer int32, bucket int64) Range {
	r := Range{Buffer: buffer}
	k := &b.st.Buckets[b.st.bucket(bucket)]
	for _, s := range b.j.Training.Shards[b.l.Rank(b.at)] {
		switch {
		case s.Offset < k.Offset:
			r.Offset += s.Elems
		case s.Offset < k.Offset+k.Elems:
			r.Elems += s.Elems
		}
	}
	return r
}

// grads is where a layer's gradients are made.
func (b *builder) grads(k *bucket, layer int) Range {
	of := b.st.of(b.st.Gradients, layer)
	if b.l.Zero >= ZeroGradients {
		return within(b.zero.grads, k, of)
	}
	return of
}

// within is a part of a stage's vector as a whole bucket has it.
func within(whole Range, k *bucket, of Range) Range {
	return Range{whole.Buffer, whole.Offset + of.Offset - k.offset, of.Elems}
}
