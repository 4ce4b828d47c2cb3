package workload

import "railyard/internal/base/unit"

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

// Add adds o so many times.
func (c *Computing) Add(o *Computing, times int64) {
	n := unit.Duration(times)
	c.Products, c.BelowPeak, c.Memory = c.Products+n*o.Products, c.BelowPeak+n*o.BelowPeak, c.Memory+n*o.Memory
	c.Launch, c.Slow = c.Launch+n*o.Launch, c.Slow+n*o.Slow
}

// Computing divides a step of the program, whose matrix products come to so many FLOP.
func (p *Program) Computing() (c Computing, products int64) {
	var all Op
	for i := range p.Ops {
		op := &p.Ops[i]
		if op.Kind != Compute {
			continue
		}
		all.Duration += op.Duration
		all.Memory += op.Memory
		all.Launch += op.Launch
		products += op.Effort.Product
	}
	all.Effort.Product = products
	return p.Device.divide(&all), products
}

// Beyond is what an operation takes beyond its share of Computing, or less, as it came, on as many positions as there were, and
// how many FLOP more its products are: their time is in BelowPeak.
func (p *Program) Beyond(op *Op, came Op) (c Computing, products int64) {
	even := *op
	products = came.Effort.Product - even.Effort.Product
	even.Effort.Product, came.Effort.Product = 0, 0
	c = p.Device.divide(&came)
	less := p.Device.divide(&even)
	c.Add(&less, -1)
	return c, products
}

// divide divides what an operation takes, or some together.
func (d *Device) divide(op *Op) (c Computing) {
	alike := *d
	alike.Slow = unit.Ratio{}
	c.Products = alike.AtPeak(op.Effort.Product)
	fast := func(d unit.Duration) unit.Duration { return d }
	if slow := d.Slow; slow.Num > 0 {
		fast = func(d unit.Duration) unit.Duration {
			return unit.Duration(unit.Ratio{Num: slow.Den, Den: slow.Num}.Of(int64(d)))
		}
	}
	c.Memory, c.Launch = fast(op.Memory), fast(op.Launch)
	c.Slow = op.Duration - fast(op.Duration)
	c.BelowPeak = op.Duration - c.Slow - c.Products - c.Memory - c.Launch
	return c
}
