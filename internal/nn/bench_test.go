package nn

import (
	"testing"

	"railyard/internal/machine/machinetest"
)

// BenchmarkStep is one rank's whole step of 784-128-10 with batch 8, optimiser
// included. The GFLOP count every product, also those left out for zero
// inputs: 6 N weights, less the first layer's gradient at its inputs.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		name  string
		zeros uint64
	}{{"dense", 0}, {"digits", 6}} { // of 8 inputs are 0
		b.Run(c.name, func(b *testing.B) {
			m := mlp(b, ReLU, CrossEntropy, 784, 128, 10)
			r := m.NewReplica(m.Init(1), 8, Portable)
			x, labels := values(1, 8*784, c.zeros), []int32{0, 1, 2, 3, 4, 5, 6, 7}
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

func BenchmarkKernel(b *testing.B) {
	s := Shape{8, 784, 128}
	for _, c := range []struct {
		name  string
		zeros uint64
	}{{"dense", 0}, {"sparse", 6}} {
		x, w, bias, d := values(1, s.N*s.In, c.zeros), values(2, s.Out*s.In, 0),
			values(3, s.Out, 0), values(4, s.N*s.Out, 4)
		z, gw, gb, dx := make([]float32, s.N*s.Out), make([]float32, s.Out*s.In), make([]float32, s.Out),
			make([]float32, s.N*s.In)
		notes := newInputs(s.N, s.In)
		run := func(name string, f func()) {
			b.Run(name+"/"+c.name, func(b *testing.B) {
				cpu := machinetest.Start(b)
				for b.Loop() {
					f()
				}
				b.ReportMetric(2*float64(s.N*s.In*s.Out)*float64(b.N)/(cpu.Report()*1e9), "GFLOP/cpu-s")
			})
		}
		run("forward", func() { Portable.Forward(z, x, w, bias, s, &notes) })
		Portable.Forward(z, x, w, bias, s, &notes)
		run("weights", func() { Portable.Weights(gw, gb, d, x, s, &notes) })
		if c.zeros == 0 {
			run("back", func() { Portable.Back(dx, d, w, s) })
		}
	}
}
