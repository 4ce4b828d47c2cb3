package nn

import "fmt"

// Predict runs one example (Model.Inputs() values) forward: for each of its targets the probability
// of each class, by softmax, of a model that cross entropy trains; of another one its outputs as they
// are.
func (m *Model) Predict(params, x []float32, k Kernel) []float64 {
	if len(x) != m.Inputs() {
		panic(fmt.Sprintf("nn: %d values for %d inputs", len(x), m.Inputs()))
	}
	r := m.replica(params, 1, k, false)
	copy(r.acts[0], x)
	r.n = 1
	for l := range m.Layers() {
		r.Forward(l)
	}
	z := r.Outputs()
	p := make([]float64, len(z))
	for at := 0; at < len(z); at += m.Classes() {
		m.scores(p[at:at+m.Classes()], z[at:at+m.Classes()])
	}
	return p
}

// scores makes what Predict says of the outputs of one target.
func (m *Model) scores(p []float64, z []float32) {
	top, sum := float64(z[argmax(z)]), 0.0
	for i, v := range z {
		p[i] = float64(v)
		if m.loss == CrossEntropy {
			p[i] = exp(p[i] - top)
			sum += p[i]
		}
	}
	if m.loss == CrossEntropy {
		for i := range p {
			p[i] /= sum
		}
	}
}
