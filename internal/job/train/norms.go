package train

import (
	"math"

	"railyard/internal/learn/nn"
)

// norms are the lengths of a rank's gradients at the states of its recurrent layers, by position: sums of
// squares over the micro-batches of a step.
type norms struct {
	layers []recurrent
	all    int         // positions of all layers
	steps  [][]float64 // by step, until they are taken
}

// recurrent is a layer whose gradients go back through time: so many positions from a place on.
type recurrent struct{ layer, at, positions int }

// newNorms finds the layers by what they save.
func newNorms(saved [][]nn.Saved, steps int64) norms {
	n := norms{steps: make([][]float64, steps)}
	for l, slots := range saved {
		if len(slots) == 0 {
			continue
		}
		if positions := len(nn.StepNorms(slots[0])); positions > 0 {
			n.layers = append(n.layers, recurrent{l, n.all, positions})
			n.all += positions
		}
	}
	return n
}

// add takes what a backward of a layer left.
func (n *norms) add(step int64, layer int, saved nn.Saved) {
	for _, l := range n.layers {
		if l.layer != layer {
			continue
		}
		if n.steps[step] == nil {
			n.steps[step] = make([]float64, n.all)
		}
		for i, norm := range nn.StepNorms(saved) {
			n.steps[step][l.at+i] += float64(norm * norm)
		}
	}
}

// TakeNorms visits the lengths of a rank's gradients back through time in a step that it has ended, by
// layer and position, and lets go of them. They are those of the mean loss over the rank's labels.
func (j *Job) TakeNorms(id int32, step int64, visit func(layer string, position int, norm float64)) {
	n := &j.ranks[id].norms
	if len(n.layers) == 0 {
		return
	}
	micro := float64(j.work.Layout.MicroBatches)
	for _, l := range n.layers {
		for i, sum := range n.steps[step][l.at : l.at+l.positions] {
			visit(j.cfg.Model.LayerName(l.layer), i, math.Sqrt(sum)/micro)
		}
	}
	n.steps[step] = nil
}
