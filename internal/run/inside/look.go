package inside

import (
	"fmt"
	"math"
	"slices"

	"railyard/internal/learn/nn"
	"railyard/internal/out/result"
)

// Bounds of what is kept.
const (
	MaxParameters = 1 << 22 // of a network that is small
	Side          = 32      // rows and columns of a matrix
	maps          = 4       // channels of an image, heads of a layer
	cells         = 8       // cells of an LSTM
)

// Subject is what is looked at.
type Subject struct {
	Model         *nn.Model
	Kernel        nn.Kernel
	Before, After At
	Examples      nn.Examples
	Number        int    // the example
	Of            string // what the examples are: test images
	Image         nn.Volume
	Name          func(token int32) string // of a text; nil: classes have numbers
	Tokens        int                      // that have a name: the first of the network's
}

// At is parameters after a step of a training.
type At struct {
	Step   int64
	Params []float32
}

// Look looks into the network before and after. The error says which layer gave values that are no
// numbers.
func Look(s *Subject) (*result.Inside, error) {
	l := &looker{Subject: s, x: make([]float32, s.Model.Inputs()), labels: make([]int32, s.Model.Targets())}
	if s.Name == nil {
		l.name = func(class int32) string { return fmt.Sprint(class) }
	} else {
		l.name = s.Name
	}
	s.Examples.ReadInputs(l.x, []int{s.Number})
	s.Examples.ReadLabels(l.labels, []int{s.Number})
	in := &result.Inside{Example: l.example()}
	axes := l.axes(s.After.Params)
	for _, at := range []At{s.Before, s.After} {
		p := l.pass(at)
		p.Words = l.words(at.Params, axes)
		if err := finite(&p); err != nil {
			return nil, err
		}
		in.Passes = append(in.Passes, p)
	}
	return in, nil
}

// looker is a Subject with its example.
type looker struct {
	*Subject
	x      []float32
	labels []int32
	name   func(int32) string
}

// positions is how many of a text are shown.
func (l *looker) positions() int { return min(l.Model.Inputs(), Side) }

func (l *looker) example() result.InsideExample {
	e := result.InsideExample{Number: l.Number, Of: l.Of}
	if l.Model.TakesText() {
		for _, token := range l.x[:l.positions()] {
			e.Tokens = append(e.Tokens, l.name(int32(token)))
		}
	} else if l.Image.Elems() == len(l.x) {
		e.Image = sideBySide(l.x, l.Image)
	}
	e.Labels = l.named(l.labels)
	return e
}

// named are the names of labels, as many as are shown.
func (l *looker) named(labels []int32) []string {
	var all []string
	for _, label := range labels[:min(len(labels), Side)] {
		if label == nn.Ignored {
			all = append(all, "")
			continue
		}
		all = append(all, l.name(label))
	}
	return all
}

func (l *looker) pass(at At) result.InsidePass {
	m := l.Model
	r := m.NewProbe(at.Params, l.Kernel)
	r.Load(l.x, l.labels, 1)
	p := result.InsidePass{Step: at.Step}
	for i := range m.Layers() {
		r.Forward(i)
		layer, saved := r.Inside(i)
		to := result.InsideLayer{Name: m.LayerName(i), Attention: l.attention(layer, saved), Gates: l.gates(layer,
			saved)}
		places := i == 0 && layer.Params() == 0 && m.TakesText() // a 1 where the token is
		if !places && (i == 0 || !slices.Equal(r.Output(i), r.Output(i-1))) {
			to.Output = l.output(layer, r.Output(i))
		}
		p.Layers = append(p.Layers, to)
	}
	p.Likeliest = l.likeliest(r.Outputs())
	p.Loss, _ = r.Loss()
	for i := m.Layers() - 1; i >= m.Trained(); i-- {
		r.Backward(i)
	}
	norms := m.GradientNorms(r.Grads)
	for i := range p.Layers {
		layer, saved := r.Inside(i)
		to := &p.Layers[i]
		if layer.Params() > 0 {
			to.GradientNorm = &norms[i]
			to.StepNorms = append([]float64(nil), nn.StepNorms(saved)...)
		}
		to.Weights = l.weights(i, layer, at.Params, r.Grads)
	}
	return p
}

// likeliest is what the network thinks, in place of each label.
func (l *looker) likeliest(z []float32) []string {
	n, all := l.Model.Classes(), make([]int32, len(l.labels))
	for i := range all {
		of := z[i*n : (i+1)*n]
		for j, v := range of {
			if v > of[all[i]] {
				all[i] = int32(j)
			}
		}
	}
	return l.named(all)
}

// output is a layer's output: of a text a row for each position, of images channels side by side, else
// one row.
func (l *looker) output(layer nn.Layer, y []float32) *result.Cells {
	if v, ok := nn.ImageOf(layer); ok {
		return sideBySide(y, v)
	}
	rows := 1
	if l.Model.TakesText() {
		rows = l.Model.Inputs()
	}
	return part(y, rows, len(y)/rows)
}

// sideBySide is the first channels of an image beside each other, means of squares where it is larger
// than Side.
func sideBySide(y []float32, v nn.Volume) *result.Cells {
	by := (max(v.Height, v.Width) + Side - 1) / Side
	c := &result.Cells{Of: [2]int{v.Height, v.Channels * v.Width}}
	if by > 1 {
		c.Mean = by
	}
	for top := 0; top < v.Height; top += by {
		var all []float32
		for ch := range min(v.Channels, maps) {
			for left := 0; left < v.Width; left += by {
				all = append(all, mean(y[ch*v.Height*v.Width:], v, top, left, by))
			}
		}
		c.Values = append(c.Values, all)
	}
	return c
}

