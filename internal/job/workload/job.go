package workload

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// Job is what ranks do together, step after step. Every step runs the same programs.
type Job struct {
	Programs    []Program
	Of          []int32 // by rank: index in Programs; ranks may share one
	Groups      []Group
	Buffers     []Buffer
	Bodies      []Body
	Collectives []Collective
	Training    *Training  // what it trains; nil: nothing
	Reserved    unit.Bytes // of a GPU's memory, beside tensors; NCCL's buffers are among it, and so what is staged
	Fused       bool       // errors of layers take two rooms in turn, and gradients are added where they lie
}

// Ranks returns the number of ranks.
func (j *Job) Ranks() int { return len(j.Of) }

// Starts reports whether the ranks have a start phase. One whose program has none passes through it.
func (j *Job) Starts() bool {
	return slices.ContainsFunc(j.Programs, func(p Program) bool { return len(p.Start) > 0 })
}

// Program returns what a rank does.
func (j *Job) Program(rank int32) *Program { return &j.Programs[j.Of[rank]] }

// StartStep numbers the start phase of a rank, before step 0.
const StartStep int64 = -1

// Program is what a rank does once, before its first step, and in each step.
type Program struct {
	Start   []Op // of the start phase; empty: there is none
	Ops     []Op // of a step
	Streams []Stream
	Device  Device

	order *Order // of a step; nil: it is not kept
}

// OpsOf returns the operations of a step, or of the start phase.
func (p *Program) OpsOf(step int64) []Op {
	if step == StartStep {
		return p.Start
	}
	return p.Ops
}

// Stream runs operations one at a time, in issue order.
type Stream struct {
	Name  string
	Group int32 // whose collectives it runs: index in Job.Groups; or ComputeGroup, CopyGroup
}

// What a stream has for a group that runs no collectives.
const (
	ComputeGroup int32 = -1 // it computes
	CopyGroup    int32 = -2 // it copies from host memory
)

// ComputeStream is the stream of the compute operations; those of groups follow.
const ComputeStream = 0

// Group is ranks that communicate (NCCL: a communicator). A schedule numbers the ranks of
// its group from 0, in the order of Ranks.
type Group struct {
	Name  string
	Kind  string // GroupKindData, ...: what it is for
	Ranks []int32
	All   []int32 // of a layout that is folded: those that Ranks stand for, as without it; nil: Ranks
}

// Size is how many ranks the group has, those that others stand for among them.
func (g *Group) Size() int { return max(len(g.Ranks), len(g.All)) }

// Buffer is named memory that those ranks have whose program touches it: see Job.Touches.
type Buffer struct {
	Name      string
	Term      Term // what it is for
	Elems     int64
	ElemBytes int64
	Format    Format // of a training's: ElemBytes is its size
}

// Range is elements of a buffer.
type Range struct {
	Buffer        int32 // index in Job.Buffers
	Offset, Elems int64
}

// overlaps reports whether two ranges have an element in common.
func (r Range) overlaps(o Range) bool {
	return r.Buffer == o.Buffer && r.Offset < o.Offset+o.Elems && o.Offset < r.Offset+r.Elems
}

// OpKind says who runs an operation.
type OpKind uint8

// The kinds of operation.
const (
	Compute       OpKind = iota // the device, for Duration
	Communication               // the ranks of a group together: Job.Collectives[Coll]
	Copy                        // the GPU's copy engine: Bytes from host memory over PCIe, for the next step; none in the last
)

// Op is one operation of a step or of the start phase.
type Op struct {
	ID       int32 // index in Program.Ops, or in Program.Start
	Name     string
	Kind     OpKind
	Stream   int32         // index in Program.Streams
	Deps     []int32       // operations of the same step that must be done, all < ID
	Duration unit.Duration // Compute: how long it runs; Communication: launch, before its first message; Copy: 0
	Bytes    unit.Bytes    // Copy: how many; else 0
	Launch   unit.Duration // of that, starting kernels
	Memory   unit.Duration // of that, kernels that wait for memory beyond their arithmetic
	Effort   Effort        // of its kernels; of a Copy and of Communication none
	Body     int32         // Compute, Copy: index in Job.Bodies, -1 if there is no work to do; else -1
	Coll     int32         // Communication: index in Job.Collectives; else -1

	// Decides is the collectives whose sizes it decides: indices in Job.Collectives. See Counts.
	Decides []int32
	// Counted: it works on positions of which each step decides how many come, and Duration, Memory and Effort are those of an
	// even share; nil: they are what they are.
	Counted *Counted

	// What it touches of the job's buffers.
	Reads, Writes []Range
}

