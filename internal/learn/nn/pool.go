package nn

import "railyard/internal/learn/nn/kernel"

// pool takes the largest element of each window, or the mean, in each channel by itself. What is left
// over at the right and bottom edge, less than a window, is not seen.
//
//	x: rows x in    y: rows x out
type pool struct {
	in, out Volume
	window  Window
	mean    bool
}

// MaxPool takes the largest element of each window. Its second result is the shape of what it makes.
func MaxPool(in Volume, size, stride int) (Layer, Volume, error) {
	l, err := newPool(in, Window{size, stride, 0}, false)
	return l, l.out, err
}

// AveragePool takes the mean of each window.
func AveragePool(in Volume, size, stride int) (Layer, Volume, error) {
	l, err := newPool(in, Window{size, stride, 0}, true)
	return l, l.out, err
}

func newPool(in Volume, w Window, mean bool) (pool, error) {
	out, err := w.over(in, in.Channels)
	return pool{in, out, w, mean}, err
}

func (l pool) In() int                     { return l.in.Elems() }
func (l pool) Out() int                    { return l.out.Elems() }
func (l pool) Params() int                 { return 0 }
func (l pool) Tensors() []Tensor           { return nil }
func (l pool) Init(_ []float32, _ *Stream) {}
func (l pool) With(Kernel) Layer           { return l }

func (l pool) Cost() Cost {
	in, out := int64(l.In()), int64(l.Out())
	c := Cost{Forward: []Work{{FLOP: out * int64(l.window.Size*l.window.Size), Words: in + out}}}
	back := Work{FLOP: out, Words: in + out}
	if !l.mean {
		c.Saved = l.Out()
		back.Words += out
	}
	c.Input = []Work{back}
	return c
}

// largest says which element of an example's input each output is.
type largest []int32

func (l pool) NewSaved(rows int) Saved {
	if l.mean {
		return nil
	}
	return largest(make([]int32, rows*l.Out()))
}

func (l pool) Forward(y, x, _ []float32, rows int, saved Saved, _ *Pass) {
	for r := range rows {
		from, to := x[r*l.In():(r+1)*l.In()], y[r*l.Out():(r+1)*l.Out()]
		if l.mean {
			l.average(to, from)
		} else {
			l.maximum(to, saved.(largest)[r*l.Out():], from)
		}
	}
}

// corners calls back for each output with the first element of its window, in order.
func (l pool) corners(visit func(o, corner int)) {
	o := 0
	for c := range l.in.Channels {
		for oy := range l.out.Height {
			corner := (c*l.in.Height + oy*l.window.Stride) * l.in.Width
			for range l.out.Width {
				visit(o, corner)
				o, corner = o+1, corner+l.window.Stride
			}
		}
	}
}

// maximum takes the first of equals, and a NaN before all, the last one.
func (l pool) maximum(y []float32, at largest, x []float32) {
	size, width := l.window.Size, l.in.Width
	if size == 2 && l.window.Stride == 2 {
		l.pairs(y, at, x)
		return
	}
	l.corners(func(o, corner int) {
		best, top := corner, x[corner]
		for dy := range size {
			row := corner + dy*width
			for i, v := range x[row : row+size] {
				if v > top || v != v {
					best, top = row+i, v
				}
			}
		}
		y[o], at[o] = top, int32(best)
	})
}

// pairs is maximum of windows of two by two, side by side.
func (l pool) pairs(y []float32, at largest, x []float32) {
	n, width := l.out.Width, l.in.Width
	for c := range l.in.Channels {
		for oy := range l.out.Height {
			first := (c*l.in.Height + 2*oy) * width
			kernel.Largest(y[:n], at, x[first:], x[first+width:], first, width)
			y, at = y[n:], at[n:]
		}
	}
}

func (l pool) average(y, x []float32) {
	n := float32(l.window.Size * l.window.Size)
	l.corners(func(o, corner int) {
		var sum float32
		for dy := range l.window.Size {
			row := corner + dy*l.in.Width
			for _, v := range x[row : row+l.window.Size] {
				sum += v
			}
		}
		y[o] = sum / n
	})
}

func (l pool) Through(_, _ []float32) {}

func (l pool) Backward(dx, _, d, _, _ []float32, rows int, saved Saved) {
	if dx == nil {
		return
	}
	clear(dx[:rows*l.In()])
	for r := range rows {
		to, from := dx[r*l.In():(r+1)*l.In()], d[r*l.Out():(r+1)*l.Out()]
		if l.mean {
			l.spread(to, from)
			continue
		}
		for o, at := range saved.(largest)[r*l.Out() : (r+1)*l.Out()] {
			to[at] += from[o]
		}
	}
}

// spread gives each element of a window its share of the gradient of their mean.
func (l pool) spread(dx, d []float32) {
	n := float32(l.window.Size * l.window.Size)
	l.corners(func(o, corner int) {
		share := d[o] / n
		for dy := range l.window.Size {
			row := corner + dy*l.in.Width
			for i := range l.window.Size {
				dx[row+i] += share
			}
		}
	})
}

// flatten hands an image on as a vector, element by element: In is Out.
type flatten struct{ size int }

// Flatten is a layer that makes a vector of an image.
func Flatten(in Volume) Layer { return flatten{in.Elems()} }

func (l flatten) In() int                     { return l.size }
func (l flatten) Out() int                    { return l.size }
func (l flatten) Params() int                 { return 0 }
func (l flatten) Tensors() []Tensor           { return nil }
func (l flatten) Init(_ []float32, _ *Stream) {}
func (l flatten) With(Kernel) Layer           { return l }
func (l flatten) Cost() Cost                  { return Cost{} }
func (l flatten) NewSaved(int) Saved          { return nil }
func (l flatten) Through(_, _ []float32)      {}

func (l flatten) Forward(y, x, _ []float32, rows int, _ Saved, _ *Pass) { copy(y, x[:rows*l.size]) }

func (l flatten) Backward(dx, _, d, _, _ []float32, rows int, _ Saved) {
	if dx != nil {
		copy(dx, d[:rows*l.size])
	}
}
