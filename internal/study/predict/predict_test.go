package predict

import (
	"math"
	"strings"
	"testing"

	"railyard/internal/job/checkpoint"
	"railyard/internal/job/train"
	"railyard/internal/learn/dataset"
	"railyard/internal/learn/nn"
	"railyard/internal/run/run"
)

// What trained the weights computes with them; a kernel that there is not is named.
func TestPredictTakesTheKernelOfTheWeights(t *testing.T) {
	for _, kernel := range []string{nn.Portable.Name, nn.Fused.Name, "abacus"} {
		w := &run.Resume{Checkpoint: &checkpoint.Checkpoint{Training: checkpoint.Training{Layers: []int{2, 2},
			Activation: "relu", Loss: "mse", Kernel: kernel}}}
		n, err := NetworkOf(w, "w")
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
	if _, err := NetworkOf(w, "w"); err == nil || !strings.Contains(err.Error(), "without a vocabulary") {
		t.Errorf("%v", err)
	}
}

// classifier is a network without hidden layers whose output is a part of its input: class 1 of what is lit in the second pixel.
func classifier(t *testing.T, loss string, weight float32) *Network {
	t.Helper()
	w := &run.Resume{Checkpoint: &checkpoint.Checkpoint{Training: checkpoint.Training{Layers: []int{2, 2},
		Activation: "relu", Loss: loss, Kernel: nn.Portable.Name},
		State: train.State{Step: 7, Params: []float32{weight, 0, 0, weight, 0, 0}}}}
	n, err := NetworkOf(w, "w")
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The class is that of the highest score; scores are bars where they are probabilities, and numbers where they are outputs.
func TestScoresAsText(t *testing.T) {
	for loss, want := range map[string]string{
		"cross-entropy": "a.png: 1\n    0   26.9 %  ###########\n    1   73.1 %  #############################\n",
		"mse":           "a.png: 1\n    0    0.0000\n    1    1.0000\n",
	} {
		all := classifier(t, loss, 1).Predictions()
		if err := all.Add("a.png", &dataset.Images{N: 1, Rows: 1, Cols: 2, Pixels: []byte{0, 255}}); err != nil {
			t.Fatal(err)
		}
		if got := all.Text(); got != want || all.Step != 7 {
			t.Errorf("%s: step %d\n%swant\n%s", loss, all.Step, got, want)
		}
	}
}

// What weights that are too large make is no score.
func TestScoresThatAreNoNumbers(t *testing.T) {
	all := classifier(t, "mse", float32(math.Inf(1))).Predictions()
	err := all.Add("a.png", &dataset.Images{N: 1, Rows: 1, Cols: 2, Pixels: []byte{255, 255}})
	if err == nil || !strings.Contains(err.Error(), "the weights are too large") || len(all.Images) != 0 {
		t.Errorf("%v, and %d images", err, len(all.Images))
	}
}
