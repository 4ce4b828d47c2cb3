package workload

// fullyConnected is the shape of one such layer, as package nn has it: In x Out weights and Out biases.
type fullyConnected struct {
	In, Out   int
	Activated bool // an activation follows (the last layer's softmax belongs to the loss)
}

// Layer returns what it costs, and its parts.
func (l fullyConnected) Layer() Layer {
	of := l.part()
	outputs, inputs := []Width{{l.Out, "outputs"}}, []Width{{l.In, "inputs"}}
	columns := func(parts int) (Layer, Part) {
		own := fullyConnected{l.In, l.Out / parts, l.Activated}.part()
		p := own.whole()
		p.Backward[0].Then, p.Backward[0].What, p.Backward[0].InPlace = Sum, "input-deltas", true
		return own, p
	}
	of.Ways[Columns] = &Split{outputs, func(parts int) Part {
		_, p := columns(parts)
		return p
	}}
	of.Ways[Gathered] = &Split{outputs, func(parts int) Part {
		own, p := columns(parts)
		p.Out, p.Through = l.Out, of.Through
		p.Forward = []Phase{{Name: Forward, Kernels: own.Forward, Inputs: true, Params: true, Then: Gather, What: "outputs",
			Elems: l.Out}, {Name: "join", Kernels: []Kernel{{Words: 2 * int64(l.Out)}}}}
		return p
	}}
	of.Ways[Rows] = &Split{inputs, func(parts int) Part {
		own := fullyConnected{l.In / parts, l.Out, l.Activated}.part()
		p := own.whole()
		p.Forward = []Phase{{Name: Forward, Kernels: own.Forward[:1], Inputs: true, Params: true, Then: Sum, What: "outputs",
			InPlace: true}, {Name: "finish", Kernels: own.Forward[1:], Params: true}}
		return p
	}}
	return of
}

// part is what a part of the layer costs, or all of it.
func (l fullyConnected) part() Layer {
	in, out := int64(l.In), int64(l.Out)
	product := Kernel{FLOP: 2 * in * out, Words: in + out, Fixed: in * out}
	sums := product
	sums.Fixed += out
	of := Layer{In: l.In, Out: l.Out, Params: in*out + out,
		Forward:  []Kernel{product, {Words: 2 * out, Fixed: out}},
		Gradient: []Kernel{sums},
		Input:    []Kernel{product}}
	if l.Activated {
		of.Through = []Kernel{{Words: 3 * out}}
	}
	return of
}
