package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// onlyModel says that a field belongs to some kinds of network.
func onlyModel(kinds ...string) func(*Job) string {
	return func(j *Job) string {
		if why := onlyTraining(j); why != "" {
			return why
		}
		if m := j.Train.Model; m != "" && !slices.Contains(kinds, m) { // "": it was not read, and that is reported
			return j.Path() + ".train.model is " + j.Train.Model
		}
		return ""
	}
}

// imageOf is the shape of what a training learns from, where the scenario says it.
func imageOf(_ *decoder, base any, _ string) string {
	channels, side := 1, 28
	if t := base.(*Job).Train; t != nil {
		channels, side = t.Data.Pixels()
	}
	return fmt.Sprintf("[%d, %d, %d]", channels, side, side)
}

// Pixels are the channels and the rows and columns of an image, where the scenario says them: else
// one channel of 28 by 28.
func (d *Data) Pixels() (channels, side int) {
	channels, side = 1, 28
	switch {
	case d.Digits != nil:
		side = d.Digits.Side
	case d.Shapes != nil:
		side, channels = d.Shapes.Side, 3
	case d.Images != nil:
		side = d.Images.Side.Or(side)
		if d.Images.Colour {
			channels = 3
		}
	}
	return channels, side
}

// modelFields: the sizes of networks by their kind. They come after what is learnt from.
var modelFields = slices.Concat(cnnFields, recurrentFields, gptFields)

var cnnFields = []*Field{
	{Path: "train.cnn", Meaning: "a convolutional network: convolutions, each with pooling, then dense layers"},
	{
		Path: "train.cnn.image", Min: "1", Max: "4096", Rule: "those of data; 1 channel of 28x28 where it does not say",
		applies: where(onlyModel("cnn")), derive: imageOf,
		value:   inTrain(wholes, func(t *Train) *[]int { return &t.CNN.Image }),
		Meaning: "channels, rows and columns of an image",
	},
	{
		Path: "train.cnn.filters", Default: "[8, 16]", Min: "1", Max: "65536", applies: where(onlyModel("cnn")),
		value:   inTrain(wholes, func(t *Train) *[]int { return &t.CNN.Filters }),
		Meaning: "filters of each convolution, which are its output channels",
		Also:    []string{"channels"},
	},
	{
		Path: "train.cnn.kernel", Default: "3", Min: "1", Max: "255", applies: where(onlyModel("cnn")),
		value:   inTrain(whole, func(t *Train) *int { return &t.CNN.Kernel }),
		Meaning: "rows and columns of a filter",
		Also:    []string{"kernel_size"},
	},
	{
		Path: "train.cnn.stride", Default: "1", Min: "1", Max: "255", applies: where(onlyModel("cnn")),
		value:   inTrain(whole, func(t *Train) *int { return &t.CNN.Stride }),
		Meaning: "pixels from one place of a filter to the next",
	},
	{
		Path: "train.cnn.padding", Default: "0", Min: "0", Max: "254", applies: where(onlyModel("cnn")),
		value:   inTrain(whole, func(t *Train) *int { return &t.CNN.Padding }),
		Meaning: "rows and columns of zeros around an image",
	},
	{
		Path: "train.cnn.pool", Default: "2", Min: "0", Max: "255", applies: where(onlyModel("cnn")),
		value:   inTrain(whole, func(t *Train) *int { return &t.CNN.Pool }),
		Meaning: "side and stride of the pooling after each convolution, a fixed one too; 0: none",
	},
	{
		Path: "train.cnn.pooling", Default: "max", Choices: Poolings, applies: where(onlyModel("cnn")),
		value:   inTrain(choice, func(t *Train) *string { return &t.CNN.Pooling }),
		Meaning: "what is left of a window",
	},
	{
		Path: "train.cnn.fixed", Default: "none", Choices: FixedKernels, applies: where(onlyModel("cnn")),
		value:   inTrain(choice, func(t *Train) *string { return &t.CNN.Fixed }),
		Meaning: "a first convolution by kernels that are not trained: it has no parameters, and sends nothing",
	},
	{
		Path: "train.cnn.hidden", Default: "[128]", Min: "1", Max: "1000000", applies: where(onlyModel("cnn")),
		value:   inTrain(wholes, func(t *Train) *[]int { return &t.CNN.Hidden }),
		Meaning: "units of the dense layers before the last",
	},
	{
		Path: "train.cnn.classes", Default: "10", Min: "1", Max: "65536", applies: where(onlyModel("cnn")),
		value:   inTrain(whole, func(t *Train) *int { return &t.CNN.Classes }),
		Meaning: "units of the last layer",
	},
}

