package nn

import (
	"fmt"
	"math"
)

// Volume is the shape of an image: row-major, channel after channel.
type Volume struct{ Channels, Height, Width int }

// Elems is how many elements it has.
func (v Volume) Elems() int { return v.Channels * v.Height * v.Width }

func (v Volume) String() string { return fmt.Sprintf("%dx%dx%d", v.Channels, v.Height, v.Width) }

// A Window moves over each channel of an image: kernel size, stride, zeros around the image.
type Window struct{ Size, Stride, Padding int }

// over is where a window fits, whole windows only:
//
//	(side + 2 padding - size) / stride + 1, rounded down
func (w Window) over(v Volume, channels int) (Volume, error) {
	switch {
	case v.Channels < 1 || v.Height < 1 || v.Width < 1:
		return Volume{}, fmt.Errorf("an image of %v, want at least 1x1x1", v)
	case w.Size < 1:
		return Volume{}, fmt.Errorf("a window of %d, want at least 1", w.Size)
	case w.Stride < 1:
		return Volume{}, fmt.Errorf("stride %d, want at least 1", w.Stride)
	case w.Padding < 0 || w.Padding >= w.Size:
		return Volume{}, fmt.Errorf("padding %d, want 0 to %d: a window of %d would see nothing but padding",
			w.Padding, w.Size-1, w.Size)
	case v.Height+2*w.Padding < w.Size || v.Width+2*w.Padding < w.Size:
		return Volume{}, fmt.Errorf("a window of %d does not fit into an image of %dx%d with padding %d",
			w.Size, v.Height, v.Width, w.Padding)
	case channels < 1:
		return Volume{}, fmt.Errorf("%d output channels, want at least 1", channels)
	}
	return Volume{channels, (v.Height+2*w.Padding-w.Size)/w.Stride + 1, (v.Width+2*w.Padding-w.Size)/w.Stride + 1}, nil
}

// conv2d slides filters over an image (a cross-correlation, as in torch.nn.Conv2d).
//
//	x: rows x in    y: rows x out    w: filters x (in.Channels x Size x Size)    b: filters
//
// For each example the windows become columns, and the rest is one product of matrices:
//
//	cols: (Channels*Size*Size) x (out.Height*out.Width)    y = w cols + b
//
// The products that make the gradient of w add up over examples, the first one first.
type conv2d struct {
	in, out    Volume
	window     Window
	weights    linear    // its weights, filters x patch
	fixed      []float32 // weights that are not trained: then there are no parameters
	activation Activation
	kernel     Kernel
}

// Conv2D is a layer of filters over an image, with or without a bias for each, and what follows it.
// Its second result is the shape of what it makes.
func Conv2D(in Volume, filters int, w Window, biased bool, a Activation) (Layer, Volume, error) {
	out, err := w.over(in, filters)
	if err != nil {
		return nil, Volume{}, err
	}
	if err := a.fromOutput(); err != nil {
		return nil, Volume{}, err
	}
	return conv2d{in: in, out: out, window: w, activation: a, kernel: Portable,
		weights: linear{in: in.Channels * w.Size * w.Size, out: filters, biased: biased}}, out, nil
}

// FixedConv2D is a layer of fixed 3x3 kernels (see Kernels), each applied to every channel and summed
// over them. It has no parameters, so it sends nothing.
func FixedConv2D(in Volume, kernels [][9]float32, stride, padding int, a Activation) (Layer, Volume, error) {
	l, out, err := Conv2D(in, len(kernels), Window{3, stride, padding}, false, a)
	if err != nil {
		return nil, Volume{}, err
	}
	c := l.(conv2d)
	for _, k := range kernels {
		for range in.Channels {
			c.fixed = append(c.fixed, k[:]...)
		}
	}
	return c, out, nil
}

func (l conv2d) In() int  { return l.in.Elems() }
func (l conv2d) Out() int { return l.out.Elems() }

func (l conv2d) Params() int {
	if l.fixed != nil {
		return 0
	}
	return l.weights.end()
}

func (l conv2d) Tensors() []Tensor {
	if l.fixed != nil {
		return nil
	}
	t := l.weights.tensors()
	t[0].Shape = []int{l.out.Channels, l.in.Channels, l.window.Size, l.window.Size}
	t[0].FanOut = l.out.Channels * l.window.Size * l.window.Size
	return t
}

// Init draws uniform in ±1/sqrt(Channels*Size*Size), as torch.nn.Conv2d does.
func (l conv2d) Init(p []float32, draw *Stream) {
	if l.fixed == nil {
		l.weights.init(p, draw)
	}
}

// ColumnWidth is the number of output channels; kernels that are fixed are not shared.
func (l conv2d) ColumnWidth() int { return l.out.Channels }

// Columns is some of the filters: their channels lie one after the other.
//
//	w  | part 0 |    b  | part 0 |
//	   | part 1 |       | part 1 |
func (l conv2d) Columns(part, parts int) (Layer, []Piece) {
	of := l
	of.out.Channels, of.weights.out = l.out.Channels/parts, l.weights.out/parts
	n := of.weights.in * of.weights.out
	pieces := []Piece{{part * n, 0, n}}
	if l.weights.biased {
		pieces = append(pieces, Piece{l.weights.in*l.weights.out + part*of.weights.out, n, of.weights.out})
	}
	return of, pieces
}

func (l conv2d) With(k Kernel) Layer {
	l.kernel = k
	return l
}

