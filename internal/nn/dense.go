package nn

// denseForward computes z = x wᵀ, 4 outputs of 2 rows at a time: eight sums in
// registers, six loads for eight products.
func denseForward(z, x, w []float32, s Shape) {
	o := 0
	for ; o+4 <= s.Out; o += 4 {
		w0 := w[o*s.In : (o+1)*s.In]
		w1 := w[(o+1)*s.In : (o+2)*s.In]
		w2 := w[(o+2)*s.In : (o+3)*s.In]
		w3 := w[(o+3)*s.In : (o+4)*s.In]
		i := 0
		for ; i+2 <= s.N; i += 2 {
			dot24(z[i*s.Out+o:], z[(i+1)*s.Out+o:], x[i*s.In:(i+1)*s.In], x[(i+1)*s.In:(i+2)*s.In], w0, w1, w2, w3)
		}
		if i < s.N {
			row, out := x[i*s.In:(i+1)*s.In], z[i*s.Out+o:i*s.Out+o+4]
			out[0], out[1], out[2], out[3] = dot(row, w0), dot(row, w1), dot(row, w2), dot(row, w3)
		}
	}
	for ; o < s.Out; o++ {
		row := w[o*s.In : (o+1)*s.In]
		for i := range s.N {
			z[i*s.Out+o] = dot(x[i*s.In:(i+1)*s.In], row)
		}
	}
}

// dot24 writes the products of rows x0 and x1 with w0..w3 to the first four
// elements of z0 and z1.
func dot24(z0, z1, x0, x1, w0, w1, w2, w3 []float32) {
	x1, w0, w1, w2, w3 = x1[:len(x0)], w0[:len(x0)], w1[:len(x0)], w2[:len(x0)], w3[:len(x0)]
	var a0, a1, a2, a3, b0, b1, b2, b3 float32
	for k, u := range x0 {
		v := x1[k]
		c := w0[k]
		a0 += float32(u * c)
		b0 += float32(v * c)
		c = w1[k]
		a1 += float32(u * c)
		b1 += float32(v * c)
		c = w2[k]
		a2 += float32(u * c)
		b2 += float32(v * c)
		c = w3[k]
		a3 += float32(u * c)
		b3 += float32(v * c)
	}
	z0, z1 = z0[:4], z1[:4]
	z0[0], z0[1], z0[2], z0[3] = a0, a1, a2, a3
	z1[0], z1[1], z1[2], z1[3] = b0, b1, b2, b3
}

// dot is one sum in ascending order.
func dot(x, w []float32) float32 {
	w = w[:len(x)]
	var sum float32
	for k, v := range x {
		sum += float32(v * w[k])
	}
	return sum
}

// combine makes dst = sum over i < n of coef[i*stride] * row i of rows, in
// ascending order of i, each row as long as dst; four rows at a time.
func combine(dst, rows, coef []float32, stride, n int) {
	clear(dst)
	width := len(dst)
	i := 0
	for ; i+4 <= n; i += 4 {
		c0, c1, c2, c3 := coef[i*stride], coef[(i+1)*stride], coef[(i+2)*stride], coef[(i+3)*stride]
		r := rows[i*width : (i+4)*width]
		r0, r1, r2, r3 := r[:width], r[width:2*width], r[2*width:3*width], r[3*width:]
		r0, r1, r2, r3 = r0[:len(dst)], r1[:len(dst)], r2[:len(dst)], r3[:len(dst)]
		for j, sum := range dst {
			sum += float32(c0 * r0[j])
			sum += float32(c1 * r1[j])
			sum += float32(c2 * r2[j])
			sum += float32(c3 * r3[j])
			dst[j] = sum
		}
	}
	for ; i < n; i++ {
		c, row := coef[i*stride], rows[i*width:(i+1)*width]
		row = row[:len(dst)]
		for j, sum := range dst {
			dst[j] = sum + float32(c*row[j])
		}
	}
}
