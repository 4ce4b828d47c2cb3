package workload

import "railyard/internal/base/unit"

// Load is the work of a copy: Body.Work. It brings the mini-batch of the step after the one that it
// runs in.
const Load = "load"

// runs returns which kind of operation a stream runs.
func (s Stream) runs() OpKind {
	switch s.Group {
	case ComputeGroup:
		return Compute
	case CopyGroup:
		return Copy
	}
	return Communication
}

// Prefetch makes each rank of a training copy what it needs of the next step's batch from host memory
// while a step runs, and of the first one in a start phase: the inputs on the first stage, the labels
// on the last. A GPU has room for two: what a copy writes no step reads that has not ended. A step ends
// when its copy has, so none begins without its batch.
//
//	start   copy  ======
//	step 0  compute     forward.1 forward.2 loss backward.2 ..
//	        copy        =======
//	step 1  compute                                            forward.1 ..
func (j *Job) Prefetch(inputs, labels unit.Bytes) error {
	body := int32(len(j.Bodies))
	j.Bodies = append(j.Bodies, Body{Work: Load})
	copies := map[int32]bool{} // by program
	for r, id := range j.Of {
		if copies[id] {
			continue
		}
		copies[id] = true
		bytes, stage := unit.Bytes(0), j.Training.Layout.Coord(r).Stage
		if stage == 0 {
			bytes += inputs
		}
		if stage == j.Training.Layout.PP-1 {
			bytes += labels
		}
		if bytes > 0 {
			j.Programs[id].prefetch(bytes, body)
		}
	}
	return j.Validate()
}

// prefetch appends copies on a stream of their own.
func (p *Program) prefetch(bytes unit.Bytes, body int32) {
	op := Op{Name: "copy.batch", Kind: Copy, Stream: int32(len(p.Streams)), Bytes: bytes, Body: body, Coll: -1}
	p.Streams = append(p.Streams, Stream{Name: "copy", Group: CopyGroup})
	first, next := op, op
	first.ID, next.ID = int32(len(p.Start)), int32(len(p.Ops))
	p.Start, p.Ops = append(p.Start, first), append(p.Ops, next)
	p.order = nil // it was that of the others
}
