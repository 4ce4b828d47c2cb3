package train

import (
	"crypto/sha256"
	"fmt"
	"math"

	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// rank is what one rank owns.
type rank struct {
	at      workload.Coord
	of      []workload.Buffer            // of the job
	buffers [][]float32                  // their memory: of those that it touches
	views   []view                       // of the body that runs
	wide    []float32                    // room for them
	staging []staging                    // by collective
	saved   [][]nn.Saved                 // by layer, then slot: what its forwards leave for their backwards
	parts   []*nn.Part                   // by layer: what it has of it
	batch   []float32                    // the gradient of a micro-batch that is to be added
	counted []workload.Span              // of its stage's vectors: whose gradients are its own to count
	running []nn.Mean                    // of them: running statistics
	squares nn.Squares                   // of them
	loss    *nn.LossPart                 // of outputs that lie in parts; else nil
	hand    nn.Hand                      // of the phase that runs
	wire    wire                         // likewise
	part    []float32                    // room for Hand.Part
	labels  []int32                      // of a micro-batch
	state   [workload.MaxState][]float32 // of an update
	tokens  []float32                    // of a micro-batch, where the model takes text
	pass    nn.Pass                      // of the forward that runs
	batches [2]batch                     // of even and odd steps; empty without copies
	losses  []float64                    // by step: sum over the micro-batches; on the last stage
	column  []float32                    // of a table of counts
	held    []holding                    // for Keep, in order of step
	norms   norms                        // of gradients back through time
	routes  routes                       // of mixtures of experts
	spare   []holding

	elsewhere bool              // in another process: it has no memory here but for what was heard of it
	last      holding           // of a rank elsewhere: what it had after the last step of which it told
	said      bool              // of a rank elsewhere: last is there
	digest    [sha256.Size]byte // likewise, of the parameters that passes meet
}

// newRank gives a rank its memory, and what it holds of a model's parameters and of the optimiser's
// state.
func (j *Job) newRank(id int32, model []float32, state [][]float32) rank {
	work, p := j.cfg.Work, j.cfg.Work.Program(id)
	r := rank{of: work.Buffers, at: j.work.Layout.Coord(int(id)), labels: make([]int32, j.work.Rows()*j.cfg.Model.Targets()),
		parts: make([]*nn.Part, len(j.layers)), saved: make([][]nn.Saved, len(j.layers)),
		losses: make([]float64, j.plan.steps)}
	if j.cfg.Model.TakesText() {
		r.tokens = make([]float32, j.work.Rows()*j.cfg.Model.Inputs())
	}
	r.buffers, r.staging = make([][]float32, len(work.Buffers)), j.stagings()
	for b, touched := range work.Touches(p) {
		if touched {
			of := &work.Buffers[b]
			r.buffers[b] = j.memory((of.Elems*of.ElemBytes + 3) / 4)
		}
	}
	st := &j.work.Stages[r.at.Stage]
	type filled struct {
		from, to []float32
		keep     func()
	}
	vectors := make([]filled, 1, 1+len(st.State))
	vectors[0].from = model
	vectors[0].to, vectors[0].keep = j.room(id, r.buffers[st.Masters], st, j.masters().sharded)
	for i, buffer := range st.State {
		to, keep := j.room(id, r.buffers[buffer], st, workload.ZeroOptimiser)
		vectors = append(vectors, filled{state[i], to, keep})
	}
	for _, h := range st.Layers {
		part, pieces := j.part(&h, place(h.Way, &j.work.Layout, r.at))
		r.parts[h.Layer] = part
		if last := len(j.layers) - 1; h.Layer == last && part.Out != j.layers[last].Out() {
			r.loss = j.cfg.Model.LossPart(j.cfg.Kernel, r.at.Tensor, j.work.Layout.TP)
		}
		for _, v := range vectors { // no piece may have all of it
			clear(v.to[h.Offset : h.Offset+h.Elems])
		}
		lo, _ := j.cfg.Model.LayerRange(h.Layer)
		for _, p := range pieces {
			for _, v := range vectors {
				copy(v.to[int(h.Offset)+p.Part:][:p.Elems], v.from[lo+p.Whole:])
			}
		}
	}
	if st.Masters != st.Parameters {
		j.round(id, &r, st, vectors[0].to)
	}
	for _, v := range vectors {
		v.keep()
	}
	r.running = j.runningOf(st, r.at)
	if j.cfg.Optimiser.Clip > 0 {
		r.counted = j.countedBy(r.at)
	}
	r.awaits(work.StartRange(id))
	j.makeBatches(&r, p)
	r.scratch(work, p, j.work.Rows())
	r.wide = make([]float32, Views(work, p))
	if j.cfg.Norms {
		r.norms = newNorms(r.saved, j.plan.steps)
	}
	if j.cfg.Routes {
		r.routes = newRoutes(j.layers, r.saved, j.plan.steps)
	}
	return r
}

// scratch makes room for what the bodies of a program keep between them, and within.
func (r *rank) scratch(work *workload.Job, p *workload.Program, rows int) {
	sum, part := 0, 0
	for i := range p.Ops {
		if p.Ops[i].Body < 0 {
			continue
		}
		w := &work.Bodies[p.Ops[i].Body]
		part = max(part, int(w.Give.Part), int(w.Got.Part))
		switch w.Work {
		case workload.Forward:
			if w.Slot >= len(r.saved[w.Layer]) {
				r.saved[w.Layer] = append(r.saved[w.Layer], r.parts[w.Layer].NewSaved(rows))
			}
		case workload.Backward:
			if w.Adds {
				sum = max(sum, r.parts[w.Layer].Params)
			}
		}
	}
	r.batch, r.part = make([]float32, sum), make([]float32, part)
}

// part returns a layer as one of the ranks that share it has it, and which parameters those are.
func (j *Job) part(h *workload.Held, part int) (*nn.Part, []nn.Piece) {
	return partOf(j.layers[h.Layer], h.Way, part, partsOf(h.Way, &j.work.Layout))
}

// partsOf is how many ranks share a layer in a way.
func partsOf(way workload.Way, l *workload.Layout) int {
	switch way {
	case workload.Spread:
		return l.EP
	case workload.Together:
		return l.DP
	}
	return l.TP
}

// place is which of them a rank is.
func place(way workload.Way, l *workload.Layout, at workload.Coord) int {
	switch way {
	case workload.Spread:
		return at.Data % l.EP
	case workload.Together:
		return at.Data
	}
	return at.Tensor
}

// partOf returns a part of so many of a layer.
func partOf(whole nn.Layer, way workload.Way, part, parts int) (*nn.Part, []nn.Piece) {
	if way == workload.Whole {
		return nn.WholePart(whole)
	}
	return whole.(nn.Splitter).Split(nn.Way(way)).Of(part, parts)
}

// memory returns so many elements that nobody has written yet.
func (j *Job) memory(elems int64) []float32 {
	m := j.cfg.Room(elems)
	if j.marked() {
		fill(m)
	}
	return m
}

// marked reports whether memory that nobody has written is NaN.
func (j *Job) marked() bool { return j.cfg.poison || j.work.Layout.Zero > workload.ZeroNone }

// fill makes all of v NaN: what is taken from there shows.
func fill(v []float32) {
	for i := range v {
		v[i] = math.Float32frombits(nothing)
	}
}

// Reduce does dst = dst + src, both of whole elements.
func (j *Job) Reduce(id int32, collective int32, dst, src exec.Ref) {
	d, to := j.written(id, dst)
	s, from := j.written(id, src)
	if j.cfg.Work.Collectives[collective].ElemBytes == 2 {
		nn.AddBFloat16(halvesOf(d, to, dst.Len), halvesOf(s, from, src.Len))
		return
	}
	if (to|from|src.Len)%4 != 0 {
		panic(fmt.Sprintf("train: %d bytes at %d of buffer %d, and at %d of %d, are not whole elements", src.Len, src.Off,
			src.Buffer, dst.Off, dst.Buffer))
	}
	nn.Add(d[to/4:(to+src.Len)/4], s[from/4:(from+src.Len)/4])
}

// Copy does dst = src, both of whole elements.
func (j *Job) Copy(id int32, _ int32, dst, src exec.Ref) {
	d, to := j.written(id, dst)
	s, from := j.written(id, src)
	copy(bytesAt(d, to, dst.Len), bytesAt(s, from, src.Len))
}

// Bytes returns the live bytes that ref names, in the machine's byte order: a driver reads a message there, or
// writes one.
func (j *Job) Bytes(id int32, ref exec.Ref) []byte {
	if ref.Len == 0 {
		return nil
	}
	r := &j.ranks[id]
	if int(ref.Buffer) < len(r.buffers) {
		return bytesAt(r.buffers[ref.Buffer], ref.Off, ref.Len)
	}
	of, area := exec.StagingOf(j.cfg.Work, ref.Buffer)
	s := &r.staging[of]
	slot, off := s.slot(area, ref)
	s.take(slot)
	return bytesAt(*slot, off, ref.Len)
}

// written returns the memory in which ref lies, and where: what is read there has been written. A slot to which
// nothing has come is NaN.
func (j *Job) written(id int32, ref exec.Ref) (of []float32, off int64) {
	r := &j.ranks[id]
	if int(ref.Buffer) < len(r.buffers) {
		return r.buffers[ref.Buffer], ref.Off
	}
	k, area := exec.StagingOf(j.cfg.Work, ref.Buffer)
	slot, off := r.staging[k].slot(area, ref)
	if *slot == nil {
		none := make([]float32, (off+ref.Len+3)/4)
		fill(none)
		return none, off
	}
	return *slot, off
}
