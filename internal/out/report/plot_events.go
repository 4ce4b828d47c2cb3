package report

import (
	"cmp"
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// eventCharts are retransmissions, and marks where the run has not logged them, by the time at which
// the messages that met them ended. CNPs follow marks, at most one in an interval: they have no chart.
func eventCharts(d *Data) (out []chart.Figure) {
	if d.Flows == nil || d.End <= 0 {
		return nil
	}
	again := chart.Key{ID: "retransmissions", Name: "retransmissions", Ink: chart.Alarm}
	if d.Log == nil { // which knows when they were set
		marks := chart.Key{ID: "marks", Name: "ECN marks", Ink: chart.Marking}
		out = append(out, d.eventChart(marks, "ECN marks over time", "Data packets that arrived marked.",
			func(e *Event) int64 { return e.Marks })...)
	}
	return append(out, d.eventChart(again, "Retransmissions over time", "Packets that were sent again.",
		func(e *Event) int64 { return e.Retransmits })...)
}

func (d *Data) eventChart(key chart.Key, title, caption string, of func(*Event) int64) []chart.Figure {
	s, most := chart.Series{Key: key.ID, Shape: chart.Filled}, int64(0)
	for i := range d.Flows.Events {
		n := of(&d.Flows.Events[i])
		most = max(most, n)
		s.X = append(s.X, rounded(float64(d.End)/eventBins*float64(i)))
		s.Y = append(s.Y, chart.Value(n))
	}
	if most == 0 {
		return nil
	}
	each := unit.Duration(d.End) / eventBins
	caption += fmt.Sprintf(" The run in parts of %s; a message's count stands where it ended: the tables hold no "+
		"finer time.",
		each.Human())
	return []chart.Figure{{Name: key.ID, Title: title, Caption: caption, Keys: []chart.Key{key},
		Lines: &chart.Lines{X: chart.Axis{Label: "time", Unit: chart.Time, High: chart.Value(d.End)},
			Y: chart.Axis{Label: key.Name, Whole: true, High: chart.Value(most) * 1.05}, Series: []chart.Series{s}}}}
}

// shownPorts is how many ports a chart or list of ports names.
const shownPorts = 12

// portCharts are the ports that marked, dropped, or were held by a pause most.
func portCharts(d *Data) (out []chart.Figure) {
	number := func(n int64, _ *result.LinkRow) string { return unit.Count(n) }
	marks := chart.Key{ID: "marks", Name: "ECN marks", Ink: chart.Marking}
	out = append(out, d.portChart(marks, chart.Count, "ECN marks by port", "Set at the egress queue of the port.",
		func(l *result.LinkRow) int64 { return l.ECNMarks }, number)...)
	drops := chart.Key{ID: "drops", Name: "drops", Ink: chart.Alarm}
	out = append(out, d.portChart(drops, chart.Count, "Drops by port",
		"Packets dropped at the egress queue of the port.",
		func(l *result.LinkRow) int64 { return l.Drops }, number)...)
	held := chart.Key{ID: "held", Name: "time held", Ink: chart.Pausing}
	return append(out, d.portChart(held, chart.Time, "How long PFC held which port",
		"For how much of the run a class of the port was stopped, and by how many xOFF frames (refreshes included).",
		func(l *result.LinkRow) int64 { return int64(l.Paused) },
		func(n int64, l *result.LinkRow) string {
			return unit.Duration(n).Human() + ", " + unit.Count(l.PausesReceived) + " xOFF"
		})...)
}

// portChart has a bar for each of the ports that have most of something.
func (d *Data) portChart(key chart.Key, u chart.Unit, title, caption string, of func(*result.LinkRow) int64,
	note func(int64, *result.LinkRow) string) []chart.Figure {
	rows := slices.DeleteFunc(slices.Clone(d.Links), func(l result.LinkRow) bool { return of(&l) <= 0 })
	if len(rows) == 0 {
		return nil
	}
	slices.SortStableFunc(rows, func(a, b result.LinkRow) int { return cmp.Compare(of(&b), of(&a)) })
	most := chart.Value(of(&rows[0]))
	f := chart.Figure{Name: key.ID + "-by-port", Title: title, Caption: caption, Keys: []chart.Key{key},
		Bars: &chart.Bars{X: chart.Axis{Label: key.Name, Unit: u, Whole: u == chart.Count, High: most}}}
	if n := len(rows); n > shownPorts {
		f.Caption += fmt.Sprintf(" The first %d of %s ports.", shownPorts, unit.Count(int64(n)))
		rows = rows[:shownPorts]
	}
	for i := range rows {
		n := of(&rows[i])
		f.Bars.Rows = append(f.Bars.Rows, chart.Bar{Label: rows[i].Port, Note: note(n, &rows[i]),
			Parts: []chart.Part{{Key: key.ID, Value: chart.Value(n)}}})
	}
	return []chart.Figure{f}
}
