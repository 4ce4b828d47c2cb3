package lab

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/learn/nn"
	"railyard/internal/out/chart"
)

// decoderBench is a transformer small enough to be read, trained on one sentence.
var decoderBench = Bench{
	Meaning: "a decoder block with a tied head learns a sentence: vectors, attention and the next word at one position",
	Params: []Param{
		{Name: "text", Meaning: "the sentence, 3 to 24 words", Default: "", Needed: true},
		{Name: "size", Meaning: "numbers of a word's vector, 2 to 16", Default: 3.0},
		{Name: "hidden", Meaning: "of the feed-forward network, 1 to 64", Default: 9.0},
		{Name: "query", Meaning: "the position to show, from 1", Default: 1.0},
		{Name: "seed", Meaning: "of the first weights", Default: 1.0},
		{Name: "lr", Meaning: "learning rate of Adam", Default: 0.02},
		{Name: "iterations", Meaning: "updates, 0 to 5000", Default: 1000.0},
	},
	Run: runDecoder,
}

// decoder is a small transformer and the sentence that it learned.
type decoder struct {
	names  []string // of tokens
	x      []float32
	labels []int32
	size   int
	hidden int
	model  *nn.Model
	params []float32
}

func runDecoder(a Args) (*Shown, error) {
	d, err := newDecoder(a)
	if err != nil {
		return nil, err
	}
	query, err := a.Whole("query", 1, len(d.x))
	if err != nil {
		return nil, err
	}
	seed, err := a.Whole("seed", 0, 1<<30)
	if err != nil {
		return nil, err
	}
	updates, err := a.Whole("iterations", 0, 5000)
	if err != nil {
		return nil, err
	}
	// First values wider than GPT-2's: vectors of a few numbers must stand out beside the positions.
	start := d.model.WithInit(nn.Normal, 0.5).Init(uint64(seed))
	d.params = start
	s := &Shown{}
	s.add("vocabulary", float64(len(d.names)), "", "tokens: the sentence's words, padding and unknown")
	d.sizes(s)
	s.add("right_before", d.right(), "", "words predicted as the sentence has them, before training")
	var loss float64
	d.params, loss = fit(d.model, start, d.x, d.labels, adam(a.Number("lr")), updates)
	s.add("loss", loss, "", fmt.Sprintf("loss after %d updates", updates))
	s.add("right", d.right(), "", "words predicted as the sentence has them, after it")
	s.add("words", float64(len(d.x)), "", "of so many")
	d.show(s, query-1)
	return s, nil
}

func newDecoder(a Args) (*decoder, error) {
	words := strings.Fields(a.Text("text"))
	if len(words) < 3 || len(words) > 24 {
		return nil, fmt.Errorf("%d words, want 3 to 24", len(words))
	}
	d := &decoder{names: []string{"[padding]", "[unknown]"}}
	var err error
	if d.size, err = a.Whole("size", 2, 16); err != nil {
		return nil, err
	}
	if d.hidden, err = a.Whole("hidden", 1, 64); err != nil {
		return nil, err
	}
	var tokens []int32
	for _, w := range words {
		if !slices.Contains(d.names, w) {
			d.names = append(d.names, w)
		}
		tokens = append(tokens, int32(slices.Index(d.names, w)))
	}
	for _, t := range tokens[:len(tokens)-1] {
		d.x = append(d.x, float32(t))
	}
	d.labels = tokens[1:]
	d.model, err = nn.NewGPT(nn.GPT{Vocabulary: len(d.names), Context: len(d.x), Size: d.size, Blocks: 1, Heads: 1,
		HeadSize: d.size, Hidden: d.hidden, After: true, Activation: nn.ReLU, Sinusoidal: true, Tied: true})
	return d, err
}

// sizes adds the parameters of each part.
func (d *decoder) sizes(s *Shown) {
	for l, part := range []string{"embedding", "positions", "attention", "feed_forward", "head"} {
		lo, hi := d.model.LayerRange(l)
		meaning := "parameters of the " + strings.ReplaceAll(part, "_", "-")
		if part == "head" {
			meaning = "parameters of the head: they are the embedding's, and count once"
		}
		if part != "positions" {
			s.add(part, float64(hi-lo), "", meaning)
		}
	}
}

