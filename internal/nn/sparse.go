package nn

// sparseForward computes z = x wᵀ from the list of inputs that are not 0, four
// outputs at a time: their weights stay in the first-level cache for all rows.
func sparseForward(z, w []float32, s Shape, in *Inputs) {
	o := 0
	for ; o+4 <= s.Out; o += 4 {
		w0 := w[o*s.In : (o+1)*s.In]
		w1 := w[(o+1)*s.In:][:len(w0)]
		w2 := w[(o+2)*s.In:][:len(w0)]
		w3 := w[(o+3)*s.In:][:len(w0)]
		for i := range s.N {
			var a0, a1, a2, a3 float32
			for _, t := range in.row(i) {
				a0 += float32(t.val * w0[t.col])
				a1 += float32(t.val * w1[t.col])
				a2 += float32(t.val * w2[t.col])
				a3 += float32(t.val * w3[t.col])
			}
			out := z[i*s.Out+o : i*s.Out+o+4]
			out[0], out[1], out[2], out[3] = a0, a1, a2, a3
		}
	}
	for ; o < s.Out; o++ {
		row := w[o*s.In : (o+1)*s.In]
		for i := range s.N {
			var sum float32
			for _, t := range in.row(i) {
				sum += float32(t.val * row[t.col])
			}
			z[i*s.Out+o] = sum
		}
	}
}

// sparseWeights computes gw = dᵀ x from the same list: row by row, so that each
// element's terms come in ascending order of the example.
func sparseWeights(gw, d []float32, s Shape, in *Inputs) {
	clear(gw)
	o := 0
	for ; o+4 <= s.Out; o += 4 {
		g0 := gw[o*s.In : (o+1)*s.In]
		g1 := gw[(o+1)*s.In:][:len(g0)]
		g2 := gw[(o+2)*s.In:][:len(g0)]
		g3 := gw[(o+3)*s.In:][:len(g0)]
		for i := range s.N {
			c := d[i*s.Out+o : i*s.Out+o+4]
			c0, c1, c2, c3 := c[0], c[1], c[2], c[3]
			for _, t := range in.row(i) {
				g0[t.col] += float32(c0 * t.val)
				g1[t.col] += float32(c1 * t.val)
				g2[t.col] += float32(c2 * t.val)
				g3[t.col] += float32(c3 * t.val)
			}
		}
	}
	for ; o < s.Out; o++ {
		row := gw[o*s.In : (o+1)*s.In]
		for i := range s.N {
			c := d[i*s.Out+o]
			for _, t := range in.row(i) {
				row[t.col] += float32(c * t.val)
			}
		}
	}
}
