package train

import (
	"math"
	"testing"

	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// The length of a gradient over the examples of all micro-batches is the root of the sum of their squares: sqrt(n) times
// one's, where n are alike. Each is of the mean over its own labels, which are an n-th of the rank's.
func TestLengthsAddAsSquares(t *testing.T) {
	m, err := nn.NewRNN(nn.Recurrent{Vocabulary: 5, Context: 3, Embedding: 2, Cells: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	const at = 1 // of the layers
	l := m.Layer(at, nn.Portable)
	saved := l.NewSaved(1)
	x, d, p := []float32{1, -2, 3, 1, 2, -1}, []float32{1, 2, -1, 3, 2, 1}, make([]float32, l.Params())
	for i := range p {
		p[i] = 0.3
	}
	l.Forward(make([]float32, 6), x, p, 1, saved, nil)
	l.Backward(make([]float32, 6), make([]float32, len(p)), d, x, p, 1, saved)
	one := nn.StepNorms(saved)
	if len(one) != 3 || one[0] <= 1 || one[0] == one[1] {
		t.Fatalf("lengths %v: want three above 1", one)
	}
	for _, micro := range []int{1, 2, 5} {
		n := newNorms([][]nn.Saved{nil, {saved}, {nil}}, 1)
		for range micro {
			n.add(0, at, saved)
			n.add(0, at+1, nil)
		}
		j := &Job{cfg: Config{Model: m}, ranks: []rank{{norms: n}},
			work: &workload.Training{Layout: workload.Layout{MicroBatches: micro}}}
		visited := 0
		j.TakeNorms(0, 0, func(layer string, position int, norm float64) {
			want := math.Sqrt(float64(micro)) * one[position] / float64(micro)
			if layer != m.LayerName(at) || math.Abs(norm-want) > 1e-12*want {
				t.Errorf("%d micro-batches: %s at %d: %v, want %v", micro, layer, position, norm, want)
			}
			visited++
		})
		if visited != len(one) {
			t.Errorf("%d lengths, want %d", visited, len(one))
		}
	}
}
