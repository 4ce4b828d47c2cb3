package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// image are the loops of package kernel's image.go, and what stands beside them in elements.go.
func (g *generator) image() {
	g.addNumber()
	g.descend()
	g.relu()
	g.reluSlope()
	g.largest()
	g.blockLoop("vectorCopyRows", "copies", func(to, from operand.Mem) {
		x := g.vec()
		g.VMOVUPS(from, x)
		g.VMOVUPS(x, to)
	}, func(to, from operand.Mem) {
		x := g.XMM()
		g.VMOVSS(from, x)
		g.VMOVSS(x, to)
	})
	g.blockLoop("vectorAddRows", "adds", func(to, from operand.Mem) {
		x := g.vec()
		g.VMOVUPS(to, x)
		g.VADDPS(from, x, x)
		g.VMOVUPS(x, to)
	}, func(to, from operand.Mem) {
		x := g.XMM()
		g.VMOVSS(to, x)
		g.VADDSS(from, x, x)
		g.VMOVSS(x, to)
	})
}

// broadcast is a parameter of 32 bits in every lane.
func (g *generator) broadcast(name string) reg.VecVirtual {
	param, err := g.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	r := g.vec()
	g.VBROADCASTSS(param.Addr, r)
	return r
}

func (g *generator) addNumber() {
	g.begin("vectorAddNumber", "func(to *float32, v float32, n int)",
		"adds v to each of n elements, a multiple of 8.")
	to, v, n := g.pointer("to"), g.broadcast("v"), g.count("n")
	g.loop(n, g.wide, func() {
		x := g.vec()
		g.VADDPS(at(to, 0), v, x)
		g.VMOVUPS(x, at(to, 0))
		g.ADDQ(operand.Imm(uint64(4*g.wide)), to)
	})
}

func (g *generator) descend() {
	g.begin("vectorDescend", "func(to, by *float32, scale, lr float32, n int)",
		"takes lr (scale by) from n elements, a multiple of 8.")
	p, from, n := g.pointer("to"), g.pointer("by"), g.count("n")
	scale, lr := g.broadcast("scale"), g.broadcast("lr")
	g.loop(n, g.wide, func() {
		x, y := g.vec(), g.vec()
		g.VMULPS(at(from, 0), scale, x)
		g.VMULPS(x, lr, x)
		g.VMOVUPS(at(p, 0), y)
		g.VSUBPS(x, y, y)
		g.VMOVUPS(y, at(p, 0))
		g.ADDQ(operand.Imm(uint64(4*g.wide)), from)
		g.ADDQ(operand.Imm(uint64(4*g.wide)), p)
	})
}

func (g *generator) zero() reg.VecVirtual {
	r := g.vec()
	g.VXORPS(r, r, r)
	return r
}

// relu: the maximum of a NaN or of zeros is its second operand; 0 added makes -0 +0.
func (g *generator) relu() {
	g.begin("vectorReLU", "func(z *float32, n int)",
		"replaces each of n elements, a multiple of 8, by max(0, z).")
	z, n := g.pointer("z"), g.count("n")
	zero := g.zero()
	g.loop(n, g.wide, func() {
		x := g.vec()
		g.VMAXPS(at(z, 0), zero, x)
		g.VADDPS(zero, x, x)
		g.VMOVUPS(x, at(z, 0))
		g.ADDQ(operand.Imm(uint64(4*g.wide)), z)
	})
}

func (g *generator) reluSlope() {
	g.begin("vectorReLUSlope", "func(d, y *float32, n int)",
		"makes those of n elements of d, a multiple of 8, +0 where y is.")
	d, y, n := g.pointer("d"), g.pointer("y"), g.count("n")
	zero := g.zero()
	g.loop(n, g.wide, func() {
		x := g.vec()
		g.VPCMPEQD(at(y, 0), zero, x)
		g.VPANDN(at(d, 0), x, x)
		g.VMOVUPS(x, at(d, 0))
		g.ADDQ(operand.Imm(uint64(4*g.wide)), y)
		g.ADDQ(operand.Imm(uint64(4*g.wide)), d)
	})
}

// halves is the order in which VSHUFPS takes every other element of two vectors, and where each lies.
var halves = [8]int{0, 2, 8, 10, 4, 6, 12, 14}

// lanes makes the tables of numbers that differ from lane to lane: 0, 1, 2 and so on to 15, and halves.
func (g *generator) lanes() (iota, places operand.Mem) {
	block := g.StaticGlobal("lanes")
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 2 * g.wide {
		g.AddDatum(4*i, operand.U32(i))
	}
	for i, v := range halves {
		g.AddDatum(4*(2*g.wide+i), operand.U32(v))
	}
	return block, block.Offset(8 * g.wide)
}