// Cost counts the columns as written and read once.
func (l conv2d) Cost() Cost {
	places := l.out.Height * l.out.Width
	columns := Work{Words: int64(l.in.Elems() + l.weights.in*places)}
	c := Cost{
		Forward: []Work{columns, l.weights.work(places), {Words: 2 * int64(l.out.Elems())}},
		Input:   []Work{l.weights.work(places), columns},
	}
	if l.fixed == nil {
		c.Gradient = []Work{columns, l.weights.gradientWork(places)}
	}
	if l.activation != Identity {
		c.Through = []Work{{Words: 3 * int64(l.out.Elems())}}
	}
	return c
}

// columns is room for one example's windows.
type columns []float32

func (l conv2d) NewSaved(int) Saved {
	return columns(make([]float32, l.weights.in*l.out.Height*l.out.Width))
}

func (l conv2d) filters(p []float32) []float32 {
	if l.fixed != nil {
		return l.fixed
	}
	return l.weights.weight(p)
}

func (l conv2d) Forward(y, x, p []float32, rows int, saved Saved, _ *Pass) {
	cols, w := saved.(columns), l.filters(p)
	places := l.out.Height * l.out.Width
	s := Product{M: l.out.Channels, N: places, K: l.weights.in, LDA: l.weights.in, LDB: places, LDC: places}
	for r := range rows {
		to := y[r*l.Out() : (r+1)*l.Out()]
		l.unfold(cols, x[r*l.In():(r+1)*l.In()])
		l.kernel.NN(to, w, cols, s)
		for f, b := range l.weights.bias(p) {
			for i, v := range to[f*places : (f+1)*places] {
				to[f*places+i] = v + b
			}
		}
	}
	l.activation.apply(y[:rows*l.Out()], l.kernel)
}

func (l conv2d) Through(d, y []float32) { l.activation.backward(d, y) }

func (l conv2d) Backward(dx, g, d, x, p []float32, rows int, saved Saved) {
	cols := saved.(columns)
	if l.fixed == nil {
		l.gradient(g, d, x, rows, cols)
	}
	if dx == nil {
		return
	}
	w, places := l.filters(p), l.out.Height*l.out.Width
	s := Product{M: l.weights.in, N: places, K: l.out.Channels, LDA: l.weights.in, LDB: places, LDC: places}
	for r := range rows {
		l.kernel.TN(cols, w, d[r*l.Out():(r+1)*l.Out()], s)
		l.fold(dx[r*l.In():(r+1)*l.In()], cols)
	}
}

func (l conv2d) gradient(g, d, x []float32, rows int, cols columns) {
	places := l.out.Height * l.out.Width
	s := Product{M: l.out.Channels, N: l.weights.in, K: places, LDA: places, LDB: places, LDC: l.weights.in}
	gb := l.weights.bias(g)
	clear(gb)
	for r := range rows {
		from := d[r*l.Out() : (r+1)*l.Out()]
		l.unfold(cols, x[r*l.In():(r+1)*l.In()])
		l.kernel.NT(l.weights.weight(g), from, cols, s)
		s.Add = true
		for f := range gb {
			sum := gb[f]
			for _, v := range from[f*places : (f+1)*places] {
				sum += v
			}
			gb[f] = sum
		}
	}
}

// unfold writes a row of cols for each element of a window: what each place of the window has there.
func (l conv2d) unfold(cols, x []float32) {
	l.walk(func(at, from, n, step int) {
		to := cols[at : at+n]
		if step == 1 {
			copy(to, x[from:])
			return
		}
		for i := range to {
			to[i] = x[from+i*step]
		}
	}, func(at, n int) { clear(cols[at : at+n]) })
}

// fold adds each element of cols to the element of x that unfold took it from, row by row.
func (l conv2d) fold(x, cols []float32) {
	clear(x)
	l.walk(func(at, from, n, step int) {
		for i, v := range cols[at : at+n] {
			x[from+i*step] += v
		}
	}, func(int, int) {})
}

// walk goes through the columns in order: runs of n elements from `at` that lie in the image, from
// element `from` on, step by step, and runs in the padding.
func (l conv2d) walk(image func(at, from, n, step int), padding func(at, n int)) {
	w, size, at := l.window, l.window.Size, 0
	for patch := range l.weights.in {
		c, ky, kx := patch/(size*size), patch/size%size, patch%size
		left := max(0, (w.Padding-kx+w.Stride-1)/w.Stride) // places whose column is in the left padding
		right := min(l.out.Width, (l.in.Width-1+w.Padding-kx+w.Stride)/w.Stride)
		for oy := range l.out.Height {
			y := oy*w.Stride + ky - w.Padding
			if y < 0 || y >= l.in.Height || right <= left {
				padding(at, l.out.Width)
			} else {
				padding(at, left)
				image(at+left, (c*l.in.Height+y)*l.in.Width+left*w.Stride+kx-w.Padding, right-left, w.Stride)
				padding(at+right, l.out.Width-right)
			}
			at += l.out.Width
		}
	}
}

// Prewitt are the two kernels of Prewitt (1970): vertical edges, then horizontal ones.
func Prewitt() [][9]float32 {
	return [][9]float32{
		{-1, 0, 1, -1, 0, 1, -1, 0, 1},
		{-1, -1, -1, 0, 0, 0, 1, 1, 1},
	}
}

// Kirsch are the eight kernels of Kirsch (1971), one for each direction: the first one finds edges
// with the bright side above, each next one is its border turned by 45 degrees, clockwise.
func Kirsch() [][9]float32 {
	border := [8]int{0, 1, 2, 5, 8, 7, 6, 3} // clockwise from the upper left
	all := make([][9]float32, 8)
	for turn := range all {
		for i, at := range border {
			v := float32(-3)
			if (i-turn+8)%8 < 3 {
				v = 5
			}
			all[turn][at] = v
		}
	}
	return all
}

// rootOf is 1/sqrt(n) as a bound of first weights.
func rootOf(n int) float32 { return float32(1 / math.Sqrt(float64(n))) }
