package nn

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
)

// A trial is one layer with parameters, inputs and a loss: the sum of the outputs, each times a number
// of its own. The gradient of the loss with respect to the outputs is those numbers.
type trial struct {
	layer   Layer
	p, x, c []float32
	rows    int
	pass    *Pass
	saved   Saved
	y       []float32
}

func drawn(seed, place uint64, n int, scale float32) []float32 {
	p := make([]float32, n)
	NewStream(seed, place).Uniform(p, scale)
	return p
}

func newTrial(l Layer, rows int, seed uint64) *trial {
	t := &trial{layer: l, rows: rows, p: drawn(seed, 1, l.Params(), 0.8), x: drawn(seed, 2, rows*l.In(), 1),
		c: drawn(seed, 3, rows*l.Out(), 1), saved: l.NewSaved(rows), y: make([]float32, rows*l.Out()),
		pass: &Pass{Train: true, Seed: seed, Step: 3, Layer: 2}}
	for i := range rows {
		t.pass.Samples = append(t.pass.Samples, 7*i+1)
	}
	return t
}

// tokens makes the inputs tokens below n, some of them padding.
func (t *trial) tokens(n int) *trial {
	s := NewStream(9, 4)
	for i := range t.x {
		t.x[i] = float32(s.Next() % uint64(n))
	}
	return t
}

func (t *trial) loss() float64 {
	t.layer.Forward(t.y, t.x, t.p, t.rows, t.saved, t.pass)
	sum := 0.0
	for i, v := range t.y {
		sum += float64(v) * float64(t.c[i])
	}
	return sum + unevenness(t.layer, t.saved)
}

// unevenness is the balancing loss of a trial, by its definition.
func unevenness(l Layer, saved Saved) (sum float64) {
	of, ok := l.(experts)
	if !ok {
		return 0
	}
	s := saved.(*expertsSaved)
	n := len(s.p) / of.routing.Count
	for e := range of.routing.Count {
		p := 0.0
		for i := range n {
			p += float64(s.p[i*of.routing.Count+e]) / float64(n)
		}
		sum += p * float64(s.came[e]) / float64(n*of.routing.Top)
	}
	return of.routing.Balance * float64(of.routing.Count) * sum
}

// gradients runs forward and backward: of parameters, and of inputs.
func (t *trial) gradients() (g, dx []float32) {
	t.loss()
	// What is there before must not matter: gradients are written, not added.
	g, dx = drawn(1, 1, t.layer.Params(), 1), drawn(1, 2, len(t.x), 1)
	d := slices.Clone(t.c)
	t.layer.Through(d, t.y)
	t.layer.Backward(dx, g, d, t.x, t.p, t.rows, t.saved)
	return g, dx
}

// slope is the derivative of the loss by v[i], from four points, so that a step can be long against
// the rounding of float32: the error is of order h^4.
func (t *trial) slope(v []float32, i int, h float32) float64 {
	was := v[i]
	at := func(step float32) float64 {
		v[i] = was + step
		defer func() { v[i] = was }()
		return t.loss()
	}
	return (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * float64(h))
}

