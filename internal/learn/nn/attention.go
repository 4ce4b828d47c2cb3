package nn

import "math"

// heads is causal self-attention by several heads, on queries, keys and values that are made already
// (Vaswani and others, 2017). A position sees itself and those before it; padding is not seen.
//
//	qkv: rows x positions x ((count + 2 kv) x size): all queries of a position, all keys, all values
//	o:   rows x positions x (count x size)
//	maps: rows x count x (positions x positions): softmax(q kᵀ / sqrt(size)), a query in a row
type heads struct {
	positions, count, size int
	dropout                dropout // of the maps
	// So many queries, or keys, go into products at once: what a block of queries may not see of the
	// keys after it is left out. Such terms are 0, and would change no bit.
	block int
	first int // the number of the first head, for dropout: ranks may have some each
	// kv heads of keys and of values: as many as there are, or fewer that so many queries' heads in a row have
	// in common (Ainslie and others, "GQA", 2023).
	kv   int
	turn []float32 // of rotary positions: see rotary; nil: none
}

func (h heads) inner() int { return h.count * h.size }

// wide is what a position has in qkv.
func (h heads) wide() int { return (h.count + 2*h.kv) * h.size }
func (h heads) area() int { return h.positions * h.positions }

// attended has what the way back needs.
type attended struct {
	maps []float32 // rows x count x positions x positions
	keys []uint64  // of each row's dropout
	room []float32 // three maps, three heads' vectors
}

func (h heads) newAttended(rows int) attended {
	return attended{make([]float32, rows*h.count*h.area()), make([]uint64, rows),
		make([]float32, 2*h.area()+3*h.positions*h.size)}
}

// head returns the queries, keys and values of one head of one row, each a matrix of positions x size
// whose rows are ld apart.
func (h heads) head(qkv []float32, row, head int) (q, k, v []float32, ld int) {
	ld = h.wide()
	at, shared := row*h.positions*ld, head/(h.count/h.kv)*h.size
	return qkv[at+head*h.size:], qkv[at+h.inner()+shared:], qkv[at+h.inner()+h.kv*h.size+shared:], ld
}

const attentionBlock = 64

// blocks calls back for each block of positions, [from, to).
func (h heads) blocks(visit func(from, to int)) {
	for from := 0; from < h.positions; from += h.block {
		visit(from, min(from+h.block, h.positions))
	}
}

func (h heads) forward(kernel Kernel, o, qkv []float32, rows int, s *attended, pass *Pass) {
	n := h.positions
	h.rotate(qkv, rows, 1)
	for r := range rows {
		s.keys[r] = h.dropout.key(pass, 0, r)
		for i := range h.count {
			q, k, v, ld := h.head(qkv, r, i)
			m := s.maps[(r*h.count+i)*h.area():][:h.area()]
			h.blocks(func(from, to int) {
				kernel.NT(m[from*n:], q[from*ld:], k,
					Product{M: to - from, N: to, K: h.size, LDA: ld, LDB: ld, LDC: n})
			})
			for t := range n {
				h.softmax(kernel, m[t*n:(t+1)*n], t, r, pass)
			}
			seen := h.dropped(m, s, r, i)
			h.blocks(func(from, to int) {
				kernel.NN(o[(r*n+from)*h.inner()+i*h.size:], seen[from*n:], v,
					Product{M: to - from, N: h.size, K: to, LDA: n, LDB: ld, LDC: h.inner()})
			})
		}
	}
}

// softmax makes a map's row of the scores of query t: 0 of what it may not see. A query that may see
// nothing takes nothing.
func (h heads) softmax(kernel Kernel, scores []float32, t, row int, pass *Pass) {
	clear(scores[t+1:])
	scores = scores[:t+1]
	by, top := rootOf(h.size), float32(math.Inf(-1))
	for j, v := range scores {
		v = float32(v * by)
		if pass.padded(row, h.positions, j) {
			v = float32(math.Inf(-1))
		}
		if scores[j] = v; !(v <= top) {
			top = v
		}
	}
	if math.IsInf(float64(top), -1) {
		clear(scores)
		return
	}
	sum := kernel.ExpSum(scores, scores, top)
	for j, v := range scores {
		scores[j] = float32(float64(v) / sum)
	}
}

