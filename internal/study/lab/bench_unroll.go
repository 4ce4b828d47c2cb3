package lab

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/learn/nn"
)

// unrollBench is a recurrent network over a short word, step by step.
var unrollBench = Bench{
	Meaning: "a recurrent layer and a SoftMax layer over a word, step by step; trained on it, with memory and without",
	Params: []Param{
		{Name: "text", Meaning: "a word of 3 to 16 characters", Default: "", Needed: true},
		{Name: "order", Meaning: "how the vocabulary is numbered: sorted or first-use", Default: "sorted"},
		{Name: "u", Meaning: "weights of the input, a row for each cell", Default: []float64(nil), Needed: true},
		{Name: "w", Meaning: "weights of the state before, a row for each cell", Default: []float64(nil), Needed: true},
		{Name: "v", Meaning: "weights of the outputs, a row for each character", Default: []float64(nil), Needed: true},
		{Name: "activation", Meaning: "of the state: tanh, sigmoid, relu or identity", Default: "tanh"},
		{Name: "lr", Meaning: "learning rate of the training", Default: 0.5},
		{Name: "iterations", Meaning: "its updates, 0 to 2000", Default: 300.0},
	},
	Run: runUnroll,
}

// letters is a text as a network reads it: at each step a character, and the one after it as the label.
type letters struct {
	vocabulary []rune
	inputs     []float32
	labels     []int32
}

func newLetters(text, order string) (*letters, error) {
	chars := []rune(text)
	if len(chars) < 3 || len(chars) > 16 {
		return nil, fmt.Errorf("text %q has %d characters, want 3 to 16", text, len(chars))
	}
	w := &letters{}
	for _, c := range chars {
		if !slices.Contains(w.vocabulary, c) {
			w.vocabulary = append(w.vocabulary, c)
		}
	}
	switch order {
	case "sorted":
		slices.Sort(w.vocabulary)
	case "first-use":
	default:
		return nil, fmt.Errorf("order %q, want sorted or first-use", order)
	}
	for i, c := range chars[1:] {
		w.inputs = append(w.inputs, float32(slices.Index(w.vocabulary, chars[i])))
		w.labels = append(w.labels, int32(slices.Index(w.vocabulary, c)))
	}
	return w, nil
}

func (w *letters) steps() int { return len(w.inputs) }

func (w *letters) char(token int32) string { return string(w.vocabulary[token]) }

// recurrentNet is one recurrent layer, and a head at every step.
type recurrentNet struct {
	cell, head nn.Layer
	model      *nn.Model
	params     []float32
}

func newRecurrentNet(steps, vocabulary, cells int, act nn.Activation, mean bool, params []float32,
) (*recurrentNet, error) {
	cell, err := nn.RNN(nn.Recurrence{Steps: steps, In: vocabulary, Size: cells, Mean: mean}, act)
	if err != nil {
		return nil, err
	}
	n := &recurrentNet{cell: cell, head: nn.Everywhere(steps, cells, vocabulary, false), params: params}
	n.model, err = nn.NewModel([]nn.Named{{Name: "one-hot", Layer: nn.OneHot(steps, vocabulary)},
		{Name: "rnn", Layer: n.cell}, {Name: "head", Layer: n.head}}, nn.CrossEntropy, steps)
	return n, err
}

// pass is one forward and backward: states, what the loss makes of the logits, the gradient of all
// parameters, and what the loss is.
type recurrentPass struct {
	states, atLogits []float32
	loss             float64
	grads            []float32
	norms            []float64
}

func (n *recurrentNet) pass(x []float32, labels []int32) recurrentPass {
	hot := make([]float32, n.cell.In())
	n.model.Layer(0, nn.Portable).Forward(hot, x, nil, 1, nil, nil)
	split := n.cell.Params()
	p := recurrentPass{states: make([]float32, n.cell.Out()), atLogits: make([]float32, n.head.Out()),
		grads: make([]float32, len(n.params))}
	saved, logits := n.cell.NewSaved(1), make([]float32, n.head.Out())
	n.cell.Forward(p.states, hot, n.params[:split], 1, saved, &nn.Pass{})
	headSaved := n.head.NewSaved(1)
	n.head.Forward(logits, p.states, n.params[split:], 1, headSaved, &nn.Pass{})
	p.loss, _ = n.model.Loss(nn.Portable, p.atLogits, logits, labels, float64(len(labels)))
	toStates := make([]float32, len(p.states))
	n.head.Backward(toStates, p.grads[split:], slices.Clone(p.atLogits), p.states, n.params[split:], 1, headSaved)
	n.cell.Backward(nil, p.grads[:split], toStates, hot, n.params[:split], 1, saved)
	p.norms = nn.StepNorms(saved)
	return p
}

