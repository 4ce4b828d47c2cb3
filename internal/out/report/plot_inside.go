package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// Bounds of what a page shows of a network's inside: it stays small, however many layers there are.
const (
	insideMaps  = 6 // of each kind
	insideLines = 3 // layers with gradients by step
	insideNames = 100
)

// insideCharts show what a network looks like inside for one example, mostly after its training.
func insideCharts(d *Data) (all []chart.Figure) {
	in := d.Inside
	if in == nil {
		return nil
	}
	before, after := &in.Passes[0], &in.Passes[1]
	if in.Example.Image != nil {
		all = append(all, exampleFigure(in))
	}
	all = append(all, wordFigures(before, after)...)
	all = append(all, firstOf(insideMaps, layersOf(after, attentionFigures(in)))...)
	all = append(all, firstOf(insideMaps, layersOf(after, gateFigures(in)))...)
	all = append(all, firstOf(insideMaps, filterFigures(before, after))...)
	all = append(all, activationFigures(in)...)
	all = append(all, normFigure(before, after))
	all = append(all, stepNormFigures(before, after)...)
	return append(all, weightFigures(after)...)
}

func firstOf(n int, all []chart.Figure) []chart.Figure { return all[:min(len(all), n)] }

// layersOf collects what each layer gives.
func layersOf(p *result.InsidePass, of func(*result.InsideLayer) []chart.Figure) (all []chart.Figure) {
	for i := range p.Layers {
		all = append(all, of(&p.Layers[i])...)
	}
	return all
}

// beforeNumber is a hyphen that parts a number from its word.
var beforeNumber = regexp.MustCompile(`-([0-9])`)

// insideName makes a figure's name of a layer's or a tensor's: inside-filters-conv2-weight.
func insideName(parts ...string) string {
	clean := func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}
	return beforeNumber.ReplaceAllString(strings.Map(clean, "inside-"+strings.Join(parts, "-")), "$1")
}

// exampleFigure is the image that was looked at.
func exampleFigure(in *result.Inside) chart.Figure {
	e := &in.Example
	caption := fmt.Sprintf("Number %d of the %s.", e.Number, e.Of)
	if len(e.Labels) == 1 {
		caption = fmt.Sprintf("Number %d of the %s, of class %s. The network took it for class %s before its training, "+
			"and for class %s after it.", e.Number, e.Of, e.Labels[0], in.Passes[0].Likeliest[0], in.Passes[1].Likeliest[0])
	}
	return cellsFigure(insideName("example"), "Inside: the image that was looked at",
		caption+" Channels stand side by side.",
		"brightness", e.Image, nil, nil)
}

// cellsFigure draws a matrix. Names of rows and columns may be nil: they are counted then.
func cellsFigure(name, title, caption, what string, c *result.Cells, rows, columns []string) chart.Figure {
	m := chart.Map{Value: chart.Axis{Label: what, Unit: chart.Plain}, RowName: "row", ColName: "column", Rows: rows,
		Columns: columns}
	for i, row := range c.Values {
		if rows == nil {
			m.Rows = append(m.Rows, fmt.Sprint(i+1))
		}
		cells := make([]chart.Value, len(row))
		for j, v := range row {
			cells[j] = chart.Value(v)
			m.Value.Low, m.Value.High = min(m.Value.Low, cells[j]), max(m.Value.High, cells[j])
		}
		m.Cells = append(m.Cells, cells)
	}
	if columns == nil {
		for j := range c.Values[0] {
			m.Columns = append(m.Columns, fmt.Sprint(j+1))
		}
	}
	if m.Value.Low < 0 {
		m.Value.High = max(m.Value.High, -m.Value.Low)
		m.Value.Low = -m.Value.High
	}
	if m.Value.High == 0 {
		m.Value.High = 1
	}
	if c.Mean > 1 {
		caption += fmt.Sprintf(" Each cell is the mean of %d x %d.", c.Mean, c.Mean)
	} else if shown := [2]int{len(c.Values), len(c.Values[0])}; shown != c.Of {
		caption += fmt.Sprintf(" Shown are %d x %d of %d x %d.", shown[0], shown[1], c.Of[0], c.Of[1])
	}
	return chart.Figure{Name: name, Title: title, Caption: caption, Map: &m}
}

