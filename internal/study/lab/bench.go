package lab

import (
	"fmt"
	"strings"
	"sync"

	"railyard/internal/out/chart"
)

// A Bench shows what no scenario can: a pure function of its arguments, quick enough to be called
// whenever a lab is read.
type Bench struct {
	Meaning string
	Params  []Param
	Run     func(Args) (*Shown, error)
}

// Param is an argument of a bench.
type Param struct {
	Name    string
	Meaning string
	Default any // float64, []float64 or string: what it takes, and its value where none is given
	Needed  bool
}

// Args holds the arguments of a call: each parameter of the bench, of the type of its default.
type Args map[string]any

// Number returns an argument that is a number.
func (a Args) Number(name string) float64 { return a[name].(float64) }

// List returns an argument that is a list of numbers.
func (a Args) List(name string) []float64 { return a[name].([]float64) }

// Text returns an argument that is a text.
func (a Args) Text(name string) string { return a[name].(string) }

// Whole returns an argument that must be a whole number within bounds.
func (a Args) Whole(name string, least, most int) (int, error) {
	v := a.Number(name)
	if v != float64(int(v)) || int(v) < least || int(v) > most {
		return 0, fmt.Errorf("%s is %v, want a whole number from %d to %d", name, v, least, most)
	}
	return int(v), nil
}

// Shown is what a bench shows.
type Shown struct {
	Steps   []Step
	Tables  []Table
	Figures []chart.Figure
}

// Step is a number on the way, with the arithmetic that gave it.
type Step struct {
	Name    string // by which expect.txt knows it, after the name of the bench and a dot
	Meaning string
	How     string // the arithmetic with its numbers: 0.5*9.68 - 0.3*1
	Value   float64
	Unit    string
	Digits  digits
}

// Table is a table of texts. Columns whose cells are all numbers stand on the right.
type Table struct {
	Name    string     `json:"name"`
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// add appends a step and returns its value.
func (s *Shown) add(name string, value float64, how, meaning string) float64 {
	s.Steps = append(s.Steps, Step{Name: name, Value: value, How: how, Meaning: meaning, Digits: auto})
	return value
}

// addIn adds a step that has a unit.
func (s *Shown) addIn(unit, name string, value float64, how, meaning string) {
	s.add(name, value, how, meaning)
	s.Steps[len(s.Steps)-1].Unit = unit
}

// benchesRun keeps what benches showed: a lab is passed over several times, and some benches train.
var benchesRun sync.Map

// shownOf runs a bench, unless it ran with the same arguments before. What it returns is not to be changed.
func shownOf(name string, b Bench, args Args) (*Shown, error) {
	var key strings.Builder
	key.WriteString(name)
	for _, p := range b.Params {
		fmt.Fprintf(&key, "|%#v", args[p.Name])
	}
	if shown, there := benchesRun.Load(key.String()); there {
		return shown.(*Shown), nil
	}
	shown, err := b.Run(args)
	if err == nil {
		benchesRun.Store(key.String(), shown)
	}
	return shown, err
}

// benches are those that a lab can call.
var benches = map[string]Bench{
	"addnorm":      addNormBench,
	"attention":    attentionBench,
	"backprop":     backpropBench,
	"board":        boardBench,
	"classifier":   classifierBench,
	"cnn":          cnnBench,
	"decoder":      decoderBench,
	"descent":      descentBench,
	"edges":        edgesBench,
	"elephants":    elephantsBench,
	"gates":        gatesBench,
	"gpt":          gptBench,
	"horizon":      horizonBench,
	"launch":       launchBench,
	"rdma":         rdmaBench,
	"layers":       layersBench,
	"memory":       memoryBench,
	"nearness":     nearnessBench,
	"network":      networkBench,
	"neuron":       neuronBench,
	"pipeline":     pipelineBench,
	"polarisation": polarisationBench,
	"position":     positionBench,
	"recall":       recallBench,
	"replicas":     replicasBench,
	"ring":         ringBench,
	"softmax":      softmaxBench,
	"stack":        stackBench,
	"broadcast":    broadcastBench,
	"unroll":       unrollBench,
}
