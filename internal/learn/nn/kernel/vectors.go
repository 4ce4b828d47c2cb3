//go:build amd64 || arm64

package kernel

import (
	"math"
	"sync"
)

// What stands between the loops in Go and the assembly, whose functions have the same names, forms and
// bounds on all processors.

// assembly is the signature of a tile in assembly.
type assembly func(c *float32, ldc int, a *float32, arow, acol int, b *float32, brow, m, k int, add bool)

func tileIn(t assembly) func(c []float32, ldc int, a, b matrix, m, k int, add bool) {
	return func(c []float32, ldc int, a, b matrix, m, k int, add bool) {
		t(&c[0], ldc, &a.data[0], a.row, a.col, &b.data[0], b.row, m, k, add)
	}
}

func rowsIn(f func(to, from *float32, row, rows int)) func(panel []float32, b matrix, k, width int) {
	return func(panel []float32, b matrix, k, _ int) { f(&panel[0], &b.data[0], b.row, k) }
}

// transpose packs columns, eight by eight as far as that goes.
func transpose(panel []float32, b matrix, k, cols, width int) {
	whole := k &^ 7
	i := 0
	for ; i+8 <= cols && whole > 0; i += 8 {
		transpose8(&panel[i], width, &b.data[i*b.col], b.col, whole/8)
		if whole < k {
			packColumns(panel[whole*width+i:], b.from(whole, i), k-whole, 8, width)
		}
	}
	if i < cols {
		packColumns(panel[i:], b.from(0, i), k, cols-i, width)
	}
}

// vectorLoops are the loops of elements in assembly, named after their instruction set.
func vectorLoops(set string, largest func(y []float32, at []int32, upper, lower []float32, first, width int32)) loops {
	return loops{
		name:      set,
		sigmoid:   inPlace(vectorSigmoid),
		tanh:      inPlace(vectorTanh),
		gelu:      inPlace(vectorGELU),
		geluSlope: geluSlopeVectors,
		add:       addVectors,
		addNumber: addNumberVectors,
		descend:   descendVectors,
		relu:      reluVectors,
		reluSlope: reluSlopeVectors,
		largest:   largest,
		copyRows:  rowsOf(vectorCopyRows),
		addRows:   rowsOf(vectorAddRows),
		expSum:    expSumVectors,
	}
}

// inPlace takes eight at a time; what is left over goes through a vector of its own.
func inPlace(f func(z *float32, n int)) func(z []float32) {
	return func(z []float32) {
		whole := len(z) &^ 7
		if whole > 0 {
			f(&z[0], whole)
		}
		if whole < len(z) {
			v := vectors.Get().(*[8]float32)
			n := copy(v[:], z[whole:])
			f(&v[0], 8)
			copy(z[whole:], v[:n])
			vectors.Put(v)
		}
	}
}

// vectors are room for what is left over, where a call by value would let it escape.
var vectors = sync.Pool{New: func() any { return new([8]float32) }}

func addVectors(to, v []float32) {
	whole := len(v) &^ 7
	if whole > 0 {
		vectorAdd(&to[0], &v[0], whole)
	}
	add(to[whole:], v[whole:])
}

func addNumberVectors(to []float32, v float32) {
	whole := len(to) &^ 7
	if whole > 0 {
		vectorAddNumber(&to[0], v, whole)
	}
	addNumber(to[whole:], v)
}

func descendVectors(p, g []float32, scale, lr float32) {
	whole := len(g) &^ 7
	if whole > 0 {
		vectorDescend(&p[0], &g[0], scale, lr, whole)
	}
	descend(p[whole:], g[whole:], scale, lr)
}

func reluVectors(z []float32) {
	whole := len(z) &^ 7
	if whole > 0 {
		vectorReLU(&z[0], whole)
	}
	relu(z[whole:])
}

func reluSlopeVectors(d, y []float32) {
	whole := len(y) &^ 7
	if whole > 0 {
		vectorReLUSlope(&d[0], &y[0], whole)
	}
	reluSlope(d[whole:], y[whole:])
}

func rowsOf(f func(to, from *float32, ldTo, ldFrom, rows, cols int)) func(to, from []float32, b Block) {
	return func(to, from []float32, b Block) {
		if b.Rows > 0 {
			f(&to[0], &from[0], b.LDTo, b.LDFrom, b.Rows, b.Cols)
		}
	}
}

func geluSlopeVectors(d, z []float32) {
	whole := len(z) &^ 7
	if whole > 0 {
		vectorGELUSlope(&d[0], &z[0], whole)
	}
	if whole < len(z) {
		var v [2][8]float32
		n := copy(v[0][:], d[whole:])
		copy(v[1][:], z[whole:])
		vectorGELUSlope(&v[0][0], &v[1][0], 8)
		copy(d[whole:], v[0][:n])
	}
}

func expSumVectors(to, from []float32, top float32) (sums [lanes]float32) {
	whole := len(from) &^ (lanes - 1)
	if whole > 0 {
		vectorExpSum(&to[0], &from[0], top, &sums[0], whole)
	}
	if whole < len(from) {
		// e^-inf is 0, and changes no sum.
		var v [lanes]float32
		for i := copy(v[:], from[whole:]); i < lanes; i++ {
			v[i] = float32(math.Inf(-1))
		}
		vectorExpSum(&v[0], &v[0], top, &sums[0], lanes)
		copy(to[whole:], v[:])
	}
	return sums
}
