package nn

import (
	"math"
	"testing"
)

// The formulas of PyTorch's documentation, in float64, for a few steps of a few elements.
func TestOptimisersFollowTheirFormulas(t *testing.T) {
	const n, steps = 7, 5
	for name, o := range map[string]Optimiser{
		"sgd":                 {LR: 0.1},
		"momentum":            {LR: 0.1, Momentum: 0.9},
		"sgd, decay":          {LR: 0.1, WeightDecay: 0.01},
		"momentum, decay":     {LR: 0.1, Momentum: 0.9, WeightDecay: 0.01},
		"adam":                {Method: Adam, LR: 0.01, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8},
		"adam, decay":         {Method: Adam, LR: 0.01, Beta1: 0.8, Beta2: 0.99, Epsilon: 1e-6, WeightDecay: 0.1},
		"adamw":               {Method: AdamW, LR: 0.01, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.1},
		"adamw, no decay":     {Method: AdamW, LR: 0.01, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8},
		"adam, cosine":        {Method: Adam, LR: 0.1, Beta1: 0.9, Beta2: 0.99, Schedule: Schedule{Course: Cosine, Total: steps}},
		"nesterov":            {LR: 0.1, Momentum: 0.9, Nesterov: true},
		"nesterov, decay":     {LR: 0.1, Momentum: 0.9, Nesterov: true, WeightDecay: 0.01},
		"rmsprop":             {Method: RMSprop, LR: 0.01, Alpha: 0.99, Epsilon: 1e-8},
		"rmsprop, momentum":   {Method: RMSprop, LR: 0.01, Alpha: 0.9, Epsilon: 1e-6, Momentum: 0.5, WeightDecay: 0.1},
		"sgd, linear":         {LR: 0.1, Schedule: Schedule{Course: Linear, Warmup: 1, End: 0.2, Total: steps}},
		"sgd, inverse root":   {LR: 0.1, Schedule: Schedule{Course: InverseSqrt, Warmup: 2}},
		"sgd, steps, warm-up": {LR: 0.1, Schedule: Schedule{Course: Steps, Warmup: 2, Every: 1, Factor: 0.5}},
	} {
		t.Run(name, func(t *testing.T) {
			p, state := values(1, n, 0), make([][]float32, len(o.State()))
			for i := range state {
				state[i] = make([]float32, n)
			}
			want, m, v := make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range p {
				want[i] = float64(p[i])
			}
			for s := range int64(steps) {
				grads := values(uint64(s+2), n, 0)
				o.Step(p, grads, state, Move{Step: s, Update: s, Scale: 0.5})
				lr := o.LR
				if c := o.Schedule; c.Course == Cosine {
					lr *= (1 + math.Cos(math.Pi*float64(s)/float64(steps-1))) / 2
				} else if c.Course == Steps {
					lr *= []float64{0.5, 1, 1, 0.5, 0.25}[s]
				} else if c.Course == Linear {
					lr *= []float64{1, 1, 1 - 0.8/3, 1 - 1.6/3, 0.2}[s]
				} else if c.Course == InverseSqrt {
					lr *= []float64{0.5, 1, math.Sqrt(2. / 3), math.Sqrt(2. / 4), math.Sqrt(2. / 5)}[s]
				}
				for i := range want {
					g := 0.5 * float64(grads[i])
					if o.Method == AdamW {
						want[i] *= 1 - lr*o.WeightDecay
					} else {
						g += o.WeightDecay * want[i]
					}
					if o.Method == RMSprop {
						v[i] = o.Alpha*v[i] + (1-o.Alpha)*g*g
						m[i] = o.Momentum*m[i] + g/(math.Sqrt(v[i])+o.Epsilon)
						want[i] -= lr * m[i]
						continue
					}
					if o.Method == GradientDescent {
						if m[i] = o.Momentum*m[i] + g; o.Nesterov {
							want[i] -= lr * (g + o.Momentum*m[i])
						} else {
							want[i] -= lr * m[i]
						}
						continue
					}
					m[i] = o.Beta1*m[i] + (1-o.Beta1)*g
					v[i] = o.Beta2*v[i] + (1-o.Beta2)*g*g
					k := float64(s + 1)
					want[i] -= lr * m[i] / (1 - math.Pow(o.Beta1, k)) / (math.Sqrt(v[i]/(1-math.Pow(o.Beta2, k))) + o.Epsilon)
				}
			}
			for i := range want {
				if d := math.Abs(float64(p[i]) - want[i]); d > 1e-6 {
					t.Errorf("element %d: %v, want %v", i, p[i], want[i])
				}
			}
		})
	}
}