// Effort is the arithmetic of kernels, and what they read and write. It takes a device some time, see
// Device, and whoever does the real work another.
type Effort struct {
	FLOP, Bytes int64
	Product     int64 // of FLOP, that of matrix products
}

func (e *Effort) add(flop, bytes, product int64) {
	e.FLOP += flop
	e.Bytes += bytes
	e.Product += product
}

// Collective is one collective over one range of a buffer: what the operation that
// names it does. The ranges of a group's ranks are the same.
type Collective struct {
	Name     string
	Group    int32         // index in Job.Groups
	Once     bool          // it runs in the start phase, and in no step
	Range    Range         // the output; of a schedule in place, the input too
	Input    Range         // of a schedule out of place: see OutOfPlace
	Schedule coll.Schedule // over the ranks of the group

	ElemBytes int64     // of the buffers
	Protocol  *Protocol // of its messages; nil: nothing beside the data
	Counts    *Counts   // of sizes that are decided in each step; nil: the sizes are known
	// Formula: no message is sent. It ends on all ranks of its group at once, so long after the last of them has begun it.
	Formula bool
	Takes   unit.Duration // with Formula
	Between bool          // with Formula: its ranks are on several hosts

	goal    coll.Goal                   // of a schedule out of place
	layout  coll.Layout                 // and where its chunks lie; nil: in place
	size    func(member, block int) int // and the sizes that it is made of
	largest int64                       // and the elements of its largest chunk
	through int64                       // elements of the range that are room for what passes through
}

// OneWay reports whether the first of two members sends to the second, which sends nothing, as stages do.
func (c *Collective) OneWay() bool {
	g, ok := coll.GoalOf(c.Schedule)
	return ok && c.Schedule.Ranks() == 2 && g.Collective == coll.SendReceive && g.From(0) < 0
}

// OutOfPlace returns c with an input. A member of the group has size(member, block) elements for
// each block of it: of an all-to-all what it sends to member `block`, of a gather block 0, all it
// has. See coll.BlockLayout.
func (c Collective) OutOfPlace(input Range, goal coll.Goal, size func(member, block int) int) Collective {
	c.Input, c.goal, c.layout, c.size, c.largest = input, goal, coll.BlockLayout(c.Schedule, goal, size), size, 0
	for m := range c.Schedule.Ranks() {
		for b := range c.blocks() {
			c.largest = max(c.largest, largestPiece(c.Schedule, int64(size(m, b))))
		}
	}
	return c
}

// blocks is how many blocks a member has, out of place.
func (c *Collective) blocks() int {
	chunks := max(coll.Inputs(c.Schedule), c.Schedule.Chunks())
	if c.goal.Collective == coll.AllToAll { // behind the blocks of the output what passes through may have room
		chunks = coll.Inputs(c.Schedule)
	}
	return chunks / coll.Slices(c.Schedule)
}

// Buffer returns which buffer of the job the schedule's input or output is in.
func (c *Collective) Buffer(b coll.Buffer) int32 {
	if b == coll.In {
		return c.Input.Buffer
	}
	return c.Range.Buffer
}

// Chunk returns the bytes of one chunk of a member of the group, within the buffer. Of sizes that
// are decided in each step it takes those that are declared for the first.
func (c *Collective) Chunk(member int, b coll.Buffer, channel, chunk int) (off, length int64) {
	if c.layout == nil {
		return c.ChunkBy(nil, b, channel, chunk)
	}
	lo, hi := c.layout(member, b, channel, chunk)
	return c.bytes(b, lo, hi)
}

// ChunkBy is Chunk of the member that a layout is of, quicker for one chunk after the other; nil: of a
// schedule in place.
func (c *Collective) ChunkBy(own *coll.RankLayout, b coll.Buffer, channel, chunk int) (off, length int64) {
	lo, hi := 0, 0
	if own == nil {
		lo, hi = coll.ChunkRange(c.Schedule, int(c.Range.Elems), channel, chunk)
	} else {
		lo, hi = own.Chunk(b, channel, chunk)
	}
	return c.bytes(b, lo, hi)
}

// bytes returns where elements of the range or of the input are in their buffer.
func (c *Collective) bytes(b coll.Buffer, lo, hi int) (off, length int64) {
	start := c.Range.Offset
	if b == coll.In {
		start = c.Input.Offset
	}
	return (start + int64(lo)) * c.ElemBytes, int64(hi-lo) * c.ElemBytes
}

