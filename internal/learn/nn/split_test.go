package nn

import (
	"fmt"
	"math"
	"reflect"
	"testing"
)

// together is all parts of a layer in one process, with exchanges that are sums and copies.
type together struct {
	parts    []*Part
	hands    []Hand
	gathered [][]float32   // by rank: what it gave
	put      [][][]float32 // by rank, then whom it is for
	rows     int
}

// post is one rank's end of the exchange.
type post struct {
	of   *together
	rank int
}

func (p post) Take(part int) { copy(p.of.hands[p.rank].Part, p.of.gathered[part]) }

func (p post) Put(part int) {
	p.of.put[p.rank][part] = append([]float32(nil), p.of.hands[p.rank].Part...)
}

// run takes all parts through their phases.
func (to *together) run(of func(*Part) []Phase, inPlace func(*Hand) []float32) {
	n := len(to.parts)
	to.put = make([][][]float32, n)
	for i, ph := range of(to.parts[0]) {
		size, gave := to.rows*ph.Elems, make([][]float32, n)
		for r := range to.parts {
			h := &to.hands[r]
			h.Part = append(h.Part, make([]float32, max(0, size/n-len(h.Part)))...)
			h.Give, to.put[r] = make([]float32, size), make([][]float32, n)
			of(to.parts[r])[i].Run(h)
			gave[r] = append([]float32(nil), h.Part[:size/n]...)
		}
		to.gathered = gave
		switch ph.Then {
		case Sum:
			to.sum(func(r int) []float32 {
				if ph.InPlace {
					return inPlace(&to.hands[r])
				}
				to.hands[r].Got = to.hands[r].Give
				return to.hands[r].Give
			})
		case Scatter:
			for r := range to.parts {
				sum := make([]float32, size/n)
				for s := range to.parts {
					Add(sum, to.put[s][r])
				}
				copy(to.hands[r].Part, sum)
			}
		}
	}
}

func (to *together) sum(of func(r int) []float32) {
	all := append([]float32(nil), of(0)...)
	for r := 1; r < len(to.parts); r++ {
		Add(all, of(r))
	}
	for r := range to.parts {
		copy(of(r), all)
	}
}

// cutRow takes a rank's part of each row, or all of it.
func cutRow(v []float32, whole, part, rank, rows, groups int) []float32 {
	if whole == part {
		return append([]float32(nil), v...)
	}
	all := make([]float32, rows*part)
	side{groups: groups, whole: whole / groups, own: part / groups}.cut(all, v, rank, rows)
	return all
}

// Whatever the way, the parts of a layer have its parameters between them, and together make its
// outputs, the gradient of its inputs, and that of each parameter.
func TestPartsMakeTheLayer(t *testing.T) {
	const rows = 3
	for name, l := range splitters(t) {
		for way := range Ways {
			split := l.Split(way)
			if split == nil {
				continue
			}
			for _, kernel := range []Kernel{Portable, Fused} {
				l := l.With(kernel).(Splitter)
				t.Run(fmt.Sprintf("%s/%d/%s", name, way, kernel.Name), func(t *testing.T) {
					for parts := 1; parts <= 8; parts *= 2 {
						fits := true
						for _, w := range l.Split(way).Widths {
							fits = fits && w.Size%parts == 0
						}
						if fits {
							partsMakeTheLayer(t, l, way, parts, rows)
						}
					}
				})
			}
		}
	}
}

