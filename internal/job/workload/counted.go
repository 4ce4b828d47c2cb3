package workload

import (
	"fmt"

	"railyard/internal/base/unit"
)

// Counted is what an operation does with positions that an all-to-all brings, as many as each step decides: all of a rank's
// experts together, as one product of groups (Gale and others, MegaBlocks, 2022) has it, whose tiles no group leaves empty.
type Counted struct {
	Coll    int32 // that brings them: index in Job.Collectives, with Counts
	Kernels []CountedKernel
	Even    unit.Duration // it takes with an even share
}

// CountedKernel is one kernel, of which a row is a position.
type CountedKernel struct {
	Kernel
	Word, FixedBytes int64 // bytes of one of Words, and of all of Fixed
	Adds             bool  // it adds to what is there
}

// kernelTime is one kernel on so many rows: what it is, what it does, and how long its arithmetic takes.
type kernelTime struct {
	as Operator
	Effort
	arithmetic unit.Duration
}

// on is the kernel on so many rows.
func (k *CountedKernel) on(d *Device, rows int64) kernelTime {
	bytes := k.Words*rows*k.Word + k.FixedBytes
	t := kernelTime{Effort: Effort{k.FLOP * rows, bytes, k.Product * rows}}
	if rows == 0 {
		return t
	}
	t.as, t.arithmetic = operatorOf(&k.Kernel, rows, bytes), d.of(&k.Kernel, rows)
	if t.as.Kind == Product && k.Adds {
		t.as.Kind = ProductAdded
	}
	return t
}

// took is how long a kernel takes, and how much of that it waits for memory: of one that was measured, what it took then.
// note: what was not measured is noted.
func (d *Device) took(k *kernelTime, note bool) (takes, memory unit.Duration) {
	arithmetic, traffic := k.arithmetic, d.traffic(k.Bytes)
	measured := d.Measured.of
	if !note {
		measured = d.Measured.known
	}
	switch took, known := measured(k.as, k.Product, max(arithmetic, traffic)); {
	case known && k.Product > 0:
		arithmetic, traffic = took, 0
	case known:
		arithmetic, traffic = 0, took
	}
	return d.slowed(d.Launch + max(arithmetic, traffic)), max(0, traffic-arithmetic)
}

// On is the operation on so many positions: its Duration, Memory and Effort, of a rank with a device.
func (c *Counted) On(d *Device, op Op, positions int64) Op {
	var memory unit.Duration
	op.Duration, op.Effort = 0, Effort{}
	for i := range c.Kernels {
		k := c.Kernels[i].on(d, positions)
		takes, waits := d.took(&k, false)
		op.Duration, memory = op.Duration+takes, memory+waits
		op.Effort.add(k.FLOP, k.Bytes, k.Product)
	}
	op.Memory = d.slowed(memory)
	return op
}

// Positions is how many of what is counted a member of the collective gets, where it gets so many elements.
func (n *Counts) Positions(got []int) (positions int64) {
	for _, k := range got {
		positions += int64(k)
	}
	return positions / n.Each
}

// counts has the operation that was added last take as long as what comes, if its phase is counted.
func (b *builder) counts(op int32, at exchange) {
	if b.positions > 0 {
		of := exchange0(b.at, at.layer, at.micro)
		brings := b.swaps[of][0]
		b.p.Ops[op].Counted = &Counted{brings, b.counted, b.p.Ops[op].Duration}
		if n := b.j.Collectives[brings].Counts; b.Routed != nil {
			got := make([]int, b.l.EP)
			for m := range got {
				got[m] = n.Declared(0, m, b.at.Data%b.l.EP)
			}
			b.p.Ops[op] = b.p.Ops[op].Counted.On(&b.p.Device, b.p.Ops[op], n.Positions(got))
		}
	}
	b.positions, b.counted = 0, nil
}

// checkCounted reports an operation that works on what is not there, by the order of operations.
func (j *Job) checkCounted(ops []Op, order order) error {
	for i := range ops {
		op := &ops[i]
		if op.Counted == nil {
			continue
		}
		brings := -1
		for k := range ops {
			if ops[k].Kind == Communication && ops[k].Coll == op.Counted.Coll {
				brings = k
			}
		}
		switch {
		case op.Kind != Compute:
			return fmt.Errorf("operation %q is no compute operation, and its positions are counted", op.Name)
		case brings < 0 || !order.before(brings, i):
			return fmt.Errorf("operation %q begins before what brings its positions has ended", op.Name)
		}
		if n := j.Collectives[op.Counted.Coll].Counts; n == nil || n.Each < 1 {
			return fmt.Errorf("operation %q works on positions of collective %q, which counts none", op.Name,
				j.Collectives[op.Counted.Coll].Name)
		}
	}
	return nil
}
