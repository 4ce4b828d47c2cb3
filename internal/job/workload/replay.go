package workload

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// ReplayBucket is gradients that are summed together.
type ReplayBucket struct {
	Compute unit.Duration // backward until they are there, after the bucket before
	Elems   int64         // of float32
}

// ReplayConfig is a step of a data-parallel training of which only durations and sizes are known.
type ReplayConfig struct {
	Ranks    int
	Forward  unit.Duration
	Buckets  []ReplayBucket // in the order in which backward makes them
	Update   unit.Duration
	Schedule coll.Schedule // an all-reduce of all ranks; nil with one rank
	Protocol *Protocol     // nil: nothing beside the data
	Device   Device        // launches collectives and reduces
	Slow     map[int32]unit.Ratio
}

// Replay returns a job whose step takes given durations: forward, a backward for each bucket, and
// update once all buckets are summed. Each bucket is all-reduced as soon as its gradients are there.
// It has the buffer of the gradients, and no work that could be bound to it.
//
//	stream 0  forward backward.bucket1 backward.bucket2              update
//	                                |                |                ^
//	stream 1                        +-> bucket1      +-> bucket2 -----+
func Replay(c ReplayConfig) (*Job, error) {
	if c.Ranks < 1 || len(c.Buckets) == 0 {
		return nil, fmt.Errorf("replay of %d buckets on %d ranks, want at least 1 of each", len(c.Buckets), c.Ranks)
	}
	j := &Job{Of: make([]int32, c.Ranks), Buffers: []Buffer{{Name: "gradients", Term: GradientsTerm, ElemBytes: Float32.Bytes()}}}
	if c.Ranks > 1 {
		group := Group{Name: "data-parallel", Kind: GroupKindData}
		for r := range c.Ranks {
			group.Ranks = append(group.Ranks, int32(r))
		}
		j.Groups = []Group{group}
	}
	for i, b := range c.Buckets {
		if b.Elems < 1 || b.Compute < 0 {
			return nil, fmt.Errorf("replay: bucket %d has %d elements after %v", i+1, b.Elems, b.Compute)
		}
		gradients := Range{Offset: j.Buffers[0].Elems, Elems: b.Elems}
		j.Buffers[0].Elems += b.Elems
		if c.Ranks > 1 {
			j.Collectives = append(j.Collectives, Collective{Name: fmt.Sprintf("allreduce.bucket%d", i+1), Range: gradients,
				Schedule: c.Schedule, ElemBytes: Float32.Bytes(), Protocol: c.Protocol})
		}
	}
	fast := j.replayProgram(&c, c.Device)
	for r := range j.Of {
		j.Of[r] = fast
		if slow, ok := c.Slow[int32(r)]; ok {
			d := c.Device
			d.Slow = slow
			j.Of[r] = j.replayProgram(&c, d)
		}
	}
	return j, j.Validate()
}

// replayProgram appends the program of a device and returns its index. One that is slow takes so many
// times the durations.
func (j *Job) replayProgram(c *ReplayConfig, d Device) int32 {
	p := Program{Streams: []Stream{{"compute", ComputeGroup}}, Device: d}
	if len(j.Groups) > 0 {
		p.Streams = append(p.Streams, Stream{j.Groups[0].Name, 0})
	}
	add := func(op Op, deps ...int32) int32 {
		op.ID, op.Deps, op.Body = int32(len(p.Ops)), deps, -1
		p.Ops = append(p.Ops, op)
		return op.ID
	}
	compute := func(op Op, takes unit.Duration, deps ...int32) int32 {
		op.Duration, op.Stream, op.Coll = d.slowed(takes), ComputeStream, -1
		return add(op, deps...)
	}
	made, summed, offset := compute(Op{Name: "forward"}, c.Forward), int32(-1), int64(0)
	for i, b := range c.Buckets {
		of := []Range{{Offset: offset, Elems: b.Elems}}
		offset += b.Elems
		made = compute(Op{Name: fmt.Sprintf("backward.bucket%d", i+1), Writes: of}, b.Compute, made)
		if len(j.Groups) > 0 {
			op := Op{Name: j.Collectives[i].Name, Kind: Communication, Stream: 1, Coll: int32(i), Reads: of, Writes: of}
			op.launch(d.LaunchTime(), c.Protocol)
			summed = add(op, made)
		}
	}
	// The stream runs the sums in order, so the last is the end of all.
	compute(Op{Name: "update", Reads: []Range{{Elems: offset}}}, c.Update, max(made, summed))
	j.Programs = append(j.Programs, p)
	return int32(len(j.Programs) - 1)
}