// mean is that of a square of a channel, as far as it lies inside.
func mean(channel []float32, v nn.Volume, top, left, side int) float32 {
	sum, n := float32(0), 0
	for row := top; row < min(top+side, v.Height); row++ {
		for _, x := range channel[row*v.Width+left : row*v.Width+min(left+side, v.Width)] {
			sum += x
			n++
		}
	}
	return sum / float32(n)
}

// part is the upper left of a matrix.
func part(v []float32, rows, columns int) *result.Cells {
	c := &result.Cells{Of: [2]int{rows, columns}}
	for row := range min(rows, Side) {
		c.Values = append(c.Values, append([]float32{}, v[row*columns:row*columns+min(columns, Side)]...))
	}
	return c
}

// weights are the matrices of a layer, those of a convolution as filters.
func (l *looker) weights(i int, layer nn.Layer, p, g []float32) (all []result.InsideWeights) {
	lo, hi := l.Model.LayerRange(i)
	if w, filters, of, ok := nn.Filters(layer, p[lo:hi]); ok {
		out := result.InsideWeights{Name: l.Model.LayerName(i) + ".weight", Side: of.Height,
			Weight: *filtersOf(w, filters, of)}
		if layer.Params() > 0 {
			of, n, volume, _ := nn.Filters(layer, g[lo:hi])
			out.Gradient = filtersOf(of, n, volume)
		}
		return append(all, out)
	}
	for _, t := range l.Model.Tensors(i) {
		if len(t.Shape) == 2 {
			all = append(all, result.InsideWeights{Name: t.Name, Weight: *part(p[t.Offset:], t.Shape[0], t.Shape[1]),
				Gradient: part(g[t.Offset:], t.Shape[0], t.Shape[1])})
		}
	}
	return all
}

// filtersOf lays filters below each other, the channels of each side by side.
func filtersOf(w []float32, filters int, of nn.Volume) *result.Cells {
	side := of.Height
	c := &result.Cells{Of: [2]int{filters * side, of.Channels * side}}
	for f := range min(filters, max(Side/side, 1)) {
		for y := range min(side, Side) {
			var row []float32
			for ch := range min(of.Channels, max(Side/side, 1)) {
				from := ((f*of.Channels+ch)*side + y) * side
				row = append(row, w[from:from+min(side, Side)]...)
			}
			c.Values = append(c.Values, row)
		}
	}
	return c
}

// attention are the maps of a layer's first heads.
func (l *looker) attention(layer nn.Layer, saved nn.Saved) (all []result.Cells) {
	for head := range maps {
		m, ok := nn.AttentionMap(layer, saved, 0, head)
		if !ok {
			return all
		}
		n := l.Model.Inputs()
		c := result.Cells{Of: [2]int{n, n}}
		for t := range l.positions() {
			c.Values = append(c.Values, append([]float32{}, m[t*n:t*n+l.positions()]...))
		}
		all = append(all, c)
	}
	return all
}

// gates are what an LSTM's first cells did at each position.
func (l *looker) gates(layer nn.Layer, saved nn.Saved) []result.InsideGate {
	if _, ok := nn.GatesAt(layer, saved, 0, 0); !ok {
		return nil
	}
	all := []result.InsideGate{{Name: "forget gate"}, {Name: "input gate"}, {Name: "output gate"}, {Name: "candidate"},
		{Name: "cell"}, {Name: "state"}}
	for i := range all {
		for t := range l.positions() {
			g, _ := nn.GatesAt(layer, saved, 0, t)
			of := [][]float32{g.Forget, g.Input, g.Output, g.Candidate, g.Cell, g.State}[i]
			v := &all[i].Values
			v.Of = [2]int{len(of), l.Model.Inputs()}
			for k, x := range of[:min(len(of), cells)] {
				if t == 0 {
					v.Values = append(v.Values, nil)
				}
				v.Values[k] = append(v.Values[k], x)
			}
		}
	}
	return all
}

// odd reports what is no number, or none that anything can be drawn of.
func odd(v float64) bool { return math.IsNaN(v) || math.Abs(v) > result.InsideMost }

// finite reports the first layer with a value that is odd.
func finite(p *result.InsidePass) error {
	bad := func(c *result.Cells) bool {
		if c == nil {
			return false
		}
		for _, row := range c.Values {
			for _, v := range row {
				if odd(float64(v)) {
					return true
				}
			}
		}
		return false
	}
	for i := range p.Layers {
		l := &p.Layers[i]
		wrong := bad(l.Output) || l.GradientNorm != nil && odd(*l.GradientNorm)
		for _, w := range l.Weights {
			wrong = wrong || bad(&w.Weight) || bad(w.Gradient)
		}
		for _, v := range l.StepNorms {
			wrong = wrong || odd(v)
		}
		if wrong {
			return fmt.Errorf("layer %s has values that are no numbers after step %d", l.Name, p.Step)
		}
	}
	for _, w := range p.Words {
		if odd(w.X) || odd(w.Y) {
			return fmt.Errorf("the vector of %s is no number after step %d", w.Name, p.Step)
		}
	}
	if odd(p.Loss) {
		return fmt.Errorf("the loss is no number after step %d", p.Step)
	}
	return nil
}
