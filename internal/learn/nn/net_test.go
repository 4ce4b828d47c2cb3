package nn

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Activations that need their input are layers of their own in a model, and learn. (A finite step
// would cross the kink of ReLU, which is held against PyTorch.)
func TestModelsWithEveryActivation(t *testing.T) {
	for _, a := range []Activation{Identity, Sigmoid, Tanh, GELU, GELUTanh, SiLU} {
		image, err := NewCNN(CNN{Image: Volume{1, 5, 5}, Stages: []ConvStage{{Filters: 2, Window: Window{2, 1, 0}, Pool: 2,
			Stride: 2, Average: true}}, Hidden: []int{4}, Classes: 3, Activation: a})
		if err != nil {
			t.Fatal(err)
		}
		var own []string
		for l := range image.Layers() {
			if _, ok := image.layers[l].Layer.(elementwise); ok {
				own = append(own, image.LayerName(l))
			}
		}
		if want := []string{"conv.1." + a.String(), "dense.1." + a.String()}; !a.ByOutput() && !slices.Equal(own, want) {
			t.Errorf("%v: layers %v, want %v", a, own, want)
		}
		for _, m := range []*Model{mlp(t, a, CrossEntropy, 5, 4, 3), image} {
			of := drawnSet{m: m, seed: 3}
			r := m.NewReplica(m.Init(1), trainRows, Portable)
			of.pass(r, 0)
			g := slices.Clone(r.Grads)
			for i := range r.Params {
				const h = 1. / 256
				was := r.Params[i]
				r.Params[i] = was + h
				up := of.pass(r, 0)
				r.Params[i] = was - h
				down := of.pass(r, 0)
				r.Params[i] = was
				if want := (up - down) / (2 * h); math.Abs(float64(g[i])-want) > 1e-3 {
					t.Errorf("%v, %d layers: gradient %d is %v, want %v", a, m.Layers(), i, g[i], want)
				}
			}
		}
	}
}

// The model tells attention where a text has padding: before the words, for one.
func TestModelDoesNotSeePadding(t *testing.T) {
	m, err := NewGPT(GPT{Vocabulary: 9, Context: 5, Size: 8, Blocks: 1, Heads: 2, Hidden: 8, Activation: GELU})
	if err != nil {
		t.Fatal(err)
	}
	r := m.NewReplica(m.Init(2), 1, Portable)
	outputs := func(padding float32) []float32 {
		for i := range 8 { // what stands for the padding token
			r.Params[i] = padding
		}
		r.Load([]float32{0, 0, 3, 4, 5}, []int32{Ignored, Ignored, 4, 5, 6}, 1)
		for l := range m.Layers() {
			r.Forward(l)
		}
		return slices.Clone(r.Outputs()[2*9:])
	}
	r.Params[0] = 7
	same(t, "positions of text", outputs(1), outputs(-3))
}

// The chapter 4 network at its size: what is trained, and what its gradients weigh.
func TestBookChapter4Network(t *testing.T) {
	m, err := NewCNN(CNN{Image: Volume{3, 96, 96}, Stages: []ConvStage{
		{Fixed: Kirsch(), Window: Window{3, 1, 0}, Pool: 2, Stride: 2},
		{Filters: 16, Window: Window{3, 1, 0}, Pool: 2, Stride: 2},
	}, Hidden: []int{4000, 1000}, Classes: 10, Activation: ReLU})
	if err != nil {
		t.Fatal(err)
	}
	if m.Params() != 34992178 || 4*m.Params() != 139968712 {
		t.Errorf("%d parameters, want 34,992,178", m.Params())
	}
	fixed, n, of, ok := Filters(m.Layer(0, Portable), nil)
	if !ok || n != 8 || of != (Volume{3, 3, 3}) || len(fixed) != 216 || fixed[27+1] != 5 {
		t.Errorf("%d filters of %v: %v", n, of, fixed)
	}
	p := make([]float32, 1168)
	if w, n, of, ok := Filters(m.Layer(2, Portable), p); !ok || n != 16 || of != (Volume{8, 3, 3}) || len(w) != 1152 {
		t.Errorf("%d filters of %v, %d weights", n, of, len(w))
	}
	var sizes []string
	for l := range m.Layers() {
		if lo, hi := m.LayerRange(l); hi > lo {
			sizes = append(sizes, m.LayerName(l))
		}
	}
	if got := strings.Join(sizes, " "); got != "conv.2 dense.1 dense.2 dense.3" {
		t.Errorf("layers with parameters: %s", got)
	}
}

// The nets of the benchmarks have the parameters that PyTorch counts.
func TestBenchmarkNets(t *testing.T) {
	stage := func(filters int) ConvStage {
		return ConvStage{Filters: filters, Window: Window{3, 1, 0}, Pool: 2, Stride: 2}
	}
	text := Recurrent{Vocabulary: 64, Context: 64, Embedding: 128, Cells: []int{128}, Biases: 2, Activation: Tanh}
	cnn, err1 := NewCNN(CNN{Image: Volume{1, 28, 28}, Stages: []ConvStage{stage(8), stage(16)}, Hidden: []int{128},
		Classes: 10, Activation: ReLU})
	rnn, err2 := NewRNN(text)
	lstm, err3 := NewLSTM(text)
	gpt, err4 := NewGPT(GPT{Vocabulary: 256, Context: 128, Size: 128, Blocks: 4, Heads: 4, Hidden: 512,
		Activation: GELU, HeadBias: true})
	if err := firstOf(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	for i, m := range []*Model{cnn, rnn, lstm, gpt} {
		if want := []int{53866, 49472, 148544, 875520}[i]; m.Params() != want {
			t.Errorf("net %d has %d parameters, want %d", i, m.Params(), want)
		}
	}
}

// A tied head is the embedding: one set of numbers at first, one gradient, one update.
func TestTiedHeadStaysTheEmbedding(t *testing.T) {
	m, err := NewGPT(GPT{Vocabulary: vocabulary, Context: context, Size: 8, Blocks: 1, Heads: 2, Hidden: 8,
		Activation: GELU, Tied: true})
	if err != nil {
		t.Fatal(err)
	}
	tie := m.Ties()[0]
	if m.Free() != m.Params()-vocabulary*8 || tie.Elems != vocabulary*8 || tie.Layers != [2]int{0, m.Layers() - 1} {
		t.Errorf("%d of %d parameters, %+v", m.Free(), m.Params(), tie)
	}
	of := drawnSet{m: m, seed: 5}
	r := m.NewReplica(m.Init(1), trainRows, Portable)
	for step := range 3 {
		same(t, "table", r.Params[tie.Lower:tie.Lower+tie.Elems], r.Params[tie.Upper:tie.Upper+tie.Elems])
		of.pass(r, step)
		(&SGD{LR: 0.1}).Step(r.Params, r.Grads, nil, 1)
	}
	if _, err := m.Tied("head.weight", "tokens.weight"); err == nil {
		t.Error("a tie upside down")
	}
	if _, err := m.Tied("tokens.weight", "positions.weight"); err == nil ||
		err.Error() != "tie: tokens.weight has shape [13 8], positions.weight [8 8], want one shape" {
		t.Error(err)
	}
	if _, err := m.Tied("tokens.weight", "nothing"); err == nil {
		t.Error("a tie with nothing")
	}
}

func TestModelsSayWhatTheyWant(t *testing.T) {
	gpt := GPT{Vocabulary: 9, Context: 5, Size: 8, Blocks: 1, Heads: 2, Hidden: 8}
	heads, long, none := gpt, gpt, gpt
	heads.Heads, long.Context, none.Blocks = 3, 1<<20, 0
	with := func(change func(*GPT)) func() (*Model, error) {
		g := gpt
		g.Experts = &GPTExperts{Routing{4, 2, 0, 0, 0, ""}, 1}
		change(&g)
		return func() (*Model, error) { return NewGPT(g) }
	}
	text := Recurrent{Vocabulary: 9, Context: 5, Embedding: 4, Cells: []int{3}, Activation: Tanh}
	gated, biased, dropping, empty := text, text, text, text
	gated.Threshold, biased.Biases, dropping.Dropout, empty.Cells = &[2]float32{0, 1}, 3, 1, nil
	image := CNN{Image: Volume{1, 5, 5}, Classes: 3, Stages: []ConvStage{{Filters: 1, Window: Window{3, 1, 0}, Pool: 4,
		Stride: 1}}}
	for _, c := range []struct {
		make func() (*Model, error)
		want string
	}{
		{func() (*Model, error) { return NewGPT(heads) },
			"heads: 3 of a size of 8, want as many as divide it, or a head size"},
		{func() (*Model, error) { return NewGPT(long) },
			"2199023255552 elements of an example, want at most 67108864"},
		{func() (*Model, error) { return NewGPT(none) }, "blocks: 0, want 1 to 1048576"},
		{with(func(g *GPT) { g.Experts.Every = 2 }), "experts: in every 2 of 1 blocks, want 1 to as many"},
		{with(func(g *GPT) { g.Experts.Every = 0 }), "experts: in every 0 of 1 blocks, want 1 to as many"},
		{with(func(g *GPT) { g.Experts.Top = 5 }), "top: 5 experts of a position, want 1 to 4"},
		{with(func(g *GPT) { g.Experts.Count = 1 }), "count: 1 experts, want 2 to 1024"},
		{with(func(g *GPT) { g.Experts.Shared = -1 }), "shared: -1 experts, want 0 to 64"},
		{with(func(g *GPT) { g.Experts.Balance = -1 }), "balance: -1, want 0 or more"},
		{with(func(g *GPT) { g.Experts.Shared, g.Hidden = 60, 1<<18 }), "81264640 elements of an example, want at most 67108864"},
		{with(func(g *GPT) { g.Experts.Shared = 1 << 20 }), "shared: 1048576 experts, want 0 to 64"},
		{func() (*Model, error) { return NewRNN(gated) },
			"gate_threshold: a vanilla recurrent layer has no gates, want an lstm"},
		{func() (*Model, error) { return NewGRU(gated) }, "gate_threshold: a gated recurrent unit has none, want an lstm"},
		{func() (*Model, error) { return NewGRU(Recurrent{Activation: ReLU}) }, "activation: relu, a gated recurrent unit has tanh"},
		{func() (*Model, error) { return NewLSTM(biased) }, "recurrent layer: 3 bias vectors, want 0, 1 or 2"},
		{func() (*Model, error) { return NewLSTM(dropping) }, "dropout: rate 1, want at least 0 and less than 1"},
		{func() (*Model, error) { return NewRNN(empty) }, "cells: of no layer, want at least one"},
		{func() (*Model, error) { return NewCNN(image) },
			"stage 1: a window of 4 does not fit into an image of 3x3 with padding 0"},
	} {
		if _, err := c.make(); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// What is inside a model after a pass: each layer with what it kept, and how long its gradient is.
func TestLookInsideAModel(t *testing.T) {
	m, err := NewLSTM(Recurrent{Vocabulary: vocabulary, Context: context, Embedding: 4, Cells: []int{5},
		Activation: Tanh})
	if err != nil {
		t.Fatal(err)
	}
	of := drawnSet{m: m, seed: 5}
	r := m.NewReplica(m.Init(1), trainRows, Portable)
	of.load(r, 0)
	for l := range m.Layers() {
		r.Forward(l)
	}
	l, saved := r.Inside(1)
	if g, ok := GatesAt(l, saved, 3, context-1); !ok || g.Forget[0] <= 0 || g.Forget[0] >= 1 || len(g.Cell) != 5 {
		t.Errorf("gates %+v", g)
	}
	of.pass(r, 0)
	if n := StepNorms(saved); len(n) != context || n[0] <= 0 {
		t.Errorf("norms by step %v", n)
	}
	norms := m.GradientNorms(r.Grads)
	lo, hi := m.LayerRange(2)
	sum := 0.0
	for _, v := range r.Grads[lo:hi] {
		sum += float64(v) * float64(v)
	}
	if len(norms) != 3 || math.Abs(norms[2]-math.Sqrt(sum)) > 1e-12 || norms[0] <= 0 {
		t.Errorf("norms by layer %v, the last's is %v", norms, math.Sqrt(sum))
	}
}
