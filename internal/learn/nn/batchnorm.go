package nn

import (
	"fmt"
	"math"
)

// batchNorm brings each channel of a batch to a common size (torch.nn.BatchNorm1d and 2d; Ioffe, Szegedy, "Batch
// Normalization", ICML 2015):
//
//	y = activation((x - mean) / sqrt(variance + epsilon) gain + bias)
//
// In training mean and variance are those of a micro-batch, of all its rows on all replicas: between what each rank sums and
// what it makes of the sum is an all-reduce, forward and back (torch.nn.SyncBatchNorm). A model that is used takes the
// running ones.
//
//	x, y: rows x channels x places    parameters: gain | bias | running mean | running variance, one for each channel
//
// The running ones lie among the parameters, so they go where those go; in place of a gradient they have the mean and the
// variance of the micro-batch, the variance over one value less, as PyTorch keeps it: see Optimiser.StepAll.
type batchNorm struct {
	channels, places int
	momentum         float64
	activation       Activation // whose slope its output tells
	kernel           Kernel
}

// BatchNorm is a layer that brings channels, each so many places of a row, to a common size over the rows of a micro-batch,
// then an activation whose slope can be told from its output. momentum is the part of a new mean in the running one.
func BatchNorm(channels, places int, momentum float64, a Activation) (Layer, error) {
	if channels < 1 || places < 1 {
		return nil, fmt.Errorf("%d channels of %d places, want at least 1 of 1", channels, places)
	}
	if !(momentum > 0 && momentum <= 1) {
		return nil, fmt.Errorf("momentum %v, want more than 0 and at most 1", momentum)
	}
	if err := a.fromOutput(); err != nil {
		return nil, err
	}
	return batchNorm{channels, places, momentum, a, Portable}, nil
}

func (l batchNorm) In() int     { return l.channels * l.places }
func (l batchNorm) Out() int    { return l.channels * l.places }
func (l batchNorm) Params() int { return 4 * l.channels }

func (l batchNorm) Tensors() []Tensor {
	all := []Tensor{{Name: "weight", Role: Gain}, {Name: "bias", Role: Gain},
		{Name: "running_mean", Role: Running, Momentum: l.momentum}, {Name: "running_var", Role: Running, Momentum: l.momentum}}
	for i := range all {
		all[i].Shape, all[i].Offset = []int{l.channels}, i*l.channels
	}
	return all
}

// of is the i-th of the four vectors.
func (l batchNorm) of(v []float32, i int) []float32 { return v[i*l.channels:][:l.channels] }

// Init makes gains and variances 1, biases and means 0.
func (l batchNorm) Init(p []float32, _ *Stream) {
	clear(p)
	for i, v := range l.of(p, 0) {
		l.of(p, 0)[i], l.of(p, 3)[i] = v+1, v+1
	}
}

func (l batchNorm) With(k Kernel) Layer {
	l.kernel = k
	return l
}

// Statistics is how many values of a row a channel has.
func (l batchNorm) Statistics() int { return l.places }

func (l batchNorm) Cost() Cost {
	p := l.whole()
	c := Cost{Gradient: p.Backward[0].Gradient, Input: p.Backward[1].Work, Through: p.ThroughWork}
	for i := range p.Forward {
		c.Forward = append(c.Forward, p.Forward[i].Work...)
	}
	return c
}

// batchSaved is what a micro-batch was brought to a common size by.
type batchSaved struct {
	scales   []scale // by channel
	variance []float32
	count    float32   // values of a channel, on all replicas
	sums     []float32 // room for what one rank sums
}

func (l batchNorm) NewSaved(int) Saved {
	return &batchSaved{scales: make([]scale, l.channels), variance: make([]float32, l.channels), sums: make([]float32, l.sums())}
}

// sums is how many numbers ranks sum of a micro-batch: forward a sum and one of squares for each channel and how many
// values they are of, backward two for each channel.
func (l batchNorm) sums() int { return 2*l.channels + 1 }

// each visits what lies in a channel, row by row.
func (l batchNorm) each(channel, rows int, visit func(lo, hi int)) {
	for r := range rows {
		at := (r*l.channels + channel) * l.places
		visit(at, at+l.places)
	}
}

// moments sums a rank's values and their squares, less the running mean: what is summed is small beside that, so that
// little is lost in the difference of mean square and squared mean.
func (l batchNorm) moments(to, x, p []float32, rows int) {
	for c, pivot := range l.of(p, 2) {
		sum, square := 0.0, 0.0
		l.each(c, rows, func(lo, hi int) {
			for _, v := range x[lo:hi] {
				e := float64(v) - float64(pivot)
				sum += e
				square += float64(e * e)
			}
		})
		to[c], to[l.channels+c] = float32(sum), float32(square)
	}
	to[2*l.channels] = float32(rows * l.places)
}

// settle makes a mean and a variance of what all ranks have summed.
func (l batchNorm) settle(s *batchSaved, sums, p []float32) {
	s.count = sums[2*l.channels]
	n := float64(s.count)
	for c, pivot := range l.of(p, 2) {
		mean := float64(sums[c]) / n
		variance := float64(sums[l.channels+c])/n - float64(mean*mean)
		if variance < 0 { // by a rounding
			variance = 0
		}
		s.scales[c] = scale{float32(float64(pivot) + mean), float32(1 / math.Sqrt(variance+epsilon))}
		s.variance[c] = float32(float64(variance*n) / (n - 1))
	}
}