// wordFigures are the embedding's words in the plane, before and after.
func wordFigures(before, after *result.InsidePass) (all []chart.Figure) {
	for _, of := range []struct {
		when string
		pass *result.InsidePass
	}{{"before", before}, {"after", after}} {
		words := of.pass.Words[:min(len(of.pass.Words), insideNames)]
		if len(words) == 0 {
			continue
		}
		l := &chart.Lines{X: chart.Axis{Label: "first direction", Unit: chart.Plain},
			Y: chart.Axis{Label: "second direction", Unit: chart.Plain}}
		points := chart.Series{Key: "word", Shape: chart.Points}
		most := chart.Value(0)
		for _, w := range words {
			x, y := chart.Value(w.X), chart.Value(w.Y)
			points.X, points.Y = append(points.X, x), append(points.Y, y)
			l.Marks = append(l.Marks, chart.Mark{Key: "word", X: x, Y: y, Label: w.Name})
			most = max(most, x, -x, y, -y)
		}
		if most *= 1.05; most == 0 {
			most = 1
		}
		l.X.Low, l.X.High, l.Y.Low, l.Y.High = -most, most, -most, most
		l.Series = []chart.Series{points}
		all = append(all, chart.Figure{Name: insideName("words", of.when),
			Title: "Inside: words in the plane, " + of.when + " the training", Lines: l,
			Caption: "The vectors of the embedding, seen from the two directions in which the trained ones differ " +
				"most. Words that are used alike come to lie together.",
			Keys: []chart.Key{{ID: "word", Name: "a word", Ink: chart.Subject}}})
	}
	return all
}

// numbered are the tokens of the example with their positions.
func numbered(in *result.Inside, n int) []string {
	var all []string
	for i, t := range in.Example.Tokens[:min(n, len(in.Example.Tokens))] {
		all = append(all, fmt.Sprintf("%d %s", i+1, t))
	}
	return all
}

// attentionFigures are a layer's maps of attention, with tokens.
func attentionFigures(in *result.Inside) func(*result.InsideLayer) []chart.Figure {
	return func(l *result.InsideLayer) (all []chart.Figure) {
		for head := range l.Attention {
			c := &l.Attention[head]
			names := numbered(in, len(c.Values))
			f := cellsFigure(insideName("attention", l.Name, fmt.Sprintf("head%d", head+1)),
				fmt.Sprintf("Inside: who looks at whom, head %d of %s", head+1, l.Name),
				"A row is the token that asks, a column one that it may see: itself and those before it. A row sums to 1.",
				"weight", c, names, names)
			f.Map.RowName, f.Map.ColName, f.Map.Value.High = "token", "sees", 1
			all = append(all, f)
		}
		return all
	}
}

// insideGates are what figures show of an LSTM: the first parts of inside.json's gates, what comes
// after them, and so on.
var insideGates = []struct {
	name, title, caption string
	parts                []string
}{
	{"gates", "gates", "Each gate goes from 0, shut, to 1, open: what is forgotten, let in, and let out.",
		[]string{"forget gate", "input gate", "output gate"}},
	{"cells", "what the cells hold",
		"What is kept from token to token: a cell is long-lived where its forget gate is open.",
		[]string{"cell"}},
	{"states", "candidates and states", "What was offered to each cell, and what the layer gives.",
		[]string{"candidate", "state"}},
}

// gateFigures are the gates of an LSTM over the text, a row for each cell.
func gateFigures(in *result.Inside) func(*result.InsideLayer) []chart.Figure {
	return func(l *result.InsideLayer) (all []chart.Figure) {
		for _, of := range insideGates {
			whole, rows := result.Cells{}, []string{}
			for _, g := range l.Gates {
				if !slices.Contains(of.parts, g.Name) {
					continue
				}
				for k, row := range g.Values.Values {
					whole.Values = append(whole.Values, row)
					rows = append(rows, fmt.Sprintf("%s %d", g.Name, k+1))
				}
			}
			if len(rows) == 0 {
				continue
			}
			wide := len(whole.Values[0])
			whole.Of = [2]int{len(rows), wide}
			f := cellsFigure(insideName(of.name, l.Name), "Inside: "+l.Name+" over the text, "+of.title,
				"A column is a token, a row a cell of the layer, the first of them. "+of.caption, "value", &whole, rows,
				numbered(in, wide))
			f.Map.RowName, f.Map.ColName = "cell", "token"
			all = append(all, f)
		}
		return all
	}
}

// filterFigures are the filters of convolutions, before and after; of fixed ones once.
func filterFigures(before, after *result.InsidePass) (all []chart.Figure) {
	for i := range after.Layers {
		for k, w := range after.Layers[i].Weights {
			if w.Side == 0 {
				continue
			}
			caption := fmt.Sprintf("Filters of %d x %d stand one below the other, their channels side by side.",
				w.Side, w.Side)
			title := "Inside: filters, " + w.Name
			if w.Gradient != nil {
				all = append(all, cellsFigure(insideName("filters", w.Name, "before"), title+", before the training",
					caption, "weight",
					&before.Layers[i].Weights[k].Weight, nil, nil))
				title += ", after it"
			} else {
				title += ", which are not trained"
			}
			all = append(all, cellsFigure(insideName("filters", w.Name), title, caption, "weight", &w.Weight, nil, nil))
		}
	}
	return all
}

