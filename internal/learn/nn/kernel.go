package nn

import (
	"fmt"

	"railyard/internal/learn/nn/kernel"
)

// A Kernel is a family of matrix products, c = a b and its transposed forms, and
// of the functions whose last bits are a choice, too. Two kernels may differ in the
// last bits of what they give; one kernel never does, whatever it runs on: each
// element of a product is one float32 sum that starts from +0 and takes its terms
// in ascending order of the summed index.
type Kernel struct {
	Name string
	// c = a b, a bᵀ, aᵀ b, or added to c. Package kernel has the shapes.
	NN, NT, TN func(c, a, b []float32, p Product)

	Sigmoid, Tanh, GELU func(z []float32)    // replace each element
	GELUSlope           func(d, z []float32) // multiplies each d by the slope at z
	// ExpSum makes to[i] = e^(from[i]-top) and returns their sum; to may be from.
	ExpSum func(to, from []float32, top float32) float64
	// CrossEntropy is the loss of one label, -ln softmax(z)[label]; d becomes its gradient with
	// respect to z, softmax minus one-hot, divided by n.
	CrossEntropy func(d, z []float32, label int, n float64) float64
}

// Product is the shape of a product of matrices.
type Product = kernel.Product

// Portable rounds each product before it is added: every processor can. Its functions are computed
// in doubles.
var Portable = Kernel{
	Name: "portable",
	NN:   kernel.PortableNN, NT: kernel.PortableNT, TN: kernel.PortableTN,
	Sigmoid:      func(z []float32) { each(z, sigmoid) },
	Tanh:         func(z []float32) { each(z, tanh) },
	GELU:         func(z []float32) { each(z, gelu) },
	GELUSlope:    func(d, z []float32) { eachSlope(d, z, geluSlope) },
	ExpSum:       expSum,
	CrossEntropy: crossEntropy,
}

// Fused adds each product unrounded, as fused multiply-adds do, in its functions, too.
var Fused = Kernel{
	Name: "fma",
	NN:   kernel.FusedNN, NT: kernel.FusedNT, TN: kernel.FusedTN,
	Sigmoid:   kernel.FusedSigmoid,
	Tanh:      kernel.FusedTanh,
	GELU:      kernel.FusedGELU,
	GELUSlope: kernel.FusedGELUSlope,
	ExpSum: func(to, from []float32, top float32) float64 {
		return float64(kernel.FusedExpSum(to, from, top))
	},
	CrossEntropy: fusedCrossEntropy,
}

func expSum(to, from []float32, top float32) (sum float64) {
	for j, v := range from {
		e := exp(float64(v) - float64(top))
		to[j] = float32(e)
		sum += e
	}
	return sum
}

// KernelNamed finds a kernel by the name that --kernel and run.json use.
func KernelNamed(name string) (Kernel, error) {
	for _, k := range []Kernel{Portable, Fused} {
		if k.Name == name {
			return k, nil
		}
	}
	return Kernel{}, fmt.Errorf("unknown kernel %q, want portable or fma", name)
}

// addRows adds b to each row of z.
func addRows(z, b []float32) {
	for len(z) >= len(b) && len(b) > 0 {
		kernel.Add(z, b)
		z = z[len(b):]
	}
}

// sumRows makes sum the sum of the rows of d, in ascending order from +0.
func sumRows(sum, d []float32) {
	clear(sum)
	for ; len(d) > 0; d = d[len(sum):] {
		kernel.Add(sum, d[:len(sum)])
	}
}
