package nn

import (
	"fmt"
	"slices"
)

// A Tie says that two tensors of a model are one: a language model's head that is its embedding, for
// one. Each of both layers has them in its own parameters, begins with the same values and makes a
// gradient of its own; the sum of both, the lower layer's first, is the gradient of both.
type Tie struct {
	Lower, Upper int // where they begin in the model's parameter vector
	Elems        int
	Rows         int    // of which it is so many equal ones: ranks that share the layers have some each
	Layers       [2]int // whose they are, the lower one first
}

// Tied is m with two of its tensors, of one shape and of different layers, made one. The first is the
// one whose initial values both take.
func (m *Model) Tied(a, b string) (*Model, error) {
	t := Tie{}
	var first, second *Tensor
	for l := range m.Layers() {
		for _, tensor := range m.Tensors(l) {
			switch tensor.Name {
			case a:
				first, t.Layers[0] = &tensor, l
			case b:
				second, t.Layers[1] = &tensor, l
			}
		}
	}
	switch {
	case first == nil || second == nil:
		return nil, fmt.Errorf("tie: %s and %s, want two tensors of the model", a, b)
	case !slices.Equal(first.Shape, second.Shape):
		return nil, fmt.Errorf("tie: %s has shape %v, %s %v, want one shape", a, first.Shape, b, second.Shape)
	case t.Layers[0] >= t.Layers[1]:
		return nil, fmt.Errorf("tie: %s and %s, want a tensor of a lower layer and one of a higher", a, b)
	}
	t.Lower, t.Upper, t.Elems = first.Offset, second.Offset, first.Elems()
	t.Rows = first.Shape[0]
	with := *m
	with.ties = append(slices.Clone(m.ties), t)
	return &with, nil
}

// Ties are the tensors that are one.
func (m *Model) Ties() []Tie { return m.ties }

// Free is how many parameters the model has, tied ones counted once, and without running statistics.
func (m *Model) Free() int {
	n := m.Params()
	for _, s := range m.Uncounted() {
		n -= s.Elems
	}
	return n
}

// Part is how many of its elements one of so many ranks has in both layers.
func (t Tie) Part(parts int) int {
	_, rows, _ := vocabularyPart(t.Rows, 0, parts)
	return rows * (t.Elems / t.Rows)
}

// Share makes tied parameters equal: the upper layer's become the lower one's.
func (t Tie) Share(p []float32) { copy(p[t.Upper:t.Upper+t.Elems], p[t.Lower:]) }

// Sum makes the gradient of tied parameters, for both.
func (t Tie) Sum(g []float32) {
	lower, upper := g[t.Lower:t.Lower+t.Elems], g[t.Upper:t.Upper+t.Elems]
	Add(lower, upper)
	copy(upper, lower)
}
