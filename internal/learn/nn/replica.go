package nn

import "fmt"

// A Replica is one copy of a model with room for one micro-batch: what a rank
// holds in its memory.
type Replica struct {
	Params []float32 // len Model.Params()
	Grads  []float32 // same layout: mean gradient over the micro-batch

	model  *Model
	kernel Kernel
	layers []Layer
	batch  int // rows there is room for
	n      int // rows loaded
	labels []int32
	pass   Pass
	acts   [][]float32 // acts[0]: inputs, batch x Inputs; acts[l+1]: what layer l gives
	deltas [][]float32 // deltas[l]: d loss / d z of layer l, batch x its Out
	saved  []Saved     // by layer
}

// NewReplica makes a replica with its own copy of params and room for batch
// examples.
func (m *Model) NewReplica(params []float32, batch int, k Kernel) *Replica {
	return m.replica(append([]float32(nil), params...), batch, k, true)
}

func (m *Model) replica(params []float32, batch int, k Kernel, train bool) *Replica {
	if len(params) != m.Params() {
		panic(fmt.Sprintf("nn: %d parameters for a model of %d", len(params), m.Params()))
	}
	if batch < 1 {
		panic(fmt.Sprintf("nn: room for %d examples, want at least 1", batch))
	}
	r := &Replica{Params: params, model: m, kernel: k, batch: batch, labels: make([]int32, batch*m.targets),
		pass: Pass{Train: train}}
	r.acts = append(r.acts, make([]float32, batch*m.Inputs()))
	for l := range m.layers {
		layer := m.Layer(l, k)
		r.layers, r.saved = append(r.layers, layer), append(r.saved, layer.NewSaved(batch))
		r.acts = append(r.acts, make([]float32, batch*layer.Out()))
		var d []float32
		if train || l == m.Layers()-1 {
			d = make([]float32, batch*layer.Out())
		}
		r.deltas = append(r.deltas, d)
	}
	if train {
		r.Grads = make([]float32, len(params))
	}
	return r
}

// At says where in a training the next passes are: what layers draw then follows.
func (r *Replica) At(seed uint64, step int64) { r.pass.Seed, r.pass.Step = seed, step }

// Load copies the next micro-batch in: x holds n rows of Model.Inputs() values, labels
// Model.Targets() for each.
func (r *Replica) Load(x []float32, labels []int32, n int) {
	r.begin(n)
	r.pass.Samples = nil
	copy(r.labels, labels[:n*r.model.targets])
	r.checkLabels()
	copy(r.acts[0][:n*r.model.Inputs()], x[:n*r.model.Inputs()])
}

// LoadRows loads some rows of the examples, which it keeps until the next.
func (r *Replica) LoadRows(of Examples, rows []int) {
	r.begin(len(rows))
	r.pass.Samples = rows
	of.ReadLabels(r.labels[:len(rows)*r.model.targets], rows)
	r.checkLabels()
	of.ReadInputs(r.activations(0), rows)
}

func (r *Replica) begin(n int) {
	if n < 1 || n > r.batch {
		panic(fmt.Sprintf("nn: %d examples, want 1 to %d", n, r.batch))
	}
	r.n = n
}

// loaded are the labels of the loaded rows.
func (r *Replica) loaded() []int32 { return r.labels[:r.n*r.model.targets] }

func (r *Replica) checkLabels() {
	for _, label := range r.loaded() {
		if label != Ignored && (label < 0 || int(label) >= r.model.Classes()) {
			panic(fmt.Sprintf("nn: label %d for %d outputs", label, r.model.Classes()))
		}
	}
}

// Forward computes layer l from the layer before.
func (r *Replica) Forward(l int) {
	lo, hi := r.model.LayerRange(l)
	r.pass.Layer = l
	if r.model.TakesText() {
		r.pass.Tokens = r.activations(0)
	}
	r.layers[l].Forward(r.activations(l+1), r.activations(l), r.Params[lo:hi], r.n, r.saved[l], &r.pass)
}

// activations is what layer l takes of the loaded examples.
func (r *Replica) activations(l int) []float32 {
	return r.acts[l][:r.n*(len(r.acts[l])/r.batch)]
}

// delta is the gradient that Backward(l) starts from.
func (r *Replica) delta(l int) []float32 { return r.deltas[l][:r.n*r.layers[l].Out()] }

// Loss compares the last layer's outputs with the labels: their mean loss, how
// many of them have the largest output at the label, and (kept inside) the
// gradient that Backward of the last layer starts from.
func (r *Replica) Loss() (meanLoss float64, correct int) {
	last := len(r.layers) - 1
	d, y, labels := r.delta(last), r.Outputs(), r.loaded()
	meanLoss, correct = r.model.Loss(r.kernel, d, y, labels, float64(Counted(labels)))
	r.layers[last].Through(d, y)
	return meanLoss, correct
}

// Backward fills Grads[LayerRange(l)] with the mean gradient over the
// micro-batch, and makes the gradient that Backward(l-1) starts from. Call it
// after Loss, for the last layer first; layer l's inputs must be as Forward(l)
// saw them.
func (r *Replica) Backward(l int) {
	lo, hi := r.model.LayerRange(l)
	x := r.activations(l)
	trained := r.model.Trained()
	if l < trained {
		return
	}
	var dx []float32
	if l > trained {
		dx = r.delta(l - 1)
	}
	r.layers[l].Backward(dx, r.Grads[lo:hi], r.delta(l), x, r.Params[lo:hi], r.n, r.saved[l])
	if dx != nil {
		r.layers[l-1].Through(dx, x)
	}
	for _, t := range r.model.ties {
		if t.Layers[0] == l {
			t.Sum(r.Grads)
		}
	}
}

// Outputs are the last layer's activations of the loaded examples, n x
// Model.Outputs(): logits for cross entropy. Valid until the next Forward.
func (r *Replica) Outputs() []float32 { return r.activations(len(r.acts) - 1) }

// Score is how well a model does on examples.
type Score struct {
	Counted int     // labels that are not Ignored
	Correct int     // of them: the largest output is theirs
	Loss    float64 // their sum
}

// Mean is the mean loss of a label, 0 of none.
func (s Score) Mean() float64 { return s.Loss / float64(max(s.Counted, 1)) }

// Accuracy is the fraction of labels that have the largest output.
func (s Score) Accuracy() float64 { return float64(s.Correct) / float64(max(s.Counted, 1)) }

// Evaluate runs examples [lo, hi) forward.
func (m *Model) Evaluate(params []float32, of Examples, lo, hi int, k Kernel) (s Score) {
	const batch = 64
	r := m.replica(params, batch, k, false)
	rows := make([]int, 0, batch)
	for ; lo < hi; lo += batch {
		rows = rows[:0]
		for i := lo; i < min(lo+batch, hi); i++ {
			rows = append(rows, i)
		}
		r.LoadRows(of, rows)
		for l := range m.Layers() {
			r.Forward(l)
		}
		loss, correct := r.Loss()
		n := Counted(r.loaded())
		s.Counted, s.Correct = s.Counted+n, s.Correct+correct
		s.Loss += float64(loss * float64(n))
	}
	return s
}
