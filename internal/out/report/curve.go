package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
)

// Curve is one figure of runs over a key of the scenario whose value was changed.
type Curve struct {
	Name, Title, Caption string
	Key                  string   // of the scenario
	Values               []string // that it had, as a scenario has them
	Label                string   // of what the points measure
	Unit                 chart.Unit
	Band                 string // what reaches from Low to High; "": points have no spread
	Lines                []CurveLine
	Sparse               bool // a value without a point was not tried: lines go on past it
}

// CurveLine is what one combination of the other keys came to.
type CurveLine struct {
	Name   string
	Points []CurvePoint // one for each of Values
}

// CurvePoint is the median of some runs, and between what most of them lie. Without
// figures all three are Nothing.
type CurvePoint struct{ Median, Low, High chart.Value }

// NoPoint is where no run has the figure.
var NoPoint = CurvePoint{chart.Nothing, chart.Nothing, chart.Nothing}

// How many lines are drawn with their bands, and how many as lines at all: of more the
// medians are a map.
const (
	bandedLines = 3
	drawnLines  = 8
)

// Figure draws the curve: over an axis where the values are quantities, as bars where they
// are words, and as a map where there are more lines than colours.
func (c *Curve) Figure() chart.Figure {
	f := chart.Figure{Name: c.Name, Title: c.Title, Caption: c.Caption}
	axis, at, ok := KeyAxis(c.Key, c.Values)
	switch {
	case len(c.Lines) > drawnLines:
		f.Map = c.asMap()
		f.Caption = sentences(f.Caption, "A cell is the median.")
	case ok:
		c.drawLines(&f, axis, at)
	default:
		c.drawBars(&f)
	}
	return f
}

func (c *Curve) drawLines(f *chart.Figure, axis chart.Axis, at []chart.Value) {
	order := make([]int, 0, len(at))
	var words []string
	for i, v := range at {
		if v.None() {
			words = append(words, c.Values[i])
			continue
		}
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at[a], at[b]) })
	f.Lines = &chart.Lines{X: axis, Y: chart.Axis{Label: c.Label, Unit: c.Unit, High: c.most() * 1.05}}
	for n, line := range c.Lines {
		s := chart.Series{Key: fmt.Sprintf("line%d", n), Shape: chart.Curve}
		for _, i := range order {
			p := line.Points[i]
			if c.Sparse && p.Median.None() {
				continue
			}
			s.X, s.Y = append(s.X, at[i]), append(s.Y, p.Median)
			s.Low, s.High = append(s.Low, p.Low), append(s.High, p.High)
		}
		if c.Band == "" || len(c.Lines) > bandedLines {
			s.Low, s.High = nil, nil
		}
		f.Keys = append(f.Keys, chart.Key{ID: s.Key, Name: line.Name, Ink: c.ink(n)})
		f.Lines.Series = append(f.Lines.Series, s)
		for _, i := range order {
			if v := line.Points[i].Median; len(c.Lines) == 1 && !v.None() {
				f.Lines.Marks = append(f.Lines.Marks, chart.Mark{Key: s.Key, X: at[i], Y: v,
					Label: c.Values[i] + ": " + c.Unit.Text(v)})
			}
		}
	}
	if c.Band != "" && len(c.Lines) <= bandedLines {
		f.Caption = sentences(f.Caption, "Line: median; band: "+c.Band+".")
	} else if c.Band != "" {
		f.Caption = sentences(f.Caption, "Line: median.")
	}
	if len(words) > 0 {
		f.Caption = sentences(f.Caption, "Not on this axis: "+strings.Join(words, ", ")+".")
	}
}

func (c *Curve) drawBars(f *chart.Figure) {
	f.Bars = &chart.Bars{X: chart.Axis{Label: c.Label, Unit: c.Unit, High: c.most()}}
	reach := false
	for i, value := range c.Values {
		for n, line := range c.Lines {
			p := line.Points[i]
			if p.Median.None() {
				continue
			}
			key := fmt.Sprintf("line%d", n)
			bar := chart.Bar{Label: value, Note: c.Unit.Text(p.Median), Parts: []chart.Part{{Key: key,
				Value: p.Median}}}
			if len(c.Lines) > 1 {
				bar.Group, bar.Label = value, line.Name
			}
			if c.Band != "" && p.High > p.Median {
				bar.Reach, reach = &chart.Part{Key: "reach", Value: p.High, Note: c.Band}, true
			}
			f.Bars.Rows = append(f.Bars.Rows, bar)
			if !slices.ContainsFunc(f.Keys, func(k chart.Key) bool { return k.ID == key }) {
				f.Keys = append(f.Keys, chart.Key{ID: key, Name: line.Name, Ink: c.ink(n)})
			}
		}
	}
	if reach {
		f.Keys = append(f.Keys, chart.Key{ID: "reach", Name: "95th percentile", Ink: chart.Highlight})
		f.Caption = sentences(f.Caption, "Bar: median.")
	}
}

