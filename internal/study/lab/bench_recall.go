package lab

import (
	"fmt"
	"math"
	"strings"

	"railyard/internal/learn/nn"
	"railyard/internal/out/chart"
)

// recallBench is a task that needs memory: the first symbol is asked for after many steps of nothing.
var recallBench = Bench{
	Meaning: "cells that read a symbol, then blanks, and are asked for the symbol at the last step",
	Params: []Param{
		{Name: "cells", Meaning: "kinds of cells, each trained alike: rnn, lstm", Default: "rnn", Needed: true},
		{Name: "steps", Meaning: "steps from the symbol to the question, 2 to 200", Default: 60.0},
		{Name: "symbols", Meaning: "symbols that the first may be, 2 to 8", Default: 4.0},
		{Name: "size", Meaning: "cells of the layer, 1 to 16", Default: 8.0},
		{Name: "seed", Meaning: "of the first weights", Default: 1.0},
		{Name: "lr", Meaning: "learning rate of Adam", Default: 0.03},
		{Name: "iterations", Meaning: "updates, 0 to 1000", Default: 200.0},
	},
	Run: runRecall,
}

// recalled is the task, and how a network is trained on it.
type recalled struct {
	steps, symbols, size, updates int
	seed                          uint64
	lr                            float64
	x                             []float32
	labels                        []int32
}

func runRecall(a Args) (*Shown, error) {
	var whole [5]int
	for i, of := range []struct {
		name        string
		least, most int
	}{{"steps", 2, 200}, {"symbols", 2, 8}, {"size", 1, 16}, {"iterations", 0, 1000}, {"seed", 0, 1 << 30}} {
		var err error
		if whole[i], err = a.Whole(of.name, of.least, of.most); err != nil {
			return nil, err
		}
	}
	r := &recalled{steps: whole[0], symbols: whole[1], size: whole[2], updates: whole[3], seed: uint64(whole[4]),
		lr: a.Number("lr")}
	r.examples()
	s := &Shown{}
	s.add("chance", 100/float64(r.symbols), fmt.Sprintf("100/%d", r.symbols), "right by chance")
	s.Steps[0].Unit = "%"
	s.add("guessing", math.Log(float64(r.symbols)), fmt.Sprintf("ln(%d)", r.symbols), "loss by chance")
	kinds := strings.Fields(a.Text("cells"))
	if len(kinds) == 0 || len(kinds) > 2 {
		return nil, fmt.Errorf("cells: %d kinds, want rnn, lstm or both", len(kinds))
	}
	norms := make([][]float64, len(kinds))
	for i, kind := range kinds {
		var err error
		if norms[i], err = r.train(s, kind); err != nil {
			return nil, err
		}
	}
	s.Tables = []Table{normsTable(kinds, norms)}
	s.Figures = []chart.Figure{normsFigure(kinds, norms)}
	return s, nil
}

// examples makes a row for each symbol: it, then blanks. Only the last step has a label.
func (r *recalled) examples() {
	for symbol := range r.symbols {
		r.x, r.labels = append(r.x, float32(symbol)), append(r.labels, nn.Ignored)
		for range r.steps {
			r.x, r.labels = append(r.x, float32(r.symbols)), append(r.labels, nn.Ignored)
		}
		r.labels[len(r.labels)-1] = int32(symbol)
	}
}

// model makes the network and its first parameters. An LSTM's forget gates begin nearly open, at
// 1 - 1/(steps + 1), its input gates nearly shut: with both at a half nothing would come back from
// so far (Tallec and Ollivier, Can recurrent neural networks warp time?, ICLR 2018, section 3).
func (r *recalled) model(kind string) (*nn.Model, []float32, error) {
	of := nn.Recurrent{Vocabulary: r.symbols + 1, Context: r.steps + 1, Cells: []int{r.size}, Biases: 1,
		Activation: nn.Tanh}
	switch kind {
	case "rnn":
		m, err := nn.NewRNN(of)
		if err != nil {
			return nil, nil, err
		}
		return m, m.Init(r.seed), nil
	case "lstm":
		m, err := nn.NewLSTM(of)
		if err != nil {
			return nil, nil, err
		}
		start := m.Init(r.seed)
		_, end := m.LayerRange(1) // the last are biases of input, forget, candidate and output gate
		for i := end - 3*r.size; i < end-2*r.size; i++ {
			start[i] = float32(math.Log(float64(r.steps)))
			start[i-r.size] = -start[i]
		}
		return m, start, nil
	}
	return nil, nil, fmt.Errorf("cells %q, want rnn or lstm", kind)
}

