package nn

import (
	"math"
	"testing"
)

// Parts of a layer have its parameters between them, and together make its outputs: by columns the
// same bits side by side, by rows a sum.
func TestPartsMakeTheLayer(t *testing.T) {
	const rows, in, out, parts = 3, 8, 6, 2
	whole := dense{in: in, out: out, activation: Sigmoid, kernel: Portable}
	s := NewStream(1, 1)
	draw := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = s.Symmetric()
		}
		return v
	}
	p, x, want := draw(whole.Params()), draw(rows*in), make([]float32, rows*out)
	whole.Forward(want, x, p, rows, whole.NewSaved(rows), nil)
	take := func(l Layer, pieces []Piece, seen []int) []float32 {
		own, filled := make([]float32, l.Params()), 0
		for _, q := range pieces {
			filled += copy(own[q.Part:q.Part+q.Elems], p[q.Whole:q.Whole+q.Elems])
			for i := range q.Elems {
				seen[q.Whole+i]++
			}
		}
		if filled != l.Params() {
			t.Errorf("pieces of %d elements for a part of %d", filled, l.Params())
		}
		return own
	}
	columns, byRows, sum := make([]int, len(p)), make([]int, len(p)), make([]float32, rows*out)
	for i := range parts {
		l, pieces := whole.Columns(i, parts)
		own, y := take(l, pieces, columns), make([]float32, rows*l.Out())
		l.Forward(y, x, own, rows, l.NewSaved(rows), nil)
		for r := range rows {
			for o := range l.Out() {
				if got, of := y[r*l.Out()+o], want[r*out+i*l.Out()+o]; got != of {
					t.Errorf("columns, part %d, row %d, output %d: %v, want %v", i, r, o, got, of)
				}
			}
		}
		share, pieces := whole.Rows(i, parts)
		own, y = take(share, pieces, byRows), make([]float32, rows*out)
		mine := make([]float32, 0, rows*share.In())
		for r := range rows {
			mine = append(mine, x[r*in+i*share.In():][:share.In()]...)
		}
		share.Forward(y, mine, own, rows, share.NewSaved(rows), nil)
		for k := range sum {
			sum[k] += y[k]
		}
		if i == parts-1 {
			share.Finish(sum, own)
		}
	}
	for k := range want {
		if math.Abs(float64(sum[k]-want[k])) > 1e-6 {
			t.Errorf("rows, output %d: %v, want %v", k, sum[k], want[k])
		}
	}
	for i := range p {
		if bias := i >= in*out; columns[i] != 1 || byRows[i] != 1 && !(bias && byRows[i] == parts) {
			t.Errorf("parameter %d is in %d parts by columns and %d by rows", i, columns[i], byRows[i])
		}
	}
}
