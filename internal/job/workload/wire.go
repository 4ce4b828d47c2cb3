package workload

import (
	"fmt"

	"railyard/internal/base/unit"
)

// Gradients whose format on the wire is another than in memory are packed before they are sent, and each sum
// is rounded again, so that its owner has what it sends.

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
		b.compute(fmt.Sprintf("pack.%d%s", b.st.bucket(offset)+1, of), b.packTime(grads.Elems, b.Precision.Wire),
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
	return b.compute(fmt.Sprintf("unpack.%d%s", b.st.bucket(offset)+1, of), b.packTime(grads.Elems, b.Precision.Wire),
		Body{Work: Unpack, Micro: m, X: on, Y: grads})
}

// packTime is how long so many gradients take to another format, or back.
func (b *builder) packTime(elems int64, to Format) unit.Duration {
	return b.kernelOf(0, (b.Precision.Gradients.Bytes()+to.Bytes())*elems, 0)
}
