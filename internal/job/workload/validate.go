package workload

import (
	"fmt"
	"iter"
	"slices"

	"railyard/internal/job/coll"
)

// Validate reports the first way in which the job breaks the package's invariants.
func (j *Job) Validate() error {
	for r, p := range j.Of {
		if p < 0 || int(p) >= len(j.Programs) {
			return fmt.Errorf("rank %d has program %d, there are %d", r, p, len(j.Programs))
		}
	}
	for i := range j.Groups {
		if err := j.checkGroup(&j.Groups[i]); err != nil {
			return err
		}
	}
	for i := range j.Collectives {
		if err := j.checkCollective(&j.Collectives[i]); err != nil {
			return err
		}
	}
	for i := range j.Programs {
		if err := j.checkProgram(&j.Programs[i]); err != nil {
			return err
		}
	}
	return j.checkMembers()
}

// CheckRepeat reports the first collective that the ranks of a valid job may not run step after
// step: how far they run apart follows from the staging slots, and without credit a message of a
// later step could come into one that is still to be read.
func (j *Job) CheckRepeat() error {
	for i := range j.Collectives {
		c := &j.Collectives[i]
		if c.Once || c.Counts != nil {
			continue // who has the counts of a step from all knows that all have read what came in the one before
		}
		if err := coll.Repeats(c.Schedule, int(c.Areas()), c.full()); err != nil {
			return fmt.Errorf("collective %q cannot run step after step: %w", c.Name, err)
		}
	}
	return nil
}

// full reports whether no chunk is empty.
func (c *Collective) full() bool {
	for m := range c.Schedule.Ranks() {
		own := c.LayoutOf(m, nil)
		for ch := range c.Schedule.Channels() {
			for k := range c.Schedule.Chunks() {
				if _, n := c.ChunkBy(own, coll.Out, ch, k); n == 0 {
					return false
				}
			}
		}
		if c.layout == nil { // all members are alike
			break
		}
	}
	return true
}

func (j *Job) checkGroup(g *Group) error {
	for i, r := range g.Ranks {
		if r < 0 || int(r) >= len(j.Of) {
			return fmt.Errorf("group %q has rank %d, there are %d", g.Name, r, len(j.Of))
		}
		if slices.Contains(g.Ranks[:i], r) {
			return fmt.Errorf("group %q has rank %d twice", g.Name, r)
		}
	}
	return nil
}

func (j *Job) checkCollective(c *Collective) error {
	switch {
	case c.Group < 0 || int(c.Group) >= len(j.Groups):
		return fmt.Errorf("collective %q is of group %d, there are %d", c.Name, c.Group, len(j.Groups))
	case c.Schedule.Ranks() != j.Groups[c.Group].Size():
		return fmt.Errorf("collective %q has a schedule over %d ranks, group %q has %d",
			c.Name, c.Schedule.Ranks(), j.Groups[c.Group].Name, j.Groups[c.Group].Size())
	case c.Range.Buffer < 0 || int(c.Range.Buffer) >= len(j.Buffers):
		return fmt.Errorf("collective %q is on buffer %d, there are %d", c.Name, c.Range.Buffer, len(j.Buffers))
	}
	b := &j.Buffers[c.Range.Buffer]
	if c.Range.Offset < 0 || c.Range.Elems < 0 || c.Range.Offset+c.Range.Elems > b.Elems {
		return fmt.Errorf("collective %q is on %d elements from %d, buffer %q has %d",
			c.Name, c.Range.Elems, c.Range.Offset, b.Name, b.Elems)
	}
	if c.ElemBytes != b.ElemBytes {
		return fmt.Errorf("collective %q has elements of %d bytes, buffer %q of %d", c.Name,
			c.ElemBytes, b.Name, b.ElemBytes)
	}
	if err := j.checkInput(c); err != nil {
		return err
	}
	return j.checkCounts(c)
}

// checkInput reports an input that a schedule lacks, or that does not hold its chunks.
func (j *Job) checkInput(c *Collective) error {
	n := coll.Inputs(c.Schedule)
	if (n > 0) != (c.layout != nil) {
		return fmt.Errorf("collective %q of %s has an input: %v; the schedule has %d chunks of input",
			c.Name, c.Schedule.Name(), c.layout != nil, n)
	}
	if n == 0 {
		return nil
	}
	in := c.Input
	if in.Buffer < 0 || int(in.Buffer) >= len(j.Buffers) {
		return fmt.Errorf("collective %q reads buffer %d, there are %d", c.Name, in.Buffer, len(j.Buffers))
	}
	b := &j.Buffers[in.Buffer]
	if in.Offset < 0 || in.Elems < 0 || in.Offset+in.Elems > b.Elems || b.ElemBytes != c.ElemBytes {
		return fmt.Errorf("collective %q reads %d elements of %d bytes from %d, buffer %q has %d of %d bytes",
			c.Name, in.Elems, c.ElemBytes, in.Offset, b.Name, b.Elems, b.ElemBytes)
	}
	if in.overlaps(c.Range) {
		return fmt.Errorf("collective %q reads what it writes, of buffer %q", c.Name, b.Name)
	}
	for m := range c.Schedule.Ranks() {
		own := c.LayoutOf(m, nil)
		for _, part := range []struct {
			of     coll.Buffer
			chunks int
			elems  int64
		}{{coll.In, n, in.Elems}, {coll.Out, c.Schedule.Chunks(), c.Range.Elems}} {
			for ch := range c.Schedule.Channels() {
				for k := range part.chunks {
					if _, hi := own.Chunk(part.of, ch, k); int64(hi) > part.elems {
						return fmt.Errorf("collective %q: %s chunk %d of member %d ends at element %d, want at most %d",
							c.Name, part.of, k, m, hi, part.elems)
					}
				}
			}
		}
	}
	return nil
}

