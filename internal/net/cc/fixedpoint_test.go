package cc

import (
	"math"
	"testing"

	"railyard/internal/base/unit"
)

// red10 marks as in the CoNEXT 2016 experiments' shape, steep enough that 32 flows
// at 40 Gb/s rest on its linear part.
var red10 = RED{Min: 5 * unit.Kilobyte, Max: 200 * unit.Kilobyte, P: unit.Ratio{Num: 1, Den: 10}}

func within(got, want, part float64) bool { return got >= want*(1-part) && got <= want*(1+part) }

// "ECN or Delay" (CoNEXT 2016), section 3.1: the fluid model, started unfairly,
// comes to rest at the fair share with the p*, alpha*, target and queue of FixedPoint.
func TestCoNEXT16FluidModelRestsAtFixedPoint(t *testing.T) {
	for _, n := range []int{2, 8, 32} {
		want := FixedPoint(sigcomm15, n, 40*gbps, 1000, red10)
		got := fluidRest(t, sigcomm15, n, 40*gbps, 1000, red10)
		t.Logf("%2d flows: p* %.3g (small p: %.3g), alpha %.4f, rate %v, target %v, queue %v; fluid: p %.3g queue %v",
			n, want.Mark, want.Approx, want.Alpha, want.Rate, want.Target, want.Queue, got.Mark, got.Queue)
		if !want.InRange {
			t.Errorf("%d flows: p* %.3g is off the curve", n, want.Mark)
		}
		if !within(got.Mark, want.Mark, 0.01) || !within(got.Alpha, want.Alpha, 0.01) ||
			!within(float64(got.Target), float64(want.Target), 0.01) ||
			!within(float64(got.Queue), float64(want.Queue), 0.01) {
			t.Errorf("%d flows: fluid model %+v, fixed point %+v", n, got, want)
		}
	}
}

// fluidRest integrates the model's differential equations by small Euler steps,
// without feedback delay, from rates in the ratio 1:2:3...
func fluidRest(t *testing.T, p DCQCN, n int, capacity unit.Bitrate, mtu unit.Bytes, red RED) Equilibrium {
	const dt = 4e-6
	m := newFluid(p, n, capacity, mtu)
	link := float64(capacity) / m.bits
	rate, target, alpha := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		rate[i] = link * float64(i+1) / float64(n*(n+1)/2)
		target[i], alpha[i] = rate[i], 1
	}
	queue, mark := 0.0, 0.0
	for range 125000 { // 0.5 s
		mark = min(1, max(1e-12, red.P.Float()*(queue-float64(red.Min))/float64(red.Max-red.Min)))
		sum := 0.0
		for i := range n {
			f := m
			f.rate = rate[i]
			a, al, b, c, d, e := f.terms(min(mark, 0.5))
			gap := target[i] - rate[i]
			cut := a / m.tau
			alpha[i] += dt * p.G.Float() / m.alphaTimer * (al - alpha[i])
			target[i] += dt * (m.ai*rate[i]*(c+e) - gap*cut)
			rate[i] += dt * (gap/2*rate[i]*(b+d) - rate[i]*alpha[i]/2*cut)
			rate[i] = min(link, max(link/1000/float64(n), rate[i]))
			sum += rate[i]
		}
		queue = min(2*float64(red.Max), max(0, queue+dt*(sum-link)*float64(mtu)))
	}
	for i := range n {
		if !within(rate[i], link/float64(n), 0.01) {
			t.Errorf("%d flows: flow %d rests at %.4f of the fair share", n, i, rate[i]*float64(n)/link)
		}
	}
	return Equilibrium{Mark: mark, Alpha: alpha[0], Target: unit.Bitrate(target[0] * m.bits), Queue: unit.Bytes(queue)}
}

// The closed form for small p is the fixed point where p is small.
func TestCoNEXT16SmallMarkingProbability(t *testing.T) {
	e := FixedPoint(sigcomm15, 2, 40*gbps, 1000, red10)
	if !within(e.Approx, e.Mark, 0.25) {
		t.Errorf("p* %.4g, closed form %.4g", e.Mark, e.Approx)
	}
	// p* grows with the number of flows, and with it the queue: DCQCN's queue is not constant.
	last := Equilibrium{}
	for n := 1; n <= 64; n *= 2 {
		e := FixedPoint(sigcomm15, n, 40*gbps, 1000, red10)
		if e.Mark <= last.Mark || e.InRange && e.Queue <= last.Queue {
			t.Errorf("%d flows: %+v after %+v", n, e, last)
		}
		last = e
	}
	if e := FixedPoint(sigcomm15, 64, 40*gbps, 1000, RED{5000, 200000, unit.Ratio{Num: 1, Den: 1000}}); e.InRange ||
		e.Queue != 200000 {
		t.Errorf("off the curve: %+v", e)
	}
}

// The real reaction points, with CNPs, timers and lazily replayed ticks, share a
// marked queue fairly around that point.
func TestDCQCNSharesFairly(t *testing.T) {
	for _, n := range []int{2, 8, 32} {
		b := newBottleneck(sigcomm15, n, 40*gbps, 1000, 40) // base RTT 8 us
		b.mark, b.cnp = red10.Mark, sigcomm15.CNPInterval
		b.run(60 * ms)
		b.measure()
		b.run(60 * ms)
		m := b.measure()
		want := FixedPoint(sigcomm15, n, 40*gbps, 1000, red10)
		t.Logf("%2d flows: %+v, fixed point p* %.3g queue %v", n, m, want.Mark, want.Queue)
		if m.jain < 0.95 || m.utilisation < 0.95 {
			t.Errorf("%d flows: Jain index %.3f, utilisation %.3f, want both above 0.95", n, m.jain, m.utilisation)
		}
		// Packets, timers in lockstep and 8 us of delay are not a fluid: the queue saws above p*'s.
		if m.queue < want.Queue || m.queue > 2*want.Queue {
			t.Errorf("%d flows: mean queue %v, want between once and twice the fixed point's %v",
				n, m.queue, want.Queue)
		}
	}
}

// The terms of the fluid model as the paper prints them, with the library's Pow.
func TestCoNEXT16Terms(t *testing.T) {
	m := newFluid(sigcomm15, 8, 40*gbps, 1000)
	r, byteCounter, timer := 40e9/8/8000, 1e4, 55e-6
	for _, p := range []float64{1e-5, 1e-3, 0.02, 0.3} {
		frequency := func(x float64) float64 { return p / (math.Pow(1-p, -x) - 1) }
		b, d := frequency(byteCounter), frequency(timer*r)
		want := []float64{
			1 - math.Pow(1-p, 50e-6*r), 1 - math.Pow(1-p, 55e-6*r),
			b, b * math.Pow(1-p, 5*byteCounter), d, d * math.Pow(1-p, 5*timer*r),
		}
		a, alpha, gb, gc, gd, ge := m.terms(p)
		for i, got := range []float64{a, alpha, gb, gc, gd, ge} {
			// 1e-15 absolute: smaller increase frequencies are lost in 1 + expm1, and decide
			// nothing.
			if d := math.Abs(got - want[i]); d > 1e-9*want[i]+1e-15 {
				t.Errorf("p %v, term %c: %v, want %v", p, "aAbcde"[i], got, want[i])
			}
		}
	}
}

// Mark is the probability with which a packet is marked at queue length q.
func (r RED) Mark(q unit.Bytes) float64 {
	switch {
	case q <= r.Min:
		return 0
	case q > r.Max:
		return 1
	}
	return r.P.Float() * float64(q-r.Min) / float64(r.Max-r.Min)
}
