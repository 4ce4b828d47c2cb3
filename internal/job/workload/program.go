package workload

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
)

// builder appends a rank's operations in issue order.
type builder struct {
	*lowering
	p       *Program
	at      Coord
	st      *stage
	kernels int           // since the last operation was added
	effort  Effort        // of those kernels
	memory  unit.Duration // that they wait for it
	// Of a phase whose positions are counted in each step: how many of a row are an even share, and its kernels.
	positions int
	counted   []CountedKernel
	last      []int32   // by stream: operation, -1 none
	uses      [][]use   // by buffer
	held      []int32   // collectives that the next compute operation waits for: Layout.Blocks
	clocks    [][]int32 // by operation, then stream: the last operation that ends before it, -1 none
	zero      shardState
}

// use is an operation's use of a range.
type use struct {
	Range
	op     int32
	writes bool
	stream int32
}

// program appends the program of a rank, or of all that are alike, and returns its index.
func (b *lowering) program(rank int, d Device) int32 {
	at := b.l.Coord(rank)
	p := &builder{lowering: b, p: &Program{Streams: b.streams(rank), Device: d}, at: at,
		st: &b.stages[at.Stage], uses: make([][]use, len(b.j.Buffers))}
	p.last = slices.Repeat([]int32{-1}, len(p.p.Streams))
	done := make([]int32, len(b.Layers)) // by layer: its last backward
	for _, pass := range p.st.timetable {
		c := &p.st.chunks[pass.Chunk]
		if !pass.Backward {
			p.forward(c, pass.Micro)
			continue
		}
		p.backward(c, pass.Micro, done)
		if b.l.Update == UpdateEach {
			p.update(c.buckets, pass.Micro, done)
		}
	}
	if b.l.Update == UpdateEnd {
		var all []bucket
		for v := len(p.st.chunks) - 1; v >= 0; v-- {
			all = append(all, p.st.chunks[v].buckets...)
		}
		p.update(all, 0, done)
	}
	p.p.order = NewOrder(p.p.Ops, len(p.p.Streams))
	b.j.Programs = append(b.j.Programs, *p.p)
	return int32(len(b.j.Programs) - 1)
}

// forward takes a micro-batch through a virtual stage.
func (b *builder) forward(c *chunk, m int) {
	if c.run > 0 {
		b.receive(send{link{b.at.Data, b.at.Tensor, c.run, false}, m})
	}
	if b.l.Stash {
		b.stash(c, m)
	}
	for l := c.first; l <= c.last; l++ {
		b.layer(c, l, m)
	}
	if c.last < len(b.Layers)-1 {
		b.send(send{link{b.at.Data, b.at.Tensor, c.run + 1, false}, m})
		return
	}
	b.loss(c, m)
}

// layer makes a layer's outputs of a micro-batch, with the other ranks that have parts of it.
func (b *builder) layer(c *chunk, l, m int) {
	k := c.bucket(l)
	if l == k.first {
		b.begin()
	}
	phases, last := b.parts[l].Forward, 0 // that takes the parameters
	for i := range phases {
		if phases[i].Params {
			last = i
		}
	}
	y, at := c.x[l-c.first+1].at(m), exchange{data: b.at.Data, stage: b.at.Stage, layer: l, micro: m}
	var got Handed
	for i := range phases {
		ph := &phases[i]
		at.phase = i
		body := Body{Work: Forward, Layer: l, Phase: i, Micro: m, Slot: m % c.flight, Got: got}
		give := b.handed(at, ph)
		body.Give = give.unless(ph.InPlace)
		if ph.Inputs {
			body.X = c.x[l-c.first].at(m)
		}
		if ph.Params {
			body.Params = b.params(c, l, m)
		}
		if ph.Then == Keep || ph.InPlace {
			body.Y = y
		}
		if i == last && l == k.last {
			body.Drop = b.zero.params
		}
		if b.parts[l].way == Spread {
			counts := b.j.Collectives[b.j.Collectives[b.swaps[exchange0(b.at, l, m)][0]].Counts.Exchange]
			switch body.Table = counts.layout == nil; {
			case ph.Then == Dispatch:
				body.Sends = counts.touched()[0]
			case ph.Then == Combine:
				body.Gets = counts.Range
			}
		}
		b.positions = ph.Positions
		done := b.compute(fmt.Sprintf("%s.%d%s", ph.Name, l+1, b.ofMicro(m)), b.all(ph.Kernels), body)
		b.counts(done, at)
		if ph.Then == Dispatch {
			b.decides(done, at)
		}
		got = b.exchange(give)
	}
}

