package nn

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s = %v, want %v within %v", what, got, want, within)
	}
}

// neuron is one neuron with weights w1 = 0.5, w2 = -0.3 and a bias weight, as a
// network of one layer.
func neuron(t *testing.T, a Activation, bias float32, x1, x2 float32) float64 {
	m, err := mlp(t, ReLU, MSE, 2, 1).WithOutput(a)
	if err != nil {
		t.Fatal(err)
	}
	r := m.NewReplica([]float32{0.5, -0.3, bias}, 1, Portable)
	r.Load([]float32{x1, x2}, []int32{0}, 1)
	r.Forward(0)
	return float64(r.Outputs()[0])
}

func TestBookChapter1Neuron(t *testing.T) {
	const x1, x2 = 9.68, 1 // 0.5*x1 - 0.3*x2 = 4.54
	near(t, "z, bias 0.3", neuron(t, Identity, 0.3, x1, x2), 4.84, 1e-5)
	near(t, "sigmoid, bias 0.3", neuron(t, Sigmoid, 0.3, x1, x2), 0.992, 5e-4)
	near(t, "ReLU, bias 0.3", neuron(t, ReLU, 0.3, x1, x2), 4.84, 1e-5)
	near(t, "z, bias -4", neuron(t, Identity, -4, x1, x2), 0.54, 1e-5)
	near(t, "sigmoid, bias -4", neuron(t, Sigmoid, -4, x1, x2), 0.632, 5e-4)
	near(t, "sigmoid of the rounded 0.50 that the book prints", sigmoid(0.50), 0.622, 5e-4)
	near(t, "sigmoid of the rounded 4.8", sigmoid(4.8), 0.992, 5e-4)
	near(t, "no input, no bias, sigmoid", neuron(t, Sigmoid, 0, 0, 0), 0.5, 0)
	near(t, "no input, no bias, ReLU", neuron(t, ReLU, 0, 0, 0), 0, 0)
}

// Two neurons in a row, both ReLU; biases chosen so that y_a = 3 and the
// output is 1.7 (they are only in the book's figure).
func TestBookChapter2Gradients(t *testing.T) {
	m, err := mlp(t, ReLU, MSE, 1, 1, 1).WithOutput(ReLU)
	if err != nil {
		t.Fatal(err)
	}
	r := m.NewReplica([]float32{0.1, 2.7, 0.4, 0.5}, 1, Portable) // w_a1, b_a, w_b1, b_b
	loss := step(r, []float32{3}, []int32{0})                     // one output, label 0: target 1.0
	near(t, "output", float64(r.Outputs()[0]), 1.7, 1e-6)
	near(t, "error", loss, 0.245, 1e-6)
	near(t, "error term of a", float64(r.Grads[1]), 0.28, 1e-6)
	near(t, "error term of b", float64(r.Grads[3]), 0.7, 1e-6)
	near(t, "gradient of w_a1", float64(r.Grads[0]), 0.84, 1e-6)
	near(t, "gradient of w_b1", float64(r.Grads[2]), 2.1, 1e-6)
	(&SGD{LR: 0.05}).Step(r.Params, r.Grads, nil, 1)
	near(t, "new w_a1", float64(r.Params[0]), 0.058, 1e-6)
	near(t, "new w_b1", float64(r.Params[2]), 0.295, 1e-6)
	// With data parallelism: summed over two GPUs, divided by their number.
	(&SGD{LR: 0.05}).Step(r.Params, []float32{2 * 0.84, 0, 2 * 2.1, 0}, nil, 0.5)
	near(t, "w_a1 after two equal GPUs", float64(r.Params[0]), 0.016, 1e-6)

	biasFixed := m.NewReplica([]float32{0.058, 2.7, 0.295, 0.5}, 1, Portable)
	step(biasFixed, []float32{3}, []int32{0})
	near(t, "second forward pass with the biases fixed", float64(biasFixed.Outputs()[0]), 1.35, 0.005)
}

func TestBookChapter3Weights(t *testing.T) {
	m := mlp(t, ReLU, CrossEntropy, 784, 128, 10)
	if weights := m.Params() - 128 - 10; weights != 101632 || 4*weights != 406528 {
		t.Errorf("%d weights, want 101,632", weights)
	}
	if lo, hi := m.LayerRange(1); lo != 100352+128 || hi-lo != 1280+10 {
		t.Errorf("second layer is [%d, %d)", lo, hi)
	}
	m = mlp(t, ReLU, CrossEntropy, 1024, 128, 10)
	if weights := m.Params() - 138; weights != 131072+1280 {
		t.Errorf("%d weights, want 132,352", weights)
	}
}

func TestBookChapter3GradientIsSoftmaxMinusOneHot(t *testing.T) {
	m := mlp(t, ReLU, CrossEntropy, 10, 10)
	params := make([]float32, m.Params())
	for i := range 10 {
		params[i*10+i] = 1 // identity: the logits are the inputs
	}
	// The exponentials sum to 24.813; class 5 has 0.244, the labelled class 3 has 0.181.
	p := []float64{0.05, 0.1, 0.075, 0.181, 0.05, 0.244, 0.1, 0.05, 0.1, 0.05}
	x := make([]float32, 10)
	for i := range p {
		x[i] = float32(math.Log(p[i] * 24.813))
	}
	r := m.NewReplica(params, 1, Portable)
	loss := step(r, x, []int32{3})
	near(t, "loss, -ln 0.181", loss, 1.709, 5e-4)
	_, bias := m.Layer(0, Portable).(dense).cut(r.Grads) // the gradient at the logits
	for i := range p {
		want := p[i]
		if i == 3 {
			want -= 1
		}
		near(t, "gradient at a logit", float64(bias[i]), want, 1e-6)
	}
	if _, correct := r.Loss(); correct != 0 {
		t.Error("class 5 should have won")
	}
}
