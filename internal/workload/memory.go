package workload

import (
	"railyard/internal/coll"
	"railyard/internal/unit"
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
	StagingData                 // what other replicas sent and is not yet summed or copied
	StagingTensor               // what other ranks of the same layers sent
	StagingPipeline             // what neighbouring stages sent
	Terms
)

var termNames = [Terms]string{"other", "weights", "stashed weights", "gradients", "optimiser", "activations", "errors",
	"whole buckets", "workspace", "staging, data-parallel", "staging, tensor-parallel", "staging, pipeline"}

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
	case GroupKindData:
		return StagingData
	case GroupKindTensor:
		return StagingTensor
	case GroupKindPipeline:
		return StagingPipeline
	}
	return Other
}

// Memory returns by formula what a rank of a training holds, from the second step on:
//
//	weights      4 B x P, P the parameters of its part of its stage's layers
//	stash        4 B x P of a run of layers, for each micro-batch in flight
//	gradients    4 B x P
//	optimiser    4 B x P for each vector of its state: one of momentum, two of Adam
//	activations  4 B x rows of a micro-batch x (inputs of each layer x micro-batches in flight
//	             + outputs of each run of layers x those that are being sent, at most Slots)
//	errors       the same with in flight only at the loss, and 1 between layers
//	buckets      4 B x the largest bucket x ZeroBuckets, of gradients and of parameters
//	workspace    a layer's gradient of a micro-batch that is to be added; of layers whose outputs are
//	             gathered, the part and the whole
//	staging      channels x slots x largest chunk, of each collective, one or two areas
//
// What ZeRO holds in shards is P/n, as the schedule cuts buckets into chunks. It counts tensors, as a
// GPU would hold them, not what the simulating process needs beside them.
func (j *Job) Memory(rank int32) (m Memory) {
	t := j.Training
	l, at := t.Layout, t.Layout.Coord(int(rank))
	st := &t.Stages[at.Stage]
	params, shard := st.Params(), j.largestShard(rank)
	vector := func(sharded Zero) unit.Bytes {
		if l.Zero >= sharded {
			return elem * unit.Bytes(shard)
		}
		return elem * unit.Bytes(params)
	}
	m[WeightsTerm], m[GradientsTerm] = vector(ZeroParameters), vector(ZeroGradients)
	m[OptimiserTerm] = unit.Bytes(len(st.State)) * vector(ZeroOptimiser)
	timetable := l.Schedule.Timetable(l.PP, l.Virtual, l.MicroBatches, at.Stage)
	for v := range l.Virtual {
		lo, hi := l.Run(t.Layers, v*l.PP+at.Stage)
		j.runMemory(&m, st, lo, hi, int64(InFlight(timetable, v)))
	}
	m[BucketTerm] = st.bucketMemory(&l)
	j.workspace(&m, st, rank)
	for _, op := range j.Program(rank).Ops {
		if op.Coll < 0 {
			continue
		}
		c := &j.Collectives[op.Coll]
		g := &j.Groups[c.Group]
		if sender := sends(c.Schedule) && g.Ranks[0] == rank; !sender {
			m[g.Staging()] += unit.Bytes(c.Areas() * c.StagingBytes())
		}
	}
	return m
}

// largestShard is what the replica with the largest shard of a rank's stage owns: all have as much room.
func (j *Job) largestShard(rank int32) (largest int64) {
	t := j.Training
	if t.Layout.Zero == ZeroNone {
		return 0
	}
	at := t.Layout.Coord(int(rank))
	for at.Data = range t.Layout.DP {
		sum := int64(0)
		for _, s := range t.Shards[t.Layout.Rank(at)] {
			sum += s.Elems
		}
		largest = max(largest, sum)
	}
	return largest
}

// runMemory adds what lies at the boundaries of the layers [lo, hi) of a stage, and stashed weights.
func (j *Job) runMemory(m *Memory, st *Stage, lo, hi int, flight int64) {
	t := j.Training
	rows, sent := int64(t.Rows()), int64(min(t.Layout.Slots, t.Layout.MicroBatches))
	add := func(term Term, width int, slots int64) { m[term] += elem * unit.Bytes(rows*int64(width)*slots) }
	for l := lo; l < hi; l++ {
		in := st.held(l).In
		add(ActivationTerm, in, flight)
		switch {
		case l > lo:
			add(ErrorTerm, in, 1)
		case l > 0:
			add(ErrorTerm, in, sent)
		}
		if t.Layout.Stash {
			m[StashTerm] += elem * unit.Bytes(st.held(l).Elems*flight)
		}
	}
	if last := st.held(hi - 1).Out; hi == t.Layers {
		add(ActivationTerm, last, 1)
		add(ErrorTerm, last, flight)
	} else {
		add(ActivationTerm, last, sent)
		add(ErrorTerm, last, sent)
	}
}

// bucketMemory is room for whole buckets: of gradients, and of parameters forward and backward.
func (s *Stage) bucketMemory(l *Layout) unit.Bytes {
	largest, passes := int64(0), int64(len(s.Buckets)*l.MicroBatches)
	for _, k := range s.Buckets {
		largest = max(largest, k.Elems)
	}
	slots := int64(0)
	if l.Zero >= ZeroGradients {
		slots += min(ZeroBuckets, passes)
	}
	if l.Zero >= ZeroParameters {
		slots += min(ZeroBuckets, 2*passes)
	}
	return elem * unit.Bytes(largest*slots)
}

// workspace adds what operations need while they run.
func (j *Job) workspace(m *Memory, st *Stage, rank int32) {
	t := j.Training
	adds := t.Layout.MicroBatches > 1 && t.Layout.Update == UpdateEnd && t.Layout.Zero < ZeroGradients
	sum, part := int64(0), 0
	for _, h := range st.Layers {
		if adds {
			sum = max(sum, h.Elems)
		}
		if h.How == Gather {
			part = max(part, t.Rows()*h.Out/t.Layout.TP)
		}
	}
	m[WorkspaceTerm] = elem * unit.Bytes(sum+int64(part))
	whole := map[int32]int64{} // by buffer: of outputs that are gathered
	for _, op := range j.Program(rank).Ops {
		if op.Coll < 0 {
			continue
		}
		c := &j.Collectives[op.Coll]
		if j.Groups[c.Group].Kind == GroupKindTensor && owned(c.Schedule, coll.AllGather) != nil {
			whole[c.Range.Buffer] = c.Range.Elems
		}
	}
	for _, elems := range whole {
		m[WorkspaceTerm] += elem * unit.Bytes(elems)
	}
}
