package report

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
)

// fabricChart is the network, every port by its use.
func fabricChart(d *Data) []chart.Figure {
	path, slowest := d.slowestPath()
	f := newFabric(d.Links, path)
	if f == nil {
		return nil
	}
	hot := d.busiest()
	if hot == nil {
		return nil // nothing was sent
	}
	g := f.graph(hot)
	fig := chart.Figure{Name: "fabric", Title: "Fabric: how busy each port was", Graph: g}
	fig.Caption = "The half of a line at a node is that node's port: its colour says in how much of the run it sent."
	if f.folded {
		fig.Caption += " Where a line stands for many cables it shows the busiest of them."
	}
	if f.inside > 0 {
		fig.Caption += fmt.Sprintf(" Not drawn: %s between nodes that are drawn as one, used %s at most.",
			count(int64(f.inside), "port"), unit.Percent(f.insideMost))
	}
	fig.Caption += fmt.Sprintf(" Ringed: %s, %s", hot.Port, unit.Percent(hot.Utilisation))
	if n := asBusy(d.Links, hot); n > 0 {
		fig.Caption += fmt.Sprintf("; %s as busy", areMore(n, "port"))
	}
	fig.Caption += "."
	if way := f.way(path); len(way) > 1 {
		fig.Keys = append(fig.Keys, chart.Key{ID: "way", Name: "slowest message: " + slowest, Ink: chart.Highlight})
		g.Ways = []chart.Way{{Key: "way", Nodes: way, Label: slowest}}
	}
	if way := f.way(d.deadlocked()); len(way) > 2 {
		fig.Keys = append(fig.Keys, chart.Key{ID: "deadlock", Name: "PFC deadlock: ports that wait for each other", Ink: chart.Alarm})
		g.Ways = append(g.Ways, chart.Way{Key: "deadlock", Nodes: way, Label: "PFC deadlock"})
	}
	return []chart.Figure{fig}
}

// deadlocked is the nodes of ports that waited for each other in a circle, the first again at the end; nil: there were none.
func (d *Data) deadlocked() []string {
	if d.Summary.Deadlock == nil || len(d.Summary.Deadlock.Ports) == 0 {
		return nil
	}
	nodes := circle(d.Summary.Deadlock.Ports)
	return append(nodes, nodes[0])
}

// slowestPath is the nodes of the slowest completed message, and what it is called.
func (d *Data) slowestPath() (nodes []string, name string) {
	if d.Flows == nil || len(d.Flows.Slowest) == 0 {
		return nil, ""
	}
	row := &d.Flows.Slowest[0]
	return nodesOf(row.Path), row.Name + ", " + row.FCT.Human()
}
