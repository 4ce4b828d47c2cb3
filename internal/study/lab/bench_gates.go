package lab

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/learn/nn"
	"railyard/internal/out/chart"
)

// gatesBench walks an LSTM with a cell for each word of a text through it, its gates set from outside.
var gatesBench = Bench{
	Meaning: "an LSTM with a cell for each word: what its gates let in, keep and let out, step by step",
	Params: []Param{
		{Name: "words", Meaning: "2 to 12 words, one for each step", Default: "", Needed: true},
		{Name: "forget", Meaning: "sum before the sigmoid of the forget gate, by step", Default: []float64(nil),
			Needed: true},
		{Name: "input", Meaning: "of the input gate", Default: []float64(nil), Needed: true},
		{Name: "output", Meaning: "of the output gate", Default: []float64(nil), Needed: true},
		{Name: "weight", Meaning: "of a word at its cell's candidate", Default: 3.0},
		{Name: "activation", Meaning: "of candidate and cell: tanh, or relu as the book has it", Default: "tanh"},
		{Name: "threshold", Meaning: "a gate below the first is 0, above the second 1; empty: as it is",
			Default: []float64{}},
	},
	Run: runGates,
}

// gateWalk is an LSTM that words go through. An input is a word, one-hot, and three sums of gates.
type gateWalk struct {
	words   []string // of the vocabulary, by cell
	text    []int    // which one each step has
	layer   nn.Layer
	x, p    []float32
	steps   int
	in      int
	names   []string // of the gates, as the inputs have their sums
	saved   nn.Saved
	outputs []float32
}

func runGates(a Args) (*Shown, error) {
	g, err := newGateWalk(a)
	if err != nil {
		return nil, err
	}
	s := &Shown{}
	g.outputs = make([]float32, g.layer.Out())
	g.layer.Forward(g.outputs, g.x, g.p, 1, g.saved, &nn.Pass{})
	s.Tables, s.Figures = []Table{g.table(s)}, []chart.Figure{g.figure()}
	g.slopes(s)
	return s, nil
}

func newGateWalk(a Args) (*gateWalk, error) {
	text := strings.Fields(a.Text("words"))
	g := &gateWalk{steps: len(text), names: []string{"forget", "input", "output"}}
	if g.steps < 2 || g.steps > 12 {
		return nil, fmt.Errorf("%d words, want 2 to 12", g.steps)
	}
	for _, w := range text {
		if !slices.Contains(g.words, w) {
			g.words = append(g.words, w)
		}
		g.text = append(g.text, slices.Index(g.words, w))
	}
	for _, name := range g.names {
		if n := len(a.List(name)); n != g.steps {
			return nil, fmt.Errorf("%d sums in %s for %d words, want one for each", n, name, g.steps)
		}
	}
	act, err := nn.ParseActivation(a.Text("activation"))
	if err != nil {
		return nil, err
	}
	var threshold *[2]float32
	switch t := a.List("threshold"); len(t) {
	case 0:
	case 2:
		threshold = &[2]float32{float32(t[0]), float32(t[1])}
	default:
		return nil, fmt.Errorf("%d values in threshold, want 2, or none", len(t))
	}
	cells := len(g.words)
	g.in = cells + len(g.names)
	g.layer, err = nn.LSTM(nn.Recurrence{Steps: g.steps, In: g.in, Size: cells}, act, threshold)
	if err != nil {
		return nil, err
	}
	g.x, g.p, g.saved = make([]float32, g.steps*g.in), make([]float32, g.layer.Params()), g.layer.NewSaved(1)
	for t, word := range g.text {
		row := g.x[t*g.in:]
		row[word] = 1
		for i, name := range g.names {
			row[cells+i] = float32(a.List(name)[t])
		}
	}
	// Rows of the weights: the cells' input gates, forget gates, candidates, output gates.
	for row, of := range []int{1, 0, -1, 2} {
		for k := range cells {
			w := g.p[(row*cells+k)*g.in:]
			if of < 0 {
				w[k] = float32(a.Number("weight"))
			} else {
				w[cells+of] = 1
			}
		}
	}
	return g, nil
}

