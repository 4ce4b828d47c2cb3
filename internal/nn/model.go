package nn

import (
	"fmt"
	"math"
	"slices"
)

// Bounds of a model: far beyond what a simulated training run can hold, small
// enough that no index or byte count overflows.
const (
	maxWidth  = 1 << 20
	maxParams = 1 << 28
)

// A Model describes a multilayer perceptron: its layer sizes, activations and
// loss. It is immutable and holds no weights.
type Model struct {
	sizes  []int // sizes[0] inputs, then the outputs of each layer
	starts []int // starts[l]: where layer l begins in the parameter vector; one extra entry for the end
	hidden Activation
	output Activation
	loss   Loss
}

// NewMLP describes dense layers sizes[0] -> sizes[1] -> ...: hidden follows
// every layer but the last, whose output goes to the loss as it is (cross
// entropy applies the softmax itself).
func NewMLP(sizes []int, hidden Activation, loss Loss) (*Model, error) {
	if len(sizes) < 2 {
		return nil, fmt.Errorf("layers: %v has %d sizes, want at least 2 (inputs, outputs)", sizes, len(sizes))
	}
	if hidden >= activations {
		return nil, fmt.Errorf("activation: %d is none, want %s", hidden, names(activationNames[:]))
	}
	if loss >= losses {
		return nil, fmt.Errorf("loss: %d is none, want %s", loss, names(lossNames[:]))
	}
	m := &Model{sizes: slices.Clone(sizes), starts: []int{0}, hidden: hidden, output: Identity, loss: loss}
	for i, n := range sizes {
		if n < 1 || n > maxWidth {
			return nil, fmt.Errorf("layers: size %d is %d, want 1 to %d", i, n, maxWidth)
		}
		if i == 0 {
			continue
		}
		end := int64(m.starts[i-1]) + int64(n)*int64(sizes[i-1]+1)
		if end > maxParams {
			return nil, fmt.Errorf("layers: %v have more than %d parameters", sizes, maxParams)
		}
		m.starts = append(m.starts, int(end))
	}
	if last := sizes[len(sizes)-1]; last > 256 {
		return nil, fmt.Errorf("layers: the last size is %d, want at most 256 (labels are bytes)", last)
	}
	return m, nil
}

// WithOutput is m with an activation after the last layer, too. Only MSE takes
// one: cross entropy wants logits.
func (m *Model) WithOutput(a Activation) (*Model, error) {
	if a >= activations {
		return nil, fmt.Errorf("output activation: %d is none, want %s", a, names(activationNames[:]))
	}
	if m.loss == CrossEntropy && a != Identity {
		return nil, fmt.Errorf("output activation: %v before cross-entropy, which applies the softmax to the logits "+
			"itself; want identity, or loss mse", a)
	}
	with := *m
	with.output = a
	return &with, nil
}

// Params is the length of the parameter vector: weights and biases.
func (m *Model) Params() int { return m.starts[len(m.starts)-1] }

// Layers is the number of dense layers.
func (m *Model) Layers() int { return len(m.sizes) - 1 }

// Sizes is a copy of the layer sizes, inputs first.
func (m *Model) Sizes() []int { return slices.Clone(m.sizes) }

// Inputs is the width of an example, Outputs that of the last layer.
func (m *Model) Inputs() int { return m.sizes[0] }

// Outputs is the width of the last layer: the number of classes.
func (m *Model) Outputs() int { return m.sizes[len(m.sizes)-1] }

// LayerRange is where layer l lies in the parameter vector: [lo, hi), W then b.
func (m *Model) LayerRange(l int) (lo, hi int) { return m.starts[l], m.starts[l+1] }

// Layer is layer l, whose products a kernel computes.
func (m *Model) Layer(l int, k Kernel) Layer {
	return dense{in: m.sizes[l], out: m.sizes[l+1], activation: m.activation(l), kernel: k}
}

// Loss compares outputs with labels, a row for each: the mean loss, how many rows have their largest
// output at the label, and in d the gradient of that mean with respect to the outputs.
func (m *Model) Loss(d, y []float32, labels []uint8) (mean float64, correct int) {
	of, out, n := crossEntropy, m.Outputs(), len(labels)
	if m.loss == MSE {
		of = squaredError
	}
	sum := 0.0
	for i, label := range labels {
		row := y[i*out : (i+1)*out]
		sum += of(d[i*out:(i+1)*out], row, label, n)
		if argmax(row) == int(label) {
			correct++
		}
	}
	return sum / float64(n), correct
}

// activation is what follows layer l.
func (m *Model) activation(l int) Activation {
	if l == m.Layers()-1 {
		return m.output
	}
	return m.hidden
}

// Init draws a parameter vector: uniform in ±1/sqrt(fan_in), weights and
// biases, from one random stream per layer, so that a layer's weights depend
// only on the seed, its place and its own shape.
func (m *Model) Init(seed uint64) []float32 {
	p := make([]float32, m.Params())
	for l := range m.Layers() {
		s := newStream(seed, uint64(l))
		bound := float32(1 / math.Sqrt(float64(m.sizes[l])))
		lo, hi := m.LayerRange(l)
		for i := lo; i < hi; i++ {
			p[i] = float32(s.symmetric() * bound)
		}
	}
	return p
}
