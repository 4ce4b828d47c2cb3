package nn

import "fmt"

// Predict runs one grey image (Model.Inputs() bytes, as for LoadPixels) forward: the probability of
// each class, by softmax, of a model that cross entropy trains; of another one its outputs as they
// are.
func (m *Model) Predict(params []float32, pixels []byte, k Kernel) []float64 {
	if len(pixels) != m.Inputs() {
		panic(fmt.Sprintf("nn: %d pixels for %d inputs", len(pixels), m.Inputs()))
	}
	r := m.replica(params, 1, k, false)
	r.LoadPixels(pixels, []byte{0}, []int{0})
	for l := range m.Layers() {
		r.Forward(l)
	}
	z := r.Outputs()
	p := make([]float64, len(z))
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
	return p
}
