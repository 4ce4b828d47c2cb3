package report

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
)

// trafficChart is the matrix of who sent how much to whom.
func trafficChart(d *Data) []chart.Figure {
	if d.Flows == nil || d.Flows.Traffic == nil || len(d.Flows.Traffic.Ends) < 3 {
		return nil // two ends: nothing to compare
	}
	return matrixFigure(d.Flows.Traffic)
}

// matrixFigure draws traffic, if there was some.
func matrixFigure(t *Traffic) []chart.Figure {
	if t == nil {
		return nil
	}
	m := &chart.Map{RowName: "from", ColName: "to"}
	var all, most unit.Bytes
	var from, to string
	inside := false
	for i, e := range t.Ends {
		m.Rows = append(m.Rows, e.Name)
		line := make([]chart.Value, len(t.Ends))
		for k, b := range t.Bytes[i] {
			line[k] = chart.Value(b)
			if b == 0 && e.Host == t.Ends[k].Host {
				line[k], inside = chart.Nothing, true
			}
			if all += b; b > most {
				most, from, to = b, e.Name, t.Ends[k].Name
			}
		}
		m.Cells = append(m.Cells, line)
	}
	if all == 0 {
		return nil
	}
	m.Columns, m.Groups = m.Rows, t.groups()
	m.Value = sequential("sent", chart.Bytes, m.Cells)
	f := chart.Figure{Name: "traffic", Title: "Who sent how much to whom", Map: m}
	f.Caption = fmt.Sprintf("Payload that went through the network, by %s, over the whole run: %s in all,"+
		" the most %s from %s to %s.", t.What, all.Human(), most.Human(), from, to)
	if inside && t.What != "host" {
		f.Caption += " Inside a host bytes go over NVLink, which no table counts."
	}
	return []chart.Figure{f}
}

// groups are the hosts, where some have several rows.
func (t *Traffic) groups() (all []chart.Group) {
	for i, e := range t.Ends {
		if n := len(all); n > 0 && all[n-1].Name == e.Host {
			all[n-1].Count++
			continue
		}
		all = append(all, chart.Group{Name: e.Host, First: i, Count: 1})
	}
	if len(all) == len(t.Ends) {
		return nil
	}
	return all
}

// sequential is the axis of a map's values: from nothing to the most or, where the most
// would hide the rest, logarithmic over four decades at most.
func sequential(label string, u chart.Unit, cells [][]chart.Value) chart.Axis {
	var all []chart.Value
	for _, row := range cells {
		for _, v := range row {
			if v > 0 { // not Nothing
				all = append(all, v)
			}
		}
	}
	a := chart.Axis{Label: label, Unit: u, High: 1}
	if len(all) == 0 {
		return a
	}
	slices.Sort(all)
	a.High = all[len(all)-1]
	if a.High > 20*all[len(all)/2] {
		a.Log, a.Low = true, 1
		for a.Low*10 <= max(all[0], a.High/1000) {
			a.Low *= 10
		}
	}
	return a
}
