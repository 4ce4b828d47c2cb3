package lab

import (
	"fmt"

	"railyard/internal/learn/nn"
	"railyard/internal/out/chart"
)

// backpropBench is two neurons in a row, one training step with every number on the way.
var backpropBench = Bench{
	Meaning: "two neurons in a row, a then b, both ReLU: forward, backward, new weights, forward again",
	Params: []Param{
		{Name: "x", Meaning: "input", Default: 0.0, Needed: true},
		{Name: "w_a", Meaning: "weight of neuron a", Default: 0.0, Needed: true},
		{Name: "b_a", Meaning: "bias of neuron a, which is kept", Default: 0.0},
		{Name: "w_b", Meaning: "weight of neuron b", Default: 0.0, Needed: true},
		{Name: "b_b", Meaning: "bias of neuron b, which is kept", Default: 0.0},
		{Name: "lr", Meaning: "learning rate", Default: 0.0, Needed: true},
	},
	Run: runBackprop,
}

// pair is two neurons in a row with their biases kept. Its target is 1.
type pair struct {
	x       float64
	replica *nn.Replica
}

const (
	pairTarget     = 1.0
	wA, bA, wB, bB = 0, 1, 2, 3 // where they lie among the parameters
)

func newPair(a Args) (*pair, error) {
	m, err := nn.NewMLP([]int{1, 1, 1}, nn.ReLU, nn.MSE)
	if err != nil {
		return nil, err
	}
	if m, err = m.WithOutput(nn.ReLU); err != nil {
		return nil, err
	}
	start := float32s([]float64{a.Number("w_a"), a.Number("b_a"), a.Number("w_b"), a.Number("b_b")})
	return &pair{a.Number("x"), m.NewReplica(start, 1, nn.Portable)}, nil
}

// forward returns the output and its error, 0.5*(y - target)^2.
func (p *pair) forward() (y, loss float64) {
	p.replica.Load([]float32{float32(p.x)}, []int32{0}, 1) // one output: label 0, target 1
	p.replica.Forward(0)
	p.replica.Forward(1)
	loss, _ = p.replica.Loss()
	return float64(p.replica.Outputs()[0]), loss
}

// step goes backward and changes the weights, not the biases.
func (p *pair) step(lr float64) {
	p.replica.Backward(1)
	p.replica.Backward(0)
	p.update(lr)
}

func (p *pair) update(lr float64) {
	kept := [2]float32{p.replica.Params[bA], p.replica.Params[bB]}
	(&nn.SGD{LR: float32(lr)}).Step(p.replica.Params, p.replica.Grads, nil, 1)
	p.replica.Params[bA], p.replica.Params[bB] = kept[0], kept[1]
}

func (p *pair) param(i int) float64 { return float64(p.replica.Params[i]) }
func (p *pair) grad(i int) float64  { return float64(p.replica.Grads[i]) }

func runBackprop(a Args) (*Shown, error) {
	p, err := newPair(a)
	if err != nil {
		return nil, err
	}
	s := &Shown{}
	lr := a.Number("lr")
	s.forward(p, "", "")
	y, yA := s.value("y"), s.value("y_a")
	p.replica.Backward(1)
	p.replica.Backward(0)
	slopeA, slopeB := slopeOf(nn.ReLU, yA), slopeOf(nn.ReLU, y)
	s.add("dE", y-pairTarget, "-("+short(pairTarget)+" - "+short(y)+")", "how the error changes with the output")
	s.add("slope_b", slopeB, "", "derivative of ReLU at b")
	s.add("term_b", p.grad(bB), product(y-pairTarget, slopeB), "error term of b")
	s.add("slope_a", slopeA, "", "derivative of ReLU at a")
	s.add("term_a", p.grad(bA), product(p.param(wB), p.grad(bB))+"*"+short(slopeA), "error term of a: b's, through b's weight")
	s.add("grad_a", p.grad(wA), product(p.x, p.grad(bA)), "gradient of w_a: its input times its error term")
	s.add("grad_b", p.grad(wB), product(yA, p.grad(bB)), "gradient of w_b: its input times its error term")
	s.add("step_a", lr*p.grad(wA), product(lr, p.grad(wA)), "adjustment of w_a: learning rate times gradient")
	s.add("step_b", lr*p.grad(wB), product(lr, p.grad(wB)), "adjustment of w_b")
	before := [2]float64{p.param(wA), p.param(wB)}
	s.Figures = []chart.Figure{parabola(p, lr)}
	p.update(lr)
	s.add("new_a", p.param(wA), minus(before[0], s.value("step_a")), "new w_a: the adjustment is subtracted")
	s.add("new_b", p.param(wB), minus(before[1], s.value("step_b")), "new w_b")
	s.forward(p, "2", ", second time")
	return s, nil
}

