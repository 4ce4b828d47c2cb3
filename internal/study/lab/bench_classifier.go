package lab

import (
	"fmt"
	"math"

	"railyard/internal/learn/nn"
	"railyard/internal/out/chart"
)

// softmaxBench is the output layer of a classifier: logits to probabilities, loss and gradient.
var softmaxBench = Bench{
	Meaning: "SoftMax over logits: exponentials, probabilities, loss, gradient at the logits",
	Params: []Param{
		{Name: "logits", Meaning: "one for each class, 2 to 64", Default: []float64(nil), Needed: true},
		{Name: "label", Meaning: "the class that is right, from 0", Default: 0.0, Needed: true},
	},
	Run: runSoftmax,
}

func runSoftmax(a Args) (*Shown, error) {
	logits := a.List("logits")
	n := len(logits)
	if n < 2 || n > 64 {
		return nil, fmt.Errorf("%d logits, want 2 to 64", n)
	}
	label, err := a.Whole("label", 0, n-1)
	if err != nil {
		return nil, err
	}
	// The network's own loss, behind a layer that hands the logits on.
	m, err := nn.NewMLP([]int{n, n}, nn.ReLU, nn.CrossEntropy)
	if err != nil {
		return nil, err
	}
	params := make([]float32, m.Params())
	for i := range n {
		params[i*n+i] = 1
	}
	r := m.NewReplica(params, 1, nn.Portable)
	r.Load(float32s(logits), []int32{int32(label)}, 1)
	r.Forward(0)
	loss, _ := r.Loss()
	r.Backward(0)
	gradient := r.Grads[n*n:] // of the biases

	s := &Shown{}
	sum, best := 0.0, 0
	for i, z := range logits {
		sum += math.Exp(z)
		if z > logits[best] {
			best = i
		}
	}
	t := Table{Name: "classes", Title: "Class by class",
		Columns: []string{"class", "logit", "e^logit", "probability", "label", "gradient"}}
	f := chart.Bars{X: chart.Axis{Label: "probability", Unit: chart.Fraction}}
	total := 0.0
	for i, z := range logits {
		hot := 0.0
		if i == label {
			hot = 1
		}
		p := float64(gradient[i]) + hot
		total += p
		t.Rows = append(t.Rows, []string{fmt.Sprint(i), digits(2).text(z), digits(3).text(math.Exp(z)), digits(3).text(p),
			fmt.Sprint(hot), digits(3).text(float64(gradient[i]))})
		key := "other"
		if i == label {
			key = "label"
		}
		f.Rows = append(f.Rows, chart.Bar{Label: fmt.Sprintf("class %d", i), Of: 1,
			Parts: []chart.Part{{Key: key, Value: chart.Value(p)}}})
		f.X.High = max(f.X.High, chart.Value(p))
	}
	p := func(i int) float64 { return float64(gradient[i]) + float64(btoi(i == label)) }
	s.add("sum", sum, "", "sum of the exponentials")
	s.add("largest", p(best), fmt.Sprintf("%s/%s", digits(3).text(math.Exp(logits[best])), digits(3).text(sum)),
		fmt.Sprintf("largest probability, of class %d", best))
	s.add("labelled", p(label), fmt.Sprintf("%s/%s", digits(3).text(math.Exp(logits[label])), digits(3).text(sum)),
		fmt.Sprintf("probability of the labelled class, %d", label))
	s.add("total", total, "", "sum of the probabilities")
	s.add("loss", loss, "-ln("+short(p(label))+")", "loss")
	s.add("loss10", -math.Log10(p(label)), "-log10("+short(p(label))+")", "with the logarithm to base 10")
	s.add("gradient_labelled", float64(gradient[label]), short(p(label))+" - 1", "gradient at the labelled logit")
	s.add("gradient_largest", float64(gradient[best]), minus(p(best), float64(btoi(best == label))), "gradient at the largest logit")
	s.Steps[0].Digits = 3
	s.Tables = []Table{t}
	s.Figures = []chart.Figure{{Name: "probabilities", Title: "What the network thinks the image is", Bars: &f,
		Caption: "Probability of each class after SoftMax. The labelled class is the right answer.",
		Keys: []chart.Key{{ID: "other", Name: "other classes", Ink: chart.Other},
			{ID: "label", Name: "labelled class", Ink: chart.Subject}}}}
	return s, nil
}

