package nn

import "fmt"

// A Replica is one copy of a model with room for one micro-batch: what a rank
// holds in its memory.
type Replica struct {
	Params []float32 // len Model.Params()
	Grads  []float32 // same layout: mean gradient over the micro-batch

	model  *Model
	layers []Layer
	batch  int // rows there is room for
	n      int // rows loaded
	labels []uint8
	acts   [][]float32 // acts[0]: inputs, batch x sizes[0]; acts[l+1]: what layer l gives
	deltas [][]float32 // deltas[l]: d loss / d z of layer l, batch x sizes[l+1]
	saved  []*Saved    // by layer
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
	r := &Replica{Params: params, model: m, batch: batch, labels: make([]uint8, batch)}
	for l, size := range m.sizes {
		r.acts = append(r.acts, make([]float32, batch*size))
		if l < m.Layers() {
			r.layers = append(r.layers, m.Layer(l, k))
			r.saved = append(r.saved, r.layers[l].NewSaved(batch))
		}
		if l > 0 && (train || l == m.Layers()) {
			r.deltas = append(r.deltas, make([]float32, batch*size))
		}
	}
	if train {
		r.Grads = make([]float32, len(params))
	}
	return r
}

// Load copies the next micro-batch in: x holds n rows of Model.Inputs() values.
func (r *Replica) Load(x []float32, labels []uint8, n int) {
	r.begin(n)
	for i, label := range labels[:n] {
		r.setLabel(i, label)
	}
	copy(r.acts[0][:n*r.model.Inputs()], x[:n*r.model.Inputs()])
}

// LoadPixels loads the rows of a set of grey images (Model.Inputs() bytes each,
// one after the other, with their labels): a byte p becomes p/255.
func (r *Replica) LoadPixels(pixels, labels []byte, rows []int) {
	r.begin(len(rows))
	for i, row := range rows {
		r.setLabel(i, labels[row])
	}
	Pixels(r.acts[0], pixels, rows, r.model.Inputs())
}

// Pixels makes inputs of the rows of a set of grey images of so many bytes each: a byte p becomes
// p/255.
func Pixels(x []float32, pixels []byte, rows []int, width int) {
	for i, row := range rows {
		to := x[i*width : (i+1)*width]
		for j, p := range pixels[row*width : (row+1)*width] {
			to[j] = grey[p]
		}
	}
}

// grey[p] is p/255, correctly rounded.
var grey = func() (g [256]float32) {
	for p := range g {
		g[p] = float32(float32(p) / 255)
	}
	return g
}()

func (r *Replica) begin(n int) {
	if n < 1 || n > r.batch {
		panic(fmt.Sprintf("nn: %d examples, want 1 to %d", n, r.batch))
	}
	r.n = n
}

func (r *Replica) setLabel(i int, label uint8) {
	if int(label) >= r.model.Outputs() {
		panic(fmt.Sprintf("nn: label %d for %d outputs", label, r.model.Outputs()))
	}
	r.labels[i] = label
}

// Forward computes layer l from the layer before.
func (r *Replica) Forward(l int) {
	lo, hi := r.model.LayerRange(l)
	r.layers[l].Forward(r.activations(l+1), r.activations(l), r.Params[lo:hi], r.n, r.saved[l])
}

// activations is what layer l takes of the loaded examples.
func (r *Replica) activations(l int) []float32 { return r.acts[l][:r.n*r.model.sizes[l]] }

// delta is the gradient that Backward(l) starts from.
func (r *Replica) delta(l int) []float32 { return r.deltas[l][:r.n*r.model.sizes[l+1]] }

// Loss compares the last layer's outputs with the labels: the mean loss, how
// many examples have their largest output at the label, and (kept inside) the
// gradient that Backward of the last layer starts from.
func (r *Replica) Loss() (meanLoss float64, correct int) {
	last := len(r.layers) - 1
	d, y := r.deltas[len(r.deltas)-1][:r.n*r.model.Outputs()], r.Outputs()
	meanLoss, correct = r.model.Loss(d, y, r.labels[:r.n])
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
	var dx []float32 // nobody wants the gradient at the pixels
	if l > 0 {
		dx = r.delta(l - 1)
	}
	r.layers[l].Backward(dx, r.Grads[lo:hi], r.delta(l), x, r.Params[lo:hi], r.n, r.saved[l])
	if l > 0 {
		r.layers[l-1].Through(dx, x)
	}
}

// Outputs are the last layer's activations of the loaded examples, n x
// Model.Outputs(): logits for cross entropy. Valid until the next Forward.
func (r *Replica) Outputs() []float32 {
	return r.acts[len(r.acts)-1][:r.n*r.model.Outputs()]
}

// Evaluate runs all images of a set (as for LoadPixels) forward and tells how
// many are classified right, and the mean loss.
func (m *Model) Evaluate(params []float32, pixels, labels []byte, k Kernel) (correct int, meanLoss float64) {
	const batch = 64
	r := m.replica(params, batch, k, false)
	rows := make([]int, 0, batch)
	sum := 0.0
	for lo := 0; lo < len(labels); lo += batch {
		rows = rows[:0]
		for i := lo; i < min(lo+batch, len(labels)); i++ {
			rows = append(rows, i)
		}
		r.LoadPixels(pixels, labels, rows)
		for l := range m.Layers() {
			r.Forward(l)
		}
		loss, hits := r.Loss()
		correct += hits
		sum += float64(loss * float64(len(rows)))
	}
	return correct, sum / float64(max(len(labels), 1))
}

// Accuracy is the fraction of a set's images that are classified right.
func (m *Model) Accuracy(params []float32, pixels, labels []byte, k Kernel) float64 {
	correct, _ := m.Evaluate(params, pixels, labels, k)
	return float64(correct) / float64(max(len(labels), 1))
}