// handed is what a phase gives to the others, if it does.
func (b *builder) handed(at exchange, ph *Phase) Handed {
	if way := b.parts[at.layer].way; way == Together || way == Spread {
		at.tensor = b.at.Tensor
	}
	id, shared := b.exchanges[at]
	if !shared {
		return b.swapped(at, ph)
	}
	h := Handed{By: ph.Then, Coll: id, On: b.j.Collectives[id].Range}
	if ph.Then != Sum {
		h.Part = int64(b.rows * ph.Elems / b.l.TP)
	}
	return h
}

// unless is what a body is told of what it gives: nothing where that is its output.
func (h Handed) unless(inPlace bool) Handed {
	if inPlace {
		return Handed{}
	}
	return h
}

// exchange runs the collective that a phase gives to, and returns what it gives the next.
func (b *builder) exchange(give Handed) Handed {
	if give.By == Dispatch || give.By == Combine {
		return b.swapRows(give)
	}
	if give.By != Keep {
		on := []Range{give.On}
		b.communicate("", give.Coll, on, on)
	}
	return give
}

// loss makes the gradient of the outputs of a micro-batch. Of outputs that are whole it is one
// elementwise pass, and the way back through what follows the last layer.
func (b *builder) loss(c *chunk, m int) {
	n := len(c.x) - 1
	last := &b.parts[c.last]
	phases := b.lossPart
	if phases == nil {
		phases = []Phase{{Name: Loss, Kernels: []Kernel{{Words: 2 * int64(last.Out)}}}}
	}
	at := exchange{data: b.at.Data, stage: b.at.Stage, layer: c.last, micro: m}
	var got Handed
	for i := range phases {
		at.phase = len(last.Forward) + i
		takes := b.all(phases[i].Kernels)
		body := Body{Work: Loss, Layer: c.last, Phase: i, Micro: m, Y: c.x[n].at(m), D: c.d[n].at(m), Got: got,
			Give: b.handed(at, &phases[i])}
		if i == len(phases)-1 {
			takes += b.all(last.Through)
		}
		b.compute(phases[i].Name+b.ofMicro(m), takes, body)
		got = b.exchange(body.Give)
	}
}

// backward takes a micro-batch back through a virtual stage.
func (b *builder) backward(c *chunk, m int, done []int32) {
	if c.last < len(b.Layers)-1 {
		b.receive(send{link{b.at.Data, b.at.Tensor, c.run + 1, true}, m})
	}
	for l := c.last; l >= c.first; l-- {
		k := c.bucket(l)
		if l == k.last {
			b.begin()
			b.room(k, m)
		}
		if l < b.trained { // there is nothing to learn
			done[l] = done[l+1]
		} else {
			done[l] = b.layerBack(c, l, m)
		}
		if l == k.first {
			b.scatter(k, m)
		}
	}
	if c.run > 0 {
		b.send(send{link{b.at.Data, b.at.Tensor, c.run, true}, m})
	}
}

