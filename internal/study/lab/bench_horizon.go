package lab

import (
	"fmt"
	"math"

	"railyard/internal/learn/nn"
	"railyard/internal/out/chart"
)

// horizonBench is how far a recurrent cell remembers, and learns.
var horizonBench = Bench{
	Meaning: "one recurrent cell over many steps: what is left of the first input, and of the gradient back to it",
	Params: []Param{
		{Name: "cell", Meaning: "rnn or lstm", Default: "rnn"},
		{Name: "activation", Meaning: "tanh, sigmoid, relu or identity; of an lstm tanh or relu", Default: "tanh"},
		{Name: "steps", Meaning: "how many steps back to look, ascending, up to 2000", Default: []float64{1, 10}},
		{Name: "u",
			Meaning: "weight of the input, which is 1 at the first step and 0 then; of an lstm that of its candidate", Default: 1.0},
		{Name: "w", Meaning: "weight of the state before, of a vanilla cell", Default: 1.0},
		{Name: "forget", Meaning: "an lstm's forget gate, between 0 and 1", Default: 0.9},
		{Name: "input", Meaning: "its input gate", Default: 0.5},
		{Name: "output", Meaning: "its output gate", Default: 0.5},
	},
	Run: runHorizon,
}

func runHorizon(a Args) (*Shown, error) {
	back := a.List("steps")
	for i, n := range back {
		if n != float64(int(n)) || n < 1 || n > 2000 || i > 0 && n <= back[i-1] {
			return nil, fmt.Errorf("steps: %v, want whole numbers from 1 to 2000, ascending", n)
		}
	}
	if len(back) == 0 {
		return nil, fmt.Errorf("steps: there are none, want at least one")
	}
	act, err := nn.ParseActivation(a.Text("activation"))
	if err != nil {
		return nil, err
	}
	total := int(back[len(back)-1]) + 1
	layer, p, err := oneCell(a, act, total)
	if err != nil {
		return nil, err
	}
	left, gradient := horizon(layer, p, total)
	s := &Shown{}
	for _, n := range back {
		k := int(n)
		s.add(fmt.Sprintf("left[%d]", k), left[k], "",
			fmt.Sprintf("of the first input's effect on the state, left after this many steps: %d", k))
		s.add(fmt.Sprintf("gradient[%d]", k), gradient[k], "",
			fmt.Sprintf("of the last step's gradient, left at the input this many steps back: %d", k))
	}
	s.Figures = []chart.Figure{horizonFigure(left, gradient)}
	return s, nil
}

// oneCell makes a layer of one cell, and its parameters.
func oneCell(a Args, act nn.Activation, steps int) (nn.Layer, []float32, error) {
	of := nn.Recurrence{Steps: steps, In: 1, Size: 1}
	switch kind := a.Text("cell"); kind {
	case "rnn":
		l, err := nn.RNN(of, act)
		return l, float32s([]float64{a.Number("u"), a.Number("w")}), err
	case "lstm":
		of.Biases = 1
		l, err := nn.LSTM(of, act, nil)
		// Weights of input, forget, candidate and output gate: of the input, of the state, biases.
		p := []float64{0, 0, a.Number("u"), 0, 0, 0, 0, 0, 0, 0, 0, 0}
		for _, gate := range []struct {
			name string
			at   int
		}{{"input", 8}, {"forget", 9}, {"output", 11}} {
			v := a.Number(gate.name)
			if err == nil && (v <= 0 || v >= 1) {
				err = fmt.Errorf("%s is %v, want a gate between 0 and 1", gate.name, v)
			}
			p[gate.at] = math.Log(v / (1 - v))
		}
		return l, float32s(p), err
	default:
		return nil, nil, fmt.Errorf("cell %q, want rnn or lstm", kind)
	}
}

// horizon returns, by steps, how much of the first input's effect is left in the state, and how much of
// the last state's gradient arrives at an input so many steps before. Of what is nothing from the
// start nothing is left.
func horizon(l nn.Layer, p []float32, steps int) (left, gradient []float64) {
	run := func(first float32, at int) (y, dx []float32) {
		x, saved := make([]float32, steps), l.NewSaved(1)
		x[0] = first
		y, dx = make([]float32, steps), make([]float32, steps)
		l.Forward(y, x, p, 1, saved, &nn.Pass{})
		d := make([]float32, steps)
		d[at] = 1
		l.Backward(dx, make([]float32, len(p)), d, x, p, 1, saved)
		return y, dx
	}
	with, _ := run(1, steps-1)
	without, back := run(0, steps-1)
	share := func(v, of float64) float64 {
		if of == 0 {
			return 0
		}
		return v / of
	}
	// What a 32-bit float cannot hold is a product in doubles: a pass that begins at an earlier step
	// says what is left from there on.
	from, before := 0, 1.0
	for t := range steps {
		g := share(float64(back[steps-1-t]), float64(back[steps-1-from]))
		gradient = append(gradient, before*g)
		if a := math.Abs(g); a != 0 && (a < 1e-18 || a > 1e18) {
			from, before = t, before*g
			_, back = run(0, steps-1-t)
		}
	}
	effect, kept := float64(with[0])-float64(without[0]), 1.0
	for t := range steps {
		v := share(float64(with[t])-float64(without[t]), effect)
		if math.Abs(v) < 1e-30 && t > 0 && kept != 0 { // too little for 32 bits: it goes as the gradient does
			v = kept * share(gradient[t], gradient[t-1])
		}
		kept = v
		left = append(left, v)
	}
	return left, gradient
}

// horizonFigure draws both by steps, as far as they are above a millionth.
func horizonFigure(left, gradient []float64) chart.Figure {
	const floor = 1e-6
	f := chart.Lines{
		X: chart.Axis{Label: "steps", Unit: chart.Count, High: chart.Value(len(left) - 1), Whole: true},
		Y: chart.Axis{Label: "part that is left", Unit: chart.Plain, Low: floor, High: 1, Log: true}}
	for _, of := range []struct {
		key    string
		values []float64
	}{{"left", left}, {"gradient", gradient}} {
		line := chart.Series{Key: of.key}
		every := 1
		if of.key == "left" { // points, so that a line that goes with them does not cover them
			line.Shape, every = chart.Points, max(1, len(of.values)/12)
		}
		for t, v := range of.values {
			if t%every != 0 {
				continue
			}
			y := chart.Nothing
			if v >= floor {
				y = chart.Value(v)
				f.Y.High = max(f.Y.High, y)
			}
			line.X, line.Y = append(line.X, chart.Value(t)), append(line.Y, y)
		}
		f.Series = append(f.Series, line)
	}
	return chart.Figure{Name: "decay", Title: "What is left after so many steps", Lines: &f,
		Caption: "Forward: the first input's effect on the state. Back: the last state's gradient at earlier inputs.",
		Keys: []chart.Key{{ID: "left", Name: "of the first input", Ink: chart.Subject},
			{ID: "gradient", Name: "of the gradient", Ink: chart.Highlight}}}
}
