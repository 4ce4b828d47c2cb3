package bench

import (
	"railyard/internal/base/machine"
	"railyard/internal/learn/nn"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
)

// Arithmetic is how many seconds of processor time this machine takes for a floating-point operation of what a plan's jobs really
// train: a few steps of each job's network are made, on data that mean nothing. 0: nothing is trained, or the machine does not
// say what time it took.
func Arithmetic(p *plan.Plan) float64 {
	flop, seconds := 0.0, 0.0
	for i := range p.Jobs {
		if j := &p.Jobs[i]; j.Model != nil && j.Spec.Train != nil {
			f, s := tried(j)
			flop, seconds = flop+f, seconds+s
		}
	}
	if flop == 0 || seconds == 0 {
		return 0
	}
	return seconds / flop
}

// A network is tried for so long, in seconds of processor time, and in so many steps at the most.
const (
	triedFor  = 0.03
	mostTried = 1000
)

// tried is the floating-point operations of some steps of a job's network with as many examples as a rank has at once, and the time
// that they took, with updates. The first, which finds nothing in caches, does not count.
func tried(j *plan.Job) (flop, took float64) {
	kernel, err := nn.KernelNamed(j.Spec.Train.Kernel)
	if err != nil {
		return 0, 0
	}
	m, n := j.Model, max(1, j.Spec.Train.Batch/max(1, j.Spec.Parallel.MicroBatches))
	r := m.NewReplica(m.Init(1), n, kernel)
	x, labels := make([]float32, n*m.Inputs()), make([]int32, n*m.Targets())
	for i := range x {
		x[i] = 1 // of text it is a token that is no padding
	}
	for i := range labels {
		labels[i] = 1
	}
	update := func() {
		for i, g := range r.Grads {
			r.Params[i] -= 1e-9 * g
		}
	}
	steps, from := -1, machine.CPU()
	for ; steps < mostTried && took < triedFor; steps++ {
		if steps == 0 {
			from = machine.CPU()
		}
		r.Load(x, labels, n)
		pass(r, m.Layers())
		update()
		took = machine.CPU() - from
	}
	_, both := foresight.FLOP(j)
	return float64(both) * float64(n) * float64(max(1, steps)), took
}
