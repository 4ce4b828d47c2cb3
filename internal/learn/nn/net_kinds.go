package nn

import (
	"fmt"
	"slices"
)

// The keys of more than one kind.

func sizeKey(name, meaning, def string, least, most float64) netKey {
	return netKey{name: name, meaning: meaning, def: def, least: least, most: most, whole: true}
}

func wordKey(name, meaning, def string, words ...string) netKey {
	return netKey{name: name, meaning: meaning, def: def, words: words}
}

func yesKey(name, meaning, def string) netKey { return wordKey(name, meaning, def, "yes", "no") }

func activationKey(def string, words ...string) netKey {
	return wordKey("activation", "what follows, element by element", def, words...)
}

func rateKey(def string) netKey {
	return netKey{name: "dropout", meaning: "share of elements that a training step leaves out", def: def, most: 0.99}
}

func deviationKey(what string) netKey {
	return netKey{name: "deviation", meaning: "standard deviation of first " + what + "; GPT-2 has 0.02", def: "1",
		least: 1e-6, most: 10}
}

var (
	strideKey  = sizeKey("stride", "pixels from one place of the window to the next", "1", 1, 255)
	paddingKey = sizeKey("padding", "rows and columns of zeros around an image", "0", 0, 254)
	poolKeys   = []netKey{sizeKey("size", "rows and columns of a window", "2", 1, 255),
		sizeKey("stride", "pixels from one window to the next; 0: size", "0", 0, 255)}
	biasKey       = yesKey("bias", "whether a bias is added", "yes")
	recurrentKeys = []netKey{sizeKey("cells", "elements of a state", "", 1, maxWidth),
		sizeKey("biases", "bias vectors; PyTorch has 2", "2", 0, 2),
		wordKey("bptt", "what is made of the steps' gradients", "sum", "sum", "mean")}
	halfKeys = []netKey{wordKey("norm", "of the vectors", "layer-norm", normNames[:]...),
		wordKey("norm_place", "before: of what goes in; after: of the residual sum", "before", "before", "after"),
		yesKey("bias", "whether the products have biases", "yes"),
		yesKey("norm_bias", "whether a layer norm has one", "yes"), rateKey("0")}
	anyActivation = activationNames[:]
)

// netKinds are the kinds of layers that a Net may have.
var netKinds = slices.Concat(imageKinds, vectorKinds, textKinds, aroundKinds)

var imageKinds = []netKind{
	{"conv2d", "convolution: filters slide over the image (torch.nn.Conv2d)", []form{image}, []netKey{
		sizeKey("filters", "output channels", "", 1, 65536),
		sizeKey("kernel", "rows and columns of a filter", "3", 1, 255),
		strideKey, paddingKey, biasKey, activationKey("identity", anyActivation...)}, buildConv},
	{"fixed-conv2d", "convolution by 3x3 kernels that are not trained, each summed over all channels", []form{image},
		[]netKey{wordKey("kernels", "2 of Prewitt, or 8 of Kirsch", "", "prewitt", "kirsch"), strideKey, paddingKey,
			activationKey("identity", anyActivation...)}, buildFixed},
	{"max-pool", "the largest element of each window, by channel", []form{image}, poolKeys, buildPool(MaxPool)},
	{"average-pool", "the mean of each window, by channel", []form{image}, poolKeys, buildPool(AveragePool)},
	{"flatten", "an image, or positions, as one vector", []form{image, sequence}, nil, buildFlatten},
}

var vectorKinds = []netKind{
	{"dense", "each output from all inputs, at each position by itself (torch.nn.Linear)", []form{vector, sequence},
		[]netKey{sizeKey("units", "outputs", "", 1, maxWidth), biasKey, activationKey("identity", anyActivation...)},
		buildDense},
	{"activation", "a function of each element", []form{image, vector, sequence}, []netKey{
		wordKey("function", "which", "", anyActivation[1:]...)}, buildActivation},
	{"dropout", "elements are left out in training, the others grow", []form{image, vector, sequence}, []netKey{
		{name: "rate", meaning: "share of elements that a training step leaves out", least: 0.001, most: 0.99}},
		buildDropout},
	{"norm", "each vector, or each position's, less its mean, over its deviation, times a gain",
		[]form{vector, sequence}, []netKey{wordKey("kind", "rms-norm: over the root of the mean square, times a gain",
			"layer-norm", normNames[:]...), yesKey("bias", "whether a layer norm has one", "yes")}, buildNorm},
	{"batch-norm", "each channel, or element of a vector, less its mean over a micro-batch of all replicas, over its deviation, times " +
		"a gain (torch.nn.BatchNorm2d, 1d)", []form{image, vector}, []netKey{
		{name: "momentum", meaning: "part of a micro-batch's mean and variance in the running ones", def: "0.1", least: 1e-6, most: 1},
		activationKey("identity", anyActivation...)}, buildBatchNorm},
}

