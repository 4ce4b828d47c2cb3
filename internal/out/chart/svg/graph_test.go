package svg

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/out/chart"
)

// twoTiers is two hosts and a group of hosts under two leaves.
func twoTiers() *chart.Figure {
	side := func(port string, v chart.Value) chart.Side { return chart.Side{Port: port, Value: v, Mean: v} }
	g := &chart.Graph{Load: chart.Axis{Label: "utilisation", Unit: chart.Fraction, High: 1}, Tiers: []chart.Tier{
		{Name: "host", Nodes: []chart.Node{
			{ID: "host1", Label: "host1", Count: 1}, {ID: "rest", Label: "62 more hosts", Count: 62}}},
		{Name: "leaf", Nodes: []chart.Node{
			{ID: "leaf1", Label: "leaf1", Count: 1, Alert: "dropped 3 packets"},
			{ID: "leaf2", Label: "leaf2", Count: 1}}},
	}}
	g.Edges = []chart.Edge{
		{Low: "host1", High: "leaf1", Cables: 1, Up: side("host1/leaf1", 0.1), Down: side("leaf1/host1", 0.9)},
		{Low: "host1", High: "leaf2", Cables: 1, Up: side("host1/leaf2", 0), Down: side("", chart.Nothing)},
		{Low: "rest", High: "leaf2", Cables: 62, Up: side("host9/leaf2", 0.2), Down: side("leaf2/host9", 0.3)},
	}
	g.Edges[0].Down.Ringed = true
	g.Edges[2].Up.Held, g.Edges[2].Up.Note, g.Edges[2].Up.Mean = true, "host9/leaf2 held by PFC for 3 us", 0.05
	g.Ways = []chart.Way{{Key: "way", Nodes: []string{"host1", "leaf2", "rest"}, Label: "slow"}}
	return &chart.Figure{Name: "fabric", Title: "Fabric", Graph: g,
		Keys: []chart.Key{{ID: "way", Name: "slowest message", Ink: chart.Highlight}}}
}

// A half of an edge is the port of the node that it is at: the upper half of the first edge
// is the leaf's port, with nine times the load.
func TestGraph(t *testing.T) {
	f := twoTiers()
	bounded(t, f)
	var up, down, held, ring *element
	var casing, alert bool
	for _, e := range elements(t, Draw(f, 620)) {
		switch {
		case e.name == "line" && e.tip == "host1/leaf1: 10.0 %":
			up = e
		case e.name == "line" && e.tip == "leaf1/host1: 90.0 %":
			down = e
		case e.name == "line" && e.tip == "host9/leaf2: 20.0 % (busiest of 62; mean 5.0 %); host9/leaf2 held by PFC "+
			"for 3 us":
			held = e
		case e.name == "circle" && e.tip != "":
			ring = e
		case e.name == "line" && e.attr["class"] == "s-highlight" && e.num("stroke-width") > 5:
			casing = true
		case e.name == "rect" && e.tip == "leaf1 dropped 3 packets" && e.attr["class"] == "f-alarm":
			alert = true
		}
	}
	if up == nil || down == nil || held == nil || ring == nil || !casing || !alert {
		t.Fatalf("up %v, down %v, held %v, ring %v, casing %v, alert %v: want them all", up, down,
			held, ring, casing, alert)
	}
	if up.num("y1") <= down.num("y1") || up.num("y2") != down.num("y2") {
		t.Errorf("host's half from y %s to %s, leaf's from %s to %s: want the leaf on top, and both to the middle",
			up.attr["y1"], up.attr["y2"], down.attr["y1"], down.attr["y2"])
	}
	if up.attr["class"] != "s-ramp-4" || down.attr["class"] != "s-ramp-10" ||
		up.num("stroke-width") >= down.num("stroke-width") {
		t.Errorf("10 %%: %v, 90 %%: %v: want the first and the last colour of lines, and a wider line for more",
			up.attr, down.attr)
	}
	if y := ring.num("cy"); y <= down.num("y1") || y >= down.num("y2") {
		t.Errorf("ring at y %g, want it on the leaf's half, %s to %s", y, down.attr["y1"], down.attr["y2"])
	}
	if held.attr["stroke-dasharray"] == "" || up.attr["stroke-dasharray"] != "" {
		t.Error("want a dashed line where PFC held a port, and there alone")
	}
}

// A wide tier is staggered and numbered where the drawing is narrow, and named where it is not.
func TestGraphNames(t *testing.T) {
	tier := chart.Tier{Name: "host"}
	g := &chart.Graph{Load: chart.Axis{Unit: chart.Fraction, High: 1}}
	for i := range 32 {
		id := fmt.Sprintf("host%d", i+1)
		tier.Nodes = append(tier.Nodes, chart.Node{ID: id, Label: id, Count: 1})
		g.Edges = append(g.Edges, chart.Edge{Low: id, High: "switch", Cables: 1})
	}
	g.Tiers = []chart.Tier{tier, {Name: "leaf", Nodes: []chart.Node{{ID: "switch", Label: "switch", Count: 1}}}}
	f := &chart.Figure{Name: "fabric", Title: "Fabric", Graph: g}
	bounded(t, f)
	heights := map[float64]bool{}
	for _, e := range elements(t, Draw(f, 340)) {
		if e.name == "rect" && strings.HasPrefix(e.tip, "host") {
			heights[e.num("y")] = true
		}
	}
	if len(heights) != 2 {
		t.Errorf("32 hosts at 340 pixels lie at %d heights, want 2", len(heights))
	}
	narrow, wide := Draw(f, 340).String(), Draw(f, 1800).String()
	for _, n := range []string{">1<", ">32<", "host by number"} {
		if !strings.Contains(narrow, n) || strings.Contains(wide, n) {
			t.Errorf("%s: want it in the narrow drawing alone", n)
		}
	}
	if !strings.Contains(wide, ">host32<") {
		t.Error("want names where there is room")
	}
}
