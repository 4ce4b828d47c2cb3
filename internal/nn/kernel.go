package nn

import (
	"fmt"

	"railyard/internal/nn/kernel"
)

// A Kernel is a family of matrix products, c = a b and its transposed forms. Two
// kernels may differ in the last bits of what they give; one kernel never does,
// whatever it runs on: each element is one float32 sum that starts from +0 and
// takes its terms in ascending order of the summed index.
type Kernel struct {
	Name string
	// c = a b, a bᵀ, aᵀ b, or added to c. Package kernel has the shapes.
	NN, NT, TN func(c, a, b []float32, p Product)
}

// Product is the shape of a product of matrices.
type Product = kernel.Product

// Portable rounds each product before it is added: every processor can.
var Portable = Kernel{Name: "portable", NN: kernel.PortableNN, NT: kernel.PortableNT, TN: kernel.PortableTN}

// Fused adds each product unrounded, as fused multiply-adds do.
var Fused = Kernel{Name: "fma", NN: kernel.FusedNN, NT: kernel.FusedNT, TN: kernel.FusedTN}

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
		row := z[:len(b)]
		for o, bias := range b {
			row[o] += bias
		}
		z = z[len(b):]
	}
}

// sumRows makes sum the sum of the rows of d, in ascending order from +0.
func sumRows(sum, d []float32) {
	clear(sum)
	for ; len(d) > 0; d = d[len(sum):] {
		for o, v := range d[:len(sum)] {
			sum[o] += v
		}
	}
}