// layerBack makes a layer's gradients of a micro-batch, with the other ranks that have parts of it, and
// returns the operation after which they are there.
func (b *builder) layerBack(c *chunk, l, m int) (done int32) {
	p, k, i := &b.parts[l], c.bucket(l), l-c.first
	adds := m > 0 && b.l.Update == UpdateEnd && b.l.Zero < ZeroGradients
	at := exchange{data: b.at.Data, stage: b.at.Stage, layer: l, backward: true, micro: m}
	body := Body{Work: Backward, Layer: l, Micro: m, Slot: m % c.flight, Adds: adds, Params: b.params(c, l, m),
		Grads: b.grads(k, l), X: c.x[i].at(m), D: c.d[i+1].at(m)}
	fresh := adds // what the first kernel adds to is read
	for n := range p.Backward {
		ph := &p.Backward[n]
		at.phase = n
		give := b.handed(at, ph)
		body.Phase, body.Give = n, give.unless(ph.InPlace)
		b.positions = ph.Positions
		d := b.gradient(ph.Gradient, p.Params, fresh, adds)
		fresh = fresh && len(ph.Gradient) == 0
		if l > b.trained {
			d += b.all(ph.Kernels)
		}
		if n == len(p.Backward)-1 {
			if l > b.trained {
				d += b.all(b.parts[l-1].Through)
			}
			body.DX = c.d[i].at(m)
			if l == max(k.first, b.trained) {
				body.Drop = b.zero.params
			}
		}
		done = b.compute(fmt.Sprintf("%s.%d%s", ph.Name, l+1, b.ofMicro(m)), d, body)
		b.counts(done, at)
		body.Got = b.exchange(give)
	}
	at.phase = len(p.Backward)
	if id, shared := b.exchanges[at]; shared {
		return b.partial(id, l, m, Range{body.Grads.Buffer, body.Grads.Offset + p.Partial.Offset, p.Partial.Elems})
	}
	return done
}

// partial sums gradients of parameters that ranks have alike, each of its own positions: where they lie, or
// in the format of what those ranks send.
func (b *builder) partial(id int32, l, m int, grads Range) int32 {
	at, on := fmt.Sprintf("partial.%d%s", l+1, b.ofMicro(m)), b.j.Collectives[id].Range
	if on != grads {
		b.compute("pack."+at, b.packTime(grads.Elems, b.Precision.Activations), Body{Work: Pack, Micro: m, X: grads, Y: on})
	}
	done := b.communicate("", id, []Range{on}, []Range{on})
	if on != grads {
		done = b.compute("unpack."+at, b.packTime(grads.Elems, b.Precision.Activations),
			Body{Work: Unpack, Micro: m, X: on, Y: grads})
	}
	return done
}

// gradient is how long a layer's gradient takes; what it is added to is read too, with the first of its kernels.
func (b *builder) gradient(kernels []Kernel, params int64, first, adds bool) (d unit.Duration) {
	for i, k := range kernels {
		if first && i == 0 {
			k.Fixed += params
		}
		d += b.kernel(k, b.Precision.Gradients, adds)
	}
	return d
}

// params is a layer's parameters as a micro-batch uses them.
func (b *builder) params(c *chunk, layer, m int) Range {
	of := b.st.of(b.st.Parameters, layer)
	if b.l.Zero >= ZeroParameters {
		return within(b.zero.params, c.bucket(layer), of)
	}
	if b.l.Stash {
		first, _ := b.st.span(c.first, c.last)
		kept := c.stash.at(m)
		of.Buffer, of.Offset = kept.Buffer, kept.Offset+of.Offset-first
	}
	return of
}

// stash copies the parameters of a virtual stage for a micro-batch: a read and a write.
func (b *builder) stash(c *chunk, m int) {
	lo, hi := b.st.span(c.first, c.last)
	b.compute("stash"+b.ofMicro(m), b.copyTime(hi-lo, b.Precision.Weights),
		Body{Work: Stash, X: Range{b.st.Parameters, lo, hi - lo}, Y: c.stash.at(m)})
}