// dropped is a map after dropout: the map itself where there is none.
func (h heads) dropped(m []float32, s *attended, row, head int) []float32 {
	if s.keys[row] == 0 {
		return m
	}
	to := s.room[:h.area()]
	copy(to, m)
	h.dropout.apply(to, s.keys[row], (h.first+head)*h.area())
	return to
}

// backward turns qkv into its gradient, from that of o. With m the map and n what dropout made of it:
//
//	dv = nᵀ do    dn = do vᵀ    ds = m (dm - sum over keys of dm m) / sqrt(size)    dq = ds k    dk = dsᵀ q
func (h heads) backward(kernel Kernel, qkv, do []float32, rows int, s *attended) {
	n, size := h.positions, h.size
	slope := s.room[h.area() : 2*h.area()]
	room := s.room[2*h.area():]
	dq, dk, dv := room[:n*size], room[n*size:2*n*size], room[2*n*size:3*n*size]
	group := h.count / h.kv
	for r := range rows {
		for i := range h.count {
			more := i%group > 0 // the gradients of keys and values are added to those of the heads before
			q, k, v, ld := h.head(qkv, r, i)
			wide := h.inner()
			d := do[r*n*wide+i*size:]
			m := s.maps[(r*h.count+i)*h.area():][:h.area()]
			seen := h.dropped(m, s, r, i)
			h.blocks(func(from, to int) { // of keys: later queries see them
				kernel.TN(dv[from*size:], seen[from*n+from:], d[from*wide:],
					Product{M: to - from, N: size, K: n - from, LDA: n, LDB: wide, LDC: size, Add: more})
				kernel.NT(slope[from*n:], d[from*wide:], v,
					Product{M: to - from, N: to, K: size, LDA: wide, LDB: ld, LDC: n})
			})
			h.dropout.apply(slope, s.keys[r], (h.first+i)*h.area())
			h.throughSoftmax(slope, m)
			h.blocks(func(from, to int) {
				kernel.NN(dq[from*size:], slope[from*n:], k,
					Product{M: to - from, N: size, K: to, LDA: n, LDB: ld, LDC: size})
				kernel.TN(dk[from*size:], slope[from*n+from:], q[from*ld:],
					Product{M: to - from, N: size, K: n - from, LDA: n, LDB: ld, LDC: size, Add: more})
			})
			last := i%group == group-1
			for t := range n {
				copy(q[t*ld:t*ld+size], dq[t*size:])
				if last {
					copy(k[t*ld:t*ld+size], dk[t*size:])
					copy(v[t*ld:t*ld+size], dv[t*size:])
				}
			}
		}
	}
	h.rotate(qkv, rows, -1)
}

// throughSoftmax turns the gradient of a map into that of the scores' products.
func (h heads) throughSoftmax(d, m []float32) {
	n, by := h.positions, rootOf(h.size)
	for t := range n {
		to, p := d[t*n:(t+1)*n], m[t*n:(t+1)*n]
		sum := 0.0
		for j, v := range p[:t+1] {
			sum += float64(float64(to[j]) * float64(v))
		}
		mean := float32(sum)
		for j, v := range p[:t+1] {
			to[j] = float32(float32((to[j]-mean)*v) * by)
		}
		clear(to[t+1:])
	}
}

// work is that of the products of scores and of values, or of so many like them, for a row.
func (h heads) work(products int) Work {
	n, inner := int64(h.positions), int64(h.inner())
	maps := n * n * int64(h.count)
	product := int64(products) * 2 * n * n * inner
	return Work{FLOP: product + 5*maps, Words: int64(products) * (2*n*inner + maps), Product: product,
		Masked: product / 2, M: n, N: n, K: int64(h.size), Each: int64(h.count), By: ByEach}
}

// saved is how many float32 of a row are kept.
func (h heads) saved() int { return h.count * h.area() }

// padded says that a position of a row holds no text.
func (p *Pass) padded(row, positions, at int) bool {
	return p != nil && p.Tokens != nil && p.Tokens[row*positions+at] == Padding
}
