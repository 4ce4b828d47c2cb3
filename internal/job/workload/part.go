package workload

import (
	"fmt"
	"strings"

	"railyard/internal/job/coll"
)

// Way is how tensor-parallel ranks share a layer.
type Way uint8

// The ways.
const (
	Whole      Way = iota // not at all: each has all of it
	Columns               // each makes a part of the outputs from all inputs
	Rows                  // each makes a share of all outputs from a part of the inputs
	Gathered              // by columns, and the parts of the outputs are put side by side
	Inside                // from all inputs to all outputs, in parts between them, as Megatron-LM does
	InsideBook            // likewise, as the book does
	Vocabulary            // of a language model's head: the outputs stay in parts, and so does the loss
	Sequence              // each has a part of the positions between layers, and of the layer what Inside has
	Spread                // replicas have experts of their own each, and send each other positions
	Together              // all of it, on rows of its own each: replicas sum between phases what all their rows have in common
	Ways
)

// Exchange is what the ranks that share a layer do together between two of its phases.
type Exchange uint8

// The exchanges.
const (
	Keep     Exchange = iota // nothing: each goes on with what it has
	Sum                      // an all-reduce
	Gather                   // an all-gather of parts
	Scatter                  // a reduce-scatter: of the sum each keeps its part
	Dispatch                 // an all-to-all of replicas: rows for experts, of sizes that a forward decides
	Combine                  // likewise, back
)

var exchangeNames = [...]string{Sum: "allreduce", Gather: "allgather", Scatter: "reducescatter", Dispatch: "dispatch",
	Combine: "combine"}

// Phase is a stretch of a layer's forward or backward that a rank computes by itself, and what the
// ranks then do together.
type Phase struct {
	Name     string   // of the operation: one that PassOf knows
	Kernels  []Kernel // of a backward: what a layer whose input's gradient nobody wants leaves out
	Gradient []Kernel // of a backward: of the parameters

	Inputs, Params bool // of a forward: it takes the layer's inputs, its parameters
	// Positions: kernels are those of one position each, of which a step decides how many come: see Counted. Of a row so many,
	// if all ranks get alike. 0: they are those of a row.
	Positions int

	Then Exchange
	What string // is exchanged
	// InPlace: the layer's outputs, or of a backward the gradient of its inputs, are summed. Else what is
	// exchanged has room of its own.
	InPlace bool
	Elems   int // of a row, all parts of it
	Fixed   int // and beside rows
}

// Part is a layer as one of the ranks that share it has it.
type Part struct {
	In, Out           int // elements of a row as the rank takes and leaves them
	Params            int64
	Forward, Backward []Phase
	Through           []Kernel // see Layer
	Saved             int      // elements that a row's forward leaves for its backward
	Again             int      // elements that a row's backward makes again before it begins, and no longer than that
	// Partial are parameters that all have, each with the gradient of its own positions: those are
	// summed once backwards have been added up.
	Partial Span

	// Of Spread: parameters that this rank alone has; elements of a row of what it sends to all ranks, and of what it gets
	// from them, at most; of what it gets from one; how many counts it sends; the elements of what is counted.
	Own               Span
	Rooms             [2]int
	Block, Sorts, Row int
}

// Split is a layer in equal parts.
type Split struct {
	Widths []Width              // what is split
	Of     func(parts int) Part // one of so many
}

// Width is a size that parts must divide, and of what: "outputs".
type Width struct {
	Size int
	What string
}

// whole is a layer that a rank has alone, and all of it.
func (l *Layer) whole() Part {
	return Part{In: l.In, Out: l.Out, Params: l.Params, Through: l.Through, Saved: l.Saved, Again: l.Again,
		Forward:  []Phase{{Name: Forward, Kernels: l.Forward, Inputs: true, Params: true}},
		Backward: []Phase{{Name: Backward, Kernels: l.Input, Gradient: l.Gradient}}}
}

