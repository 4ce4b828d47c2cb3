package svg

import (
	"strings"
	"testing"

	"railyard/internal/out/chart"
)

// A bar that is a mean goes on as a line to the most; where values are shares already, no
// share of the bar is said.
func TestReach(t *testing.T) {
	part := func(key string, v chart.Value) chart.Part { return chart.Part{Key: key, Value: v, Note: "of spine4"} }
	busiest := part("busiest", 0.9)
	f := &chart.Figure{Name: "utilisation", Title: "Use",
		Bars: &chart.Bars{X: chart.Axis{Unit: chart.Fraction, High: 1},
			Rows: []chart.Bar{{Label: "spine4", Parts: []chart.Part{part("mean", 0.5)},
				Reach: &busiest, Note: "90.0 %"}}},
		Keys: []chart.Key{
			{ID: "mean", Name: "mean over ports", Ink: chart.Subject},
			{ID: "busiest", Name: "the busiest of them", Ink: chart.Highlight},
		}}
	if err := chart.Check(f); err != nil {
		t.Fatal(err)
	}
	var bar, reach, note *element
	d := Draw(f, 620)
	for _, e := range elements(t, d) {
		switch {
		case e.tip == "spine4: mean over ports 50.0 %; of spine4":
			bar = e
		case e.tip == "spine4: the busiest of them 90.0 %; of spine4" && e.attr["y1"] == e.attr["y2"]:
			reach = e
		case e.text == "90.0 %":
			note = e
		}
	}
	if bar == nil || reach == nil || note == nil {
		t.Fatalf("bar %v, reach %v, note %v: want them all", bar, reach, note)
	}
	end, far := bar.num("x")+bar.num("width"), reach.num("x2")
	if x := reach.num("x1"); x < end || x > end+2 || note.num("x") < far {
		t.Errorf("bar to %g, line from %g to %g, note at %g: want one after the other", end, x, far, note.num("x"))
	}
	if whole := far - bar.num("x"); bar.num("width")/whole < 0.54 || bar.num("width")/whole > 0.56 {
		t.Errorf("bar of %s in %g, want five ninths", bar.attr["width"], whole)
	}
	if said := d.String(); strings.Contains(said, "100 %)") || !strings.Contains(said, ">mean over ports 50.0 %<") {
		t.Error("want the bar to say its value, not that it is all of itself")
	}
}