// update sums buckets over the replicas and moves the parameters by them. Without replicas there is
// nothing to sum.
func (b *builder) update(all []bucket, m int, done []int32) {
	if b.l.Zero > ZeroNone {
		b.updateShards(all)
		return
	}
	ready, summed := make([]int32, len(all)), make([]bool, len(all))
	for i, k := range all {
		ready[i] = done[k.first]
		group, ok := b.summing(&k)
		if summed[i] = ok; ok {
			on := b.pack(k.offset, m, b.ofUpdate(m), Range{b.st.Gradients, k.offset, k.elems})
			ready[i] = b.communicate("", b.sums[sum{group, k.offset, m}], []Range{on}, []Range{on})
		}
	}
	for i, k := range all {
		if summed[i] { // experts that one replica alone has are not
			ready[i] = b.unpack(k.offset, m, b.ofUpdate(m), Range{b.st.Gradients, k.offset, k.elems}, ready[i])
		}
	}
	b.ties(m)
	norm := b.norm(m)
	for i, k := range all {
		of := func(buffer int32) Range { return Range{buffer, k.offset, k.elems} }
		body := Body{Work: Update, Micro: m, Params: of(b.st.Masters), Grads: of(b.st.Gradients), X: norm}
		if b.st.Masters != b.st.Parameters {
			body.Y = of(b.st.Parameters)
		}
		for i, buffer := range b.st.State {
			body.State[i] = of(buffer)
		}
		b.add(Op{Name: fmt.Sprintf("update.%d%s", b.st.bucket(k.offset)+1, b.ofUpdate(m)), Stream: ComputeStream,
			Duration: b.updateTime(k.elems), Deps: []int32{ready[i]}, Body: b.body(body), Coll: -1,
			Reads: body.reads(), Writes: body.writes()})
	}
}

// updateTime is how long an update of so many elements takes: gradients are read, weights and the optimiser's
// state read and written; where the weights that move are masters, those that follow are written.
func (b *builder) updateTime(elems int64) unit.Duration {
	p := &b.Precision
	moved := p.Gradients.Bytes() + 2*int64(1+len(b.State))*p.State.Bytes()
	if p.Masters() {
		moved += p.Weights.Bytes()
	}
	return b.kernelOf(0, elems*moved, 0)
}

// receive and send are the two ends of what a neighbour sends.
func (b *builder) receive(s send) {
	id := b.sends[s]
	b.communicate("receive.", id, nil, []Range{b.j.Collectives[id].Range})
}

func (b *builder) send(s send) {
	id := b.sends[s]
	b.communicate("send.", id, []Range{b.j.Collectives[id].Input}, nil)
}

// communicate appends this rank's part in a collective.
func (b *builder) communicate(part string, id int32, reads, writes []Range) int32 {
	c := &b.j.Collectives[id]
	b.kernels++ // the collective's own
	at := slices.IndexFunc(b.p.Streams, func(s Stream) bool { return s.Group == c.Group })
	op := Op{Name: part + c.Name, Kind: Communication, Stream: int32(at), Duration: b.p.Device.LaunchTime(), Body: -1, Coll: id,
		Reads: reads, Writes: writes}
	if !b.blocks(c.Group) {
		return b.add(op)
	}
	if last := b.last[ComputeStream]; last >= 0 {
		op.Deps = []int32{last}
	}
	done := b.add(op)
	b.held = append(b.held, done)
	return done
}

// blocks reports whether computing waits for the collectives of a group.
func (b *builder) blocks(group int32) bool {
	switch b.j.Groups[group].Kind {
	case GroupKindData:
		return b.l.Blocks.Data
	case GroupKindPipeline:
		return b.l.Blocks.Sends
	}
	return false
}

// compute appends an operation that depends on the one before it on the compute stream.
func (b *builder) compute(name string, d unit.Duration, body Body) int32 {
	op := Op{Name: name, Stream: ComputeStream, Duration: d, Body: b.body(body), Coll: -1, Reads: body.reads(),
		Writes: body.writes()}
	if last := b.last[ComputeStream]; last >= 0 {
		op.Deps = []int32{last}
	}
	return b.add(op)
}

// body is the index of a body of the job.
func (b *lowering) body(body Body) int32 {
	id, known := b.bodies[body]
	if !known {
		id = int32(len(b.j.Bodies))
		b.bodies[body] = id
		b.j.Bodies = append(b.j.Bodies, body)
	}
	return id
}

