package main

import "railyard/internal/learn/nn/kernel/series"

// elements are the functions that stand in package kernel's elements.go, step by step as there.
func (n *neon) elements() {
	n.inPlace("vectorSigmoid", "1/(1+e^-z)", n.sigmoid)
	n.inPlace("vectorTanh", "its hyperbolic tangent", n.tanh)
	n.inPlace("vectorGELU", "z Phi(z)", func(x vector) vector {
		below, bell := n.normal(x)
		n.do("FMUL", below, below, x)
		n.release(bell)
		return below
	})
	n.slope()
	n.expSum()
	n.addLoop()
}

// inPlace is a loop that replaces each element.
func (n *neon) inPlace(name, what string, f func(x vector) vector) {
	n.begin(name, "func(z *float32, n int)", "replaces each of n elements, a multiple of 8, by "+what+".")
	z, count := n.pointer("z"), n.count("n")
	n.withConstants()
	n.loop(count, quad, func() {
		x := n.vector()
		n.load(x, z, 0)
		y := f(x)
		n.storeNext(y, z)
		n.release(x, y)
	})
	n.line("RET")
}

func (n *neon) slope() {
	n.begin("vectorGELUSlope", "func(d, z *float32, n int)",
		"multiplies each of n elements of d, a multiple of 8, by the slope of z Phi(z).")
	d, z, count := n.pointer("d"), n.pointer("z"), n.count("n")
	n.withConstants()
	n.loop(count, quad, func() {
		x, y := n.vector(), n.vector()
		n.loadNext(x, z)
		below, bell := n.normal(x)
		n.with("FMUL", bell, bell, n.number(series.Density))
		n.fma(below, x, bell)
		n.load(y, d, 0)
		n.do("FMUL", y, y, below)
		n.storeNext(y, d)
		n.release(x, y, below, bell)
	})
	n.line("RET")
}

// addLoop belongs to both families: it has one rounding.
func (n *neon) addLoop() {
	n.begin("vectorAdd", "func(to, v *float32, n int)", "adds n elements, a multiple of 8, to others.")
	to, v, count := n.pointer("to"), n.pointer("v"), n.count("n")
	n.loop(count, quad, func() {
		x, y := n.vector(), n.vector()
		n.loadNext(x, v)
		n.load(y, to, 0)
		n.do("FADD", y, y, x)
		n.storeNext(y, to)
		n.release(x, y)
	})
	n.line("RET")
}

func (n *neon) expSum() {
	n.begin("vectorExpSum", "func(to, from *float32, top float32, lanes *float32, n int)",
		"makes e^(from-top) of n elements, a multiple of 16, and adds them to 16 sums.")
	to, from, lanes, count := n.pointer("to"), n.pointer("from"), n.pointer("lanes"), n.count("n")
	top := n.broadcast("top")
	n.withConstants()
	var sums [4]vector
	for i := range sums {
		sums[i] = n.vector()
		n.load(sums[i], lanes, 16*i)
	}
	n.loop(count, len(sums)*quad, func() {
		for _, sum := range sums {
			x := n.vector()
			n.loadNext(x, from)
			n.do("FSUB", x, x, top)
			e := n.exp(x)
			n.storeNext(e, to)
			n.do("FADD", sum, sum, e)
			n.release(x, e)
		}
	})
	for i, sum := range sums {
		n.store(sum, lanes, 16*i)
	}
	n.line("RET")
}

// horner is a polynomial, highest power first.
func (n *neon) horner(x vector, coef []float32) vector {
	p := n.number(coef[0])
	for _, c := range coef[1:] {
		sum := n.number(c)
		n.fma(sum, p, x)
		n.release(p)
		p = sum
	}
	return p
}

// exp keeps x. The comparison and the bounds let a NaN pass.
func (n *neon) exp(x vector) vector {
	v, whole := n.vector(), n.vector()
	n.with("FMAX", v, x, n.number(series.ExpLow))
	n.with("FMIN", v, v, n.number(series.ExpHigh))
	t := n.number(series.Magic)
	log := n.number(series.Log2E)
	n.fma(t, v, log)
	n.release(log)
	n.with("FSUB", whole, t, n.number(series.Magic))
	for _, part := range []float32{series.Ln2Hi, series.Ln2Lo} {
		minus := n.number(-part)
		n.fma(v, whole, minus)
		n.release(minus)
	}
	p := n.horner(v, series.Exp[:])
	n.line("VSHL $23, %s, %s", t, t)
	n.with("VADD", t, t, n.number(1))
	n.do("FMUL", p, p, t)
	low, less, zero := n.number(series.ExpLow), n.vector(), n.zero()
	n.do("FCMGT", less, low, x)
	n.where(less, zero, p)
	n.release(v, whole, t, low, less, zero)
	return p
}

func (n *neon) sigmoid(x vector) vector {
	n.of("FNEG", x, x)
	e, one := n.exp(x), n.number(1)
	n.do("FADD", e, e, one)
	n.do("FDIV", one, one, e)
	n.release(e)
	return one
}

func (n *neon) tanh(x vector) vector {
	a, twice := n.vector(), n.vector()
	n.of("FABS", a, x)
	n.do("FADD", twice, a, a)
	e, two, large := n.exp(twice), n.number(2), n.number(1)
	n.do("FADD", e, e, large)
	n.do("FDIV", two, two, e)
	n.do("FSUB", large, large, two)
	sign := n.bits(signBit)
	n.where(sign, x, large)
	n.release(twice, e, two, sign)
	q, cube, mask := n.vector(), n.vector(), n.vector()
	n.do("FMUL", q, x, x)
	n.do("FMUL", cube, q, x)
	p, small := n.horner(q, series.Tanh[:]), n.vector()
	n.do("VORR", small, x, x)
	n.fma(small, cube, p)
	bound := n.number(series.TanhSmall)
	n.do("FCMGT", mask, bound, a)
	n.where(mask, small, large)
	n.release(a, q, cube, mask, p, small, bound)
	return large
}

func (n *neon) normal(x vector) (below, bell vector) {
	square := n.vector()
	n.do("FMUL", square, x, x)
	n.with("FMUL", square, square, n.number(-0.5))
	bell = n.exp(square)
	n.release(square)
	a, t, k := n.vector(), n.number(1), n.number(series.NormalT)
	n.of("FABS", a, x)
	n.fma(t, a, k)
	one := n.number(1)
	n.do("FDIV", t, one, t)
	tail := n.horner(t, series.Normal[:])
	n.do("FMUL", tail, tail, t)
	n.do("FMUL", tail, tail, bell)
	n.do("FSUB", one, one, tail)
	zero, mask := n.zero(), n.vector()
	n.do("FCMGT", mask, zero, x)
	n.where(mask, tail, one)
	n.release(a, t, k, tail, zero, mask)
	return one, bell
}