var textKinds = []netKind{
	{"embedding", "a vector for each token, which learns (torch.nn.Embedding)", []form{tokens}, []netKey{
		sizeKey("size", "elements of a vector", "", 1, 65536), deviationKey("values"),
		yesKey("padding_learns", "whether padding, token 0, has a vector that learns", "yes")}, buildEmbedding},
	{"one-hot", "a vector for each token that is 1 at its place", []form{tokens}, nil, buildOneHot},
	{"positions", "a vector added at each position, which says where it is", []form{sequence}, []netKey{
		wordKey("kind", "learned, or sines and cosines", "learned", "learned", "sinusoidal"),
		deviationKey("values, where they learn")}, buildPositions},
	{"rnn", "vanilla recurrent layer: its state after each position (torch.nn.RNN)", []form{sequence},
		slices.Concat(recurrentKeys, []netKey{activationKey("tanh", "tanh", "relu", "sigmoid", "identity")}), buildRNN},
	{"lstm", "long short-term memory: its state after each position (torch.nn.LSTM)", []form{sequence},
		slices.Concat(recurrentKeys, []netKey{activationKey("tanh", "tanh", "relu"),
			{name: "gate_low", meaning: "a gate below it is taken for shut", def: "none", unset: "none", most: 0.5},
			{name: "gate_high", meaning: "a gate above it is taken for open, with gate_low", def: "0.95", least: 0.5,
				most: 1}}), buildLSTM},
	{"gru", "gated recurrent units: their state after each position (torch.nn.GRU)", []form{sequence}, recurrentKeys, buildGRU},
	{"attention", "half a transformer block: norm, causal self-attention, and the sum with what came in",
		[]form{sequence}, slices.Concat([]netKey{sizeKey("heads", "of attention", "", 1, 1024),
			sizeKey("kv_heads", "heads of keys and values, which as many heads of queries share each; 0: heads", "0", 0, 1024),
			sizeKey("head_size", "elements of a head's queries, keys and values; 0: size / heads", "0", 0, 65536),
			{name: "rope", meaning: "base of rotary positions, which queries and keys are turned by; Llama 3 has 500000",
				def: "none", unset: "none", least: 1.001, most: 1e9}},
			halfKeys), buildAttention},
	{"feed-forward", "the other half: norm, two dense layers at each position, and the sum with what came in",
		[]form{sequence}, slices.Concat([]netKey{sizeKey("hidden", "elements between the two", "", 1, maxWidth),
			activationKey("gelu", anyActivation[1:]...),
			yesKey("gated", "whether a gate multiplies what is between; with silu SwiGLU", "no")}, halfKeys),
		buildFeedForward},
	{"moe", "a mixture of experts in place of feed-forward: each position takes some, which a router picks",
		[]form{sequence}, slices.Concat([]netKey{sizeKey("hidden", "elements between the two products of an expert", "", 1, maxWidth),
			sizeKey("count", "experts", "", 2, maxExperts), sizeKey("top", "experts that a position takes", "2", 1, maxExperts),
			{name: "capacity", meaning: "in training an expert takes so many times its even share of a micro-batch at most, " +
				"the rest is dropped; 0: nothing is", def: "0", most: 1024},
			sizeKey("shared", "experts beside them that take every position", "0", 0, maxShared),
			{name: "balance", meaning: "weight of the balancing loss, which pulls the router towards even use; 0: none",
				def: "0.01", most: 10},
			activationKey("gelu", anyActivation[1:]...),
			yesKey("gated", "whether a gate multiplies what is between; with silu SwiGLU", "no")}, halfKeys), buildExperts},
	{"head", "dense, with a unit for each token of the vocabulary", []form{sequence}, []netKey{biasKey}, buildHead},
}

