package nn

// A Layer is a part of a network, as a pair of functions over memory that others own. A row is one
// example: an image (channels x height x width) or a sequence (positions x features, one position
// after the other; the tokens of a text are numbers, each a float32). All matrices are row-major, a
// row for each example:
//
//	x, dx: rows x In    y, d: rows x Out    p, g: Params
//
// What follows a layer element by element belongs to it, but its way back is taken by whoever
// makes the gradient of the layer's output (Through): then the gradient that goes from layer to
// layer, and from host to host, is the one that Backward starts from. A layer whose last function
// cannot tell its slope from the output leaves Through empty and goes back in Backward.
//
// A layer is immutable. Forward, Through and Backward allocate nothing: what they keep or need
// between them is in Saved.
type Layer interface {
	In() int     // elements of an example's input
	Out() int    // and of its output
	Params() int // length of the parameter vector; 0 is normal

	// Tensors names the parts of the parameter vector, in order: all of it, each element once.
	Tensors() []Tensor
	// Init draws the parameters of the whole layer; those of ranks that share it are parts of these.
	Init(p []float32, draw *Stream)
	// With returns the layer with its products computed by a kernel.
	With(k Kernel) Layer
	// Cost is what the layer takes on a device, by which virtual time passes.
	Cost() Cost

	// NewSaved has room for what Forward leaves for the Backward of the same examples.
	NewSaved(rows int) Saved
	// Forward makes y from x.
	Forward(y, x, p []float32, rows int, saved Saved, pass *Pass)
	// Through turns the gradient with respect to the output y into the one that Backward takes.
	Through(d, y []float32)
	// Backward writes the parameters' gradient g, and that of the input unless dx is nil. x and saved
	// are those of Forward; p may be newer. It may use d as room: nobody reads it afterwards.
	Backward(dx, g, d, x, p []float32, rows int, saved Saved)
}

// Saved is what a layer's Forward leaves for its Backward, beside input and output. Each layer has a
// type of its own, which only it looks into; nil of one that leaves nothing.
type Saved any

// Pass is what a Forward knows beside its inputs.
type Pass struct {
	Train bool   // false: the model is used, not trained; nothing is dropped out
	Seed  uint64 // of the training
	Step  int64  // of the training, from 0
	Layer int    // the layer's place in the model, from 0
	// Tokens are the rows' inputs to the model where it takes text; those that are Padding are not
	// looked at. nil: nothing is padding.
	Tokens  []float32
	Samples []int // which example each row is, by its number in the data: the same in every layout
}

// Role says what a tensor is to those who draw first values.
type Role uint8

// The roles.
const (
	Weight Role = iota // a scheme draws it by its fans
	Bias               // a scheme makes it 0
	Gain               // it begins as its layer says, whatever the scheme
	// Running is no parameter but a mean over micro-batches, which lies among them; it begins as its layer says. Its gradient
	// is the value of a micro-batch.
	Running
)

// A Tensor is one named part of a layer's parameters, or of a model's.
type Tensor struct {
	Name          string // as PyTorch's where it has the layer: "weight", "bias", "weight_ih_l0"
	Shape         []int  // row-major, likewise
	Offset        int    // where it begins in the parameter vector
	Role          Role
	FanIn, FanOut int     // of a Weight: how many inputs make an output, and the other way round
	Momentum      float64 // of what is Running: the part of a new value in it
}

// Elems is how many elements the tensor has.
func (t *Tensor) Elems() int {
	n := 1
	for _, size := range t.Shape {
		n *= size
	}
	return n
}

// Cost is what a layer's kernels do on a device, list by list one after the other, and what it keeps
// there.
type Cost struct {
	Forward  []Work // output from input
	Gradient []Work // of the parameters; where they are added to earlier ones, those are read too
	Input    []Work // gradient of the input, which the first layer does not need
	Through  []Work
	Saved    int // float32 that a row's Forward leaves for its Backward
	Notes    int // bytes for each row that only this process keeps, beside them
}

// Work is what one kernel does for so many rows.
type Work struct {
	FLOP  int64 // for each row
	Words int64 // of float32 that it moves for each row
	Fixed int64 // and beside them

	Product int64 // of FLOP, that of matrix products
	Masked  int64 // of Product, that of the half of each map which a causal mask hides

	// The products: Each of M x K by K x N, for each row, which multiplies what By says. N is 0 where it is not known.
	M, N, K, Each int64
	By            By
}

// By is what of a product grows with the rows that it is of.
type By = uint8

// The ways.
const (
	ByM    By = iota // its rows: outputs of as many positions more
	ByK              // its depth: a gradient is summed over them
	ByEach           // how many there are
)

// turned is the product that takes a gradient back.
func (w Work) turned() Work {
	w.N, w.K = w.K, w.N
	return w
}