// add appends an operation. Beside what it names it depends on the operations of other streams that
// use what it writes or write what it uses, unless they have ended anyway.
func (b *builder) add(op Op) int32 {
	op.ID = int32(len(b.p.Ops))
	if op.Stream == ComputeStream && len(b.held) > 0 {
		op.Deps = append(slices.Clone(op.Deps), b.held...)
		slices.Sort(op.Deps)
		op.Deps, b.held = slices.Compact(op.Deps), nil
	}
	op.Launch = unit.Duration(b.kernels) * b.p.Device.LaunchTime()
	op.Effort, op.Memory = b.effort, b.p.Device.slowed(b.memory)
	b.kernels, b.effort, b.memory = 0, Effort{}, 0
	after := make([]int32, len(b.p.Streams)) // by stream: the last such operation
	clock := make([]int32, len(b.p.Streams))
	for s := range clock {
		after[s], clock[s] = -1, -1
	}
	for _, r := range op.Reads {
		b.follow(after, use{r, op.ID, false, op.Stream})
	}
	for _, r := range op.Writes {
		b.follow(after, use{r, op.ID, true, op.Stream})
	}
	b.join(clock, b.last[op.Stream])
	for _, d := range op.Deps {
		b.join(clock, d)
	}
	for i := len(after) - 1; i >= 0; i-- {
		d := slices.Max(after) // the latest says most
		s := slices.Index(after, d)
		if after[s] = -1; d > clock[s] {
			op.Deps = append(op.Deps, d)
			b.join(clock, d)
		}
	}
	slices.Sort(op.Deps)
	b.last[op.Stream] = op.ID
	clock[op.Stream] = op.ID
	b.clocks = append(b.clocks, clock)
	b.p.Ops = append(b.p.Ops, op)
	return op.ID
}

// join notes what has ended when an operation has.
func (b *builder) join(clock []int32, op int32) {
	if op < 0 {
		return
	}
	for s, o := range b.clocks[op] {
		clock[s] = max(clock[s], o)
	}
}

// follow notes a use and the operations that it must come after.
func (b *builder) follow(after []int32, u use) {
	for _, o := range b.uses[u.Buffer] {
		if (u.writes || o.writes) && o.op != u.op && o.overlaps(u.Range) {
			s := b.p.Ops[o.op].Stream
			after[s] = max(after[s], o.op)
		}
	}
	b.uses[u.Buffer] = latest(b.uses[u.Buffer], u)
}

// latest adds a use to those of a buffer. Of uses of one range on one stream the later says all: a stream runs one
// operation after the other.
func latest(all []use, u use) []use {
	for i := range all {
		if o := &all[i]; o.Range == u.Range && o.stream == u.stream && o.writes == u.writes {
			o.op = u.op
			return all
		}
	}
	return append(all, u)
}

// all is the duration of some kernels on a micro-batch, one after the other.
func (b *builder) all(kernels []Kernel) (d unit.Duration) {
	for _, k := range kernels {
		d += b.kernel(k, b.Precision.Weights, false)
	}
	return d
}

// kernel is the duration of one kernel on a micro-batch; what it moves beside rows is in a format. adds: it adds to what is
// there.
func (b *builder) kernel(k Kernel, fixed Format, adds bool) unit.Duration {
	rows := int64(b.rows)
	if b.positions > 0 {
		rows *= int64(b.positions)
	}
	c := CountedKernel{Kernel: k, Word: b.Precision.Activations.Bytes(), FixedBytes: k.Fixed * fixed.Bytes(), Adds: adds}
	if b.positions > 0 {
		b.counted = append(b.counted, c)
	}
	return b.took(c.on(&b.p.Device, rows))
}

// kernelOf is the duration of one kernel of the operation that is added next.
func (b *builder) kernelOf(flop, bytes, product int64) unit.Duration {
	return b.took(kernelTime{Operator{Kind: Moves, M: bytes}, Effort{flop, bytes, product}, b.p.Device.arithmetic(flop)})
}

// took adds a kernel to the operation that is added next.
func (b *builder) took(k kernelTime) unit.Duration {
	d, memory := b.p.Device.took(&k, true)
	b.kernels++
	b.effort.add(k.FLOP, k.Bytes, k.Product)
	b.memory += memory
	return d
}
