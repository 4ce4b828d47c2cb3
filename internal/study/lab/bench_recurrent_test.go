package lab

import (
	"math"
	"testing"
)

// showing runs a bench with some arguments, others as they are by default.
func showing(t *testing.T, b Bench, changed Args) *Shown {
	t.Helper()
	a := Args{}
	for _, p := range b.Params {
		a[p.Name] = p.Default
	}
	for name, v := range changed {
		a[name] = v
	}
	s, err := b.Run(a)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeTo(t *testing.T, s *Shown, name string, want, within float64) {
	t.Helper()
	if got := s.value(name); math.Abs(got-want) > within {
		t.Errorf("%s is %v, want %v within %v", name, got, want, within)
	}
}

var alley = Args{"text": "alley", "u": []float64{0.5, -0.4, 0.3, 0.8, -0.6, 0.7, 0.2, -0.1},
	"w": []float64{0.6, -0.5, 0.4, 0.7}, "v": []float64{0.3, -0.2, 0.5, 0.4, -0.4, 0.6, 0.2, 0.1}}

// The states are those of the formula: h = tanh(U x + W h).
func TestUnrolledStatesAreTheFormulas(t *testing.T) {
	s := showing(t, unrollBench, alley)
	u, w := alley.List("u"), alley.List("w")
	h := []float64{0, 0}
	for step, token := range []int{0, 2, 2, 1} { // a l l e of a e l y
		h = []float64{math.Tanh(u[token] + w[0]*h[0] + w[1]*h[1]), math.Tanh(u[4+token] + w[2]*h[0] + w[3]*h[1])}
		closeTo(t, s, []string{"h1[1]", "h1[2]", "h1[3]", "h1[4]"}[step], h[0], 1e-6)
		closeTo(t, s, []string{"h2[1]", "h2[2]", "h2[3]", "h2[4]"}[step], h[1], 1e-6)
	}
}

// In order of first use the same word has other columns.
func TestVocabularyInOrderOfFirstUse(t *testing.T) {
	of := Args{"text": "alley", "order": "first-use", "u": alley["u"], "w": alley["w"], "v": alley["v"]}
	s := showing(t, unrollBench, of)
	closeTo(t, s, "column[2]", 2, 0)
	closeTo(t, s, "column[4]", 3, 0)
}

// The gradient of a linear cell is a power of its weight, that along an LSTM's cell one of its forget gate.
func TestHorizonsArePowers(t *testing.T) {
	for _, w := range []float64{0.5, 1, 1.25} {
		s := showing(t, horizonBench, Args{"activation": "identity", "w": w, "steps": []float64{1, 7, 30}})
		closeTo(t, s, "gradient[7]", math.Pow(w, 7), 1e-5)
		closeTo(t, s, "left[30]", math.Pow(w, 30), 1e-3)
	}
	for _, f := range []float64{0.5, 0.9} {
		s := showing(t, horizonBench, Args{"cell": "lstm", "forget": f, "steps": []float64{2, 20}})
		closeTo(t, s, "gradient[20]", math.Pow(f, 20), 1e-5)
	}
}

func TestGatesDropAndAdmit(t *testing.T) {
	s := showing(t, gatesBench, Args{"words": "a b", "forget": []float64{0, -40}, "input": []float64{40, 40},
		"output": []float64{0, 40}})
	closeTo(t, s, "cell1[1]", math.Tanh(3), 1e-6)
	closeTo(t, s, "state1[1]", math.Tanh(math.Tanh(3))/2, 1e-6)
	closeTo(t, s, "cell1[2]", 0, 1e-6)
	closeTo(t, s, "cell2[2]", math.Tanh(3), 1e-6)
}

// Without training a stack writes what its first weights make of it, and learns any pattern short enough.
func TestStackWritesWhatItLearned(t *testing.T) {
	pattern := []float64{0, 2, 1, 1, 0}
	s := showing(t, stackBench, Args{"pattern": pattern, "cells": []float64{4}})
	closeTo(t, s, "right", 4, 0)
	closeTo(t, s, "weights1", 4*4*(3+4), 0)
	none := showing(t, stackBench, Args{"pattern": pattern, "cells": []float64{4}, "iterations": 0.0})
	closeTo(t, none, "right", none.value("right_before"), 0)
}

func TestRecurrentBenchesRefuse(t *testing.T) {
	refused(t, unrollBench, Args{"text": "ab"}, `text "ab" has 2 characters, want 3 to 16`)
	refused(t, unrollBench, Args{"text": "alley", "order": "last"}, `order "last", want sorted or first-use`)
	refused(t, unrollBench, Args{"text": "alley", "u": []float64{1}}, "4 characters: 1 weights in u")
	refused(t, unrollBench, Args{"text": "alley", "u": alley["u"], "w": alley["w"], "v": alley["v"],
		"activation": "gelu"},
		"activation gelu inside a layer")
	refused(t, horizonBench, Args{"steps": []float64{}}, "steps: there are none")
	refused(t, horizonBench, Args{"steps": []float64{3, 2}}, "steps: 2, want whole numbers from 1 to 2000, ascending")
	refused(t, horizonBench, Args{"cell": "gru"}, `cell "gru", want rnn or lstm`)
	refused(t, horizonBench, Args{"cell": "lstm", "forget": 1.0}, "forget is 1, want a gate between 0 and 1")
	refused(t, horizonBench, Args{"cell": "lstm", "activation": "sigmoid"}, "lstm: activation sigmoid")
	refused(t, gatesBench, Args{"words": "a"}, "1 words, want 2 to 12")
	refused(t, gatesBench, Args{"words": "a b", "forget": []float64{1}}, "1 sums in forget for 2 words")
	two := []float64{1, 1}
	refused(t, gatesBench, Args{"words": "a b", "forget": two, "input": two, "output": two,
		"threshold": []float64{0.5}},
		"1 values in threshold, want 2, or none")
	refused(t, stackBench, Args{"pattern": []float64{0, 1}}, "a pattern of 2, want 3 to 16")
	refused(t, stackBench, Args{"pattern": []float64{0, 1, 16}}, "pattern: 16, want classes from 0 to 15")
	refused(t, stackBench, Args{"pattern": []float64{0, 1, 1}, "cells": []float64{0}},
		"cells: 0, want whole numbers from 1 to 16")
}
