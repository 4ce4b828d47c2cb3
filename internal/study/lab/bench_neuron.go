package lab

import (
	"fmt"

	"railyard/internal/learn/nn"
	"railyard/internal/out/chart"
)

// neuronBench is one neuron: a weighted sum with a bias, and an activation.
var neuronBench = Bench{
	Meaning: "one neuron: the weighted sum of its inputs, term by term, and its activation",
	Params: []Param{
		{Name: "x", Meaning: "inputs", Default: []float64(nil), Needed: true},
		{Name: "w", Meaning: "weights, one for each input", Default: []float64(nil), Needed: true},
		{Name: "bias", Meaning: "weight of the bias input, which is 1", Default: 0.0},
		{Name: "activation", Meaning: "identity, relu, sigmoid or tanh", Default: "sigmoid"},
	},
	Run: runNeuron,
}

func runNeuron(a Args) (*Shown, error) {
	x, w, bias := a.List("x"), a.List("w"), a.Number("bias")
	if len(x) == 0 || len(x) > 64 || len(x) != len(w) {
		return nil, fmt.Errorf("%d inputs and %d weights, want as many of both, 1 to 64", len(x), len(w))
	}
	act, err := nn.ParseActivation(a.Text("activation"))
	if err != nil {
		return nil, err
	}
	s := &Shown{}
	how, z := product(bias, 1), bias
	for i := range x {
		s.add(fmt.Sprintf("term%d", i+1), w[i]*x[i], product(w[i], x[i]), fmt.Sprintf("weight %d times input %d", i+1, i+1))
		how, z = plus(how, w[i], x[i]), z+w[i]*x[i]
	}
	// What the network of a run would compute, in its own arithmetic.
	network, err := one(x, w, bias, nn.Identity)
	if err != nil {
		return nil, err
	}
	y, err := one(x, w, bias, act)
	if err != nil {
		return nil, err
	}
	s.add("z", z, how, "weighted sum, bias first")
	s.add("z32", network, "", "the same from the network code, in 32-bit floats")
	s.add("y", y, activationText(act, z), "output: "+act.String()+" of z")
	s.add("slope", slopeOf(act, y), "", "derivative of the activation there")
	s.Figures = append(s.Figures, activationFigure(act, z, y))
	return s, nil
}

// one is a single neuron of package nn.
func one(x, w []float64, bias float64, act nn.Activation) (float64, error) {
	m, err := nn.NewMLP([]int{len(x), 1}, nn.ReLU, nn.MSE)
	if err != nil {
		return 0, err
	}
	if m, err = m.WithOutput(act); err != nil {
		return 0, err
	}
	r := m.NewReplica(append(float32s(w), float32(bias)), 1, nn.Portable)
	r.Load(float32s(x), []int32{0}, 1)
	r.Forward(0)
	return float64(r.Outputs()[0]), nil
}

func float32s(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}

// slopeOf is the derivative of an activation at its output y.
func slopeOf(act nn.Activation, y float64) float64 {
	switch act {
	case nn.Sigmoid:
		return y * (1 - y)
	case nn.Tanh:
		return 1 - y*y
	case nn.ReLU:
		if y <= 0 {
			return 0
		}
	}
	return 1
}

func activationText(act nn.Activation, z float64) string {
	switch act {
	case nn.Sigmoid:
		return "1/(1 + e^" + bracketed(-z) + ")"
	case nn.Tanh:
		return "tanh(" + short(z) + ")"
	case nn.ReLU:
		return "max(0, " + short(z) + ")"
	}
	return short(z)
}

// short writes a number in an arithmetic.
func short(v float64) string { return auto.text(v) }

// bracketed is short with brackets around what begins with a minus sign.
func bracketed(v float64) string {
	if v < 0 {
		return "(" + short(v) + ")"
	}
	return short(v)
}

// product writes a*b.
func product(a, b float64) string { return short(a) + "*" + bracketed(b) }

// plus writes sum + a*b, or sum - a*b of a negative a.
func plus(sum string, a, b float64) string {
	if a < 0 {
		return sum + " - " + product(-a, b)
	}
	return sum + " + " + product(a, b)
}

// added writes sum + v, or sum - v of a negative one.
func added(sum string, v float64) string {
	if v < 0 {
		return sum + " - " + short(-v)
	}
	return sum + " + " + short(v)
}

// activationFigure is the activation with the neuron's place on it.
func activationFigure(act nn.Activation, z, y float64) chart.Figure {
	span := 8.0
	for span < abs(z)*1.2 {
		span *= 2
	}
	curve := chart.Series{Key: "curve"}
	const points = 161
	high := 1.0
	for i := range points {
		at := -span + 2*span*float64(i)/(points-1)
		v, err := one([]float64{at}, []float64{1}, 0, act)
		if err != nil {
			panic(err) // one input and one weight are a neuron
		}
		high = max(high, v)
		curve.X, curve.Y = append(curve.X, chart.Value(at)), append(curve.Y, chart.Value(v))
	}
	low := 0.0
	switch act {
	case nn.Identity:
		low = -span
	case nn.Tanh:
		low = -1
	}
	return chart.Figure{
		Name:    "activation",
		Title:   "The " + act.String() + ", and where the neuron is on it",
		Caption: "Across: the weighted sum z. Up: what the neuron puts out. The point is z = " + short(z) + ", y = " + short(y) + ".",
		Keys: []chart.Key{{ID: "curve", Name: act.String() + " of z", Ink: chart.Subject},
			{ID: "here", Name: "this neuron", Ink: chart.Highlight}},
		Lines: &chart.Lines{
			X: chart.Axis{Label: "weighted sum z", Unit: chart.Plain, Low: chart.Value(-span), High: chart.Value(span)},
			Y: chart.Axis{Label: "output y", Unit: chart.Plain, Low: chart.Value(low), High: chart.Value(high)},
			Series: []chart.Series{curve, {Key: "here", X: []chart.Value{chart.Value(z)}, Y: []chart.Value{chart.Value(y)},
				Shape: chart.Points}},
		},
	}
}

func abs(v float64) float64 { return max(v, -v) }
