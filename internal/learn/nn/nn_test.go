package nn

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"railyard/internal/learn/dataset"
)

func mlp(t testing.TB, hidden Activation, loss Loss, sizes ...int) *Model {
	t.Helper()
	m, err := NewMLP(sizes, hidden, loss)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// values fills n floats in [-1, 1); about `zeros` of 8 are 0.
func values(seed uint64, n int, zeros uint64) []float32 {
	s := NewStream(seed, 99)
	v := make([]float32, n)
	for i := range v {
		if x := s.Symmetric(); s.Next()%8 >= zeros {
			v[i] = x
		}
	}
	return v
}

// pictures are images of so many bytes each.
func pictures(width int, pixels, labels []byte) *dataset.Images {
	return &dataset.Images{N: len(labels), Rows: 1, Cols: width, Pixels: pixels, Labels: labels}
}

func step(r *Replica, x []float32, labels []int32) float64 {
	r.Load(x, labels, len(labels))
	for l := range r.model.Layers() {
		r.Forward(l)
	}
	loss, _ := r.Loss()
	for l := r.model.Layers() - 1; l >= 0; l-- {
		r.Backward(l)
	}
	return loss
}

// reference is the same network in float64, written from the formulas, without
// the package's arithmetic.
func reference(m *Model, p []float64, x []float32, labels []int32) float64 {
	total := 0.0
	for i, label := range labels {
		in := m.Inputs()
		a := make([]float64, in)
		for j := range a {
			a[j] = float64(x[i*in+j])
		}
		at := 0
		for l := range m.Layers() {
			out := m.layers[l].Out()
			z := make([]float64, out)
			for o := range z {
				for k, v := range a {
					z[o] += p[at+o*len(a)+k] * v
				}
				z[o] += p[at+out*len(a)+o]
				switch m.layers[l].Layer.(dense).activation {
				case ReLU:
					z[o] = math.Max(0, z[o])
				case Sigmoid:
					z[o] = 1 / (1 + math.Exp(-z[o]))
				}
			}
			at += out * (len(a) + 1)
			a = z
		}
		sum := 0.0
		for j, v := range a {
			if m.loss == CrossEntropy {
				sum += math.Exp(v)
			} else {
				want := 0.0
				if j == int(label) {
					want = 1
				}
				total += 0.5 * (v - want) * (v - want)
			}
		}
		if m.loss == CrossEntropy {
			total += math.Log(sum) - a[label]
		}
	}
	return total / float64(len(labels))
}

func TestGradientsMatchFiniteDifferences(t *testing.T) {
	for _, c := range []struct {
		hidden, output Activation
		loss           Loss
	}{{ReLU, Identity, CrossEntropy}, {Sigmoid, Identity, CrossEntropy}, {Identity, Identity, CrossEntropy},
		{ReLU, Identity, MSE}, {Sigmoid, Sigmoid, MSE}, {ReLU, ReLU, MSE}} {
		for _, zeros := range []uint64{0, 6} { // dense and sparse inputs
			t.Run(fmt.Sprint(c.hidden, " ", c.output, " ", c.loss, " zeros ", zeros), func(t *testing.T) {
				m, err := mlp(t, c.hidden, c.loss, 11, 7, 6, 5).WithOutput(c.output)
				if err != nil {
					t.Fatal(err)
				}
				const n = 3
				params := m.Init(5)
				x, labels := values(1, n*11, zeros), []int32{4, 0, 2}
				r := m.NewReplica(params, n+2, Portable)
				loss := step(r, x, labels)
				p := make([]float64, len(params))
				for i, v := range params {
					p[i] = float64(v)
				}
				if want := reference(m, p, x, labels); math.Abs(loss-want) > 1e-6 {
					t.Errorf("loss %v, want %v", loss, want)
				}
				nonzero := 0
				for i := range p {
					const h = 1e-6
					was := p[i]
					p[i] = was + h
					up := reference(m, p, x, labels)
					p[i] = was - h
					down := reference(m, p, x, labels)
					p[i] = was
					want := (up - down) / (2 * h)
					if math.Abs(float64(r.Grads[i])-want) > 1e-6 {
						t.Fatalf("gradient %d is %v, want %v", i, r.Grads[i], want)
					}
					if r.Grads[i] != 0 {
						nonzero++
					}
				}
				if nonzero < len(p)/3 {
					t.Errorf("only %d of %d gradients are not 0: this tests little", nonzero, len(p))
				}
			})
		}
	}
}

// plain is what a dense layer makes, straight from its definition.
func plain(x, w, b, d []float32, n, in, out int) (z, gw, gb, dx []float32) {
	z, gw, gb, dx = make([]float32, n*out), make([]float32, out*in), make([]float32, out), make([]float32, n*in)
	for i := range n {
		for o := range out {
			for k := range in {
				z[i*out+o] += float32(x[i*in+k] * w[o*in+k])
				gw[o*in+k] += float32(d[i*out+o] * x[i*in+k])
				dx[i*in+k] += float32(d[i*out+o] * w[o*in+k])
			}
			z[i*out+o] += b[o]
			gb[o] += d[i*out+o]
		}
	}
	return z, gw, gb, dx
}

// Blocks and tails change no bit, and what was in memory before does not matter. The fused kernel
// makes the same to 1e-5.
func TestDenseLayerIsItsDefinition(t *testing.T) {
	for n := 1; n <= 5; n++ {
		for _, in := range []int{1, 2, 3, 5, 16, 33} {
			for _, out := range []int{1, 3, 4, 5, 9} {
				seed := uint64(n*1000 + in*10 + out)
				x, p, d := values(seed, n*in, 3), values(seed+1, out*in+out, 2), values(seed+3, n*out, 2)
				z, gw, gb, dx := plain(x, p[:out*in], p[out*in:], d, n, in, out)
				for _, k := range []Kernel{Portable, Fused} {
					l := dense{in: in, out: out, kernel: k}
					gotZ, gotDX, g := values(9, n*out, 0), values(9, n*in, 0), values(9, len(p), 0)
					l.Forward(gotZ, x, p, n, l.NewSaved(n), &Pass{})
					l.Backward(gotDX, g, d, x, p, n, l.NewSaved(n))
					equal := same
					if k.Name == Fused.Name {
						equal = nearby
					}
					what := fmt.Sprint(k.Name, n, in, out)
					equal(t, "z "+what, gotZ, z)
					equal(t, "gw "+what, g[:out*in], gw)
					equal(t, "gb "+what, g[out*in:], gb)
					equal(t, "dx "+what, gotDX, dx)
				}
			}
		}
	}
}

// nearby compares to 1e-5 of the norm.
func nearby(t *testing.T, what string, got, want []float32) {
	t.Helper()
	apart, norm := 0.0, 0.0
	for i, w := range want {
		apart += math.Pow(float64(got[i])-float64(w), 2)
		norm += float64(w) * float64(w)
	}
	if !(math.Sqrt(apart) <= 1e-5*math.Sqrt(norm)) {
		t.Fatalf("%s: %v apart at a norm of %v", what, math.Sqrt(apart), math.Sqrt(norm))
	}
}

// Twenty steps with the fused kernel stay within 1e-5 of the portable ones, and its bits are the same
// on every processor.
func TestFusedTrainingIsNearPortable(t *testing.T) {
	m := mlp(t, ReLU, CrossEntropy, 784, 128, 10)
	train := func(k Kernel) []float32 {
		r, o := m.NewReplica(m.Init(1), 8, k), SGD{LR: 0.1}
		for i := range uint64(20) {
			step(r, values(i, 8*784, 6), []int32{0, 1, 2, 3, 4, 5, 6, int32(i % 10)})
			o.Step(r.Params, r.Grads, nil, 1)
		}
		return r.Params
	}
	portable, fused := train(Portable), train(Fused)
	nearby(t, "weights after 20 steps", fused, portable)
	if slices.Equal(fused, portable) {
		t.Error("not one bit differs: is the kernel asked?")
	}
	if got, want := digest(fused), "ae6f6338f441b19c"; got != want {
		t.Errorf("weights after 20 fused steps %s, want %s", got, want)
	}
}

func same(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s: element %d is %x (%v), want %x (%v)", what, i, math.Float32bits(got[i]), got[i],
				math.Float32bits(want[i]), want[i])
		}
	}
}

