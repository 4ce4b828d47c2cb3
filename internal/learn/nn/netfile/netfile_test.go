package netfile

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"railyard/internal/base/located"
	"railyard/internal/learn/nn"
)

// A file that spells a network by name makes the same value, layer by layer: so the same first weights
// and the same training, bit for bit.
func TestSpelledModelsEqualThoseByName(t *testing.T) {
	images := Rows{Image: nn.Volume{Channels: 1, Height: 28, Width: 28}}
	text := Rows{Text: true, Vocabulary: 64, Context: 16}
	stage := nn.ConvStage{Filters: 8, Window: nn.Window{Size: 5, Stride: 2, Padding: 1}, Pool: 2, Stride: 2, Average: true}
	fixed := nn.ConvStage{Fixed: nn.Prewitt(), Window: nn.Window{Size: 3, Stride: 1}, Pool: 2, Stride: 2}
	for _, c := range []struct {
		src  string
		rows Rows
		of   nn.Spec
	}{
		{"vector; layers.1: dense units=30 activation=relu; layers.2: dense units=20 activation=relu; layers.3: dense " +
			"units=10",
			images, nn.Spec{Kind: "mlp", MLP: &nn.MLP{Layers: []int{784, 30, 20, 10}, Activation: nn.ReLU}}},
		{"vector; layers.1: dense units=30 activation=gelu; layers.2: dense units=10; loss mse", images,
			nn.Spec{Kind: "mlp", MLP: &nn.MLP{Layers: []int{784, 30, 10}, Activation: nn.GELU, Loss: nn.MSE}}},
		{"image; conv.1: fixed-conv2d kernels=prewitt activation=tanh; pool.1: max-pool; conv.2: conv2d filters=8 kernel=5 " +
			"stride=2 padding=1 activation=tanh; pool.2: average-pool; flatten: flatten; dense.1: dense units=12 " +
			"activation=tanh; dense.2: dense units=10", images, nn.Spec{Kind: "cnn", CNN: &nn.CNN{
			Image: images.Image, Stages: []nn.ConvStage{fixed, stage}, Hidden: []int{12}, Classes: 10, Activation: nn.Tanh}}},
		{"text; embedding: one-hot; rnn.1: rnn cells=12 biases=0 bptt=mean activation=relu; head: head", text,
			nn.Spec{Kind: "rnn", Recurrent: &nn.Recurrent{Vocabulary: 64, Context: 16, Cells: []int{12}, Mean: true,
				Activation: nn.ReLU}}},
		{"text; embedding: embedding size=8; dropout.1: dropout rate=0.25; lstm.1: lstm cells=12 gate_low=0.01; " +
			"dropout.2: dropout rate=0.25; lstm.2: lstm cells=9 gate_low=0.01; head: head bias=no", text,
			nn.Spec{Kind: "lstm", Recurrent: &nn.Recurrent{Vocabulary: 64, Context: 16, Embedding: 8, Cells: []int{12, 9},
				Biases: 2, Activation: nn.Tanh, Threshold: &[2]float32{0.01, 0.95}, NoHeadBias: true, Dropout: 0.25}}},
		{"text; embedding: embedding size=8; gru.1: gru cells=12; gru.2: gru cells=9 biases=2 bptt=sum; head: head bias=no", text,
			nn.Spec{Kind: "gru", Recurrent: &nn.Recurrent{Vocabulary: 64, Context: 16, Embedding: 8, Cells: []int{12, 9},
				Biases: 2, Activation: nn.Tanh, NoHeadBias: true}}},
		{"text; tokens: embedding size=8 deviation=0.02; positions: positions deviation=0.02; blocks.1.attention: attention " +
			"heads=2; blocks.1.feed_forward: feed-forward hidden=32; norm: norm; head: head; tie tokens head", text,
			nn.Spec{Kind: "gpt", GPT: &nn.GPT{Vocabulary: 64, Context: 16, Size: 8, Blocks: 1, Heads: 2, Hidden: 32,
				Activation: nn.GELU, Tied: true, HeadBias: true}}},
		{"text; tokens: embedding size=8 deviation=0.02; positions: positions kind=sinusoidal; blocks.1.attention: attention " +
			"heads=2 head_size=3 norm=rms-norm norm_place=after bias=no; blocks.1.feed_forward: feed-forward hidden=20 gated=yes " +
			"activation=silu norm=rms-norm norm_place=after bias=no; head: head bias=no", text,
			nn.Spec{Kind: "gpt", GPT: &nn.GPT{Vocabulary: 64, Context: 16, Size: 8, Blocks: 1, Heads: 2, HeadSize: 3, Hidden: 20,
				Norm: nn.RMSNorm, After: true, Activation: nn.SiLU, Gated: true, NoBias: true, Sinusoidal: true}}},
	} {
		got, err := (&stageOf{c.rows}).model(strings.ReplaceAll(c.src, "; ", "\n"))
		if err != nil {
			t.Fatal(err)
		}
		want, err := c.of.Model()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got, all, kernels); d != "" {
			t.Errorf("%s:\n%s", c.src, d)
		}
	}
}

