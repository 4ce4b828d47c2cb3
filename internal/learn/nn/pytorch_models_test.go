package nn

import (
	"strings"
	"testing"
)

// One training as tools/pytorch/models.py does it.
const (
	trainRows  = 4
	trainSteps = 20
	context    = 8
	vocabulary = 13
)

// A drawnSet is the examples of all steps: images, or text with or without padding.
type drawnSet struct {
	m      *Model
	seed   uint64
	padded bool
}

// load gives a replica the batch of a step.
func (s drawnSet) load(r *Replica, step int) {
	samples := make([]int, trainRows)
	for i := range samples {
		samples[i] = step*trainRows + i
	}
	r.At(s.seed, int64(step))
	r.LoadRows(s, samples)
}

func (s drawnSet) Len() int     { return trainRows * trainSteps }
func (s drawnSet) Width() int   { return s.m.Inputs() }
func (s drawnSet) Targets() int { return s.m.Targets() }
func (s drawnSet) Classes() int { return s.m.Classes() }

// tokens are a row's, one more than there are positions.
func (s drawnSet) tokens(row int) []int32 {
	n := context + 1
	t, stream := make([]int32, trainRows*n), NewStream(s.seed, uint64(100+row/trainRows))
	for i := range t {
		t[i] = int32(stream.Next()%(vocabulary-2)) + 2
	}
	t = t[row%trainRows*n:][:n]
	if s.padded {
		clear(t[n-2*(row%trainRows):])
	}
	return t
}

func (s drawnSet) ReadInputs(x []float32, rows []int) {
	for i, row := range rows {
		to := x[i*s.Width() : (i+1)*s.Width()]
		if !s.m.TakesText() {
			all := drawn(s.seed, uint64(100+row/trainRows), trainRows*len(to), 1)
			copy(to, all[row%trainRows*len(to):])
			continue
		}
		for k, token := range s.tokens(row)[:context] {
			to[k] = float32(token)
		}
	}
}

func (s drawnSet) ReadLabels(to []int32, rows []int) {
	for i, row := range rows {
		if !s.m.TakesText() {
			stream := NewStream(s.seed, uint64(200+row/trainRows))
			for range row%trainRows + 1 {
				to[i] = int32(stream.Next() % uint64(s.Classes()))
			}
			continue
		}
		for k, token := range s.tokens(row)[1:] {
			to[i*context+k] = token
			if token == Padding {
				to[i*context+k] = Ignored
			}
		}
	}
}

// begin draws a model's parameters.
func begin(m *Model, seed uint64) []float32 {
	p := make([]float32, m.Params())
	// PyTorch's side has a tied head once, so it draws fewer numbers.
	given := drawn(seed, 1, m.Free(), 0.6)
	for l := range m.Layers() {
		all := m.Tensors(l)
		for _, t := range all {
			if t.Role != Running { // those begin as they do
				given = given[copy(p[t.Offset:t.Offset+t.Elems()], given):]
			}
		}
		gains(all, p)
	}
	for _, t := range m.Ties() {
		t.Share(p)
	}
	return p
}

