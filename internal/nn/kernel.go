package nn

import (
	"fmt"
	"math"

	"railyard/internal/nn/kernel"
)

// Shape is that of one layer's work on a micro-batch.
type Shape struct {
	N, In, Out int // examples, inputs, outputs
}

// A Kernel is a family of matrix products. All matrices are row-major. Two
// kernels may differ in the last bits of what they give; one kernel never does,
// whatever it runs on.
//
//	x: N x In    w: Out x In    b: Out    z, d: N x Out
type Kernel struct {
	Name string
	// Forward: z = x wᵀ + b, without a b if that is nil. It may leave notes on x in `in`.
	Forward func(z, x, w, b []float32, s Shape, in *Inputs)
	// Weights: gw = dᵀ x (Out x In) and gb = column sums of d (Out), with the
	// notes that Forward left for the same x.
	Weights func(gw, gb, d, x []float32, s Shape, in *Inputs)
	// Back: dx = d w (N x In).
	Back func(dx, d, w []float32, s Shape)

	// The general forms, of any leading dimensions: c = a b, a bᵀ, aᵀ b, or added to c.
	NN, NT, TN func(c, a, b []float32, p Product)
}

// Product is the shape of a product of matrices.
type Product = kernel.Product

// Portable gives the same bits on every processor: each element of a product
// is one float32 sum that starts from +0 and takes its terms in ascending order
// of the summed index, each product rounded to float32 first; a bias is added
// last. Terms with a zero input x may be left out (see Inputs).
var Portable = Kernel{Name: "portable", Forward: portableForward, Weights: portableWeights, Back: portableBack,
	NN: kernel.PortableNN, NT: kernel.PortableNT, TN: kernel.PortableTN}

// KernelNamed finds a kernel by the name that --kernel and run.json use.
func KernelNamed(name string) (Kernel, error) {
	if name != Portable.Name {
		return Kernel{}, fmt.Errorf("unknown kernel %q, want portable", name)
	}
	return Portable, nil
}

// Inputs are a kernel's notes on one layer's inputs: which of them are not 0.
// Four of five pixels of a digit are 0, and so are many outputs of a ReLU.
//
// Leaving out the terms of zero inputs changes no bit, if weights and deltas
// are finite: such a term is +0 or -0, and adding it to a sum s gives s for
// every s but -0. No sum is ever -0: it starts from +0, and in round-to-nearest
// a + b is -0 only if both are -0 (IEEE 754-2019, 6.3). (With an infinite weight
// the full sum would be NaN and the short one not: both say "diverged", and
// which one is computed depends on the inputs only, so it is still the same
// everywhere.)
type Inputs struct {
	terms []term // row by row, ascending column
	ends  []int  // ends[i]: where row i ends in terms
	dense bool   // too few zeros for the list to pay
}

// A term is an input that is not 0.
type term struct {
	col uint32
	val float32
}

// termBytes is the size of a term.
const termBytes = 8

func newInputs(batch, in int) Inputs {
	return Inputs{terms: make([]term, batch*in+1), ends: make([]int, batch)}
}

// find notes the inputs of x that are not 0. It writes every candidate and
// moves on only past the ones to keep: no branch on the data.
func (in *Inputs) find(x []float32, s Shape) {
	k := 0
	for i := range s.N {
		row := x[i*s.In : (i+1)*s.In]
		list := in.terms[k : k+len(row)+1]
		n := uint(0)
		for col, v := range row {
			if n >= uint(len(list)) {
				panic("nn: more terms than inputs")
			}
			list[n] = term{uint32(col), v}
			magnitude := math.Float32bits(v) << 1
			n += uint((magnitude | -magnitude) >> 31) // 1 unless v is ±0
		}
		k += int(n)
		in.ends[i] = k
	}
	// A dense term costs about half of a listed one.
	in.dense = 2*k > s.N*s.In
}

// row lists the terms of row i.
func (in *Inputs) row(i int) []term {
	lo := 0
	if i > 0 {
		lo = in.ends[i-1]
	}
	return in.terms[lo:in.ends[i]]
}

func portableForward(z, x, w, b []float32, s Shape, in *Inputs) {
	in.find(x, s)
	if in.dense {
		denseForward(z, x, w, s)
	} else {
		sparseForward(z, w, s, in)
	}
	addRows(z, b)
}

// addRows adds b to each row of z, if there is one.
func addRows(z, b []float32) {
	for len(z) >= len(b) && len(b) > 0 {
		row := z[:len(b)]
		for o, bias := range b {
			row[o] += bias
		}
		z = z[len(b):]
	}
}

func portableWeights(gw, gb, d, x []float32, s Shape, in *Inputs) {
	if in.dense {
		for o := range s.Out {
			combine(gw[o*s.In:(o+1)*s.In], x, d[o:], s.Out, s.N)
		}
	} else {
		sparseWeights(gw, d, s, in)
	}
	clear(gb)
	for i := range s.N {
		for o, v := range d[i*s.Out : (i+1)*s.Out] {
			gb[o] += v
		}
	}
}

func portableBack(dx, d, w []float32, s Shape) {
	for i := range s.N {
		combine(dx[i*s.In:(i+1)*s.In], w, d[i*s.Out:], 1, s.Out)
	}
}
