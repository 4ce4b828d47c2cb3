package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"railyard/internal/learn/nn/kernel/series"
)

// constants are vectors of one number each, in one read-only block.
type constants struct {
	block operand.Mem
	at    map[uint32]int
}

func (g *generator) bits(v uint32) operand.Mem {
	k := g.constants
	at, ok := k.at[v]
	if !ok {
		at = 4 * g.wide * len(k.at)
		k.at[v] = at
		for i := range g.wide {
			g.AddDatum(at+4*i, operand.U32(v))
		}
	}
	return k.block.Offset(at)
}

func (g *generator) number(v float32) operand.Mem { return g.bits(math.Float32bits(v)) }

// loaded is a constant in a register.
func (g *generator) loaded(v float32) reg.VecVirtual {
	r := g.vec()
	g.VMOVUPS(g.number(v), r)
	return r
}

const signBit = 1 << 31

// elements are the functions that stand in package kernel's elements.go, step by step as there.
func (g *generator) elements() {
	g.constants = &constants{block: g.StaticGlobal("constants"), at: map[uint32]int{}}
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	g.inPlace("vectorSigmoid", "1/(1+e^-z)", g.sigmoid)
	g.inPlace("vectorTanh", "its hyperbolic tangent", g.tanh)
	g.inPlace("vectorGELU", "z Phi(z)", func(x reg.VecVirtual) reg.VecVirtual {
		below, _ := g.normal(x)
		g.VMULPS(x, below, below)
		return below
	})
	g.slope()
	g.expSum()
	g.add()
}

// inPlace is a loop that replaces each element.
func (g *generator) inPlace(name, what string, f func(x reg.VecVirtual) reg.VecVirtual) {
	g.begin(name, "func(z *float32, n int)", "replaces each of n elements, a multiple of 8, by "+what+".")
	z, n := g.pointer("z"), g.count("n")
	g.loop(n, g.wide, func() {
		x := g.vec()
		g.VMOVUPS(at(z, 0), x)
		g.VMOVUPS(f(x), at(z, 0))
		g.ADDQ(operand.Imm(uint64(4*g.wide)), z)
	})
}