func (c *Curve) asMap() *chart.Map {
	m := &chart.Map{Columns: c.Values, ColName: c.Key, RowName: "variant"}
	for _, line := range c.Lines {
		row := make([]chart.Value, len(c.Values))
		for i, p := range line.Points {
			row[i] = p.Median
		}
		m.Rows, m.Cells = append(m.Rows, line.Name), append(m.Cells, row)
	}
	m.Value = sequential(c.Label, c.Unit, m.Cells)
	return m
}

// ink is that of the only line, or of the nth.
func (c *Curve) ink(n int) chart.Ink {
	if len(c.Lines) == 1 {
		return chart.Subject
	}
	return chart.InkOfRun(n)
}

func (c *Curve) most() chart.Value {
	most := chart.Value(0)
	for _, line := range c.Lines {
		for _, p := range line.Points {
			for _, v := range []chart.Value{p.Median, p.High} {
				if !v.None() {
					most = max(most, v)
				}
			}
		}
	}
	if most == 0 {
		return 1
	}
	return most
}

// keyUnits are in what quantities of a scenario count on an axis. Lengths are drawn in metres.
var keyUnits = map[string]chart.Unit{"number": chart.Plain, "time": chart.Time, "rate": chart.Bitrate,
	"bytes":  chart.Bytes,
	"length": chart.Plain}

// KeyAxis is an axis for the values of a key, which stand at it as they are if they are few, and where each lies on it: Nothing for a
// word such as none or auto. It is logarithmic where they grow by factors. ok is false where fewer than
// two are different quantities.
func KeyAxis(key string, texts []string) (axis chart.Axis, at []chart.Value, ok bool) {
	values, ok := quantitiesOf(texts)
	if !ok {
		return axis, nil, false
	}
	axis = chart.Axis{Label: key, Low: chart.Value(math.Inf(1)), High: chart.Value(math.Inf(-1)), Whole: true}
	for _, v := range values {
		x := chart.Value(v.v)
		switch v.kind {
		case "":
			at = append(at, chart.Nothing)
			continue
		case "length":
			x, axis.Label = x/chart.Value(unit.Metre), key+" (m)"
		}
		axis.Unit = keyUnits[v.kind]
		axis.Low, axis.High = min(axis.Low, x), max(axis.High, x)
		axis.Whole = axis.Whole && axis.Unit == chart.Plain && float64(x) == math.Trunc(float64(x))
		at = append(at, x)
	}
	if axis.Low == axis.High {
		return axis, nil, false
	}
	if tried, names := stops(at, texts); len(tried) <= mostStops {
		axis.Stops, axis.Stopped, axis.Label = tried, names, key
	}
	if axis.Log = axis.Low > 0 && axis.High >= 8*axis.Low; axis.Log {
		axis.Low, axis.High = axis.Low*0.9, axis.High*1.1
		return axis, at, true
	}
	room := (axis.High - axis.Low) * 0.04
	if axis.Low >= 0 {
		axis.Low = max(0, axis.Low-room)
	} else {
		axis.Low -= room
	}
	axis.High += room
	return axis, at, true
}

// mostStops is how many values have ticks of their own: of a sample of hundreds round numbers say more.
const mostStops = 24

// stops orders the values that lie on an axis, each once, as it is first called.
func stops(at []chart.Value, texts []string) (values []chart.Value, names []string) {
	for i, v := range at {
		if v.None() {
			continue
		}
		k, known := slices.BinarySearch(values, v)
		if !known {
			values, names = slices.Insert(values, k, v), slices.Insert(names, k, texts[i])
		}
	}
	return values, names
}

// Capital makes the first letter of a name that of a title.
func Capital(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// sentences puts a blank between those that are not empty.
func sentences(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), " ")
}

// Quantities reports whether values of a key lie on an axis: two of them or more are different
// quantities of one kind.
func Quantities(texts []string) bool {
	_, _, ok := KeyAxis("", texts)
	return ok
}
