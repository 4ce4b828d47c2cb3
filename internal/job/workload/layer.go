package workload

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

	Saved int // elements that a row's forward leaves for its backward, beside input and output
	Again int // elements that its backward makes again first
	// Forgets: its input is made again before its backward, and not kept.
	Forgets bool

	Values int // of a row, that a mean goes over which a micro-batch's rows have in common; 0: it takes none

	// How tensor-parallel ranks may share it; nil: not so.
	Ways  [Ways]*Split
	Whole string // why they cannot at all, in words; "": they can, or it is not known
	Name  string // what it is called
}

// Kernel is what one kernel does for so many rows.
type Kernel struct {
	FLOP  int64 // for each row
	Words int64 // numbers that it moves for each row: activations
	Fixed int64 // and beside them: weights, or their gradients

	Product int64 // of FLOP, that of matrix products
	Masked  int64 // of Product, that of the half of each map which a causal mask hides

	// The products: Each of M x K by K x N, for each row, which multiplies what By says. N is 0 where it is not known.
	M, N, K, Each int64
	By            uint8 // ByM, ByK, ByEach
}

// What of a product grows with the rows that it is of.
const (
	ByM    uint8 = iota // its rows
	ByK                 // its depth: a gradient is summed over them
	ByEach              // how many there are
	// BySeen is ByEach of a kernel that leaves out what a causal mask hides.
	BySeen
)

// shape is that of the products of so many rows: each of m x N by deep.
func (k *Kernel) shape(rows int64) (m, deep, each int64) {
	m, deep, each = k.M, k.K, k.Each
	switch k.By {
	case ByM:
		m *= rows
	case ByK:
		deep *= rows
	default:
		each *= rows
	}
	return m, deep, each
}

// Trained is the first layer with parameters: nobody wants the gradient of its input.
func Trained(layers []Layer) int {
	for i := range layers {
		if layers[i].Params > 0 {
			return i
		}
	}
	return len(layers)
}

// FLOP is the arithmetic of a row: of its forward, and of its forward and backward.
func FLOP(layers []Layer) (forward, both int64) {
	return arithmetic(layers, func(k *Kernel) int64 { return k.FLOP })
}

// Products is FLOP of matrix products alone, forward and backward: dense with all of attention's maps, causal without what
// masks hide.
func Products(layers []Layer) (dense, causal int64) {
	_, dense = arithmetic(layers, func(k *Kernel) int64 { return k.Product })
	_, causal = arithmetic(layers, func(k *Kernel) int64 { return k.Product - k.Masked })
	return dense, causal
}

// arithmetic sums what of each kernel, of a row's forward, and of its forward and backward.
func arithmetic(layers []Layer, of func(*Kernel) int64) (forward, both int64) {
	sum := func(kernels []Kernel) (n int64) {
		for i := range kernels {
			n += of(&kernels[i])
		}
		return n
	}
	for i := range layers {
		l := &layers[i]
		forward += sum(l.Forward)
		if i >= Trained(layers) {
			both += sum(l.Gradient) + sum(l.Through)
		}
		if i > Trained(layers) {
			both += sum(l.Input)
		}
	}
	return forward, forward + both
}
