package report

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/qos"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// thresholds is what acts on a queue.
type thresholds struct {
	marks     bool
	marking   qos.Marking
	pauses    bool
	low, high unit.Bytes // xOFF of the switch's ingress ports, while the buffer is empty
	fixed     bool       // xOFF does not fall as the buffer fills
	missing   string     // why one of them does not act
}

func (d *Data) thresholds(q *QueueSeries) (t thresholds) {
	rows := d.Summary.Thresholds
	switch {
	case q.Class != d.Settings.DataClass:
		return thresholds{missing: "This priority has neither ECN nor PFC."}
	case len(rows) == 0:
		return thresholds{missing: "This directory keeps no thresholds: its run is of an earlier version."}
	}
	node, _, _ := strings.Cut(q.Port, "/")
	own := qos.Of(rows, q.Tier, node)
	if len(own) > 0 {
		rows = own
	}
	if t.marking, t.marks = qos.MarkingOf(own, q.Rate); !t.marks && !rows[0].Marks() {
		t.missing = "ECN is off."
	}
	if t.low, t.high, t.pauses = qos.XOFFRange(own); !t.pauses && !rows[0].Lossless() {
		t.missing = strings.TrimSpace(t.missing + " PFC is off.")
	}
	t.fixed = rows[0].PFC.Fixed > 0
	return t
}

// wredText is where packets are marked: "WRED 800 kB to 3.200 MB".
func (t *thresholds) wredText() string {
	return "WRED " + t.marking.Min.Human() + " to " + t.marking.Max.Human()
}

// xoffText is where senders are paused: "xOFF at most 394.6 kB".
func (t *thresholds) xoffText() string {
	at := t.low.Human()
	if t.high > t.low {
		at += " to " + t.high.Human() + ", by switch and ingress port"
	}
	if t.fixed {
		return "xOFF " + at
	}
	return "xOFF at most " + at
}

// queueCharts is the deepest queue over time, with a second chart of the time around
// its peak where the run is long.
func queueCharts(d *Data) []chart.Figure {
	q := d.Queue
	if q == nil || q.Max < shallow || d.End <= 0 {
		return nil // the notes of the run name its fullest queue
	}
	title := fmt.Sprintf("Deepest queue: %s, priority %d", q.Port, q.Class)
	th := d.thresholds(q)
	high := q.top(&th)
	whole := q.figure("queue", title, &q.Whole, &th, high)
	whole.Caption = fmt.Sprintf("At most %s, at %s. In each %s of the run: mean, the bands in which the queue was for half and for"+
		" 90 %% of the time, and the greatest sample.", q.Max.Human(), unit.Duration(q.PeakAt).Human(),
		(unit.Duration(d.End) / queueColumns).Human())
	whole.Caption += th.said(whole.Lines.Y.High)
	d.markP99(&whole, q)
	out := []chart.Figure{whole}
	if len(q.Peak.Columns) > 0 {
		near := q.figure("queue-peak", title+", around its peak", &q.Peak, &th, high)
		near.Caption = fmt.Sprintf("%s around its greatest length, a sample each %s.",
			q.Peak.To.Sub(q.Peak.From).Human(), d.Settings.Sample.Human())
		out = append(out, near)
	}
	return out
}

// markP99 draws the length below which the queue was for 99 % of the time, if the summary has it.
func (d *Data) markP99(f *chart.Figure, q *QueueSeries) {
	i := slices.IndexFunc(d.Summary.Queues, func(o result.QueueFigures) bool {
		return o.Port == q.Port && o.Class == q.Class
	})
	if i < 0 || d.Summary.Queues[i].P99 <= 0 {
		return
	}
	at := d.Summary.Queues[i].P99
	f.Keys = append(f.Keys, chart.Key{ID: "p99", Name: "99 % of the time below " + at.Human(), Ink: chart.Reference})
	f.Lines.Rules = append(f.Lines.Rules, chart.Rule{Key: "p99", Along: "y", At: chart.Value(at)})
}

