package workload

import "railyard/internal/unit"

// Computing is where the time of a rank's compute operations goes in a step, by what the device model makes it of:
// Products at the peak, then what they, and other arithmetic, take longer, memory, launches, and what a slow device takes
// longer.
//
// Invariant: Sum is the duration of all compute operations. BelowPeak may be some picoseconds below 0, by which the
// durations of kernels are rounded.
type Computing struct {
	Products, BelowPeak, Memory, Launch, Slow unit.Duration
}

// Sum returns all of it.
func (c *Computing) Sum() unit.Duration {
	return c.Products + c.BelowPeak + c.Memory + c.Launch + c.Slow
}

// Computing divides a step of the program, whose matrix products come to so many FLOP.
func (p *Program) Computing() (c Computing, products int64) {
	var all unit.Duration
	for i := range p.Ops {
		op := &p.Ops[i]
		if op.Kind != Compute {
			continue
		}
		all += op.Duration
		c.Memory += op.Memory
		c.Launch += op.Launch
		products += op.Effort.Product
	}
	alike := p.Device
	alike.Slow = unit.Ratio{}
	c.Products = alike.AtPeak(products)
	fast := func(d unit.Duration) unit.Duration { return d }
	if slow := p.Device.Slow; slow.Num > 0 {
		fast = func(d unit.Duration) unit.Duration {
			return unit.Duration(unit.Ratio{Num: slow.Den, Den: slow.Num}.Of(int64(d)))
		}
	}
	c.Memory, c.Launch = fast(c.Memory), fast(c.Launch)
	c.Slow = all - fast(all)
	c.BelowPeak = all - c.Slow - c.Products - c.Memory - c.Launch
	return c, products
}