// apply makes y from x.
func (l batchNorm) apply(y, x, p []float32, rows int, scales []scale) {
	gain, bias := l.of(p, 0), l.of(p, 1)
	for c, s := range scales {
		g, b := gain[c], bias[c]
		l.each(c, rows, func(lo, hi int) {
			to := y[lo:hi]
			for i, v := range x[lo:hi] {
				to[i] = float32(float32((v-s.mean)*s.by)*g) + b
			}
		})
	}
	l.activation.apply(y[:rows*l.Out()], l.kernel)
}

func (l batchNorm) Forward(y, x, p []float32, rows int, saved Saved, pass *Pass) {
	s := saved.(*batchSaved)
	if pass != nil && !pass.Train {
		for c, v := range l.of(p, 3) {
			s.scales[c] = scale{l.of(p, 2)[c], float32(1 / math.Sqrt(float64(v)+epsilon))}
		}
	} else {
		l.moments(s.sums, x, p, rows)
		l.settle(s, s.sums, p)
	}
	l.apply(y, x, p, rows, s.scales)
}

func (l batchNorm) Through(d, y []float32) { l.activation.backward(d, y) }

// gradients makes those of gain and bias, each a rank's own part of them, and what ranks sum of both.
func (l batchNorm) gradients(to, g, d, x []float32, rows int, s *batchSaved) {
	for c, by := range s.scales {
		sum, along := 0.0, 0.0
		l.each(c, rows, func(lo, hi int) {
			from := x[lo:hi]
			for i, v := range d[lo:hi] {
				sum += float64(v)
				along += float64(float64(v) * float64(float32((from[i]-by.mean)*by.by)))
			}
		})
		to[c], to[l.channels+c] = float32(sum), float32(along)
		l.of(g, 2)[c], l.of(g, 3)[c] = by.mean, s.variance[c]
	}
	copy(l.of(g, 0), to[l.channels:])
	copy(l.of(g, 1), to)
}

// input makes dx. With n = (x - mean) by, and means over the values of a channel on all ranks:
//
//	dx = gain by (d - mean(d) - n mean(d n))
func (l batchNorm) input(dx, sums, d, x, p []float32, rows int, s *batchSaved) {
	for c, by := range s.scales {
		mean, along := float32(sums[c]/s.count), float32(sums[l.channels+c]/s.count)
		scaled := float32(l.of(p, 0)[c] * by.by)
		l.each(c, rows, func(lo, hi int) {
			from, to := x[lo:hi], dx[lo:hi]
			for i, v := range d[lo:hi] {
				normed := float32((from[i] - by.mean) * by.by)
				to[i] = float32(scaled * (v - mean - float32(normed*along)))
			}
		})
	}
}

func (l batchNorm) Backward(dx, g, d, x, p []float32, rows int, saved Saved) {
	s := saved.(*batchSaved)
	l.gradients(s.sums, g, d, x, rows, s)
	if dx != nil {
		l.input(dx, s.sums, d, x, p, rows, s)
	}
}

// Split is over replicas; of ranks that share layers each has all of it and does the same.
func (l batchNorm) Split(way Way) *Split {
	switch way {
	case Inside:
		return everyones(l)
	case Together:
		return &Split{Of: func(_, _ int) (*Part, []Piece) { return l.whole(), []Piece{{Elems: l.Params()}} }}
	}
	return nil
}

// whole is the layer in phases, between which replicas sum.
func (l batchNorm) whole() *Part {
	n, c := int64(l.In()), int64(l.channels)
	p := &Part{In: l.In(), Out: l.Out(), Params: l.Params(), NewSaved: l.NewSaved}
	p.Forward = numbered("forward", []Phase{
		{Work: []Work{{FLOP: 4 * n, Words: n, Fixed: 3 * c}},
			Run: func(h *Hand) { l.moments(h.Give, h.X, h.P, h.Rows) }, Then: Sum, What: "moments", Fixed: l.sums()},
		{Work: []Work{{FLOP: 4 * n, Words: 2 * n, Fixed: 7 * c}},
			Run: func(h *Hand) {
				s := h.Saved.(*batchSaved)
				l.settle(s, h.Got, h.P)
				l.apply(h.Y, h.X, h.P, h.Rows, s.scales)
			}},
	})
	for i := range p.Forward {
		p.Forward[i].Inputs, p.Forward[i].Params = true, true
	}
	p.Backward = numbered("backward", []Phase{
		{Gradient: []Work{{FLOP: 5 * n, Words: 2 * n, Fixed: 8 * c}}, Then: Sum, What: "sums",
			Fixed: 2 * l.channels, Run: func(h *Hand) { l.gradients(h.Give, h.G, h.D, h.X, h.Rows, h.Saved.(*batchSaved)) }},
		{Work: []Work{{FLOP: 7 * n, Words: 3 * n, Fixed: 5 * c}}, Run: func(h *Hand) {
			if h.DX != nil {
				l.input(h.DX, h.Got, h.D, h.X, h.P, h.Rows, h.Saved.(*batchSaved))
			}
		}},
	})
	if l.activation != Identity {
		p.ThroughWork = []Work{{Words: 3 * n}}
	}
	return p
}
