package view

import (
	"errors"
	"fmt"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
)

var errLargeModel = errors.New("the job has a large model, which has a name: railyard show model NAME counts it, railyard " +
	"show memory FILE says what GPUs hold of it")

// A modelJSON is the network that a job trains.
type modelJSON struct {
	Job        string      `json:"job"`
	Kind       string      `json:"kind"`
	Layers     []layerJSON `json:"layers"`
	Parameters int         `json:"parameters"` // tied ones counted once
	Forward    int64       `json:"forward_flop"`
	Step       int64       `json:"forward_and_backward_flop"`
}

// A layerJSON is one of its layers. FLOP and kept bytes are those of a row.
type layerJSON struct {
	Name       string       `json:"name"`
	Inputs     int          `json:"inputs"`
	Outputs    int          `json:"outputs"`
	Tensors    []tensorJSON `json:"tensors"`
	Parameters int          `json:"parameters"`
	Bytes      unit.Bytes   `json:"bytes"`
	Forward    int64        `json:"forward_flop"`
	Kept       unit.Bytes   `json:"kept_bytes"` // inputs, and what its forward leaves for its backward
	Stage      int          `json:"stage"`      // from 1
	Parts      string       `json:"parts"`
}

type tensorJSON struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
}

// partsOf says what tensor-parallel ranks have of a layer.
var partsOf = [workload.Ways]string{
	workload.Whole:      "whole",
	workload.Columns:    "outputs",
	workload.Rows:       "inputs, summed",
	workload.Gathered:   "outputs, gathered",
	workload.Inside:     "inside, summed",
	workload.InsideBook: "inside, gathered",
	workload.Vocabulary: "vocabulary",
	workload.Sequence:   "inside and positions",
	workload.Spread:     "experts, of replicas",
	workload.Together:   "whole, statistics",
}

func modelOf(j *plan.Job) (*modelJSON, error) {
	if j.Spec.Model != nil {
		return nil, errLargeModel
	}
	if j.Model == nil {
		return nil, errTrainsNothing
	}
	d := &modelJSON{Job: j.Spec.Name, Kind: j.Network.Kind, Parameters: j.Model.Free()}
	d.Forward, d.Step = foresight.FLOP(j)
	stages := j.Work.Training.Stages
	for s := range stages {
		for _, h := range stages[s].Layers {
			for len(d.Layers) <= h.Layer {
				d.Layers = append(d.Layers, layerJSON{})
			}
			d.Layers[h.Layer] = layerOf(j.Model, &h, s+1)
		}
	}
	return d, nil
}

func layerOf(m *nn.Model, h *workload.Held, stage int) layerJSON {
	of := m.Layer(h.Layer, nn.Portable)
	c := of.Cost()
	l := layerJSON{Name: m.LayerName(h.Layer), Inputs: of.In(), Outputs: of.Out(), Tensors: []tensorJSON{},
		Bytes: 4 * unit.Bytes(of.Params()), Kept: 4 * unit.Bytes(of.In()+c.Saved), Stage: stage,
		Parts: partsOf[h.Way]}
	for _, w := range c.Forward {
		l.Forward += w.FLOP
	}
	for _, t := range m.Tensors(h.Layer) {
		l.Tensors = append(l.Tensors, tensorJSON{t.Name, t.Shape})
		if t.Role != nn.Running {
			l.Parameters += t.Elems()
		}
	}
	return l
}

// ModelData is the layers of a network as data.
func ModelData(_ *plan.Plan, j *plan.Job) (any, error) { return modelOf(j) }

// ModelText prints the layers of a network, and how ranks share them.
func ModelText(s *sheet.Sheet, _ *plan.Plan, j *plan.Job) error {
	d, err := modelOf(j)
	if err != nil {
		return err
	}
	s.Wrap("", fmt.Sprintf("%s: %s of %d layers, %s parameters (%s as float32); a row takes %s FLOP forward, %s with its "+
		"backward", d.Job, d.Kind, len(d.Layers), unit.Count(int64(d.Parameters)), (4*unit.Bytes(d.Parameters)).Human(),
		unit.Count(d.Forward), unit.Count(d.Step)))
	s.Blank()
	rows := [][]string{{"layer", "in", "out", "parameters", "FLOP", "kept", "stage", "parts"}}
	tensors := [][]string{{"tensor", "shape"}}
	for _, l := range d.Layers {
		for _, t := range l.Tensors {
			tensors = append(tensors, []string{t.Name, strings.Trim(strings.ReplaceAll(fmt.Sprint(t.Shape), " ", " x "), "[]")})
		}
		rows = append(rows, []string{l.Name, fmt.Sprint(l.Inputs), fmt.Sprint(l.Outputs), fmt.Sprint(l.Parameters),
			fmt.Sprint(l.Forward), l.Kept.Human(), fmt.Sprint(l.Stage), l.Parts})
	}
	s.Grid("lrrrrrrl", rows)
	s.Wrap("  ", "in, out, FLOP and kept are those of a row; kept is its inputs and what a forward leaves for its backward. "+
		"parts is what tensor-parallel ranks have of a layer, and how its outputs come together.")
	s.Blank()
	s.Grid("ll", tensors)
	return nil
}
