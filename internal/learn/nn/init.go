package nn

import (
	"fmt"
	"math"
)

// Scheme says how first weights are drawn.
type Scheme uint8

// The schemes. All but LayerScheme begin with biases of 0 and leave gains as their layers have them.
const (
	LayerScheme   Scheme = iota // as each layer does by itself: mostly as PyTorch's does
	XavierUniform               // in ±sqrt(6/(fan in + fan out)) (Glorot, Bengio, AISTATS 2010)
	XavierNormal                // deviation sqrt(2/(fan in + fan out))
	HeUniform                   // in ±sqrt(6/fan in) (He et al., ICCV 2015)
	HeNormal                    // deviation sqrt(2/fan in)
	Normal                      // of a given deviation
	schemes
)

var schemeNames = [schemes]string{"layer", "xavier-uniform", "xavier-normal", "he-uniform", "he-normal", "normal"}

// String is the name a scenario uses.
func (s Scheme) String() string { return schemeNames[s] }

// ParseScheme reads a name as a scenario writes it.
func ParseScheme(s string) (Scheme, error) {
	for i, name := range schemeNames {
		if s == name {
			return Scheme(i), nil
		}
	}
	return 0, fmt.Errorf("unknown initialisation %q, want %s", s, names(schemeNames[:]))
}

// WithInit is the model with first weights by a scheme; deviation is that of Normal.
func (m *Model) WithInit(s Scheme, deviation float64) *Model {
	with := *m
	with.scheme, with.deviation = s, deviation
	return &with
}

// Init draws a parameter vector, from one random stream per layer, so that a layer's weights depend
// only on the seed, its place and its own shape.
func (m *Model) Init(seed uint64) []float32 {
	p := make([]float32, m.Params())
	for l := range m.layers {
		lo, hi := m.LayerRange(l)
		draw := NewStream(seed, uint64(l))
		m.layers[l].Init(p[lo:hi], draw)
		if m.scheme == LayerScheme {
			continue
		}
		draw = NewStream(seed, uint64(l)) // whatever the layer's own draws took
		for _, t := range m.layers[l].Tensors() {
			m.draw(p[lo+t.Offset:][:t.Elems()], &t, draw)
		}
	}
	for _, t := range m.ties {
		t.Share(p)
	}
	return p
}

// draw makes a tensor's first values by the scheme.
func (m *Model) draw(p []float32, t *Tensor, draw *Stream) {
	switch t.Role {
	case Bias:
		clear(p)
		return
	case Gain, Running:
		return
	}
	in, both := float64(t.FanIn), float64(t.FanIn+t.FanOut)
	switch m.scheme {
	case XavierUniform:
		draw.Uniform(p, float32(math.Sqrt(6/both)))
	case XavierNormal:
		draw.Normal(p, math.Sqrt(2/both))
	case HeUniform:
		draw.Uniform(p, float32(math.Sqrt(6/in)))
	case HeNormal:
		draw.Normal(p, math.Sqrt(2/in))
	case Normal:
		draw.Normal(p, m.deviation)
	}
}
