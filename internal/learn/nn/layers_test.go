package nn

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// run is one Forward of some rows.
func run(l Layer, x, p []float32) []float32 {
	rows := len(x) / l.In()
	y := make([]float32, rows*l.Out())
	l.Forward(y, x, p, rows, l.NewSaved(rows), &Pass{})
	return y
}

// Chapter 4: a 6x6 image whose left half is dark has one vertical edge and no horizontal one; 3x3 with
// stride 1 gives 4x4.
func TestBookChapter4OneEdge(t *testing.T) {
	l, out, err := FixedConv2D(Volume{1, 6, 6}, Prewitt(), 1, 0, Identity)
	if err != nil || out != (Volume{2, 4, 4}) || l.Params() != 0 {
		t.Fatal(err, out, l.Params())
	}
	x := slices.Repeat([]float32{0, 0, 0, 33, 33, 33}, 6)
	want := append(slices.Repeat([]float32{0, 99, 99, 0}, 4), make([]float32, 16)...)
	if y := run(l, x, nil); !slices.Equal(y, want) {
		t.Errorf("edges %v, want %v", y, want)
	}
}

// Chapter 4's network at its size.
func TestBookChapter4Shapes(t *testing.T) {
	l, v, err := FixedConv2D(Volume{3, 96, 96}, Kirsch(), 1, 0, ReLU)
	if err != nil || v != (Volume{8, 94, 94}) || v.Elems() != 70688 || l.Params() != 0 || len(l.Tensors()) != 0 {
		t.Fatal(err, v)
	}
	for _, step := range []struct {
		next  func() (Layer, Volume, error)
		want  Volume
		param int
	}{
		{func() (Layer, Volume, error) { return MaxPool(v, 2, 2) }, Volume{8, 47, 47}, 0},
		{func() (Layer, Volume, error) { return Conv2D(v, 16, Window{3, 1, 0}, true, ReLU) }, Volume{16, 45, 45}, 1168},
		{func() (Layer, Volume, error) { return MaxPool(v, 2, 2) }, Volume{16, 22, 22}, 0},
	} {
		if l, v, err = step.next(); err != nil || v != step.want || l.Params() != step.param {
			t.Fatalf("%v with %d parameters, want %v with %d", v, l.Params(), step.want, step.param)
		}
	}
	if v.Elems() != 7744 {
		t.Errorf("flattened to %d, want 7,744", v.Elems())
	}
}

func TestKirschTurnsItsBorder(t *testing.T) {
	k := Kirsch()
	if len(k) != 8 || k[0] != [9]float32{5, 5, 5, -3, 0, -3, -3, -3, -3} ||
		k[2] != [9]float32{-3, -3, 5, -3, 0, 5, -3, -3, 5} || k[7] != [9]float32{5, 5, -3, 5, 0, -3, -3, -3, -3} {
		t.Errorf("kernels %v", k)
	}
	for i, a := range k {
		sum := float32(0)
		for _, v := range a {
			sum += v
		}
		if sum != 0 || slices.Contains(k[:i], a) {
			t.Errorf("kernel %d sums to %v, or is there twice", i, sum)
		}
	}
}

// Convolution is equivariant: an image moved by one moves the map by one.
func TestConvolutionMovesWithTheImage(t *testing.T) {
	l, out, err := Conv2D(Volume{1, 8, 8}, 2, Window{3, 1, 0}, true, Tanh)
	if err != nil {
		t.Fatal(err)
	}
	x, p := drawn(3, 1, 64, 1), drawn(3, 2, l.Params(), 1)
	moved := append(make([]float32, 1), x[:63]...)
	a, b := run(l, x, p), run(l, moved, p)
	for c := range 2 {
		for y := range out.Height {
			for i := 1; i < out.Width; i++ {
				at := (c*out.Height+y)*out.Width + i
				if b[at] != a[at-1] {
					t.Fatalf("map %d at %d,%d: %v, want %v", c, y, i, b[at], a[at-1])
				}
			}
		}
	}
}

