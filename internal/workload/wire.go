package workload

import (
	"fmt"
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

// pack makes gradients of a bucket what goes over the wire, which it returns.
func (b *builder) pack(offset int64, m int, of string, grads Range) Range {
	on := b.onWire(b.at.Stage, grads)
	if on != grads {
		b.compute(fmt.Sprintf("pack.%d%s", b.st.bucket(offset)+1, of), b.packTime(grads.Elems),
			Body{Work: Pack, Micro: m, X: grads, Y: on})
	}
	return on
}

// unpack makes gradients of what came over the wire. It returns the operation, or the one before, where
// they are there already.
func (b *builder) unpack(offset int64, m int, of string, grads Range, before int32) int32 {
	on := b.onWire(b.at.Stage, grads)
	if on == grads {
		return before
	}
	return b.compute(fmt.Sprintf("unpack.%d%s", b.st.bucket(offset)+1, of), b.packTime(grads.Elems),
		Body{Work: Unpack, Micro: m, X: on, Y: grads})
}

// packTime is how long so many elements take from float32 to the wire's, or back.
func (b *builder) packTime(elems int64) unit.Duration {
	return b.kernelOf(0, (elem+b.Wire.bytes())*elems, 0)
}
