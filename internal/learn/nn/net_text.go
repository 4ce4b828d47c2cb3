package nn

import "fmt"

// Recurrent describes a recurrent language model: tokens become vectors, one recurrent layer after the
// other works on them, and a head says at every position what comes next.
type Recurrent struct {
	Vocabulary, Context int
	Embedding           int   // elements of a token's vector; 0: one of as many as there are tokens is 1
	Cells               []int // of each recurrent layer
	Biases              int   // bias vectors of each: 0, 1 or 2
	Mean                bool  // the parameters' gradient is the mean over steps, not the sum
	Activation          Activation
	Threshold           *[2]float32 // of an LSTM's gates; nil: none
	NoHeadBias          bool
	SkipPadding         bool // the vector of padding does not learn
	Dropout             float64
}

// NewRNN makes a model of vanilla recurrent layers, called embedding, rnn.1 and so on, head.
func NewRNN(c Recurrent) (*Model, error) {
	if c.Threshold != nil {
		return nil, fmt.Errorf("gate_threshold: a vanilla recurrent layer has no gates, want an lstm")
	}
	return c.model("rnn", func(r Recurrence) (Layer, error) { return RNN(r, c.Activation) })
}

// NewLSTM makes a model of LSTM layers, called embedding, lstm.1 and so on, head.
func NewLSTM(c Recurrent) (*Model, error) {
	return c.model("lstm", func(r Recurrence) (Layer, error) { return LSTM(r, c.Activation, c.Threshold) })
}

// NewGRU makes a model of layers of gated recurrent units, called embedding, gru.1 and so on, head.
func NewGRU(c Recurrent) (*Model, error) {
	switch {
	case c.Threshold != nil:
		return nil, fmt.Errorf("gate_threshold: a gated recurrent unit has none, want an lstm")
	case c.Activation != Tanh:
		return nil, fmt.Errorf("activation: %v, a gated recurrent unit has tanh", c.Activation)
	}
	return c.model("gru", GRU)
}

func (c Recurrent) model(name string, cell func(Recurrence) (Layer, error)) (*Model, error) {
	if err := firstOf(within("vocabulary", c.Vocabulary), within("context", c.Context),
		atMost("embedding", c.Embedding)); err != nil {
		return nil, err
	}
	width, n := c.Embedding, list{}
	if width == 0 {
		width = c.Vocabulary
		n.add("embedding", OneHot(c.Context, c.Vocabulary))
	} else {
		n.add("embedding", Embedding(c.Context, c.Vocabulary, width, c.SkipPadding))
	}
	if len(c.Cells) == 0 {
		return nil, fmt.Errorf("cells: of no layer, want at least one")
	}
	for i, cells := range c.Cells {
		if err := within(fmt.Sprintf("cells of layer %d", i+1), cells); err != nil {
			return nil, err
		}
		n.drop(fmt.Sprintf("dropout.%d", i+1), c.Context*width, c.Dropout)
		n.need(cell(Recurrence{c.Context, width, cells, c.Biases, c.Mean}))
		n.add(fmt.Sprintf("%s.%d", name, i+1), n.last)
		width = cells
	}
	n.add("head", Everywhere(c.Context, width, c.Vocabulary, !c.NoHeadBias))
	return n.model(c.Context)
}

// list is layers as they are added, up to the first problem.
type list struct {
	layers []Named
	last   Layer
	err    error
}

func (n *list) need(l Layer, err error) {
	n.last = l
	if n.err == nil {
		n.err = err
	}
}

func (n *list) add(name string, l Layer) {
	if n.err == nil {
		n.err = wholeRow(max(l.In(), l.Out()))
	}
	n.layers = append(n.layers, Named{name, l})
}

// drop adds a layer of dropout, if there is to be any.
func (n *list) drop(name string, size int, rate float64) {
	if rate != 0 {
		n.need(Dropout(size, rate))
		n.add(name, n.last)
	}
}

// model compares what the last layer gives at each position with the token that follows.
func (n *list) model(context int) (*Model, error) {
	if n.err != nil {
		return nil, n.err
	}
	return NewModel(n.layers, CrossEntropy, context)
}

