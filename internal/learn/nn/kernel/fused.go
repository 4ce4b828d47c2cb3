package kernel

import "math"

// The fused family: each product is added before it is rounded (IEEE 754-2019
// fusedMultiplyAdd). This is the definition in Go, for processors without such
// an instruction; the others give the same bits.

// FusedNN makes C = A B.
func FusedNN(c, a, b []float32, p Product) { fused.nn(c, a, b, p) }

// FusedNT makes C = A Bᵀ.
func FusedNT(c, a, b []float32, p Product) { fused.nt(c, a, b, p) }

// FusedTN makes C = Aᵀ B.
func FusedTN(c, a, b []float32, p Product) { fused.tn(c, a, b, p) }

func fusedGo() engine {
	return engine{name: "go", width: goWidth, tile: fusedTile, rows: packRows, columns: packColumns}
}

func fusedTile(c []float32, ldc int, a, b matrix, m, k int, add bool) {
	for i := range m {
		row := c[i*ldc:][:goWidth]
		if !add {
			clear(row)
		}
		for n := range k {
			x := a.data[i*a.row+n*a.col]
			for j, y := range b.data[n*b.row:][:goWidth] {
				row[j] = fma(x, y, row[j])
			}
		}
	}
}

// fma is x y + z, rounded once. In float64 the product is exact. The sum is rounded to odd: if it is
// not exact, its last bit is set, which stands for all that was cut off; then the rounding to
// float32, which has less than half of the bits, is that of the exact value.
//
// Boldo, Melquiond, Emulation of FMA and correctly rounded sums, IEEE Trans. Computers 57(4), 2008.
func fma(x, y, z float32) float32 {
	p, q := float64(float64(x)*float64(y)), float64(z)
	s := p + q
	back := s - p
	lost := (p - (s - back)) + (q - back) // exactly what s lacks (Knuth's two-sum)
	if bits := math.Float64bits(s); bits&1 == 0 && (lost > 0 || lost < 0) {
		if (lost > 0) == (s > 0) {
			bits++ // s was rounded towards zero
		} else {
			bits--
		}
		s = math.Float64frombits(bits)
	}
	return float32(s)
}