var aroundKinds = []netKind{
	{"residual", "what goes in is added to what the lines up to `add` make of it", around, nil, buildResidual},
	{"shortcut", "between `residual` and `add`: what its lines make of what goes in is added in its place", around, nil,
		buildShortcut},
	{"add", "ends `residual`: the sum", around, []netKey{activationKey("identity", anyActivation...)}, buildAdd},
}

// around are the forms that something can be added to.
var around = []form{image, vector, sequence}

// inside is the activation that a layer has inside, and the one that is a layer of its own behind it.
func (v netValues) inside() (in, behind Activation) {
	a := v.activation()
	if a.ByOutput() {
		return a, Identity
	}
	return Identity, a
}

// chosenOf is the place of a word among those of its key.
func chosenOf(names []string, word string) int {
	for i, n := range names {
		if n == word {
			return i
		}
	}
	panic("nn: " + word + ", want a word of the table")
}

func buildConv(b *netBuilder, v netValues) error {
	in, behind := v.inside()
	l, out, err := Conv2D(b.at.image, v.whole("filters"),
		Window{v.whole("kernel"), v.whole("stride"), v.whole("padding")}, v.yes("bias"), in)
	return b.pixels(l, out, behind, err)
}

// fixedKernels are those of fixed-conv2d.
var fixedKernels = map[string]func() [][9]float32{"prewitt": Prewitt, "kirsch": Kirsch}

func buildFixed(b *netBuilder, v netValues) error {
	in, behind := v.inside()
	l, out, err := FixedConv2D(b.at.image, fixedKernels[v["kernels"]](), v.whole("stride"), v.whole("padding"), in)
	return b.pixels(l, out, behind, err)
}

// pixels adds a layer that makes an image.
func (b *netBuilder) pixels(l Layer, out Volume, behind Activation, err error) error {
	if err == nil {
		err = firstOf(wholeRow(out.Channels*out.Height), wholeRow(out.Elems()))
	}
	if err != nil {
		return err
	}
	b.give(shape{form: image, image: out}, l, behind)
	return nil
}

func buildPool(of func(in Volume, size, stride int) (Layer, Volume, error)) func(*netBuilder, netValues) error {
	return func(b *netBuilder, v netValues) error {
		stride := v.whole("stride")
		if stride == 0 {
			stride = v.whole("size")
		}
		l, out, err := of(b.at.image, v.whole("size"), stride)
		return b.pixels(l, out, Identity, err)
	}
}

func buildFlatten(b *netBuilder, _ netValues) error {
	n := b.at.elems()
	b.give(shape{form: vector, size: n}, flatten{n}, Identity)
	return nil
}

func buildDense(b *netBuilder, v netValues) error {
	units := v.whole("units")
	if b.at.form == sequence {
		return b.everywhere(units, v.yes("bias"), v.activation())
	}
	in, behind := v.inside()
	l := Dense(b.at.size, units, in).(dense)
	l.unbiased = !v.yes("bias")
	b.give(shape{form: vector, size: units}, l, behind)
	return nil
}

// everywhere adds a dense layer at each position.
func (b *netBuilder) everywhere(units int, biased bool, behind Activation) error {
	if err := wholeRow(b.at.positions * units); err != nil {
		return err
	}
	b.give(shape{sequence, Volume{}, b.at.positions, units}, Everywhere(b.at.positions, b.at.size, units, biased), behind)
	return nil
}

func buildHead(b *netBuilder, v netValues) error {
	if b.net.Rows != "text" {
		return fmt.Errorf("the rows are no text: want dense")
	}
	return b.everywhere(b.net.Vocabulary, v.yes("bias"), Identity)
}

func buildActivation(b *netBuilder, v netValues) error {
	b.give(b.at, Elementwise(b.at.elems(), Activation(chosenOf(activationNames[:], v["function"]))), Identity)
	return nil
}

func buildDropout(b *netBuilder, v netValues) error {
	l, err := Dropout(b.at.elems(), v.number("rate"))
	if err == nil {
		b.give(b.at, l, Identity)
	}
	return err
}

func buildNorm(b *netBuilder, v netValues) error {
	positions := 1
	if b.at.form == sequence {
		positions = b.at.positions
	}
	kind := Norm(chosenOf(normNames[:], v["kind"]))
	b.give(b.at, normLayer{normalise{kind: kind, size: b.at.size, unbiased: !v.yes("bias")}, positions}, Identity)
	return nil
}

