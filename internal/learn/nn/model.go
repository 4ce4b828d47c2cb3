package nn

import (
	"errors"
	"fmt"
)

// Bounds of a model: far beyond what a simulated training run can hold, small
// enough that no index or byte count overflows.
const (
	maxWidth  = 1 << 20
	maxParams = 1 << 28
)

// ErrTooLarge is what a model is that cannot be held: too many parameters, or elements of an example.
var ErrTooLarge = errors.New("too large")

// tooLarge says what is.
type tooLarge string

func (e tooLarge) Error() string { return string(e) }

// Is reports whether the error is ErrTooLarge.
func (e tooLarge) Is(target error) bool { return target == ErrTooLarge }

// A Model is a list of layers, each of which takes what the one before gives, and a loss. It is
// immutable and holds no weights.
type Model struct {
	layers  []Named
	starts  []int // starts[l]: where layer l begins in the parameter vector; one extra entry for the end
	loss    Loss
	targets int // labels of a row
	ties    []Tie

	scheme    Scheme // of first weights
	deviation float64
}

// Named is a layer with its name in the model: its tensors are called by it. "" is layers.N, N from
// 1 on.
type Named struct {
	Name string
	Layer
}

// NewModel makes a model of layers. Of targets labels of a row each is compared with as many of the
// last layer's outputs, one after the other: 1 of an image, one for each position of a text.
func NewModel(layers []Named, loss Loss, targets int) (*Model, error) {
	if len(layers) == 0 {
		return nil, fmt.Errorf("layers: there are none, want at least 1")
	}
	if loss >= losses {
		return nil, fmt.Errorf("loss: %d is none, want %s", loss, names(lossNames[:]))
	}
	m := &Model{starts: []int{0}, loss: loss, targets: targets}
	called := map[string]bool{}
	for i, l := range layers {
		if l.Name == "" {
			l.Name = fmt.Sprintf("layers.%d", i+1)
		}
		if called[l.Name] {
			return nil, fmt.Errorf("layers: two are called %s", l.Name)
		}
		called[l.Name] = true
		if l.In() < 1 || l.Out() < 1 {
			return nil, fmt.Errorf("layers: %s takes %d inputs and gives %d outputs, want at least 1", l.Name, l.In(), l.Out())
		}
		if i > 0 && l.In() != layers[i-1].Out() {
			return nil, fmt.Errorf("layers: %s takes %d inputs, %s gives %d", l.Name, l.In(), m.layers[i-1].Name,
				layers[i-1].Out())
		}
		end := int64(m.starts[i]) + int64(l.Params())
		if end > maxParams {
			return nil, tooLarge(fmt.Sprintf("layers: more than %d parameters", maxParams))
		}
		m.layers, m.starts = append(m.layers, l), append(m.starts, int(end))
	}
	if out := m.Outputs(); targets < 1 || out%targets != 0 {
		return nil, fmt.Errorf("layers: the last gives %d outputs for %d labels, want as many for each", out, targets)
	}
	return m, nil
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
	params := int64(0)
	for i, n := range sizes {
		if n < 1 || n > maxWidth {
			return nil, fmt.Errorf("layers: size %d is %d, want 1 to %d", i, n, maxWidth)
		}
		if i > 0 {
			params += int64(n) * int64(sizes[i-1]+1)
		}
		if params > maxParams {
			return nil, tooLarge(fmt.Sprintf("layers: %v have more than %d parameters", sizes, maxParams))
		}
	}
	return NewModel(denseLayers(nil, "layers", sizes, hidden), loss, 1)
}

// denseLayers appends dense layers, called NAME.1 and so on: an activation follows every one but the
// last. One that needs its input for the way back is a layer of its own.
func denseLayers(layers []Named, name string, sizes []int, hidden Activation) []Named {
	for i := 1; i < len(sizes); i++ {
		after, called := hidden, fmt.Sprintf("%s.%d", name, i)
		if i == len(sizes)-1 {
			after = Identity
		}
		if after.ByOutput() {
			layers = append(layers, Named{called, Dense(sizes[i-1], sizes[i], after)})
			continue
		}
		layers = append(layers, Named{called, Dense(sizes[i-1], sizes[i], Identity)},
			Named{called + "." + after.String(), Elementwise(sizes[i], after)})
	}
	return layers
}

// WithOutput is a model of dense layers with an activation after the last one, too. Only MSE takes
// one: cross entropy wants logits.
func (m *Model) WithOutput(a Activation) (*Model, error) {
	if a >= activations {
		return nil, fmt.Errorf("output activation: %d is none, want %s", a, names(activationNames[:]))
	}
	if err := a.fromOutput(); err != nil {
		return nil, fmt.Errorf("output %w", err)
	}
	if m.loss == CrossEntropy && a != Identity {
		return nil, fmt.Errorf("output activation: %v before cross-entropy, which applies the softmax to the logits "+
			"itself; want identity, or loss mse", a)
	}
	last := len(m.layers) - 1
	of, ok := m.layers[last].Layer.(dense)
	if !ok {
		return nil, fmt.Errorf("output activation: %v after %s, want a dense layer", a, m.layers[last].Name)
	}
	of.activation = a
	with := *m
	with.layers = append(append([]Named{}, m.layers[:last]...), Named{m.layers[last].Name, of})
	return &with, nil
}

// Params is the length of the parameter vector: weights and biases.
func (m *Model) Params() int { return m.starts[len(m.starts)-1] }

// Layers is the number of layers.
func (m *Model) Layers() int { return len(m.layers) }

// Inputs is the width of an example, Outputs that of the last layer.
func (m *Model) Inputs() int { return m.layers[0].In() }

// Outputs is the width of the last layer.
func (m *Model) Outputs() int { return m.layers[len(m.layers)-1].Out() }

// Targets is the number of labels of an example.
func (m *Model) Targets() int { return m.targets }

// TakesText says that an example's inputs are tokens: Pass.Tokens wants them.
func (m *Model) TakesText() bool {
	switch m.layers[0].Layer.(type) {
	case embedding, oneHot:
		return true
	}
	return false
}

// Classes is how many outputs there are for a label.
func (m *Model) Classes() int { return m.Outputs() / m.targets }

// Trained is the first layer that has parameters: nobody wants the gradient of its input.
func (m *Model) Trained() int {
	for l := range m.layers {
		if m.layers[l].Params() > 0 {
			return l
		}
	}
	return len(m.layers)
}

// LayerRange is where layer l lies in the parameter vector: [lo, hi).
func (m *Model) LayerRange(l int) (lo, hi int) { return m.starts[l], m.starts[l+1] }

// Layer is layer l, whose products a kernel computes.
func (m *Model) Layer(l int, k Kernel) Layer { return m.layers[l].With(k) }

// LossOf is what training makes small.
func (m *Model) LossOf() Loss { return m.loss }

// LayerName is what layer l is called.
func (m *Model) LayerName(l int) string { return m.layers[l].Name }

// Tensors are those of layer l, named and placed as in the whole model.
func (m *Model) Tensors(l int) []Tensor {
	all := m.layers[l].Tensors()
	for i := range all {
		all[i].Name = m.layers[l].Name + "." + all[i].Name
		all[i].Offset += m.starts[l]
	}
	return all
}
