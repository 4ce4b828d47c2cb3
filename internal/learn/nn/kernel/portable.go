package kernel

// The portable family: each product of two numbers is rounded, then added.
// This is the definition in Go; processors with an engine of their own give the
// same bits.

// PortableNN makes C = A B.
func PortableNN(c, a, b []float32, p Product) { portable.nn(c, a, b, p) }

// PortableNT makes C = A Bᵀ.
func PortableNT(c, a, b []float32, p Product) { portable.nt(c, a, b, p) }

// PortableTN makes C = Aᵀ B.
func PortableTN(c, a, b []float32, p Product) { portable.tn(c, a, b, p) }

// goWidth columns and two rows are eight sums in registers: six loads for eight
// products.
const goWidth = 4

func portableGo() engine {
	return engine{name: "go", width: goWidth, tile: portableTile, rows: packRows, columns: packColumns}
}

func portableTile(c []float32, ldc int, a, b matrix, m, k int, add bool) {
	i := 0
	for ; i+2 <= m; i += 2 {
		c0, c1 := c[i*ldc:][:goWidth], c[(i+1)*ldc:][:goWidth]
		if !add {
			clear(c0)
			clear(c1)
		}
		x0, x1 := a.data[i*a.row:], a.data[(i+1)*a.row:]
		if a.col == 1 && b.row == goWidth {
			twoRows(c0, c1, x0[:k], x1[:k], b.data)
			continue
		}
		oneRow(c0, x0, a.col, k, b)
		oneRow(c1, x1, a.col, k, b)
	}
	if i < m {
		c0 := c[i*ldc:][:goWidth]
		if !add {
			clear(c0)
		}
		oneRow(c0, a.data[i*a.row:], a.col, k, b)
	}
}

func twoRows(c0, c1, x0, x1, panel []float32) {
	a0, a1, a2, a3 := c0[0], c0[1], c0[2], c0[3]
	b0, b1, b2, b3 := c1[0], c1[1], c1[2], c1[3]
	x1 = x1[:len(x0)]
	for k, u := range x0 {
		v := x1[k]
		if len(panel) < 4 {
			break
		}
		w := panel[:4]
		a0 += float32(u * w[0])
		b0 += float32(v * w[0])
		a1 += float32(u * w[1])
		b1 += float32(v * w[1])
		a2 += float32(u * w[2])
		b2 += float32(v * w[2])
		a3 += float32(u * w[3])
		b3 += float32(v * w[3])
		panel = panel[4:]
	}
	c0[0], c0[1], c0[2], c0[3] = a0, a1, a2, a3
	c1[0], c1[1], c1[2], c1[3] = b0, b1, b2, b3
}

// oneRow takes numbers of x that are so far apart.
func oneRow(c0, x []float32, apart, k int, b matrix) {
	a0, a1, a2, a3 := c0[0], c0[1], c0[2], c0[3]
	for i := range k {
		u := x[i*apart]
		w := b.data[i*b.row:][:goWidth]
		a0 += float32(u * w[0])
		a1 += float32(u * w[1])
		a2 += float32(u * w[2])
		a3 += float32(u * w[3])
	}
	c0[0], c0[1], c0[2], c0[3] = a0, a1, a2, a3
}