func buildBatchNorm(b *netBuilder, v netValues) error {
	channels, places := b.at.size, 1
	if b.at.form == image {
		channels, places = b.at.image.Channels, b.at.image.Height*b.at.image.Width
	}
	in, behind := v.inside()
	l, err := BatchNorm(channels, places, v.number("momentum"), in)
	if err == nil {
		b.give(b.at, l, behind)
	}
	return err
}

func buildEmbedding(b *netBuilder, v netValues) error {
	return b.vectors(v.whole("size"), func(size int) Layer {
		return embedding{b.at.positions, b.net.Vocabulary, size, !v.yes("padding_learns"), v.number("deviation")}
	})
}

func buildOneHot(b *netBuilder, _ netValues) error {
	return b.vectors(b.net.Vocabulary, func(size int) Layer { return OneHot(b.at.positions, size) })
}

// vectors adds a layer that makes vectors of tokens.
func (b *netBuilder) vectors(size int, l func(size int) Layer) error {
	if err := wholeRow(b.at.positions * size); err != nil {
		return err
	}
	b.give(shape{sequence, Volume{}, b.at.positions, size}, l(size), Identity)
	return nil
}

func buildPositions(b *netBuilder, v netValues) error {
	l := Layer(positions{count: b.at.positions, size: b.at.size, deviation: v.number("deviation")})
	if v["kind"] == "sinusoidal" {
		l = SinusoidalPositions(b.at.positions, b.at.size)
	}
	b.give(b.at, l, Identity)
	return nil
}

// recurrence adds a recurrent layer.
func (b *netBuilder) recurrence(v netValues, l func(Recurrence) (Layer, error)) error {
	cells := v.whole("cells")
	if err := wholeRow(b.at.positions * lstmGates * cells); err != nil {
		return err
	}
	of, err := l(Recurrence{b.at.positions, b.at.size, cells, v.whole("biases"), v["bptt"] == "mean"})
	if err == nil {
		b.give(shape{sequence, Volume{}, b.at.positions, cells}, of, Identity)
	}
	return err
}

func buildRNN(b *netBuilder, v netValues) error {
	return b.recurrence(v, func(r Recurrence) (Layer, error) { return RNN(r, v.activation()) })
}

func buildLSTM(b *netBuilder, v netValues) error {
	var threshold *[2]float32
	if v["gate_low"] != "none" {
		threshold = &[2]float32{float32(v.number("gate_low")), float32(v.number("gate_high"))}
	}
	return b.recurrence(v, func(r Recurrence) (Layer, error) { return LSTM(r, v.activation(), threshold) })
}

func buildGRU(b *netBuilder, v netValues) error { return b.recurrence(v, GRU) }

// half is what both halves of a transformer block have in common.
func (b *netBuilder) half(v netValues) Half {
	return Half{b.at.positions, b.at.size, Norm(chosenOf(normNames[:], v["norm"])), v["norm_place"] == "after",
		!v.yes("bias"), v.number("dropout"), !v.yes("norm_bias")}
}

func buildAttention(b *netBuilder, v netValues) error {
	heads, size := v.whole("heads"), v.whole("head_size")
	if err := headsFit(b.at.positions, b.at.size, heads, &size); err != nil {
		return err
	}
	of := Heads{Count: heads, Size: size, KeyValues: v.whole("kv_heads")}
	if v["rope"] != "none" {
		of.Rotary = v.number("rope")
	}
	l, err := AttentionOf(b.half(v), of)
	if err == nil {
		b.give(b.at, l, Identity)
	}
	return err
}

func buildFeedForward(b *netBuilder, v netValues) error {
	hidden := v.whole("hidden")
	if err := wholeRow(b.at.positions * hidden); err != nil {
		return err
	}
	l, err := FeedForward(b.half(v), hidden, v.activation(), v.yes("gated"))
	if err == nil {
		b.give(b.at, l, Identity)
	}
	return err
}

func buildExperts(b *netBuilder, v netValues) error {
	hidden := v.whole("hidden")
	r := Routing{v.whole("count"), v.whole("top"), v.number("capacity"), v.whole("shared"), v.number("balance"), ""}
	if err := wholeRow(b.at.positions * (r.Top + r.Shared) * max(hidden, b.at.size)); err != nil {
		return err
	}
	l, err := Experts(b.half(v), hidden, v.activation(), v.yes("gated"), r)
	if err == nil {
		b.give(b.at, l, Identity)
	}
	return err
}
