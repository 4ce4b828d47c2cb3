package bayes

import (
	"math"

	"railyard/internal/learn/nn"
)

// kernel says how alike values at two points are: Matérn's of order 5/2, with a length for each dimension (Rasmussen and Williams
// 2006, equation 4.17).
type kernel struct {
	dims  []Dim
	scale []float64 // 1 / length
}

func (k *kernel) at(a, b []float64) float64 {
	square := 0.0
	for i, s := range k.scale {
		d := a[i] - b[i]
		if k.dims[i].Category && d != 0 {
			d = 1
		}
		d = float64(d * s)
		square += float64(d * d)
	}
	r := math.Sqrt(float64(5 * square))
	return float64((1 + r + float64(float64(r*r)/3)) * nn.Exp(-r))
}

// process is a Gaussian process with a constant mean, given values at some points.
type process struct {
	kernel
	x        [][]float64
	lower    [][]float64 // of the Cholesky factors of the covariance, in units of variance
	weight   []float64   // covariance^-1 (values - mean)
	mean     float64
	variance float64
	fit      float64 // logarithm of the likelihood, but for a constant
}

// newProcess is the process given values, which have a noise: a variance that each has by itself, in units of the process's own. Mean
// and variance are those of the largest likelihood. False: the covariance is no such matrix, by rounding.
func newProcess(k kernel, x [][]float64, y []float64, noise float64) (*process, bool) {
	p := &process{kernel: k, x: x}
	n := len(x)
	p.lower = make([][]float64, n)
	logs := 0.0
	for i := range n {
		row := make([]float64, i+1)
		for j := range i + 1 {
			v := p.at(x[i], x[j])
			if i == j {
				v += noise
			}
			for m := range j {
				v -= float64(row[m] * p.lowerAt(row, i, j, m))
			}
			if j < i {
				row[j] = v / p.lower[j][j]
				continue
			}
			if !(v > 0) {
				return nil, false
			}
			row[j] = math.Sqrt(v)
			logs += nn.Log(row[j])
		}
		p.lower[i] = row
	}
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	ones, values := p.solve(ones), p.solve(y)
	up, down := 0.0, 0.0
	for i := range n {
		up += values[i]
		down += ones[i]
	}
	p.mean = up / down
	p.weight = make([]float64, n)
	for i := range n {
		p.weight[i] = values[i] - float64(p.mean*ones[i])
		p.variance += float64(p.weight[i] * (y[i] - p.mean))
	}
	p.variance = max(p.variance/float64(n), 1e-12)
	p.fit = -float64(float64(float64(n)*nn.Log(p.variance))/2) - logs
	return p, true
}

// lowerAt is an element of a factor's row j, where row i is being made.
func (p *process) lowerAt(row []float64, i, j, m int) float64 {
	if i == j {
		return row[m]
	}
	return p.lower[j][m]
}

// forward solves lower z = b.
func (p *process) forward(b []float64) []float64 {
	z := make([]float64, len(b))
	for i := range b {
		v := b[i]
		for j, l := range p.lower[i][:i] {
			v -= float64(l * z[j])
		}
		z[i] = v / p.lower[i][i]
	}
	return z
}

// solve solves lower lower' z = b.
func (p *process) solve(b []float64) []float64 {
	z := p.forward(b)
	for i := len(z) - 1; i >= 0; i-- {
		v := z[i]
		for j := i + 1; j < len(z); j++ {
			v -= float64(p.lower[j][i] * z[j])
		}
		z[i] = v / p.lower[i][i]
	}
	return z
}

// expect is the mean of the value at a point.
func (p *process) expect(x []float64) float64 {
	mean := p.mean
	for i := range p.x {
		mean += float64(p.at(x, p.x[i]) * p.weight[i])
	}
	return mean
}

// predict is the mean and the standard deviation of the value at a point.
func (p *process) predict(x []float64) (mean, deviation float64) {
	like := make([]float64, len(p.x))
	mean = p.mean
	for i := range p.x {
		like[i] = p.at(x, p.x[i])
		mean += float64(like[i] * p.weight[i])
	}
	left := 1.0
	for _, z := range p.forward(like) {
		left -= float64(z * z)
	}
	return mean, math.Sqrt(float64(p.variance * max(left, 1e-12)))
}

// shape is what a process is fitted by: logarithms to base 2 of the length in each dimension, and of the noise behind them.
type shape []float64

// Bounds of a shape. Lengths are parts of a dimension.
const (
	leastLength, mostLength = -6, 4
	leastNoise, mostNoise   = -20, -2
)

func (s shape) kernel(dims []Dim) kernel {
	k := kernel{dims, make([]float64, len(dims))}
	for i := range dims {
		k.scale[i] = power(-s[i])
	}
	return k
}

// power is 2^x.
func power(x float64) float64 { return nn.Exp(float64(x * math.Ln2)) }

// belief is the logarithm of how likely a shape is before any value is known: lengths about half a dimension, longer in many
// dimensions, within a factor of 4 two times in three; and hardly any noise, since runs with the same seeds are the same.
func (s shape) belief() (sum float64) {
	n := len(s) - 1
	middle := -1 + float64(nn.Log(float64(n))/float64(2*math.Ln2))
	for _, l := range s[:n] {
		d := float64((l - middle) / 2)
		sum -= float64(float64(d*d) / 2)
	}
	d := float64((s[n] - leastNoise) / 6)
	return sum - float64(float64(d*d)/2)
}

// fitted is the process of the most likely shape: a pattern search (Hooke and Jeeves 1961) from long and from short lengths.
func fitted(dims []Dim, x [][]float64, y []float64) (*process, shape) {
	var best *process
	var found shape
	most := math.Inf(-1)
	for _, begin := range []float64{-1, -3} {
		at := make(shape, len(dims)+1)
		for i := range dims {
			at[i] = begin
		}
		at[len(dims)] = leastNoise + 2
		try := func(s shape) (*process, float64) {
			p, ok := newProcess(s.kernel(dims), x, y, power(s[len(dims)]))
			if !ok {
				return nil, math.Inf(-1)
			}
			return p, p.fit + s.belief()
		}
		p, fit := try(at)
		for _, step := range []float64{2, 1, 0.5, 0.25} {
			for moved := true; moved; {
				moved = false
				for i := range at {
					for _, d := range []float64{step, -step} {
						next := append(shape{}, at...)
						next[i] = bounded(i == len(dims), next[i]+d)
						if q, v := try(next); v > fit+1e-9 {
							at, p, fit, moved = next, q, v, true
						}
					}
				}
			}
		}
		if fit > most {
			best, found, most = p, at, fit
		}
	}
	return best, found
}

func bounded(noise bool, v float64) float64 {
	if noise {
		return min(max(v, leastNoise), mostNoise)
	}
	return min(max(v, leastLength), mostLength)
}
