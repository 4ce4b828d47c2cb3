package dataset_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"railyard/internal/base/machine/machinetest"
	"railyard/internal/learn/dataset"
	"railyard/internal/learn/nn"
)

// accuracy trains a network on the set's training images (batch 64, SGD, the
// order shuffled in each epoch) and gives how many test images it gets right.
func accuracy(t testing.TB, set *dataset.Set, epochs int, sizes ...int) (correct int) {
	t.Helper()
	m, err := nn.NewMLP(sizes, nn.ReLU, nn.CrossEntropy)
	if err != nil {
		t.Fatal(err)
	}
	const batch = 64
	r := m.NewReplica(m.Init(1), batch, nn.Portable)
	sgd := nn.SGD{LR: 0.1}
	random := rand.New(rand.NewPCG(1, 1))
	for range epochs {
		order := random.Perm(set.Train.N)
		for len(order) > 0 {
			n := min(batch, len(order))
			r.LoadRows(&set.Train, order[:n])
			order = order[n:]
			for l := range m.Layers() {
				r.Forward(l)
			}
			r.Loss()
			for l := m.Layers() - 1; l >= 0; l-- {
				r.Backward(l)
			}
			sgd.Step(r.Params, r.Grads, nil, 1)
		}
	}
	return m.Evaluate(r.Params, &set.Test, 0, set.Test.N, nn.Portable).Correct
}

// BenchmarkDifficulty trains on the full set: a linear classifier for 10 epochs
// must stay below 93 % and 784-128-10 for 3 epochs get above 95 %.
func BenchmarkDifficulty(b *testing.B) {
	cpu := machinetest.Start(b)
	defer cpu.Report()
	for b.Loop() {
		set, err := dataset.Drawn{Train: 60000, Test: 10000, Seed: 1}.Make(context.Background(), nil)
		if err != nil {
			b.Fatal(err)
		}
		linear := accuracy(b, set, 10, 784, 10)
		hidden := accuracy(b, set, 3, 784, 128, 10)
		b.ReportMetric(float64(linear)/100, "linear-%")
		b.ReportMetric(float64(hidden)/100, "hidden-%")
		if linear >= 9300 || hidden <= 9500 {
			b.Errorf("linear %d and hidden layer %d of 10000, want below 9300 and above 9500", linear, hidden)
		}
	}
}

// BenchmarkMake draws the 70,000 images of the default set on all cores.
func BenchmarkMake(b *testing.B) {
	cpu := machinetest.Start(b)
	for b.Loop() {
		if _, err := (dataset.Drawn{Train: 60000, Test: 10000, Seed: 1}).Make(context.Background(), nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(cpu.Report()*1e6/70000/float64(b.N), "cpu-us/image")
}

// The same on a tenth of the data: the network learns, and the digits need its hidden layer.
func TestHiddenLayerBeatsLinearClassifier(t *testing.T) {
	set, err := dataset.Drawn{Train: 6000, Test: 1000, Seed: 1}.Make(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	linear := accuracy(t, set, 10, 784, 10)
	hidden := accuracy(t, set, 10, 784, 128, 10)
	t.Logf("linear %d, hidden layer %d of 1000", linear, hidden)
	if linear < 700 || linear > 860 || hidden < 860 {
		t.Errorf("linear %d and hidden layer %d of 1000, want 700 to 860 and at least 860", linear, hidden)
	}
}
