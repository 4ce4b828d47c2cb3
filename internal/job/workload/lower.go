package workload

import (
	"fmt"
	"maps"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// Config is a network, layer after layer, and how ranks share its training.
type Config struct {
	Layers    []Layer
	Batch     int        // rows per replica and step
	State     []string   // vectors that the update also reads and writes, as long as the parameters: at most MaxState
	Bucket    unit.Bytes // cap; 0 is DefaultBucket
	Clip      int64      // elements by which ranks sum the norm of all gradients, before they update; 0: not needed
	Precision Precision
	Layout    Layout
	Ties      []Tie
	Routed    *Routed // of experts that are spread where nothing is computed; nil: even shares, and whatever a step decides
	// LossPart are the phases of the loss of outputs that lie in so many parts; nil: outputs must be whole.
	LossPart func(parts int) []Phase
	Device   Device
	Slow     map[int32]unit.Ratio // ranks whose device takes so many times as long
	// Schedules makes a group's schedule of a collective: AllReduce of a data-parallel group,
	// SendReceive from the first rank to the second, with credit, of a pipeline group, AllReduce and
	// AllGather of a tensor-parallel group, with Sequence ReduceScatter too. With ZeRO, ReduceScatter and
	// AllGather of a data-parallel group, which cut a buffer alike and say who owns which chunk: where the
	// two in turn are that AllReduce, sums have the same bits.
	Schedules func(*Group, coll.Collective) (coll.Schedule, error)
}

// lowering makes a job of a config.
type lowering struct {
	*Config
	l       Layout
	rows    int // of a micro-batch
	trained int // the first layer with parameters
	j       *Job
	parts   []part // by layer
	stages  []stage
	links   map[link]int32 // index in Job.Groups
	data    map[Coord]int32
	sums    map[sum]int32 // index in Job.Collectives
	sends   map[send]int32
	bodies  map[Body]int32

	exchanges map[exchange]int32 // index in Job.Collectives
	rooms     map[string]int32   // by what is exchanged: index in Job.Buffers
	lossPart  []Phase            // where outputs lie in parts

	gatherings map[gathering]int32 // index in Job.Collectives

	owned map[Coord]int32        // of the replicas that have the same experts: index in Job.Groups, by the first of them
	swaps map[exchange]*[4]int32 // of experts that are spread: dispatch and combine, forward and back: index in Job.Collectives
	asks  map[int32]int32        // by dispatch of a forward: the exchange of counts before it

	tied map[tied]int32 // likewise

	normSums map[normed]int32 // likewise

	ofGroup [][]int32 // collectives by group: see pair
	paired  []int32   // by collective of one rank: that which another has in its place
	each    bool      // each program is made by itself: for tests
	digits  int32     // index in Job.Buffers
	packed  []int32   // likewise, by stage: gradients as they go over the wire, unless that is float32
}

// stage is what the ranks of a stage have in common.
type stage struct {
	*Stage
	timetable []Pass
	chunks    []chunk
	// Of ZeRO: the turns of a step, and room for whole buckets of gradients and parameters.
	turns           []turn
	made, assembled area
}

// chunk is a virtual stage.
type chunk struct {
	run         int // of Layout.Run
	first, last int // layers
	flight      int // micro-batches between forward and backward
	stash       area
	buckets     []bucket // by offset in the stage's vectors
	// What lies at the boundaries of its layers: x[i] is the input of layer first+i, and d[i] the
	// gradient with respect to it. The last of both is the virtual stage's output.
	x, d []area
}

// area is a part of a buffer for each of some micro-batches, which take the slots in turn.
type area struct {
	buffer int32
	elems  int64 // of a slot
	slots  int
}

func (a area) at(micro int) Range {
	return Range{Buffer: a.buffer, Offset: int64(micro%a.slots) * a.elems, Elems: a.elems}
}

// link is a boundary between two virtual stages of one replica and tensor rank.
type link struct {
	data, tensor int
	run          int  // the later of the two
	backward     bool // from it to the earlier one, not to it
}

// send is what goes over a link for a micro-batch.
type send struct {
	link
	micro int
}

// sum is a bucket's all-reduce over a data-parallel group, or its reduce-scatter.
type sum struct {
	group  int32
	offset int64
	micro  int // with UpdateEach, or gradients in shards
}

// Lower returns the job of a training: for each rank a program of forwards and backwards in the
// order of its stage's timetable, an all-reduce over the replicas for each bucket as soon as its
// gradients are there, and an update for each bucket, which also divides by the number of summands.
// Between stages activations and their gradients travel. Where a group would have one rank, there is
// none. Ranks of a layout with replicas alone share a program, but for slow ones, which have their
// own, and for ZeRO, where each updates its own shard. In other layouts ranks of a stage (with ZeRO: of
// a replica's) have programs that differ in their collectives alone: what these touch and wait for is kept once.
func Lower(c Config) (*Job, error) { return lower(c, false) }

// lower is Lower; each: no program is made from another.
func lower(c Config, each bool) (*Job, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	l := c.Layout.filled()
	b := lowering{Config: &c, l: l, each: each, rows: c.Batch / l.MicroBatches, trained: Trained(c.Layers),
		links: map[link]int32{}, data: map[Coord]int32{}, sums: map[sum]int32{}, sends: map[send]int32{},
		bodies: map[Body]int32{}, exchanges: map[exchange]int32{}, rooms: map[string]int32{},
		owned: map[Coord]int32{}, swaps: map[exchange]*[4]int32{}, asks: map[int32]int32{},
		gatherings: map[gathering]int32{}, tied: map[tied]int32{}, normSums: map[normed]int32{},
		j: &Job{Of: make([]int32, l.World()),
			Training: &Training{Layout: l, Layers: len(c.Layers), Trained: Trained(c.Layers), Batch: c.Batch,
				Clip: c.Clip > 0, Precision: c.Precision, Stages: make([]Stage, l.PP)}}}
	if err := b.split(); err != nil {
		return nil, err
	}
	for s := range l.PP {
		b.stage(s)
	}
	if err := b.groups(); err != nil {
		return nil, err
	}
	b.programs()
	return b.j, b.j.Validate()
}

func (c *Config) check() error {
	if len(c.Layers) == 0 {
		return fmt.Errorf("training: no layers, want at least 1")
	}
	for i, l := range c.Layers {
		if l.In < 1 || l.Out < 1 {
			return fmt.Errorf("training: layer %d is %d x %d, want sizes of at least 1", i+1, l.In, l.Out)
		}
		if i > 0 && l.In != c.Layers[i-1].Out {
			return fmt.Errorf("training: layer %d takes %d inputs, layer %d gives %d", i+1, l.In, i, c.Layers[i-1].Out)
		}
	}
	if c.Batch < 1 {
		return fmt.Errorf("training: batch %d, want at least 1 row per replica", c.Batch)
	}
	if len(c.State) > MaxState {
		return fmt.Errorf("training: %d vectors of state for the optimiser, want at most %d", len(c.State), MaxState)
	}
	if c.Bucket < 0 {
		return fmt.Errorf("training: bucket of %v, want at least 1 byte", c.Bucket)
	}
	if err := c.Layout.filled().check(c.Layers, c.Batch); err != nil {
		return err
	}
	for _, f := range c.Precision.all() {
		if f >= formats {
			return fmt.Errorf("training: format %d, want one of %d", f, formats)
		}
	}
	if c.Clip > 0 && c.Layout.Update == UpdateEach && c.Layout.PP > 1 {
		return Misfits{{"update", fmt.Sprintf("update each with pp %d: stages update at different times, and clipping wants "+
			"the gradients of all of them at once: want update end", c.Layout.PP)}}
	}
	if c.Clip > 0 && c.Layout.EP > 1 {
		return Misfits{{"ep", fmt.Sprintf("ep %d with clipped gradients: their norm counts experts as if all replicas had "+
			"them: want clip 0", c.Layout.EP)}}
	}
	if err := c.checkTies(c.Layout.filled()); err != nil {
		return err
	}
	for r := range c.Slow {
		if r < 0 || int(r) >= c.Layout.World() {
			return fmt.Errorf("training: rank %d is slow, want a rank from 0 to %d", r, c.Layout.World()-1)
		}
	}
	return nil
}

// buffer adds named memory.
func (b *lowering) buffer(term Term, name string, elems int64, f Format) int32 {
	b.j.Buffers = append(b.j.Buffers, Buffer{Name: name, Term: term, Elems: elems, ElemBytes: f.Bytes(), Format: f})
	return int32(len(b.j.Buffers) - 1)
}

// area adds a buffer of rows of a width for so many micro-batches. What the network itself takes is as the data
// has it: tokens are numbers up to the vocabulary's, which no format but float32 has all of.
func (b *lowering) area(term Term, name string, layer, width, slots int) area {
	a, f := area{elems: int64(b.rows) * int64(width), slots: slots}, b.Precision.Activations
	if layer == 0 && name == inputsName {
		f = Float32
	}
	a.buffer = b.buffer(term, fmt.Sprintf("%s.%d", name, layer+1), a.elems*int64(slots), f)
	return a
}

// stage gives a stage its layers and buffers.
func (b *lowering) stage(s int) {
	l := &b.l
	st := stage{Stage: &b.j.Training.Stages[s], timetable: l.Schedule.Timetable(l.PP, l.Virtual, l.MicroBatches, s)}
	offset := int64(0)
	for v := range l.Virtual {
		c := chunk{run: v*l.PP + s, flight: InFlight(st.timetable, v)}
		lo, hi := l.Run(len(b.Layers), c.run)
		c.first, c.last = lo, hi-1
		c.buckets = buckets(b.parts[lo:hi], b.Bucket, b.Precision.Gradients)
		for i := range c.buckets {
			k := &c.buckets[i]
			k.first, k.last, k.offset = k.first+lo, k.last+lo, k.offset+offset
		}
		for i, layer := range b.parts[lo:hi] {
			st.Layers = append(st.Layers, Held{Layer: lo + i, Offset: offset, Elems: layer.Params, In: layer.In,
				Out: layer.Out, Saved: layer.Saved, Again: layer.Again, Way: layer.way})
			offset += layer.Params
		}
		st.chunks = append(st.chunks, c)
	}
	of := ""
	if l.PP > 1 {
		of = fmt.Sprintf(".stage%d", s+1)
	}
	for v := len(st.chunks) - 1; v >= 0; v-- {
		for _, k := range st.chunks[v].buckets {
			st.Buckets = append(st.Buckets, Bucket{Span: Span{k.offset, k.elems}, Sum: -1, Gather: -1, Own: k.own})
		}
	}
	p := &b.Precision
	vector := func(term Term, name string, sharded Zero, f Format) int32 {
		if l.Zero >= sharded {
			return b.buffer(term, name+".shard"+of, 0, f) // as large as the largest turns out to be
		}
		return b.buffer(term, name+of, offset, f)
	}
	st.Gradients = vector(GradientsTerm, "gradients", ZeroGradients, p.Gradients)
	st.Parameters = vector(WeightsTerm, "parameters", ZeroParameters, p.Weights)
	if st.Masters = st.Parameters; p.Masters() {
		st.Masters = vector(OptimiserTerm, "masters", ZeroOptimiser, p.State)
	}
	for _, name := range b.State {
		st.State = append(st.State, vector(OptimiserTerm, name, ZeroOptimiser, p.State))
	}
	b.roomForBuckets(&st, of)
	if p.Wire != p.Gradients && l.DP > 1 {
		elems := offset
		if l.Zero >= ZeroGradients {
			elems = st.made.elems * int64(st.made.slots)
		}
		b.packed = append(b.packed, b.buffer(BucketTerm, "gradients.wire"+of, elems, p.Wire))
	}
	for i := range st.chunks {
		b.boundaries(&st, &st.chunks[i])
	}
	b.stages = append(b.stages, st)
}

// inputsName is what the inputs of layers are called.
const inputsName = "activations"

// boundaries gives a virtual stage room for what goes in and out of each. The inputs of a layer stay
// until its backward; what is sent stays until it is acknowledged.
func (b *lowering) boundaries(st *stage, c *chunk) {
	ahead := min(b.l.Slots, b.l.MicroBatches)
	for l := c.first; l <= c.last; l++ {
		in, kept := b.parts[l].In, c.flight
		if b.Layers[l].Forgets && l > c.first {
			kept = 1
		}
		c.x = append(c.x, b.area(ActivationTerm, inputsName, l, in, kept))
		switch {
		case l <= b.trained:
			c.d = append(c.d, area{slots: 1}) // nobody wants the gradient
		case l > c.first:
			c.d = append(c.d, b.area(ErrorTerm, "deltas", l-1, in, 1))
		default:
			c.d = append(c.d, b.area(ErrorTerm, "input-deltas", l, in, ahead))
		}
	}
	out := b.parts[c.last].Out
	if c.last == len(b.Layers)-1 { // the loss follows at once, its backward later
		c.x = append(c.x, b.area(ActivationTerm, "outputs", c.last, out, 1))
		c.d = append(c.d, b.area(ErrorTerm, "deltas", c.last, out, c.flight))
	} else {
		c.x = append(c.x, b.area(ActivationTerm, "outputs", c.last, out, ahead))
		c.d = append(c.d, b.area(ErrorTerm, "deltas", c.last, out, ahead))
	}
	if b.l.Stash {
		lo, hi := st.span(c.first, c.last)
		c.stash = area{elems: hi - lo, slots: c.flight}
		c.stash.buffer = b.buffer(StashTerm, fmt.Sprintf("stash.virtual%d", c.run+1), c.stash.elems*int64(c.flight),
			b.Precision.Weights)
	}
}

// held is where a layer lies in the stage's vectors; nil: it is of another stage.
func (s *Stage) held(layer int) *Held {
	i, there := slices.BinarySearchFunc(s.Layers, layer, func(h Held, l int) int { return h.Layer - l })
	if !there {
		return nil
	}
	return &s.Layers[i]
}

// span is where the layers from first to last, of one virtual stage, lie in the stage's vectors.
func (s *Stage) span(first, last int) (lo, hi int64) {
	h := s.held(last)
	return s.held(first).Offset, h.Offset + h.Elems
}

// of is a layer's part of one of the stage's vectors.
func (s *Stage) of(buffer int32, layer int) Range {
	h := s.held(layer)
	return Range{Buffer: buffer, Offset: h.Offset, Elems: h.Elems}
}

// programs makes the ranks' programs.
func (b *lowering) programs() {
	if b.l.PP > 1 || b.l.TP > 1 || b.l.EP > 1 || b.l.Zero > ZeroNone {
		leads := map[kind]int{}
		for r := range b.j.Of {
			d := b.Device
			d.Slow = b.Slow[int32(r)]
			k := b.kind(b.l.Coord(r), &d)
			if lead, ok := leads[k]; ok && !b.each {
				if p, ok := b.again(lead, r); ok {
					b.j.Of[r] = int32(len(b.j.Programs))
					b.j.Programs = append(b.j.Programs, p)
					continue
				}
			}
			b.j.Of[r], leads[k] = b.program(r, d), r
		}
		return
	}
	b.program(0, b.Device)
	for _, r := range slices.Sorted(maps.Keys(b.Slow)) {
		d := b.Device
		d.Slow = b.Slow[r]
		b.j.Of[r] = b.program(0, d)
	}
}