func TestModelsMatchPyTorch(t *testing.T) {
	c := comparison{t, references(t), map[string]bool{}}
	build := func(m *Model, err error) *Model {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	stage := func(filters int) ConvStage {
		return ConvStage{Filters: filters, Window: Window{3, 1, 0}, Pool: 2, Stride: 2}
	}
	text := Recurrent{Vocabulary: vocabulary, Context: context, Embedding: 8, Cells: []int{10, 10}, Biases: 2,
		Activation: Tanh}
	book := text
	book.Biases, book.Activation = 1, ReLU
	gpt := GPT{Vocabulary: vocabulary, Context: context, Size: 16, Blocks: 2, Heads: 2, Hidden: 64,
		Activation: GELU, HeadBias: true}
	sizes := func(s string) map[string]string {
		all := map[string]string{}
		for _, word := range strings.Fields(s) {
			key, value, _ := strings.Cut(word, "=")
			all[key] = value
		}
		return all
	}
	attends := NetLayer{Kind: "attention", Sizes: sizes("heads=4 kv_heads=2 head_size=4 rope=500000 norm=rms-norm bias=no")}
	feeds := NetLayer{Kind: "feed-forward", Sizes: sizes("hidden=24 activation=silu gated=yes norm=rms-norm bias=no")}
	llama := Net{Rows: "text", Vocabulary: vocabulary, Context: context, Layers: []NetLayer{
		{"tokens", "embedding", sizes("size=16")}, attends, feeds, attends, feeds,
		{Kind: "norm", Sizes: sizes("kind=rms-norm")}, {Kind: "head", Sizes: sizes("bias=no")}}}
	resnet := Net{Rows: "image", Image: Volume{1, 12, 12}, Layers: []NetLayer{
		{"stem", "conv2d", sizes("filters=4 padding=1 bias=no activation=relu")},
		{Name: "same", Kind: "residual"}, {"a", "conv2d", sizes("filters=4 padding=1 activation=relu")},
		{"b", "conv2d", sizes("filters=4 padding=1")}, {Kind: "add", Sizes: sizes("activation=relu")},
		{Name: "half", Kind: "residual"}, {"c", "conv2d", sizes("filters=6 stride=2 padding=1 bias=no activation=relu")},
		{"d", "conv2d", sizes("filters=6 padding=1 bias=no")}, {Kind: "shortcut"},
		{"e", "conv2d", sizes("filters=6 kernel=1 stride=2 bias=no")}, {Kind: "add", Sizes: sizes("activation=relu")},
		{Kind: "average-pool"}, {Kind: "flatten"}, {Kind: "dense", Sizes: sizes("units=5 bias=no")}}}
	normed := Net{Rows: "image", Image: Volume{1, 12, 12}, Layers: []NetLayer{
		{"stem", "conv2d", sizes("filters=4 padding=1 bias=no activation=relu")}, {"norm", "batch-norm", sizes("activation=tanh")},
		{Name: "same", Kind: "residual"}, {"a", "conv2d", sizes("filters=4 padding=1 bias=no")},
		{"b", "batch-norm", sizes("activation=tanh")}, {"c", "conv2d", sizes("filters=4 padding=1 bias=no")},
		{Name: "d", Kind: "batch-norm"}, {Kind: "add", Sizes: sizes("activation=tanh")},
		{Name: "half", Kind: "residual"}, {"e", "conv2d", sizes("filters=6 stride=2 padding=1 bias=no")},
		{Name: "f", Kind: "batch-norm"}, {Kind: "shortcut"}, {"g", "conv2d", sizes("filters=6 kernel=1 stride=2 bias=no")},
		{Name: "h", Kind: "batch-norm"}, {Kind: "add", Sizes: sizes("activation=tanh")}, {Kind: "average-pool"}, {Kind: "flatten"},
		{Kind: "dense", Sizes: sizes("units=8 bias=no")}, {"last", "batch-norm", sizes("activation=tanh")},
		{Kind: "dense", Sizes: sizes("units=5")}}}
	for i, n := range []struct {
		name   string
		model  *Model
		other  string
		padded bool
	}{
		{"mlp", mlp(t, ReLU, CrossEntropy, 12, 16, 5), "adam", false},
		{"mlp, tanh, mse", mlp(t, Tanh, MSE, 12, 16, 5), "adam", false},
		{"cnn", build(NewCNN(CNN{Image: Volume{1, 14, 14}, Stages: []ConvStage{stage(4), stage(6)}, Hidden: []int{16},
			Classes: 5, Activation: ReLU})), "adam", false},
		{"rnn", build(NewRNN(text)), "adam", false},
		{"lstm", build(NewLSTM(text)), "adam", false},
		{"lstm, relu, one bias", build(NewLSTM(book)), "adam", false},
		{"gpt", build(NewGPT(gpt)), "adamw", false},
		{"gpt, sinusoids, norm after, tied, dropout, padding", build(NewGPT(GPT{Vocabulary: vocabulary,
			Context: context, Size: 16, Blocks: 2, Heads: 4, Hidden: 32, Activation: ReLU, After: true, Sinusoidal: true,
			Tied: true, SkipPadding: true, Dropout: 0.1})), "adamw", true},
		{"gpt, rms norm, swiglu, no bias", build(NewGPT(GPT{Vocabulary: vocabulary, Context: context, Size: 16,
			Blocks: 2, Heads: 2, Hidden: 24, Norm: RMSNorm, Activation: SiLU, Gated: true, NoBias: true})), "adamw", false},
		{"llama, from a file", build(llama.Model()), "adamw", false},
		{"residual network, from a file", build(resnet.Model()), "adam", false},
		{"gru", build(NewGRU(text)), "adam", false},
		{"gpt, experts", build(NewGPT(GPT{Vocabulary: vocabulary, Context: context, Size: 16, Blocks: 2, Heads: 2, Hidden: 32,
			Activation: GELU, HeadBias: true, Experts: &GPTExperts{Routing{4, 2, 1.25, 1, 0.5, ""}, 2}})), "adamw", false},
		{"residual network with batch norms, from a file", build(normed.Model()), "adam", false},
	} {
		of := drawnSet{n.model, 2000 + uint64(i), n.padded}
		for _, k := range []Kernel{Portable, Fused} {
			c.training("20 steps of "+n.name, of, k)
			c.adaptive("20 steps of "+n.name, of, n.other, k)
		}
	}
	c.finish(func(name string) bool { return strings.HasPrefix(name, "20 steps of ") })
}

// pass makes the gradient of a step's batch, and its loss.
func (s drawnSet) pass(r *Replica, step int) float64 {
	s.load(r, step)
	for l := range s.m.Layers() {
		r.Forward(l)
	}
	loss, _ := r.Loss()
	for l := s.m.Layers() - 1; l >= 0; l-- {
		r.Backward(l)
	}
	return loss
}

// each calls back for each tensor but the second one of a tie, which PyTorch has once.
func (s drawnSet) each(f func(t *Tensor)) {
	for l := range s.m.Layers() {
		for _, tensor := range s.m.Tensors(l) {
			if ties := s.m.Ties(); len(ties) == 0 || ties[0].Upper != tensor.Offset {
				f(&tensor)
			}
		}
	}
}

// training is 20 steps of plain SGD: the first gradients, the losses, the weights at the end.
func (c *comparison) training(name string, of drawnSet, k Kernel) {
	r := of.m.NewReplica(begin(of.m, of.seed), trainRows, k)
	o, losses := Optimiser{LR: 0.1}, make([]float32, 0, trainSteps)
	for step := range trainSteps {
		losses = append(losses, float32(of.pass(r, step)))
		if step == 0 {
			of.each(func(t *Tensor) {
				if t.Role == Running { // compared below
					return
				}
				c.shape(name+"/grad/"+t.Name, t.Shape)
				c.near(name+"/grad/"+t.Name, r.Grads[t.Offset:t.Offset+t.Elems()], 1e-5)
			})
		}
		o.StepAll(r.Params, r.Grads, nil, Move{Scale: 1}, of.m.Running(), 0)
	}
	c.near(name+"/losses/sgd", losses, 1e-5)
	if of.m.Running() != nil {
		of.load(r, 0)
		r.pass.Train = false
		for l := range of.m.Layers() {
			r.Forward(l)
		}
		c.near(name+"/used", r.Outputs(), 2e-5) // of weights after twenty steps
	}
	if losses[0] == losses[1] {
		c.t.Errorf("%s: two steps have the loss %v", name, losses[0])
	}
	of.each(func(t *Tensor) {
		// what twenty steps add up to; a single pass is within 1e-5
		c.near(name+"/after/"+t.Name, r.Params[t.Offset:t.Offset+t.Elems()], 2e-5)
	})
}

// adaptive is 20 steps of Adam or AdamW: the first update, and the losses. The update of an element
// whose true gradient is 0 is the sign of what rounding leaves: the key biases of attention are left
// out, for the softmax does not see them.
func (c *comparison) adaptive(name string, of drawnSet, optimiser string, k Kernel) {
	r := of.m.NewReplica(begin(of.m, of.seed), trainRows, k)
	o := Optimiser{Method: Adam, LR: 0.002, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}
	if optimiser == "adamw" {
		o.Method, o.WeightDecay = AdamW, 0.1
	}
	state := [][]float32{make([]float32, len(r.Params)), make([]float32, len(r.Params))}
	var losses []float32
	for step := range trainSteps {
		losses = append(losses, float32(of.pass(r, step)))
		before := append([]float32(nil), r.Params...)
		o.StepAll(r.Params, r.Grads, state, Move{Step: int64(step), Update: int64(step), Scale: 1}, of.m.Running(), 0)
		if step > 0 {
			continue
		}
		of.each(func(t *Tensor) {
			if t.Role == Running {
				return
			}
			update := make([]float32, t.Elems())
			for i := range update {
				update[i] = r.Params[t.Offset+i] - before[t.Offset+i]
			}
			if strings.HasSuffix(t.Name, "in_proj_bias") {
				want := c.all[name+"/update/"+t.Name].Data
				copy(update[len(want)/3:2*len(want)/3], want[len(want)/3:])
			}
			c.near(name+"/update/"+t.Name, update, 1e-5)
		})
	}
	c.near(name+"/losses/"+optimiser, losses, 1e-3)
}