// Pooling works in each channel by itself, and rounds down.
func TestPoolingIsPerChannel(t *testing.T) {
	x := []float32{
		1, 2, 9,
		3, 4, 9,
		9, 9, 9,

		-5, -6, 0,
		-7, -8, 0,
		0, 0, 0,
	}
	most, v, _ := MaxPool(Volume{2, 3, 3}, 2, 2)
	mean, _, _ := AveragePool(Volume{2, 3, 3}, 2, 2)
	if y := run(most, x, nil); v != (Volume{2, 1, 1}) || !slices.Equal(y, []float32{4, -5}) {
		t.Errorf("largest %v of %v", y, v)
	}
	if y := run(mean, x, nil); !slices.Equal(y, []float32{2.5, -6.5}) {
		t.Errorf("mean %v", y)
	}
	// Of equals the first learns.
	s, dx := most.NewSaved(1), make([]float32, 18)
	most.Forward(make([]float32, 2), make([]float32, 18), nil, 1, s, nil)
	most.Backward(dx, nil, []float32{1, 2}, nil, nil, 1, s)
	if dx[0] != 1 || dx[9] != 2 {
		t.Errorf("gradients %v", dx)
	}
}

func TestImageLayersSayWhatTheyWant(t *testing.T) {
	in := Volume{1, 5, 5}
	for _, c := range []struct {
		w      Window
		maps   int
		a      Activation
		expect string
	}{
		{Window{6, 1, 0}, 1, ReLU, "a window of 6 does not fit into an image of 5x5 with padding 0"},
		{Window{3, 0, 0}, 1, ReLU, "stride 0, want at least 1"},
		{Window{0, 1, 0}, 1, ReLU, "a window of 0, want at least 1"},
		{Window{3, 1, 3}, 1, ReLU, "padding 3, want 0 to 2: a window of 3 would see nothing but padding"},
		{Window{3, 1, 0}, 0, ReLU, "0 output channels, want at least 1"},
		{Window{3, 1, 0}, 1, GELU,
			"activation gelu inside a layer, want identity, relu, sigmoid or tanh; others are layers of their own"},
	} {
		if _, _, err := Conv2D(in, c.maps, c.w, true, c.a); err == nil || err.Error() != c.expect {
			t.Errorf("%+v: %v, want %q", c, err, c.expect)
		}
	}
	if _, _, err := MaxPool(Volume{0, 5, 5}, 2, 2); err == nil {
		t.Error("an image without channels was pooled")
	}
}

// The mean over steps is the sum divided by their number: of parameters, not of inputs.
func TestBPTTMeanIsTheSumOverSteps(t *testing.T) {
	for _, mean := range []bool{false, true} {
		for _, cell := range []func(c Recurrence) (Layer, error){
			func(c Recurrence) (Layer, error) { return RNN(c, Tanh) },
			func(c Recurrence) (Layer, error) { return LSTM(c, Tanh, nil) }, GRU,
		} {
			sum, _ := cell(Recurrence{4, 3, 2, 2, false})
			l, err := cell(Recurrence{4, 3, 2, 2, mean})
			if err != nil {
				t.Fatal(err)
			}
			g, dx := newTrial(l, 2, 3).gradients()
			wantG, wantX := newTrial(sum, 2, 3).gradients()
			if mean {
				for i := range wantG {
					wantG[i] /= 4
				}
			}
			same(t, "parameters", g, wantG)
			same(t, "inputs", dx, wantX)
		}
	}
}

// With a loss at the last step only, the gradient vanishes towards the first: by 1/4 and more at each
// step of a sigmoid, whose slope is at most that, with weights of 1. An LSTM whose forget gates are open
// carries it.
func TestStepNormsShowVanishing(t *testing.T) {
	const steps = 12
	norms := func(l Layer, p []float32) []float64 {
		x, y, d := drawn(1, 2, steps, 1), make([]float32, steps), make([]float32, steps)
		s := l.NewSaved(1)
		l.Forward(y, x, p, 1, s, nil)
		d[steps-1] = 1
		l.Backward(make([]float32, steps), make([]float32, l.Params()), d, x, p, 1, s)
		return StepNorms(s)
	}
	plain, _ := RNN(Recurrence{steps, 1, 1, 0, false}, Sigmoid)
	n := norms(plain, []float32{1, 1})
	if n[steps-1] != 1 || len(n) != steps {
		t.Errorf("norms %v", n)
	}
	for i := 1; i < steps; i++ {
		if n[i-1] > n[i]/4+1e-9 || n[i-1] == 0 {
			t.Errorf("step %d: norm %v, after it %v", i, n[i-1], n[i])
		}
	}
	gated, _ := LSTM(Recurrence{steps, 1, 1, 1, false}, Tanh, nil)
	// Weights 0.1 but for the forget gate's bias, the second of four.
	p := append(slices.Repeat([]float32{0.1}, 8), 0, 8, 0, 0)
	if m := norms(gated, p); m[0] < 100*n[0] {
		t.Errorf("lstm %v, rnn %v at the first step", m[0], n[0])
	}
	if StepNorms(nil) != nil {
		t.Error("norms of nothing")
	}
}

