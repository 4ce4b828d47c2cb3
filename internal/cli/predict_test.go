package cli

import (
	"strings"
	"testing"

	"railyard/internal/checkpoint"
	"railyard/internal/nn"
	"railyard/internal/run"
)

// What trained the weights computes with them; a kernel that there is not is named.
func TestPredictTakesTheKernelOfTheWeights(t *testing.T) {
	for _, kernel := range []string{nn.Portable.Name, nn.Fused.Name, "abacus"} {
		w := &run.Resume{Checkpoint: &checkpoint.Checkpoint{Training: checkpoint.Training{Layers: []int{2, 2},
			Activation: "relu", Loss: "mse", Kernel: kernel}}}
		n, err := networkOf(w, "w")
		if kernel == "abacus" {
			if err == nil || !strings.Contains(err.Error(), `unknown kernel "abacus", want portable or fma`) {
				t.Errorf("kernel abacus: %v", err)
			}
			continue
		}
		if err != nil || n.kernel.Name != kernel {
			t.Errorf("weights of %s: kernel %s, %v", kernel, n.kernel.Name, err)
		}
	}
}

// A network of text is of no use without its vocabulary.
func TestTextWithoutAVocabulary(t *testing.T) {
	spec := &nn.Spec{Kind: "rnn", Recurrent: &nn.Recurrent{Vocabulary: 5, Context: 3, Embedding: 2, Cells: []int{2}}}
	w := &run.Resume{Checkpoint: &checkpoint.Checkpoint{Training: checkpoint.Training{Model: spec, Kernel: "portable"}}}
	if _, err := networkOf(w, "w"); err == nil || !strings.Contains(err.Error(), "without a vocabulary") {
		t.Errorf("%v", err)
	}
}