// Values are compared through all fields, but kernels, which hold functions.
var (
	all     = cmp.Exporter(func(reflect.Type) bool { return true })
	kernels = cmp.Comparer(func(a, b nn.Kernel) bool { return a.Name == b.Name })
)

type stageOf struct{ rows Rows }

func (s *stageOf) model(src string) (*nn.Model, error) { return (&stage{rows: s.rows}).model(src) }

// A file that is too long, or has too many layers, is refused at once.
func TestBounds(t *testing.T) {
	for want, src := range map[string]string{
		fmt.Sprintf("n: %d bytes, want at most %d", MaxText+1, MaxText): strings.Repeat("\n", MaxText+1),
		"n:4098:1: layer 4097, want at most 4096":                       "vector 2\n" + strings.Repeat("dense units=2\n", maxLayers+1),
	} {
		if _, err := Read("n", []byte(src)); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Whatever the text, it is a network that a replica can run, or there are located problems, each of one line.
func FuzzNet(f *testing.F) {
	for _, seed := range []string{
		"image 2x5x5\nconv2d filters=2 activation=gelu\nmax-pool\nflatten\ndense units=3 activation=tanh",
		"image\nfixed-conv2d kernels=prewitt padding=2\naverage-pool size=3 stride=1\nflatten\nnorm\ndropout rate=0.5\n" +
			"dense units=2\nloss mse",
		"text\na: embedding size=4\npositions\nattention heads=2\nfeed-forward hidden=4 gated=yes\nb: head\ntie a b",
		"text\none-hot\nrnn cells=3\nlstm cells=2 gate_low=0.1\nhead bias=no",
		"vector 3\nx: dense units=\u00e4\n\x00=", "tie", "text\nhead:", "image 1x1",
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, src string, text bool) {
		rows := Rows{Image: nn.Volume{Channels: 1, Height: 6, Width: 6}}
		if text {
			rows = Rows{Text: true, Vocabulary: 5, Context: 4}
		}
		m, err := (&stageOf{rows}).model(src)
		var found located.Problems
		switch {
		case err == nil && m.Params() < 1<<16 && widest(m) < 1<<16:
			r := m.NewProbe(m.Init(1), nn.Portable)
			x, labels := make([]float32, m.Inputs()), make([]int32, m.Targets())
			r.Load(x, labels, 1)
			for l := range m.Layers() {
				r.Forward(l)
			}
		case err == nil:
		case !errors.As(err, &found) || len(found) == 0:
			t.Fatalf("%v: not located", err)
		}
		for _, p := range found {
			if strings.Contains(p.Message, "\n") || p.Message == "" {
				t.Fatalf("%q", p.Message)
			}
		}
	})
}

// widest is how many elements a row has between layers at most.
func widest(m *nn.Model) (n int) {
	for l := range m.Layers() {
		n = max(n, m.Layer(l, nn.Portable).Out())
	}
	return n
}
