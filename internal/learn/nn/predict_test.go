package nn

import (
	"math"
	"testing"

	"railyard/internal/learn/dataset"
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
			x := make([]float32, 20)
			dataset.Inputs(x, pixels[20*i:20*i+20])
			p := m.Predict(params, x, Portable)
			best, sum := 0, 0.0
			for c, v := range p {
				sum += v
				if v > p[best] {
					best = c
				}
			}
			labels := make([]byte, 4)
			labels[i] = byte(best)
			score := m.Evaluate(params, pictures(20, pixels, labels), i, i+1, Portable)
			mean := score.Mean()
			if score.Correct != 1 {
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