// parabola is the error over w_b, all else kept, with what one step does to it: a point before it and one after.
// Where b is off, the curve is flat.
func parabola(p *pair, lr float64) chart.Figure {
	wOld, grad, yA := p.param(wB), p.grad(wB), p.param(wA)*p.x+p.param(bA)
	wNew := wOld - lr*grad
	at := func(w float64) chart.Value {
		kept := p.replica.Params[wB]
		p.replica.Params[wB] = float32(w)
		_, loss := p.forward()
		p.replica.Params[wB] = kept
		return chart.Value(loss)
	}
	best := wOld
	if yA > 0 {
		best = (pairTarget - p.param(bB)) / yA
	}
	reach := 1.3 * max(abs(wOld-best), abs(wNew-best), 0.1)
	const points = 81
	curve := chart.Series{Key: "curve"}
	high := chart.Value(0)
	for i := range points {
		w := best - reach + 2*reach*float64(i)/(points-1)
		curve.X, curve.Y = append(curve.X, chart.Value(w)), append(curve.Y, at(w))
		high = max(high, at(w))
	}
	if high == 0 {
		high = 1
	}
	point := func(key string, w float64) chart.Series {
		return chart.Series{Key: key, X: []chart.Value{chart.Value(w)}, Y: []chart.Value{at(w)}, Shape: chart.Points}
	}
	return chart.Figure{Name: "parabola", Title: "The error over the weight w_b, and one step on it",
		Caption: "All else is kept. Downhill is the way against the gradient, which is the slope of the curve.",
		Keys: []chart.Key{{ID: "curve", Name: "error", Ink: chart.Subject},
			{ID: "before", Name: "before the step", Ink: chart.InkOfRun(1)}, {ID: "after", Name: "after it", Ink: chart.Highlight}},
		Lines: &chart.Lines{
			X:      chart.Axis{Label: "w_b", Unit: chart.Plain, Low: chart.Value(best - reach), High: chart.Value(best + reach)},
			Y:      chart.Axis{Label: "error", Unit: chart.Plain, High: high},
			Series: []chart.Series{curve, point("before", wOld), point("after", wNew)}}}
}

// minus writes a - b.
func minus(a, b float64) string { return short(a) + " - " + bracketed(b) }

// forward adds the numbers of a forward pass.
func (s *Shown) forward(p *pair, mark, again string) {
	zA := p.param(wA)*p.x + p.param(bA)
	yA := max(zA, 0)
	zB := p.param(wB)*yA + p.param(bB)
	y, loss := p.forward()
	s.add("z_a"+mark, zA, product(p.param(wA), p.x)+" + "+bracketed(p.param(bA)), "weighted sum of a"+again)
	s.add("y_a"+mark, yA, activationText(nn.ReLU, zA), "output of a"+again)
	s.add("z_b"+mark, zB, product(p.param(wB), yA)+" + "+bracketed(p.param(bB)), "weighted sum of b"+again)
	s.add("y"+mark, y, activationText(nn.ReLU, zB), "output of b, the model's"+again)
	s.add("error"+mark, loss, fmt.Sprintf("0.5*(%s - %s)^2", short(y), short(pairTarget)), "error"+again)
}

// value returns a step that was added.
func (s *Shown) value(name string) float64 {
	for _, st := range s.Steps {
		if st.Name == name {
			return st.Value
		}
	}
	panic("lab: no step " + name)
}

// descentBench trains the two neurons with several learning rates.
var descentBench = Bench{
	Meaning: "the two neurons of backprop, trained for some iterations with several learning rates",
	Params: append(append([]Param(nil), backpropBench.Params[:5]...),
		Param{Name: "lr", Meaning: "learning rates, 1 to 6", Default: []float64(nil), Needed: true},
		Param{Name: "iterations", Meaning: "1 to 100", Default: 5.0}),
	Run: runDescent,
}

