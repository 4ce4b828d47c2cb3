package nn

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"railyard/internal/learn/safetensors"
)

// What PyTorch gives for the same layers, from the same parameters and inputs: see
// tools/pytorch/reference.py, which draws them as this test does.
func references(t *testing.T) map[string]safetensors.Tensor {
	t.Helper()
	b, err := os.ReadFile("testdata/pytorch.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(f.Metadata["torch"], "1.13") {
		t.Errorf("made by torch %q", f.Metadata["torch"])
	}
	all := map[string]safetensors.Tensor{}
	for _, tensor := range f.Tensors {
		all[tensor.Name] = tensor
	}
	return all
}

// away is ||a-b|| / ||b||; of a b that is 0, ||a||.
func away(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	diff, norm := 0.0, 0.0
	for i, v := range b {
		diff += (float64(a[i]) - float64(v)) * (float64(a[i]) - float64(v))
		norm += float64(v) * float64(v)
	}
	if norm == 0 {
		return math.Sqrt(diff)
	}
	return math.Sqrt(diff / norm)
}

// A reference is compared once, and none may be left over: a tensor that only one side has is found.
type comparison struct {
	t    *testing.T
	all  map[string]safetensors.Tensor
	used map[string]bool
}

func (c *comparison) near(name string, got []float32, within float64) {
	c.t.Helper()
	want, ok := c.all[name]
	if !ok {
		c.t.Errorf("PyTorch has no %s", name)
		return
	}
	c.used[name] = true
	if off := away(got, want.Data); !(off <= within) {
		c.t.Errorf("%s is %.2g away, want %.0g: %v..., PyTorch %v...", name, off, within, got[:min(4, len(got))],
			want.Data[:min(4, len(want.Data))])
	}
}

func (c *comparison) shape(name string, got []int) {
	c.t.Helper()
	if want := c.all[name].Shape; !slices.Equal(got, want) {
		c.t.Errorf("%s has shape %v, PyTorch %v", name, got, want)
	}
}

// normedBlock is a block of a residual network whose convolutions have batch norms.
func normedBlock(t *testing.T, a Activation) Layer {
	t.Helper()
	of, image := mustLayer(t), mustImage(t)
	return of(Residual([]Named{{"a", image(Conv2D(Volume{2, 6, 5}, 3, Window{3, 2, 1}, false, Identity))},
		{"b", of(BatchNorm(3, 9, 0.1, a))}, {"c", image(Conv2D(Volume{3, 3, 3}, 3, Window{3, 1, 1}, false, Identity))},
		{"d", of(BatchNorm(3, 9, 0.1, Identity))}},
		[]Named{{"e", image(Conv2D(Volume{2, 6, 5}, 3, Window{1, 2, 0}, false, Identity))}, {"f", of(BatchNorm(3, 9, 0.1, Identity))}}, a))
}

// gains turns drawn numbers into gains, and variances, about 1.
func gains(tensors []Tensor, p []float32) {
	for _, tensor := range tensors {
		gain := tensor.Role == Gain && strings.HasSuffix(tensor.Name, "weight")
		if gain || tensor.Role == Running && strings.HasSuffix(tensor.Name, "running_var") {
			for i := range tensor.Elems() {
				p[tensor.Offset+i]++
			}
		}
	}
}

