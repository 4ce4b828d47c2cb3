package report

import (
	"cmp"
	"fmt"
	"slices"

	"railyard/internal/chart"
	"railyard/internal/result"
	"railyard/internal/unit"
)

// eventCharts are marks and retransmissions by the time at which the messages that met
// them ended. CNPs follow marks, at most one in an interval: they have no chart.
func eventCharts(d *Data) (out []chart.Figure) {
	if d.Flows == nil || d.End <= 0 {
		return nil
	}
	bin := unit.Duration(d.End) / eventBins
	about := fmt.Sprintf(" The run in parts of %s; a message's count stands where it ended: the tables hold no finer time.", bin.Human())
	for _, e := range []struct {
		name, title, caption string
		ink                  chart.Ink
		of                   func(Event) int64
	}{
		{"marks", "ECN marks over time", "Data packets that arrived marked.", chart.Marking, func(e Event) int64 { return e.Marks }},
		{"retransmissions", "Retransmissions over time", "Packets that were sent again.", chart.Alarm, func(e Event) int64 { return e.Retransmits }},
	} {
		s, most := chart.Series{Key: e.name, Shape: chart.Filled}, int64(0)
		for i, ev := range d.Flows.Events {
			n := e.of(ev)
			most = max(most, n)
			s.X = append(s.X, chart.Value(float64(d.End)/eventBins*float64(i)))
			s.Y = append(s.Y, chart.Value(n))
		}
		if most == 0 {
			continue
		}
		out = append(out, chart.Figure{Name: e.name, Title: e.title, Caption: e.caption + about,
			Keys: []chart.Key{{ID: e.name, Name: e.name, Ink: e.ink}},
			Lines: &chart.Lines{X: chart.Axis{Label: "time", Unit: chart.Time, High: chart.Value(d.End)},
				Y: chart.Axis{Label: e.name, Whole: true, High: chart.Value(most) * 1.05}, Series: []chart.Series{s}}})
	}
	return out
}

// shownPorts is how many ports a chart or list of ports names.
const shownPorts = 12

// portCharts are the ports that marked, dropped, or were held by a pause most.
func portCharts(d *Data) (out []chart.Figure) {
	for _, p := range []struct {
		name, title, caption, key, axis string
		unit                            chart.Unit
		ink                             chart.Ink
		of                              func(*result.LinkRow) int64
		note                            func(*result.LinkRow) string
	}{
		{"marks-by-port", "ECN marks by port", "Set at the egress queue of the port.", "marks", "ECN marks", chart.Count, chart.Marking,
			func(l *result.LinkRow) int64 { return l.ECNMarks }, func(l *result.LinkRow) string { return unit.Count(l.ECNMarks) }},
		{"drops-by-port", "Drops by port", "Packets dropped at the egress queue of the port.", "drops", "drops", chart.Count, chart.Alarm,
			func(l *result.LinkRow) int64 { return l.Drops }, func(l *result.LinkRow) string { return unit.Count(l.Drops) }},
		{"held-by-port", "How long PFC held which port", "For how much of the run a class of the port was stopped, and by how many xOFF frames (refreshes included).",
			"held", "time held", chart.Time, chart.Pausing, func(l *result.LinkRow) int64 { return int64(l.Paused) },
			func(l *result.LinkRow) string {
				return l.Paused.Human() + ", " + unit.Count(l.PausesReceived) + " xOFF"
			}},
	} {
		rows := slices.DeleteFunc(slices.Clone(d.Links), func(l result.LinkRow) bool { return p.of(&l) <= 0 })
		if len(rows) == 0 {
			continue
		}
		slices.SortStableFunc(rows, func(a, b result.LinkRow) int { return cmp.Compare(p.of(&b), p.of(&a)) })
		f := chart.Figure{Name: p.name, Title: p.title, Caption: p.caption, Keys: []chart.Key{{ID: p.key, Name: p.axis, Ink: p.ink}},
			Bars: &chart.Bars{X: chart.Axis{Label: p.axis, Unit: p.unit, Whole: p.unit == chart.Count, High: chart.Value(p.of(&rows[0]))}}}
		if n := len(rows); n > shownPorts {
			f.Caption += fmt.Sprintf(" The first %d of %s ports.", shownPorts, unit.Count(int64(n)))
			rows = rows[:shownPorts]
		}
		for i := range rows {
			f.Bars.Rows = append(f.Bars.Rows, chart.Bar{Label: rows[i].Port, Note: p.note(&rows[i]),
				Parts: []chart.Part{{Key: p.key, Value: chart.Value(p.of(&rows[i]))}}})
		}
		out = append(out, f)
	}
	return out
}
