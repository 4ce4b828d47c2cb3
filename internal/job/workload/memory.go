package workload

import (
	"slices"

	"railyard/internal/base/unit"
)

// Term is what a part of a rank's memory is for.
type Term uint8

// The terms.
const (
	Other           Term = iota // of jobs that train nothing
	WeightsTerm                 // parameters, or the rank's shard of them
	StashTerm                   // parameters that forwards met and whose backwards are to come: Layout.Stash
	GradientsTerm               // of the parameters, or the rank's shard of them
	OptimiserTerm               // the optimiser's state, or the rank's shard of it
	ActivationTerm              // inputs and outputs of layers, of micro-batches in flight
	ErrorTerm                   // their gradients, which go from layer to layer
	BucketTerm                  // with ZeRO 2 and 3: whole buckets on their way
	WorkspaceTerm               // what operations need while they run, and parts of outputs that are gathered
	ExpertTerm                  // positions' rows on their way to experts and back, and how many those are
	StagingData                 // what other replicas sent and is not yet summed or copied
	StagingTensor               // what other ranks of the same layers sent
	StagingExpert               // what other ranks sent for experts, and sent back
	StagingPipeline             // what neighbouring stages sent
	ReservedTerm                // Job.Reserved
	Terms
)

var termNames = [Terms]string{"other", "weights", "stashed weights", "gradients", "optimiser", "activations", "errors",
	"whole buckets", "workspace", "rows of experts", "staging, data-parallel", "staging, tensor-parallel",
	"staging, expert-parallel", "staging, pipeline",
	"context and NCCL"}

// String is the name that tables have.
func (t Term) String() string { return termNames[t] }

// Letters are those under which the book's figure 8-1 has the term, "" if it has none: a weights, c
// activations, d errors, e local gradients, f remote gradients, g learning rates, h weight adjustments
// (Pasanen, 2025). It has b, the weighted sums, too: here an activation is applied in place, so none
// are kept.
func (t Term) Letters() string {
	return [Terms]string{WeightsTerm: "a", ActivationTerm: "c", ErrorTerm: "d", GradientsTerm: "e", OptimiserTerm: "g h",
		StagingData: "f"}[t]
}

// Memory is what a rank holds, by term.
type Memory [Terms]unit.Bytes

// All returns what it holds in all.
func (m *Memory) All() (sum unit.Bytes) {
	for _, b := range m {
		sum += b
	}
	return sum
}

// Staging returns the term of what a group's ranks send each other.
func (g *Group) Staging() Term {
	switch g.Kind {
	case GroupKindData, GroupKindNorm, GroupKindStatistics:
		return StagingData
	case GroupKindTensor:
		return StagingTensor
	case GroupKindExpert:
		return StagingExpert
	case GroupKindTied:
		return StagingPipeline
	case GroupKindPipeline:
		return StagingPipeline
	}
	return Other
}

// Memory returns what a rank of a training holds from the second step on: the buffers that its program
// touches, what forwards leave for backwards, and staging. It counts tensors, as a GPU would hold them,
// not what the simulating process needs beside them. With P parameters of the rank's part of its
// stage's layers that comes to
//
//	weights      4 B x P
//	stash        4 B x P of a virtual stage, for each micro-batch in flight
//	gradients    4 B x P
//	optimiser    4 B x P for each vector of its state: one of momentum, two of Adam; masters
//	activations  4 B x rows of a micro-batch x (inputs of each layer, and what it saves, x micro-batches in
//	             flight + outputs of each virtual stage x those that are being sent, at most Slots)
//	errors       the same with in flight only at the loss, and 1 between layers
//	buckets      4 B x the largest bucket x ZeroBuckets, of gradients and of parameters
//	workspace    a layer's gradient of a micro-batch that is to be added; of layers whose outputs are
//	             gathered, the part and the whole
//	experts      of rows that a rank sends, all copies of a micro-batch; of those that it gets, what all ranks of its group
//	             can send it: all copies that its experts may be, with a capacity as many as they take, of a model of which
//	             only the shape is known what is declared
//	staging      channels x slots x largest chunk, of each collective, one or two areas
//
// where 4 B stand for the size of what Precision says. What ZeRO holds in shards is P/n, as the schedule cuts buckets into chunks.
func (j *Job) Memory(rank int32) (m Memory) {
	p, rooms := j.Program(rank), [2]unit.Bytes{}
	for b, touched := range j.Touches(p) {
		if of := &j.Buffers[b]; touched {
			size := unit.Bytes(of.Elems * of.ElemBytes)
			m[of.Term] += size
			if of.Term == ErrorTerm && size > rooms[1] {
				rooms[1] = size
				slices.SortFunc(rooms[:], func(a, b unit.Bytes) int { return int(b - a) })
			}
		}
	}
	if j.Fused {
		m[ErrorTerm] = rooms[0] + rooms[1]
	}
	m[ReservedTerm] = j.Reserved
	for i := range p.Ops {
		op := &p.Ops[i]
		if op.Coll < 0 || j.Collectives[op.Coll].Formula || j.Reserved > 0 {
			continue
		}
		c := &j.Collectives[op.Coll]
		g := &j.Groups[c.Group]
		if sender := c.OneWay() && g.Ranks[0] == rank; !sender {
			m[g.Staging()] += unit.Bytes(c.Areas() * c.StagingBytes())
		}
	}
	j.working(&m, p)
	return m
}

// working adds what operations need while they run, and leave for others beside the buffers.
func (j *Job) working(m *Memory, p *Program) {
	t := j.Training
	type slot struct{ layer, slot int }
	saved := map[slot]bool{}
	sum, part, again := int64(0), int64(0), int64(0)
	for i := range p.Ops {
		if p.Ops[i].Body < 0 {
			continue
		}
		w := &j.Bodies[p.Ops[i].Body]
		at := slot{w.Layer, w.Slot}
		part = max(part, w.Give.Part, w.Got.Part)
		switch {
		case w.Work == Forward && !saved[at]:
			saved[at] = true
			m[ActivationTerm] += unit.Bytes(t.Precision.Kept.Bytes() * int64(t.Rows()*t.held(w.Layer).Saved))
		case w.Work == Backward && w.Adds && !j.Fused:
			sum = max(sum, w.Grads.Elems)
		}
		if w.Work == Backward {
			again = max(again, int64(t.Rows()*t.held(w.Layer).Again))
		}
	}
	m[WorkspaceTerm] += unit.Bytes(t.Precision.Kept.Bytes() * again)
	m[WorkspaceTerm] += unit.Bytes(t.Precision.Gradients.Bytes()*sum + t.Precision.Activations.Bytes()*part)
}

// held is where a layer lies in the vectors of its stage.
func (t *Training) held(layer int) *Held {
	for s := range t.Stages {
		if h := t.Stages[s].held(layer); h != nil {
			return h
		}
	}
	return nil
}
