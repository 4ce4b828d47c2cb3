package lab

import (
	"fmt"

	"railyard/internal/learn/nn"
)

// stackBench trains a stack of LSTM layers on a short pattern, and lets it write.
var stackBench = Bench{
	Meaning: "LSTM layers and a SoftMax layer that learn a pattern and write it: each output is the next input",
	Params: []Param{
		{Name: "pattern", Meaning: "classes from 0, 3 to 16 of them, the first of which it is told",
			Default: []float64(nil), Needed: true},
		{Name: "cells", Meaning: "cells of each layer", Default: []float64{2, 2}},
		{Name: "activation", Meaning: "of candidate and cell: tanh or relu", Default: "tanh"},
		{Name: "seed", Meaning: "of the first weights", Default: 1.0},
		{Name: "lr", Meaning: "learning rate of Adam", Default: 0.05},
		{Name: "iterations", Meaning: "updates, 0 to 2000", Default: 400.0},
	},
	Run: runStack,
}

func runStack(a Args) (*Shown, error) {
	pattern, classes, err := patternOf(a.List("pattern"))
	if err != nil {
		return nil, err
	}
	act, err := nn.ParseActivation(a.Text("activation"))
	if err != nil {
		return nil, err
	}
	seed, err := a.Whole("seed", 0, 1<<30)
	if err != nil {
		return nil, err
	}
	updates, err := a.Whole("iterations", 0, 2000)
	if err != nil {
		return nil, err
	}
	var cells []int
	for _, c := range a.List("cells") {
		if c != float64(int(c)) || c < 1 || c > 16 {
			return nil, fmt.Errorf("cells: %v, want whole numbers from 1 to 16", c)
		}
		cells = append(cells, int(c))
	}
	steps := len(pattern) - 1
	m, err := nn.NewLSTM(nn.Recurrent{Vocabulary: classes, Context: steps, Cells: cells, Activation: act,
		NoHeadBias: true})
	if err != nil {
		return nil, err
	}
	s := &Shown{}
	counts(s, m, classes, cells)
	start := m.Init(uint64(seed))
	written := written{m, start}
	s.add("right_before", float64(written.right(pattern)), "",
		"steps that it writes as the pattern has them, before training")
	x := make([]float32, steps)
	for i := range x {
		x[i] = float32(pattern[i])
	}
	written.params, _ = fit(m, start, x, pattern[1:], adam(a.Number("lr")), updates)
	s.add("right", float64(written.right(pattern)), "", "the same after it")
	s.add("steps", float64(steps), "", "of so many")
	s.Tables = []Table{written.table(pattern)}
	return s, nil
}

func patternOf(list []float64) (pattern []int32, classes int, err error) {
	if len(list) < 3 || len(list) > 16 {
		return nil, 0, fmt.Errorf("a pattern of %d, want 3 to 16", len(list))
	}
	for _, v := range list {
		if v != float64(int(v)) || v < 0 || v > 15 {
			return nil, 0, fmt.Errorf("pattern: %v, want classes from 0 to 15", v)
		}
		pattern, classes = append(pattern, int32(v)), max(classes, int(v)+1, 2)
	}
	return pattern, classes, nil
}

// counts adds the weights of each layer.
func counts(s *Shown, m *nn.Model, in int, cells []int) {
	for i, n := range cells {
		lo, hi := m.LayerRange(1 + i)
		s.add(fmt.Sprintf("weights%d", i+1), float64(hi-lo), fmt.Sprintf("4*%d*(%d + %d)", n, in, n),
			fmt.Sprintf("weights of layer %d: W and U of three gates and the candidate", i+1))
		in = n
	}
	s.add("layers", float64(len(cells)), "", "LSTM layers")
}

// written is a network that writes.
type written struct {
	model  *nn.Model
	params []float32
}

// next returns the probabilities of what comes after so many tokens.
func (w *written) next(tokens []int32) []float64 {
	x := make([]float32, w.model.Inputs())
	for i, t := range tokens {
		x[i] = float32(t)
	}
	n := w.model.Classes()
	return w.model.Predict(w.params, x, nn.Portable)[(len(tokens)-1)*n : len(tokens)*n]
}

// write goes on from the first of a pattern: the likeliest class of each step is the input of the next.
func (w *written) write(first int32, steps int, tell func(in, out int32, p []float64)) {
	tokens := []int32{first}
	for range steps {
		p := w.next(tokens)
		out := int32(largest(p))
		if tell(tokens[len(tokens)-1], out, p); len(tokens) < steps {
			tokens = append(tokens, out)
		}
	}
}

func (w *written) right(pattern []int32) (n int) {
	i := 0
	w.write(pattern[0], len(pattern)-1, func(_, out int32, _ []float64) {
		i++
		n += btoi(out == pattern[i])
	})
	return n
}

func (w *written) table(pattern []int32) Table {
	t := Table{Name: "steps", Title: "Writing: each output is the next input", Columns: []string{"step", "input"}}
	for c := range w.model.Classes() {
		t.Columns = append(t.Columns, fmt.Sprintf("p(%d)", c))
	}
	t.Columns = append(t.Columns, "output", "pattern")
	w.write(pattern[0], len(pattern)-1, func(in, out int32, p []float64) {
		n := len(t.Rows) + 1
		row := []string{fmt.Sprint(n), fmt.Sprint(in)}
		for _, v := range p {
			row = append(row, fixed(v, 3))
		}
		t.Rows = append(t.Rows, append(row, fmt.Sprint(out), fmt.Sprint(pattern[n])))
	})
	return t
}

// largest is the index of the largest value, the first of equals.
func largest(v []float64) int {
	best := 0
	for i, x := range v {
		if x > v[best] {
			best = i
		}
	}
	return best
}
