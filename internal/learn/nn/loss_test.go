package nn

import (
	"math"
	"testing"
)

// A mean over the labels that count: the ignored have no gradient, and parts of a batch that are told
// the right number add up to the whole.
func TestIgnoredLabelsCountForNothing(t *testing.T) {
	m, err := NewModel([]Named{{Layer: Dense(4, 6, Identity)}}, CrossEntropy, 2)
	if err != nil {
		t.Fatal(err)
	}
	y, labels := values(1, 4*6, 0), []int32{2, Ignored, 0, 1, Ignored, Ignored, 1, 2}
	whole, d := make([]float32, len(y)), make([]float32, len(y))
	mean, _ := m.Loss(Portable, whole, y, labels, float64(Counted(labels)))
	for _, i := range []int{1, 4, 5} {
		for j, v := range whole[i*3 : i*3+3] {
			if v != 0 {
				t.Errorf("gradient %d of ignored label %d is %v", j, i, v)
			}
		}
	}
	// Two micro-batches of 3 and 2 labels that count; each mean is over half of all five.
	sum := 0.0
	for i := range 2 {
		part, _ := m.Loss(Portable, d[i*12:i*12+12], y[i*12:i*12+12], labels[i*4:i*4+4], 2.5)
		sum += part / 2
	}
	if math.Abs(sum-mean) > 1e-12 {
		t.Errorf("the parts' losses make %v, the whole %v", sum, mean)
	}
	for i := range d {
		if math.Abs(float64(d[i]/2-whole[i])) > 1e-7 {
			t.Errorf("gradient %d: half of %v, want %v", i, d[i], whole[i])
		}
	}
	if mean, correct := m.Loss(Portable, d, y, []int32{-1, -1}, 0); mean != 0 || correct != 0 || d[0] != 0 {
		t.Errorf("of ignored labels alone: loss %v, %d correct, gradient %v", mean, correct, d[0])
	}
}

// Beyond the outputs whose exponentials are kept nothing changes but the work.
func TestCrossEntropyOfManyOutputs(t *testing.T) {
	const n = keptTerms + 50
	z, d := values(3, n, 0), make([]float32, n)
	sum := 0.0
	for _, v := range z {
		sum += math.Exp(float64(v))
	}
	label := n - 2
	if got, want := crossEntropy(d, z, label, 1), math.Log(sum)-float64(z[label]); math.Abs(got-want) > 1e-9 {
		t.Errorf("loss %v, want %v", got, want)
	}
	for j, v := range z {
		want := math.Exp(float64(v)) / sum
		if j == label {
			want -= 1
		}
		if math.Abs(float64(d[j])-want) > 1e-7 {
			t.Fatalf("gradient %d is %v, want %v", j, d[j], want)
		}
	}
}

func TestNewModelSaysWhatDoesNotFit(t *testing.T) {
	for want, layers := range map[string][]Named{
		"layers: there are none, want at least 1":                              nil,
		"layers: two are called a":                                             {{"a", Dense(2, 2, ReLU)}, {"a", Dense(2, 2, ReLU)}},
		"layers: b takes 3 inputs, layers.1 gives 2":                           {{"", Dense(2, 2, ReLU)}, {"b", Dense(3, 2, ReLU)}},
		"layers: the last gives 3 outputs for 2 labels, want as many for each": {{"", Dense(2, 3, ReLU)}},
		"layers: layers.1 takes 0 inputs and gives 2 outputs, want at least 1": {{"", Dense(0, 2, ReLU)}},
		"layers: more than 268435456 parameters":                               {{"", Dense(1<<16, 1<<13, ReLU)}},
	} {
		if _, err := NewModel(layers, MSE, 2); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
