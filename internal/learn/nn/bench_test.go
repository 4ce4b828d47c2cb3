package nn

import (
	"testing"

	"railyard/internal/base/machine/machinetest"
)

// BenchmarkStep is one rank's whole step of 784-128-10 with batch 8, optimiser
// included. The GFLOP/s count the products: 6 N weights, less the first layer's
// gradient at its inputs.
func BenchmarkStep(b *testing.B) {
	for _, k := range []Kernel{Portable, Fused} {
		b.Run(k.Name, func(b *testing.B) {
			m := mlp(b, ReLU, CrossEntropy, 784, 128, 10)
			r := m.NewReplica(m.Init(1), 8, k)
			x, labels := values(1, 8*784, 0), []int32{0, 1, 2, 3, 4, 5, 6, 7}
			o := SGD{LR: 0.001}
			b.ReportAllocs()
			cpu := machinetest.Start(b)
			for b.Loop() {
				step(r, x, labels)
				o.Step(r.Params, r.Grads, nil, 1)
			}
			flop := 8. * (4*784*128 + 6*128*10)
			b.ReportMetric(flop*float64(b.N)/(cpu.Report()*1e9), "GFLOP/cpu-s")
		})
	}
}
