package nn

import (
	"math"
	"testing"
)

// Predict takes the class that Evaluate counts as right, and its probabilities give the loss.
func TestPredictAgreesWithEvaluate(t *testing.T) {
	pixels := make([]byte, 4*20)
	for i := range pixels {
		pixels[i] = byte(i * 37)
	}
	for _, loss := range []Loss{CrossEntropy, MSE} {
		m, err := NewMLP([]int{20, 7, 5}, ReLU, loss)
		if err != nil {
			t.Fatal(err)
		}
		params := m.Init(9)
		for i := range 4 {
			image := pixels[20*i : 20*i+20]
			p := m.Predict(params, image, Portable)
			best, sum := 0, 0.0
			for c, v := range p {
				sum += v
				if v > p[best] {
					best = c
				}
			}
			right, mean := m.Evaluate(params, image, []byte{byte(best)}, Portable)
			if right != 1 {
				t.Errorf("%v: image %d: class %d, Evaluate takes another one", loss, i, best)
			}
			if loss == CrossEntropy && (math.Abs(sum-1) > 1e-12 || math.Abs(mean+math.Log(p[best])) > 1e-12) {
				t.Errorf("probabilities %v: loss %v", p, mean)
			}
			if loss == MSE {
				half := 0.0
				for c, v := range p {
					if c == best {
						v -= 1
					}
					half += v * v / 2
				}
				if math.Abs(half-mean) > 1e-12 {
					t.Errorf("outputs %v: loss %v, want %v", p, mean, half)
				}
			}
		}
	}
}