// train trains a network. It returns the gradient's length by steps back, before the first update.
func (r *recalled) train(s *Shown, kind string) ([]float64, error) {
	m, start, err := r.model(kind)
	if err != nil {
		return nil, err
	}
	norms := r.norms(m, start)
	name := map[string]string{"rnn": "plain cell", "lstm": "LSTM"}[kind]
	s.add(kind+"_one", norms[1]/norms[0], "", name+": gradient one step back from the question, as part of that there")
	s.add(kind+"_first", norms[r.steps]/norms[0], "", name+": the same at the symbol, before the first update")
	params, loss := fit(m, start, r.x, r.labels, adam(r.lr), r.updates)
	right := 0
	for i := range r.symbols {
		row := r.x[i*(r.steps+1) : (i+1)*(r.steps+1)]
		p := m.Predict(params, row, nn.Portable)
		right += btoi(largest(p[len(p)-m.Classes():]) == i)
	}
	s.addIn("%", kind+"_right", 100*float64(right)/float64(r.symbols), fmt.Sprintf("100*%d/%d", right, r.symbols),
		fmt.Sprintf("%s: symbols recalled after %d updates", name, r.updates))
	s.add(kind+"_loss", loss, "", name+": loss then")
	return norms, nil
}

// norms are the lengths of the gradient at the state, by steps back from the question.
func (r *recalled) norms(m *nn.Model, params []float32) (back []float64) {
	of := m.NewReplica(params, r.symbols, nn.Portable)
	of.Load(r.x, r.labels, r.symbols)
	for l := range m.Layers() {
		of.Forward(l)
	}
	of.Loss()
	for l := m.Layers() - 1; l >= 0; l-- {
		of.Backward(l)
	}
	_, saved := of.Inside(1)
	by := nn.StepNorms(saved)
	for i := range by {
		back = append(back, by[len(by)-1-i])
	}
	return back
}

// cellNames are the kinds for people.
var cellNames = map[string]string{"rnn": "plain cells", "lstm": "LSTM cells"}

// normsTable has the lengths at some steps.
func normsTable(kinds []string, norms [][]float64) Table {
	t := Table{Name: "norms", Title: "The gradient at the state before the first update, as part of that at the question",
		Columns: []string{"steps back"}}
	for _, kind := range kinds {
		t.Columns = append(t.Columns, cellNames[kind])
	}
	last := len(norms[0]) - 1
	for _, back := range []int{0, 1, 2, 5, 10, 20, 50, 100, last} {
		if back > last || back == last && len(t.Rows) > 0 && t.Rows[len(t.Rows)-1][0] == fmt.Sprint(last) {
			continue
		}
		row := []string{fmt.Sprint(back)}
		for _, of := range norms {
			row = append(row, digits(auto).text(of[back]/of[0]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// normsFigure draws the lengths by steps back, as far as they are above a hundredth of a millionth.
func normsFigure(kinds []string, norms [][]float64) chart.Figure {
	const floor = 1e-8
	f := chart.Lines{X: chart.Axis{Label: "steps back", Unit: chart.Count, Whole: true},
		Y: chart.Axis{Label: "part of the gradient", Unit: chart.Plain, Low: floor, High: 1, Log: true}}
	ink := map[string]chart.Ink{"rnn": chart.Highlight, "lstm": chart.Subject}
	var keys []chart.Key
	for i, kind := range kinds {
		line := chart.Series{Key: kind}
		for t, v := range norms[i] {
			y := chart.Nothing
			if v >= floor*norms[i][0] {
				y = chart.Value(v / norms[i][0])
				f.Y.High = max(f.Y.High, y)
			}
			line.X, line.Y = append(line.X, chart.Value(t)), append(line.Y, y)
		}
		f.X.High = chart.Value(len(norms[i]) - 1)
		f.Series = append(f.Series, line)
		keys = append(keys, chart.Key{ID: kind, Name: cellNames[kind],
			Ink: ink[kind]})
	}
	return chart.Figure{Name: "norms", Title: "The gradient at the state, by steps back from the question", Lines: &f,
		Caption: "Before the first update, as a part of the gradient at the question.", Keys: keys}
}