func TestLayersMatchPyTorch(t *testing.T) {
	of, image := mustLayer(t), mustImage(t)
	half := Half{Positions: 5, Size: 6}
	after, rms, dropping := half, half, half
	after.After, rms.Norm, rms.NoBias, dropping.Dropout = true, RMSNorm, true, 0.3
	c := comparison{t, references(t), map[string]bool{}}
	names := []string{}
	for i, l := range []struct {
		name  string
		layer Layer
	}{
		{"conv", image(Conv2D(Volume{2, 5, 6}, 3, Window{3, 1, 0}, true, Identity))},
		{"conv, stride 2, padding 1, tanh", image(Conv2D(Volume{2, 5, 6}, 3, Window{3, 2, 1}, true, Tanh))},
		{"conv, 4x4 over 2x2, padding 3", image(Conv2D(Volume{1, 2, 2}, 2, Window{4, 2, 3}, false, Sigmoid))},
		{"conv, relu", image(Conv2D(Volume{1, 5, 5}, 2, Window{2, 3, 0}, true, ReLU))},
		{"kirsch", image(FixedConv2D(Volume{3, 5, 5}, Kirsch(), 1, 0, Identity))},
		{"prewitt, padding 1", image(FixedConv2D(Volume{2, 4, 5}, Prewitt(), 1, 1, Identity))},
		{"max pool", image(MaxPool(Volume{2, 5, 5}, 2, 2))},
		{"max pool, overlapping", image(MaxPool(Volume{2, 5, 5}, 3, 1))},
		{"average pool", image(AveragePool(Volume{2, 5, 7}, 3, 2))},
		{"dense, tanh", Dense(5, 4, Tanh)},
		{"gelu", Elementwise(40, GELU)},
		{"gelu, tanh", Elementwise(40, GELUTanh)},
		{"silu", Elementwise(40, SiLU)},
		{"everywhere", Everywhere(4, 5, 3, true)},
		{"embedding", Embedding(4, 5, 3, false)},
		{"embedding, padding", Embedding(4, 5, 3, true)},
		{"learned positions", LearnedPositions(4, 3)},
		{"layer norm", Normalised(LayerNorm, 3, 7)},
		{"rms norm", Normalised(RMSNorm, 3, 7)},
		{"dropout", of(Dropout(60, 0.4))},
		{"rnn, two biases", of(RNN(Recurrence{5, 3, 4, 2, false}, Tanh))},
		{"rnn, relu", of(RNN(Recurrence{5, 3, 4, 2, false}, ReLU))},
		{"rnn, no bias", of(RNN(Recurrence{5, 3, 4, 0, false}, Tanh))},
		{"lstm, two biases", of(LSTM(Recurrence{5, 3, 4, 2, false}, Tanh, nil))},
		{"lstm, no bias", of(LSTM(Recurrence{5, 3, 4, 0, false}, Tanh, nil))},
		{"lstm, relu, one bias", of(LSTM(Recurrence{5, 3, 4, 1, false}, ReLU, nil))},
		{"lstm, threshold", of(LSTM(Recurrence{5, 3, 4, 1, false}, Tanh, &[2]float32{0.3, 0.6}))},
		{"attention", of(Attention(half, 2, 3))},
		{"attention of torch.nn", of(Attention(half, 2, 3))},
		{"attention, norm after", of(Attention(after, 3, 4))},
		{"attention, rms norm, no bias", of(Attention(rms, 1, 2))},
		{"attention, dropout", of(Attention(dropping, 2, 3))},
		{"attention, padding", of(Attention(half, 2, 3))},
		{"feed-forward", of(FeedForward(half, 8, GELU, false))},
		{"feed-forward, norm after, relu", of(FeedForward(after, 8, ReLU, false))},
		{"feed-forward, tanh gelu", of(FeedForward(half, 8, GELUTanh, false))},
		{"feed-forward, swiglu", of(FeedForward(rms, 8, SiLU, true))},
		{"attention, rotary", of(AttentionOf(half, Heads{Count: 2, Size: 4, Rotary: 10000}))},
		{"attention, grouped", of(AttentionOf(half, Heads{Count: 6, Size: 2, KeyValues: 2}))},
		{"attention, grouped, rotary, rms norm, no bias", of(AttentionOf(rms, Heads{Count: 4, Size: 4, KeyValues: 2, Rotary: 500000}))},
		{"attention, one head of keys and values, norm after", of(AttentionOf(after, Heads{Count: 3, Size: 2, KeyValues: 1}))},
		{"attention, no bias of the norm", of(Attention(Half{Positions: 5, Size: 6, NoNormBias: true}, 2, 3))},
		{"layer norm, no bias", normLayer{normalise{size: 7, unbiased: true}, 3}},
		{"dense, relu, no bias", dense{in: 5, out: 4, activation: ReLU, kernel: Portable, unbiased: true}},
		{"residual", of(Residual([]Named{{"a", Dense(5, 7, Tanh)}, {"b", Dense(7, 5, Identity)}}, nil, Identity))},
		{"residual, shortcut, relu", of(Residual([]Named{{"a", image(Conv2D(Volume{2, 6, 5}, 3, Window{3, 2, 1}, false, ReLU))},
			{"b", image(Conv2D(Volume{3, 3, 3}, 3, Window{3, 1, 1}, true, ReLU))}},
			[]Named{{"c", image(Conv2D(Volume{2, 6, 5}, 3, Window{1, 2, 0}, false, Identity))}}, ReLU))},
		{"gru, two biases", of(GRU(Recurrence{5, 3, 4, 2, false}))},
		{"gru, no bias", of(GRU(Recurrence{5, 3, 4, 0, false}))},
		{"gru, one bias", of(GRU(Recurrence{5, 3, 4, 1, false}))},
		{"experts, top 1", of(Experts(half, 8, GELU, false, Routing{Count: 3, Top: 1}))},
		{"experts, top 2, norm after, tanh", of(Experts(after, 8, Tanh, false, Routing{Count: 4, Top: 2}))},
		{"experts, capacity, shared", of(Experts(half, 8, SiLU, false, Routing{3, 2, 0.5, 1, 0, ""}))},
		{"experts, balanced, top 1", of(Experts(half, 8, GELU, false, Routing{Count: 3, Top: 1, Balance: 2}))},
		{"experts, balanced, top 2, capacity", of(Experts(half, 8, GELU, false, Routing{4, 2, 0.5, 0, 2, ""}))},
		{"batch norm, of elements", of(BatchNorm(5, 1, 0.1, Identity))},
		{"batch norm, of channels, relu", of(BatchNorm(3, 8, 0.1, ReLU))},
		{"batch norm, used", of(BatchNorm(3, 8, 0.1, Identity))},
		{"residual, batch norm", normedBlock(t, ReLU)},
	} {
		n := newTrial(l.layer, 3, 1000+uint64(i))
		gains(l.layer.Tensors(), n.p)
		names = append(names, l.name)
		switch l.name {
		case "embedding", "embedding, padding":
			s := NewStream(1000+uint64(i), 2)
			for k := range n.x {
				n.x[k] = float32(s.Next() % 5)
			}
			n.x[5], n.x[6] = Padding, Padding
		case "attention, padding":
			n.pass.Tokens = []float32{2, 2, 2, 2, 2, 2, 2, 0, 2, 0, 2, 2, 2, 0, 0}
		}
		if strings.HasSuffix(l.name, ", used") {
			n.pass.Train = false
			n.loss()
			c.near(l.name+"/y", n.y, 1e-5)
			continue
		}
		g, dx := n.gradients()
		c.near(l.name+"/y", n.y, 1e-5)
		if !strings.HasPrefix(l.name, "embedding") {
			c.near(l.name+"/dx", dx, 1e-5)
		}
		for _, tensor := range l.layer.Tensors() {
			name := l.name + "/grad/" + tensor.Name
			c.shape(name, tensor.Shape)
			c.near(name, g[tensor.Offset:tensor.Offset+tensor.Elems()], 1e-5)
		}
		c.masks(l.name, n)
	}
	c.finish(func(name string) bool { return slices.Contains(names, strings.SplitN(name, "/", 2)[0]) })
}

// masks compares the dropout of a trial: what becomes of ones.
func (c *comparison) masks(name string, n *trial) {
	var d dropout
	place, of := 0, len(n.y)/n.rows
	switch l := n.layer.(type) {
	case dropoutLayer:
		d = l.dropout
	case attention:
		d, place = l.half.dropout, residualPlace
		if d.rate > 0 {
			c.near(name+"/mask of maps", ones(d, n, 0, l.heads.saved()), 0)
		}
	}
	if d.rate > 0 {
		c.near(name+"/mask", ones(d, n, place, of), 0)
	}
}

func ones(d dropout, n *trial, place, size int) []float32 {
	m := make([]float32, n.rows*size)
	for i := range m {
		m[i] = 1
	}
	for r := range n.rows {
		d.apply(m[r*size:(r+1)*size], d.key(n.pass, place, r), 0)
	}
	return m
}

func (c *comparison) finish(mine func(name string) bool) {
	for name := range c.all {
		if mine(name) && !c.used[name] {
			c.t.Errorf("PyTorch's %s was not compared with anything", name)
		}
	}
	if len(c.used) < 20 {
		c.t.Error(fmt.Sprint("only ", len(c.used), " tensors compared"))
	}
}
