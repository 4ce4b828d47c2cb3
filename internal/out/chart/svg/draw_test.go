package svg

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/scripttest"
	"railyard/internal/base/sheet"
	"railyard/internal/base/shown"
	"railyard/internal/out/chart"
)

const us = chart.Value(1e6)

func causeKey(c cause.Cause) chart.Key {
	return chart.Key{ID: c.Column(), Name: c.String(), Meaning: c.Meaning(), Ink: chart.InkOf(c)}
}

// sampleBars is a step with all causes, and who is to blame.
func sampleBars(name string) *chart.Figure {
	f := &chart.Figure{Name: "bars", Title: "Where the time of a " + name + " went",
		Keys: []chart.Key{{ID: "other", Name: "other (2 causes)", Ink: chart.Other}},
		Bars: &chart.Bars{X: chart.Axis{Label: "time", Unit: chart.Time, High: 122 * us}}}
	whole := chart.Bar{Label: "critical path, mean over 3 " + name + "s", Note: "122 us",
		Parts: []chart.Part{{Key: "other", Value: 2 * us}}}
	for i, c := range cause.All() {
		f.Keys = append(f.Keys, causeKey(c))
		whole.Parts = append(whole.Parts, chart.Part{Key: c.Column(), Value: chart.Value(i+1) * us})
	}
	group := "Attributed to <" + name + ">"
	f.Bars.Rows = []chart.Bar{whole,
		{Group: group, Label: "cross traffic at rail1/host2", Note: "30 us, 24.6 %",
			Parts: []chart.Part{{Key: "queueing", Value: 20 * us, Note: "at rail1/host2"},
				{Key: "pause", Value: 10 * us}}},
		{Group: group, Label: "launch", Note: "1 us", Parts: []chart.Part{{Key: "compute", Value: us}}}}
	return f
}

// sampleLines has everything that Lines can have.
func sampleLines(name string) *chart.Figure {
	x := []chart.Value{0, 10 * us, 20 * us, 30 * us}
	return &chart.Figure{Name: "lines", Title: "Queue at " + name, Keys: []chart.Key{
		{ID: "q", Name: "queue of " + name, Ink: chart.Subject}, {ID: "p", Name: "samples", Ink: chart.Other},
		{ID: "h", Name: "counts", Ink: chart.InkOfRun(9)}, {ID: "m", Name: "marking", Ink: chart.Marking},
		{ID: "x", Name: "pausing", Ink: chart.Pausing}, {ID: "r", Name: "quantiles", Ink: chart.Reference},
		{ID: "k", Name: "peak", Ink: chart.Highlight}},
		Lines: &chart.Lines{X: chart.Axis{Label: "time", Unit: chart.Time, High: 40 * us},
			Y: chart.Axis{Label: "length", Unit: chart.Bytes, High: 1e6},
			Series: []chart.Series{
				{Key: "q", X: x, Y: []chart.Value{1e5, 5e5, chart.Nothing, 3e5},
					Low:  []chart.Value{0, 3e5, chart.Nothing, 2e5},
					High: []chart.Value{2e5, 9e5, chart.Nothing, 3e5}},
				{Key: "p", X: x, Y: []chart.Value{0, 1e6, 5e5, chart.Nothing}, Shape: chart.Points},
				{Key: "h", X: x, Y: []chart.Value{1e5, 0, 2e5, chart.Nothing}, Shape: chart.Filled},
				{Key: "h", X: x, Y: []chart.Value{1e5, 1e5, 2e5, 3e5}, Shape: chart.Held}},
			Zones: []chart.Zone{{Key: "m", From: 6e5, To: 8e5}, {Key: "x", From: 8e5, To: chart.Nothing}},
			Rules: []chart.Rule{{Key: "r", Along: "x", At: 30 * us, Label: "p90 30 us"},
				{Key: "r", Along: "x", At: 31 * us, Label: "p99 31 us"}, {Key: "r", Along: "y", At: 4e5}},
			Marks: []chart.Mark{{Key: "k", X: 10 * us, Y: 9e5, Label: "peak of " + name},
				{Key: "k", X: 39 * us, Y: 1e5, Label: "end"}, {Key: "k", X: 39 * us, Y: 1e5, Label: "same place"}}}}
}

