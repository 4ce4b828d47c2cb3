package nn

import (
	"fmt"
	"math"
	"strings"
)

// An Activation is the function that follows a layer, element by element.
type Activation uint8

// The activations.
const (
	Identity Activation = iota
	ReLU                // max(0, z)
	Sigmoid             // 1/(1+e^-z)
	activations
)

var activationNames = [activations]string{"identity", "relu", "sigmoid"}

// String is the name a scenario uses.
func (a Activation) String() string { return activationNames[a] }

// ParseActivation reads a name as a scenario writes it.
func ParseActivation(s string) (Activation, error) {
	for i, name := range activationNames {
		if s == name {
			return Activation(i), nil
		}
	}
	return 0, fmt.Errorf("unknown activation %q, want %s", s, names(activationNames[:]))
}

func names(list []string) string {
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

// apply replaces each z by its activation.
func (a Activation) apply(z []float32) {
	switch a {
	case ReLU:
		for i, v := range z {
			// max, not a branch: half of the signs are unpredictable. -0 becomes +0.
			z[i] = max(v, 0)
		}
	case Sigmoid:
		for i, v := range z {
			z[i] = float32(sigmoid(float64(v)))
		}
	}
}

// backward multiplies each gradient with respect to y = a(z) by a'(z), which
// both activations can tell from y alone.
func (a Activation) backward(d, y []float32) {
	d = d[:len(y)]
	switch a {
	case ReLU:
		for i, v := range y {
			// All ones unless y is +0 (it is never -0): ReLU'(0) = 0, as in PyTorch.
			bits := math.Float32bits(v)
			mask := uint32(int32(bits|-bits) >> 31)
			d[i] = math.Float32frombits(math.Float32bits(d[i]) & mask)
		}
	case Sigmoid:
		for i, v := range y {
			slope := float32(v * (1 - v))
			d[i] = float32(d[i] * slope)
		}
	}
}