var recurrentFields = []*Field{
	{Path: "train.rnn", Meaning: "a recurrent network, vanilla, LSTM or GRU, that reads text: embedding, recurrent layers, head"},
	{
		Path: "train.rnn.embedding", Default: "128", Min: "0", Max: "65536", applies: where(onlyModel("rnn", "lstm", "gru")),
		value:   inTrain(whole, func(t *Train) *int { return &t.RNN.Embedding }),
		Meaning: "elements of a token's vector; 0: one for each token of the vocabulary, which is 1",
	},
	{
		Path: "train.rnn.cells", Default: "[128]", Min: "1", Max: "65536", applies: where(onlyModel("rnn", "lstm", "gru")),
		value:   inTrain(wholes, func(t *Train) *[]int { return &t.RNN.Cells }),
		Meaning: "cells of each recurrent layer",
		Also:    []string{"hidden_size", "hidden"},
	},
	{
		Path: "train.rnn.biases", Default: "2", Min: "0", Max: "2", applies: where(onlyModel("rnn", "lstm", "gru")),
		value:   inTrain(whole, func(t *Train) *int { return &t.RNN.Biases }),
		Meaning: "bias vectors of a recurrent layer",
		Source:  "PyTorch has two",
	},
	{
		Path: "train.rnn.bptt", Default: "sum", Choices: StepSums, applies: where(onlyModel("rnn", "lstm", "gru")),
		value:   inTrain(choice, func(t *Train) *string { return &t.RNN.BPTT }),
		Meaning: "what back-propagation through time makes of the steps' gradients",
	},
	{
		Path: "train.rnn.activation", Default: "tanh", Choices: CellActivations, applies: where(onlyModel("rnn", "lstm")),
		value:   inTrain(choice, func(t *Train) *string { return &t.RNN.Activation }),
		Meaning: "of a state; of an LSTM also of the candidate",
	},
	{
		Path: "train.rnn.gate_low", Default: "none", Word: "none", Min: "0", Max: "0.5", applies: where(onlyModel("lstm")),
		value:   inTrain(opt(number), func(t *Train) *Opt[float64] { return &t.RNN.GateLow }),
		Meaning: "a gate below it is taken for shut; none: gates are as they are",
	},
	{
		Path: "train.rnn.gate_high", Default: "0.95", Min: "0.5", Max: "1", applies: where(onlyThreshold),
		value:   inTrain(number, func(t *Train) *float64 { return &t.RNN.GateHigh }),
		Meaning: "a gate above it is taken for open",
	},
	{
		Path: "train.rnn.dropout", Default: "0", Min: "0", Max: "0.99", applies: where(onlyModel("rnn", "lstm", "gru")),
		value:   inTrain(number, func(t *Train) *float64 { return &t.RNN.Dropout }),
		Meaning: "share of elements between layers that a training step leaves out",
	},
}

// onlyThreshold says that a field belongs to LSTMs whose gates have a threshold.
func onlyThreshold(j *Job) string {
	if why := onlyModel("lstm")(j); why != "" {
		return why
	}
	if !j.Train.RNN.GateLow.Set {
		return j.Path() + ".train.rnn.gate_low is none"
	}
	return ""
}

