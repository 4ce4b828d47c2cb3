package lab

import (
	"fmt"
	"math"
	"strings"

	"railyard/internal/learn/nn"
	"railyard/internal/out/chart"
)

// positionBench adds to a word's vector where it stands.
var positionBench = Bench{
	Meaning: "sine and cosine of a position, as the first transformer has them, added to a word's vector",
	Params: []Param{
		{Name: "vector", Meaning: "of the word, 2 to 64 numbers", Default: []float64(nil), Needed: true},
		{Name: "position", Meaning: "where it stands, 0 to 255", Default: 0.0, Needed: true},
	},
	Run: runPosition,
}

func runPosition(a Args) (*Shown, error) {
	v := a.List("vector")
	if len(v) < 2 || len(v) > 64 {
		return nil, fmt.Errorf("a vector of %d numbers, want 2 to 64", len(v))
	}
	at, err := a.Whole("position", 0, 255)
	if err != nil {
		return nil, err
	}
	layer := nn.SinusoidalPositions(at+1, len(v))
	x, y := make([]float32, layer.In()), make([]float32, layer.Out())
	copy(x[at*len(v):], float32s(v))
	layer.Forward(y, x, nil, 1, nil, &nn.Pass{})
	s := &Shown{}
	for i := range v {
		s.add(fmt.Sprintf("p%d", i+1), nn.Sinusoid(at, i, len(v)), "", fmt.Sprintf("number %d of position %d", i+1, at))
		s.add(fmt.Sprintf("sum%d", i+1), float64(y[at*len(v)+i]), added(short(v[i]), nn.Sinusoid(at, i, len(v))),
			fmt.Sprintf("number %d of the word's vector, position added", i+1))
	}
	s.Figures = []chart.Figure{sinusoids()}
	return s, nil
}

// sinusoids draws the vectors of positions of a wider model.
func sinusoids() chart.Figure {
	const positions, size = 24, 16
	m := chart.Map{Value: chart.Axis{Label: "value", Unit: chart.Plain, Low: -1, High: 1}, RowName: "position",
		ColName: "number"}
	for i := range size {
		m.Columns = append(m.Columns, fmt.Sprint(i+1))
	}
	for at := range positions {
		row := make([]chart.Value, size)
		for i := range row {
			row[i] = chart.Value(nn.Sinusoid(at, i, size))
		}
		m.Rows, m.Cells = append(m.Rows, fmt.Sprint(at)), append(m.Cells, row)
	}
	return chart.Figure{Name: "sinusoids", Title: "Vectors of positions, 16 numbers each", Map: &m,
		Caption: "The first numbers change from position to position, the last hardly at all: together they tell places apart."}
}

// nearnessBench compares words by their vectors.
var nearnessBench = Bench{
	Meaning: "words in the plane: distance and cosine similarity of each pair",
	Params: []Param{
		{Name: "words", Meaning: "2 to 16 words, in pairs", Default: "", Needed: true},
		{Name: "vectors", Meaning: "two numbers for each word", Default: []float64(nil), Needed: true},
	},
	Run: runNearness,
}

func runNearness(a Args) (*Shown, error) {
	words, v := strings.Fields(a.Text("words")), a.List("vectors")
	if len(words) < 2 || len(words) > 16 || len(words)%2 != 0 || len(v) != 2*len(words) {
		return nil, fmt.Errorf("%d words and %d numbers, want 2 to 16 words in pairs and two numbers for each",
			len(words),
			len(v))
	}
	s := &Shown{}
	t := Table{Name: "pairs", Title: "Pair by pair", Columns: []string{"pair", "distance", "cosine"}}
	points := chart.Series{Key: "word", Shape: chart.Points}
	f := &chart.Lines{X: chart.Axis{Label: "x", Unit: chart.Plain}, Y: chart.Axis{Label: "y", Unit: chart.Plain}}
	for i, w := range words {
		x, y := chart.Value(v[2*i]), chart.Value(v[2*i+1])
		if x == 0 && y == 0 {
			return nil, fmt.Errorf("%s has no direction: its vector is 0", w)
		}
		points.X, points.Y = append(points.X, x), append(points.Y, y)
		f.Marks = append(f.Marks, chart.Mark{Key: "word", X: x, Y: y, Label: w})
		most := max(f.X.High, x, -x, y, -y)
		f.X.Low, f.X.High, f.Y.Low, f.Y.High = -most, most, -most, most
		if i%2 == 0 {
			continue
		}
		of, other := v[2*i-2:2*i], v[2*i:2*i+2]
		far := math.Hypot(of[0]-other[0], of[1]-other[1])
		cos := (of[0]*other[0] + of[1]*other[1]) / math.Hypot(of[0], of[1]) / math.Hypot(other[0], other[1])
		n, pair := i/2+1, words[i-1]+" "+w
		s.add(fmt.Sprintf("distance[%d]", n), far, "", "distance of "+pair)
		s.add(fmt.Sprintf("cosine[%d]", n), cos, "", "cosine of the angle between "+pair)
		t.Rows = append(t.Rows, []string{pair, fixed(far, 2), fixed(cos, 3)})
	}
	for _, a := range []*chart.Axis{&f.X, &f.Y} { // room for the points farthest out, and their words
		a.Low, a.High = 1.1*a.Low, 1.1*a.High
	}
	s.Tables = []Table{t}
	s.Figures = []chart.Figure{{Name: "plane", Title: "Words in the plane", Lines: f,
		Caption: "Each word is a point. What two words differ in is a direction.",
		Keys:    []chart.Key{{ID: "word", Name: "a word", Ink: chart.Subject}}}}
	f.Series = []chart.Series{points}
	return s, nil
}