func TestExpAndLogAreAccurate(t *testing.T) {
	s := NewStream(3, 0)
	for range 20000 {
		x := 700 * float64(s.Symmetric()) * float64(s.Symmetric())
		if got, want := exp(x), math.Exp(x); math.Abs(got-want) > 2*ulp(want) {
			t.Fatalf("exp(%v) = %v, want %v", x, got, want)
		}
		y := exp(x)
		if got, want := log(y), math.Log(y); math.Abs(got-want) > 2*ulp(want) {
			t.Fatalf("log(%v) = %v, want %v", y, got, want)
		}
	}
	if exp(0) != 1 || log(1) != 0 || exp(-1000) != 0 || !math.IsInf(exp(1000), 1) || !math.IsNaN(exp(math.NaN())) ||
		!math.IsNaN(log(math.NaN())) {
		t.Error("a special value is wrong")
	}
}

func ulp(x float64) float64 { return math.Nextafter(math.Abs(x), math.Inf(1)) - math.Abs(x) }

func TestStepIsSGDWithMomentum(t *testing.T) {
	p, v := []float32{1, 2, 3, 4, 5}, make([]float32, 5)
	g := []float32{8, 8, 8, 8, 8}
	o := SGD{LR: 0.5, Momentum: 0.5}
	o.Step(p, g, v, 0.25) // v = 2, p -= 1
	o.Step(p, g, v, 0.25) // v = 3, p -= 1.5
	if want := []float32{-1.5, -0.5, 0.5, 1.5, 2.5}; !slices.Equal(p, want) {
		t.Errorf("params %v, want %v", p, want)
	}
	q, r := values(1, 103, 0), values(1, 103, 0)
	h := values(2, 103, 0)
	(&SGD{LR: 0.1}).Step(q, h, nil, 0.125)
	for i := range r {
		r[i] -= float32(float32(0.1) * float32(0.125*h[i]))
	}
	same(t, "plain step", q, r)
}

