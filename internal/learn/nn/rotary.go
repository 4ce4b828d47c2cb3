package nn

// rotary is the table of rotary positions (Su and others, "RoFormer", 2021, section 3.2.2): elements 2i and 2i+1 of
// a query or key at a position are turned as a point in the plane by the angle
//
//	position / base^(2i/size)
//
// so that their product depends on how far apart two positions are. Of each position and pair it has cosine and
// sine. (Some implementations pair i with i + size/2: the same up to the order of a head's elements.)
func rotary(positions, size int, base float64) []float32 {
	t := make([]float32, positions*size)
	for pos := range positions {
		for i := 0; i < size; i += 2 {
			angle := float64(float64(pos) * exp(-float64(float64(i)*log(base))/float64(size)))
			t[pos*size+i], t[pos*size+i+1] = float32(cos(angle)), float32(sin(angle))
		}
	}
	return t
}

// rotate turns queries and keys, or by -1 their gradients back.
func (h heads) rotate(qkv []float32, rows int, way float32) {
	if h.turn == nil {
		return
	}
	n, ld := h.positions, h.wide()
	for at := range rows * n {
		by := h.turn[at%n*h.size:][:h.size]
		for head := range h.count + h.kv { // keys follow the queries
			v := qkv[at*ld+head*h.size:][:h.size]
			for i := 0; i < h.size; i += 2 {
				c, s := by[i], float32(way*by[i+1])
				x, y := v[i], v[i+1]
				v[i] = float32(x*c) - float32(y*s)
				v[i+1] = float32(x*s) + float32(y*c)
			}
		}
	}
}

// turnWork is that of turning queries and keys of a row; none without.
func (h heads) turnWork() (all []Work) {
	if h.turn == nil {
		return nil
	}
	n := int64(h.positions) * int64((h.count+h.kv)*h.size)
	return []Work{{FLOP: 3 * n, Words: 2 * n}}
}