func sampleLanes(name string) *chart.Figure {
	return &chart.Figure{Name: "lanes", Title: "Timeline of " + name, Keys: []chart.Key{
		{ID: "f", Name: "forward", Ink: chart.Forward}, {ID: "o", Name: "other", Ink: chart.OtherWork},
		{ID: "e", Name: "another step", Ink: chart.Outside}, {ID: "path", Name: "critical path", Ink: chart.Highlight}},
		Lanes: &chart.Lanes{X: chart.Axis{Label: "time since the step began", Unit: chart.Time, High: 100 * us},
			Lanes: []chart.Lane{
				{Group: "rank 0", Label: "compute", Spans: []chart.Span{
					{From: 0, To: 40 * us, Key: "f", Name: "forward of " + name},
					{From: 40 * us, To: 41 * us, Key: "o"}}},
				{Group: "rank 0", Label: "comm 1"},
				{Group: "rank 1", Label: "compute", Spans: []chart.Span{
					{From: 0, To: 20 * us, Key: "e", Name: "the step before"},
					{From: 20 * us, To: 100 * us, Key: "o", Name: "copy"}}}},
			Links: []chart.Link{{Key: "path", From: 0, At: 0, To: 0, Then: 40 * us},
				{Key: "path", From: 0, At: 40 * us, To: 2, Then: 60 * us},
				{Key: "path", From: 2, At: 70 * us, To: 2, Then: 100 * us}}}}
}

func samples(name string) []*chart.Figure {
	return []*chart.Figure{sampleBars(name), sampleLines(name), sampleLanes(name)}
}

// What drawings look like, mark by mark.
func TestDraw(t *testing.T) {
	for _, f := range samples("step") {
		if err := chart.Check(f); err != nil {
			t.Fatal(err)
		}
		file := Draw(f, 620).File()
		scripttest.Golden(t, f.Name+".svg", file)
		if file != Draw(f, 620).File() {
			t.Errorf("%s: two drawings differ", f.Name)
		}
	}
}

// Nothing sticks out of a drawing, at any width, whatever the names.
func TestWithin(t *testing.T) {
	for _, name := range []string{"step", "x", strings.Repeat("a-very-long-name/", 12)} {
		for _, f := range samples(name) {
			for _, w := range []float64{300, 340, 620, 760, 1200} {
				within(t, fmt.Sprintf("%s of %.6s at %g", f.Name, name, w), Draw(f, w))
			}
		}
	}
}

// within checks the marks of a drawing against its edges, those in an area against the area's.
func within(t *testing.T, name string, d *Drawing) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(d.String()))
	type box struct{ w, h float64 }
	var nested []box
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if e, ok := tok.(xml.EndElement); ok && e.Name.Local == "svg" {
			nested = nested[:len(nested)-1]
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		at, text := map[string]float64{}, map[string]string{}
		for _, a := range e.Attr {
			at[a.Name.Local], _ = strconv.ParseFloat(a.Value, 64)
			text[a.Name.Local] = a.Value
		}
		left, right, low := at["x"], at["x"], at["y"]
		switch e.Name.Local {
		case "rect", "svg":
			right, low = left+at["width"], low+at["height"]
		case "line":
			left, right, low = min(at["x1"], at["x2"]), max(at["x1"], at["x2"]), max(at["y1"], at["y2"])
		case "text":
			s, err := dec.Token()
			if err != nil {
				t.Fatal(err)
			}
			w := 0.85 * textWidth(string(s.(xml.CharData)), at["font-size"]) // the estimate is on the safe side
			switch text["text-anchor"] {
			case "end":
				left -= w
			case "middle":
				left, right = left-w/2, right+w/2
			default:
				right += w
			}
		default:
			continue
		}
		edge := box{d.W, d.H}
		if len(nested) > 0 {
			edge = nested[len(nested)-1]
		}
		if left < -1 || right > edge.w+1 || low > edge.h+1 || at["y"] < -1 {
			t.Errorf("%s: %s %v from %g to %g, down to %g, outside %g x %g", name, e.Name.Local, text, left,
				right, low, edge.w, edge.h)
		}
		if e.Name.Local == "svg" {
			nested = append(nested, box{at["width"], at["height"]})
		}
	}
}

// What a page's script changes to zoom in: the viewBox of the area, whose strokes keep their
// width, and the texts of the ticks, which are beside it.
func TestWhatScriptsRelyOn(t *testing.T) {
	s := Draw(sampleLines("step"), 620).String()
	_, area, found := strings.Cut(s, `<svg class="area" x="`)
	area, rest, closed := strings.Cut(area, "</svg>")
	if !found || !closed {
		t.Fatalf("no area in %s", s)
	}
	for _, want := range []string{`viewBox="0 0 `, `preserveAspectRatio="none"`} {
		if !strings.Contains(area, want) {
			t.Errorf("the area has no %s: %s", want, area)
		}
	}
	for line := range strings.Lines(area) {
		if strings.Contains(line, "stroke-width") && !strings.Contains(line, "non-scaling-stroke") {
			t.Errorf("a stroke would grow with the zoom: %s", line)
		}
	}
	if strings.Contains(area, "<text") {
		t.Error("a text would be stretched with the zoom")
	}
	root := `<svg xmlns="http://www.w3.org/2000/svg" class="chart" data-figure="lines"`
	if !strings.Contains(rest, `<g class="ticks-x">`) || !strings.HasPrefix(s, root) {
		t.Errorf("no ticks or no name in %s", s)
	}
}

