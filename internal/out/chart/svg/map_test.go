package svg

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/out/chart"
)

// element is a mark of a drawing.
type element struct {
	name string
	attr map[string]string
	tip  string
	text string
}

func (e *element) num(name string) float64 {
	v, _ := strconv.ParseFloat(e.attr[name], 64) // missing: 0, as SVG has it
	return v
}

// elements reads a drawing; it fails the test where that is not well-formed.
func elements(t *testing.T, d *Drawing) (out []*element) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(d.String()))
	var open []*element
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		switch k := tok.(type) {
		case xml.StartElement:
			e := &element{name: k.Name.Local, attr: map[string]string{}}
			for _, a := range k.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			open = append(open, e)
			out = append(out, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if n := len(open); n > 1 && open[n-1].name == "title" {
				open[n-2].tip = string(k)
			} else if n > 0 {
				open[n-1].text += string(k)
			}
		}
	}
}

// bounded checks that no line, box, ring or text of a map or graph lies outside, at all widths.
func bounded(t *testing.T, f *chart.Figure) {
	t.Helper()
	if err := chart.Check(f); err != nil {
		t.Fatal(err)
	}
	for _, w := range []float64{340, 620, 760, 1200} {
		d := Draw(f, w)
		inner := false
		for _, e := range elements(t, d) {
			x1, x2, y1, y2 := e.num("x"), e.num("x"), e.num("y"), e.num("y")
			switch {
			case e.attr["class"] == "area":
				inner = true // what follows up to its end is in its own units
				x2, y2 = x1+e.num("width"), y1+e.num("height")
			case e.name == "rect" && !inner:
				x2, y2 = x1+e.num("width"), y1+e.num("height")
			case e.name == "line":
				x1, x2 = min(e.num("x1"), e.num("x2")), max(e.num("x1"), e.num("x2"))
				y1, y2 = min(e.num("y1"), e.num("y2")), max(e.num("y1"), e.num("y2"))
			case e.name == "circle":
				r := e.num("r")
				x1, x2, y1, y2 = e.num("cx")-r, e.num("cx")+r, e.num("cy")-r, e.num("cy")+r
			case e.name == "text":
				inner = false
				wide := 0.85 * textWidth(e.text, e.num("font-size")) // the estimate is on the safe side
				switch {
				case e.attr["transform"] != "": // by 45 degrees, down to the left
					x1, y2 = x1-wide*0.71, y2+wide*0.71
				case e.attr["text-anchor"] == "end":
					x1 -= wide
				case e.attr["text-anchor"] == "middle":
					x1, x2 = x1-wide/2, x2+wide/2
				default:
					x2 += wide
				}
			default:
				continue
			}
			if x1 < -1 || x2 > d.W+1 || y1 < -1 || y2 > d.H+1 {
				t.Errorf("%s at %g: %s %v %q from %g, %g to %g, %g, outside %g x %g",
					f.Name, w, e.name, e.attr, e.text, x1, y1, x2, y2, d.W, d.H)
			}
		}
		if Draw(f, w).String() != d.String() {
			t.Errorf("%s at %g: two drawings differ", f.Name, w)
		}
	}
}

// queueMap is two groups of queues over 8 us.
func queueMap() *chart.Figure {
	row := func(v ...chart.Value) []chart.Value { return v }
	return &chart.Figure{Name: "queues", Title: "Queues", Map: &chart.Map{
		Value: chart.Axis{Label: "mean length", Unit: chart.Bytes, High: 1100}, RowName: "port",
		X:      &chart.Axis{Label: "time", Unit: chart.Time, High: 8e6},
		Rows:   []string{"rail1/host1", "rail1/host2", "spine1/rail1"},
		Cells:  [][]chart.Value{row(0, 100, 100, 1100), row(0, 0, 0, 0), row(chart.Nothing, 550, 50, 0)},
		Groups: []chart.Group{{Name: "rail to host", First: 0, Count: 2}, {Name: "spine to rail", First: 2, Count: 1}},
		Ringed: []chart.Cell{{Row: 0, Column: 3, Note: "greatest sample"}},
	}}
}

