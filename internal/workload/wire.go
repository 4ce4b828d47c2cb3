package workload

import (
	"slices"

	"railyard/internal/unit"
)

// Wire says as what gradients go from replica to replica.
type Wire uint8

// The wires.
const (
	Float32Wire Wire = iota
	// BFloat16Wire is the upper half of a float32, rounded to nearest, ties to even: gradients are rounded
	// before they are sent, and each sum again, so that its owner has what it sends.
	BFloat16Wire
	wires
)

var wireNames = [wires]string{"fp32", "bf16"}

// String is the name that a scenario uses.
func (w Wire) String() string { return wireNames[w] }

// WireNamed returns the wire of a name.
func WireNamed(name string) (Wire, bool) {
	i := slices.Index(wireNames[:], name)
	return Wire(max(i, 0)), i >= 0
}

func (w Wire) bytes() int64 { return [wires]int64{elem, 2}[w] }

// onWire is where gradients of a stage go from replica to replica: there, or packed elsewhere.
func (b *lowering) onWire(stage int, grads Range) Range {
	if len(b.packed) > 0 {
		grads.Buffer = b.packed[stage]
	}
	return grads
}

// packTime is how long so many elements take from float32 to the wire's, or back.
func (b *builder) packTime(elems int64) unit.Duration {
	b.kernels++
	return b.p.Device.Kernel(0, (elem+b.Wire.bytes())*elems)
}
