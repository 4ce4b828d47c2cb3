package inside

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"railyard/internal/learn/nn"
	"railyard/internal/out/result"
)

// one is a single example.
type one struct {
	x       []float32
	labels  []int32
	classes int
}

func (o *one) Len() int                        { return 1 }
func (o *one) Width() int                      { return len(o.x) }
func (o *one) Targets() int                    { return len(o.labels) }
func (o *one) Classes() int                    { return o.classes }
func (o *one) ReadInputs(x []float32, _ []int) { copy(x, o.x) }
func (o *one) ReadLabels(to []int32, _ []int)  { copy(to, o.labels) }

// text is an example of a text: tokens 2, 3, ... and what follows them.
func text(positions, vocabulary int) *one {
	o := &one{classes: vocabulary}
	for i := range positions {
		o.x = append(o.x, float32(2+i%(vocabulary-2)))
		o.labels = append(o.labels, int32(2+(i+1)%(vocabulary-2)))
	}
	return o
}

func name(token int32) string { return "w" + string('a'+rune(token)) }

// look looks into a model with first parameters of two seeds.
func look(t *testing.T, m *nn.Model, err error, of *one) *result.Inside {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	s := &Subject{Model: m, Kernel: nn.Portable, Before: At{0, m.Init(1)}, After: At{9, m.Init(2)}, Examples: of,
		Of: "examples"}
	if s.Image = (nn.Volume{Channels: 1, Height: 8, Width: 8}); m.TakesText() {
		s.Name, s.Tokens = name, of.classes
	}
	in, err := Look(s)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Look(s)
	if err != nil || !reflect.DeepEqual(in, again) {
		t.Errorf("two looks differ: %v", err)
	}
	return in
}

func layer(t *testing.T, in *result.Inside, called string) *result.InsideLayer {
	t.Helper()
	for i := range in.Passes[1].Layers {
		if l := &in.Passes[1].Layers[i]; l.Name == called {
			return l
		}
	}
	t.Fatalf("no layer %s", called)
	return nil
}

// Fixed kernels are there without a gradient, outputs have channels side by side, what is flat is left
// out, and what is cut says so.
func TestConvolution(t *testing.T) {
	m, err := nn.NewCNN(nn.CNN{Image: nn.Volume{Channels: 1, Height: 8, Width: 8}, Stages: []nn.ConvStage{
		{Fixed: nn.Kirsch(), Window: nn.Window{Size: 3, Stride: 1}}, {Filters: 40, Window: nn.Window{Size: 3,
			Stride: 1}}},
		Hidden: []int{50}, Classes: 3, Activation: nn.ReLU})
	image := &one{x: make([]float32, 64), labels: []int32{2}, classes: 3}
	image.x[27] = 1
	in := look(t, m, err, image)
	fixed, trained := layer(t, in, "conv.1"), layer(t, in, "conv.2")
	if w := fixed.Weights[0]; w.Gradient != nil || w.Side != 3 || w.Weight.Of != [2]int{24,
		3} || w.Weight.Values[0][0] != 5 {
		t.Errorf("Kirsch's kernels are %+v", w)
	}
	if w := trained.Weights[0]; w.Gradient == nil || len(w.Weight.Values) != 30 || w.Weight.Of != [2]int{120, 24} {
		t.Errorf("40 filters of 3x3x8: %d rows of %v", len(w.Weight.Values), w.Weight.Of)
	}
	if o := fixed.Output; len(o.Values) != 6 || len(o.Values[0]) != 4*6 || o.Of != [2]int{6, 48} {
		t.Errorf("eight maps of 6x6: %d rows of %v", len(o.Values), o.Of)
	}
	if layer(t, in, "flatten").Output != nil {
		t.Error("flatten changes nothing, and is shown")
	}
	if w := layer(t, in, "dense.1").Weights[0].Weight; len(w.Values) != Side || len(w.Values[0]) != Side {
		t.Errorf("50 neurons: %d rows", len(w.Values))
	}
	if e := in.Example; e.Image == nil || e.Image.Of != [2]int{8, 8} || e.Tokens != nil {
		t.Errorf("the example is %+v, want an image of 8x8", e)
	}
	if in.Example.Labels[0] != "2" || in.Passes[0].Step != 0 || in.Passes[1].Step != 9 {
		t.Errorf("labels %v, steps %d and %d", in.Example.Labels, in.Passes[0].Step, in.Passes[1].Step)
	}
}

// A gradient's length is that of finite differences in its own direction.
func TestGradientIsTheLosss(t *testing.T) {
	m, err := nn.NewMLP([]int{4, 3, 2}, nn.Tanh, nn.CrossEntropy)
	of := &one{x: []float32{0.5, -1, 0.25, 2}, labels: []int32{1}, classes: 2}
	in := look(t, m, err, of)
	p, l := m.Init(2), layer(t, in, "layers.2")
	g := l.Weights[0].Gradient.Values
	loss := func(by float32) float64 {
		q := append([]float32{}, p...)
		lo, _ := m.LayerRange(1)
		q[lo] += by // the first weight
		r := m.NewProbe(q, nn.Portable)
		r.Load(of.x, of.labels, 1)
		r.Forward(0)
		r.Forward(1)
		v, _ := r.Loss()
		return v
	}
	if slope := (loss(1e-2) - loss(-1e-2)) / 2e-2; math.Abs(slope-float64(g[0][0])) > 1e-3 {
		t.Errorf("the loss changes by %v with the first weight, its gradient is %v", slope, g[0][0])
	}
	if *l.GradientNorm < math.Abs(float64(g[0][0])) {
		t.Errorf("a gradient of length %v has an element of %v", *l.GradientNorm, g[0][0])
	}
}

