package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"railyard/internal/learn/nn"
	"railyard/internal/out/chart"
)

// attentionBench is one head of causal self-attention by hand.
var attentionBench = Bench{
	Meaning: "one head of causal self-attention: queries, keys, values, scores, softmax, the weighted sum",
	Params: []Param{
		{Name: "words", Meaning: "2 to 16 words", Default: "", Needed: true},
		{Name: "x", Meaning: "their vectors, one after the other", Default: []float64(nil), Needed: true},
		{Name: "q", Meaning: "weights of the query: a row for each of its numbers", Default: []float64(nil),
			Needed: true},
		{Name: "k", Meaning: "weights of the key, as many", Default: []float64(nil), Needed: true},
		{Name: "v", Meaning: "weights of the value, as many", Default: []float64(nil), Needed: true},
		{Name: "query", Meaning: "the word that asks, from 1; 0: the last", Default: 0.0},
	},
	Run: runAttention,
}

// head is a head of attention over words.
type head struct {
	words      []string
	size, head int // numbers of a word's vector, and of a query
	layer      nn.Layer
	saved      nn.Saved
	at         int // the word that asks
}

func runAttention(a Args) (*Shown, error) {
	h, err := newHead(a)
	if err != nil {
		return nil, err
	}
	s := &Shown{}
	m, _ := nn.AttentionMap(h.layer, h.saved, 0, 0)
	asks, _ := nn.ProjectedAt(h.layer, h.saved, 0, h.at)
	for i, q := range asks.Query {
		s.add(fmt.Sprintf("q%d", i+1), float64(q), "", fmt.Sprintf("number %d of the query of %s", i+1, h.words[h.at]))
	}
	s.Tables = []Table{h.table(s, asks, m)}
	for i, c := range asks.Context {
		s.add(fmt.Sprintf("context%d", i+1), float64(c), "",
			fmt.Sprintf("number %d of the sum of values, by their weights", i+1))
	}
	s.Figures = []chart.Figure{attentionFigure("map", h.words, m)}
	return s, nil
}

func newHead(a Args) (*head, error) {
	h := &head{words: strings.Fields(a.Text("words"))}
	n, x := len(h.words), a.List("x")
	if n < 2 || n > 16 {
		return nil, fmt.Errorf("%d words, want 2 to 16", n)
	}
	if h.size = len(x) / n; h.size < 1 || h.size > 64 || len(x) != n*h.size {
		return nil, fmt.Errorf("%d numbers in x for %d words, want as many for each", len(x), n)
	}
	q, k, v := a.List("q"), a.List("k"), a.List("v")
	if h.head = len(q) / h.size; h.head < 1 || h.head > 64 || len(q) != h.head*h.size || len(k) != len(q) || len(v) != len(q) {
		return nil,
			fmt.Errorf("%d, %d and %d weights in q, k and v of vectors of %d, want as many in each and rows of %d",
				len(q), len(k), len(v), h.size, h.size)
	}
	query, err := a.Whole("query", 0, n)
	if err != nil {
		return nil, err
	}
	h.at = (query + n - 1) % n
	h.layer, err = nn.Attention(nn.Half{Positions: n, Size: h.size, After: true, NoBias: true}, 1, h.head)
	if err != nil {
		return nil, err
	}
	// What follows the head, the projection back and the norm, is not looked at.
	p := make([]float32, h.layer.Params())
	for _, t := range h.layer.Tensors() {
		if t.Name == "in_proj_weight" {
			copy(p[t.Offset:], float32s(slices.Concat(q, k, v)))
		}
	}
	h.saved = h.layer.NewSaved(1)
	h.layer.Forward(make([]float32, h.layer.Out()), float32s(x), p, 1, h.saved, &nn.Pass{})
	return h, nil
}