// GPT describes a transformer that continues a text.
type GPT struct {
	Vocabulary, Context int
	Size                int // elements of each position's vector
	Blocks              int
	Heads, HeadSize     int // HeadSize 0: Size/Heads
	Hidden              int // of the feed-forward network
	Norm                Norm
	After               bool // norms after the residual sums; else before each half, and one at the end
	Activation          Activation
	Gated               bool // SwiGLU, if the activation is SiLU
	NoBias              bool // of the blocks' products
	Sinusoidal          bool // positions, in place of learned ones
	Tied                bool // the head's weights are the embedding's
	HeadBias            bool
	SkipPadding         bool // the vector of padding does not learn
	Dropout             float64
	Experts             *GPTExperts `json:",omitempty"`
}

// GPTExperts are what some blocks of a GPT have in place of the feed-forward network: each expert is as large as that.
type GPTExperts struct {
	Routing
	Every int // every so many blocks, the last of these: 1 is all
}

// has reports whether block b, from 1 on, has experts.
func (x *GPTExperts) has(b int) bool { return x != nil && b%x.Every == 0 }

// deviation is that of first values of embeddings, as in GPT-2.
const deviation = 0.02

// NewGPT makes the model. Its layers are called tokens, positions, blocks.1.attention,
// blocks.1.feed_forward (or blocks.1.experts) and so on, norm, head; with dropout, there is one after the positions.
func NewGPT(c GPT) (*Model, error) {
	if err := firstOf(within("vocabulary", c.Vocabulary), within("context", c.Context), within("size", c.Size),
		within("blocks", c.Blocks), within("heads", c.Heads), within("hidden", c.Hidden),
		atMost("head size", c.HeadSize), wholeRow(c.Context*max(c.Size, c.Vocabulary))); err != nil {
		return nil, err
	}
	if err := firstOf(headsFit(c.Context, c.Size, c.Heads, &c.HeadSize), wholeRow(c.Context*c.Hidden), c.expertsFit()); err != nil {
		return nil, err
	}
	m, err := c.layers().model(c.Context)
	if err != nil || !c.Tied {
		return m, err
	}
	return m.Tied("tokens.weight", "head.weight")
}

// headsFit finds the size of heads that has none, and says what is wrong with what they make of a row.
func headsFit(context, size, heads int, headSize *int) error {
	if *headSize == 0 {
		if size%heads != 0 {
			return fmt.Errorf("heads: %d of a size of %d, want as many as divide it, or a head size", heads, size)
		}
		*headSize = size / heads
	}
	return firstOf(within("heads x head size", heads**headSize), wholeRow(3*context*heads**headSize),
		wholeRow(context*context*heads))
}

// expertsFit says what is wrong with the experts of a row; what is wrong with their numbers their layer says.
func (c GPT) expertsFit() error {
	x := c.Experts
	switch {
	case x == nil:
		return nil
	case x.Every < 1 || x.Every > c.Blocks:
		return fmt.Errorf("experts: in every %d of %d blocks, want 1 to as many", x.Every, c.Blocks)
	}
	return wholeRow(c.Context * max(x.Count, (x.Top+x.Shared)*max(c.Size, c.Hidden)))
}

func (c GPT) layers() *list {
	n := &list{}
	n.add("tokens", embedding{c.Context, c.Vocabulary, c.Size, c.SkipPadding, deviation})
	if c.Sinusoidal {
		n.add("positions", SinusoidalPositions(c.Context, c.Size))
	} else {
		n.add("positions", positions{count: c.Context, size: c.Size, deviation: deviation})
	}
	n.drop("dropout", c.Context*c.Size, c.Dropout)
	half := Half{c.Context, c.Size, c.Norm, c.After, c.NoBias, c.Dropout, false}
	for b := 1; b <= c.Blocks && n.err == nil; b++ {
		n.need(Attention(half, c.Heads, c.HeadSize))
		n.add(fmt.Sprintf("blocks.%d.attention", b), n.last)
		if c.Experts.has(b) {
			n.need(Experts(half, c.Hidden, c.Activation, c.Gated, c.Experts.Routing))
			n.add(fmt.Sprintf("blocks.%d.experts", b), n.last)
			continue
		}
		n.need(FeedForward(half, c.Hidden, c.Activation, c.Gated))
		n.add(fmt.Sprintf("blocks.%d.feed_forward", b), n.last)
	}
	if !c.After {
		n.add("norm", Normalised(c.Norm, c.Context, c.Size))
	}
	n.add("head", Everywhere(c.Context, c.Size, c.Vocabulary, c.HeadBias))
	return n
}