// What shards rest on: parts of a vector moved alone have the bits of the whole.
func TestPartsOfAVectorMoveAlike(t *testing.T) {
	for _, o := range []Optimiser{{LR: 0.1, Momentum: 0.5}, {LR: 0.1, WeightDecay: 0.1},
		{LR: 0.1, Momentum: 0.5, Nesterov: true}, {Method: RMSprop, LR: 0.1, Alpha: 0.9, Epsilon: 1e-8, Momentum: 0.5},
		{Method: AdamW, LR: 0.1, Beta1: 0.9, Beta2: 0.99, Epsilon: 1e-8, WeightDecay: 0.1}} {
		const n = 23
		whole, parts := values(1, n, 0), values(1, n, 0)
		of := func() (s [][]float32) {
			for range o.State() {
				s = append(s, make([]float32, n))
			}
			return s
		}
		a, b := of(), of()
		for s := range int64(3) {
			g := values(uint64(s+5), n, 0)
			o.Step(whole, g, a, Move{Step: s, Update: s, Scale: 1})
			for lo := 0; lo < n; lo += 5 {
				hi := min(lo+5, n)
				var cut [][]float32
				for _, v := range b {
					cut = append(cut, v[lo:hi])
				}
				o.Step(parts[lo:hi], g[lo:hi], cut, Move{Step: s, Update: s, Scale: 1})
			}
		}
		same(t, o.Method.String(), parts, whole)
	}
}

// The optimiser without anything is the SGD that runs without one had.
func TestPlainDescentHasTheBitsOfSGD(t *testing.T) {
	a, b, g := values(1, 30, 0), values(1, 30, 0), values(2, 30, 0)
	(&Optimiser{LR: 0.3}).Step(a, g, nil, Move{Scale: 0.25})
	(&SGD{LR: 0.3}).Step(b, g, nil, 0.25)
	same(t, "sgd", a, b)
}

func TestCosPi(t *testing.T) {
	for i := range 1001 {
		x := float64(i) / 1000
		if got, want := cosPi(x), math.Cos(math.Pi*x); math.Abs(got-want) > 1e-15 {
			t.Errorf("cos(%v pi) is %v, want %v", x, got, want)
		}
	}
}

// First values have the spread that their scheme says; biases are 0, and the layer's own scheme stays.
func TestSchemes(t *testing.T) {
	m := mlp(t, ReLU, CrossEntropy, 300, 200, 10)
	for _, c := range []struct {
		of   Scheme
		want float64 // mean square of the first layer's weights
	}{{XavierUniform, 2. / 500}, {XavierNormal, 2. / 500}, {HeUniform, 2. / 300}, {HeNormal, 2. / 300}, {Normal, 0.0004}} {
		p := m.WithInit(c.of, 0.02).Init(3)
		w := m.Tensors(0)[0]
		sum, square := 0.0, 0.0
		for _, v := range p[w.Offset:][:w.Elems()] {
			sum, square = sum+float64(v), square+float64(v)*float64(v)
		}
		n := float64(w.Elems())
		if got := square / n; math.Abs(got/c.want-1) > 0.03 || math.Abs(sum/n) > 5*math.Sqrt(c.want/n) {
			t.Errorf("%v: mean square %v, mean %v, want %v and 0", c.of, got, sum/n, c.want)
		}
		for _, b := range p[m.Tensors(0)[1].Offset:][:200] {
			if b != 0 {
				t.Fatalf("%v: a bias begins as %v", c.of, b)
			}
		}
	}
	same(t, "the layers' own", m.WithInit(LayerScheme, 0).Init(3), m.Init(3))
}
