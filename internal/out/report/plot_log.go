package report

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// logCharts are marks, CNPs, pauses and the use of links over time, of a run that has logged them.
func logCharts(d *Data) (out []chart.Figure) {
	l := d.Log
	if l == nil {
		return nil
	}
	marks := chart.Key{ID: "marks", Name: "ECN marks", Ink: chart.Marking}
	out = append(out, d.logCount(marks, "ECN marks over time", "Packets that were marked.", l.Marks,
		result.EventMark)...)
	cnps := chart.Key{ID: "cnps", Name: "CNPs", Ink: chart.Subject}
	out = append(out, d.logCount(cnps, "CNPs over time", "Congestion notifications that reached their senders.", l.CNPs,
		result.EventCNPReceived)...)
	out = append(out, d.heldChart()...)
	return append(out, d.useChart()...)
}

// logCount is a histogram of something that is counted.
func (d *Data) logCount(key chart.Key, title, caption string, counts []int64, kind string) []chart.Figure {
	most := slices.Max(counts)
	if most == 0 {
		return nil
	}
	s := chart.Series{Key: key.ID, Shape: chart.Filled}
	for i, n := range counts {
		s.X, s.Y = append(s.X, d.Log.at(i)), append(s.Y, chart.Value(n))
	}
	f := d.Log.figure(key, title, caption, s, d.End, kind)
	f.Lines.Y = chart.Axis{Label: key.Name, Whole: true, High: chart.Value(most) * 1.05}
	return []chart.Figure{f}
}

// heldChart is how many ports PFC held at a time.
func (d *Data) heldChart() []chart.Figure {
	l := d.Log
	if slices.Max(l.Held) == 0 {
		return nil
	}
	key := chart.Key{ID: "held", Name: "ports held", Ink: chart.Pausing}
	s, most := chart.Series{Key: key.ID, Shape: chart.Filled}, 0.0
	for i, held := range l.Held {
		ports := float64(held) / float64(l.width(i, d.End))
		most = max(most, ports)
		s.X, s.Y = append(s.X, l.at(i)), append(s.Y, rounded(ports))
	}
	f := l.figure(key, "Pauses over time", "How many ports PFC held, in the mean of a part.", s, d.End, result.EventPause)
	f.Name = "pauses"
	f.Lines.Y = chart.Axis{Label: key.Name, High: chart.Value(most) * 1.05}
	return []chart.Figure{f}
}

// useChart is the use of the busiest links.
func (d *Data) useChart() []chart.Figure {
	l := d.Log
	if len(l.Busiest) == 0 {
		return nil
	}
	inks := [busiestShown]chart.Ink{chart.Subject, chart.Highlight, chart.Other}
	f := chart.Figure{Name: "utilisation-over-time", Title: "The busiest links over time",
		Caption: fmt.Sprintf("The share of a part of the run in which the port was sending. The run in parts of %s.",
			l.Width.Human()),
		Lines: &chart.Lines{X: chart.Axis{Label: "time", Unit: chart.Time, High: chart.Value(d.End)},
			Y: chart.Axis{Label: "share of time sending", Unit: chart.Fraction, High: 1}}}
	for k, use := range l.Busiest {
		id := fmt.Sprintf("link%d", k+1)
		f.Keys = append(f.Keys, chart.Key{ID: id, Name: use.Port, Ink: inks[k]})
		s := chart.Series{Key: id, Shape: chart.Held}
		for i, busy := range use.Busy {
			s.X = append(s.X, l.at(i))
			s.Y = append(s.Y, rounded(float64(busy)/float64(l.width(i, d.End))))
		}
		f.Lines.Series = append(f.Lines.Series, s)
	}
	return []chart.Figure{f}
}

// at is where a part begins; width how long it is: the last ends with the run.
func (l *LogStats) at(i int) chart.Value { return chart.Value(unit.Duration(i) * l.Width) }

func (l *LogStats) width(i int, end unit.Time) unit.Duration {
	return min(l.Width, unit.Duration(end)-unit.Duration(i)*l.Width)
}

func (l *LogStats) figure(key chart.Key, title, caption string, s chart.Series, end unit.Time,
	kind string) chart.Figure {
	caption += fmt.Sprintf(" The run in parts of %s.", l.Width.Human())
	if n := l.LeftOut[kind]; n > 0 {
		caption += fmt.Sprintf(" The table of events leaves out %s: output.events_kept.", unit.CountOf(n, "event"))
	}
	return chart.Figure{Name: key.ID, Title: title, Caption: caption, Keys: []chart.Key{key},
		Lines: &chart.Lines{X: chart.Axis{Label: "time", Unit: chart.Time, High: chart.Value(end)},
			Series: []chart.Series{s}}}
}