// table adds the steps, and returns them as a table: a column for each step, so that it is not wider than the text.
func (g *gateWalk) table(s *Shown) Table {
	t := Table{Name: "walk", Title: "What the cells hold, and what they publish", Columns: []string{"step"}}
	for _, name := range g.names {
		t.Rows = append(t.Rows, []string{name + " gate"})
	}
	for _, of := range []string{"cell ", "state "} {
		for _, w := range g.words {
			t.Rows = append(t.Rows, []string{of + w})
		}
	}
	for step, word := range g.text {
		at, _ := nn.GatesAt(g.layer, g.saved, 0, step)
		n, row := step+1, 0
		t.Columns = append(t.Columns, fmt.Sprintf("%d %s", n, g.words[word]))
		add := func(v float32, name, meaning string) {
			s.add(fmt.Sprintf("%s[%d]", name, n), float64(v), "", fmt.Sprintf(meaning, n))
			t.Rows[row] = append(t.Rows[row], fixed(float64(v), 3))
			row++
		}
		for i, gate := range [][]float32{at.Forget, at.Input, at.Output} {
			add(gate[0], g.names[i], g.names[i]+" gate at step %d")
		}
		for k, c := range at.Cell {
			add(c, fmt.Sprintf("cell%d", k+1), "cell of "+g.words[k]+" after step %d")
		}
		for k, h := range at.State {
			add(h, fmt.Sprintf("state%d", k+1), "state of "+g.words[k]+" after step %d")
		}
	}
	return t
}

// figure draws gates, cells and states over the words.
func (g *gateWalk) figure() chart.Figure {
	m := chart.Map{Value: chart.Axis{Label: "value", Unit: chart.Plain, High: 1}, RowName: "part", ColName: "step"}
	for step, word := range g.text {
		m.Columns = append(m.Columns, fmt.Sprintf("%d %s", step+1, g.words[word]))
	}
	row := func(name string, value func(at *nn.Gates) float32) {
		cells := make([]chart.Value, g.steps)
		for step := range cells {
			at, _ := nn.GatesAt(g.layer, g.saved, 0, step)
			cells[step] = chart.Value(value(&at))
			m.Value.High = max(m.Value.High, cells[step])
			m.Value.Low = min(m.Value.Low, cells[step])
		}
		m.Rows, m.Cells = append(m.Rows, name), append(m.Cells, cells)
	}
	row("forget gate", func(at *nn.Gates) float32 { return at.Forget[0] })
	row("input gate", func(at *nn.Gates) float32 { return at.Input[0] })
	row("output gate", func(at *nn.Gates) float32 { return at.Output[0] })
	for k, w := range g.words {
		row("cell "+w, func(at *nn.Gates) float32 { return at.Cell[k] })
	}
	for k, w := range g.words {
		row("state "+w, func(at *nn.Gates) float32 { return at.State[k] })
	}
	symmetric(&m.Value)
	return chart.Figure{Name: "walk", Title: "Gates, cells and states over the words", Map: &m,
		Caption: "A column is a step: the gates, then what each word's cell holds, then what the layer puts out."}
}

// slopes shows what the last state tells each gate's sum at the last step: nothing where it is shut or
// open for good.
func (g *gateWalk) slopes(s *Shown) {
	d, dx := make([]float32, g.layer.Out()), make([]float32, g.layer.In())
	cells := len(g.words)
	for k := range cells {
		d[(g.steps-1)*cells+k] = 1
	}
	g.layer.Backward(dx, make([]float32, len(g.p)), d, g.x, g.p, 1, g.saved)
	last := dx[(g.steps-1)*g.in+cells:]
	for i, name := range g.names {
		s.add("slope_"+name, float64(last[i]), "", "gradient of the last state at the sum of the last "+name+" gate")
	}
}