func runDescent(a Args) (*Shown, error) {
	rates := a.List("lr")
	if len(rates) == 0 || len(rates) > 6 {
		return nil, fmt.Errorf("%d learning rates, want 1 to 6", len(rates))
	}
	n, err := a.Whole("iterations", 1, 100)
	if err != nil {
		return nil, err
	}
	s := &Shown{}
	lines := &chart.Lines{X: chart.Axis{Label: "weight updates", Unit: chart.Count, High: chart.Value(n), Whole: true},
		Y: chart.Axis{Label: "error", Unit: chart.Plain}}
	f := chart.Figure{Name: "errors", Title: "The error, update by update", Lines: lines,
		Caption: "Small learning rates creep; larger ones arrive; one that is too large overshoots, and need not settle."}
	t := Table{Name: "outputs", Title: "Output after each update; the target is 1", Columns: []string{"learning rate"}}
	for i := range n + 1 {
		t.Columns = append(t.Columns, fmt.Sprint(i))
	}
	for i, lr := range rates {
		p, err := newPair(a)
		if err != nil {
			return nil, err
		}
		key := fmt.Sprintf("rate%d", i+1)
		series := chart.Series{Key: key, Shape: chart.Curve}
		row := []string{short(lr)}
		var y, loss float64
		for at := range n + 1 {
			if at > 0 {
				p.step(lr)
			}
			y, loss = p.forward()
			series.X, series.Y = append(series.X, chart.Value(at)), append(series.Y, chart.Value(loss))
			lines.Y.High = max(lines.Y.High, chart.Value(loss))
			row = append(row, digits(3).text(y))
		}
		f.Keys = append(f.Keys, chart.Key{ID: key, Name: "learning rate " + short(lr), Ink: chart.InkOfRun(i)})
		lines.Series = append(lines.Series, series)
		t.Rows = append(t.Rows, row)
		s.add(fmt.Sprintf("y_%d", i+1), y, "", fmt.Sprintf("output after %d updates with learning rate %s", n, short(lr)))
		s.add(fmt.Sprintf("error_%d", i+1), loss, "", "its error")
	}
	if lines.Y.High == 0 { // no error at all, from the start
		lines.Y.High = 1
	}
	s.Tables, s.Figures = []Table{t}, []chart.Figure{f}
	return s, nil
}

// replicasBench gives each GPU one sample, and compares what data parallelism sums with what it
// does not.
var replicasBench = Bench{
	Meaning: "one linear neuron on several GPUs with a sample each: averaged gradients beside averaged errors",
	Params: []Param{
		{Name: "x", Meaning: "the input of each GPU's sample", Default: []float64(nil), Needed: true},
		{Name: "w", Meaning: "weight", Default: 1.0},
		{Name: "bias", Meaning: "bias", Default: 0.0},
	},
	Run: runReplicas,
}

func runReplicas(a Args) (*Shown, error) {
	x := a.List("x")
	if len(x) < 2 || len(x) > 16 {
		return nil, fmt.Errorf("%d samples, want 2 to 16, one for each GPU", len(x))
	}
	m, err := nn.NewMLP([]int{1, 1}, nn.ReLU, nn.MSE)
	if err != nil {
		return nil, err
	}
	grads := func(x []float64) (w, bias float64) {
		r := m.NewReplica(float32s([]float64{a.Number("w"), a.Number("bias")}), len(x), nn.Portable)
		r.Load(float32s(x), make([]int32, len(x)), len(x))
		r.Forward(0)
		r.Loss()
		r.Backward(0)
		return float64(r.Grads[0]), float64(r.Grads[1])
	}
	s := &Shown{}
	var sum, sumX, sumE float64
	for i, v := range x {
		g, e := grads([]float64{v}) // the gradient of the bias is the error term
		s.add(fmt.Sprintf("e%d", i+1), e, plus(short(a.Number("bias")), a.Number("w"), v)+" - 1",
			fmt.Sprintf("error of GPU %d: output - target", i+1))
		s.add(fmt.Sprintf("g%d", i+1), g, product(v, e), fmt.Sprintf("gradient of GPU %d: input times error", i+1))
		sum, sumX, sumE = sum+g, sumX+v, sumE+e
	}
	n := float64(len(x))
	whole, _ := grads(x)
	s.add("whole", whole, "", "gradient of one GPU that has all samples")
	s.add("gradients", sum/n, "", "the GPUs' gradients, averaged")
	s.add("errors", sumX/n*(sumE/n), product(sumX/n, sumE/n), "mean input times mean error")
	return s, nil
}
