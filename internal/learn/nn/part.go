package nn

import "railyard/internal/learn/nn/kernel"

// A linear is x wᵀ + b as a part of a layer: at every position of a sequence, for one. Its weights
// (out x in, row-major) begin at a place of the layer's parameters, its biases follow them.
type linear struct {
	name    string // before "weight" and "bias"
	in, out int
	biased  bool
	at      int
}

// end is where the parameters after it begin.
func (l linear) end() int {
	n := l.at + l.in*l.out
	if l.biased {
		n += l.out
	}
	return n
}

func (l linear) weight(v []float32) []float32 { return v[l.at : l.at+l.in*l.out] }

// bias is nil where there is none.
func (l linear) bias(v []float32) []float32 {
	if !l.biased {
		return nil
	}
	return v[l.at+l.in*l.out : l.end()]
}

func (l linear) tensors() []Tensor {
	t := []Tensor{{Name: l.name + "weight", Shape: []int{l.out, l.in}, Offset: l.at, Role: Weight,
		FanIn: l.in, FanOut: l.out}}
	if l.biased {
		t = append(t, Tensor{Name: l.name + "bias", Shape: []int{l.out}, Offset: l.at + l.in*l.out, Role: Bias})
	}
	return t
}

// init draws weights and biases uniform in ±1/sqrt(in), as torch.nn.Linear does.
func (l linear) init(p []float32, draw *Stream) {
	draw.Uniform(p[l.at:l.end()], rootOf(l.in))
}

// forward makes y, n x out, from x, n x in: the product first, then the bias is added.
func (l linear) forward(k Kernel, y, x, p []float32, n int) {
	l.product(k, y, x, p, n)
	addRows(y[:n*l.out], l.bias(p))
}

// product is x wᵀ alone.
func (l linear) product(k Kernel, y, x, p []float32, n int) {
	k.NT(y, x, l.weight(p), Product{M: n, N: l.out, K: l.in, LDA: l.in, LDB: l.in, LDC: l.out})
}

// backward makes the gradients of weights and biases from that of y, and dx unless it is nil.
func (l linear) backward(k Kernel, dx, g, d, x, p []float32, n int) {
	l.gradients(k, g, d, x, n)
	if dx != nil {
		l.back(k, dx, d, p, n)
	}
}

// gradients makes those of weights and biases.
func (l linear) gradients(k Kernel, g, d, x []float32, n int) {
	k.TN(l.weight(g), d, x, Product{M: l.out, N: l.in, K: n, LDA: l.out, LDB: l.in, LDC: l.in})
	if l.biased {
		gb := l.bias(g)
		sumRows(gb, d[:n*l.out])
	}
}

// back makes dx, n x in.
func (l linear) back(k Kernel, dx, d, p []float32, n int) {
	k.NN(dx, d, l.weight(p), Product{M: n, N: l.in, K: l.out, LDA: l.out, LDB: l.in, LDC: l.in})
}

// work is that of the product for so many positions of a row, forward or back.
func (l linear) work(positions int) Work {
	in, out, n := int64(l.in), int64(l.out), int64(positions)
	return Work{FLOP: 2 * n * in * out, Words: n * (in + out), Fixed: in * out, Product: 2 * n * in * out,
		M: n, N: out, K: in, Each: 1}
}

// gradientWork is that of the parameters' gradient.
func (l linear) gradientWork(positions int) Work {
	w := l.work(positions)
	w.M, w.N, w.K, w.By = w.N, w.K, w.M, ByK
	if l.biased {
		w.Fixed += int64(l.out)
	}
	return w
}

// Add adds v to each element of y.
func Add(y, v []float32) {
	kernel.Add(y, v[:len(y)])
}
