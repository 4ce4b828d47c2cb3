package train

import (
	"slices"

	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// Outcome is what a training without a network comes to.
type Outcome struct {
	Weights   [][]float32 // by replica, in the order in which one rank holds them
	Gradients [][]float32 // likewise: of the last update, summed over micro-batches and replicas
	Losses    []float64   // by step: mean over the global batch
}

// Oracle trains cfg in one process and one loop: every replica's micro-batches, whole models with
// memory of their own for each, then each bucket's all-reduce by coll.Execute, then every replica's
// update. Where each micro-batch has an update, it goes through the stages' timetables instead, for
// they say which weights a pass meets. A Job that ran over any network must hold these weights, bit
// for bit. Tensor-parallel ranks add up products in another order than whole layers do, which the
// oracle has: their weights differ in the last bits.
func Oracle(cfg Config) (*Outcome, error) {
	p, err := newPlan(&cfg)
	if err != nil {
		return nil, err
	}
	if err := fits(&cfg); err != nil {
		return nil, err
	}
	o := oracle{cfg: &cfg, t: cfg.Work.Training, p: &p}
	o.counts = newCounts(&cfg, &p, cfg.Replicas, cfg.Batch, o.t.Layout)
	for l := range cfg.Model.Layers() {
		o.layers = append(o.layers, cfg.Model.Layer(l, cfg.Kernel))
	}
	for range cfg.Replicas {
		o.replicas = append(o.replicas, replica{params: slices.Clone(cfg.params()),
			grads: make([]float32, cfg.Model.Params()), sums: make([]float32, cfg.Model.Params()), state: cfg.state()})
	}
	for d := range o.replicas {
		o.replicas[d].weights = o.replicas[d].params
		if o.t.Precision.Masters() {
			o.replicas[d].weights = make([]float32, cfg.Model.Params())
			o.round(&o.replicas[d], 0, cfg.Model.Params())
		}
	}
	out := &Outcome{}
	for step := range p.steps {
		out.Losses = append(out.Losses, o.step(step))
	}
	o.share()
	for _, r := range o.replicas {
		out.Weights, out.Gradients = append(out.Weights, r.params), append(out.Gradients, r.grads)
	}
	return out, nil
}

// oracle is a training in one loop.
type oracle struct {
	cfg      *Config
	t        *workload.Training
	p        *plan
	layers   []nn.Layer
	counts   *counts
	replicas []replica
}

// replica is a whole model.
type replica struct {
	params, grads []float32
	weights       []float32   // that passes meet: params, or those rounded
	state         [][]float32 // of the optimiser
	sums          []float32   // over replicas, with shards of gradients: of the step so far
	micro         []micro
	loss          float64 // sum over the micro-batches of a step
}

// micro is a micro-batch on its way.
type micro struct {
	x, d   [][]float32 // by layer: inputs, and the gradient with respect to its output
	saved  []nn.Saved
	params []float32 // that the forwards met, where they are kept
}

// visit is a micro-batch's pass through a virtual stage.
type visit struct {
	run, micro int
	backward   bool
}

// step takes all micro-batches of a step forward and backward and returns the mean loss.
func (o *oracle) step(step int64) float64 {
	for d := range o.replicas {
		o.replicas[d].loss = 0
		o.replicas[d].micro = make([]micro, o.t.Layout.MicroBatches)
	}
	each := o.t.Layout.Update == workload.UpdateEach
	for _, v := range o.visits() {
		lo, hi := o.t.Layout.Run(len(o.layers), v.run)
		if o.t.Layout.EP > 1 || o.meets() {
			o.together(step, v, lo, hi)
		} else {
			o.apart(step, v, lo, hi)
		}
		if o.scatters() && v.backward {
			o.accumulate(v, lo, hi)
		}
		if each && v.backward {
			o.update(step, v.micro, lo, hi)
		}
	}
	if !each {
		o.update(step, 0, 0, len(o.layers))
	}
	sum := 0.0
	for _, r := range o.replicas {
		sum += r.loss / float64(o.t.Layout.MicroBatches)
	}
	return sum / float64(len(o.replicas))
}

// apart takes a micro-batch of each replica through layers [lo, hi), or back.
func (o *oracle) apart(step int64, v visit, lo, hi int) {
	for d := range o.replicas {
		if v.backward {
			o.backward(&o.replicas[d], v, lo, hi)
		} else {
			o.forward(&o.replicas[d], d, step, v, lo, hi)
		}
	}
}

// visits is an order of a step's passes.
func (o *oracle) visits() (all []visit) {
	l := o.t.Layout
	if l.Update == workload.UpdateEach {
		return joint(l)
	}
	n := l.Chunks()
	for m := range l.MicroBatches {
		for q := range n {
			all = append(all, visit{q, m, false})
		}
		for q := range n {
			all = append(all, visit{n - 1 - q, m, true})
		}
	}
	return all
}

// joint merges the stages' timetables: each stage goes as far as what it needs is there.
func joint(l workload.Layout) (all []visit) {
	tables, pc := make([][]workload.Pass, l.PP), make([]int, l.PP)
	left := 0
	for s := range tables {
		tables[s] = l.Schedule.Timetable(l.PP, l.Virtual, l.MicroBatches, s)
		left += len(tables[s])
	}
	done := map[visit]bool{}
	for left > 0 {
		before := left
		for s, table := range tables {
			for ; pc[s] < len(table); pc[s]++ {
				v := visit{table[pc[s]].Chunk*l.PP + s, table[pc[s]].Micro, table[pc[s]].Backward}
				needs := visit{v.run - 1, v.micro, false}
				if v.backward {
					needs = visit{v.run + 1, v.micro, v.run < l.Chunks()-1}
				}
				if v.backward && v.run == l.Chunks()-1 {
					needs.run = v.run
				}
				if needs.run >= 0 && !done[needs] {
					break
				}
				done[v] = true
				all = append(all, v)
				left--
			}
		}
		if left == before {
			panic("train: the timetables wait for each other")
		}
	}
	return all
}

// forward takes a micro-batch of replica d through layers [lo, hi).
func (o *oracle) forward(r *replica, d int, step int64, v visit, lo, hi int) {
	n, m := o.t.Rows(), &r.micro[v.micro]
	rows := o.p.rows(step, d*o.cfg.Batch+v.micro*n, n)
	if lo == 0 {
		o.enter(m, r, rows)
	}
	for l := lo; l < hi; l++ {
		first, end := o.cfg.Model.LayerRange(l)
		m.x[l+1], m.saved[l] = make([]float32, n*o.layers[l].Out()), o.layers[l].NewSaved(n)
		o.layers[l].Forward(m.x[l+1], m.x[l], r.weights[first:end], n, m.saved[l],
			&nn.Pass{Train: true, Seed: o.cfg.Seed, Step: o.p.first + step, Layer: l, Samples: rows, Tokens: o.tokens(m)})
		copy(m.params[first:end], r.weights[first:end])
		stored(o.t.Precision.Activations, m.x[l+1])
	}
	if hi == len(o.layers) {
		o.compare(r, m, step, v, rows)
	}
}

// compare makes the loss of a micro-batch whose outputs are there, and the gradient that goes back from it.
func (o *oracle) compare(r *replica, m *micro, step int64, v visit, rows []int) {
	n, hi := len(rows), len(o.layers)
	labels := make([]int32, n*o.cfg.Model.Targets())
	o.cfg.Train.ReadLabels(labels, rows)
	m.d[hi-1] = make([]float32, len(m.x[hi]))
	mean, _ := o.cfg.Model.Loss(o.cfg.Kernel, m.d[hi-1], m.x[hi], labels, o.counts.over(step, v.micro))
	r.loss += mean
	o.layers[hi-1].Through(m.d[hi-1], m.x[hi])
	stored(o.t.Precision.Activations, m.d[hi-1])
}

// enter begins a micro-batch of some rows.
func (o *oracle) enter(m *micro, r *replica, rows []int) {
	m.x, m.d = make([][]float32, len(o.layers)+1), make([][]float32, len(o.layers))
	m.saved, m.params = make([]nn.Saved, len(o.layers)), make([]float32, len(r.weights))
	m.x[0] = make([]float32, len(rows)*o.cfg.Model.Inputs())
	o.cfg.Train.ReadInputs(m.x[0], rows)
}

// stored makes each element what it is in a format.
func stored(f workload.Format, v []float32) {
	if f == workload.BFloat16 {
		nn.RoundBFloat16(v)
	}
}

// round makes the weights [lo, hi) that passes meet of those that updates move.
func (o *oracle) round(r *replica, lo, hi int) {
	if o.t.Precision.Masters() {
		copy(r.weights[lo:hi], r.params[lo:hi])
		stored(o.t.Precision.Weights, r.weights[lo:hi])
	}
}

// tokens are a micro-batch's, where the model takes text.
func (o *oracle) tokens(m *micro) []float32 {
	if o.cfg.Model.TakesText() {
		return m.x[0]
	}
	return nil
}

// backward takes a micro-batch back through layers [lo, hi).
func (o *oracle) backward(r *replica, v visit, lo, hi int) {
	n, m, params := o.t.Rows(), &r.micro[v.micro], r.weights
	if o.t.Layout.Stash {
		params = m.params
	}
	for l := hi - 1; l >= lo; l-- {
		first, end := o.cfg.Model.LayerRange(l)
		if l < o.t.Trained {
			break
		}
		var dx []float32
		if l > o.t.Trained {
			dx = make([]float32, len(m.x[l]))
			m.d[l-1] = dx
		}
		g := make([]float32, end-first)
		o.layers[l].Backward(dx, g, m.d[l], m.x[l], params[first:end], n, m.saved[l])
		if dx != nil {
			o.layers[l-1].Through(dx, m.x[l])
			stored(o.t.Precision.Activations, dx)
		}
		if v.micro == 0 || o.t.Layout.Update == workload.UpdateEach || o.scatters() {
			copy(r.grads[first:end], g)
			continue
		}
		for i, x := range g {
			r.grads[first+i] += x
		}
	}
}

// update sums the gradients of layers [lo, hi) over the replicas, bucket by bucket, and moves all
// replicas by the mean.
func (o *oracle) update(step int64, micro, lo, hi int) {
	before := o.t.Layout.Zero == workload.ZeroOptimiser // copies are summed before replicas are
	if before {
		o.sumTied()
	}
	if !o.scatters() {
		o.sum(lo, hi)
	}
	if !before {
		o.sumTied()
	}
	first, _ := o.cfg.Model.LayerRange(lo)
	_, end := o.cfg.Model.LayerRange(hi - 1)
	for d := range o.replicas {
		r := &o.replicas[d]
		var state [][]float32
		for _, v := range r.state {
			state = append(state, v[first:end])
		}
		if o.scatters() {
			copy(r.grads, r.sums)
		}
		move := o.cfg.Optimiser.ClippedAll(o.p.move(step, micro, &o.t.Layout, o.cfg.Replicas), r.grads, o.cfg.Model.Uncounted())
		o.cfg.Optimiser.StepAll(r.params[first:end], r.grads[first:end], state, move, o.cfg.Model.Running(), first)
		for _, t := range o.cfg.Model.Ties() {
			if before {
				t.Share(r.params)
			}
		}
		o.round(r, first, end)
	}
}

// sumTied makes the gradients of both copies of what is tied their sum.
func (o *oracle) sumTied() {
	for d := range o.replicas {
		for _, t := range o.cfg.Model.Ties() {
			t.Sum(o.replicas[d].grads)
		}
	}
}

// scatters reports whether gradients are summed over the replicas micro-batch by micro-batch.
func (o *oracle) scatters() bool { return o.t.Layout.Zero >= workload.ZeroGradients }

// accumulate sums the gradients of a micro-batch over the replicas, and adds them to those before.
func (o *oracle) accumulate(v visit, lo, hi int) {
	o.sum(lo, hi)
	first, _ := o.cfg.Model.LayerRange(lo)
	_, end := o.cfg.Model.LayerRange(hi - 1)
	for d := range o.replicas {
		sums, grads := o.replicas[d].sums[first:end], o.replicas[d].grads[first:end]
		if v.micro == 0 {
			copy(sums, grads)
			continue
		}
		for i, g := range grads {
			sums[i] += g
		}
	}
}

// sum runs the all-reduces of the buckets that are of layers [lo, hi), or, with ZeRO, reduce-scatters
// and all-gathers.
func (o *oracle) sum(lo, hi int) {
	for s := range o.t.Stages {
		st := &o.t.Stages[s]
		for _, k := range st.Buckets {
			if o.t.Layout.EP > 1 {
				o.sumSpread(st, &k)
				continue
			}
			of := slices.IndexFunc(st.Layers, func(h workload.Held) bool { return h.Offset == k.Offset && h.Elems > 0 })
			if l := st.Layers[of].Layer; l < lo || l >= hi {
				continue
			}
			first, end := o.cfg.Model.LayerRange(st.Layers[of].Layer)
			for _, h := range st.Layers[of:] { // a bucket's layers are of one virtual stage
				if h.Offset < k.Offset+k.Elems {
					_, end = o.cfg.Model.LayerRange(h.Layer)
				}
			}
			bufs := make([][]float32, len(o.replicas))
			for d := range o.replicas {
				bufs[d] = o.replicas[d].grads[first:end]
			}
			for _, c := range []int32{k.Sum, k.Gather} {
				if c >= 0 {
					o.execute(o.cfg.Work.Collectives[c].Schedule, bufs)
				}
			}
		}
	}
}

// execute runs a schedule on gradients as they go over the wire.
func (o *oracle) execute(s coll.Schedule, bufs [][]float32) {
	if o.t.Precision.Wire == workload.Float32 {
		coll.Execute(s, bufs)
		return
	}
	for _, b := range bufs {
		stored(o.t.Precision.Wire, b)
	}
	coll.ExecuteBy(s, bufs, func(dst, src []float32) {
		nn.Add(dst, src[:len(dst)])
		stored(o.t.Precision.Wire, dst)
	})
}

// OneRank trains cfg on a single replica that takes whole global batches.
func OneRank(cfg Config) (*Outcome, error) {
	p, err := newPlan(&cfg)
	if err != nil {
		return nil, err
	}
	return oneRank(&cfg, &p, func(int64) bool { return true }), nil
}

// oneRank trains on one rank. Before each step it tells how many are done; told to stop there, it
// returns nil.
func oneRank(cfg *Config, p *plan, goOn func(done int64) bool) *Outcome {
	replica, running := cfg.Model.NewReplica(cfg.params(), p.global, cfg.Kernel), cfg.Model.Running()
	state, one := cfg.state(), workload.Layout{MicroBatches: 1}
	o := &Outcome{Weights: [][]float32{replica.Params}, Gradients: [][]float32{replica.Grads}}
	for step := range p.steps {
		if !goOn(step) {
			return nil
		}
		o.Losses = append(o.Losses, gradients(cfg, replica, p.first+step, p.rows(step, 0, p.global)))
		move := cfg.Optimiser.ClippedAll(p.move(step, 0, &one, 1), replica.Grads, cfg.Model.Uncounted())
		cfg.Optimiser.StepAll(replica.Params, replica.Grads, state, move, running, 0)
	}
	return o
}

// gradients runs one micro-batch forward and backward and returns its mean loss.
func gradients(cfg *Config, r *nn.Replica, step int64, rows []int) float64 {
	r.At(cfg.Seed, step)
	r.LoadRows(cfg.Train, rows)
	for l := range cfg.Model.Layers() {
		r.Forward(l)
	}
	loss, _ := r.Loss()
	for l := cfg.Model.Layers() - 1; l >= 0; l-- {
		r.Backward(l)
	}
	return loss
}
