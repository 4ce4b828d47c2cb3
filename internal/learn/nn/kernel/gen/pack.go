package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// copyPanel packs rows that lie in memory as the panel wants them.
func (g *generator) copyPanel() {
	g.begin("copyPanel"+g.name, "func(to, from *float32, row, rows int)",
		"packs rows of a panel's width; row is from one to the next, in elements.")
	to, from, apart, rows := g.pointer("to"), g.pointer("from"), g.stride("row"), g.count("rows")
	g.Label("loop")
	v0, v1 := g.vec(), g.vec()
	g.VMOVUPS(at(from, 0), v0)
	g.VMOVUPS(at(from, 4*g.wide), v1)
	g.VMOVUPS(v0, at(to, 0))
	g.VMOVUPS(v1, at(to, 4*g.wide))
	g.ADDQ(apart, from)
	g.ADDQ(operand.Imm(uint64(8*g.wide)), to)
	g.DECQ(rows)
	g.JNZ(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

// transpose packs 8 columns from rows of memory, 8 numbers of each at a time:
//
//	from  row 0: k0 k1 ... k7 | ...        to  row 0 of the panel: one number of each row
//	      row 7: k0 k1 ... k7 | ...            row 1
func (g *generator) transpose() {
	g.begin("transpose8", "func(to *float32, width int, from *float32, row, blocks int)",
		"packs 8 columns of a panel of so many from 8 rows, 8 numbers a block.")
	to, width, from, apart := g.pointer("to"), g.stride("width"), g.pointer("from"), g.stride("row")
	blocks := g.count("blocks")
	g.Label("loop")
	var in [8]reg.VecVirtual
	t := &tiler{generator: g}
	rows := t.every3(8, from, apart)
	for r := range in {
		in[r] = g.vec()
		g.VMOVUPS(row(rows[r/3], apart, r%3, 0), in[r])
	}
	out := t.every3(8, to, width)
	for r, v := range g.transposed(in) {
		g.VMOVUPS(v, row(out[r/3], width, r%3, 0))
	}
	g.ADDQ(operand.Imm(32), from)
	g.LEAQ(operand.Mem{Base: to, Index: width, Scale: 8}, to)
	g.DECQ(blocks)
	g.JNZ(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

// transposed swaps pairs of numbers, then pairs of pairs, then halves.
func (g *generator) transposed(in [8]reg.VecVirtual) (out [8]reg.VecVirtual) {
	var pairs, quads [8]reg.VecVirtual
	for i := range 8 {
		pairs[i], quads[i], out[i] = g.vec(), g.vec(), g.vec()
	}
	for i := 0; i < 8; i += 2 {
		g.VUNPCKLPS(in[i+1], in[i], pairs[i])
		g.VUNPCKHPS(in[i+1], in[i], pairs[i+1])
	}
	for i := 0; i < 8; i += 4 {
		for j := range 2 { // low pairs give columns 0, 1 (and 4, 5), high ones 2, 3 (6, 7)
			g.VSHUFPS(operand.U8(0x44), pairs[i+2+j], pairs[i+j], quads[i+2*j])
			g.VSHUFPS(operand.U8(0xEE), pairs[i+2+j], pairs[i+j], quads[i+2*j+1])
		}
	}
	for i := range 4 {
		g.VPERM2F128(operand.U8(0x20), quads[i+4], quads[i], out[i])
		g.VPERM2F128(operand.U8(0x31), quads[i+4], quads[i], out[i+4])
	}
	return out
}