// top is how far up a plot of the queue reaches: to its greatest length, or to a threshold not
// far above.
func (q *QueueSeries) top(th *thresholds) chart.Value {
	high := q.Max
	for _, at := range []unit.Bytes{th.marking.Min, th.marking.Max, th.low} {
		if at <= 2*q.Max { // one far above would flatten the queue
			high = max(high, at)
		}
	}
	return 1.05 * chart.Value(high)
}

func (q *QueueSeries) figure(name, title string, s *Span, th *thresholds, high chart.Value) chart.Figure {
	l := &chart.Lines{
		X:      chart.Axis{Label: "time", Unit: chart.Time, Low: chart.Value(s.From), High: chart.Value(s.To)},
		Y:      chart.Axis{Label: "length", Unit: chart.Bytes, High: high},
		Series: q.series(s),
	}
	keys := []chart.Key{{ID: "length", Name: "queue", Ink: chart.Subject}}
	if l.Series[0].Key == "greatest" {
		keys = append(keys, chart.Key{ID: "greatest", Name: "its greatest sample", Ink: chart.Highlight})
	}
	if th.marks && chart.Value(th.marking.Min) <= l.Y.High {
		keys = append(keys, chart.Key{ID: "marking", Name: "marked: " + th.wredText(),
			Meaning: "packets that arrive while the queue is this long are marked, above it all", Ink: chart.Marking})
		to := chart.Value(th.marking.Max)
		if to > l.Y.High || to <= chart.Value(th.marking.Min) {
			to = chart.Nothing
		}
		l.Zones = append(l.Zones, chart.Zone{Key: "marking", From: chart.Value(th.marking.Min), To: to})
	}
	if th.pauses && chart.Value(th.low) <= l.Y.High {
		keys = append(keys, chart.Key{ID: "pausing", Name: "senders paused: " + th.xoffText(),
			Meaning: "of what one ingress port holds: a queue fed by several can pass it", Ink: chart.Pausing})
		l.Zones = append(l.Zones, chart.Zone{Key: "pausing", From: chart.Value(th.low), To: chart.Nothing})
	}
	return chart.Figure{Name: name, Title: title, Keys: keys, Lines: l}
}

// series is the mean of each column over two bands, and, where a column passes the wider one, the greatest of each. Where no column has
// more than a value it is a line.
func (q *QueueSeries) series(s *Span) []chart.Series {
	out := chart.Series{Key: "length", Shape: chart.Held}
	wide := chart.Series{Key: "length", Shape: chart.Held, Thin: true}
	greatest := chart.Series{Key: "greatest", Shape: chart.Held, Thin: true}
	banded, beyond := false, false
	for c, e := range s.Columns {
		out.X = append(out.X, chart.Value(s.edge(c)))
		out.Y = append(out.Y, chart.Value(wholeBytes(e.Mean)))
		out.Low, out.High = append(out.Low, chart.Value(e.P25)), append(out.High, chart.Value(e.P75))
		wide.Y = append(wide.Y, chart.Nothing)
		wide.Low, wide.High = append(wide.Low, chart.Value(e.P5)), append(wide.High, chart.Value(e.P95))
		greatest.Y = append(greatest.Y, chart.Value(e.High))
		banded, beyond = banded || e.P5 < e.P95, beyond || e.High > e.P95
	}
	wide.X, greatest.X = out.X, out.X
	switch {
	case beyond:
		return []chart.Series{greatest, wide, out}
	case banded:
		return []chart.Series{wide, out}
	}
	out.Low, out.High = nil, nil
	return []chart.Series{out}
}

// wholeBytes rounds a mean: a tenth of a byte says nothing.
func wholeBytes(mean float64) unit.Bytes { return unit.Bytes(mean + 0.5) }

