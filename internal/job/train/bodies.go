package train

import (
	"fmt"

	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// Compute does the real work of a compute operation or a copy.
func (j *Job) Compute(id int32, step int64, op *workload.Op) {
	r, w := &j.ranks[id], &j.cfg.Work.Bodies[op.Body]
	switch w.Work {
	case workload.Forward:
		j.forward(r, step, w)
	case workload.Loss:
		j.loss(r, step, w)
	case workload.Backward:
		j.backward(r, step, w)
	case workload.Update:
		j.update(id, r, step, w)
	case workload.Stash:
		copy(r.stored(w.Y), r.stored(w.X))
	case workload.SumTied:
		sumTied(r.on(w.Y), r.on(w.X))
	case workload.Pack:
		nn.ToBFloat16(r.halves(w.Y), r.on(w.X))
	case workload.Unpack:
		nn.FromBFloat16(r.on(w.Y), r.halves(w.X))
	case workload.SquareGradients:
		j.square(id, r, w)
	case workload.Place:
		j.place(id, r, w)
	case workload.Accumulate:
		j.accumulate(id, r, w)
	case workload.Load:
		j.load(r, step+1)
		return // it may run beside another body, and has none of the ranges
	default:
		panic(fmt.Sprintf("train: operation %q computes nothing that a network has", op.Name))
	}
	r.settle()
	r.drop(w.Drop)
}

// rows are the images of a replica's micro-batch.
func (j *Job) rows(replica, micro int, step int64) []int {
	n := j.work.Rows()
	return j.plan.rows(step, replica*j.cfg.Batch+micro*n, n)
}

// forward makes a layer's output of a micro-batch, or does a phase of it; the first layer takes
// images.
func (j *Job) forward(r *rank, step int64, w *workload.Body) {
	x := r.on(w.X)
	if w.Layer == 0 && w.Phase == 0 {
		x = r.to(w.X)
		j.inputs(x, r, w.Micro, step)
	}
	r.hand = nn.Hand{X: x, Y: r.to(w.Y), P: r.on(w.Params), Saved: r.saved[w.Layer][w.Slot], Pass: j.pass(r, step, w)}
	j.phase(r, &r.parts[w.Layer].Forward[w.Phase], w)
	if w.Phase == len(r.parts[w.Layer].Forward)-1 {
		r.routes.add(step, w.Layer, j.layers[w.Layer], r.hand.Saved)
	}
}

// phase runs a phase of a part, whose vectors are in the rank's hand.
func (j *Job) phase(r *rank, ph *nn.Phase, w *workload.Body) {
	h := &r.hand
	h.Rows, h.Part, h.Got, h.Give = j.work.Rows(), r.part, r.on(w.Got.On), r.to(w.Give.On)
	r.wire = wire{j: j, r: r, got: &w.Got, give: &w.Give}
	h.Wire = &r.wire
	h.Counts = j.counted(r, w)
	if w.Got.By == workload.Scatter {
		r.wire.move(&w.Got, r.at.Tensor, func(part, all []float32) { copy(part, all) })
	}
	ph.Run(h)
	if w.Give.By == workload.Gather {
		r.wire.Put(r.at.Tensor)
	}
}

// counted is where a phase counts rows, or finds them counted.
func (j *Job) counted(r *rank, w *workload.Body) []float32 {
	all, ranks := r.on(w.Gets), j.work.Layout.EP
	if w.Sends.Elems > 0 {
		all = r.on(w.Sends)
	}
	if !w.Table || len(all) == 0 {
		return all
	}
	line, me := len(all)/ranks, r.at.Data%ranks
	if w.Sends.Elems > 0 {
		return all[me*line:][:line]
	}
	column, each := r.column[:0], line/ranks
	for from := range ranks {
		column = append(column, all[from*line+me*each:][:each]...)
	}
	r.column = column
	return column
}

// wire is what a phase gives to the ranks that share the layer, and what it got from them.
type wire struct {
	j         *Job
	r         *rank
	got, give *workload.Handed
}

// move visits the places that a part has in what is gathered or scattered, and in Hand.Part.
func (w *wire) move(h *workload.Handed, part int, do func(part, all []float32)) {
	all, own := w.r.on(h.On), w.r.part[:h.Part]
	w.j.cfg.Work.Collectives[h.Coll].Owned(part, func(lo, hi int) {
		n := min(hi-lo, len(own)) // what follows a part is not of it
		do(own[:n], all[lo:lo+n])
		own = own[n:]
	})
}

// Take makes Hand.Part a part of what was gathered.
func (w *wire) Take(part int) { w.move(w.got, part, func(own, all []float32) { copy(own, all) }) }

// Put makes Hand.Part a part of what is gathered or scattered.
func (w *wire) Put(part int) { w.move(w.give, part, func(own, all []float32) { copy(all, own) }) }

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

// loss makes the gradient that the last layer's backward starts from, or does a phase of it.
func (j *Job) loss(r *rank, step int64, w *workload.Body) {
	d, y := r.to(w.D), r.on(w.Y)
	if r.loss != nil {
		j.lossPart(r, step, w)
		return
	}
	mean, _ := j.cfg.Model.Loss(j.cfg.Kernel, d, y, j.labels(r, w.Micro, step), j.counts.over(step, w.Micro))
	r.losses[step] += mean
	j.layers[w.Layer].Through(d, y)
}

// lossPart does so where the rank has a part of the outputs.
func (j *Job) lossPart(r *rank, step int64, w *workload.Body) {
	d, labels := r.to(w.D), j.labels(r, w.Micro, step)
	r.wire = wire{j: j, r: r, got: &w.Got, give: &w.Give}
	if w.Phase == 0 {
		r.loss.Gives(r.part, d, r.on(w.Y), labels)
		r.to(w.Give.On)
		r.wire.Put(r.at.Tensor)
		return
	}
	r.losses[step] += r.loss.Loss(d, labels, j.counts.over(step, w.Micro), func(part int) []float32 {
		r.wire.Take(part)
		return r.part
	})
}

// backward makes a layer's gradients of a micro-batch, or adds them to those of the ones before, or does
// a phase of it.
func (j *Job) backward(r *rank, step int64, w *workload.Body) {
	grads, part := r.on(w.Grads), r.parts[w.Layer]
	d := r.on(w.D)
	if w.Phase < len(part.Backward)-1 {
		d = r.to(w.D) // the next phase takes what this one leaves of it
	}
	r.hand = nn.Hand{X: r.on(w.X), D: d, DX: r.to(w.DX), P: r.on(w.Params), G: grads,
		Saved: r.saved[w.Layer][w.Slot]}
	if w.Adds {
		r.hand.G = r.batch[:len(grads)]
	}
	j.phase(r, &part.Backward[w.Phase], w)
	if w.Phase < len(part.Backward)-1 {
		return
	}
	r.norms.add(step, w.Layer, r.hand.Saved)
	if w.Adds {
		nn.Add(grads, r.batch[:len(grads)])
	}
	if dx := r.on(w.DX); dx != nil {
		j.layers[w.Layer-1].Through(dx, r.on(w.X))
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

// Counts says what a rank sends to the experts of others, gets and passes on: what it has counted, and what they have told it.
func (j *Job) Counts(id int32, _ int64, c int32, n workload.MemberCounts) {
	r, of := &j.ranks[id], &j.cfg.Work.Collectives[c]
	e := &j.cfg.Work.Collectives[of.Counts.Exchange]
	told, sent, me := r.on(e.Range), r.on(e.Input), r.at.Data%len(n.Send)
	table := len(sent) == 0
	rows := func(from, to int) int { // that a rank has for the experts of another
		if of.Counts.Back {
			from, to = to, from
		}
		line := told
		switch {
		case table:
			line = told[from*len(told)/len(n.Send):][:len(told)/len(n.Send)]
		case from == me:
			line = sent
		default:
			to = from // they are told by whom they come from
		}
		each, sum := len(line)/len(n.Send), 0.0
		for _, k := range line[to*each:][:each] {
			sum += float64(k)
		}
		return int(sum) * int(of.Counts.Each)
	}
	for b := range n.Send {
		n.Send[b], n.Receive[b] = rows(me, b), rows(b, me)
	}
	for k, p := range coll.Through(of.Schedule, me) {
		n.Through[k] = rows(int(p[0]), int(p[1]))
	}
}

// sumTied makes both gradients of what is tied their sum, as nn.Tie.Sum does.
func sumTied(lower, upper []float32) {
	nn.Add(lower[:len(upper)], upper)
	copy(upper, lower)
}
