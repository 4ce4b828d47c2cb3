package nn

import (
	"fmt"
	"math"
)

// A Norm is how a vector is brought to a common size.
type Norm uint8

// The norms.
const (
	LayerNorm Norm = iota // (x - mean) / sqrt(variance + epsilon), times a gain, plus a bias
	RMSNorm               // x / sqrt(mean square + epsilon), times a gain
	norms
)

var normNames = [norms]string{"layer-norm", "rms-norm"}

// String is the name a scenario uses.
func (n Norm) String() string { return normNames[n] }

// ParseNorm reads a name as a scenario writes it.
func ParseNorm(s string) (Norm, error) {
	for i, name := range normNames {
		if s == name {
			return Norm(i), nil
		}
	}
	return 0, fmt.Errorf("unknown norm %q, want %s", s, names(normNames[:]))
}

// epsilon is what PyTorch adds to the variance.
const epsilon = 1e-5

// normalise is a norm of vectors of one size as a part of a layer, its gain at a place of the layer's
// parameters, the bias after it. Sums are in doubles, ascending.
type normalise struct {
	name string
	kind Norm
	size int
	at   int

	unbiased bool // a layer norm without a bias
}

func (n normalise) biased() bool { return n.kind == LayerNorm && !n.unbiased }

func (n normalise) end() int {
	if !n.biased() {
		return n.at + n.size
	}
	return n.at + 2*n.size
}

func (n normalise) gain(v []float32) []float32 { return v[n.at : n.at+n.size] }

// bias is nil where there is none, as of an RMS norm.
func (n normalise) bias(v []float32) []float32 {
	if !n.biased() {
		return nil
	}
	return v[n.at+n.size : n.end()]
}

func (n normalise) tensors() []Tensor {
	t := []Tensor{{Name: n.name + "weight", Shape: []int{n.size}, Offset: n.at, Role: Gain}}
	if n.biased() {
		t = append(t, Tensor{Name: n.name + "bias", Shape: []int{n.size}, Offset: n.at + n.size, Role: Gain})
	}
	return t
}

// init makes gains 1 and biases 0.
func (n normalise) init(p []float32) {
	for i := range n.gain(p) {
		n.gain(p)[i] = 1
	}
	clear(n.bias(p))
}

// A scale is what a vector's elements went through: (x - mean) * by.
type scale struct{ mean, by float32 }

func (n normalise) scale(x []float32) scale {
	count := float64(len(x))
	mean := 0.0
	if n.kind == LayerNorm {
		for _, v := range x {
			mean += float64(v)
		}
		mean /= count
	}
	square := 0.0
	for _, v := range x {
		e := float64(v) - mean
		square += float64(e * e)
	}
	return scale{float32(mean), float32(1 / math.Sqrt(square/count+epsilon))}
}

// forward makes y from x, vectors one after the other, and leaves each one's scale.
func (n normalise) forward(y, x, p []float32, scales []scale) {
	gain, bias := n.gain(p), n.bias(p)
	for i := range scales {
		from, to := x[i*n.size:(i+1)*n.size], y[i*n.size:(i+1)*n.size]
		s := n.scale(from)
		scales[i] = s
		for j, v := range from {
			to[j] = float32(float32((v-s.mean)*s.by) * gain[j])
		}
		if bias != nil {
			Add(to, bias)
		}
	}
}

// backward makes dx, in d's place if both are one, and the gradients of gain and bias. With e = d gain
// and n = (x - mean) by:
//
//	dx = by (e - mean(e) - n mean(e n))
//
// where an RMS norm has no mean(e).
func (n normalise) backward(dx, g, d, x, p []float32, scales []scale) {
	gain, toGain, toBias := n.gain(p), n.gain(g), n.bias(g)
	clear(toGain)
	clear(toBias)
	count := float64(n.size)
	for i, s := range scales {
		from, at := d[i*n.size:(i+1)*n.size], x[i*n.size:(i+1)*n.size]
		mean, along := 0.0, 0.0
		for j, v := range from {
			normed := float32((at[j] - s.mean) * s.by)
			toGain[j] += float32(v * normed)
			e := float64(float32(v * gain[j]))
			mean += e
			along += float64(e * float64(normed))
		}
		if toBias != nil {
			Add(toBias, from)
		}
		if n.kind == RMSNorm {
			mean = 0
		}
		m, a := float32(mean/count), float32(along/count)
		to := dx[i*n.size : (i+1)*n.size]
		for j, v := range from {
			normed := float32((at[j] - s.mean) * s.by)
			to[j] = float32(s.by * (float32(v*gain[j]) - m - float32(normed*a)))
		}
	}
}

func (n normalise) work(positions int) Work {
	elems := int64(positions * n.size)
	return Work{FLOP: 5 * elems, Words: 2 * elems, Fixed: int64(n.end() - n.at)}
}

func (n normalise) backWork(positions int) Work {
	elems := int64(positions * n.size)
	return Work{FLOP: 9 * elems, Words: 3 * elems, Fixed: 2 * int64(n.end()-n.at)}
}

// normLayer is a norm of each position as a layer of its own.
//
//	x, y: rows x (positions*size)    gain, bias: size
type normLayer struct {
	normalise
	positions int
}

// Normalised is a layer that brings the vector of each position to a common size.
func Normalised(kind Norm, positions, size int) Layer {
	return normLayer{normalise{kind: kind, size: size}, positions}
}

func (l normLayer) In() int                     { return l.positions * l.size }
func (l normLayer) Out() int                    { return l.positions * l.size }
func (l normLayer) Params() int                 { return l.end() }
func (l normLayer) Tensors() []Tensor           { return l.tensors() }
func (l normLayer) Init(p []float32, _ *Stream) { l.init(p) }
func (l normLayer) With(Kernel) Layer           { return l }
func (l normLayer) NewSaved(rows int) Saved     { return make([]scale, rows*l.positions) }
func (l normLayer) Through(_, _ []float32)      {}

func (l normLayer) Cost() Cost {
	return Cost{
		Forward:  []Work{l.work(l.positions)},
		Gradient: []Work{l.backWork(l.positions)},
		Input:    []Work{{Words: int64(l.Out())}},
		Saved:    2 * l.positions,
	}
}

func (l normLayer) Forward(y, x, p []float32, rows int, saved Saved, _ *Pass) {
	l.forward(y, x, p, saved.([]scale)[:rows*l.positions])
}

func (l normLayer) Backward(dx, g, d, x, p []float32, rows int, saved Saved) {
	if dx == nil {
		dx = d
	}
	l.backward(dx, g, d, x, p, saved.([]scale)[:rows*l.positions])
}
