package main

// image are the loops of package kernel's image.go, and what stands beside them in elements.go, as for amd64.
func (n *neon) image() {
	n.addNumber()
	n.descend()
	n.relu()
	n.reluSlope()
	n.largest()
	n.blockLoop("vectorCopyRows", "copies", "", "")
	n.blockLoop("vectorAddRows", "adds", "FADD", "FADDS")
}

func (n *neon) addNumber() {
	n.begin("vectorAddNumber", "func(to *float32, v float32, n int)", "adds v to each of n elements, a multiple of 8.")
	to, v, count := n.pointer("to"), n.broadcast("v"), n.count("n")
	n.loop(count, quad, func() {
		x := n.vector()
		n.load(x, to, 0)
		n.do("FADD", x, x, v)
		n.storeNext(x, to)
		n.release(x)
	})
	n.line("RET")
}

func (n *neon) descend() {
	n.begin("vectorDescend", "func(to, by *float32, scale, lr float32, n int)",
		"takes lr (scale by) from n elements, a multiple of 8.")
	p, from, count := n.pointer("to"), n.pointer("by"), n.count("n")
	scale, lr := n.broadcast("scale"), n.broadcast("lr")
	n.loop(count, quad, func() {
		x, y := n.vector(), n.vector()
		n.loadNext(x, from)
		n.load(y, p, 0)
		n.do("FMUL", x, x, scale)
		n.do("FMUL", x, x, lr)
		n.do("FSUB", y, y, x)
		n.storeNext(y, p)
		n.release(x, y)
	})
	n.line("RET")
}

// relu: FMAX of a NaN is one, and of zeros of both signs is +0.
func (n *neon) relu() {
	n.begin("vectorReLU", "func(z *float32, n int)", "replaces each of n elements, a multiple of 8, by max(0, z).")
	z, count, zero := n.pointer("z"), n.count("n"), n.zero()
	n.loop(count, quad, func() {
		x := n.vector()
		n.load(x, z, 0)
		n.do("FMAX", x, x, zero)
		n.storeNext(x, z)
		n.release(x)
	})
	n.line("RET")
}

func (n *neon) reluSlope() {
	n.begin("vectorReLUSlope", "func(d, y *float32, n int)",
		"makes those of n elements of d, a multiple of 8, +0 where y is.")
	d, y, count, zero := n.pointer("d"), n.pointer("y"), n.count("n"), n.zero()
	n.loop(count, quad, func() {
		x, mask := n.vector(), n.vector()
		n.loadNext(mask, y)
		n.do("VCMEQ", mask, mask, zero)
		n.load(x, d, 0)
		n.where(mask, zero, x)
		n.storeNext(x, d)
		n.release(x, mask)
	})
	n.line("RET")
}

// largest takes four windows at a time.
func (n *neon) largest() {
	n.begin("vectorLargest", "func(y *float32, at *int32, upper, lower *float32, first, width int32, n int)",
		"makes the largest elements of n windows of two by two, a multiple of 4, and their places.")
	y, at, upper, lower := n.pointer("y"), n.pointer("at"), n.pointer("upper"), n.pointer("lower")
	place, width, count := n.broadcastInt("first"), n.broadcastInt("width"), n.count("n")
	one, r := n.vector(), n.general()
	n.line("MOVD $1, %s", r)
	n.line("VDUP %s, %s", r, one)
	for lane := 1; lane < quad; lane++ { // places 0, 2, 4 and 6 from the first
		v := n.vector()
		n.do("VEOR", v, v, v)
		n.line("MOVD $%d, %s", 2*lane, r)
		n.line("VMOV %s, V%d.S[%d]", r, int(v), lane)
		n.do("VADD", place, place, v)
		n.release(v)
	}
	n.loop(count, quad, func() {
		top, second := n.everyOther(upper)
		third, fourth := n.everyOther(lower)
		best, next := n.vector(), n.vector()
		n.do("VORR", best, place, place)
		n.do("VADD", next, place, one)
		n.take(top, best, second, next)
		n.do("VADD", next, place, width)
		n.take(top, best, third, next)
		n.do("VADD", next, next, one)
		n.take(top, best, fourth, next)
		n.storeNext(top, y)
		n.storeNext(best, at)
		n.line("VSHL $3, %s, %s", one, next)
		n.do("VADD", place, place, next)
		n.release(top, second, third, fourth, best, next)
	})
	n.line("RET")
}

// everyOther loads two vectors: elements 0, 2, 4 and 6, and 1, 3, 5 and 7.
func (n *neon) everyOther(from general) (even, odd vector) {
	a, b := n.vector(), n.vector()
	even, odd = n.vector(), n.vector()
	n.loadNext(a, from)
	n.loadNext(b, from)
	n.do("VUZP1", even, a, b)
	n.do("VUZP2", odd, a, b)
	n.release(a, b)
	return even, odd
}

// take replaces top and best where v is larger, or a NaN.
func (n *neon) take(top, best, v, place vector) {
	larger, ordered := n.vector(), n.vector()
	n.do("FCMGT", larger, v, top)
	n.do("FCMEQ", ordered, v, v)
	n.where(larger, v, top)
	n.where(larger, place, best)
	n.unless(ordered, v, top)
	n.unless(ordered, place, best)
	n.release(larger, ordered)
}

// blockLoop copies each vector of a block's rows, and each element that is left over, or does something to it and
// what is there.
func (n *neon) blockLoop(name, does, ofVectors, ofElements string) {
	n.begin(name, "func(to, from *float32, ldTo, ldFrom, rows, cols int)",
		does+" rows of at least 8 elements; ldTo and ldFrom are from one to the next, in elements.")
	to, from, rows := n.pointer("to"), n.pointer("from"), n.count("rows")
	apartTo, apartFrom := n.stride("ldTo"), n.stride("ldFrom")
	x, y := n.vector(), n.vector()
	n.label("row")
	t, f, left := n.copyGeneral(to), n.copyGeneral(from), n.count("cols")
	n.label("vectors")
	n.loadNext(x, f)
	if ofVectors != "" {
		n.load(y, t, 0)
		n.do(ofVectors, x, y, x)
	}
	n.storeNext(x, t)
	n.line("SUB $%d, %s, %s", quad, left, left)
	n.line("CMP $%d, %s", quad, left)
	n.line("BGE vectors")
	n.line("CBZ %s, next", left)
	n.label("elements")
	n.line("FMOVS.P 4(%s), %s", f, x.whole())
	if ofElements != "" {
		n.line("FMOVS (%s), %s", t, y.whole())
		n.line("%s %s, %s, %s", ofElements, x.whole(), y.whole(), x.whole())
	}
	n.line("FMOVS.P %s, 4(%s)", x.whole(), t)
	n.line("SUBS $1, %s, %s", left, left)
	n.line("BNE elements")
	n.label("next")
	n.add(to, apartTo)
	n.add(from, apartFrom)
	n.line("SUBS $1, %s, %s", rows, rows)
	n.line("BNE row")
	n.line("RET")
}
