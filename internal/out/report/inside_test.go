package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// cells is a matrix that goes from below zero to above it.
func cells(rows, columns int) result.Cells {
	c := result.Cells{Of: [2]int{rows, columns + 1}}
	for i := range rows {
		row := make([]float32, columns)
		for j := range row {
			row[j] = float32(i-j) / 2
		}
		c.Values = append(c.Values, row)
	}
	return c
}

// textInside is a network of so many layers that reads two tokens and has a bit of everything.
func textInside(layers int) *result.Inside {
	in := &result.Inside{Example: result.InsideExample{Of: "test windows", Tokens: []string{"a", "<b>"},
		Labels: []string{"<b>", ""}}}
	for pass := range 2 {
		p := result.InsidePass{Step: int64(9 * pass), Likeliest: []string{"a", "a"},
			Words: []result.InsideWord{{Name: "a", X: 1, Y: -2}, {Name: "<b>", X: -1, Y: 0.5}}}
		for i := range layers {
			output, weight, gradient, norm := cells(2, 9), cells(32, 32), cells(32, 32), float64(i+pass)
			p.Layers = append(p.Layers, result.InsideLayer{Name: fmt.Sprintf("Layer.%d", i), Output: &output,
				GradientNorm: &norm,
				StepNorms:    []float64{0.001, 1}, Attention: []result.Cells{{Of: [2]int{2, 2}, Values: [][]float32{{1,
					0}, {0.5, 0.5}}}},
				Weights: []result.InsideWeights{{Name: fmt.Sprintf("Layer.%d.weight", i), Weight: weight,
					Gradient: &gradient}},
				Gates: []result.InsideGate{{Name: "forget gate", Values: cells(3, 2)}, {Name: "cell", Values: cells(3,
					2)},
					{Name: "state", Values: cells(3, 2)}}})
		}
		in.Passes = append(in.Passes, p)
	}
	return in
}

// imageInside is a convolution and a dense layer.
func imageInside() *result.Inside {
	image := cells(4, 4)
	in := &result.Inside{Example: result.InsideExample{Number: 3, Of: "test images", Image: &image,
		Labels: []string{"7"}}}
	for pass := range 2 {
		maps, vector, fixed, weight, gradient, norm := cells(4, 8), cells(1, 5), cells(6, 3), cells(6, 3), cells(6,
			3), 0.5
		in.Passes = append(in.Passes, result.InsidePass{Likeliest: []string{fmt.Sprint(pass)},
			Layers: []result.InsideLayer{
				{Name: "conv.1", Output: &maps, Weights: []result.InsideWeights{{Name: "conv.1.weight", Side: 3,
					Weight: fixed}}},
				{Name: "conv.2", Output: &maps, GradientNorm: &norm,
					Weights: []result.InsideWeights{{Name: "conv.2.weight", Side: 3, Weight: weight, Gradient: &gradient}}},
				{Name: "dense.1", Output: &vector}, {Name: "dense.2", Output: &vector}}})
	}
	return in
}

func namesOf(figures []chart.Figure) (all []string) {
	for _, f := range figures {
		all = append(all, f.Name)
	}
	return all
}

// Every figure can be drawn, and has a name of its own.
func insideFigures(t *testing.T, in *result.Inside) []chart.Figure {
	t.Helper()
	all := insideCharts(&Data{Inside: in})
	names := map[string]bool{}
	for _, f := range all {
		if err := chart.Check(&f); err != nil {
			t.Error(err)
		}
		if names[f.Name] {
			t.Errorf("two figures are called %s", f.Name)
		}
		names[f.Name] = true
	}
	return all
}

func TestInsideOfText(t *testing.T) {
	all := insideFigures(t, textInside(1))
	want := []string{"inside-words-before", "inside-words-after", "inside-attention-layer0-head1", "inside-gates-layer0",
		"inside-cells-layer0", "inside-states-layer0", "inside-activations-layer0", "inside-gradients",
		"inside-steps-layer0",
		"inside-weights-layer0-weight", "inside-gradient-layer0-weight"}
	if got := namesOf(all); !slices.Equal(got, want) {
		t.Errorf("figures\n%v, want\n%v", got, want)
	}
	attention := all[2].Map
	if attention.Rows[1] != "2 <b>" || attention.Cells[1][0] != 0.5 || attention.Value.High != 1 {
		t.Errorf("attention: %+v", attention)
	}
	if c := all[6].Caption; !strings.HasSuffix(c, "Shown are 2 x 9 of 2 x 10.") {
		t.Errorf("a part of a matrix: %s", c)
	}
}

func TestInsideOfImages(t *testing.T) {
	all := insideFigures(t, imageInside())
	want := []string{"inside-example", "inside-filters-conv1-weight", "inside-filters-conv2-weight-before",
		"inside-filters-conv2-weight", "inside-activations-conv1", "inside-activations-conv2", "inside-activations",
		"inside-gradients", "inside-gradient-conv2-weight"}
	if got := namesOf(all); !slices.Equal(got, want) {
		t.Errorf("figures\n%v, want\n%v", got, want)
	}
	if c := all[0].Caption; !strings.HasPrefix(c,
		"Number 3 of the test images, of class 7. The network took it for class 0 before") {
		t.Error(c)
	}
}

// Of a network of many layers a page shows some, and stays small.
func TestInsideStaysSmall(t *testing.T) {
	d, err := Load(small(t, true))
	if err != nil {
		t.Fatal(err)
	}
	d.Inside = textInside(60)
	var b strings.Builder
	if err := WritePage(&b, d); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 3_000_000 {
		t.Errorf("the page has %d bytes", b.Len())
	}
	if strings.Contains(b.String(), "2 <b>") {
		t.Error("a token stands in the page as HTML")
	}
}

// A file that is damaged is named, and all else is shown.
func TestInsideDamaged(t *testing.T) {
	dir := small(t, true)
	if err := os.WriteFile(filepath.Join(dir, "inside.json"), []byte(`{"format_version": 1, "passes": []}`),
		0o666); err != nil {
		t.Fatal(err)
	}
	d, err := Load(dir)
	if err != nil || d.Inside != nil {
		t.Fatal(d.Inside, err)
	}
	if n := len(d.Notes); n == 0 || !strings.HasSuffix(d.Notes[n-1], "inside.json: 0 passes, want 2") {
		t.Errorf("notes: %q", d.Notes)
	}
}
