package train

import (
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// place puts a rank's shard of parameters where those of the whole bucket come together.
func (j *Job) place(id int32, r *rank, w *workload.Body) {
	shard, bucket, size := r.stored(w.X), r.stored(w.Y), r.of[w.Y.Buffer].ElemBytes
	j.work.Owned(id, w.Bucket, func(lo, hi int64) { shard = shard[copy(bucket[lo*size:hi*size], shard):] })
}

// accumulate adds what a rank owns of a bucket's summed gradients to its shard, or begins it with them.
func (j *Job) accumulate(id int32, r *rank, w *workload.Body) {
	shard, bucket := r.on(w.Grads), r.on(w.X)
	j.work.Owned(id, w.Bucket, func(lo, hi int64) {
		if w.Adds {
			nn.Add(shard[:hi-lo], bucket[lo:hi])
		} else {
			copy(shard, bucket[lo:hi])
		}
		shard = shard[hi-lo:]
	})
}

// update moves the weights of a bucket, with ZeRO those that the rank owns of it, and rounds them to those that
// passes meet, where these are others. What is held in shards lies there one after the other.
func (j *Job) update(id int32, r *rank, step int64, w *workload.Body) {
	state := r.state[:len(j.cfg.Optimiser.State())]
	move := j.cfg.Optimiser.Clipped(j.plan.move(step, w.Micro, &j.work.Layout, j.cfg.Replicas), r.on(w.X))
	zero, from := j.work.Layout.Zero, j.masters().sharded
	at := int64(0)          // in shards
	begin := w.Grads.Offset // in the stage's vectors
	if zero > workload.ZeroNone {
		begin = j.work.Stages[r.at.Stage].Buckets[w.Bucket].Offset
	}
	part := func(lo, hi int64) {
		of := func(x workload.Range, sharded workload.Zero) workload.Range {
			if x.Elems == 0 {
				return x
			}
			if zero >= sharded {
				return workload.Range{Buffer: x.Buffer, Offset: x.Offset + at, Elems: hi - lo}
			}
			return workload.Range{Buffer: x.Buffer, Offset: x.Offset + lo, Elems: hi - lo}
		}
		for i := range state {
			state[i] = r.on(of(w.State[i], workload.ZeroOptimiser))
		}
		params := r.on(of(w.Params, from))
		j.cfg.Optimiser.StepAll(params, r.on(of(w.Grads, workload.ZeroGradients)), state, move, r.running, int(begin+lo))
		r.store(of(w.Y, workload.ZeroParameters), params)
		at += hi - lo
	}
	if zero == workload.ZeroNone {
		part(0, w.Grads.Elems)
		return
	}
	j.work.Owned(id, w.Bucket, part)
}

// round makes the weights that passes meet of masters, a whole vector of a rank's stage.
func (j *Job) round(id int32, r *rank, st *workload.Stage, masters []float32) {
	if j.work.Layout.Zero < workload.ZeroParameters {
		r.store(workload.Range{Buffer: st.Parameters, Elems: st.Params()}, masters)
		return
	}
	at := int64(0)
	for _, s := range j.work.Shards[id] {
		r.store(workload.Range{Buffer: st.Parameters, Offset: at, Elems: s.Elems}, masters[s.Offset:][:s.Elems])
		at += s.Elems
	}
}

// room returns room for a whole vector of a rank's stage, and what puts it into the buffer: that is the
// buffer itself, or of a vector in shards the rank's shard.
func (j *Job) room(id int32, buffer []float32, st *workload.Stage, sharded workload.Zero) ([]float32, func()) {
	if j.work.Layout.Zero < sharded {
		return buffer, func() {}
	}
	whole := make([]float32, st.Params())
	return whole, func() {
		rest := buffer
		for _, s := range j.work.Shards[id] {
			rest = rest[copy(rest, whole[s.Offset:][:s.Elems]):]
		}
	}
}

// whole returns a vector of a place's stage: of shards one that it puts together from what all
// replicas have of it, of experts those that have the place's.
func (j *Job) whole(at workload.Coord, v vector, of func(id int) []float32) []float32 {
	l, st := j.work.Layout, &j.work.Stages[at.Stage]
	if l.Zero < v.sharded {
		return of(l.Rank(at))
	}
	all, experts := make([]float32, st.Params()), at.Data%l.EP
	for at.Data = range l.DP {
		id := l.Rank(at)
		from := of(id)
		for _, s := range j.work.Shards[id] {
			if at.Data%l.EP == experts || !st.Own(s.Offset) {
				copy(all[s.Offset:][:s.Elems], from)
			}
			from = from[s.Elems:]
		}
	}
	return all
}

// shardElems is the length of a rank's shard of any vector of its stage.
func (j *Job) shardElems(id int32) (n int64) {
	for _, s := range j.work.Shards[id] {
		n += s.Elems
	}
	return n
}