// Attention sees no later token; an LSTM's gates have been open or shut; both have a length of their
// gradient by step where they have steps. Dropout drops nothing.
func TestText(t *testing.T) {
	m, err := nn.NewGPT(nn.GPT{Vocabulary: 9, Context: 6, Size: 8, Blocks: 2, Heads: 2, Hidden: 16, Activation: nn.GELU,
		Dropout: 0.5})
	in := look(t, m, err, text(6, 9))
	for _, head := range layer(t, in, "blocks.2.attention").Attention {
		for i, row := range head.Values {
			sum := 0.0
			for j, v := range row {
				if sum += float64(v); j > i && v != 0 {
					t.Errorf("token %d sees %d", i, j)
				}
			}
			if math.Abs(sum-1) > 1e-6 {
				t.Errorf("weights of token %d sum to %v", i, sum)
			}
		}
	}
	if o := layer(t, in, "blocks.1.attention").Output; o == nil || o.Of != [2]int{6, 8} {
		t.Errorf("what attention gives is %+v, want a row for each of 6 positions", o)
	}
	if e := in.Example; e.Image != nil || len(e.Tokens) != 6 {
		t.Errorf("the example is %+v, want 6 tokens", e)
	}
	if n := len(in.Passes[0].Words); n != 7 {
		t.Errorf("%d words, want all but padding and unknown", n)
	}
	m, err = nn.NewLSTM(nn.Recurrent{Vocabulary: 9, Context: 6, Cells: []int{3}, Activation: nn.Tanh})
	in = look(t, m, err, text(6, 9))
	l := layer(t, in, "lstm.1")
	if len(l.Gates) != 6 || len(l.Gates[0].Values.Values) != 3 || len(l.Gates[0].Values.Values[0]) != 6 || len(l.StepNorms) != 6 {
		t.Errorf("%d gates, %d steps", len(l.Gates), len(l.StepNorms))
	}
	for _, row := range l.Gates[0].Values.Values {
		for _, v := range row {
			if v <= 0 || v >= 1 {
				t.Errorf("a gate is %v", v)
			}
		}
	}
	if layer(t, in, "embedding").Output != nil || in.Passes[0].Words != nil {
		t.Error("one-hot vectors are shown")
	}
}

// Words lie along the directions in which their vectors differ most, whatever else they have in common.
func TestPlaneIsThatOfTheLargestDifferences(t *testing.T) {
	m, err := nn.NewGPT(nn.GPT{Vocabulary: 6, Context: 2, Size: 3, Blocks: 1, Heads: 1, Hidden: 2, Activation: nn.ReLU})
	if err != nil {
		t.Fatal(err)
	}
	l := &looker{Subject: &Subject{Model: m, Tokens: 6}, name: name}
	p := m.Init(1)
	copy(p, []float32{9, 9, 9, 9, 9, 9, 5, 1, 0, 5, -1, 0, 5, 0, 4, 5, 0, -4}) // the first number is common to all
	axes := l.axes(p)
	want := [][2]float64{{0, 1}, {0, -1}, {4, 0}, {-4, 0}}
	for i, w := range l.words(p, axes) {
		if math.Abs(w.X-want[i][0]) > 1e-9 || math.Abs(w.Y-want[i][1]) > 1e-9 {
			t.Errorf("%s lies at %v, %v, want %v", w.Name, w.X, w.Y, want[i])
		}
	}
}

// Of values that are no numbers nothing is kept, and the layer is named.
func TestNoNumbers(t *testing.T) {
	m, err := nn.NewMLP([]int{2, 2}, nn.ReLU, nn.CrossEntropy)
	if err != nil {
		t.Fatal(err)
	}
	p := m.Init(1)
	p[0] = float32(math.Inf(1))
	_, err = Look(&Subject{Model: m, Kernel: nn.Portable, Before: At{0, m.Init(1)}, After: At{4, p},
		Examples: &one{x: []float32{1, 1}, labels: []int32{0}, classes: 2}})
	if err == nil || !strings.HasPrefix(err.Error(), "layer layers.1 has values that are no numbers after step 4") {
		t.Error(err)
	}
}

// A large image is shown as means of squares.
func TestLargeImage(t *testing.T) {
	v := nn.Volume{Channels: 1, Height: 33, Width: 33}
	y := make([]float32, v.Elems())
	y[0], y[34] = 4, 8
	c := sideBySide(y, v)
	if c.Mean != 2 || len(c.Values) != 17 || c.Values[0][0] != 3 || c.Values[16][16] != 0 {
		t.Errorf("mean of %d, %d rows, the first value %v", c.Mean, len(c.Values), c.Values[0][0])
	}
}
