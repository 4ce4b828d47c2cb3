package report

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// A curve rises at each time by the messages that took it, from nothing to all; quantiles lie on
// it.
func TestCompletionCurve(t *testing.T) {
	m := &Messages{}
	for _, took := range []unit.Duration{20 * us, 10 * us, 10 * us, 40 * us} {
		row := result.FlowRow{FCT: took}
		m.add(&row)
	}
	d := &Data{Flows: &FlowStats{Kinds: []string{result.KindJob}, ByKind: map[string]*Messages{result.KindJob: m}}}
	f := completionChart(d)[0]
	s := f.Lines.Series[0]
	if got := fmt.Sprint(s.X[1:], s.Y); got != "[1e+07 2e+07 4e+07] [0 0.5 0.75 1]" ||
		s.X[0] != f.Lines.X.Low || s.Shape != chart.Held {
		t.Errorf("curve %s from %v, shape %s", got, s.X[0], s.Shape)
	}
	var labels []string
	for _, k := range f.Lines.Marks {
		labels = append(labels, fmt.Sprintf("%s at %g", k.Label, k.Y))
	}
	if got := strings.Join(labels, ", "); got != "p50 10 us at 0.5, p99 40 us at 0.99" {
		t.Errorf("marks: %s", got)
	}
	long := &Messages{}
	for i := range exactTimes {
		row := result.FlowRow{FCT: unit.Duration(i + 1)}
		long.add(&row)
	}
	s = long.distribution("k")
	if n := len(s.X); n > shownColumns+2 || n < shownColumns/2 || s.X[0] != 1 ||
		s.X[n-1] != exactTimes || s.Y[n-1] != 1 {
		t.Errorf("%d points of %d times, from %v to %v (%v)", n, exactTimes, s.X[0], s.X[n-1], s.Y[n-1])
	}
}

// Ports stand in order of what they have most of; ports that have none are left out, and those
// beyond the first are counted.
func TestPortCharts(t *testing.T) {
	d := &Data{}
	for i := range 15 {
		d.Links = append(d.Links, result.LinkRow{Port: fmt.Sprintf("p%d", i), ECNMarks: int64(i)})
	}
	d.Links[3].Paused, d.Links[3].PausesReceived = 5*us, 7
	all := portCharts(d)
	if len(all) != 2 || all[0].Name != "marks-by-port" || all[1].Name != "held-by-port" {
		t.Fatalf("figures %+v", all)
	}
	rows := all[0].Bars.Rows
	if len(rows) != shownPorts || rows[0].Label != "p14" || rows[0].Note != "14" || rows[11].Label != "p3" {
		t.Errorf("%d rows, from %+v to %+v", len(rows), rows[0], rows[len(rows)-1])
	}
	if c := all[0].Caption; !strings.Contains(c, "The first 12 of 14 ports.") {
		t.Errorf("caption: %s", c)
	}
	if rows := all[1].Bars.Rows; len(rows) != 1 || rows[0].Note != "5 us, 7 xOFF" {
		t.Errorf("held: %+v", rows)
	}
}

// Marks stand where their messages ended; what did not happen has no figure.
func TestEventCharts(t *testing.T) {
	d := &Data{End: unit.Time(120 * us), Flows: &FlowStats{Events: make([]Event, eventBins)}}
	d.Flows.Events[60].Marks, d.Flows.Events[60].CNPs = 9, 1
	all := eventCharts(d)
	if len(all) != 1 || all[0].Name != "marks" {
		t.Fatalf("figures %+v", all)
	}
	if s := all[0].Lines.Series[0]; s.X[60] != 60e6 || s.Y[60] != 9 || s.Y[59] != 0 {
		t.Errorf("at %v: %v after %v", s.X[60], s.Y[60], s.Y[59])
	}
}
