package workload

import (
	"fmt"

	"railyard/internal/coll"
	"railyard/internal/unit"
)

// OpKind says who runs an operation.
type OpKind uint8

// The kinds of operation.
const (
	Compute       OpKind = iota // the device, for Duration
	Communication               // the ranks together: Step.Collectives[Coll]
)

// Phase says what a compute operation computes.
type Phase uint8

// The phases of a training step. Communication has NoPhase.
const (
	NoPhase Phase = iota
	Forward
	Loss
	Backward
	Update
)

// ComputeStream is the stream of the compute operations; communicators follow.
const ComputeStream = 0

// Op is one operation of a step.
type Op struct {
	ID       int32 // index in Step.Ops
	Name     string
	Kind     OpKind
	Stream   int32         // index in Step.Streams
	Deps     []int32       // operations of the same step that must be done, all < ID
	Duration unit.Duration // Compute: how long it runs; Communication: launch, before its first message
	Launch   unit.Duration // of that, starting kernels
	Phase    Phase
	Layer    int32 // Forward, Backward: layer from 0; else -1
	Bucket   int32 // Update: index in Step.Buckets; else -1
	Coll     int32 // Communication: index in Step.Collectives; else -1
}

// Bucket is a run of layers whose gradients travel together.
type Bucket struct {
	First, Last   int32 // layers from 0, First <= Last
	Offset, Elems int64 // range of the flat gradient vector
}

// Collective is one collective over one range of the flat gradient vector: what the
// operation that names it does.
type Collective struct {
	Name          string
	Bucket        int32
	Offset, Elems int64 // range of the flat gradient vector, in elements
	ElemBytes     int64
	Schedule      coll.Schedule
}

// Step is the template of one training step of one rank.
type Step struct {
	Ops         []Op
	Streams     []string
	Collectives []Collective
	Buckets     []Bucket
	Device      Device
}

// Range returns the bytes of one chunk within the flat gradient vector.
func (c *Collective) Range(channel, chunk int) (off, length int64) {
	lo, hi := coll.Range(int(c.Elems), c.Schedule.Channels(), c.Schedule.Chunks(), channel, chunk)
	return (c.Offset + int64(lo)) * c.ElemBytes, int64(hi-lo) * c.ElemBytes
}

// SlotBytes returns the size of one staging slot: the largest chunk.
func (c *Collective) SlotBytes() int64 {
	return int64(coll.MaxChunk(int(c.Elems), c.Schedule.Channels(), c.Schedule.Chunks())) * c.ElemBytes
}

// Slot returns where a staging slot begins. Staging is laid out by channel, then slot.
func (c *Collective) Slot(channel, slot int) int64 {
	return int64(channel*c.Schedule.Slots()+slot) * c.SlotBytes()
}

// StagingBytes returns the size of a rank's staging buffer for one run of the collective.
func (c *Collective) StagingBytes() int64 {
	return int64(c.Schedule.Channels()*c.Schedule.Slots()) * c.SlotBytes()
}

// Validate reports the first way in which the step breaks the package's invariants.
func (s *Step) Validate() error {
	for i := range s.Ops {
		op := &s.Ops[i]
		if op.ID != int32(i) {
			return fmt.Errorf("operation %q has id %d at index %d", op.Name, op.ID, i)
		}
		if op.Stream < 0 || int(op.Stream) >= len(s.Streams) {
			return fmt.Errorf("operation %q is on stream %d, there are %d", op.Name, op.Stream, len(s.Streams))
		}
		if (op.Kind == Compute) != (op.Stream == ComputeStream) {
			return fmt.Errorf("operation %q is on stream %d: compute operations run on stream 0, collectives on the "+
				"others", op.Name, op.Stream)
		}
		if op.Kind == Communication && (op.Coll < 0 || int(op.Coll) >= len(s.Collectives)) {
			return fmt.Errorf("operation %q names collective %d, there are %d", op.Name, op.Coll, len(s.Collectives))
		}
		if op.Duration < 0 {
			return fmt.Errorf("operation %q takes %v", op.Name, op.Duration)
		}
		for _, d := range op.Deps {
			if d < 0 || d >= int32(i) {
				return fmt.Errorf("operation %q depends on operation %d, want one before %d", op.Name, d, i)
			}
		}
	}
	return nil
}
