package nn

import (
	"fmt"
	"math"

	"railyard/internal/learn/nn/kernel"
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

// Split is by output channel; kernels that are fixed are not shared.
func (l conv2d) Split(way Way) *Split {
	channels := []Width{{l.out.Channels, "outputs"}}
	switch way {
	case Columns:
		return &Split{channels, func(part, parts int) (*Part, []Piece) {
			of, pieces := l.columns(part, parts)
			return byColumns(of), pieces
		}}
	case Gathered:
		return &Split{channels, func(part, parts int) (*Part, []Piece) {
			of, pieces := l.columns(part, parts)
			return gathered(l, of, part, parts, 1), pieces
		}}
	}
	return nil
}

// columns is some of the filters: their channels lie one after the other.
//
//	w  | part 0 |    b  | part 0 |
//	   | part 1 |       | part 1 |
func (l conv2d) columns(part, parts int) (conv2d, []Piece) {
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
			kernel.AddNumber(to[f*places:(f+1)*places], b)
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
		addSums(gb, from, places)
	}
}

// addSums adds n elements of d to each sum, one after the other. Four sums go side by side: one alone
// would wait for itself.
func addSums(sums, d []float32, n int) {
	for ; len(sums) >= 4; sums, d = sums[4:], d[4*n:] {
		d0, d1, d2, d3 := d[:n], d[n:][:n], d[2*n:][:n], d[3*n:][:n]
		s0, s1, s2, s3 := sums[0], sums[1], sums[2], sums[3]
		for i, v := range d0 {
			s0 += v
			s1 += d1[i]
			s2 += d2[i]
			s3 += d3[i]
		}
		sums[0], sums[1], sums[2], sums[3] = s0, s1, s2, s3
	}
	for f := range sums {
		for _, v := range d[f*n:][:n] {
			sums[f] += v
		}
	}
}

// unfold writes a row of cols for each element of a window: what each place of the window has there.
func (l conv2d) unfold(cols, x []float32) {
	wide, apart := l.out.Width, l.window.Stride*l.in.Width
	places := l.out.Height * wide
	for e := range l.weights.in {
		to, s := cols[e*places:(e+1)*places], l.seen(e)
		if s.rows*s.cols < places {
			clear(to)
		}
		switch {
		case s.rows*s.cols == 0:
		case l.window.Stride == 1:
			kernel.CopyRows(to[s.place:], x[s.at:], kernel.Block{Rows: s.rows, Cols: s.cols, LDTo: wide, LDFrom: apart})
		default:
			for r := range s.rows {
				row := x[s.at+r*apart:]
				for i := range s.cols {
					to[s.place+r*wide+i] = row[i*l.window.Stride]
				}
			}
		}
	}
}

// fold adds each element of cols to the element of x that unfold took it from, row by row.
func (l conv2d) fold(x, cols []float32) {
	clear(x)
	wide, apart := l.out.Width, l.window.Stride*l.in.Width
	places := l.out.Height * wide
	for e := range l.weights.in {
		from, s := cols[e*places:(e+1)*places], l.seen(e)
		switch {
		case s.rows*s.cols == 0:
		case l.window.Stride == 1:
			kernel.AddRows(x[s.at:], from[s.place:], kernel.Block{Rows: s.rows, Cols: s.cols, LDTo: apart, LDFrom: wide})
		default:
			for r := range s.rows {
				row := x[s.at+r*apart:]
				for i, v := range from[s.place+r*wide:][:s.cols] {
					row[i*l.window.Stride] += v
				}
			}
		}
	}
}

// A sight is where an element of a window lies in the image, not in its padding: rows and columns of
// places, the number of the first, and the element of the image that it sees.
type sight struct{ rows, cols, place, at int }

func (l conv2d) seen(e int) sight {
	w, size := l.window, l.window.Size
	c, ky, kx := e/(size*size), e/size%size, e%size
	top, bottom := w.seen(ky, l.in.Height, l.out.Height)
	left, right := w.seen(kx, l.in.Width, l.out.Width)
	y, x := top*w.Stride+ky-w.Padding, left*w.Stride+kx-w.Padding
	return sight{bottom - top, right - left, top*l.out.Width + left, (c*l.in.Height+y)*l.in.Width + x}
}

// seen is along one side: from which place to which one element k of the window lies in the image.
func (w Window) seen(k, side, places int) (first, end int) {
	first = max(0, (w.Padding-k+w.Stride-1)/w.Stride)
	end = min(places, (side-1+w.Padding-k+w.Stride)/w.Stride)
	return first, max(first, end)
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