// The gate walk of chapter 6: the state holds what the input gate admits, the forget gate drops it.
func TestGatesCanBeSeen(t *testing.T) {
	l, err := LSTM(Recurrence{2, 1, 1, 1, false}, ReLU, &[2]float32{0.01, 0.95})
	if err != nil {
		t.Fatal(err)
	}
	// Gates follow the input alone: at x = 1 the input gate opens and the forget gate closes.
	p := []float32{20, -20, 1, 20 /* from the input */, 0, 0, 0, 0 /* from the state */, -10, 10, 0, -10 /* biases */}
	s, y := l.NewSaved(1), make([]float32, 2)
	l.Forward(y, []float32{1, 0}, p, 1, s, nil)
	first, ok := GatesAt(l, s, 0, 0)
	second, _ := GatesAt(l, s, 0, 1)
	if !ok || first.Input[0] != 1 || first.Forget[0] != 0 || first.Output[0] != 1 || first.Cell[0] != 1 || y[0] != 1 {
		t.Errorf("admitted: %+v, output %v", first, y[0])
	}
	if second.Input[0] != 0 || second.Forget[0] != 1 || second.Output[0] != 0 || second.Cell[0] != 1 || y[1] != 0 {
		t.Errorf("held: %+v, output %v", second, y[1])
	}
	if _, ok := GatesAt(Dense(1, 1, ReLU), nil, 0, 0); ok {
		t.Error("a dense layer has gates")
	}
	for _, bad := range []*[2]float32{{0.5, 0.5}, {-0.1, 0.5}, {0.5, 1.5}, {float32(math.NaN()), 1}} {
		if _, err := LSTM(Recurrence{2, 1, 1, 1, false}, Tanh, bad); err == nil {
			t.Errorf("threshold %v was accepted", *bad)
		}
	}
	if _, err := LSTM(Recurrence{2, 1, 1, 3, false}, Tanh, nil); err == nil {
		t.Error("three bias vectors were accepted")
	}
	if _, err := LSTM(Recurrence{2, 1, 1, 2, false}, Sigmoid, nil); err == nil {
		t.Error("a sigmoid cell was accepted")
	}
}

// The same example has the same mask in whatever rows it comes, another step or layer another one; the
// share of zeros is the rate, within five standard errors.
func TestDropoutFollowsTheExample(t *testing.T) {
	const n, rate = 20000, 0.3
	l, err := Dropout(n, rate)
	if err != nil {
		t.Fatal(err)
	}
	of := func(pass Pass) []float32 {
		rows := len(pass.Samples)
		y := make([]float32, rows*n)
		l.Forward(y, slices.Repeat([]float32{1}, rows*n), nil, rows, l.NewSaved(rows), &pass)
		return y
	}
	one := Pass{Train: true, Seed: 1, Step: 2, Layer: 3, Samples: []int{5, 6}}
	a := of(one)
	b := of(Pass{Train: true, Seed: 1, Step: 2, Layer: 3, Samples: []int{9, 4, 6, 5}})
	same(t, "example 5", b[3*n:], a[:n])
	same(t, "example 6", b[2*n:3*n], a[n:])
	zeros := 0
	for _, v := range a {
		if v == 0 {
			zeros++
		} else if v != float32(1/(1-rate)) {
			t.Fatalf("kept element %v", v)
		}
	}
	if off := math.Abs(float64(zeros)/(2*n) - rate); off > 5*math.Sqrt(rate*(1-rate)/(2*n)) {
		t.Errorf("%d zeros of %d", zeros, 2*n)
	}
	for i, change := range []func(*Pass){
		func(p *Pass) { p.Seed++ }, func(p *Pass) { p.Step++ }, func(p *Pass) { p.Layer++ },
		func(p *Pass) { p.Samples = []int{6, 7} },
	} {
		other := one
		change(&other)
		equal := 0
		for k, v := range of(other)[:n] {
			if v == a[k] {
				equal++
			}
		}
		if want := float64(n * (rate*rate + (1-rate)*(1-rate))); math.Abs(float64(equal)-want) > 0.02*n {
			t.Errorf("change %d: %d equal elements, want about %.0f", i, equal, want)
		}
	}
	one.Train = false
	if y := of(one); slices.Contains(y, 0) || y[0] != 1 {
		t.Error("something is dropped where nothing is trained")
	}
	if _, err := Dropout(n, 1); err == nil || err.Error() != "dropout: rate 1, want at least 0 and less than 1" {
		t.Error(err)
	}
}

