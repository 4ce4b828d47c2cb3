package main

import "fmt"

// neonRows and neonQuads are a tile's height, and its width in registers: 24 sums, a row of the panel, a
// number of a and a product are 30 registers of 32.
const (
	neonRows  = 6
	neonQuads = 4
)

type neonTile struct {
	*neon
	c, ldc, a, row, col, b, brow, m general
	step                            func(sum, x, y vector)
}

func (n *neon) fusedStep(sum, x, y vector) { n.fma(sum, x, y) }

func (n *neon) portableStep(sum, x, y vector) {
	product := n.vector()
	n.do("FMUL", product, x, y)
	n.do("FADD", sum, sum, product)
	n.release(product)
}

// tile is what amd64's is: full tiles, two of middle height, a lower one at the end.
func (n *neon) tile(family string, step func(sum, x, y vector)) {
	n.begin(family+"TileNEON", "func(c *float32, ldc int, a *float32, arow, acol int, b *float32, brow, m, k int, add bool)",
		fmt.Sprintf("makes c, or adds to it: m rows of %d columns, k terms each. Distances are in elements.",
			quad*neonQuads))
	t := &neonTile{neon: n, step: step, c: n.pointer("c"), ldc: n.stride("ldc"), a: n.pointer("a"),
		row: n.stride("arow"), col: n.stride("acol"), b: n.pointer("b"), brow: n.stride("brow"), m: n.count("m")}
	n.label("next")
	n.line("CMP $%d, %s", neonRows+4, t.m)
	n.line("BGE full")
	n.line("CMP $%d, %s", neonRows, t.m)
	n.line("BGT split")
	for r := neonRows - 1; r > 0; r-- {
		n.line("CMP $%d, %s", r, t.m)
		n.line("BEQ %s", label(r))
	}
	n.line("CBZ %s, end", t.m)
	n.label("full")
	t.rowsOf(neonRows)
	n.line("B next")
	n.label("split")
	t.rowsOf(neonRows/2 + 1)
	n.line("B next")
	for r := neonRows - 1; r > 0; r-- {
		n.label(label(r))
		t.rowsOf(r)
		n.line("B end")
	}
	n.label("end")
	n.line("RET")
}

// rowsOf makes one tile and moves a, c and m past it.
func (t *neonTile) rowsOf(rows int) {
	free := t.free
	sums := make([][neonQuads]vector, rows)
	for r := range sums {
		for i := range sums[r] {
			sums[r][i] = t.zero()
		}
	}
	start, add := t.newLabel("start"), t.general()
	t.line("MOVBU %s, %s", t.param("add"), add)
	t.line("CBZ %s, %s", add, start)
	t.eachSum(sums, t.load)
	t.label(start)
	pointers := make([]general, rows)
	for r := range pointers {
		pointers[r] = t.copyGeneral(t.a)
		t.neon.add(t.a, t.row)
	}
	b, k := t.copyGeneral(t.b), t.count("k")
	t.loop(k, 1, func() { t.terms(sums, pointers, b) })
	t.eachSum(sums, t.store)
	for range rows {
		t.neon.add(t.c, t.ldc)
	}
	t.line("SUB $%d, %s, %s", rows, t.m, t.m)
	t.free = free
}

// terms adds the products of one row of the panel.
func (t *neonTile) terms(sums [][neonQuads]vector, pointers []general, b general) {
	var panel [neonQuads]vector
	for i := range panel {
		panel[i] = t.vector()
		t.load(panel[i], b, 16*i)
	}
	t.neon.add(b, t.brow)
	for r, s := range sums {
		x := t.vector()
		t.line("VLD1R.P (%s)(%s), [%s]", pointers[r], t.col, x)
		for i, sum := range s {
			t.step(sum, x, panel[i])
		}
		t.release(x)
	}
	t.release(panel[:]...)
}

// eachSum does something with each sum and its place in c.
func (t *neonTile) eachSum(sums [][neonQuads]vector, do func(sum vector, c general, at int)) {
	c := t.copyGeneral(t.c)
	for _, s := range sums {
		for i, sum := range s {
			do(sum, c, 16*i)
		}
		t.neon.add(c, t.ldc)
	}
	t.releaseGeneral(c)
}

// copyPanel packs rows that lie in memory as the panel wants them.
func (n *neon) copyPanel() {
	n.begin("copyPanelNEON", "func(to, from *float32, row, rows int)",
		"packs rows of a panel's width; row is from one to the next, in elements.")
	to, from, apart, rows := n.pointer("to"), n.pointer("from"), n.stride("row"), n.count("rows")
	n.loop(rows, 1, func() {
		var v [neonQuads]vector
		for i := range v {
			v[i] = n.vector()
			n.load(v[i], from, 16*i)
		}
		for _, v := range v {
			n.storeNext(v, to)
		}
		n.add(from, apart)
		n.release(v[:]...)
	})
	n.line("RET")
}

// transpose packs 8 columns from rows of memory, 8 numbers of each at a time, as squares of four by four.
func (n *neon) transpose() {
	n.begin("transpose8", "func(to *float32, width int, from *float32, row, blocks int)",
		"packs 8 columns of a panel of so many from 8 rows, 8 numbers a block.")
	to, width, from, apart := n.pointer("to"), n.stride("width"), n.pointer("from"), n.stride("row")
	blocks := n.count("blocks")
	n.loop(blocks, 1, func() {
		in := n.copyGeneral(from)
		for rows := range 2 {
			var half [2][quad]vector
			for r := range quad {
				for h := range half {
					half[h][r] = n.vector()
					n.load(half[h][r], in, 16*h)
				}
				n.add(in, apart)
			}
			out := n.copyGeneral(to)
			for _, square := range half {
				for _, v := range n.transposed(square) {
					n.store(v, out, 16*rows)
					n.add(out, width)
					n.release(v)
				}
			}
			n.releaseGeneral(out)
		}
		n.releaseGeneral(in)
		n.line("ADD $32, %s, %s", from, from)
		n.line("ADD %s<<3, %s, %s", width, to, to)
	})
	n.line("RET")
}

// transposed swaps pairs of numbers, then pairs of pairs.
func (n *neon) transposed(in [quad]vector) (out [quad]vector) {
	var pairs [quad]vector
	for i := range pairs {
		pairs[i], out[i] = n.vector(), n.vector()
	}
	for i := 0; i < quad; i += 2 {
		n.do("VTRN1", pairs[i], in[i], in[i+1])   // even columns of two rows
		n.do("VTRN2", pairs[i+1], in[i], in[i+1]) // odd ones
	}
	for i := range 2 {
		n.line("VTRN1 V%d.D2, V%d.D2, V%d.D2", int(pairs[i+2]), int(pairs[i]), int(out[i]))
		n.line("VTRN2 V%d.D2, V%d.D2, V%d.D2", int(pairs[i+2]), int(pairs[i]), int(out[i+2]))
	}
	n.release(in[:]...)
	n.release(pairs[:]...)
	return out
}