func (j *Job) checkProgram(p *Program) error {
	for s, st := range p.Streams {
		if (st.Group == ComputeGroup) != (s == ComputeStream) || st.Group < CopyGroup || int(st.Group) >= len(j.Groups) {
			return fmt.Errorf("stream %d, %q, is of group %d: stream 0 is for compute (-1), the others for one of "+
				"%d groups, or for copies (-2)",
				s, st.Name, st.Group, len(j.Groups))
		}
		for _, o := range p.Streams[:s] {
			if o.Group == st.Group {
				return fmt.Errorf("streams %q and %q are of one group: its collectives want one order", o.Name, st.Name)
			}
		}
	}
	if err := j.checkOps(p, p.Start, true); err != nil {
		return err
	}
	if err := j.checkOps(p, p.Ops, false); err != nil {
		return err
	}
	if o := p.order; o != nil && (len(o.At) != len(p.Ops) || len(o.Queues) != len(p.Streams)) {
		return fmt.Errorf("an order of %d operations on %d streams is kept of %d on %d", len(o.At), len(o.Queues), len(p.Ops),
			len(p.Streams))
	}
	return nil
}

// checkOps looks at the operations of a program's step, or of its start phase.
func (j *Job) checkOps(p *Program, ops []Op, starts bool) error {
	runs := map[int32]bool{}
	for i := range ops {
		if err := j.checkOp(p, ops, i); err != nil {
			return err
		}
		if ops[i].Kind != Communication {
			continue
		}
		c := ops[i].Coll
		switch name := j.Collectives[c].Name; {
		case runs[c]:
			return fmt.Errorf("a program runs collective %q twice, want once in a step", name)
		case j.Collectives[c].Once && !starts:
			return fmt.Errorf("a step runs collective %q, which is for the start phase", name)
		case starts && !j.Collectives[c].Once:
			return fmt.Errorf("the start phase runs collective %q, which is for steps", name)
		}
		runs[c] = true
	}
	before := endsBefore(ops, len(p.Streams))
	if err := checkUses(ops, before); err != nil {
		return err
	}
	if err := j.checkDecided(ops, before); err != nil {
		return err
	}
	return j.checkCounted(ops, before)
}

func (j *Job) checkOp(p *Program, ops []Op, i int) error {
	op := &ops[i]
	if op.ID != int32(i) {
		return fmt.Errorf("operation %q has id %d at index %d", op.Name, op.ID, i)
	}
	if op.Stream < 0 || int(op.Stream) >= len(p.Streams) {
		return fmt.Errorf("operation %q is on stream %d, there are %d", op.Name, op.Stream, len(p.Streams))
	}
	if kind := p.Streams[op.Stream].runs(); op.Kind != kind {
		return fmt.Errorf("operation %q is on stream %d: compute operations run on stream 0, collectives on those of "+
			"groups, copies on that for copies", op.Name, op.Stream)
	}
	if op.Kind == Copy != (op.Bytes > 0) || op.Kind == Copy && op.Duration != 0 {
		return fmt.Errorf("operation %q has %d bytes and takes %v: want bytes of a copy alone, and no time", op.Name,
			op.Bytes, op.Duration)
	}
	if op.Kind == Communication {
		if op.Coll < 0 || int(op.Coll) >= len(j.Collectives) {
			return fmt.Errorf("operation %q names collective %d, there are %d", op.Name, op.Coll, len(j.Collectives))
		}
		if g := j.Collectives[op.Coll].Group; g != p.Streams[op.Stream].Group {
			return fmt.Errorf("operation %q is on stream %q of group %d, its collective is of group %d",
				op.Name, p.Streams[op.Stream].Name, p.Streams[op.Stream].Group, g)
		}
	} else if op.Body >= int32(len(j.Bodies)) {
		return fmt.Errorf("operation %q names body %d, there are %d", op.Name, op.Body, len(j.Bodies))
	}
	if op.Duration < 0 {
		return fmt.Errorf("operation %q takes %v", op.Name, op.Duration)
	}
	if op.Launch < 0 || op.Launch > op.Duration {
		return fmt.Errorf("operation %q takes %v, starting kernels %v of it", op.Name, op.Duration, op.Launch)
	}
	for _, r := range slices.Concat(op.Reads, op.Writes) {
		if r.Buffer < 0 || int(r.Buffer) >= len(j.Buffers) {
			return fmt.Errorf("operation %q touches buffer %d, there are %d", op.Name, r.Buffer, len(j.Buffers))
		}
		if b := &j.Buffers[r.Buffer]; r.Offset < 0 || r.Elems < 0 || r.Offset+r.Elems > b.Elems {
			return fmt.Errorf("operation %q touches %d elements from %d, buffer %q has %d", op.Name, r.Elems, r.Offset,
				b.Name, b.Elems)
		}
	}
	for _, d := range op.Deps {
		if d < 0 || d >= int32(i) {
			return fmt.Errorf("operation %q depends on operation %d, want one before %d", op.Name, d, i)
		}
	}
	return nil
}