// loop repeats until n, at least step, is used up, and returns from the function.
func (g *generator) loop(n reg.GPVirtual, step int, body func()) {
	g.Label("loop")
	body()
	g.SUBQ(operand.Imm(uint64(step)), n)
	g.JNZ(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

func (g *generator) slope() {
	g.begin("vectorGELUSlope", "func(d, z *float32, n int)",
		"multiplies each of n elements of d, a multiple of 8, by the slope of z Phi(z).")
	d, z, n := g.pointer("d"), g.pointer("z"), g.count("n")
	g.loop(n, g.wide, func() {
		x := g.vec()
		g.VMOVUPS(at(z, 0), x)
		below, bell := g.normal(x)
		g.VMULPS(g.number(series.Density), bell, bell)
		g.VFMADD231PS(bell, x, below)
		g.VMULPS(at(d, 0), below, below)
		g.VMOVUPS(below, at(d, 0))
		g.ADDQ(operand.Imm(uint64(4*g.wide)), z)
		g.ADDQ(operand.Imm(uint64(4*g.wide)), d)
	})
}

// add belongs to both families: it has one rounding.
func (g *generator) add() {
	g.begin("vectorAdd", "func(to, v *float32, n int)", "adds n elements, a multiple of 8, to others.")
	to, v, n := g.pointer("to"), g.pointer("v"), g.count("n")
	g.loop(n, g.wide, func() {
		x := g.vec()
		g.VMOVUPS(at(v, 0), x)
		g.VADDPS(at(to, 0), x, x)
		g.VMOVUPS(x, at(to, 0))
		g.ADDQ(operand.Imm(uint64(4*g.wide)), v)
		g.ADDQ(operand.Imm(uint64(4*g.wide)), to)
	})
}

func (g *generator) expSum() {
	g.begin("vectorExpSum", "func(to, from *float32, top float32, lanes *float32, n int)",
		"makes e^(from-top) of n elements, a multiple of 16, and adds them to 16 sums.")
	to, from, sums, n := g.pointer("to"), g.pointer("from"), g.pointer("lanes"), g.count("n")
	top := g.vec()
	param, err := g.Param("top").Resolve()
	if err != nil {
		panic(err)
	}
	g.VBROADCASTSS(param.Addr, top)
	var sum [2]reg.VecVirtual
	for i := range sum {
		sum[i] = g.vec()
		g.VMOVUPS(at(sums, 4*g.wide*i), sum[i])
	}
	g.Label("loop")
	for i := range sum {
		x := g.vec()
		g.VMOVUPS(at(from, 4*g.wide*i), x)
		g.VSUBPS(top, x, x)
		e := g.exp(x)
		g.VMOVUPS(e, at(to, 4*g.wide*i))
		g.VADDPS(e, sum[i], sum[i])
	}
	g.ADDQ(operand.Imm(uint64(8*g.wide)), from)
	g.ADDQ(operand.Imm(uint64(8*g.wide)), to)
	g.SUBQ(operand.Imm(uint64(2*g.wide)), n)
	g.JNZ(operand.LabelRef("loop"))
	for i := range sum {
		g.VMOVUPS(sum[i], at(sums, 4*g.wide*i))
	}
	g.VZEROUPPER()
	g.RET()
}

// horner is a polynomial, highest power first.
func (g *generator) horner(x reg.VecVirtual, coef []float32) reg.VecVirtual {
	p := g.loaded(coef[0])
	for _, c := range coef[1:] {
		g.VFMADD213PS(g.number(c), x, p)
	}
	return p
}

// exp keeps x. The comparison and the bounds let a NaN pass.
func (g *generator) exp(x reg.VecVirtual) reg.VecVirtual {
	keep, v, t, n := g.vec(), g.vec(), g.vec(), g.vec()
	const notLess = 5
	g.VCMPPS(operand.U8(notLess), g.number(series.ExpLow), x, keep)
	low, high := g.loaded(series.ExpLow), g.loaded(series.ExpHigh)
	g.VMAXPS(x, low, v)
	g.VMINPS(v, high, v)
	g.VMOVUPS(g.number(series.Log2E), t)
	g.VFMADD213PS(g.number(series.Magic), v, t)
	g.VSUBPS(g.number(series.Magic), t, n)
	g.VFMADD231PS(g.number(-series.Ln2Hi), n, v)
	g.VFMADD231PS(g.number(-series.Ln2Lo), n, v)
	p := g.horner(v, series.Exp[:])
	g.VPSLLD(operand.U8(23), t, t)
	g.VPADDD(g.number(1), t, t)
	g.VMULPS(t, p, p)
	g.VANDPS(keep, p, p)
	return p
}

// inverseOnePlus is 1/(1+v), in v's place.
func (g *generator) inverseOnePlus(v reg.VecVirtual) reg.VecVirtual {
	one := g.loaded(1)
	g.VADDPS(one, v, v)
	g.VDIVPS(v, one, one)
	return one
}

func (g *generator) sigmoid(x reg.VecVirtual) reg.VecVirtual {
	g.VXORPS(g.bits(signBit), x, x)
	return g.inverseOnePlus(g.exp(x))
}

func (g *generator) tanh(x reg.VecVirtual) reg.VecVirtual {
	a, twice, large := g.vec(), g.vec(), g.loaded(1)
	g.VANDPS(g.bits(signBit-1), x, a)
	g.VADDPS(a, a, twice)
	e, two := g.exp(twice), g.loaded(2)
	g.VADDPS(g.number(1), e, e)
	g.VDIVPS(e, two, two)
	g.VSUBPS(two, large, large)
	sign := g.vec()
	g.VANDPS(g.bits(signBit), x, sign)
	g.VORPS(sign, large, large)
	q, cube, mask := g.vec(), g.vec(), g.vec()
	g.VMULPS(x, x, q)
	g.VMULPS(x, q, cube)
	p := g.horner(q, series.Tanh[:])
	g.VFMADD213PS(x, cube, p)
	const less = 1
	g.VCMPPS(operand.U8(less), g.number(series.TanhSmall), a, mask)
	g.VBLENDVPS(mask, p, large, large)
	return large
}

func (g *generator) normal(x reg.VecVirtual) (below, bell reg.VecVirtual) {
	square, t, one := g.vec(), g.vec(), g.loaded(1)
	g.VMULPS(x, x, square)
	g.VMULPS(g.number(-0.5), square, square)
	bell = g.exp(square)
	g.VANDPS(g.bits(signBit-1), x, t)
	k := g.loaded(series.NormalT)
	g.VFMADD213PS(one, k, t)
	g.VDIVPS(t, one, t)
	tail := g.horner(t, series.Normal[:])
	g.VMULPS(t, tail, tail)
	g.VMULPS(bell, tail, tail)
	g.VSUBPS(tail, one, one)
	mask, zero := g.vec(), g.vec()
	g.VXORPS(zero, zero, zero)
	const less = 1
	g.VCMPPS(operand.U8(less), zero, x, mask)
	g.VBLENDVPS(mask, tail, one, one)
	return one, bell
}