// Attention looks back only: what comes later changes nothing before. Maps are rows that sum to 1.
func TestAttentionIsCausal(t *testing.T) {
	const positions, size, count = 6, 8, 2
	l, err := Attention(Half{Positions: positions, Size: size}, count, 4)
	if err != nil {
		t.Fatal(err)
	}
	n := newTrial(l, 1, 4)
	n.loss()
	before := slices.Clone(n.y)
	for h := range count {
		m, ok := AttentionMap(l, n.saved, 0, h)
		if !ok || len(m) != positions*positions {
			t.Fatal(ok, len(m))
		}
		for q := range positions {
			sum := 0.0
			for k, v := range m[q*positions : (q+1)*positions] {
				sum += float64(v)
				if k > q && v != 0 || k <= q && v <= 0 {
					t.Errorf("head %d: query %d sees key %d with %v", h, q, k, v)
				}
			}
			near(t, "sum of a map's row", sum, 1, 1e-6)
		}
	}
	n.x[4*size]++
	n.loss()
	same(t, "positions before", n.y[:4*size], before[:4*size])
	if slices.Equal(n.y[5*size:], before[5*size:]) {
		t.Error("the position after does not see the change")
	}
}

// Blocks leave out what cannot be seen, and change no bit.
func TestAttentionInBlocks(t *testing.T) {
	for _, k := range []Kernel{Portable, Fused} {
		l, err := Attention(Half{Positions: 21, Size: 6, Dropout: 0.1}, 2, 3)
		if err != nil {
			t.Fatal(err)
		}
		whole := l.With(k).(attention)
		parts := whole
		parts.heads.block = 8
		a, b := newTrial(whole, 2, 8), newTrial(parts, 2, 8)
		for i := range b.saved.(*attentionSaved).room {
			b.saved.(*attentionSaved).room[i] = 1e30 // stale
		}
		wantG, wantX := a.gradients()
		g, x := b.gradients()
		same(t, "outputs", b.y, a.y)
		same(t, "gradients", g, wantG)
		same(t, "input gradients", x, wantX)
	}
}

// Padding is not seen: whatever stands there, the others stay as they are. A position before which there
// is nothing but padding takes nothing.
func TestAttentionDoesNotSeePadding(t *testing.T) {
	const size = 4
	l, _ := Attention(Half{Positions: 4, Size: size}, 1, 4)
	n := newTrial(l, 1, 4)
	n.pass.Tokens = []float32{Padding, 2, Padding, 2}
	n.loss()
	before := slices.Clone(n.y)
	for i := range size {
		n.x[i], n.x[2*size+i] = 5, float32(-i)
	}
	n.loss()
	same(t, "position 1", n.y[size:2*size], before[size:2*size])
	same(t, "position 3", n.y[3*size:], before[3*size:])
	m, _ := AttentionMap(l, n.saved, 0, 0)
	if !slices.Equal(m[:4], make([]float32, 4)) || m[13] == 0 || m[14] != 0 {
		t.Errorf("map %v", m)
	}
}

// Chapter 7: the position of word 4 in two dimensions. The book takes i = 1 for the cosine, the paper
// the sine's i = 0.
func TestBookChapter7Positions(t *testing.T) {
	near(t, "sine", Sinusoid(4, 0, 2), -0.757, 5e-4)
	near(t, "cosine", Sinusoid(4, 1, 2), -0.654, 5e-4)
	near(t, "the book's cosine", cos(4./10000), 1, 1e-6)
	near(t, "an element of many", Sinusoid(1000, 7, 64), math.Cos(1000/math.Pow(10000, 6./64)), 1e-9)
}