// checkMembers reports a collective that a rank runs without being in its group, or that
// the ranks of a group run in different orders.
func (j *Job) checkMembers() error {
	ofProgram := make([]map[int32][]int32, len(j.Programs)) // by group: collectives in order
	for i := range j.Programs {
		ofProgram[i] = map[int32][]int32{}
		for id := range j.Programs[i].collectives() {
			g := j.Collectives[id].Group
			ofProgram[i][g] = append(ofProgram[i][g], id)
		}
	}
	in := make([]map[int32]bool, len(j.Groups))
	for g := range j.Groups {
		in[g] = map[int32]bool{}
		var order []int32 // as the first rank of the group runs them
		for i, r := range j.Groups[g].Ranks {
			in[g][r] = true
			own := ofProgram[j.Of[r]][int32(g)]
			if i == 0 {
				order = own
			} else if !slices.Equal(order, own) {
				return fmt.Errorf("group %q: rank %d runs collectives %v, rank %d runs %v: want one order",
					j.Groups[g].Name, j.Groups[g].Ranks[0], order, r, own)
			}
		}
	}
	for r, p := range j.Of {
		for id := range j.Programs[p].collectives() {
			if g := j.Collectives[id].Group; !in[g][int32(r)] {
				return fmt.Errorf("rank %d runs collectives of group %q and is not in it", r, j.Groups[g].Name)
			}
		}
	}
	return nil
}

// collectives lists what the program runs: of the start phase, then of a step.
func (p *Program) collectives() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, ops := range [][]Op{p.Start, p.Ops} {
			for k := range ops {
				if op := &ops[k]; op.Kind == Communication && !yield(op.Coll) {
					return
				}
			}
		}
	}
}

// order is which operations of a phase end before others begin.
type order struct {
	ops    []Op
	clocks [][]int32 // by operation, then stream: the last of its operations that ends before it begins, -1 none
}

// before reports whether k ends before i begins.
func (o *order) before(k, i int) bool { return int32(k) <= o.clocks[i][o.ops[k].Stream] }

// endsBefore returns the order of operations.
func endsBefore(ops []Op, streams int) order {
	o := order{ops, make([][]int32, len(ops))}
	last := slices.Repeat([]int32{-1}, streams)
	room := make([]int32, len(ops)*streams)
	for i := range ops {
		op, clock := &ops[i], room[i*streams:(i+1)*streams]
		for s := range clock {
			clock[s] = -1
		}
		after := func(d int32) {
			for s, k := range o.clocks[d] {
				clock[s] = max(clock[s], k)
			}
			clock[ops[d].Stream] = max(clock[ops[d].Stream], d)
		}
		for _, d := range op.Deps {
			after(d)
		}
		if d := last[op.Stream]; d >= 0 {
			after(d)
		}
		last[op.Stream], o.clocks[i] = int32(i), clock
	}
	return o
}

// checkUses reports two operations that may run at the same time although one writes what
// the other touches.
func checkUses(ops []Op, o order) error {
	uses := map[int32][]use{} // by buffer
	for i := range ops {
		op := &ops[i]
		for _, touches := range []struct {
			ranges []Range
			writes bool
		}{{op.Reads, false}, {op.Writes, true}} {
			for _, r := range touches.ranges {
				u := use{r, int32(i), touches.writes, op.Stream}
				for _, k := range uses[r.Buffer] {
					if (u.writes || k.writes) && k.op != u.op && k.overlaps(r) && !o.before(int(k.op), i) {
						return fmt.Errorf("operations %q and %q may run at the same time, and one writes what the other "+
							"touches", ops[k.op].Name, op.Name)
					}
				}
				uses[r.Buffer] = latest(uses[r.Buffer], u)
			}
		}
	}
	return nil
}

// buffers returns those that the operation touches, each once.
func (op *Op) buffers() (all []int32) {
	for _, ranges := range [][]Range{op.Reads, op.Writes} {
		for _, r := range ranges {
			if !slices.Contains(all, r.Buffer) {
				all = append(all, r.Buffer)
			}
		}
	}
	return all
}