var gptFields = []*Field{
	{Path: "train.gpt", Meaning: "a transformer that reads text and says what comes next"},
	gptSize("size", "128", "1", "65536", "elements of each position's vector", func(g *GPT) *int { return &g.Size },
		"d_model", "hidden_size", "n_embd"),
	gptSize("blocks", "4", "1", "1024", "transformer blocks: attention, then a feed-forward network",
		func(g *GPT) *int { return &g.Blocks }, "layers", "n_layer"),
	gptSize("heads", "4", "1", "1024", "heads of attention", func(g *GPT) *int { return &g.Heads }, "n_head"),
	gptSize("head_size", "0", "0", "65536", "elements of a head's queries, keys and values; 0: size / heads",
		func(g *GPT) *int { return &g.HeadSize }, "d_head"),
	gptSize("factor", "4", "1", "64", "the feed-forward network is so many times as wide as size",
		func(g *GPT) *int { return &g.Factor }, "mlp_ratio"),
	gptChoice("norm", "layer-norm", Norms, "what is done to a vector before or after each half of a block",
		func(g *GPT) *string { return &g.Norm }),
	gptChoice("norm_place", "before", NormPlaces, "where norms are", func(g *GPT) *string { return &g.NormPlace }),
	gptChoice("activation", "gelu", Activations, "of the feed-forward network", func(g *GPT) *string { return &g.Activation }),
	gptChoice("positions", "learned", PositionKinds, "what tells positions apart", func(g *GPT) *string { return &g.Positions }),
	gptSwitch("gated", "false", "the feed-forward network has a gate: with silu SwiGLU", func(g *GPT) *bool { return &g.Gated }),
	gptSwitch("bias", "true", "the products of blocks have biases", func(g *GPT) *bool { return &g.Bias }),
	gptSwitch("tied", "false", "the head's weights are the embedding's", func(g *GPT) *bool { return &g.Tied }),
	gptSwitch("head_bias", "true", "the head has a bias", func(g *GPT) *bool { return &g.HeadBias }),
	{
		Path: "train.gpt.dropout", Default: "0", Min: "0", Max: "0.99", applies: where(onlyModel("gpt")),
		value:   inTrain(number, func(t *Train) *float64 { return &t.GPT.Dropout }),
		Meaning: "share of elements that a training step leaves out, after embedding, attention and each half",
	},
	{Path: "train.gpt.experts", Meaning: "a mixture of experts in place of the feed-forward network of blocks"},
	{
		Path: "train.gpt.experts.count", Default: "none", Word: "none", Min: "2", Max: "1024", applies: where(onlyModel("gpt")),
		value:   inTrain(opt(whole), func(t *Train) *Opt[int] { return &t.GPT.Experts.Count }),
		Meaning: "experts of a block, each as large as the feed-forward network; none: that",
		Also:    []string{"num_experts"},
	},
	moeSize("top", "2", "1", "1024", "experts that a position goes to", func(x *MoE) *int { return &x.Top }, "top_k", "router_topk"),
	moeNumber("capacity", "0", "1024", "an expert takes so many times its even share of a micro-batch at most; the rest is dropped; "+
		"0: nothing is", "Railyard's choice", func(x *MoE) *float64 { return &x.Capacity }, "capacity_factor"),
	moeNumber("balance", "0.01", "10", "weight of the balancing loss, which pulls the router towards even use; 0: none",
		"arXiv 2101.03961", func(x *MoE) *float64 { return &x.Balance }, "aux_loss_coeff"),
	{
		Path: "train.gpt.experts.force", Default: "none", Choices: ForcedExperts, applies: where(onlyExperts),
		value: inTrain(choice, func(t *Train) *string { return &t.GPT.Experts.Force }),
		Meaning: "who chooses experts in place of the router, to measure what choices cost: even, each in turn, or one, the first " +
			"for all positions (with top 2 the first two, and so on); none: nobody does",
		Also: []string{"moe_router_force_load_balancing"},
	},
	moeSize("shared", "0", "0", "64", "experts beside them that every position goes to", func(x *MoE) *int { return &x.Shared }),
	moeSize("every", "1", "1", "1024", "every so many blocks have experts, the last of these; 1: all",
		func(x *MoE) *int { return &x.Every }, "moe_layer_freq"),
}

