package kernel

import (
	"fmt"
	"sync"
)

// A Product is the shape of one product of matrices: C is M x N, and each of its
// elements sums K terms.
type Product struct {
	M, N, K       int
	LDA, LDB, LDC int  // elements from one row to the next
	Add           bool // C += A B, else C = A B
}

// A block of B is packed at once. A panel of it fits into the first level of
// cache, blockM rows of A into the second, where all panels find them.
const (
	blockM = 96
	blockK = 256
	blockN = 512
)

// far is from how many elements on rows of A are copied together: before, the
// pages and sets of a cache that they lie in are few.
const far = 512

// apart is the space between rows that are together. Rows a power of two apart would share sets of
// a cache.
const apart = 16

// maxWidth is that of the widest panel of any processor.
const maxWidth = 32

// A matrix is an operand, seen as its product takes it: element i, j is at
// data[i*row + j*col].
type matrix struct {
	data     []float32
	row, col int
}

// from is the matrix whose first element is i, j.
func (m matrix) from(i, j int) matrix {
	return matrix{m.data[i*m.row+j*m.col:], m.row, m.col}
}

// engine is how a family of products runs on one processor.
type engine struct {
	name  string // of the instruction set
	width int    // of a panel
	// tile makes c, m x width, or adds to it, from a, m x k, and b, k x width, whose rows are
	// contiguous; k is at least 1.
	tile func(c []float32, ldc int, a, b matrix, m, k int, add bool)
	// rows packs k rows of a whole panel, columns as many columns of a panel as there are; both
	// from memory in which those are contiguous.
	rows    func(panel []float32, b matrix, k, width int)
	columns func(panel []float32, b matrix, k, cols, width int)
}

// scratch is room for a packed block, and for a tile at the edge of C.
type scratch struct {
	block [blockK * blockN]float32
	rows  [(blockM + apart) * (blockK + apart)]float32
	edge  [blockM * maxWidth]float32
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func (e *engine) nn(c, a, b []float32, p Product) {
	p.check(len(c), len(a), len(b), size(p.M, p.K, p.LDA), size(p.K, p.N, p.LDB))
	e.multiply(c, matrix{a, p.LDA, 1}, matrix{b, p.LDB, 1}, p)
}

func (e *engine) nt(c, a, b []float32, p Product) {
	p.check(len(c), len(a), len(b), size(p.M, p.K, p.LDA), size(p.N, p.K, p.LDB))
	e.multiply(c, matrix{a, p.LDA, 1}, matrix{b, 1, p.LDB}, p)
}

func (e *engine) tn(c, a, b []float32, p Product) {
	p.check(len(c), len(a), len(b), size(p.K, p.M, p.LDA), size(p.K, p.N, p.LDB))
	e.multiply(c, matrix{a, 1, p.LDA}, matrix{b, p.LDB, 1}, p)
}

// size is how many elements a matrix spans; -1 if its rows overlap.
func size(rows, cols, ld int) int {
	switch {
	case rows == 0 || cols == 0:
		return 0
	case ld < cols:
		return -1
	}
	return (rows-1)*ld + cols
}

// check stops at a shape that does not fit the memory: assembly would not.
func (p Product) check(c, a, b, wantA, wantB int) {
	wantC := size(p.M, p.N, p.LDC)
	if min(p.M, p.N, p.K, wantA, wantB, wantC) < 0 || a < wantA || b < wantB || c < wantC {
		panic(fmt.Sprintf("kernel: product %+v of %d and %d elements into %d", p, a, b, c))
	}
}

func (e *engine) multiply(c []float32, a, b matrix, p Product) {
	if p.M == 0 || p.N == 0 {
		return
	}
	if p.K == 0 {
		if !p.Add {
			clearRows(c, p)
		}
		return
	}
	s := scratches.Get().(*scratch)
	for j := 0; j < p.N; j += blockN {
		n := min(blockN, p.N-j)
		for k := 0; k < p.K; k += blockK {
			part := Product{M: p.M, N: n, K: min(blockK, p.K-k), LDC: p.LDC, Add: p.Add || k > 0}
			e.pack(s.block[:], b.from(k, j), part.K, n)
			e.panels(c[j:], a.from(0, k), part, s)
		}
	}
	scratches.Put(s)
}

func clearRows(c []float32, p Product) {
	for i := range p.M {
		clear(c[i*p.LDC : i*p.LDC+p.N])
	}
}

// panels multiplies a with the packed block, some rows at a time.
func (e *engine) panels(c []float32, a matrix, p Product, s *scratch) {
	for i := 0; i < p.M; i += blockM {
		m := min(blockM, p.M-i)
		rows := a.from(i, 0)
		if max(a.row, a.col) >= far && p.N > 4*e.width {
			rows = rows.together(s.rows[:], m, p.K)
		}
		c := c[i*p.LDC:]
		for j := 0; j < p.N; j += e.width {
			panel := matrix{s.block[j*p.K : (j+e.width)*p.K], e.width, 1}
			if n := p.N - j; n < e.width {
				e.edge(c[j:], rows, panel, p, m, n, s.edge[:])
			} else {
				e.tile(c[j:], p.LDC, rows, panel, m, p.K, p.Add)
			}
		}
	}
}

// together copies m x k elements of an operand, so that they lie close by.
func (m matrix) together(to []float32, rows, k int) matrix {
	if m.col != 1 {
		t := matrix{m.data, m.col, m.row}.together(to, k, rows)
		return matrix{t.data, t.col, t.row}
	}
	ld := k + apart
	for i := range rows {
		copy(to[i*ld:i*ld+k], m.data[i*m.row:])
	}
	return matrix{to, ld, 1}
}

// edge makes m rows of the last n columns of C, fewer than a panel has, through a
// tile of full width.
func (e *engine) edge(c []float32, a, panel matrix, p Product, m, n int, to []float32) {
	w := e.width
	if p.Add {
		for r := range m {
			copy(to[r*w:r*w+n], c[r*p.LDC:])
		}
	}
	e.tile(to, w, a, panel, m, p.K, p.Add)
	for r := range m {
		copy(c[r*p.LDC:][:n], to[r*w:])
	}
}

// pack writes k rows and n columns of b as panels, with zeros after the last column.
func (e *engine) pack(block []float32, b matrix, k, n int) {
	w := e.width
	for j := 0; j < n; j += w {
		panel, cols := block[j*k:(j+w)*k], min(w, n-j)
		if cols < w {
			clear(panel)
		}
		switch from := b.from(0, j); {
		case b.col != 1:
			e.columns(panel, from, k, cols, w)
		case cols == w:
			e.rows(panel, from, k, w)
		default:
			for r := range k {
				copy(panel[r*w:r*w+cols], from.data[r*b.row:])
			}
		}
	}
}

// packRows and packColumns are what every processor can do.
func packRows(panel []float32, b matrix, k, width int) {
	for r := range k {
		copy(panel[r*width:(r+1)*width], b.data[r*b.row:])
	}
}

func packColumns(panel []float32, b matrix, k, cols, width int) {
	for i := range cols {
		to := panel[i:]
		for r, v := range b.data[i*b.col:][:k] {
			to[r*width] = v
		}
	}
}
