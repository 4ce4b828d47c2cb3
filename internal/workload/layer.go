package workload

// elem is the size of a weight, gradient or activation: float32.
const elem = 4

// Layer is what a step costs and holds of one layer of a network, whatever it computes.
type Layer struct {
	In, Out int   // elements of a row's input and output
	Params  int64 // elements of its parameters, one after the other

	Forward  []Kernel // output from input
	Gradient []Kernel // of the parameters; where they are added to earlier ones, those are read too
	Input    []Kernel // gradient of the input, which the first layer does not need
	// Through takes a gradient of the output back through what follows the layer element by
	// element. Who makes that gradient runs it, and has the output.
	Through []Kernel
}

// Kernel is what one kernel does for so many rows.
type Kernel struct {
	FLOP  int64 // for each row
	Words int64 // of float32 that it moves for each row
	Fixed int64 // and beside them
}

// Dense is the shape of one fully connected layer: In x Out weights and Out biases.
type Dense struct {
	In, Out   int
	Activated bool // an activation follows (the last layer's softmax belongs to the loss)
}

// Layer returns what it costs. Forward is a matrix product, rows x In by In x Out, and one
// elementwise pass that adds the bias and applies the activation in place. Backward is the product
// for the weights' gradient, which also sums the bias's (as cuBLAS's epilogue does), and the product
// for the gradient of the input; an activation has an elementwise pass back.
func (l Dense) Layer() Layer {
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
