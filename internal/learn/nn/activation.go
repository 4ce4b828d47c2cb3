package nn

import (
	"fmt"
	"strings"

	"railyard/internal/learn/nn/kernel"
)

// An Activation is the function that follows a layer, element by element.
type Activation uint8

// The activations.
const (
	Identity Activation = iota
	ReLU                // max(0, z)
	Sigmoid             // 1/(1+e^-z)
	Tanh                // (e^z - e^-z)/(e^z + e^-z)
	GELU                // z Phi(z), Phi by the error function
	GELUTanh            // the same by the hyperbolic tangent
	SiLU                // z/(1+e^-z)
	activations
)

var activationNames = [activations]string{"identity", "relu", "sigmoid", "tanh", "gelu", "gelu-tanh", "silu"}

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

// apply replaces each z by its activation, by the functions of a kernel where it has them.
func (a Activation) apply(z []float32, k Kernel) {
	switch a {
	case ReLU:
		kernel.ReLU(z)
	case Sigmoid:
		k.Sigmoid(z)
	case Tanh:
		k.Tanh(z)
	case GELU:
		k.GELU(z)
	case GELUTanh:
		each(z, geluTanh)
	case SiLU:
		each(z, silu)
	}
}

func each(z []float32, f func(float64) float64) {
	for i, v := range z {
		z[i] = float32(f(float64(v)))
	}
}

// ByOutput says that a'(z) can be told from a(z): a layer that such an activation follows need not
// keep z.
func (a Activation) ByOutput() bool { return a <= Tanh }

// fromOutput is what is wrong with an activation inside a layer that keeps its output only.
func (a Activation) fromOutput() error {
	if !a.ByOutput() {
		return fmt.Errorf("activation %v inside a layer, want %s; others are layers of their own", a,
			names(activationNames[:Tanh+1]))
	}
	return nil
}

// backward multiplies each gradient with respect to y = a(z) by a'(z), which
// those of ByOutput can tell from y alone.
func (a Activation) backward(d, y []float32) {
	d = d[:len(y)]
	switch a {
	case ReLU:
		kernel.ReLUSlope(d, y) // y is never -0; ReLU'(0) = 0, as in PyTorch
	case Sigmoid:
		for i, v := range y {
			slope := float32(v * (1 - v))
			d[i] = float32(d[i] * slope)
		}
	case Tanh:
		for i, v := range y {
			d[i] = float32(d[i] * (1 - float32(v*v)))
		}
	}
}

// backwardInput does the same for the others, from z.
func (a Activation) backwardInput(d, z []float32, k Kernel) {
	switch a {
	case GELU:
		k.GELUSlope(d, z)
	case GELUTanh:
		eachSlope(d, z, geluTanhSlope)
	case SiLU:
		eachSlope(d, z, siluSlope)
	default:
		panic("nn: the slope of " + a.String() + " is told from its output")
	}
}

func eachSlope(d, z []float32, slope func(float64) float64) {
	d = d[:len(z)]
	for i, v := range z {
		d[i] = float32(d[i] * float32(slope(float64(v))))
	}
}

// elementwise is an activation as a layer of its own: In is Out.
type elementwise struct {
	size   int
	a      Activation
	kernel Kernel
}

// Elementwise is a layer that applies an activation to so many elements of each row.
func Elementwise(size int, a Activation) Layer { return elementwise{size, a, Portable} }

func (l elementwise) In() int                     { return l.size }
func (l elementwise) Out() int                    { return l.size }
func (l elementwise) Params() int                 { return 0 }
func (l elementwise) Tensors() []Tensor           { return nil }
func (l elementwise) Init(_ []float32, _ *Stream) {}
func (l elementwise) NewSaved(int) Saved          { return nil }

func (l elementwise) With(k Kernel) Layer {
	l.kernel = k
	return l
}

func (l elementwise) Cost() Cost {
	n := int64(l.size)
	c := Cost{Forward: []Work{{FLOP: n, Words: 2 * n}}, Input: []Work{{FLOP: n, Words: 3 * n}}}
	if l.a.ByOutput() {
		c.Through, c.Input = c.Input, []Work{{Words: 2 * n}}
	}
	return c
}

func (l elementwise) Forward(y, x, _ []float32, rows int, _ Saved, _ *Pass) {
	y = y[:rows*l.size]
	copy(y, x)
	l.a.apply(y, l.kernel)
}

func (l elementwise) Through(d, y []float32) {
	if l.a.ByOutput() {
		l.a.backward(d, y)
	}
}

func (l elementwise) Backward(dx, _, d, x, _ []float32, rows int, _ Saved) {
	if dx == nil {
		return
	}
	n := rows * l.size
	copy(dx[:n], d)
	if !l.a.ByOutput() {
		l.a.backwardInput(dx[:n], x[:n], l.kernel)
	}
}
