package run

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// lengths of gradients by layer and position, those of a step over all ranks: roots of sums of squares.
func lengths(t *testing.T, r ran, step, replicas int) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for row, err := range r.Gradients() {
		if err != nil {
			t.Fatal(err)
		}
		if int(row.Step) == step {
			all[fmt.Sprint(row.Layer, " ", row.Position)] += math.Pow(row.Norm/float64(replicas), 2)
		}
	}
	for k, v := range all {
		all[k] = math.Sqrt(v)
	}
	return all
}

// However ranks share a batch, the gradients back through time are those of the whole batch. What is
// written changes nothing else.
func TestGradientsBackThroughTime(t *testing.T) {
	yaml := func(parallel string, on bool) string {
		return cluster8(5) + fmt.Sprintf(`
job:
  train: {model: rnn, rnn: {embedding: 6, cells: [8, 5]}, batch: %s, steps: 3, lr: 0.1,
    data: {text: {window: 12, grammar: {train: 200, test: 20}}}}
  parallel: {%s}
output: {gradients: %v}
`, map[string]string{"dp: 1": "8", "dp: 1, micro_batches: 4": "8", "dp: 4, pp: 2": "2"}[parallel], parallel, on)
	}
	one := run(t, yaml("dp: 1", true), Options{})
	want := lengths(t, one, 2, 1)
	if len(want) != 24 {
		t.Fatalf("%d lengths, want those of 2 layers at 12 positions", len(want))
	}
	for key, n := range want {
		if !(n > 1e-6) {
			t.Errorf("%s has length %v", key, n)
		}
	}
	for parallel, replicas := range map[string]int{"dp: 1, micro_batches: 4": 1, "dp: 4, pp: 2": 4} {
		for key, got := range lengths(t, run(t, yaml(parallel, true), Options{Workers: 2}), 2, replicas) {
			if math.Abs(got-want[key]) > 1e-4*want[key] {
				t.Errorf("%s: %s has length %v, want %v", parallel, key, got, want[key])
			}
		}
	}
	without := run(t, yaml("dp: 1", false), Options{})
	if without.WeightsSHA256 != one.WeightsSHA256 || without.VirtualTime != one.VirtualTime {
		t.Error("another training where gradients are written")
	}
	if slices.Contains(without.Run.Tables(), "gradients") {
		t.Error("a table without output.gradients")
	}
}