// Lines of a hatching lie inside their rectangle, and meet those of the one beside it.
func TestHatch(t *testing.T) {
	for _, c := range []struct {
		style hatching
		want  string
	}{
		{rising, "M10 8L12 6M10 14L14 10"}, {falling, "M12 6L14 8M10 10L14 14"}, {upright, "M12 6L12 14"},
		{solid, ""}, {outlined, ""},
	} {
		d := &Drawing{}
		d.hatch(10, 6, 4, 8, c.style)
		_, got, _ := strings.Cut(d.b.String(), ` d="`)
		got, _, _ = strings.Cut(got, `"`)
		if got != c.want {
			t.Errorf("hatching %d: %q, want %q", c.style, got, c.want)
		}
	}
}

// A name that is too long loses its middle, and is dropped where nothing of it would be left.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		s     string
		width float64
		want  string
	}{{"rail1/host2", 200, "rail1/host2"}, {"rail1/host2", 50, "rail..st2"}, {"rail1/host2", 20, ""},
		{"x", 8, "x"}, {"", 0, ""}} {
		if got := fit(c.s, 10, c.width); got != c.want {
			t.Errorf("%q in %g: %q, want %q", c.s, c.width, got, c.want)
		}
	}
}

// What is said after a bar is never cut: the bars end where it has room. Shares of a bar may
// be of more than the bar.
func TestNotesAfterBarsAreWhole(t *testing.T) {
	const note = "124.3 ms, 24,499 xOFF"
	f := &chart.Figure{Name: "held", Title: "Held", Bars: &chart.Bars{
		X: chart.Axis{Label: "time", Unit: chart.Time, High: 100e9},
		Rows: []chart.Bar{{Label: "host1/rail1", Note: note, Of: 400e9, Parts: []chart.Part{
			{Key: "a", Value: 60e9}, {Key: "b", Value: 40e9}}}}},
		Keys: []chart.Key{{ID: "a", Name: "a", Ink: chart.Subject}, {ID: "b", Name: "b", Ink: chart.Pausing}}}
	for _, w := range []float64{340, 760} {
		d := Draw(f, w).String()
		if !strings.Contains(d, note) {
			t.Errorf("at %g the note is cut", w)
		}
		if !strings.Contains(d, "a 60 ms (15.0 %)") || strings.Contains(d, "60.0 %") {
			t.Errorf("at %g a share is not of the whole:\n%s", w, d)
		}
	}
}

// A long name is fitted in time by its length, not by its square: what is kept of it is looked at a
// few times.
func TestFitOfLongNames(t *testing.T) {
	name := strings.Repeat("spine-0123456789.", 2000)
	n := testing.AllocsPerRun(1, func() {
		if got := fit(name, smallSize, 200); textWidth(got, smallSize) > 200 || len(got) < 20 {
			t.Errorf("%d letters, %g wide", len(got), textWidth(got, smallSize))
		}
	})
	if n > 100 { // each trial of a length allocates
		t.Errorf("%g allocations: as many lengths are tried", n)
	}
	for _, s := range []string{name, "iiiiiiiiiiiiiiiiiiiiiiWWWWWWWWWWWWWWWWW", "abc", "\x1b[2J\u202e and more of it"} {
		for width := 0.0; width < 300; width += 7 {
			want := "" // the longest of all lengths that fits
			for n := min(len(shown.Text(s)), 120); n >= leastLetters && want == ""; n-- {
				if short := sheet.Shorten(shown.Text(s), n); textWidth(short, smallSize) <= width {
					want = short
				}
			}
			if textWidth(s, smallSize) <= width {
				want = shown.Text(s)
			}
			if got := fit(s, smallSize, width); got != want {
				t.Errorf("%.20q at %g: %q, want %q", s, width, got, want)
			}
		}
	}
}

// Names of lanes that belong to no group are whole in a narrow drawing: they stand above.
func TestNamesOfLanes(t *testing.T) {
	long := "network: own queueing 1.6 %"
	f := &chart.Figure{Name: "a", Title: "a", Keys: []chart.Key{{ID: "k", Name: "k", Ink: chart.Subject}},
		Lanes: &chart.Lanes{X: chart.Axis{Unit: chart.Time, High: 1000}, Lanes: []chart.Lane{
			{Label: long, Spans: []chart.Span{{To: 1000, Key: "k"}}}, {Label: "ideal"}}}}
	for _, w := range []float64{340, 1100} {
		if !strings.Contains(Draw(f, w).String(), ">"+long+"<") {
			t.Errorf("%g wide: the name is cut", w)
		}
	}
}