// part is a layer as a rank has it.
type part struct {
	Part
	way Way
}

// split decides how ranks share the layers.
func (b *lowering) split() error {
	if err := b.splitLayers(); err != nil {
		return err
	}
	return b.meets()
}

// splitLayers decides how the tensor-parallel ranks share them, or those between which experts are spread.
func (b *lowering) splitLayers() error {
	b.parts = make([]part, len(b.Layers))
	for i := range b.Layers {
		b.parts[i] = part{Part: b.Layers[i].whole()}
	}
	if b.l.EP > 1 {
		if err := b.spread(); err != nil {
			return err
		}
	}
	if b.l.TP == 1 {
		return nil
	}
	s := splitting{lowering: b}
	for q := range b.l.Chunks() {
		lo, hi := b.l.Run(len(b.Layers), q)
		for i := lo; i < hi; i++ {
			if b.l.Sequence {
				s.take(i, Sequence)
				continue
			}
			if b.Layers[i].Params == 0 || b.Layers[i].Ways[Spread] != nil {
				continue // a mixture of experts is whole on each of them
			}
			if b.l.TPStyle == Megatron && i+1 < hi && b.Layers[i].Ways[Columns] != nil && b.Layers[i+1].Ways[Rows] != nil {
				s.take(i, Columns)
				s.take(i+1, Rows)
				i++
				continue
			}
			s.take(i, b.alone(i))
		}
	}
	if len(s.wrong) > 0 && s.fits > 0 {
		s.say("tp would do as %s", divisors(s.fits))
	}
	s.join()
	return s.wrong.err()
}

// join holds what each layer leaves against what the next one takes, the loss last.
func (s *splitting) join() {
	if len(s.wrong) > 0 {
		return
	}
	for i := 1; i < len(s.parts); i++ {
		if out, in := s.parts[i-1].Out, s.parts[i].In; out != in {
			s.say("layer %d leaves %d elements of a row with each rank, layer %d takes %d", i, out, i+1, in)
		}
	}
	switch last := len(s.parts) - 1; {
	case s.parts[last].Out == s.Layers[last].Out:
	case s.LossPart == nil:
		s.say("layer %d leaves its outputs in parts, and the loss wants them whole", last+1)
	default:
		s.lossPart = s.LossPart(s.l.TP)
	}
}

// alone is how a layer is shared that makes no pair with another.
func (b *lowering) alone(i int) Way {
	ways, last := &b.Layers[i].Ways, i == len(b.Layers)-1
	switch {
	case b.l.TPStyle == BookStyle && ways[InsideBook] != nil:
		return InsideBook
	case b.l.TPStyle == Megatron && last && b.LossPart != nil && ways[Vocabulary] != nil:
		return Vocabulary
	case ways[Inside] != nil:
		return Inside
	}
	return Gathered
}

// splitting is what is found as layers are split.
type splitting struct {
	*lowering
	wrong Misfits
	fits  int // what tp must divide
}

func (s *splitting) say(format string, args ...any) {
	s.wrong = append(s.wrong, Misfit{"tp", fmt.Sprintf(format, args...)})
}

// take splits a layer in a way, if it can be.
func (s *splitting) take(i int, way Way) {
	split := s.Layers[i].Ways[way]
	if split == nil {
		s.undivided(i, way)
		return
	}
	fit := true
	for _, w := range split.Widths {
		if w.Size%s.l.TP != 0 {
			s.say("tp %d does not divide the %d %s of layer %d", s.l.TP, w.Size, w.What, i+1)
			fit = false
		}
		s.fits = gcd(w.Size, s.fits)
	}
	if fit {
		s.parts[i] = part{split.Of(s.l.TP), way}
	}
}

