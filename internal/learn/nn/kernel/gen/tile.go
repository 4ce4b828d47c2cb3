package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tiler holds the registers of one tile function.
type tiler struct {
	*generator
	c, ldc, a, row, col, b, brow, m reg.GPVirtual
	step                            func(sum, x, y reg.VecVirtual)
	name                            string
}

// fusedStep adds x y to sum with one rounding, portableStep with two.
func (g *generator) fusedStep(sum, x, y reg.VecVirtual) { g.VFMADD231PS(x, y, sum) }

func (g *generator) portableStep(sum, x, y reg.VecVirtual) {
	product := g.vec()
	g.VMULPS(x, y, product)
	g.VADDPS(product, sum, sum)
}

// tile is c (+)= a b for m rows and the columns of two registers. Rows go in tiles as tall as the
// registers allow: all sums of a tile stay in registers.
func (g *generator) tile(family string, step func(sum, x, y reg.VecVirtual)) {
	name := family + "Tile" + g.name
	g.begin(name, "func(c *float32, ldc int, a *float32, arow, acol int, b *float32, brow, m, k int, add bool)",
		fmt.Sprintf("makes c, or adds to it: m rows of %d columns, k terms each. Distances are in elements.", 2*g.wide))
	t := &tiler{generator: g, name: name, step: step, c: g.pointer("c"), ldc: g.stride("ldc"), a: g.pointer("a"),
		row: g.stride("arow"), col: g.stride("acol"), b: g.pointer("b"), brow: g.stride("brow"), m: g.count("m")}
	full := g.rows
	g.Label("next")
	g.CMPQ(t.m, operand.Imm(uint64(full+4)))
	g.JGE(operand.LabelRef("full"))
	// Two shorter tiles of equal height keep more sums in flight than a full one and a low one.
	g.CMPQ(t.m, operand.Imm(uint64(full)))
	g.JG(operand.LabelRef("split"))
	for r := full - 1; r > 0; r-- {
		g.CMPQ(t.m, operand.Imm(uint64(r)))
		g.JE(operand.LabelRef(label(r)))
	}
	g.CMPQ(t.m, operand.Imm(0))
	g.JE(operand.LabelRef("end"))
	g.Label("full")
	t.rowsOf(full)
	g.JMP(operand.LabelRef("next"))
	g.Label("split")
	t.rowsOf(full/2 + 1)
	g.JMP(operand.LabelRef("next"))
	for r := full - 1; r > 0; r-- {
		g.Label(label(r))
		t.rowsOf(r)
		g.JMP(operand.LabelRef("end"))
	}
	g.Label("end")
	if g.wide > 4 {
		g.VZEROUPPER()
	}
	g.RET()
}

func label(rows int) string { return fmt.Sprintf("rows%d", rows) }

// rowsOf makes one tile and moves a, c and m past it.
func (t *tiler) rowsOf(rows int) {
	t.labels++
	loop, start := fmt.Sprintf("loop%d", t.labels), fmt.Sprintf("start%d", t.labels)
	sums := make([][2]reg.VecVirtual, rows)
	for r := range sums {
		sums[r] = [2]reg.VecVirtual{t.vec(), t.vec()}
	}
	t.zero(sums)
	add := t.Load(t.Param("add"), t.GP8())
	t.TESTB(add, add)
	t.JZ(operand.LabelRef(start))
	t.eachSum(sums, func(sum reg.VecVirtual, at operand.Mem) { t.VMOVUPS(at, sum) })
	t.Label(start)
	// Three rows share a pointer: x86 addresses base, base + row, base + 2 row.
	pointers := t.every3(rows, t.a, t.row)
	b, k := t.GP64(), t.GP64()
	t.MOVQ(t.b, b)
	t.Load(t.Param("k"), k)
	t.Label(loop)
	t.terms(sums, pointers, b)
	t.ADDQ(t.brow, b)
	for _, p := range pointers {
		t.ADDQ(t.col, p)
	}
	t.DECQ(k)
	t.JNZ(operand.LabelRef(loop))
	t.eachSum(sums, func(sum reg.VecVirtual, at operand.Mem) { t.VMOVUPS(sum, at) })
	for range rows {
		t.ADDQ(t.row, t.a)
		t.ADDQ(t.ldc, t.c)
	}
	t.SUBQ(operand.Imm(uint64(rows)), t.m)
}

func (t *tiler) zero(sums [][2]reg.VecVirtual) {
	for _, s := range sums {
		t.VXORPS(s[0], s[0], s[0])
		t.VXORPS(s[1], s[1], s[1])
	}
}

// terms adds the products of one row of the panel.
func (t *tiler) terms(sums [][2]reg.VecVirtual, pointers []reg.GPVirtual, b reg.GPVirtual) {
	b0, b1 := t.vec(), t.vec()
	t.VMOVUPS(at(b, 0), b0)
	t.VMOVUPS(at(b, 4*t.wide), b1)
	for r, s := range sums {
		x := t.vec()
		t.VBROADCASTSS(row(pointers[r/3], t.row, r%3, 0), x)
		t.step(s[0], x, b0)
		t.step(s[1], x, b1)
	}
}

// eachSum does something with each sum and its place in c.
func (t *tiler) eachSum(sums [][2]reg.VecVirtual, do func(sum reg.VecVirtual, at operand.Mem)) {
	pointers := t.every3(len(sums), t.c, t.ldc)
	for r, s := range sums {
		for i, sum := range s {
			do(sum, row(pointers[r/3], t.ldc, r%3, 4*t.wide*i))
		}
	}
}

// every3 is the address of each third row.
func (t *tiler) every3(rows int, base, apart reg.GPVirtual) []reg.GPVirtual {
	var list []reg.GPVirtual
	for r := 0; r < rows; r += 3 {
		p := t.GP64()
		if r == 0 {
			t.MOVQ(base, p)
		} else {
			t.LEAQ(row(list[len(list)-1], apart, 1, 0), p)
			t.LEAQ(row(p, apart, 2, 0), p)
		}
		list = append(list, p)
	}
	return list
}
