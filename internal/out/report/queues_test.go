package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

func matrix(row ...chart.Value) [][]chart.Value { return [][]chart.Value{row} }

// A queue that is full for one sample shows so, however wide a column is; one that
// stands keeps its length until the next row.
func TestQueueColumns(t *testing.T) {
	s := Span{From: 0, To: queueColumns * 1000}
	f := newFiller(&s, queueColumns)
	f.rank(70)
	f.sample(10_000, 70)
	f.sample(10_001, 5)
	f.sample(20_500, 0)
	f.end()
	for c, want := range map[int]Extent{
		0: {}, 9: {}, 10: {5, 70, 5.065, 6, 6, 6, 6}, 15: {5, 5, 5, 5, 5, 5, 5}, 20: {0, 5, 2.5, 0, 0, 5, 5}, 21: {}, queueColumns - 1: {},
	} {
		if s.Columns[c] != want {
			t.Errorf("column %d: %v, want %v", c, s.Columns[c], want)
		}
	}
}

// Columns of a span that they do not divide evenly: every instant is in one, in order.
func TestQueueEdges(t *testing.T) {
	s := Span{From: 7, To: 7 + 100, Columns: make([]Extent, 33)}
	for at := s.From; at < s.To; at++ {
		if c := s.column(at); at < s.edge(c) || at >= s.edge(c+1) {
			t.Errorf("%d is in column %d, from %d to %d", at, c, s.edge(c), s.edge(c+1))
		}
	}
	if s.edge(0) != s.From || s.edge(33) != s.To {
		t.Errorf("columns from %d to %d, want %d to %d", s.edge(0), s.edge(33), s.From, s.To)
	}
}

// The length below which the deepest queue was for 99 % of the time is a rule, where the summary
// has that queue.
func TestQueueP99(t *testing.T) {
	d := load(t, small(t, true))
	other := result.QueueFigures{Port: d.Queue.Port, Class: d.Queue.Class + 1, P99: 7}
	d.Summary.Queues = []result.QueueFigures{other, {Port: d.Queue.Port, Class: d.Queue.Class, P99: 41_000}}
	rules := checked(t, queueCharts(d))[0].Lines.Rules
	if len(rules) != 1 || rules[0].At != 41_000 || rules[0].Along != "y" {
		t.Errorf("rules %+v, want one at 41 kB", rules)
	}
	d.Summary.Queues = d.Summary.Queues[:1]
	if rules = queueCharts(d)[0].Lines.Rules; len(rules) > 0 {
		t.Errorf("rules %+v of another priority", rules)
	}
}

// The deepest queue, over its marking and pausing zones where these are near.
func TestQueueCharts(t *testing.T) {
	d := load(t, small(t, true))
	f := checked(t, queueCharts(d))
	if len(f) != 1 {
		t.Fatalf("%d figures, want 1: the run is short", len(f))
	}
	l, got := f[0].Lines, ""
	for _, z := range l.Zones {
		got += fmt.Sprintf("%s %v to %v; ", z.Key, z.From, z.To)
	}
	if want := "marking 800000 to NaN; pausing 457293 to NaN; "; got != want {
		t.Errorf("zones %s, want %s", got, want)
	}
	if want := chart.Value(1.05 * 900e3); l.Y.High != want {
		t.Errorf("axis to %v, want %v: WRED max, 3.2 MB, would flatten the queue", l.Y.High, want)
	}
	if len(l.Series) != 3 || l.Series[0].Key != "greatest" {
		t.Fatalf("%d series, want the greatest, 90 %%, and the queue over both", len(l.Series))
	}
	greatest, wide, s := l.Series[0], l.Series[1], l.Series[2]
	if n := len(s.X); n != queueColumns || s.X[0] != 0 {
		t.Errorf("%d values from %v, want %d from 0", n, s.X[0], queueColumns)
	}
	most := chart.Value(0)
	for i := range s.X {
		most = max(most, greatest.Y[i])
		in := []chart.Value{wide.Low[i], s.Low[i], s.High[i], wide.High[i], greatest.Y[i]}
		if !slices.IsSorted(in) || s.Y[i] > greatest.Y[i] {
			t.Errorf("at %v: mean %v, bands and greatest %v", s.X[i], s.Y[i], in)
		}
	}
	if most != 900e3 {
		t.Errorf("at most %v, want 900 kB", most)
	}
}

