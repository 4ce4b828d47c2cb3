package lab

import (
	"fmt"

	"railyard/internal/base/unit"
)

var memoryBench = Bench{
	Meaning: "what a GPU's memory holds while a dense network is trained, term by term",
	Params: []Param{
		{Name: "layers", Meaning: "units of each layer, inputs first", Default: []float64{}, Needed: true},
		{Name: "batch", Meaning: "samples of a mini-batch", Default: 64.0},
		{Name: "bytes", Meaning: "bytes of a number", Default: 4.0},
	},
	Run: runMemory,
}

func runMemory(a Args) (*Shown, error) {
	layers := a.List("layers")
	if len(layers) < 2 || len(layers) > 16 {
		return nil, fmt.Errorf("layers has %d numbers, want 2 to 16", len(layers))
	}
	for _, n := range layers {
		if n != float64(int(n)) || n < 1 || n > 1e6 {
			return nil, fmt.Errorf("layers has %v, want whole numbers from 1 to 1,000,000", n)
		}
	}
	batch, err := a.Whole("batch", 1, 1e6)
	if err != nil {
		return nil, err
	}
	size, err := a.Whole("bytes", 1, 8)
	if err != nil {
		return nil, err
	}
	parameters, units := 0, 0
	for i, n := range layers[1:] {
		parameters += (int(layers[i]) + 1) * int(n)
		units += int(n)
	}
	t := Table{Name: "terms", Title: "What a GPU's memory holds", Columns: []string{"", "what", "numbers", "bytes"}}
	total := 0
	add := func(letter, what string, numbers int) {
		total += numbers * size
		t.Rows = append(t.Rows, []string{letter, what, unit.Count(int64(numbers)), unit.Count(int64(numbers * size))})
	}
	add("a", "weights and biases", parameters)
	add("b", "z of each neuron and sample", units*batch)
	add("c", "activations", units*batch)
	add("d", "errors", units*batch)
	add("e", "local gradients, a sum over the samples", parameters)
	add("f", "remote gradients, received", parameters)
	add("g", "learning rates (one; Adam keeps two moments a weight)", 1)
	add("h", "weight adjustments", parameters)
	add("", "the mini-batch itself", int(layers[0])*batch)
	t.Rows = append(t.Rows, []string{"", "in all, beside the code", "", unit.Count(int64(total))})
	s := &Shown{Tables: []Table{t}}
	s.add("parameters", float64(parameters), "inputs * units + units, summed over layers", "weights and biases")
	s.addIn("B", "total", float64(total), "the column's sum", "bytes in all")
	s.add("shared", 4*float64(parameters*size)/float64(total), "(a + e + f + h) / all",
		"part that does not depend on the mini-batch")
	return s, nil
}
