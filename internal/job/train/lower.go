package train

import (
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// Layers returns the model's layers as workload counts them.
func Layers(m *nn.Model) []workload.Layer {
	layers := make([]workload.Layer, m.Layers())
	for l := range layers {
		layers[l] = Lowered(m.LayerName(l), m.Layer(l, nn.Portable))
	}
	return layers
}

// Lowered is a layer with a name as workload counts it, with the parts that ranks may have of it.
func Lowered(name string, l nn.Layer) workload.Layer {
	c := l.Cost()
	of := workload.Layer{Name: name, In: l.In(), Out: l.Out(), Params: int64(l.Params()), Forward: kernels(c.Forward),
		Gradient: kernels(c.Gradient), Input: kernels(c.Input), Through: kernels(c.Through), Saved: c.Saved}
	if s, ok := l.(nn.Statistical); ok {
		of.Values = s.Statistics()
	}
	if whole, ok := l.(nn.Undivided); ok {
		of.Whole = whole.Undivided()
	}
	splitter, ok := l.(nn.Splitter)
	if !ok {
		return of
	}
	for way := range nn.Ways {
		split := splitter.Split(way)
		if split == nil {
			continue
		}
		to := &workload.Split{Of: func(parts int) workload.Part {
			p, _ := split.Of(0, parts)
			return lowerPart(p)
		}}
		for _, w := range split.Widths {
			to.Widths = append(to.Widths, workload.Width(w))
		}
		of.Ways[way] = to
	}
	return of
}

// lowerPart is a part of a layer as workload counts it: all parts of one size are alike.
func lowerPart(p *nn.Part) workload.Part {
	return workload.Part{In: p.In, Out: p.Out, Params: int64(p.Params), Forward: phases(p.Forward), Backward: phases(p.Backward),
		Through: kernels(p.ThroughWork), Saved: p.Saved,
		Partial: workload.Span{Offset: int64(p.Partial.At), Elems: int64(p.Partial.Elems)},
		Own:     workload.Span{Offset: int64(p.Own.At), Elems: int64(p.Own.Elems)}, Rooms: p.Rooms, Block: p.Block, Sorts: p.Sorts,
		Row: p.Row}
}

func phases(of []nn.Phase) (all []workload.Phase) {
	for i := range of {
		ph := &of[i]
		all = append(all, workload.Phase{Name: ph.Name, Kernels: kernels(ph.Work), Gradient: kernels(ph.Gradient),
			Inputs: ph.Inputs, Params: ph.Params, Then: workload.Exchange(ph.Then), What: ph.What, InPlace: ph.InPlace,
			Elems: ph.Elems, Fixed: ph.Fixed, Positions: ph.Positions})
	}
	return all
}

func kernels(of []nn.Work) (all []workload.Kernel) {
	for _, w := range of {
		all = append(all, workload.Kernel(w))
	}
	return all
}

// LossPart is the model's loss as workload counts it where outputs lie in parts; nil: they cannot.
func LossPart(m *nn.Model) func(parts int) []workload.Phase {
	if m.LossPart(nn.Portable, 0, 1) == nil {
		return nil
	}
	return LossParts(m.Targets(), m.Classes())
}

// LossParts is cross entropy of so many labels of a row as workload counts it where outputs lie in parts.
func LossParts(targets, classes int) func(parts int) []workload.Phase {
	return func(parts int) []workload.Phase { return phases(nn.LossPhases(targets, classes, parts)) }
}

// Clip is by how many elements ranks sum the norm of gradients: 0 of an optimiser that does not clip.
func Clip(o *nn.Optimiser) int64 {
	if o.Clip == 0 {
		return 0
	}
	return nn.SquareElems
}

// Ties are the model's as workload counts them, where so many ranks share layers.
func Ties(m *nn.Model, parts int) (all []workload.Tie) {
	for _, t := range m.Ties() {
		part := func(layer, at int) workload.TiedPart {
			lo, _ := m.LayerRange(layer)
			return workload.TiedPart{Layer: layer, Offset: int64(at - lo)}
		}
		all = append(all, workload.Tie{Lower: part(t.Layers[0], t.Lower), Upper: part(t.Layers[1], t.Upper),
			Elems: int64(t.Part(max(parts, 1)))})
	}
	return all
}

// Notes are the bytes that this process keeps of a row of a layer, as ranks have it, beside what the
// layer says that it saves.
func Notes(m *nn.Model, t *workload.Training, layer int) int64 {
	for s := range t.Stages {
		for _, h := range t.Stages[s].Layers {
			if h.Layer == layer {
				part, _ := partOf(m.Layer(layer, nn.Portable), h.Way, 0, partsOf(h.Way, &t.Layout))
				return int64(part.Notes)
			}
		}
	}
	return 0
}
