package nn

import (
	"cmp"
	"slices"
)

// Span is elements of a parameter vector.
type Span struct{ At, Elems int }

// A Mean is running statistics in a parameter vector: see Role Running.
type Mean struct {
	Span
	Momentum float64 // the part of a new value in it
}

// Running are the running statistics of the model, in order.
func (m *Model) Running() (all []Mean) {
	for l := range m.layers {
		for _, t := range m.layers[l].Tensors() {
			if t.Role == Running {
				all = append(all, Mean{Span{m.starts[l] + t.Offset, t.Elems()}, t.Momentum})
			}
		}
	}
	return all
}

// Uncounted are the elements that the norm of all gradients leaves out, in order: of what is tied the upper copy, and
// running statistics, which have none.
func (m *Model) Uncounted() (all []Span) {
	for _, t := range m.ties {
		all = append(all, Span{t.Upper, t.Elems})
	}
	for _, r := range m.Running() {
		all = append(all, r.Span)
	}
	slices.SortFunc(all, func(a, b Span) int { return cmp.Compare(a.At, b.At) })
	return all
}

// StepAll is Step where some of the elements are running statistics: those of a vector of which params begins at an element.
// The optimiser does not move them, nor does decay: with the mean of what stands in the place of their gradients
//
//	running = (1 - momentum) running + momentum mean
func (o *Optimiser) StepAll(params, grads []float32, state [][]float32, at Move, running []Mean, first int) {
	done := 0
	step := func(end int) {
		if done < end {
			o.stepOf(params, grads, state, at, done, end)
		}
	}
	for _, r := range running {
		lo, hi := max(r.At-first, 0), min(r.At+r.Elems-first, len(params))
		if lo >= hi {
			continue
		}
		step(lo)
		keep, take, scale := float32(1-r.Momentum), float32(r.Momentum), at.Scale
		if at.Mean != 0 {
			scale = at.Mean
		}
		for i := lo; i < hi; i++ {
			params[i] = float32(keep*params[i]) + float32(take*float32(scale*grads[i]))
		}
		done = hi
	}
	step(len(params))
}

// stepOf is Step of some of the elements.
func (o *Optimiser) stepOf(params, grads []float32, state [][]float32, at Move, lo, hi int) {
	if lo == 0 && hi == len(params) {
		o.Step(params, grads, state, at)
		return
	}
	var part [2][]float32
	for i, v := range state {
		part[i] = v[lo:hi]
	}
	o.Step(params[lo:hi], grads[lo:hi], part[:len(state)], at)
}
