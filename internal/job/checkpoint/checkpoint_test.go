package checkpoint

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"railyard/internal/job/train"
	"railyard/internal/learn/corpus"
	"railyard/internal/learn/nn"
	"railyard/internal/learn/safetensors"
)

func sample() *Checkpoint {
	c := &Checkpoint{
		Training: Training{Name: "digits", Seed: math.MaxUint64, Layers: []int{6, 3, 2}, Activation: "relu",
			Loss: "cross-entropy", Kernel: "portable", Rows: 2, Cols: 3, Images: "ab", GlobalBatch: 12, EpochSteps: 5,
			Layout:  Layout{Replicas: 2, Parts: 1, Stages: 1, Hosts: 2},
			Vectors: []string{"velocity"}},
		State: train.State{Step: 7, EpochLoss: 0.1 + 0.2, Optimiser: make([][]float32, 1)},
	}
	for i := range 6*3 + 3 + 3*2 + 2 {
		c.Params = append(c.Params, float32(i)/3)
		c.Optimiser[0] = append(c.Optimiser[0], -float32(i)/7)
	}
	return c
}

func written(t testing.TB, c *Checkpoint) []byte {
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	for name, change := range map[string]func(*Checkpoint){
		"with momentum":    func(*Checkpoint) {},
		"without momentum": func(c *Checkpoint) { c.Vectors, c.Optimiser = nil, nil },
		"with Adam": func(c *Checkpoint) {
			c.Vectors = []string{"exp_avg", "exp_avg_sq"}
			c.Optimiser = append(c.Optimiser, c.Params)
		},
	} {
		want := sample()
		change(want)
		got, err := Read(written(t, want))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// vocabulary is a small one.
func vocabulary(t testing.TB) *corpus.Vocabulary {
	v := new(corpus.Vocabulary)
	if err := v.UnmarshalJSON([]byte(`{"tokens":"words","fold":true,"pieces":["\u00fc","a",".","\""]}`)); err != nil {
		t.Fatal(err)
	}
	return v
}

var sameVocabulary = cmp.Comparer(func(a, b *corpus.Vocabulary) bool { return a.Equal(b) })

// ofText is a training of a network of text.
func ofText(t testing.TB) *Checkpoint {
	c := sample()
	c.Layers, c.Activation, c.Vectors, c.Optimiser = nil, "", nil, nil
	c.Model = &nn.Spec{Kind: "gpt", GPT: &nn.GPT{Vocabulary: 6, Context: 6, Size: 2, Blocks: 1, Heads: 1, Hidden: 3,
		Activation: nn.GELU, Tied: true}}
	c.Text, c.Sentences = vocabulary(t), true
	m, err := c.Network()
	if err != nil {
		t.Fatal(err)
	}
	c.Params = m.Init(3)
	return c
}

// What a training learns from comes back: images in colour, or a vocabulary and where windows begin.
func TestLearnedKeys(t *testing.T) {
	colour := sample()
	colour.Layers, colour.Rows, colour.Cols, colour.Channels = []int{6, 3, 2}, 2, 1, 3
	anywhere := ofText(t)
	anywhere.Sentences = false
	for name, c := range map[string]struct {
		want *Checkpoint
		keys map[string]string // "": not there
	}{
		"grey":   {sample(), map[string]string{"image_channels": "", "vocabulary": "", "window_start": ""}},
		"colour": {colour, map[string]string{"image_channels": "3", "vocabulary": "", "window_start": ""}},
		"sentences": {ofText(t), map[string]string{"image_channels": "", "window_start": "sentence",
			"vocabulary": "{\"tokens\":\"words\",\"fold\":true,\"pieces\":[\"\u00fc\",\"a\",\".\",\"\\\"\"]}"}},
		"anywhere": {anywhere, map[string]string{"window_start": ""}},
	} {
		b := written(t, c.want)
		got, err := Read(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(c.want, got, sameVocabulary); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		f, err := safetensors.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range c.keys {
			if text, there := f.Metadata[key]; text != want || there != (want != "") {
				t.Errorf("%s: %s is %q, want %q", name, key, text, want)
			}
		}
	}
}

// The layout as other tools see it.
func TestNamesAndShapes(t *testing.T) {
	f, err := safetensors.Read(written(t, sample()))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, x := range f.Tensors {
		fmt.Fprintln(&got, x.Name, x.Shape, x.Data[0])
	}
	const want = `layers.1.weight [3 6] 0
layers.1.bias [3] 6
layers.2.weight [2 3] 7
layers.2.bias [2] 9
optimizer.velocity.layers.1.weight [3 6] -0
optimizer.velocity.layers.1.bias [3] -2.5714285
optimizer.velocity.layers.2.weight [2 3] -3
optimizer.velocity.layers.2.bias [2] -3.857143
`
	if d := cmp.Diff(want, got.String()); d != "" {
		t.Error(d)
	}
}

// A file with a right checksum may still be no weights.
func TestWhatIsRefused(t *testing.T) {
	for want, change := range map[string]func(*safetensors.File){
		"no step: not weights that railyard wrote":               func(f *safetensors.File) { delete(f.Metadata, "step") },
		`step "-1": want a whole number from 0`:                  func(f *safetensors.File) { f.Metadata["step"] = "-1" },
		`epoch_loss "NaN": want a number`:                        func(f *safetensors.File) { f.Metadata["epoch_loss"] = "NaN" },
		`epoch_steps "0": want a whole number from 1`:            func(f *safetensors.File) { f.Metadata["epoch_steps"] = "0" },
		`railyard_weights "2": want 1`:                           func(f *safetensors.File) { f.Metadata["railyard_weights"] = "2" },
		`layers "[6,x]": want a list`:                            func(f *safetensors.File) { f.Metadata["layers"] = "[6,x]" },
		"layers: [6] has 1 sizes":                                func(f *safetensors.File) { f.Metadata["layers"] = "[6]" },
		`unknown loss "x"`:                                       func(f *safetensors.File) { f.Metadata["loss"] = "x" },
		"images of 3x3 pixels for 6 inputs":                      func(f *safetensors.File) { f.Metadata["image_rows"] = "3" },
		`no tensor "layers.2.bias"`:                              func(f *safetensors.File) { f.Tensors[3].Name = "other" },
		`tensor "layers.1.weight" has shape [6 3], want [3 6]`:   func(f *safetensors.File) { f.Tensors[0].Shape = []int{6, 3} },
		`tensor "layers.2.weight": element 1 is NaN, want a num`: func(f *safetensors.File) { f.Tensors[2].Data[1] = float32(math.NaN()) },
		`tensor "more" belongs to no layer`: func(f *safetensors.File) {
			f.Tensors = append(f.Tensors, safetensors.Tensor{Name: "more", Data: []float32{1}})
		},
		`no tensor "optimizer.velocity.layers.2.bias"`: func(f *safetensors.File) { f.Tensors = f.Tensors[:7] },
		`image_channels: value out of range, want 3`:   func(f *safetensors.File) { f.Metadata["image_channels"] = "4" },
		`window_start: value out of range, want sent`:  func(f *safetensors.File) { f.Metadata["window_start"] = "word" },
		`vocabulary: a piece is there twice`: func(f *safetensors.File) {
			f.Metadata["vocabulary"] = `{"tokens":"words","pieces":["a","a"]}`
		},
		"a vocabulary of 3 tokens for 2 outputs": func(f *safetensors.File) {
			f.Metadata["vocabulary"] = `{"tokens":"words","pieces":["a"]}`
		},
		"a vocabulary, and a network that has 1 labels for 6 inputs": func(f *safetensors.File) {
			f.Metadata["vocabulary"] = `{"tokens":"words","pieces":[]}`
		},
	} {
		f, err := safetensors.Read(written(t, sample()))
		if err != nil {
			t.Fatal(err)
		}
		change(f)
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(b.Bytes()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestWhereATrainingGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		step   int64 // of 5 in an epoch
		change func(*Training)
		want   int64 // -1: not at all
		fields string
	}{
		"the same":                {7, func(*Training) {}, 7, ""},
		"another kernel and name": {7, func(t *Training) { t.Kernel, t.Name = "x", "y" }, 7, ""},
		"another seed":            {7, func(t *Training) { t.Seed = 2 }, -1, "Seed"},
		"another batch":           {7, func(t *Training) { t.GlobalBatch, t.EpochSteps = 6, 10 }, -1, "GlobalBatch"},
		"shorter epochs":          {7, func(t *Training) { t.EpochSteps = 4 }, -1, "Examples"},
		"other replicas": {7, func(t *Training) { t.GlobalBatch, t.EpochSteps, t.Layout = 24, 2, Layout{4, 1, 1, 4, true} },
			-1, "Replicas"},
		"another batch of each": {7, func(t *Training) { t.GlobalBatch, t.EpochSteps, t.Layout = 6, 10, Layout{2, 3, 1, 6, true} },
			-1, "GlobalBatch"},
		"both": {7, func(t *Training) { t.GlobalBatch, t.Layout.Replicas, t.Layout.Hosts = 9, 3, 3 },
			-1, "Hosts GlobalBatch"},
		"as many GPUs in parts":   {7, func(t *Training) { t.GlobalBatch, t.Layout = 6, Layout{1, 2, 1, 2, false} }, -1, "Parts"},
		"as many GPUs in stages":  {7, func(t *Training) { t.GlobalBatch, t.Layout = 6, Layout{1, 1, 2, 2, false} }, -1, "Stages"},
		"more GPUs in a host":     {7, func(t *Training) { t.GlobalBatch, t.Layout.Replicas = 24, 4 }, -1, "GPUs"},
		"other replicas, as much": {7, func(t *Training) { t.Layout.Replicas = 4 }, 7, ""},
		"a layout nobody knows":   {7, func(t *Training) { t.GlobalBatch, t.Layout = 24, Layout{} }, -1, "GlobalBatch"},
		"a new epoch":             {10, func(t *Training) { t.Seed, t.GlobalBatch, t.EpochSteps = 2, 6, 11 }, 22, ""},
		"no momentum":             {7, func(t *Training) { t.Vectors = nil }, -1, "Optimiser"},
		"Adam":                    {7, func(t *Training) { t.Vectors = []string{"exp_avg", "exp_avg_sq"} }, -1, "Optimiser"},
		"another net": {10, func(t *Training) { t.Layers, t.Activation, t.Loss = []int{6, 2}, "tanh", "mse" }, -1,
			"Layers Activation Loss"},
	} {
		w := sample()
		w.Step = c.step
		to := w.Training
		c.change(&to)
		s, problems := w.Continue(to)
		var fields []string
		for _, p := range problems {
			fields = append(fields, p.Field)
		}
		if got := strings.Join(fields, " "); got != c.fields || c.want >= 0 && s.Step != c.want {
			t.Errorf("%s: from step %d, problems with %q; want %d, %q", name, s.Step, got, c.want, c.fields)
		}
	}
}

// Of a network that is no multilayer perceptron the file has the sizes, and tensors by their names.
func TestOtherNetworks(t *testing.T) {
	want := sample()
	want.Model, want.Layers, want.Activation = &nn.Spec{Kind: "cnn", CNN: &nn.CNN{Image: nn.Volume{Channels: 1, Height: 2,
		Width: 3}, Classes: 2, Activation: nn.Tanh}}, nil, ""
	want.Vectors, want.Optimiser, want.Params = nil, nil, want.Params[:14]
	got, err := Read(written(t, want))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	to := want.Training
	to.Model = &nn.Spec{Kind: "cnn", CNN: &nn.CNN{Image: want.Model.CNN.Image, Classes: 2}}
	if _, problems := got.Continue(to); len(problems) != 1 || problems[0].Field != "Model" {
		t.Errorf("another activation: %v", problems)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(written(f, sample()))
	f.Add(written(f, ofText(f)))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Read(b)
		if err != nil {
			return
		}
		again, err := Read(written(t, c))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c, again, sameVocabulary); d != "" {
			t.Fatal(d)
		}
	})
}

// What keeps a model from going on is named in words, and nothing else of it.
func TestADifferenceIsNamedInWords(t *testing.T) {
	of := func(change func(*nn.GPT)) *nn.Spec {
		g := nn.GPT{Vocabulary: 5, Context: 4, Size: 8, Blocks: 1, Heads: 2, HeadSize: 4, Hidden: 16}
		change(&g)
		return &nn.Spec{Kind: "gpt", GPT: &g}
	}
	was := Checkpoint{Training: Training{Model: of(func(*nn.GPT) {}), EpochSteps: 1}}
	for _, c := range []struct {
		to   *nn.Spec
		want string
	}{
		{of(func(*nn.GPT) {}), ""},
		{of(func(g *nn.GPT) { g.HeadSize = 8 }), "head size 8, that of the weights 4: want the same"},
		{of(func(g *nn.GPT) { g.Heads, g.Tied = 4, true }),
			"heads 4, that of the weights 2; tied true, that of the weights false: want the same"},
		{&nn.Spec{Kind: "cnn", CNN: &nn.CNN{}}, "cnn, the weights are of gpt: want the same"},
		{nil, "mlp, the weights are of gpt: want the same"},
	} {
		_, found := was.Continue(Training{Model: c.to, EpochSteps: 1})
		got := ""
		for _, m := range found {
			got += m.Text
		}
		if got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