// largest takes eight windows at a time, the last ones under a mask.
func (g *generator) largest() {
	iota, order := g.lanes()
	g.begin("vectorLargest", "func(y *float32, at *int32, upper, lower *float32, first, width int32, n int)",
		"makes the largest elements of n windows of two by two, and their places.")
	y, places, upper, lower := g.pointer("y"), g.pointer("at"), g.pointer("upper"), g.pointer("lower")
	place, width, n := g.broadcast("first"), g.broadcast("width"), g.count("n")
	low, left, eight, one := g.XMM(), g.vec(), g.vec(), g.vec()
	g.VMOVD(n.As32(), low)
	g.VPBROADCASTD(low, left)
	g.VPADDD(order, place, place)
	g.VPCMPEQD(one, one, one)
	g.VPSRLD(operand.U8(31), one, one)
	g.VPSLLD(operand.U8(3), one, eight)
	g.Label("loop")
	var in [2]reg.VecVirtual
	double, out := g.vec(), g.vec()
	g.VPADDD(left, left, double)
	for i := range in {
		in[i] = g.vec()
		g.VPCMPGTD(iota.Offset(4*g.wide*i), double, in[i])
	}
	g.VPCMPGTD(iota, left, out)
	top, second := g.everyOther(upper, in)
	best, next := g.vec(), g.vec()
	g.VMOVUPS(place, best)
	g.VPADDD(one, place, next)
	g.take(top, best, second, next)
	third, fourth := g.everyOther(lower, in)
	g.VPADDD(width, place, next)
	g.take(top, best, third, next)
	g.VPADDD(one, next, next)
	g.take(top, best, fourth, next)
	const inOrder = 0b11_01_10_00
	g.VPERMPD(operand.U8(inOrder), top, top)
	g.VPERMPD(operand.U8(inOrder), best, best)
	g.VMASKMOVPS(top, out, at(y, 0))
	g.VMASKMOVPS(best, out, at(places, 0))
	g.VPSUBD(eight, left, left)
	g.VPADDD(eight, place, place)
	g.VPADDD(eight, place, place)
	for _, p := range []reg.GPVirtual{y, places} {
		g.ADDQ(operand.Imm(uint64(4*g.wide)), p)
	}
	for _, p := range []reg.GPVirtual{upper, lower} {
		g.ADDQ(operand.Imm(uint64(8*g.wide)), p)
	}
	g.SUBQ(operand.Imm(uint64(g.wide)), n)
	g.JGT(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

// everyOther loads two vectors under masks: elements 0, 2, 4 and so on, and 1, 3, 5, in the order of halves.
func (g *generator) everyOther(from reg.GPVirtual, masks [2]reg.VecVirtual) (even, odd reg.VecVirtual) {
	a, b := g.vec(), g.vec()
	g.VMASKMOVPS(at(from, 0), masks[0], a)
	g.VMASKMOVPS(at(from, 4*g.wide), masks[1], b)
	even, odd = g.vec(), g.vec()
	g.VSHUFPS(operand.U8(0b10_00_10_00), b, a, even)
	g.VSHUFPS(operand.U8(0b11_01_11_01), b, a, odd)
	return even, odd
}

// take replaces top and best where v is larger, or a NaN.
func (g *generator) take(top, best, v, place reg.VecVirtual) {
	larger, nan := g.vec(), g.vec()
	const greater, unordered = 30, 3
	g.VCMPPS(operand.U8(greater), top, v, larger)
	g.VCMPPS(operand.U8(unordered), v, v, nan)
	g.VORPS(nan, larger, larger)
	g.VBLENDVPS(larger, v, top, top)
	g.VBLENDVPS(larger, place, best, best)
}

// blockLoop does something to each vector of a block's rows, and to each element that is left over.
func (g *generator) blockLoop(name, does string, vector, element func(to, from operand.Mem)) {
	g.begin(name, "func(to, from *float32, ldTo, ldFrom, rows, cols int)",
		does+" rows of at least 8 elements; ldTo and ldFrom are from one to the next, in elements.")
	to, from, rows, cols := g.pointer("to"), g.pointer("from"), g.count("rows"), g.count("cols")
	apartTo, apartFrom := g.stride("ldTo"), g.stride("ldFrom")
	whole, i := g.GP64(), g.GP64()
	g.MOVQ(cols, whole)
	g.ANDQ(operand.I8(-g.wide), whole)
	indexed := func(base reg.Register) operand.Mem { return operand.Mem{Base: base, Index: i, Scale: 4} }
	g.Label("row")
	g.XORQ(i, i)
	g.Label("vectors")
	vector(indexed(to), indexed(from))
	g.ADDQ(operand.Imm(uint64(g.wide)), i)
	g.CMPQ(i, whole)
	g.JLT(operand.LabelRef("vectors"))
	g.CMPQ(i, cols)
	g.JGE(operand.LabelRef("next"))
	g.Label("elements")
	element(indexed(to), indexed(from))
	g.INCQ(i)
	g.CMPQ(i, cols)
	g.JLT(operand.LabelRef("elements"))
	g.Label("next")
	g.ADDQ(apartTo, to)
	g.ADDQ(apartFrom, from)
	g.DECQ(rows)
	g.JNZ(operand.LabelRef("row"))
	g.VZEROUPPER()
	g.RET()
}