func runUnroll(a Args) (*Shown, error) {
	text, err := newLetters(a.Text("text"), a.Text("order"))
	if err != nil {
		return nil, err
	}
	u, w, v, known := a.List("u"), a.List("w"), a.List("v"), len(text.vocabulary)
	cells := len(u) / known
	if cells < 1 || cells > 8 || len(u) != cells*known || len(w) != cells*cells || len(v) != known*cells {
		return nil, fmt.Errorf("%d characters: %d weights in u, %d in w and %d in v are of no 1 to 8 cells", known,
			len(u),
			len(w), len(v))
	}
	act, err := nn.ParseActivation(a.Text("activation"))
	if err != nil {
		return nil, err
	}
	updates, err := a.Whole("iterations", 0, 2000)
	if err != nil {
		return nil, err
	}
	n, err := newRecurrentNet(text.steps(), known, cells, act, false, float32s(slices.Concat(u, w, v)))
	if err != nil {
		return nil, err
	}
	s := &Shown{}
	p := n.pass(text.inputs, text.labels)
	unrolledSteps(s, text, n, p, cells)
	if err := averaged(s, text, n, p, act); err != nil {
		return nil, err
	}
	shared := n.cell.Params()
	s.add("weights", float64(shared), fmt.Sprintf("%d*%d + %d*%d", cells, known, cells, cells),
		"weights of u and w, shared by all steps")
	s.add("macs", float64(shared*text.steps()), fmt.Sprintf("%d*%d", text.steps(), shared),
		"multiply-adds of the layer over all steps")
	s.add("kept", float64(n.cell.Out()), fmt.Sprintf("%d*%d", text.steps(), cells), "states kept for the way back")
	return s, learned(s, text, n, act, a.Number("lr"), updates)
}

// unrolledSteps shows what happens at each step.
func unrolledSteps(s *Shown, text *letters, n *recurrentNet, p recurrentPass, cells int) {
	known := len(text.vocabulary)
	t := Table{Name: "steps", Title: "Step by step",
		Columns: []string{"step", "input", "one-hot", "column of u", "state before", "state", "next", "p"}}
	before := make([]float32, cells)
	for i := range text.steps() {
		in, label := int(text.inputs[i]), int(text.labels[i])
		column := make([]float32, cells)
		for c := range cells {
			column[c] = n.params[c*known+in]
		}
		state := p.states[i*cells : (i+1)*cells]
		likely := float64(p.atLogits[i*known+label])*float64(text.steps()) + 1
		hot := strings.Repeat("0", in) + "1" + strings.Repeat("0", known-in-1)
		t.Rows = append(t.Rows, []string{fmt.Sprint(i + 1), text.char(int32(in)), hot, vector(column), vector(before),
			vector(state), text.char(int32(label)), fixed(likely, 3)})
		s.add(fmt.Sprintf("column[%d]", i+1), float64(in+1), "", fmt.Sprintf("column of u that step %d takes, for %s",
			i+1,
			text.char(int32(in))))
		for c, h := range state {
			s.add(fmt.Sprintf("h%d[%d]", c+1, i+1), float64(h), "", fmt.Sprintf("state of cell %d after step %d", c+1,
				i+1))
		}
		s.add(fmt.Sprintf("p[%d]", i+1), likely, "", fmt.Sprintf("probability of %s after step %d",
			text.char(int32(label)), i+1))
		before = state
	}
	s.add("outputs", float64(n.head.Out()/text.steps()), "", "output neurons: one for each character")
	s.add("loss", p.loss, "", "mean loss of the steps")
	s.Tables = append(s.Tables, t)
}

// vector writes numbers side by side.
func vector(v []float32) string {
	var all []string
	for _, x := range v {
		all = append(all, fixed(float64(x), 2))
	}
	return strings.Join(all, " ")
}

// averaged compares the gradient with that of a layer that averages over steps.
func averaged(s *Shown, text *letters, n *recurrentNet, p recurrentPass, act nn.Activation) error {
	cells := n.cell.Out() / text.steps()
	mean, err := newRecurrentNet(text.steps(), len(text.vocabulary), cells, act, true, n.params)
	if err != nil {
		return err
	}
	of := mean.pass(text.inputs, text.labels)
	best := 0
	for i, g := range p.grads[:n.cell.Params()] {
		if abs(float64(g)) > abs(float64(p.grads[best])) {
			best = i
		}
	}
	s.add("gradient_sum", float64(p.grads[best]), "", "largest gradient of the layer's weights: summed over the steps")
	s.add("gradient_mean", float64(of.grads[best]), "", "the same, averaged over the steps")
	s.add("sum_over_mean", float64(p.grads[best])/float64(of.grads[best]), "", "how many times as large the sum is")
	for i, norm := range p.norms {
		s.add(fmt.Sprintf("norm[%d]", i+1), norm, "", fmt.Sprintf("length of the gradient at the state after step %d",
			i+1))
	}
	return nil
}

// learned trains the network, and one that forgets its state before each step.
func learned(s *Shown, text *letters, n *recurrentNet, act nn.Activation, lr float64, updates int) error {
	_, loss := fit(n.model, n.params, text.inputs, text.labels, descent(lr), updates)
	s.add("trained", loss, "", fmt.Sprintf("loss after %d updates", updates))
	single, err := newRecurrentNet(1, len(text.vocabulary), n.cell.Out()/text.steps(), act, false, n.params)
	if err != nil {
		return err
	}
	_, loss = fit(single.model, n.params, text.inputs, text.labels, descent(lr), updates)
	s.add("without", loss, "", "loss after as many updates of a network that takes each character by itself")
	return nil
}