// A map has an area for each group, a unit for each cell in it, and a path for each colour
// in which neighbours are one run.
func TestMap(t *testing.T) {
	f := queueMap()
	bounded(t, f)
	got := ""
	for _, e := range elements(t, Draw(f, 620)) {
		switch {
		case e.attr["class"] == "area":
			got += fmt.Sprintf("area %s %s: %s\n", e.attr["data-first"], e.attr["data-count"], e.attr["viewBox"])
		case e.name == "path":
			got += fmt.Sprintf("  %s %s\n", e.attr["class"], e.attr["d"])
		case e.attr["pointer-events"] == "all":
			got += "  " + e.tip + "\n"
		case e.tip == "greatest sample":
			got += "ring\n"
		}
	}
	if want := `area 0 2: 0 0 4 2
  f-ramp-0 M1 0h2v1h-2z
  f-ramp-10 M3 0h1v1h-1z
  rail1/host1: at most 1.100 kB, from 6 us on
  rail1/host2: 0
area 2 1: 0 0 4 1
  f-paper M0 0h1v1h-1z
  f-ramp-0 M2 0h1v1h-1z
  f-ramp-5 M1 0h1v1h-1z
  spine1/rail1: at most 550 B, from 2 us on
ring
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The ring lies around its cell.
func TestMapRing(t *testing.T) {
	var area, ring *element
	for _, e := range elements(t, Draw(queueMap(), 620)) {
		switch {
		case e.attr["class"] == "area" && area == nil:
			area = e
		case e.tip == "greatest sample":
			ring = e
		}
	}
	left, right := area.num("x")+area.num("width")*3/4, area.num("x")+area.num("width")
	top, low := area.num("y"), area.num("y")+area.num("height")/2
	x, y := ring.num("x"), ring.num("y")
	if x > left || x < left-4 || x+ring.num("width") < right || y > top || y+ring.num("height") < low {
		t.Errorf("ring %v, want it around x %g to %g, y %s to %g", ring.attr, left, right, area.attr["y"], low)
	}
}

// A matrix is square; of many rows hosts are named instead.
func TestMatrix(t *testing.T) {
	m := &chart.Map{Value: chart.Axis{Label: "sent", Unit: chart.Bytes, High: 64}, RowName: "from", ColName: "to"}
	for i := range 64 {
		m.Rows = append(m.Rows, fmt.Sprintf("rank %d", i))
		m.Cells = append(m.Cells, make([]chart.Value, 64))
		m.Cells[i][(i+1)%64] = chart.Value(i + 1)
		if i%8 == 0 {
			m.Groups = append(m.Groups, chart.Group{Name: fmt.Sprintf("host%d", i/8+1), First: i, Count: 8})
		}
	}
	m.Columns = m.Rows
	f := &chart.Figure{Name: "traffic", Title: "Traffic", Map: m}
	bounded(t, f)
	d := Draw(f, 760)
	said := d.String()
	for _, e := range elements(t, d) {
		if e.attr["class"] == "area" && e.attr["width"] != e.attr["height"] {
			t.Errorf("%s x %s, want a square", e.attr["width"], e.attr["height"])
		}
	}
	if !strings.Contains(said, ">host8<") || strings.Contains(said, ">rank 8<") ||
		!strings.Contains(said, "rank 62: at most 63 B, to rank 63") {
		t.Error("64 ranks: want names of hosts at the sides, and ranks in the hovering texts")
	}
	m.Groups = nil
	if said = Draw(f, 760).String(); !strings.Contains(said, ">rank 8<") {
		t.Error("64 rows without groups: want the names of some")
	}
}

// Values below zero have a ramp of their own, as far as those above.
func TestSignedMap(t *testing.T) {
	row := func(v ...chart.Value) []chart.Value { return v }
	f := &chart.Figure{Name: "weights", Title: "Weights", Map: &chart.Map{
		Value: chart.Axis{Label: "weight", Unit: chart.Plain, Low: -2, High: 2}, RowName: "neuron", ColName: "input",
		Rows: []string{"1", "2"}, Columns: []string{"1", "2", "3"},
		Cells: [][]chart.Value{row(-2, -2, 2), row(-0.1, 0, chart.Nothing)},
	}}
	bounded(t, f)
	got := ""
	for _, e := range elements(t, Draw(f, 620)) {
		switch {
		case e.name == "path":
			got += fmt.Sprintf("%s %s\n", e.attr["class"], e.attr["d"])
		case e.attr["pointer-events"] == "all":
			got += e.tip + "\n"
		}
	}
	if want := `f-under-10 M0 0h2v1h-2z
f-under-0 M0 1h1v1h-1z
f-paper M2 1h1v1h-1z
f-ramp-10 M2 0h1v1h-1z
1: furthest from zero -2, input 1
2: furthest from zero -0.1, input 1
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	f.Map.Value.High = 3
	if err := chart.Check(f); err == nil {
		t.Error("values from -2 to 3 are no signed map")
	}
}

// What the rows are called has room, be their names shorter.
func TestMatrixOfShortNames(t *testing.T) {
	m := &chart.Map{Value: chart.Axis{Label: "weight", High: 1}, RowName: "position", ColName: "dimension",
		Rows: []string{"0", "1"}, Columns: []string{"0", "1"}, Cells: [][]chart.Value{{0, 1}, {1, 0}}}
	for _, e := range elements(t, Draw(&chart.Figure{Name: "m", Map: m}, 400)) {
		if e.text == m.RowName && e.num("x") < textWidth(e.text, tinySize) {
			t.Errorf("%q ends at %v, but is %v wide", e.text, e.num("x"), textWidth(e.text, tinySize))
		}
	}
}