func partsMakeTheLayer(t *testing.T, l Splitter, way Way, parts, rows int) {
	draw := NewStream(1, 1)
	vector := func(n int) []float32 {
		v := make([]float32, n)
		draw.Uniform(v, 1)
		return v
	}
	p, x, d := vector(l.Params()), vector(rows*l.In()), vector(rows*l.Out())
	pass := &Pass{Train: true, Seed: 3, Step: 2, Layer: 1, Samples: []int{7, 1, 4}}
	words, tokens := Layer(l).(embedding)
	for i := range x {
		if tokens {
			x[i] = float32(i * 5 % words.vocabulary)
		}
	}
	groups := 1
	if head, ok := Layer(l).(everywhere); ok {
		groups = head.positions // each has outputs of its own
	}
	y, dx, g := make([]float32, rows*l.Out()), make([]float32, rows*l.In()), make([]float32, l.Params())
	saved := l.NewSaved(rows)
	l.Forward(y, x, p, rows, saved, pass)
	l.Through(d, y)
	l.Backward(dx, g, append([]float32(nil), d...), x, p, rows, saved)

	to := &together{rows: rows}
	pieces, seen := make([][]Piece, parts), make([]int, l.Params())
	for r := range parts {
		part, of := l.Split(way).Of(r, parts)
		own := make([]float32, part.Params)
		for _, q := range of {
			copy(own[q.Part:q.Part+q.Elems], p[q.Whole:q.Whole+q.Elems])
			for i := range q.Elems {
				seen[q.Whole+i]++
			}
		}
		to.parts, pieces[r] = append(to.parts, part), of
		to.hands = append(to.hands, Hand{Rows: rows, X: cutRow(x, l.In(), part.In, r, rows, 1), P: own, Pass: pass,
			Y: make([]float32, rows*part.Out), Saved: part.NewSaved(rows), Wire: post{to, r}})
	}
	for r, part := range to.parts {
		got := (kept(reflect.ValueOf(part.NewSaved(7))) - kept(reflect.ValueOf(part.NewSaved(2)))) / 5
		if want := 4*part.Saved + part.Notes; got != want {
			t.Errorf("part %d of %d keeps %d bytes of a row, says %d", r, parts, got, want)
		}
	}
	for i, n := range seen {
		if n != 1 && n != parts {
			t.Fatalf("%d parts: parameter %d is in %d of them", parts, i, n)
		}
	}
	to.run(func(p *Part) []Phase { return p.Forward }, func(h *Hand) []float32 { return h.Y })
	for r, part := range to.parts {
		h := &to.hands[r]
		nearly(t, fmt.Sprintf("%d parts: outputs of part %d", parts, r), h.Y, cutRow(y, l.Out(), part.Out, r, rows, groups))
		h.D, h.DX, h.G = cutRow(d, l.Out(), part.Out, r, rows, groups), make([]float32, rows*part.In), make([]float32, part.Params)
		for i := range h.G {
			h.G[i] = float32(math.NaN()) // all of it is written
		}
		for i := range h.DX {
			h.DX[i] = float32(math.NaN())
		}
	}
	to.run(func(p *Part) []Phase { return p.Backward }, func(h *Hand) []float32 { return h.DX })
	for r, part := range to.parts {
		if h := &to.hands[r]; !tokens {
			nearly(t, fmt.Sprintf("%d parts: gradient of the inputs of part %d", parts, r), h.DX,
				cutRow(dx, l.In(), part.In, r, rows, 1))
		}
	}
	if n := to.parts[0].Partial; n.Elems > 0 {
		to.sum(func(r int) []float32 { return to.hands[r].G[n.At : n.At+n.Elems] })
	}
	for r, of := range pieces {
		got := append([]float32(nil), g...)
		for _, q := range of {
			copy(got[q.Whole:], to.hands[r].G[q.Part:q.Part+q.Elems])
		}
		for _, tensor := range l.Tensors() {
			lo, hi := tensor.Offset, tensor.Offset+tensor.Elems()
			nearly(t, fmt.Sprintf("%d parts: gradient of %s, part %d", parts, tensor.Name, r), got[lo:hi], g[lo:hi])
		}
	}
}

// nearly holds vectors against each other within 1e-5 of their norm.
func nearly(t *testing.T, what string, got, want []float32) {
	t.Helper()
	var off, norm float64
	for i := range want {
		off += math.Pow(float64(got[i]-want[i]), 2)
		norm += math.Pow(float64(want[i]), 2)
	}
	if !(math.Sqrt(off) <= 1e-5*math.Sqrt(norm)+1e-7) {
		t.Errorf("%s: %v, want %v", what, got[:min(8, len(got))], want[:min(8, len(want))])
	}
}

// splitters are small layers of each kind that ranks may share.
func splitters(t *testing.T) map[string]Splitter {
	conv, _, err := Conv2D(Volume{2, 4, 4}, 8, Window{2, 1, 0}, true, ReLU)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]Splitter{"dense": Dense(8, 12, Sigmoid).(Splitter), "conv": conv.(Splitter),
		"dense, no bias": dense{in: 8, out: 12, activation: ReLU, kernel: Portable, unbiased: true}}
	drop, err := Dropout(4*5, 0.3)
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string]Layer{"embedding": Embedding(4, 7, 6, true), "positions": LearnedPositions(4, 6),
		"sinusoids": SinusoidalPositions(4, 6), "norm": Normalised(LayerNorm, 4, 6), "dropout": drop,
		"head": Everywhere(4, 6, 9, true)} { // 7 tokens in 2 or 4 parts, 9 in parts of which the last has none
		all[name] = l.(Splitter)
	}
	for _, after := range []bool{false, true} {
		half := Half{Positions: 4, Size: 12, Norm: LayerNorm, After: after, Dropout: 0.2}
		for _, heads := range []int{4, 1} { // parts cut a head, or have several
			l, err := Attention(half, heads, 8/heads)
			if err != nil {
				t.Fatal(err)
			}
			all[fmt.Sprintf("attention, %d heads, after %v", heads, after)] = l.(Splitter)
		}
		for _, kv := range []int{4, 8} { // of eight heads, and turned
			l, err := AttentionOf(half, Heads{Count: 8, Size: 2, KeyValues: kv, Rotary: 10000})
			if err != nil {
				t.Fatal(err)
			}
			all[fmt.Sprintf("attention, rotary, %d heads of keys, after %v", kv, after)] = l.(Splitter)
		}
		for _, gated := range []bool{false, true} {
			for _, a := range []Activation{ReLU, GELU, SiLU} {
				half.Norm, half.NoBias = RMSNorm, gated
				l, err := FeedForward(half, 16, a, gated)
				if err != nil {
					t.Fatal(err)
				}
				all[fmt.Sprintf("feed-forward, %v, gated %v, after %v", a, gated, after)] = l.(Splitter)
			}
		}
	}
	return all
}
