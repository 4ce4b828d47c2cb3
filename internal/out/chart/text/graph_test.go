package text

import (
	"testing"

	"railyard/internal/out/chart"
)

// A graph is its tiers, its busiest ports and the paths; what was idle is not listed.
func TestGraph(t *testing.T) {
	side := func(port string, v, mean chart.Value) chart.Side { return chart.Side{Port: port, Value: v, Mean: mean} }
	g := &chart.Graph{Load: chart.Axis{Label: "utilisation", Unit: chart.Fraction, High: 1}, Tiers: []chart.Tier{
		{Name: "host", Nodes: []chart.Node{
			{ID: "host1", Label: "host1", Count: 1}, {ID: "rest", Label: "62 more hosts", Count: 62}}},
		{Name: "leaf", Nodes: []chart.Node{{ID: "leaf1", Label: "leaf1", Count: 1, Alert: "dropped 3 packets"}}},
	}, Ways: []chart.Way{{Key: "way", Nodes: []string{"host1", "leaf1", "rest"}}}}
	g.Edges = []chart.Edge{
		{Low: "host1", High: "leaf1", Cables: 1, Up: side("host1/leaf1", 0.25, 0.25), Down: side("leaf1/host1", 0, 0)},
		{Low: "rest", High: "leaf1", Cables: 62, Up: side("host9/leaf1", 0.9, 0.1),
			Down: side("", chart.Nothing, chart.Nothing)},
	}
	g.Edges[1].Up.Note = "host9/leaf1 held by PFC for 3 us"
	f := &chart.Figure{Name: "fabric", Graph: g,
		Keys: []chart.Key{{ID: "way", Name: "slowest message: flow1, 3 us", Ink: chart.Highlight}}}
	if got, want := drawn(f, 110), `  leaf       leaf1 (dropped 3 packets)
  host       host1, 62 more hosts
  host9/leaf1  90.0 %  ######################  host9/leaf1 held by PFC for 3 us; mean of its like 10.0 %
  host1/leaf1  25.0 %  ######
  slowest message: flow1, 3 us: host1 > leaf1 > rest
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
