package lab

import "railyard/internal/learn/nn"

// descent and adam are the rules by which benches train.
func descent(lr float64) nn.Optimiser { return nn.Optimiser{LR: lr} }

func adam(lr float64) nn.Optimiser {
	return nn.Optimiser{Method: nn.Adam, LR: lr, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}
}

// fit trains a model from first parameters, each update with the same rows. It returns the parameters
// after so many updates, and their loss on these rows.
func fit(m *nn.Model, start, x []float32, labels []int32, rule nn.Optimiser, updates int) ([]float32, float64) {
	rows := len(x) / m.Inputs()
	r := m.NewReplica(start, rows, nn.Portable)
	state := make([][]float32, len(rule.State()))
	for i := range state {
		state[i] = make([]float32, m.Params())
	}
	forward := func() float64 {
		r.Load(x, labels, rows)
		for l := range m.Layers() {
			r.Forward(l)
		}
		loss, _ := r.Loss()
		return loss
	}
	for n := range int64(updates) {
		forward()
		for l := m.Layers() - 1; l >= 0; l-- {
			r.Backward(l)
		}
		rule.Step(r.Params, r.Grads, state, nn.Move{Step: n, Update: n, Scale: 1})
	}
	return r.Params, forward()
}