func TestInitIsUniformInOneOverRootFanIn(t *testing.T) {
	m := mlp(t, ReLU, CrossEntropy, 784, 128, 10)
	p := m.Init(1)
	for l := range m.Layers() {
		bound := 1 / math.Sqrt(float64(m.layers[l].In()))
		lo, hi := m.LayerRange(l)
		sum, square, top := 0.0, 0.0, 0.0
		for _, v := range p[lo:hi] {
			x := float64(v) / bound
			sum, square, top = sum+x, square+x*x, max(top, math.Abs(x))
		}
		n := float64(hi - lo)
		// Five standard errors of the mean and of the mean square (1/3, variance 4/45).
		if math.Abs(sum/n) > 5/math.Sqrt(3*n) ||
			math.Abs(square/n-1./3) > 5*math.Sqrt(4./45/n) || top > 1 || top < 0.98 {
			t.Errorf("layer %d: mean %v, mean square %v, largest %v of the bound", l, sum/n, square/n, top)
		}
	}
	if slices.Equal(p, m.Init(2)) {
		t.Error("two seeds give the same weights")
	}
	wider := mlp(t, ReLU, CrossEntropy, 784, 128, 20).Init(1)
	same(t, "first layer whatever follows", wider[:128*785], p[:128*785])
}

func digest(v []float32) string {
	h := sha256.New()
	for _, x := range v {
		h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
	}
	return fmt.Sprintf("%x", h.Sum(nil))[:16]
}

// The same bits on every processor, with every GOAMD64: these are constants.
func TestGoldenBits(t *testing.T) {
	for _, c := range []struct {
		hidden       Activation
		loss         Loss
		zeros        uint64
		momentum     float32
		begin, after string
	}{
		{ReLU, CrossEntropy, 6, 0, "cc1ed7958855e388", "1c197056cec14902"},
		{Sigmoid, CrossEntropy, 0, 0.9, "cc1ed7958855e388", "f7d1dd79bd4395f2"},
		{Sigmoid, MSE, 6, 0, "cc1ed7958855e388", "24478f481c1c3572"},
	} {
		m := mlp(t, c.hidden, c.loss, 784, 128, 10)
		r := m.NewReplica(m.Init(1), 8, Portable)
		begin := digest(r.Params)
		o, velocity := SGD{LR: 0.1, Momentum: c.momentum}, make([]float32, m.Params())
		for i := range uint64(5) {
			step(r, values(i, 8*784, c.zeros), []int32{0, 1, 2, 3, 4, 5, 6, int32(i)})
			o.Step(r.Params, r.Grads, velocity, 1)
		}
		if after := digest(r.Params); begin != c.begin || after != c.after {
			t.Errorf("%v %v: initial weights %s and after 5 steps %s, want %s and %s", c.hidden, c.loss,
				begin, after, c.begin, c.after)
		}
	}
}