// classifierBench is a hidden layer with ReLU and an output layer with SoftMax: one step with every
// number on the way.
var classifierBench = Bench{
	Meaning: "a hidden ReLU layer and a SoftMax layer: forward, backward, a step down and a step up",
	Params: []Param{
		{Name: "x", Meaning: "inputs", Default: []float64(nil), Needed: true},
		{Name: "w1", Meaning: "weights of the hidden layer, a row for each neuron", Default: []float64(nil), Needed: true},
		{Name: "w2", Meaning: "weights of the output layer, a row for each class", Default: []float64(nil), Needed: true},
		{Name: "classes", Meaning: "2 to 16", Default: 3.0, Needed: true},
		{Name: "label", Meaning: "the class that is right, from 0", Default: 0.0, Needed: true},
		{Name: "lr", Meaning: "learning rate", Default: 0.1, Needed: true},
	},
	Run: runClassifier,
}

func runClassifier(a Args) (*Shown, error) {
	x, w1, w2 := a.List("x"), a.List("w1"), a.List("w2")
	classes, err := a.Whole("classes", 2, 16)
	if err != nil {
		return nil, err
	}
	label, err := a.Whole("label", 0, classes-1)
	if err != nil {
		return nil, err
	}
	hidden := len(w2) / classes
	if hidden < 1 || hidden > 64 || len(x) < 1 || len(x) > 64 || len(w2) != hidden*classes || len(w1) != hidden*len(x) {
		return nil, fmt.Errorf("%d inputs and %d classes: %d weights in w1 and %d in w2 make no two layers", len(x), classes,
			len(w1), len(w2))
	}
	m, err := nn.NewMLP([]int{len(x), hidden, classes}, nn.ReLU, nn.CrossEntropy)
	if err != nil {
		return nil, err
	}
	start := append(float32s(w1), make([]float32, hidden)...)
	start = append(append(start, float32s(w2)...), make([]float32, classes)...)
	r := m.NewReplica(start, 1, nn.Portable)
	pass := func() float64 {
		r.Load(float32s(x), []int32{int32(label)}, 1)
		r.Forward(0)
		r.Forward(1)
		loss, _ := r.Loss()
		return loss
	}
	s := &Shown{}
	loss := pass()
	logits := make([]float64, classes)
	for i, z := range r.Outputs() {
		logits[i] = float64(z)
	}
	r.Backward(1)
	r.Backward(0)
	split, _ := m.LayerRange(1)
	toHidden := r.Grads[split-hidden : split] // of the biases: what arrives before the weights
	toLogits := r.Grads[len(r.Grads)-classes:]
	for h := range hidden {
		z := 0.0
		for i := range x {
			z += w1[h*len(x)+i] * x[i]
		}
		s.add(fmt.Sprintf("h%d", h+1), max(z, 0), activationText(nn.ReLU, z), fmt.Sprintf("output of hidden neuron %d", h+1))
	}
	for k := range classes {
		s.add(fmt.Sprintf("logit%d", k), logits[k], "", fmt.Sprintf("logit of class %d", k))
	}
	for k := range classes {
		hot := float64(btoi(k == label))
		s.add(fmt.Sprintf("g%d", k), float64(toLogits[k]), minus(float64(toLogits[k])+hot, hot),
			fmt.Sprintf("gradient at logit %d: probability - label", k))
	}
	for h := range hidden {
		how, sum := "", 0.0
		for k := range classes {
			w, g := w2[k*hidden+h], float64(toLogits[k])
			sum += w * g
			if k == 0 {
				how = product(w, g)
			} else {
				how = plus(how, w, g)
			}
		}
		slope := slopeOf(nn.ReLU, s.value(fmt.Sprintf("h%d", h+1)))
		s.add(fmt.Sprintf("d%d", h+1), float64(toHidden[h]), "("+how+")*"+short(slope),
			fmt.Sprintf("gradient at hidden neuron %d: weights back, times ReLU's derivative", h+1))
	}
	grads := append([]float32(nil), r.Grads...)
	s.add("loss", loss, "", "loss before the step")
	for _, way := range []struct {
		name, what string
		lr         float64
	}{{"down", "loss after weight - learning rate * gradient", a.Number("lr")},
		{"up", "loss after weight + learning rate * gradient", -a.Number("lr")}} {
		copy(r.Params, start)
		(&nn.SGD{LR: float32(way.lr)}).Step(r.Params, grads, nil, 1)
		s.add(way.name, pass(), "", way.what)
	}
	return s, nil
}
