package train

import (
	"railyard/internal/nn"
	"railyard/internal/workload"
)

// Layers returns the model's layers as workload counts them.
func Layers(m *nn.Model) []workload.Layer {
	layers := make([]workload.Layer, m.Layers())
	for l := range layers {
		layers[l] = lowered(m.Layer(l, nn.Portable))
	}
	return layers
}

// lowered is a layer as workload counts it, with the parts that ranks may have of it.
func lowered(l nn.Layer) workload.Layer {
	of := shape(l)
	if s, ok := l.(nn.ColumnSplitter); ok {
		of.Columns = &workload.Split{Width: s.ColumnWidth(), Of: func(parts int) workload.Layer {
			part, _ := s.Columns(0, parts)
			return shape(part)
		}}
	}
	if s, ok := l.(nn.RowSplitter); ok {
		of.Rows = &workload.Split{Width: s.RowWidth(), Of: func(parts int) workload.Layer {
			part, _ := s.Rows(0, parts)
			return shape(part)
		}}
	}
	return of
}

// shape is what a layer costs, or a part of one.
func shape(l nn.Layer) workload.Layer {
	c := l.Cost()
	return workload.Layer{In: l.In(), Out: l.Out(), Params: int64(l.Params()), Forward: kernels(c.Forward),
		Gradient: kernels(c.Gradient), Input: kernels(c.Input), Through: kernels(c.Through), Finish: kernels(c.Finish),
		Saved: c.Saved}
}

func kernels(of []nn.Work) (all []workload.Kernel) {
	for _, w := range of {
		all = append(all, workload.Kernel(w))
	}
	return all
}

// Ties are the model's as workload counts them.
func Ties(m *nn.Model) (all []workload.Tie) {
	for _, t := range m.Ties() {
		part := func(layer, at int) workload.TiedPart {
			lo, _ := m.LayerRange(layer)
			return workload.TiedPart{Layer: layer, Offset: int64(at - lo)}
		}
		all = append(all, workload.Tie{Lower: part(t.Layers[0], t.Lower), Upper: part(t.Layers[1], t.Upper), Elems: int64(t.Elems)})
	}
	return all
}
