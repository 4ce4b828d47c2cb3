package nn

// A Layer is a part of a network with parameters of its own, as a pair of functions over memory
// that others own. All matrices are row-major, a row for each example:
//
//	x, dx: rows x In    y, d: rows x Out    p, g: Params
//
// What follows a layer element by element belongs to it, but its way back is taken by whoever
// makes the gradient of the layer's output (Through): then the gradient that goes from layer to
// layer, and from host to host, is the one that Backward starts from.
type Layer interface {
	In() int     // elements of an example's input
	Out() int    // and of its output
	Params() int // length of the parameter vector

	// NewSaved has room for what Forward leaves for the Backward of the same examples.
	NewSaved(rows int) *Saved
	// Forward makes y from x.
	Forward(y, x, p []float32, rows int, saved *Saved)
	// Through turns the gradient with respect to the output y into the one that Backward takes.
	Through(d, y []float32)
	// Backward makes the parameters' gradient g, and that of the input unless dx is nil. x and saved
	// are those of Forward; p may be newer.
	Backward(dx, g, d, x, p []float32, rows int, saved *Saved)
}

// Saved is what a layer's Forward leaves for its Backward, beside input and output.
type Saved struct{ inputs Inputs }

// A Splitter is a layer that ranks may share, each with an equal part of it.
type Splitter interface {
	Layer
	// Columns returns a part of so many that makes a part of the outputs from all inputs.
	Columns(part, parts int) (Layer, []Piece)
	// Rows returns a part that makes a share of all outputs from a part of the inputs.
	Rows(part, parts int) (Share, []Piece)
}

// Share is a layer's part by rows. The outputs are the sum of the parts' shares, finished.
type Share interface {
	Layer
	// Finish makes the outputs y from the sum of the shares.
	Finish(y, p []float32)
}

// Piece says which elements of a layer's parameters a part has: those from Whole are those from Part
// of the part's own.
type Piece struct{ Whole, Part, Elems int }

// dense is a fully connected layer: y = activation(x wᵀ + b), parameters w (out x in), then b.
type dense struct {
	in, out    int
	activation Activation
	kernel     Kernel
	share      bool // Forward is x wᵀ alone
}

func (l dense) In() int     { return l.in }
func (l dense) Out() int    { return l.out }
func (l dense) Params() int { return l.in*l.out + l.out }

func (l dense) shape(rows int) Shape { return Shape{rows, l.in, l.out} }

// cut returns the weights and the biases of a vector with the parameters' layout.
func (l dense) cut(v []float32) (w, b []float32) {
	split := l.in * l.out
	return v[:split:split], v[split:l.Params()]
}

func (l dense) NewSaved(rows int) *Saved { return &Saved{newInputs(rows, l.in)} }

func (l dense) Forward(y, x, p []float32, rows int, saved *Saved) {
	w, b := l.cut(p)
	if l.share {
		l.kernel.Forward(y, x, w, nil, l.shape(rows), &saved.inputs)
		return
	}
	l.kernel.Forward(y, x, w, b, l.shape(rows), &saved.inputs)
	l.activation.apply(y)
}

func (l dense) Finish(y, p []float32) {
	_, b := l.cut(p)
	addRows(y, b)
	l.activation.apply(y)
}

// Columns is rows of w, and as much of b.
//
//	w  | part 0 |    b  | part 0 |
//	   | part 1 |       | part 1 |
func (l dense) Columns(part, parts int) (Layer, []Piece) {
	of := l
	of.out = l.out / parts
	n := of.in * of.out
	return of, []Piece{{part * n, 0, n}, {l.in*l.out + part*of.out, n, of.out}}
}

// Rows is columns of w, and b.
//
//	w  | part 0 | part 1 |    b  | all |
func (l dense) Rows(part, parts int) (Share, []Piece) {
	of := l
	of.in, of.share = l.in/parts, true
	var pieces []Piece
	for o := range l.out {
		pieces = append(pieces, Piece{o*l.in + part*of.in, o * of.in, of.in})
	}
	return of, append(pieces, Piece{l.in * l.out, of.in * l.out, l.out})
}

func (l dense) Through(d, y []float32) { l.activation.backward(d, y) }

func (l dense) Backward(dx, g, d, x, p []float32, rows int, saved *Saved) {
	gw, gb := l.cut(g)
	l.kernel.Weights(gw, gb, d, x, l.shape(rows), &saved.inputs)
	if dx == nil {
		return
	}
	w, _ := l.cut(p)
	l.kernel.Back(dx, d, w, l.shape(rows))
}
