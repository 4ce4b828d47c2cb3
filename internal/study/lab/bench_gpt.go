package lab

import (
	"fmt"
	"strings"

	"railyard/internal/learn/nn"
)

// gptBench counts the parameters of a transformer.
var gptBench = Bench{
	Meaning: "the parameters of a GPT, part by part",
	Params: []Param{
		{Name: "size", Meaning: "numbers of a token's vector, up to 65536", Default: 0.0, Needed: true},
		{Name: "blocks", Meaning: "decoder blocks, up to 1024", Default: 0.0, Needed: true},
		{Name: "heads", Meaning: "heads of attention; they divide size", Default: 1.0},
		{Name: "factor", Meaning: "the feed-forward network is so many times as wide", Default: 4.0},
		{Name: "vocabulary", Meaning: "tokens", Default: 0.0, Needed: true},
		{Name: "context", Meaning: "positions, which are learned", Default: 0.0, Needed: true},
	},
	Run: runGPT,
}

func runGPT(a Args) (*Shown, error) {
	n := map[string]int{}
	for _, of := range []struct {
		name string
		most int
	}{{"size", 1 << 16}, {"blocks", 1 << 10}, {"heads", 1 << 10}, {"factor", 64}, {"vocabulary", 1 << 20},
		{"context", 1 << 20}} {
		var err error
		if n[of.name], err = a.Whole(of.name, 1, of.most); err != nil {
			return nil, err
		}
	}
	if n["size"]%n["heads"] != 0 {
		return nil, fmt.Errorf("%d heads do not divide a size of %d", n["heads"], n["size"])
	}
	// One position: how many there are changes no parameter but theirs.
	half := nn.Half{Positions: 1, Size: n["size"]}
	attention, err := nn.Attention(half, n["heads"], n["size"]/n["heads"])
	if err != nil {
		return nil, err
	}
	feed, err := nn.FeedForward(half, n["factor"]*n["size"], nn.GELU, false)
	if err != nil {
		return nil, err
	}
	c := &parameters{t: Table{Name: "parts", Title: "Parameters, part by part",
		Columns: []string{"part", "weights", "biases", "norm", "times", "parameters"}}}
	c.part("tokens", nn.Embedding(1, n["vocabulary"], n["size"], false), 1)
	c.part("positions", nn.LearnedPositions(n["context"], n["size"]), 1)
	attended := c.part("attention", attention, n["blocks"])
	fed := c.part("feed-forward", feed, n["blocks"])
	norm := c.part("last norm", nn.Normalised(nn.LayerNorm, 1, n["size"]), 1)
	s := &Shown{Tables: []Table{c.t}}
	s.add("embedding", float64(n["vocabulary"]*n["size"]), fmt.Sprintf("%d*%d", n["vocabulary"], n["size"]),
		"of the embedding")
	s.add("positions", float64(n["context"]*n["size"]), fmt.Sprintf("%d*%d", n["context"], n["size"]),
		"of the positions")
	s.add("attention", float64(attended), fmt.Sprintf("4*%d^2", n["size"]), "weights of a block's attention")
	s.add("feed_forward", float64(fed), fmt.Sprintf("2*%d*%d^2", n["factor"], n["size"]),
		"weights of its feed-forward network")
	s.add("norm", float64(norm), fmt.Sprintf("2*%d", n["size"]), "parameters of a norm")
	s.add("blocks", float64(n["blocks"]*(attended+fed)), fmt.Sprintf("%d*(%d + %d)", n["blocks"], attended, fed),
		"weights of all blocks")
	s.add("rest", float64(c.total-n["blocks"]*(attended+fed)), "", "embeddings, biases and norms")
	s.add("total", float64(c.total), "", "parameters; the head has the embedding's")
	return s, nil
}

// parameters counts them while it lists them.
type parameters struct {
	t     Table
	total int
}

// part adds a layer that is there so many times, and returns its weights; of a norm all that it has.
func (c *parameters) part(name string, l nn.Layer, times int) int {
	var weights, biases, norm int
	for _, t := range l.Tensors() {
		switch {
		case strings.HasPrefix(t.Name, "norm.") || t.Role == nn.Gain:
			norm += t.Elems()
		case t.Role == nn.Bias:
			biases += t.Elems()
		default:
			weights += t.Elems()
		}
	}
	c.total += times * l.Params()
	row := []string{name}
	for _, v := range []int{weights, biases, norm, times, times * l.Params()} {
		row = append(row, short(float64(v)))
	}
	c.t.Rows = append(c.t.Rows, row)
	return max(weights, norm)
}