// undivided says that a layer cannot be split in a way, and why.
func (s *splitting) undivided(i int, way Way) {
	l := &s.Layers[i]
	called, why := fmt.Sprintf("layer %d", i+1), ""
	if l.Name != "" {
		called += ", " + l.Name + ","
	}
	if l.Whole != "" {
		why = ": " + l.Whole
	}
	if way == Sequence {
		s.wrong = append(s.wrong, Misfit{"sequence", called + " cannot be split by positions" + why})
		return
	}
	s.say("%s cannot be split by its outputs%s", called, why)
	s.fits = 1
}

// gcd is the greatest common divisor; of 0 and n it is n.
func gcd(n, m int) int {
	for m != 0 {
		n, m = m, n%m
	}
	return n
}

// divisors lists those of n: 1, 2 or 4.
func divisors(n int) string {
	var all []string
	for d := 1; d <= n; d++ {
		if n%d == 0 {
			all = append(all, fmt.Sprint(d))
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

// exchange is a layer's collective of tensor-parallel ranks for a micro-batch: what follows a phase.
// After the phases of a backward come the sums of Part.Partial, after the layers those of the loss.
type exchange struct {
	data, stage int
	tensor      int // of Together and Spread, where each part's replicas have a group; else 0
	layer       int
	backward    bool
	phase       int
	micro       int
}

// tensor is the group of ranks that share the layers of a stage of a replica.
type tensor struct {
	*lowering
	data, stage          int
	where                string // names it
	group                int32
	sum, gather, scatter coll.Schedule
}

// parted joins the ranks that share the layers of a stage of a replica.
func (b *lowering) parted(data, stage int) error {
	if b.l.TP == 1 {
		return nil
	}
	var places []Coord
	for t := range b.l.TP {
		places = append(places, Coord{data, t, stage})
	}
	g := tensor{lowering: b, data: data, stage: stage}
	if b.l.PP > 1 {
		g.where = fmt.Sprintf(".stage%d", stage+1)
	}
	if b.l.DP > 1 {
		g.where += fmt.Sprintf(".replica%d", data+1)
	}
	of, id := b.group("tensor-parallel"+g.where, GroupKindTensor, places...)
	g.group = id
	if err := g.schedules(of); err != nil {
		return err
	}
	for v := range b.stages[stage].chunks {
		c := &b.stages[stage].chunks[v]
		for l := c.first; l <= c.last; l++ {
			for m := range b.l.MicroBatches {
				g.layer(c, l, m)
			}
		}
	}
	return nil
}

// schedules are those of the group.
func (g *tensor) schedules(of *Group) (err error) {
	if g.sum, err = g.Schedules(of, coll.AllReduce); err != nil {
		return err
	}
	if g.gather, err = g.Schedules(of, coll.AllGather); err != nil {
		return err
	}
	if owned(g.gather, coll.AllGather) == nil {
		return fmt.Errorf("group %q: %s is no all-gather whose owners are known", of.Name, g.gather.Name())
	}
	if !g.l.Sequence {
		return nil
	}
	if g.scatter, err = g.Schedules(of, coll.ReduceScatter); err != nil {
		return err
	}
	if owned(g.scatter, coll.ReduceScatter) == nil {
		return fmt.Errorf("group %q: %s is no reduce-scatter whose owners are known", of.Name, g.scatter.Name())
	}
	return nil
}

// layer adds what follows the phases of a layer for a micro-batch.
func (g *tensor) layer(c *chunk, l, m int) {
	p, f := &g.parts[l], g.Precision.Activations
	at := exchange{data: g.data, stage: g.stage, layer: l, micro: m}
	alone := p.way == Together || p.way == Spread
	for at.phase = range p.Forward {
		if !alone {
			g.after(at, &p.Forward[at.phase], l, c.x[l-c.first+1].at(m), f)
		}
	}
	if l == len(g.Layers)-1 && g.lossPart != nil {
		for i := range g.lossPart {
			at.phase = len(p.Forward) + i
			g.after(at, &g.lossPart[i], l, Range{}, Float32)
		}
	}
	if l < g.trained || alone {
		return
	}
	at.backward = true
	for at.phase = range p.Backward {
		if ph := &p.Backward[at.phase]; !ph.InPlace || l > g.trained {
			g.after(at, ph, l, c.d[l-c.first].at(m), f)
		}
	}
	if p.Partial.Elems > 0 && g.ends(m) {
		at.phase = len(p.Backward)
		on := g.partial(g.gradients(c, l, m), p.Partial)
		g.exchanges[at] = g.collective(g.name(Sum, partialGradients, l, m), g.group, on, g.sum)
	}
}

// partial is where a part of gradients is summed over the group.
func (g *tensor) partial(grads Range, part Span) Range {
	on := Range{grads.Buffer, grads.Offset + part.Offset, part.Elems}
	if f := g.Precision.Activations; f != g.Precision.Gradients {
		on = g.roomOf(WorkspaceTerm, partialGradients, part.Elems, f)
	}
	return on
}

// partialGradients are of parameters that ranks have alike, each of its own positions.
const partialGradients = "partial-gradients"

// gradients is where those of a layer are made for a micro-batch: the same place on all ranks of the group.
func (g *tensor) gradients(c *chunk, l, m int) Range {
	st := &g.stages[g.stage]
	of := st.of(st.Gradients, l)
	if g.l.Zero < ZeroGradients {
		return of
	}
	k := c.bucket(l)
	replicas := g.lowering.data[Coord{Stage: g.stage}]
	made := g.j.Collectives[g.sums[sum{replicas, k.offset, m}]].Range
	made.Buffer = st.made.buffer // what travels may be packed elsewhere
	return within(made, k, of)
}

// ends says that the gradients of a micro-batch are the last that are added up before they go on.
func (b *lowering) ends(m int) bool {
	return b.l.Update == UpdateEach || b.l.Zero >= ZeroGradients || m == b.l.MicroBatches-1
}

// after adds the collective that follows a phase, if one does; what has room of its own is there in a format.
func (g *tensor) after(at exchange, ph *Phase, l int, inPlace Range, f Format) {
	on, s := inPlace, g.sum
	switch {
	case ph.Then == Keep:
		return
	case ph.Then == Gather:
		s = g.gather
	case ph.Then == Scatter:
		s = g.scatter
	}
	if !ph.InPlace {
		on = g.room(ph, l, s, f)
	}
	g.exchanges[at] = g.collective(g.name(ph.Then, ph.What, l, at.micro), g.group, on, s)
}

func (g *tensor) name(op Exchange, what string, l, m int) string {
	return fmt.Sprintf("%s.%s.%d%s%s", exchangeNames[op], what, l+1, g.ofMicro(m), g.where)
}

// room is where a phase's results come together: of parts each has as many elements, so that the
// schedule's chunks are equal. Layers use one room for one kind of thing in turn.
func (b *lowering) room(ph *Phase, l int, s coll.Schedule, f Format) Range {
	elems := b.rows * ph.Elems
	if ph.Then != Sum {
		cut := s.Channels() * coll.Slices(s)
		elems = (elems/b.l.TP + cut - 1) / cut * cut * b.l.TP
	}
	key := ph.What
	if b.parts[l].way == Gathered {
		key = fmt.Sprintf("gathered.%d", l+1)
	}
	return b.roomOf(WorkspaceTerm, key, int64(elems), f)
}

// roomOf is the room for one kind of thing, for so many elements or more.
func (b *lowering) roomOf(term Term, key string, elems int64, f Format) Range {
	buffer, there := b.rooms[key]
	if !there {
		buffer = b.buffer(term, key, elems, f)
		b.rooms[key] = buffer
	}
	b.j.Buffers[buffer].Elems = max(b.j.Buffers[buffer].Elems, elems)
	return Range{Buffer: buffer, Elems: elems}
}