// Chapter 7: the printed vector of add and norm has mean 0 and deviation 1: what a layer norm makes.
func TestBookChapter7AddAndNorm(t *testing.T) {
	l := Normalised(LayerNorm, 1, 3)
	y := run(l, []float32{1.40 * 2, -0.55 * 2, -0.87 * 2}, []float32{1, 1, 1, 0, 0, 0})
	for i, want := range []float64{1.40, -0.55, -0.87} {
		near(t, fmt.Sprint("element ", i), float64(y[i]), want, 0.02)
	}
	// One large value: in doubles a variance does not cancel.
	y = run(l, []float32{10001, 10002, 10003}, []float32{1, 1, 1, 0, 0, 0})
	near(t, "far from 0", float64(y[2]), math.Sqrt(1.5), 1e-4)
}

// Chapter 7: parameters of a block of GPT-3, without biases and norms.
func TestBookChapter7Parameters(t *testing.T) {
	const d = 12288
	h := Half{Positions: 2048, Size: d}
	attention, err := Attention(h, 96, 128)
	if err != nil {
		t.Fatal(err)
	}
	network, err := FeedForward(h, 4*d, GELU, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := attention.Params() - 2*d - 4*d; got != 603979776 {
		t.Errorf("%d parameters of attention, want 603,979,776", got)
	}
	if got := network.Params() - 2*d - 5*d; got != 1207959552 {
		t.Errorf("%d parameters of the feed-forward network, want 1,207,959,552", got)
	}
}

func TestBlocksSayWhatTheyWant(t *testing.T) {
	h := Half{Positions: 4, Size: 6}
	if _, err := Attention(h, 0, 3); err == nil ||
		err.Error() != "attention: 0 heads of 3 elements, want at least 1 of each" {
		t.Error(err)
	}
	if _, err := FeedForward(h, 0, GELU, false); err == nil {
		t.Error("no hidden elements")
	}
	h.Dropout = math.NaN()
	if _, err := Attention(h, 1, 3); err == nil {
		t.Error("dropout NaN")
	}
	if _, err := ParseNorm("batch-norm"); err == nil ||
		err.Error() != `unknown norm "batch-norm", want layer-norm or rms-norm` {
		t.Error(err)
	}
}

func TestNormalDrawsAreNormal(t *testing.T) {
	const n = 100001
	p := make([]float32, n)
	NewStream(7, 3).Normal(p, 2)
	sum, square, within := 0.0, 0.0, 0
	for _, v := range p {
		sum, square = sum+float64(v), square+float64(v)*float64(v)
		if math.Abs(float64(v)) < 2 {
			within++
		}
	}
	near(t, "mean", sum/n, 0, 5*2/math.Sqrt(n))
	near(t, "variance", square/n, 4, 5*4*math.Sqrt(2./n))
	near(t, "within one deviation", float64(within)/n, 0.6827, 5*0.5/math.Sqrt(n))
}

// The same bits on every processor: these are constants.
func TestLayersGoldenBits(t *testing.T) {
	of, image := mustLayer(t), mustImage(t)
	h := Half{Positions: 7, Size: 12, Dropout: 0.2}
	for _, c := range []struct {
		layer Layer
		want  string
	}{
		{image(Conv2D(Volume{2, 9, 8}, 5, Window{3, 2, 1}, true, Tanh)), "86d7838403c3969c"},
		{of(RNN(Recurrence{9, 5, 7, 2, false}, Tanh)), "bab1a932997c8528"},
		{of(LSTM(Recurrence{9, 5, 7, 2, false}, Tanh, nil)), "d789789a671dc39b"},
		{of(GRU(Recurrence{9, 5, 7, 2, false})), "03be924a2c6a4d3b"},
		{of(Attention(h, 3, 4)), "b5bf96a915ed60ac"},
		{of(FeedForward(h, 20, GELU, false)), "72f2bb21ac57bf3e"},
		{of(FeedForward(h, 20, SiLU, true)), "62055b6ead4e6ae6"},
		{Normalised(RMSNorm, 7, 12), "a127a79bf47cf94e"},
		{SinusoidalPositions(30, 12), "2ae660b0d487ce8d"},
	} {
		n := newTrial(c.layer, 3, 21)
		g, dx := n.gradients()
		if got := digest(append(append(slices.Clone(n.y), g...), dx...)); got != c.want {
			t.Errorf("%T: outputs and gradients are %s, want %s", c.layer, got, c.want)
		}
	}
}