// table adds scores and weights of the words that the query sees.
func (h *head) table(s *Shown, asks nn.Projected, m []float32) Table {
	t := Table{Name: "weights", Title: "What " + h.words[h.at] + " looks at",
		Columns: []string{"position", "word", "key", "score", "scaled", "exponential", "weight"}}
	sum := 0.0
	for j := range h.at + 1 {
		of, _ := nn.ProjectedAt(h.layer, h.saved, 0, j)
		score := 0.0
		for i, k := range of.Key {
			score += float64(asks.Query[i]) * float64(k)
		}
		scaled, weight := score/math.Sqrt(float64(h.head)), float64(m[h.at*len(h.words)+j])
		sum += math.Exp(scaled)
		s.add(fmt.Sprintf("score[%d]", j+1), score, "", fmt.Sprintf("query times key of %s, position %d", h.words[j],
			j+1))
		s.add(fmt.Sprintf("weight[%d]", j+1), weight, "", fmt.Sprintf("its weight after softmax: %s", h.words[j]))
		t.Rows = append(t.Rows, []string{fmt.Sprint(j + 1), h.words[j], vector(of.Key), fixed(score, 3),
			fixed(scaled, 3), fixed(math.Exp(scaled), 2), fixed(weight, 3)})
	}
	s.add("sum", sum, "", "sum of the exponentials")
	s.Steps[len(s.Steps)-1].Digits = 2
	return t
}

// attentionFigure draws a map of attention with its words.
func attentionFigure(name string, words []string, m []float32) chart.Figure {
	f := chart.Map{Value: chart.Axis{Label: "weight", Unit: chart.Plain, High: 1}, RowName: "query", ColName: "key"}
	for i, w := range words {
		f.Rows = append(f.Rows, fmt.Sprintf("%d %s", i+1, w))
		f.Columns = append(f.Columns, fmt.Sprintf("%d %s", i+1, w))
		row := make([]chart.Value, len(words))
		for j := range row {
			row[j] = chart.Value(m[i*len(words)+j])
		}
		f.Cells = append(f.Cells, row)
	}
	return chart.Figure{Name: name, Title: "Who looks at whom", Map: &f,
		Caption: "A row is the word that asks, a column a word that it may see: itself and those before it."}
}

// addNormBench is the sum of a vector and what a layer made of it, brought to mean 0 and deviation 1.
var addNormBench = Bench{
	Meaning: "add & norm: a residual sum, its mean removed, divided by its standard deviation",
	Params: []Param{
		{Name: "x", Meaning: "the vector before a layer, 2 to 64 numbers", Default: []float64(nil), Needed: true},
		{Name: "f", Meaning: "what the layer made of it; empty: nothing", Default: []float64{}},
	},
	Run: runAddNorm,
}

func runAddNorm(a Args) (*Shown, error) {
	x, f := a.List("x"), a.List("f")
	if len(x) < 2 || len(x) > 64 || len(f) != 0 && len(f) != len(x) {
		return nil, fmt.Errorf("%d numbers in x and %d in f, want 2 to 64 and as many, or none in f", len(x), len(f))
	}
	s := &Shown{}
	sums, total := slices.Clone(x), 0.0
	for i := range sums {
		how := short(x[i])
		if len(f) > 0 {
			sums[i], how = x[i]+f[i], added(how, f[i])
		}
		total += sums[i]
		s.add(fmt.Sprintf("sum%d", i+1), sums[i], how, fmt.Sprintf("number %d of the residual sum", i+1))
	}
	mean, square := total/float64(len(x)), 0.0
	for _, v := range sums {
		square += (v - mean) * (v - mean)
	}
	s.add("total", total, "", "their sum")
	s.add("mean", mean, "", "their mean")
	s.add("deviation", math.Sqrt(square/float64(len(x))), "",
		"their standard deviation: the root of the mean square around it")
	layer := nn.Normalised(nn.LayerNorm, 1, len(x))
	p, y := make([]float32, layer.Params()), make([]float32, len(x))
	layer.Init(p, nn.NewStream(0, 0))
	layer.Forward(y, float32s(sums), p, 1, layer.NewSaved(1), &nn.Pass{})
	for i, v := range y {
		s.add(fmt.Sprintf("y%d", i+1), float64(v), "",
			fmt.Sprintf("number %d of the output: (sum - mean) / deviation", i+1))
	}
	return s, nil
}