// likely is, for each position, how likely each token is the next one.
func (d *decoder) likely() []float64 { return d.model.Predict(d.params, d.x, nn.Portable) }

func (d *decoder) right() float64 {
	p, n := d.likely(), 0
	for i, label := range d.labels {
		n += btoi(int32(largest(p[i*len(d.names):(i+1)*len(d.names)])) == label)
	}
	return float64(n)
}

// show adds what happens at one position.
func (d *decoder) show(s *Shown, at int) {
	r := d.model.NewReplica(d.params, 1, nn.Portable)
	r.Load(d.x, d.labels, 1)
	for l := range d.model.Layers() {
		r.Forward(l)
	}
	parts := []string{"embedded", "placed", "attended", "decided"}
	for l, what := range []string{"the embedding", "the embedding and the position", "attention, added and normed",
		"the feed-forward network, added and normed"} {
		for i, v := range r.Output(l)[at*d.size : (at+1)*d.size] {
			s.add(fmt.Sprintf("%s%d", parts[l], i+1), float64(v), "", fmt.Sprintf("number %d after %s", i+1, what))
		}
	}
	for i, v := range d.inside(r.Output(2)[at*d.size : (at+1)*d.size]) {
		s.add(fmt.Sprintf("hidden%d", i+1), v, "", fmt.Sprintf("number %d inside the feed-forward network, after ReLU", i+1))
	}
	layer, saved := r.Inside(2)
	m, _ := nn.AttentionMap(layer, saved, 0, 0)
	var words []string
	for i, token := range d.x {
		words = append(words, d.names[int(token)])
		if i <= at {
			s.add(fmt.Sprintf("weight[%d]", i+1), float64(m[at*len(d.x)+i]), "",
				fmt.Sprintf("attention from position %d to %d, %s", at+1, i+1, words[i]))
		}
	}
	s.Figures = []chart.Figure{attentionFigure("map", words, m)}
	d.words(s, at, r)
}

// inside is the hidden layer of the feed-forward network over what attention made of a position.
func (d *decoder) inside(attended []float32) (hidden []float64) {
	x := make([]float64, len(attended))
	for i, v := range attended {
		x[i] = float64(v)
	}
	weights, biases := []float32(nil), make([]float32, d.hidden)
	for _, t := range d.model.Tensors(3) {
		of := d.params[t.Offset:][:t.Elems()]
		switch {
		case strings.HasSuffix(t.Name, "linear1.weight"):
			weights = of
		case strings.HasSuffix(t.Name, "linear1.bias"):
			biases = of
		}
	}
	for i := range d.hidden {
		w := make([]float64, len(x))
		for k := range w {
			w[k] = float64(weights[i*len(x)+k])
		}
		v, err := one(x, w, float64(biases[i]), nn.ReLU)
		if err != nil {
			panic(err) // as many weights as inputs
		}
		hidden = append(hidden, v)
	}
	return hidden
}

// words is the table of the vocabulary: logits and probabilities of the next word.
func (d *decoder) words(s *Shown, at int, r *nn.Replica) {
	n := len(d.names)
	z, p := r.Output(d.model.Layers() - 1)[at*n:(at+1)*n], d.likely()[at*n:(at+1)*n]
	t := Table{Name: "words", Title: fmt.Sprintf("The word after position %d, %s", at+1, d.names[int(d.x[at])]),
		Columns: []string{"token", "word", "vector", "logit", "probability"}}
	for i, name := range d.names {
		t.Rows = append(t.Rows, []string{fmt.Sprint(i), name, vector(d.params[i*d.size : (i+1)*d.size]),
			fixed(float64(z[i]), 3), fixed(p[i], 3)})
	}
	s.add("next", float64(largest(p)), d.names[largest(p)], "token that is the likeliest")
	s.add("label", float64(d.labels[at]), d.names[d.labels[at]], "token that the sentence has there")
	s.add("probability", p[d.labels[at]], "", "its probability")
	s.Tables = []Table{t}
}
