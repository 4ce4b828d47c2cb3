package train

import (
	"fmt"
	"unsafe"

	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// Bodies compute on float32. A range of a buffer of another format has a view while one runs: its numbers as
// float32, which are rounded into the buffer when the body has ended, if it wrote them. So what a body computes
// is rounded once, as it is stored, and nowhere else.
type view struct {
	of    workload.Range
	at    []float32
	wrote bool
}

// Views returns how many numbers the views of a program's bodies need at most at one time.
func Views(work *workload.Job, p *workload.Program) (most int64) {
	for i := range p.Ops {
		if b := p.Ops[i].Body; b >= 0 {
			most = max(most, viewed(work, &work.Bodies[b]))
		}
	}
	return most
}

// viewed is how many numbers the views of a body have. Work that is not part of a pass takes what it needs as
// it is stored.
func viewed(work *workload.Job, w *workload.Body) (sum int64) {
	switch w.Work {
	case workload.Forward, workload.Loss, workload.Backward:
	default:
		return 0
	}
	for _, x := range []workload.Range{w.Params, w.Grads, w.X, w.Y, w.D, w.DX, w.Got.On, w.Give.On} {
		if x.Elems > 0 && work.Buffers[x.Buffer].Format != workload.Float32 {
			sum += x.Elems
		}
	}
	return sum
}

// on is the elements of a range, nil of none.
func (r *rank) on(x workload.Range) []float32 {
	if x.Elems == 0 {
		return nil
	}
	if r.format(x) == workload.Float32 {
		return r.buffers[x.Buffer][x.Offset : x.Offset+x.Elems : x.Offset+x.Elems]
	}
	return r.view(x).at
}

// to is the elements of a range that the body writes.
func (r *rank) to(x workload.Range) []float32 {
	if x.Elems > 0 && r.format(x) != workload.Float32 {
		r.view(x).wrote = true
	}
	return r.on(x)
}

func (r *rank) format(x workload.Range) workload.Format { return r.of[x.Buffer].Format }

func (r *rank) view(x workload.Range) *view {
	used := int64(0)
	for i := range r.views {
		v := &r.views[i]
		if v.of == x {
			return v
		}
		if o := v.of; o.Buffer == x.Buffer && o.Offset < x.Offset+x.Elems && x.Offset < o.Offset+o.Elems {
			panic(fmt.Sprintf("train: a body has %v and %v of buffer %q: one of them would be lost", o, x, r.of[x.Buffer].Name))
		}
		used += v.of.Elems
	}
	v := view{of: x, at: r.wide[used : used+x.Elems : used+x.Elems]}
	nn.FromBFloat16(v.at, r.halves(x))
	r.views = append(r.views, v)
	return &r.views[len(r.views)-1]
}

// settle stores what a body wrote.
func (r *rank) settle() {
	for i := range r.views {
		if v := &r.views[i]; v.wrote {
			nn.ToBFloat16(r.halves(v.of), v.at)
		}
	}
	r.views = r.views[:0]
}

// store makes a range v, in the range's format.
func (r *rank) store(x workload.Range, v []float32) {
	if x.Elems == 0 {
		return
	}
	if r.format(x) == workload.Float32 {
		copy(r.on(x), v)
		return
	}
	nn.ToBFloat16(r.halves(x), v)
}

// stored is the bytes of a range.
func (r *rank) stored(x workload.Range) []byte {
	if x.Elems == 0 {
		return nil
	}
	size := r.of[x.Buffer].ElemBytes
	return bytesAt(r.buffers[x.Buffer], x.Offset*size, x.Elems*size)
}

// drop makes a range hold nothing: NaN, in any format.
func (r *rank) drop(x workload.Range) {
	if x.Elems == 0 {
		return
	}
	if r.format(x) == workload.Float32 {
		fill(r.on(x))
		return
	}
	all := r.halves(x)
	for i := range all {
		all[i] = nothing >> 16
	}
}

// nothing is the bits of a float32 that is NaN, whose halves are NaN as bfloat16 too.
const nothing = 0x7fc0_7fc0

// halves is the elements of a range of two bytes each.
func (r *rank) halves(x workload.Range) []uint16 {
	return halvesOf(r.buffers[x.Buffer], 2*x.Offset, 2*x.Elems)
}

// halvesOf is so many bytes of memory, as elements of two bytes each.
func halvesOf(of []float32, off, n int64) []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(of))), 2*len(of))[off/2 : (off+n)/2]
}

// bytesAt is so many bytes of memory, in the machine's byte order.
func bytesAt(of []float32, off, n int64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(of))), 4*len(of))[off : off+n : off+n]
}
