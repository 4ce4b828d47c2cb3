package kernel

import (
	"math"

	"railyard/internal/learn/nn/kernel/series"
)

// Functions of the fused family, element by element in float32: one sequence of additions, products,
// quotients and fused steps, so that every processor gives the same bits. Within a few units in the
// last place of the value.

// loops is how a family's elements are computed on one processor.
type loops struct {
	name                string
	sigmoid, tanh, gelu func(z []float32)
	geluSlope           func(d, z []float32)
	add, reluSlope      func(to, v []float32)
	relu                func(z []float32)
	addNumber           func(to []float32, v float32)
	descend             func(p, g []float32, scale, lr float32)
	largest             func(y []float32, at []int32, upper, lower []float32, first, width int32)
	// Blocks of rows at least rowsFrom wide.
	copyRows, addRows func(to, from []float32, b Block)
	expSum            func(to, from []float32, top float32) [lanes]float32
}

// Add adds v to as many first elements of to. It is the same in both families.
func Add(to, v []float32) { elements.add(to[:len(v)], v) }

// AddNumber adds v to each element of to; the same in both families, as ReLU and ReLUSlope.
func AddNumber(to []float32, v float32) { elements.addNumber(to, v) }

// Descend takes lr (scale g) from as many first elements of p, each product rounded. It is the same in
// both families.
func Descend(p, g []float32, scale, lr float32) { elements.descend(p[:len(g)], g, scale, lr) }

// ReLU replaces each z by max(0, z), -0 by +0; a NaN stays one.
func ReLU(z []float32) { elements.relu(z) }

// ReLUSlope makes d +0 where y = max(0, z) is.
func ReLUSlope(d, y []float32) { elements.reluSlope(d[:len(y)], y) }

// FusedSigmoid replaces each z by 1/(1+e^-z).
func FusedSigmoid(z []float32) { elements.sigmoid(z) }

// FusedTanh replaces each z by its hyperbolic tangent.
func FusedTanh(z []float32) { elements.tanh(z) }

// FusedGELU replaces each z by z Phi(z).
func FusedGELU(z []float32) { elements.gelu(z) }

// FusedGELUSlope multiplies each d by the slope of z Phi(z).
func FusedGELUSlope(d, z []float32) { elements.geluSlope(d[:len(z)], z) }

// lanes is how many sums run side by side in a reduction: element i belongs to sum i mod lanes. Then
// they are added by halves.
const lanes = 16

// FusedExpSum makes to[i] = e^(from[i]-top), and their sum. to may be from.
func FusedExpSum(to, from []float32, top float32) float32 {
	sums := elements.expSum(to[:len(from)], from, top)
	for half := lanes / 2; half > 0; half /= 2 {
		for i := range half {
			sums[i] += sums[i+half]
		}
	}
	return sums[0]
}

func goLoops() loops {
	return loops{
		name:    "go",
		sigmoid: func(z []float32) { each(z, sigmoid) },
		tanh:    func(z []float32) { each(z, tanh) },
		gelu:    func(z []float32) { each(z, gelu) },
		geluSlope: func(d, z []float32) {
			for i, v := range z {
				d[i] = float32(d[i] * geluSlope(v))
			}
		},
		add:       add,
		addNumber: addNumber,
		descend:   descend,
		relu:      relu,
		reluSlope: reluSlope,
		largest:   largest,
		copyRows:  copyRows,
		addRows:   addRows,
		expSum: func(to, from []float32, top float32) (sums [lanes]float32) {
			for i, v := range from {
				to[i] = exp(v - top)
				sums[i%lanes] += to[i]
			}
			return sums
		},
	}
}

func add(to, v []float32) {
	to = to[:len(v)]
	for i, x := range v {
		to[i] += x
	}
}

func addNumber(to []float32, v float32) {
	for i, x := range to {
		to[i] = x + v
	}
}

func descend(p, g []float32, scale, lr float32) {
	p = p[:len(g)]
	for i, v := range g {
		p[i] -= float32(lr * float32(scale*v))
	}
}

func relu(z []float32) {
	for i, v := range z {
		// max, not a branch: half of the signs are unpredictable.
		z[i] = max(v, 0)
	}
}

func reluSlope(d, y []float32) {
	d = d[:len(y)]
	for i, v := range y {
		bits := math.Float32bits(v)
		mask := uint32(int32(bits|-bits) >> 31) // all ones unless y is +0
		d[i] = math.Float32frombits(math.Float32bits(d[i]) & mask)
	}
}

func each(z []float32, f func(float32) float32) {
	for i, v := range z {
		z[i] = f(v)
	}
}

// horner is a polynomial, highest power first.
func horner(x float32, coef []float32) float32 {
	p := coef[0]
	for _, c := range coef[1:] {
		p = fma(p, x, c)
	}
	return p
}

// one is the bits of 1.
const one = 0x7F << 23

func exp(x float32) float32 {
	v := x
	if v < series.ExpLow {
		v = series.ExpLow
	}
	if v > series.ExpHigh {
		v = series.ExpHigh
	}
	t := fma(v, series.Log2E, series.Magic)
	n := t - series.Magic
	r := fma(n, -series.Ln2Lo, fma(n, -series.Ln2Hi, v))
	p := horner(r, series.Exp[:])
	if x < series.ExpLow {
		return 0
	}
	// A product, not a sum of exponents: a NaN stays one whatever its last bits are.
	return float32(p * math.Float32frombits(math.Float32bits(t)<<23+one)) // times 2^n
}

func sigmoid(x float32) float32 { return 1 / (1 + exp(-x)) }

func tanh(x float32) float32 {
	a := abs(x)
	if a < series.TanhSmall {
		q := float32(x * x)
		return fma(float32(q*x), horner(q, series.Tanh[:]), x)
	}
	sign := math.Float32bits(x) & (1 << 31)
	return math.Float32frombits(math.Float32bits(1-2/(exp(a+a)+1)) | sign)
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// normal is the probability that a normal variable is below x, and e^(-x²/2).
func normal(x float32) (below, bell float32) {
	bell = exp(float32(float32(x*x) * -0.5))
	t := 1 / fma(abs(x), series.NormalT, 1)
	tail := float32(float32(horner(t, series.Normal[:])*t) * bell)
	if x < 0 {
		return tail, bell
	}
	return 1 - tail, bell
}

func gelu(x float32) float32 {
	below, _ := normal(x)
	return float32(x * below)
}

func geluSlope(x float32) float32 {
	below, bell := normal(x)
	return fma(x, float32(bell*series.Density), below)
}