// onlyExperts says that a field belongs to a mixture of experts.
func onlyExperts(j *Job) string {
	if why := onlyModel("gpt")(j); why != "" {
		return why
	}
	if !j.Train.GPT.Experts.Count.Set {
		return j.Path() + ".train.gpt.experts.count is none"
	}
	return ""
}

func moeSize(key, def, lo, hi, meaning string, of func(*MoE) *int, also ...string) *Field {
	return &Field{Path: "train.gpt.experts." + key, Default: def, Min: lo, Max: hi, applies: where(onlyExperts),
		value: inTrain(whole, func(t *Train) *int { return of(&t.GPT.Experts) }), Meaning: meaning, Also: also}
}

func moeNumber(key, def, hi, meaning, source string, of func(*MoE) *float64, also ...string) *Field {
	return &Field{Path: "train.gpt.experts." + key, Default: def, Min: "0", Max: hi, applies: where(onlyExperts), Source: source,
		value: inTrain(number, func(t *Train) *float64 { return of(&t.GPT.Experts) }), Meaning: meaning, Also: also}
}

func gptSize(key, def, lo, hi, meaning string, of func(*GPT) *int, also ...string) *Field {
	return &Field{Path: "train.gpt." + key, Default: def, Min: lo, Max: hi, applies: where(onlyModel("gpt")),
		value: inTrain(whole, func(t *Train) *int { return of(&t.GPT) }), Meaning: meaning, Also: also}
}

func gptChoice(key, def string, choices []Choice, meaning string, of func(*GPT) *string) *Field {
	return &Field{Path: "train.gpt." + key, Default: def, Choices: choices, applies: where(onlyModel("gpt")),
		value: inTrain(choice, func(t *Train) *string { return of(&t.GPT) }), Meaning: meaning}
}

func gptSwitch(key, def, meaning string, of func(*GPT) *bool) *Field {
	return &Field{Path: "train.gpt." + key, Default: def, applies: where(onlyModel("gpt")),
		value: inTrain(boolean, func(t *Train) *bool { return of(&t.GPT) }), Meaning: meaning}
}

// checkModel reports sizes of a network that do not go together.
func (d *decoder) checkModel(j *Job) {
	if j.Train == nil {
		return
	}
	t, at := j.Train, j.Path()+".train"
	if n := len(t.CNN.Image); t.Model == "cnn" && d.ok(at+".cnn.image") && n != 3 {
		d.problem(at+".cnn.image", fmt.Sprintf("%s: %d numbers, want channels, rows and columns",
			strings.ReplaceAll(fmt.Sprint(t.CNN.Image), " ", ", "), n), "")
	}
	if text := t.Data.Text != nil; !d.ok(at+".model") || !d.ok(at+".data") {
		return
	} else if reads := slices.Contains([]string{"rnn", "lstm", "gru", "gpt"}, t.Model); reads && !text {
		d.problem(at+".model", t.Model+": it reads text, want "+at+".data.text", "")
	}
	d.checkExperts(t, at+".gpt.")
	if g := &t.GPT; t.Model == "gpt" && g.HeadSize == 0 && d.ok(at+".gpt.size", at+".gpt.heads", at+".gpt.head_size") &&
		g.Heads > 0 && g.Size%g.Heads != 0 {
		d.problem(at+".gpt.heads", fmt.Sprintf("%d: does not divide size %d, want a divisor, or head_size", g.Heads, g.Size), "")
	}
}

// checkExperts reports a mixture of experts that a transformer cannot have.
func (d *decoder) checkExperts(t *Train, at string) {
	x := &t.GPT.Experts
	if t.Model != "gpt" || !x.Count.Set || !d.ok(at+"experts") {
		return
	}
	if d.ok(at+"experts.count", at+"experts.top") && x.Top > x.Count.Value {
		d.problem(at+"experts.top", fmt.Sprintf("%d: there are %d experts, want at most as many", x.Top, x.Count.Value), "")
	}
	if d.ok(at+"blocks", at+"experts.every") && x.Every > t.GPT.Blocks {
		d.problem(at+"experts.every", fmt.Sprintf("%d: there are %d blocks, want at most as many", x.Every, t.GPT.Blocks), "")
	}
}