func TestStepAllocatesNothing(t *testing.T) {
	m := mlp(t, ReLU, CrossEntropy, 784, 128, 10)
	r := m.NewReplica(m.Init(1), 8, Portable)
	images, rows := pictures(784, make([]byte, 20*784), make([]byte, 20)), []int{3, 1, 4, 15, 9, 2, 6, 5}
	o := SGD{LR: 0.1}
	if n := testing.AllocsPerRun(10, func() {
		r.LoadRows(images, rows)
		r.Forward(0)
		r.Forward(1)
		r.Loss()
		r.Backward(1)
		r.Backward(0)
		o.Step(r.Params, r.Grads, nil, 1)
	}); n != 0 {
		t.Errorf("%v allocations per step", n)
	}
}

// The mean over equal micro-batches of the mean gradients is the gradient of
// the whole batch: what data parallelism rests on.
func TestMicroBatchesAverageToTheBatch(t *testing.T) {
	m := mlp(t, ReLU, CrossEntropy, 20, 12, 10)
	x, labels := values(7, 8*20, 3), []int32{0, 1, 2, 3, 4, 5, 6, 7}
	whole, half := m.NewReplica(m.Init(3), 8, Portable), m.NewReplica(m.Init(3), 4, Portable)
	step(whole, x, labels)
	sum := make([]float64, m.Params())
	for i := 0; i < 8; i += 4 {
		step(half, x[i*20:], labels[i:i+4])
		for j, g := range half.Grads {
			sum[j] += float64(g) / 2
		}
	}
	for j, g := range whole.Grads {
		if math.Abs(float64(g)-sum[j]) > 1e-7 {
			t.Fatalf("gradient %d: %v, want %v", j, g, sum[j])
		}
	}
}

func TestLoadPixelsScalesBytes(t *testing.T) {
	m := mlp(t, Identity, MSE, 3, 2)
	params := []float32{1, 0, 0, 0, 1, 1, 0.5, 0}
	r := m.NewReplica(params, 2, Portable)
	r.LoadRows(pictures(3, []byte{9, 9, 9, 0, 51, 255, 255, 0, 102}, []byte{0, 1, 0}), []int{2, 1})
	r.Forward(0)
	if got, want := r.Outputs(), []float32{1.5, 0.4, 0.5, 1.2}; !slices.Equal(got, want) {
		t.Errorf("outputs %v, want %v", got, want)
	}
	if _, correct := r.Loss(); correct != 2 {
		t.Errorf("%d correct, want 2", correct)
	}
	images := pictures(3, []byte{0, 51, 255, 255, 0, 102}, []byte{1, 1})
	if s := m.Evaluate(params, images, 0, 2, Portable); s.Correct != 1 || s.Counted != 2 ||
		math.Abs(s.Mean()-(0.5*(0.25+0.04)+0.5*(2.25+0.36))/2) > 1e-7 {
		t.Errorf("evaluate: %+v", s)
	}
}

func TestNewMLPSaysWhatItWants(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		want  string
	}{
		{[]int{784}, "at least 2"},
		{[]int{784, 0, 10}, "size 1 is 0, want 1 to"},
		{[]int{1 << 20, 1 << 20, 10}, "more than"},
	} {
		if _, err := NewMLP(c.sizes, ReLU, CrossEntropy); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.sizes, err, c.want)
		}
	}
	if _, err := ParseActivation("swish"); err == nil ||
		err.Error() != `unknown activation "swish", want identity, relu, sigmoid, tanh, gelu, gelu-tanh or silu` {
		t.Error(err)
	}
	if _, err := ParseLoss("l1"); err == nil || err.Error() != `unknown loss "l1", want cross-entropy or mse` {
		t.Error(err)
	}
	if _, err := mlp(t, ReLU, CrossEntropy, 2, 2).WithOutput(ReLU); err == nil {
		t.Error("cross entropy after ReLU was accepted")
	}
	if _, err := KernelNamed("fast"); err == nil {
		t.Error("kernel fast was accepted")
	}
}
