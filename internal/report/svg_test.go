package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/result"
	"railyard/internal/unit"
)

// Every primitive of a drawing, and a frame with its axes.
func TestPrimitives(t *testing.T) {
	g := NewDrawing(200, 120, "a <title>", "a & b")
	g.Rect(1, 2, 3.14159, 4, blue, "tip <1>")
	g.Rect(1, 2, -3, 4, grey, "")
	g.Line(0, 0, 10, 10, 1.5, red, "4 3", "")
	g.Circle(5, 5, 2, green, "")
	g.Polyline([]Point{{0, 0}, {1, 0.005}, {2, -0.001}}, 2, orange)
	g.Area([]Point{{0, 0}, {1, 1}, {2, 0}}, purple, 0.25)
	g.Text(10, 20, 12, alignEnd, ink, "host1>rail1")
	g.Bold(10, 40, 12, alignStart, ink, "bold")
	g.Turned(10, 60, 11, -45, alignMiddle, muted, "turned")
	f := Frame{d: g, Left: 40, Top: 20, Right: 190, Bottom: 80, XHi: 2.5e9, YHi: 1e6}
	f.XAxis("time", timeUnit(2500*us))
	f.YAxis("length", byteUnit(unit.Megabyte))
	Legend(g, []Key{{Name: "box", Colour: blue}, {Name: "line", Colour: red, Dash: "-"}}, 0, 110, 60)
	golden(t, "primitives.svg", g.File())
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		n      int
		want   string
	}{
		{0, 10, 5, "[0 2 4 6 8 10]"}, {0, 1, 4, "[0 0.2 0.4 0.6000000000000001 0.8 1]"}, {0, 87.9, 5, "[0 20 40 60 80]"}, {115.1, 115.6, 5, "[115.10000000000001 115.2 115.30000000000001 115.4 115.5 115.60000000000001]"},
		{3, 3, 5, "[3]"}, {0, 0, 5, "[0]"}, {1, 2811, 6, "[500 1000 1500 2000 2500]"},
	} {
		if got := fmt.Sprint(ticks(c.lo, c.hi, c.n)); got != c.want {
			t.Errorf("%g to %g: %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
	for _, c := range []struct {
		v, step float64
		want    string
	}{{0.6000000000000001, 0.2, "0.6"}, {115.1, 0.05, "115.10"}, {20, 20, "20"}, {-1e-17, 0.5, "0.0"}} {
		if got := tickText(c.v, c.step); got != c.want {
			t.Errorf("tick %g at steps of %g: %q, want %q", c.v, c.step, got, c.want)
		}
	}
}

// A decimated series keeps the extremes of every column.
func TestDecimate(t *testing.T) {
	v := []float64{1, 5, 2, 2, math.NaN(), math.NaN(), 3, 9}
	got := decimate(v, 4)
	want := []column{{1, 5, 6, 2}, {2, 2, 4, 2}, {}, {3, 9, 12, 2}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	if n := len(decimate(v, 100)); n != len(v) {
		t.Errorf("%d columns of %d values, want one each", n, len(v))
	}
}

// A queue that is full for one sample shows so, however wide a column is; one that
// stands keeps its length until the next row.
func TestQueueColumns(t *testing.T) {
	s := Span{From: 0, To: queueColumns * 1000}
	f := newFiller(&s)
	f.sample(10_000, 70)
	f.sample(10_001, 5)
	f.sample(20_500, 0)
	f.sample(s.To, 0)
	for c, want := range map[int]Extent{0: {0, 0}, 9: {0, 0}, 10: {5, 70}, 15: {5, 5}, 20: {0, 5}, 21: {0, 0}, queueColumns - 1: {0, 0}} {
		if s.Columns[c] != want {
			t.Errorf("column %d: %v, want %v", c, s.Columns[c], want)
		}
	}
	if m := merge(s.Columns, queueColumns/2); len(m) != queueColumns/2 || m[5] != (Extent{5, 70}) {
		t.Errorf("merged: %d columns, %v", len(m), m[5])
	}
}

func TestHistogram(t *testing.T) {
	var few, many Histogram
	for i := range 100 {
		few.Add(unit.Duration(i+1) * us)
	}
	for i := range 2 * exactTimes {
		many.Add(unit.Duration(i+1) * us)
	}
	if got := few.Quantile(0.99); got != 99*us {
		t.Errorf("99 %% of 1..100 us: %v", got)
	}
	if got := many.Quantile(0.5); got < exactTimes*us || float64(got) > 1.016*float64(exactTimes*us) {
		t.Errorf("half of 1..%d us: %v, want at most 1/64 more than %d us", 2*exactTimes, got, exactTimes)
	}
}

// Every figure is well-formed at both widths, and nothing sticks out of it.
func TestFigures(t *testing.T) {
	d := load(t, small(t, true))
	all := Figures(d)
	var names []string
	for _, f := range all {
		names = append(names, f.Name)
		for _, w := range []float64{narrowFigure, wideFigure} {
			g := f.Draw(w)
			inside(t, fmt.Sprintf("%s at %g", f.Name, w), g)
		}
		first, again := f.Draw(wideFigure).File(), f.Draw(wideFigure).File()
		if first != again {
			t.Errorf("%s: two drawings differ", f.Name)
		}
	}
	if got, want := strings.Join(names, " "), "causes timeline critical-path step-time loss slowest-messages lost completion fabric utilisation queue-1 events ports"; got != want {
		t.Errorf("figures: %s, want %s", got, want)
	}
}

// inside checks the marks of a drawing against its edges.
func inside(t *testing.T, name string, g *Drawing) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(g.String()))
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		at := map[string]float64{}
		text := map[string]string{}
		for _, a := range e.Attr {
			at[a.Name.Local], _ = strconv.ParseFloat(a.Value, 64)
			text[a.Name.Local] = a.Value
		}
		lo, hi := at["x"], at["x"]
		switch e.Name.Local {
		case "rect":
			hi += at["width"]
		case "line":
			lo, hi = min(at["x1"], at["x2"]), max(at["x1"], at["x2"])
		case "text":
			s, err := dec.Token()
			if err != nil {
				t.Fatal(err)
			}
			w := 0.85 * textWidth(string(s.(xml.CharData)), at["font-size"]) // the estimate is on the safe side
			switch text["text-anchor"] {
			case "end":
				lo -= w
			case "middle":
				lo, hi = lo-w/2, hi+w/2
			default:
				hi += w
			}
		default:
			continue
		}
		if lo < -1 || hi > g.W+1 || at["y"] > g.H+1 || at["y"] < -1 {
			t.Errorf("%s: %s %v at %g to %g, y %g, outside %g x %g", name, e.Name.Local, text, lo, hi, at["y"], g.W, g.H)
		}
	}
}

