package report

import (
	"fmt"
	"math"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
)

// kindInks tells the kinds of messages apart: the first is what the run is about.
var kindInks = []chart.Ink{chart.Subject, chart.Other, chart.Marking}

// completionChart is which share of the messages of a kind took at most so long.
func completionChart(d *Data) []chart.Figure {
	if d.Flows == nil {
		return nil
	}
	main := d.Flows.Main()
	kinds := []string{main}
	for _, k := range d.Flows.Kinds {
		if k != main {
			kinds = append(kinds, k)
		}
	}
	f := chart.Figure{Name: "completion", Title: "Completion times of messages",
		Caption: "The share of the completed messages that took at most so long.",
		Lines:   &chart.Lines{Y: chart.Axis{Label: "messages", Unit: chart.Fraction, High: 1}}}
	lo, hi := unit.Duration(math.MaxInt64), unit.Duration(0)
	grouped := false
	for _, k := range kinds {
		m := d.Flows.Of(k)
		if m.Done < 2 {
			continue
		}
		n := len(f.Keys)
		f.Keys = append(f.Keys, chart.Key{ID: k, Name: fmt.Sprintf("%s (%s)", k, unit.Count(m.Done)), Ink: kindInks[n]})
		lo, hi = min(lo, m.Quantile(0)), max(hi, m.Longest)
		grouped = grouped || m.Done > exactTimes
		f.Lines.Series = append(f.Lines.Series, m.distribution(k))
		f.Lines.Marks = append(f.Lines.Marks, m.quantileMarks(k)...)
	}
	if len(f.Keys) == 0 || lo == hi {
		return nil
	}
	f.Lines.X = distributionAxis("completion time", lo, hi)
	for i := range f.Lines.Series { // a share holds from the first time on: before it is none
		s := &f.Lines.Series[i]
		s.X, s.Y = append([]chart.Value{f.Lines.X.Low}, s.X...), append([]chart.Value{0}, s.Y...)
	}
	if grouped {
		f.Caption += " To draw so many, times are rounded up by at most 2 %."
	}
	return []chart.Figure{f}
}

// distributionAxis is an axis for times from lo to hi: of wide ranges logarithmic.
func distributionAxis(label string, lo, hi unit.Duration) chart.Axis {
	a := chart.Axis{Label: label, Unit: chart.Time, Log: lo > 0 && hi > 8*lo}
	if a.Log {
		a.Low, a.High = chart.Value(lo)*0.95, chart.Value(hi)*1.05
		return a
	}
	room := chart.Value(hi-lo) * 0.06
	a.Low, a.High = max(0, chart.Value(lo)-room), chart.Value(hi)+room
	return a
}

// distribution is the share of messages by time, in at most shownColumns steps.
func (m *Messages) distribution(key string) chart.Series {
	s := chart.Series{Key: key, Shape: chart.Held}
	steps := m.Times.Steps()
	every := (len(steps) + shownColumns - 1) / shownColumns
	seen := int64(0)
	for i, t := range steps {
		seen += t.N
		if (i+1)%every == 0 || i == len(steps)-1 || i == 0 {
			s.X = append(s.X, chart.Value(min(t.At, m.Longest)))
			s.Y = append(s.Y, rounded(float64(seen)/float64(m.Done)))
		}
	}
	return s
}

// quantileMarks are the median and the 99th percentile on the curve.
func (m *Messages) quantileMarks(key string) (marks []chart.Mark) {
	last := ""
	for _, q := range []float64{0.5, 0.99} {
		at := m.Quantile(q)
		if at.Human() == last {
			continue
		}
		last = at.Human()
		marks = append(marks, chart.Mark{Key: key, X: chart.Value(at), Y: chart.Value(q),
			Label: fmt.Sprintf("p%.0f %s", q*100, last)})
	}
	return marks
}