// Thresholds far above the queue are said, not drawn; a queue of a few packets is no figure.
func TestQueueThresholds(t *testing.T) {
	d := load(t, small(t, true))
	d.Queue.Max = 100 * unit.Kilobyte
	f := checked(t, queueCharts(d))[0]
	want := "Above this plot begin marking (WRED 800 kB to 3.200 MB) and pausing (xOFF at most 457.3 kB)."
	if len(f.Lines.Zones) > 0 || len(f.Keys) != 2 || !strings.HasSuffix(f.Caption, want) {
		t.Errorf("zones %v, caption %q", f.Lines.Zones, f.Caption)
	}
	d.Queue.Class = 7
	if f = queueCharts(d)[0]; !strings.HasSuffix(f.Caption, "This priority has neither ECN nor PFC.") {
		t.Errorf("caption %q", f.Caption)
	}
	d.Queue.Max = shallow - 1
	if got := queueCharts(d); len(got) > 0 {
		t.Errorf("%d figures of a queue of a few packets", len(got))
	}
}

// queuesOf are queues of ports with so much at most, all of the time.
func queuesOf(d *Data, all map[string]unit.Bytes) {
	var rows []QueueSeries
	for port, most := range all {
		q := QueueSeries{Port: port, Class: d.Settings.DataClass, Max: most, PeakAt: 10, Whole: Span{To: d.End}}
		f := newFiller(&q.Whole, mapColumns)
		f.sample(0, most)
		f.at, f.v = 0, most
		f.sample(d.End, most)
		f.end()
		rows = append(rows, q)
	}
	sortQueues(rows)
	d.QueueMap = mapOf(rows)
}

// The map groups queues by direction, rings the deepest, and says what it leaves out.
func TestQueueMap(t *testing.T) {
	d := leaves(2, 2)
	d.End = 1600
	queuesOf(d, map[string]unit.Bytes{
		"leaf2/host10": 100e3, "leaf2/host9": 90e3, "spine1/leaf2": 50e3, "leaf1/spine2": 60e3,
	})
	f := checked(t, queueMapChart(d))[0]
	want := "[leaf2/host9 leaf2/host10 leaf1/spine2 spine1/leaf2] " +
		"[{leaf to host 0 2} {leaf to spine 2 1} {spine to leaf 3 1}] [{1 1 greatest sample: 100 kB at 10 ps}]"
	if got := fmt.Sprint(f.Map.Rows, f.Map.Groups, f.Map.Ringed); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if c := f.Map.Cells; c[0][0] != 90e3 || c[0][mapColumns-1] != 90e3 {
		t.Errorf("host9: %v to %v, want 90 kB throughout", c[0][0], c[0][mapColumns-1])
	}
	many := map[string]unit.Bytes{"leaf1/host1": 100e3}
	for i := range 60 {
		many[fmt.Sprintf("leaf2/host%d", i+1)] = unit.Bytes(9000 - 100*i)
	}
	queuesOf(d, many)
	if m := d.QueueMap; len(m.Rows) != mapRows || m.Left != 21 || m.LeftMost != 5100 {
		t.Errorf("61 queues: %d rows, %d left of at most %v, want %d, 21 of 5.1 kB", len(m.Rows),
			m.Left, m.LeftMost, mapRows)
	}
	if got := queueMapChart(d); len(got) > 0 {
		t.Error("a map of one deep queue in a small network is drawn: the queue has a figure of its own")
	}
	large := leaves(9, 2)
	large.End, large.QueueMap = d.End, d.QueueMap
	want = "21 more queues are not shown: none of them ever held more than 5.100 kB."
	if got := checked(t, queueMapChart(large)); len(got) != 1 || !strings.HasSuffix(got[0].Caption, want) {
		t.Errorf("large network: %+v", got)
	}
}