// activationFigures are the layers' outputs after the training: those that are a vector in one figure,
// a row each.
func activationFigures(in *result.Inside) (all []chart.Figure) {
	var vectors result.Cells
	var names []string
	for i := range in.Passes[1].Layers {
		l := &in.Passes[1].Layers[i]
		switch {
		case l.Output == nil:
		case len(l.Output.Values) == 1 && len(in.Example.Tokens) != 1:
			vectors.Values, names = append(vectors.Values, l.Output.Values[0]), append(names, l.Name)
		default:
			rows, caption := []string(nil), "What the layer makes of the example, channels side by side."
			if len(in.Example.Tokens) == len(l.Output.Values) {
				rows, caption = numbered(in, len(l.Output.Values)), "What the layer makes of each token of the example."
			}
			all = append(all, cellsFigure(insideName("activations", l.Name), "Inside: activations of "+l.Name,
				caption, "activation",
				l.Output, rows, nil))
		}
	}
	all = firstOf(insideMaps, all)
	if len(names) == 0 {
		return all
	}
	wide := 0
	for _, v := range vectors.Values {
		wide = max(wide, len(v))
	}
	vectors.Of = [2]int{len(names), wide}
	f := vectorsFigure(&vectors, names, wide)
	return append(all, f)
}

// vectorsFigure draws vectors of several lengths below each other.
func vectorsFigure(c *result.Cells, names []string, wide int) chart.Figure {
	lengths := make([]int, len(c.Values))
	for i, v := range c.Values {
		lengths[i] = len(v)
		c.Values[i] = append(append([]float32{}, v...), make([]float32, wide-len(v))...)
	}
	f := cellsFigure(insideName("activations"), "Inside: activations of layers that give a vector",
		fmt.Sprintf("A row is a layer, a column a unit; of more than %d the first.", wide), "activation", c, names, nil)
	f.Map.RowName, f.Map.ColName = "layer", "unit"
	for i, row := range f.Map.Cells {
		for j := lengths[i]; j < wide; j++ {
			row[j] = chart.Nothing
		}
	}
	return f
}

// normFigure is the length of each layer's gradient.
func normFigure(before, after *result.InsidePass) chart.Figure {
	b := &chart.Bars{X: chart.Axis{Label: "length of the gradient", Unit: chart.Plain}}
	keys := []chart.Key{{ID: "before", Name: "before the training", Ink: chart.Other}, {ID: "after", Name: "after it",
		Ink: chart.Subject}}
	for i := range after.Layers {
		if after.Layers[i].GradientNorm == nil || before.Layers[i].GradientNorm == nil {
			continue
		}
		for k, norm := range []float64{*before.Layers[i].GradientNorm, *after.Layers[i].GradientNorm} {
			v := chart.Value(norm)
			b.X.High = max(b.X.High, v)
			b.Rows = append(b.Rows, chart.Bar{Group: after.Layers[i].Name, Label: keys[k].ID,
				Parts: []chart.Part{{Key: keys[k].ID, Value: v}}})
		}
	}
	if b.X.High == 0 {
		b.X.High = 1
	}
	return chart.Figure{Name: insideName("gradients"), Title: "Inside: how strong each layer's gradient is", Bars: b,
		Keys: keys,
		Caption: "The length of the gradient of each layer's parameters, for this one example. Where it is next to " +
			"nothing a layer hardly learns."}
}

// stepNormFigures are the gradients at the state of recurrent layers, by step.
func stepNormFigures(before, after *result.InsidePass) (all []chart.Figure) {
	for i := range after.Layers {
		keys := []chart.Key{{ID: "before", Name: "before the training", Ink: chart.Other},
			{ID: "after", Name: "after it", Ink: chart.Subject}}
		l := normLines(keys, before.Layers[i].StepNorms, after.Layers[i].StepNorms)
		if l == nil || len(all) == insideLines {
			continue
		}
		name := after.Layers[i].Name
		all = append(all, chart.Figure{Name: insideName("steps", name),
			Title: "Inside: the gradient back through time, " + name, Lines: l, Keys: keys,
			Caption: "The length of the gradient at the layer's state after each step, through all later steps: where it " +
				"falls to the left, the beginning of a text teaches little."})
	}
	return all
}

// weightFigures are matrices of weights after the training, and their gradients.
func weightFigures(after *result.InsidePass) (all []chart.Figure) {
	for i := range after.Layers {
		for _, w := range after.Layers[i].Weights {
			if len(all) >= 2*insideMaps {
				return all
			}
			if w.Side == 0 {
				all = append(all, cellsFigure(insideName("weights", w.Name), "Inside: weights, "+w.Name,
					"After the training: a row for each output, a column for each input.", "weight", &w.Weight, nil,
					nil))
			}
			if w.Gradient != nil {
				all = append(all, cellsFigure(insideName("gradient", w.Name), "Inside: gradient, "+w.Name,
					"How the loss of the example changes with each of these weights, after the training.", "gradient",
					w.Gradient, nil,
					nil))
			}
		}
	}
	return all
}