// said is what a reader has to know about thresholds that the plot does not show, a
// space before each sentence: those above it, and how xOFF acts where it is shown.
func (t *thresholds) said(high chart.Value) string {
	var above []string
	if t.marks && chart.Value(t.marking.Min) > high {
		above = append(above, "marking ("+t.wredText()+")")
	}
	said := ""
	switch {
	case !t.pauses:
	case chart.Value(t.low) > high:
		above = append(above, "pausing ("+t.xoffText()+")")
	default:
		said = " xOFF counts what one ingress port holds, so a queue fed by several can pass it."
		if !t.fixed {
			said += " It falls as the buffer fills."
		}
	}
	switch len(above) {
	case 1:
		said += " Above this plot begins " + above[0] + "."
	case 2:
		said += " Above this plot begin " + above[0] + " and " + above[1] + "."
	}
	if t.missing != "" {
		said += " " + t.missing
	}
	return said
}

// queueMapChart is the deepest queues side by side over time: of a large network always,
// of a small one where several are deep.
func queueMapChart(d *Data) []chart.Figure {
	m := d.QueueMap
	if m == nil || len(m.Rows) < 2 || d.End <= 0 {
		return nil
	}
	first := &m.Rows[0]
	if len(tiersOf(d.Links)) <= drawnNodes && (first.Max < shallow || m.Rows[1].Max < first.Max/10) {
		return nil
	}
	order, groups := d.byDirection(m.Rows)
	time := chart.Axis{Label: "time", Unit: chart.Time, High: chart.Value(d.End)}
	c := &chart.Map{RowName: "port", X: &time, Groups: groups}
	for i, k := range order {
		q := &m.Rows[k]
		name := q.Port
		if q.Class != d.Settings.DataClass {
			name += fmt.Sprintf(" (priority %d)", q.Class)
		}
		c.Rows = append(c.Rows, name)
		row := make([]chart.Value, len(q.Whole.Columns))
		for j, e := range q.Whole.Columns {
			row[j] = chart.Value(wholeBytes(e.Mean))
		}
		if k == 0 && q.PeakAt < q.Whole.To {
			c.Ringed = []chart.Cell{{Row: i, Column: q.Whole.column(q.PeakAt),
				Note: "greatest sample: " + q.Max.Human() + " at " + unit.Duration(q.PeakAt).Human()}}
		}
		c.Cells = append(c.Cells, row)
	}
	c.Value = sequential("mean length", chart.Bytes, c.Cells)
	f := chart.Figure{Name: "queues", Title: "Queues over time", Map: c}
	f.Caption = fmt.Sprintf("Mean length of a queue in each %s. Ringed: the longest, %s.",
		(unit.Duration(d.End) / mapColumns).Human(), first.Max.Human())
	if m.Left > 0 {
		f.Caption += fmt.Sprintf(" %s not shown: none of them ever held more than %s.",
			areMore(int64(m.Left), "queue"), m.LeftMost.Human())
	}
	return []chart.Figure{f}
}

// byDirection orders queues by direction, from the hosts up, then by port, and names the
// directions.
func (d *Data) byDirection(rows []QueueSeries) (order []int, groups []chart.Group) {
	t, words := tiersOf(d.Links), [len(tierNames)]string{}
	if t != nil {
		words = t.words()
	}
	links := map[string]int{}
	for i := range d.Links {
		links[d.Links[i].Port] = i
	}
	name := func(q *QueueSeries) (rank int, text string) {
		i, known := links[q.Port]
		if !known || t == nil {
			return -1, "ports"
		}
		from, to := t[d.Links[i].From], t[d.Links[i].To]
		return directionRank(from, to), words[from] + " to " + words[to]
	}
	for i := range rows {
		order = append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int {
		ra, _ := name(&rows[a])
		rb, _ := name(&rows[b])
		if ra != rb {
			return ra - rb
		}
		return byPort(rows[a].Port, rows[b].Port)
	})
	for i, k := range order {
		_, text := name(&rows[k])
		if n := len(groups); n > 0 && groups[n-1].Name == text {
			groups[n-1].Count++
			continue
		}
		groups = append(groups, chart.Group{Name: text, First: i, Count: 1})
	}
	return order, groups
}