func mustLayer(t *testing.T) func(l Layer, err error) Layer {
	return func(l Layer, err error) Layer {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
}

func mustImage(t *testing.T) func(l Layer, _ Volume, err error) Layer {
	return func(l Layer, _ Volume, err error) Layer {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
}

// Steps for layers that are smooth, and for those with kinks, which a step must not cross.
const (
	long  = 1. / 16
	short = 1. / 512
)

func TestLayerGradientsMatchFiniteDifferences(t *testing.T) {
	of, image := mustLayer(t), mustImage(t)
	half := Half{Positions: 5, Size: 6}
	after, rms, dropping := half, half, half
	after.After, rms.Norm, rms.NoBias, dropping.Dropout = true, RMSNorm, true, 0.3
	threshold := &[2]float32{0.2, 0.8}
	for _, c := range []struct {
		name   string
		layer  Layer
		h      float32
		tokens int
	}{
		{"conv", image(Conv2D(Volume{2, 5, 6}, 3, Window{3, 1, 0}, true, Identity)), long, 0},
		{"conv, stride 2, padding 1, tanh", image(Conv2D(Volume{2, 5, 6}, 3, Window{3, 2, 1}, true, Tanh)), long, 0},
		{"conv, 4x4 over 2x2, padding 3", image(Conv2D(Volume{1, 2, 2}, 2, Window{4, 2, 3}, false, Sigmoid)), long, 0},
		{"conv, relu", image(Conv2D(Volume{1, 5, 5}, 2, Window{2, 3, 0}, true, ReLU)), short, 0},
		{"kirsch", image(FixedConv2D(Volume{3, 5, 5}, Kirsch(), 1, 0, Identity)), long, 0},
		{"max pool", image(MaxPool(Volume{2, 5, 5}, 2, 2)), short, 0},
		{"max pool, overlapping", image(MaxPool(Volume{2, 5, 5}, 3, 1)), short, 0},
		{"average pool", image(AveragePool(Volume{2, 5, 7}, 3, 2)), long, 0},
		{"flatten", Flatten(Volume{2, 3, 2}), long, 0},
		{"dense, tanh", Dense(5, 4, Tanh), long, 0},
		{"gelu", Elementwise(40, GELU), long, 0},
		{"gelu, tanh", Elementwise(40, GELUTanh), long, 0},
		{"silu", Elementwise(40, SiLU), long, 0},
		{"tanh", Elementwise(40, Tanh), long, 0},
		{"everywhere", Everywhere(4, 5, 3, true), long, 0},
		{"embedding", Embedding(4, 5, 3, false), long, 5},
		{"learned positions", LearnedPositions(4, 3), long, 0},
		{"sinusoidal positions", SinusoidalPositions(4, 3), long, 0},
		{"layer norm", Normalised(LayerNorm, 3, 7), long / 4, 0},
		{"rms norm", Normalised(RMSNorm, 3, 7), long / 4, 0},
		{"batch norm, of elements", of(BatchNorm(5, 1, 0.1, Tanh)), long / 4, 0},
		{"batch norm, of channels", of(BatchNorm(3, 7, 0.1, Identity)), long / 4, 0},
		{"residual, batch norm", normedBlock(t, Tanh), long / 4, 0},
		{"dropout", of(Dropout(60, 0.4)), long, 0},
		{"rnn, two biases", of(RNN(Recurrence{5, 3, 4, 2, false}, Tanh)), long / 2, 0},
		{"rnn, one bias, sigmoid", of(RNN(Recurrence{4, 3, 4, 1, false}, Sigmoid)), long, 0},
		{"rnn, no bias, identity", of(RNN(Recurrence{4, 3, 4, 0, false}, Identity)), long, 0},
		{"rnn, one step", of(RNN(Recurrence{1, 3, 4, 2, false}, Tanh)), long, 0},
		{"lstm, two biases", of(LSTM(Recurrence{5, 3, 4, 2, false}, Tanh, nil)), long, 0},
		{"lstm, no bias", of(LSTM(Recurrence{5, 3, 4, 0, false}, Tanh, nil)), long, 0},
		{"lstm, relu", of(LSTM(Recurrence{5, 3, 4, 1, false}, ReLU, nil)), short, 0},
		{"lstm, threshold", of(LSTM(Recurrence{5, 3, 4, 1, false}, Tanh, threshold)), short, 0},
		{"gru, two biases", of(GRU(Recurrence{5, 3, 4, 2, false})), long / 2, 0},
		{"gru, no bias", of(GRU(Recurrence{5, 3, 4, 0, false})), long / 2, 0},
		{"gru, one step", of(GRU(Recurrence{1, 3, 4, 1, false})), long, 0},
		{"lstm, one step", of(LSTM(Recurrence{1, 3, 4, 1, false}, Tanh, nil)), long, 0},
		{"attention", of(Attention(half, 2, 3)), long / 4, 0},
		{"attention, norm after", of(Attention(after, 3, 4)), long / 4, 0},
		{"attention, rms norm, no bias", of(Attention(rms, 1, 2)), long / 4, 0},
		{"attention, dropout", of(Attention(dropping, 2, 3)), long / 4, 0},
		{"attention, grouped, rotary", of(AttentionOf(half, turning)), long / 4, 0},
		{"attention, one head of keys and values, dropout", of(AttentionOf(dropping,
			Heads{Count: 3, Size: 2, KeyValues: 1})), long / 4, 0},
		{"attention, no bias of the norm", of(Attention(Half{Positions: 5, Size: 6, NoNormBias: true}, 2, 3)), long / 4, 0},
		{"dense, tanh, no bias", dense{in: 5, out: 4, activation: Tanh, kernel: Portable, unbiased: true}, long, 0},
		{"residual", of(Residual([]Named{{"a", Dense(5, 7, Tanh)}, {"b", Dense(7, 5, Sigmoid)}}, nil, Tanh)), long, 0},
		{"residual, shortcut", of(Residual([]Named{{"a", Dense(5, 7, Tanh)}, {"b", Elementwise(7, GELU)}},
			[]Named{{"c", Dense(5, 6, Tanh)}, {"d", Dense(6, 7, Identity)}}, Sigmoid)), long, 0},
		{"feed-forward", of(FeedForward(half, 8, GELU, false)), long / 4, 0},
		{"feed-forward, norm after, tanh", of(FeedForward(after, 8, Tanh, false)), long / 4, 0},
		{"feed-forward, relu", of(FeedForward(half, 8, ReLU, false)), short, 0},
		{"feed-forward, swiglu", of(FeedForward(rms, 8, SiLU, true)), long / 4, 0},
		{"feed-forward, sigmoid gate, dropout", of(FeedForward(dropping, 8, Sigmoid, true)), long / 4, 0},
		{"experts, top 1", of(Experts(half, 8, GELU, false, Routing{Count: 3, Top: 1})), short, 0},
		{"experts, top 2, norm after, tanh", of(Experts(after, 8, Tanh, false, Routing{Count: 4, Top: 2})), short, 0},
		{"experts, capacity, shared, dropout", of(Experts(dropping, 8, SiLU, false, Routing{3, 2, 0.5, 1, 0, ""})), short, 0},
		{"experts, top 3, gated", of(Experts(half, 8, SiLU, true, Routing{Count: 4, Top: 3})), short, 0},
		{"experts, gated, tanh, shared, capacity", of(Experts(after, 8, Tanh, true, Routing{4, 2, 0.5, 1, 0, ""})), short, 0},
		{"experts, balanced, top 1", of(Experts(half, 8, GELU, false, Routing{Count: 3, Top: 1, Balance: 20})), short, 0},
		{"experts, balanced, capacity", of(Experts(half, 8, GELU, false, Routing{4, 2, 0.5, 1, 20, ""})), short, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newTrial(c.layer, 3, 11)
			if c.tokens > 0 {
				n.tokens(c.tokens)
			}
			g, dx := n.gradients()
			for _, tensor := range c.layer.Tensors() {
				if tensor.Role == Running { // in training the loss does not see them
					clear(g[tensor.Offset : tensor.Offset+tensor.Elems()])
				}
			}
			compare(t, n, "parameters", n.p, g, c.h)
			if c.tokens == 0 {
				compare(t, n, "inputs", n.x, dx, c.h)
			}
		})
	}
}

// compare holds a gradient against slopes. A wrong element shows against the largest one.
func compare(t *testing.T, n *trial, what string, v, got []float32, h float32) {
	t.Helper()
	largest, nonzero := 0.0, 0
	for _, a := range got {
		largest = max(largest, math.Abs(float64(a)))
		if a != 0 {
			nonzero++
		}
	}
	if len(got) > 0 && nonzero < len(got)/8 {
		t.Fatalf("%s: only %d of %d gradients are not 0: this tests little", what, nonzero, len(got))
	}
	within := 1e-4
	if h == short {
		within = 1e-3
	}
	for i := range v {
		if want := n.slope(v, i, h); math.Abs(float64(got[i])-want) > within*largest {
			t.Errorf("%s: gradient %d is %v, want %v within %v", what, i, got[i], want, within*largest)
		}
	}
}

// Whatever a layer keeps, passes after the first allocate nothing.
func TestLayersAllocateNothing(t *testing.T) {
	of, image := mustLayer(t), mustImage(t)
	half := Half{Positions: 5, Size: 6, Dropout: 0.2}
	for i, l := range []Layer{
		image(Conv2D(Volume{2, 5, 6}, 3, Window{3, 2, 1}, true, ReLU)), image(MaxPool(Volume{2, 5, 5}, 2, 2)),
		image(AveragePool(Volume{2, 5, 5}, 2, 2)), Elementwise(9, GELU), Everywhere(3, 4, 5, true),
		Embedding(4, 1, 3, true), LearnedPositions(4, 3), Normalised(LayerNorm, 3, 7), of(Dropout(60, 0.4)),
		of(RNN(Recurrence{5, 3, 4, 2, true}, Tanh)), of(GRU(Recurrence{5, 3, 4, 2, true})),
		of(LSTM(Recurrence{5, 3, 4, 2, false}, Tanh, &[2]float32{0.1, 0.9})),
		of(Attention(half, 2, 3)), of(FeedForward(half, 8, SiLU, true)),
		of(AttentionOf(half, turning)), of(Residual([]Named{{"a", Dense(5, 7, Tanh)}, {"b", of(Dropout(7, 0.2))}},
			[]Named{{"c", Dense(5, 7, Tanh)}}, ReLU)), of(Experts(half, 8, GELU, false, Routing{3, 2, 0.5, 1, 0.1, ""})),
		of(BatchNorm(3, 7, 0.1, ReLU)), normedBlock(t, ReLU),
	} {
		n := newTrial(l, 3, 1)
		if i == 5 {
			clear(n.x)
		}
		g, dx, d := make([]float32, l.Params()), make([]float32, len(n.x)), slices.Clone(n.c)
		if allocs := testing.AllocsPerRun(10, func() {
			l.Forward(n.y, n.x, n.p, n.rows, n.saved, n.pass)
			l.Through(d, n.y)
			l.Backward(dx, g, d, n.x, n.p, n.rows, n.saved)
		}); allocs != 0 {
			t.Errorf("%T: %v allocations in a pass", l, allocs)
		}
	}
}

// A layer's tensors cover its parameters once, in order; fewer rows than there is room for give the
// same as room for just those.
func TestTensorsCoverTheParameters(t *testing.T) {
	of, image := mustLayer(t), mustImage(t)
	for _, l := range []Layer{
		image(Conv2D(Volume{2, 5, 6}, 3, Window{3, 2, 1}, true, ReLU)), Everywhere(3, 4, 5, true),
		image(FixedConv2D(Volume{2, 5, 5}, Prewitt(), 1, 0, ReLU)), LearnedPositions(3, 2),
		Normalised(RMSNorm, 2, 3), of(RNN(Recurrence{5, 3, 4, 1, false}, Tanh)),
		of(LSTM(Recurrence{5, 3, 4, 2, false}, Tanh, nil)), of(GRU(Recurrence{5, 3, 4, 2, false})),
		of(Attention(Half{Positions: 2, Size: 3}, 2, 5)),
		of(FeedForward(Half{Positions: 2, Size: 3, NoBias: true, Norm: RMSNorm}, 7, SiLU, true)),
		of(AttentionOf(Half{Positions: 2, Size: 3, NoNormBias: true}, turning)),
		dense{in: 3, out: 4, kernel: Portable, unbiased: true},
		of(Experts(Half{Positions: 2, Size: 3}, 7, SiLU, true, Routing{3, 2, 0, 1, 0, ""})),
		of(Residual([]Named{{"a", Dense(5, 7, Tanh)}}, []Named{{"c", Dense(5, 7, Tanh)}}, ReLU)),
		of(BatchNorm(3, 7, 0.1, ReLU)), normedBlock(t, ReLU),
	} {
		at := 0
		for _, tensor := range l.Tensors() {
			if tensor.Offset != at {
				t.Errorf("%T: %s begins at %d, want %d", l, tensor.Name, tensor.Offset, at)
			}
			at += tensor.Elems()
		}
		if at != l.Params() {
			t.Errorf("%T: tensors end at %d of %d", l, at, l.Params())
		}
		p := make([]float32, at)
		l.Init(p, NewStream(1, 0))
		for i, v := range p {
			if v == 0 && !slices.ContainsFunc(l.Tensors(), func(t Tensor) bool {
				return (t.Role == Gain || t.Role == Running) && t.Offset <= i && i < t.Offset+t.Elems()
			}) {
				t.Errorf("%T: first value of parameter %d is 0", l, i)
			}
		}
	}
}

func TestMoreRoomThanRowsChangesNothing(t *testing.T) {
	of, image := mustLayer(t), mustImage(t)
	half := Half{Positions: 5, Size: 6, Dropout: 0.2, After: true}
	for _, l := range []Layer{
		image(Conv2D(Volume{2, 5, 6}, 3, Window{3, 2, 1}, true, ReLU)), image(MaxPool(Volume{2, 5, 5}, 2, 2)),
		of(RNN(Recurrence{5, 3, 4, 1, false}, Tanh)), of(LSTM(Recurrence{5, 3, 4, 2, false}, Tanh, nil)),
		of(GRU(Recurrence{5, 3, 4, 1, false})),
		of(Attention(half, 2, 3)), of(FeedForward(half, 8, SiLU, true)), Normalised(LayerNorm, 2, 3),
		of(AttentionOf(half, turning)), of(Residual([]Named{{"a", Dense(5, 7, Tanh)}, {"b", of(Dropout(7, 0.2))}},
			[]Named{{"c", Dense(5, 7, Tanh)}}, ReLU)), of(BatchNorm(3, 7, 0.1, ReLU)), normedBlock(t, ReLU),
	} {
		n := newTrial(l, 2, 5)
		wantG, wantX := n.gradients()
		y := slices.Clone(n.y)
		n.saved = l.NewSaved(7)
		g, x := n.gradients()
		same(t, fmt.Sprintf("%T outputs", l), n.y, y)
		same(t, fmt.Sprintf("%T gradients", l), g, wantG)
		same(t, fmt.Sprintf("%T input gradients", l), x, wantX)
	}
}

// What a layer says that it keeps of a row is what it keeps.
func TestCostCountsWhatIsKept(t *testing.T) {
	of, image := mustLayer(t), mustImage(t)
	half := Half{Positions: 5, Size: 6, Dropout: 0.2}
	for _, l := range []Layer{
		image(Conv2D(Volume{2, 5, 6}, 3, Window{3, 2, 1}, true, ReLU)), image(MaxPool(Volume{2, 5, 5}, 2, 2)),
		image(AveragePool(Volume{2, 5, 5}, 2, 2)), Elementwise(9, GELU), Everywhere(3, 4, 5, true),
		Embedding(4, 2, 3, true), OneHot(4, 2), LearnedPositions(4, 3), Normalised(LayerNorm, 3, 7),
		of(Dropout(60, 0.4)), of(RNN(Recurrence{5, 3, 4, 2, true}, Tanh)),
		of(LSTM(Recurrence{5, 3, 4, 2, false}, Tanh, nil)), of(GRU(Recurrence{5, 3, 4, 2, false})), of(Attention(half, 2, 5)),
		of(FeedForward(half, 8, GELU, false)), of(FeedForward(half, 8, SiLU, true)),
		of(Experts(half, 8, GELU, false, Routing{3, 2, 0.5, 1, 0.1, ""})), of(BatchNorm(3, 7, 0.1, ReLU)),
	} {
		c := l.Cost()
		got := (kept(reflect.ValueOf(l.NewSaved(7))) - kept(reflect.ValueOf(l.NewSaved(2)))) / 5
		if want := 4*c.Saved + c.Notes; got != want {
			t.Errorf("%T keeps %d bytes of a row, says %d", l, got, want)
		}
	}
}

// kept is how many bytes are in the slices of a value.
func kept(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return kept(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			n += kept(v.Field(i))
		}
	case reflect.Slice:
		n = v.Len() * int(v.Type().Elem().Size())
	}
	return n
}

// turning are heads that share keys and values, and know positions by turning.
var turning = Heads{Count: 4, Size: 2, KeyValues: 2, Rotary: 10000}
