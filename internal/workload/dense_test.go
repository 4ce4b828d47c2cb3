package workload

// fullyConnected is the shape of one such layer, as package nn has it: In x Out weights and Out biases.
type fullyConnected struct {
	In, Out   int
	Activated bool // an activation follows (the last layer's softmax belongs to the loss)
}

// Layer returns what it costs, and its parts.
func (l fullyConnected) Layer() Layer {
	of := l.part()
	of.Columns = &Split{l.Out, func(parts int) Layer { return fullyConnected{l.In, l.Out / parts, l.Activated}.part() }}
	of.Rows = &Split{l.In, func(parts int) Layer {
		share := fullyConnected{l.In / parts, l.Out, l.Activated}.part()
		share.Forward, share.Finish = share.Forward[:1], share.Forward[1:]
		return share
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