// The page asks for nothing outside itself, runs no script, and takes names as text.
func TestPage(t *testing.T) {
	d := load(t, small(t, true))
	d.Summary.Name = `<img src="x">`
	d.Flows.Slowest[0].Name = `"><script>`
	var a, b bytes.Buffer
	if err := WritePage(&a, d); err != nil {
		t.Fatal(err)
	}
	if err := WritePage(&b, d); err != nil {
		t.Fatal(err)
	}
	page := a.String()
	if page != b.String() {
		t.Error("two pages of one run differ")
	}
	for _, s := range []string{"<script", "<img", "<link", "src=", "@import", "url(", "https:"} {
		if strings.Contains(strings.ReplaceAll(page, `&lt;img src=&#34;x&#34;&gt;`, ""), s) {
			t.Errorf("the page contains %q", s)
		}
	}
	if rest := strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, ""); strings.Contains(rest, "http:") {
		t.Error("the page names another address than the SVG namespace")
	}
	for _, s := range []string{"default-src &#39;none&#39;", "default-src 'none'"} {
		if strings.Contains(page, s) {
			return
		}
	}
	t.Error("the page has no content security policy")
}

// The busiest nodes are drawn where a tier is too wide, and the rest is counted.
func TestLargeFabric(t *testing.T) {
	var links []result.LinkRow
	for h := 1; h <= 300; h++ {
		host := fmt.Sprintf("host%d", h)
		links = append(links, result.LinkRow{Port: host + "/rail1", From: host, To: "rail1", Tier: result.TierHost, Utilisation: float64(h) / 300},
			result.LinkRow{Port: "rail1/" + host, From: "rail1", To: host, Tier: result.TierLeaf})
	}
	d := &Data{Summary: &result.Summary{}, Links: links}
	f := fabricFigure(d)[0]
	if !strings.Contains(f.Caption, "260 nodes left out") {
		t.Errorf("caption: %s", f.Caption)
	}
	g := f.Draw(narrowFigure)
	inside(t, "300 hosts", g)
	if !strings.Contains(g.String(), "host300 to rail1") || strings.Contains(g.String(), "host1 to rail1") {
		t.Error("the busiest hosts are not those drawn")
	}
	u := utilisationFigure(d)[0]
	inside(t, "300 hosts' links", u.Draw(narrowFigure))
}
