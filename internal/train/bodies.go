package train

import (
	"fmt"

	"railyard/internal/nn"
	"railyard/internal/workload"
)

// Compute does the real work of a compute operation or a copy.
func (j *Job) Compute(id int32, step int64, op *workload.Op) {
	r, w := &j.ranks[id], &j.cfg.Work.Bodies[op.Body]
	switch w.Work {
	case workload.Forward:
		j.forward(r, step, w)
	case workload.Finish:
		r.layers[w.Layer].(nn.Share).Finish(r.on(w.Y), r.on(w.Params))
	case workload.Join:
		j.join(r, w)
	case workload.Loss:
		j.loss(r, step, w)
	case workload.Backward:
		j.backward(r, w)
	case workload.Update:
		j.update(id, r, step, w)
	case workload.Stash:
		copy(r.on(w.Y), r.on(w.X))
	case workload.SumTied:
		sumTied(r.on(w.Y), r.on(w.X))
	case workload.Place:
		j.place(id, r, w)
	case workload.Accumulate:
		j.accumulate(id, r, w)
	case workload.Load:
		j.load(r, step+1)
	default:
		panic(fmt.Sprintf("train: operation %q computes nothing that a network has", op.Name))
	}
	fill(r.on(w.Drop))
}

// rows are the images of a replica's micro-batch.
func (j *Job) rows(replica, micro int, step int64) []int {
	n := j.work.Rows()
	return j.plan.rows(step, replica*j.cfg.Batch+micro*n, n)
}

// forward makes a layer's output of a micro-batch, or the rank's part of it; the first layer takes
// images.
func (j *Job) forward(r *rank, step int64, w *workload.Body) {
	x := r.on(w.X)
	if w.Layer == 0 {
		j.inputs(x, r, w.Micro, step)
	}
	layer, rows := r.layers[w.Layer], j.work.Rows()
	y := r.on(w.Y)
	if w.Sharing.Outputs == workload.Gather {
		y = r.part[:rows*layer.Out()]
	}
	layer.Forward(y, x, r.on(w.Params), rows, r.saved[w.Layer][w.Slot], j.pass(r, step, w))
	if w.Sharing.Outputs != workload.Gather {
		return
	}
	to := r.on(w.Y)
	j.cfg.Work.Collectives[w.Coll].Owned(r.at.Tensor, func(lo, hi int) { y = y[copy(to[lo:hi], y):] })
}

// pass is what a layer knows of a micro-batch on its way forward.
func (j *Job) pass(r *rank, step int64, w *workload.Body) *nn.Pass {
	rows := j.rows(r.at.Data, w.Micro, step)
	if r.tokens != nil {
		j.cfg.Train.ReadInputs(r.tokens, rows)
	}
	r.pass = nn.Pass{Train: true, Seed: j.cfg.Seed, Step: j.plan.first + step, Layer: w.Layer,
		Samples: rows, Tokens: r.tokens}
	return &r.pass
}

// join puts the gathered parts of a layer's outputs side by side.
//
//	x  | part 0: rows x width | part 1: rows x width |    y  rows x | part 0 | part 1 |
func (j *Job) join(r *rank, w *workload.Body) {
	x, y := r.on(w.X), r.on(w.Y)
	width, whole := r.layers[w.Layer].Out(), j.layers[w.Layer].Out()
	for t := range whole / width {
		rest := r.part[:j.work.Rows()*width]
		j.cfg.Work.Collectives[w.Coll].Owned(t, func(lo, hi int) { rest = rest[copy(rest, x[lo:hi]):] })
		for i := range j.work.Rows() {
			copy(y[i*whole+t*width:][:width], r.part[i*width:])
		}
	}
}

// loss makes the gradient that the last layer's backward starts from.
func (j *Job) loss(r *rank, step int64, w *workload.Body) {
	d, y := r.on(w.D), r.on(w.Y)
	mean, _ := j.cfg.Model.Loss(j.cfg.Kernel, d, y, j.labels(r, w.Micro, step), j.counts.over(step, w.Micro))
	r.losses[step] += mean
	j.layers[w.Layer].Through(d, y)
}

// backward makes a layer's gradients of a micro-batch, or adds them to those of the ones before.
func (j *Job) backward(r *rank, w *workload.Body) {
	x, d, dx, grads := r.on(w.X), r.on(w.D), r.on(w.DX), r.on(w.Grads)
	layer, rows := r.layers[w.Layer], j.work.Rows()
	if w.Sharing.Outputs == workload.Gather { // the columns of its part
		width, whole := layer.Out(), j.layers[w.Layer].Out()
		for i := range rows {
			copy(r.part[i*width:][:width], d[i*whole+r.at.Tensor*width:])
		}
		d = r.part[:rows*width]
	}
	into := grads
	if w.Adds {
		into = r.batch[:len(grads)]
	}
	layer.Backward(dx, into, d, x, r.on(w.Params), rows, r.saved[w.Layer][w.Slot])
	if w.Adds {
		nn.Add(grads, into)
	}
	if dx != nil {
		j.layers[w.Layer-1].Through(dx, x)
	}
}

// move is an update of a step. It turns gradients that are summed over replicas, and over
// micro-batches unless each has an update of its own, into a mean.
func (p *plan) move(step int64, micro int, l *workload.Layout, replicas int) nn.Move {
	at := p.first + step
	if l.Update == workload.UpdateEach {
		return nn.Move{Step: at, Update: at*int64(l.MicroBatches) + int64(micro), Scale: 1 / float32(replicas)}
	}
	return nn.Move{Step: at, Update: at, Scale: 1 / float32(replicas*l.MicroBatches)}
}

// sumTied makes both gradients of what is tied their sum, as nn.Tie.Sum does.
func sumTied(lower, upper []float32) {
	nn.Add(lower[:len(upper)], upper)
	copy(upper, lower)
}