// LayoutOf returns where the chunks of a member lie, nil of a schedule in place: as declared or,
// with counts, as they say when it is asked.
func (c *Collective) LayoutOf(member int, n *MemberCounts) *coll.RankLayout {
	if c.layout == nil {
		return nil
	}
	size := c.size
	if n != nil {
		passing := map[[2]int32]int{} // who sends to whom: index in Through
		for k, of := range coll.Through(c.Schedule, member) {
			passing[of] = k
		}
		size = func(from, to int) int {
			switch {
			case from == member:
				return n.Send[to]
			case to == member:
				return n.Receive[from]
			}
			return n.Through[passing[[2]int32{int32(from), int32(to)}]]
		}
	}
	return coll.NewRankLayout(c.Schedule, c.goal, member, size)
}

// Owned visits the elements [lo, hi) of the range that a member of the group has before an
// all-gather, or after a reduce-scatter, in order. It panics where nobody does: see owned.
func (c *Collective) Owned(member int, visit func(lo, hi int)) {
	owner := owned(c.Schedule, coll.AllGather)
	if owner == nil {
		owner = owned(c.Schedule, coll.ReduceScatter)
	}
	for ch := range c.Schedule.Channels() {
		for k := range c.Schedule.Chunks() {
			if int(owner(ch, k)) == member {
				visit(coll.ChunkRange(c.Schedule, int(c.Range.Elems), ch, k))
			}
		}
	}
}

// owned returns who has which chunk before the schedule of an all-gather, or after that of a
// reduce-scatter, nil if it is none.
func owned(s coll.Schedule, c coll.Collective) func(channel, chunk int) int32 {
	if goal, ok := coll.GoalOf(s); ok && goal.Collective == c {
		return goal.Owner
	}
	return nil
}

// Bytes returns the size of the collective's range; of sizes that are decided in each step, of which the range has room for
// the most, what is declared for its first member.
func (c *Collective) Bytes() unit.Bytes {
	elems := c.Range.Elems - c.through
	if c.Counts != nil {
		elems = 0
		for m := range c.Schedule.Ranks() {
			elems += int64(c.Counts.Declared(0, m, 0))
		}
	}
	return unit.Bytes(elems * c.ElemBytes)
}

// AppendTraffic appends what a member sends in a channel, peer by peer: see coll.AppendTraffic. Of
// sizes that are decided in each step it takes those that are declared for the first.
func (c *Collective) AppendTraffic(to []coll.Traffic, member, channel int) []coll.Traffic {
	if c.size == nil {
		return coll.AppendTraffic(to, c.Schedule, member, channel, int(c.Range.Elems))
	}
	return coll.AppendBlocks(to, c.Schedule, member, channel, c.size)
}

// For returns how many elements the other members of an all-to-all have for one, as declared for the first step: what passes
// through it does not count.
func (c *Collective) For(member int) (elems int64) {
	for m := range c.Schedule.Ranks() {
		if m != member {
			elems += int64(c.size(m, member))
		}
	}
	return elems
}

// SlotBytes returns the size of one staging slot: the largest chunk.
func (c *Collective) SlotBytes() int64 {
	if c.layout != nil {
		return c.largest * c.ElemBytes
	}
	return int64(coll.MaxChunk(c.Schedule, int(c.Range.Elems))) * c.ElemBytes
}

// Slots is how a staging area is laid out: by channel, then slot.
type Slots struct {
	Channels, PerChannel int64
	Bytes                int64 // of a slot: the largest chunk
}

// Slots returns the layout of the collective's staging.
func (c *Collective) Slots() Slots {
	return Slots{int64(c.Schedule.Channels()), int64(c.Schedule.Slots()), c.SlotBytes()}
}

// Off returns where a slot begins.
func (s Slots) Off(channel int, slot int32) int64 {
	return (int64(channel)*s.PerChannel + int64(slot)) * s.Bytes
}

// Count returns how many slots there are.
func (s Slots) Count() int64 { return s.Channels * s.PerChannel }

// MaxAreas is the largest number of staging areas that a rank has for one collective.
const MaxAreas = 2

// Areas returns how many staging areas a rank has for a collective of a schedule. Steps use them
// in turn. With credit one is enough: a slot is written when its receiver has said that it is free.
func Areas(s coll.Schedule) int64 {
	if coll.NeedsCredit(s) {
		return 1
	}
	return MaxAreas
}

// Areas returns how many staging areas a rank has for the collective.
func (c *Collective) Areas() int64 {
	if c.Once {
		return 1
	}
	return Areas(c.Schedule)
}

// StagingBytes returns the size of one staging area.
func (c *Collective) StagingBytes() int64 {
	s := c.Slots()
	return s.Count() * s.Bytes
}
