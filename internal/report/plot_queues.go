package report

import (
	"fmt"

	"railyard/internal/qos"
	"railyard/internal/unit"
)

// threshold is a horizontal line of a queue's chart.
type threshold struct {
	name   string
	at     unit.Bytes
	colour Colour
	dash   string
}

// thresholds lists what acts on a queue, and what a reader has to know about it.
func (d *Data) thresholds(q *QueueSeries) (lines []threshold, about string) {
	if q.Class != d.Settings.DataClass {
		return nil, "This priority has neither ECN nor PFC."
	}
	rows := d.Summary.Thresholds
	if len(rows) == 0 {
		return nil, "This directory keeps no thresholds: its run is of an earlier version."
	}
	switch m, on := qos.MarkingOf(rows, q.Tier, q.Rate); {
	case on:
		lines = append(lines, threshold{"WRED min " + m.Min.Human(), m.Min, orange, "6 3"}, threshold{"WRED max " + m.Max.Human(), m.Max, red, "6 3"})
		about = "Above WRED min packets are marked with rising probability, above WRED max all of them. "
	case !rows[0].Marks():
		about = "ECN is off. "
	}
	low, high, on := qos.XOFFRange(rows, q.Tier)
	if !on {
		if !rows[0].Lossless() {
			about += "PFC is off."
		}
		return lines, about
	}
	at := low.Human()
	if high > low {
		at += " to " + high.Human() + ", by switch and ingress port"
	}
	if rows[0].PFC.Fixed > 0 {
		lines = append(lines, threshold{"xOFF " + at, low, purple, "2 3"})
	} else {
		lines = append(lines, threshold{"xOFF at most " + at, low, purple, "2 3"})
		about += "xOFF is a part of what is free of the shared buffer: the line is where it lies while the buffer is empty, and it falls as the buffer fills. "
	}
	about += "xOFF acts on what one ingress port holds, so a queue fed by several ports can pass it."
	return lines, about
}

// queueFigures is the deepest queues over time, each with a second chart of the time
// around its peak where the run is long.
func queueFigures(d *Data) []Figure {
	var out []Figure
	for i := range d.Queues {
		q := &d.Queues[i]
		lines, about := d.thresholds(q)
		if i > 0 && q.Max*20 < d.Queues[0].Max {
			break // flat beside the deepest
		}
		name := fmt.Sprintf("queue-%d", i+1)
		title := fmt.Sprintf("Queue at %s, priority %d", q.Port, q.Class)
		caption := fmt.Sprintf("Sampled each %s; at most %s, at %s. %s", d.Settings.Sample.Human(), q.Max.Human(), unit.Duration(q.PeakAt).Human(), about)
		out = append(out, Figure{Name: name, Title: title, Caption: caption + " Band: least to greatest of a column.",
			Draw: func(w float64) drawn { return drawQueue(w, title, q, &q.Whole, lines) }})
		if len(q.Peak.Columns) > 0 {
			near := title + ", around its peak"
			out = append(out, Figure{Name: name + "-peak", Title: near, Caption: "The same queue, " + q.Peak.To.Sub(q.Peak.From).Human() + " around its greatest length.",
				Draw: func(w float64) drawn { return drawQueue(w, near, q, &q.Peak, lines) }})
		}
		if i == 0 && len(d.Queues) > 1 && d.Queues[1].Max == q.Max && q.Max < 10*d.Settings.smallest() {
			break // a handful of packets in each of many queues: one shows them all
		}
	}
	return out
}

// smallest is a length below which a queue is a few packets.
func (s *Settings) smallest() unit.Bytes { return 4 * unit.Kilobyte }

func drawQueue(w float64, title string, q *QueueSeries, s *Span, lines []threshold) *Drawing {
	high := q.Max
	var keys []Key
	var shown []threshold
	for _, t := range lines {
		name := t.name
		if t.at > 2*q.Max { // far above: naming it is enough, a line would flatten the queue
			name += " (above)"
		} else {
			high = max(high, t.at)
			shown = append(shown, t)
		}
		keys = append(keys, Key{Name: name, Colour: t.colour, Dash: t.dash})
	}
	keys = append(keys, Key{Name: "queue", Colour: blue})
	head := Legend(nil, keys, 0, 12, w)
	h := head + 230
	g := NewDrawing(w, h, title, fmt.Sprintf("at most %s", q.Max.Human()))
	Legend(g, keys, 0, 12, w)
	f := Frame{d: g, Left: 52, Right: w - 14, Top: head + 26, Bottom: h - 40, XLo: float64(s.From), XHi: float64(s.To), YHi: float64(high) * 1.05}
	f.YAxis("length", byteUnit(high))
	var upper, lower []Point
	columns := merge(s.Columns, int(f.Right-f.Left))
	step := float64(s.To.Sub(s.From)) / float64(len(columns))
	for i, e := range columns {
		low, top := max(float64(e.Low), 0), float64(e.High)
		x0, x1 := f.X(float64(s.From)+step*float64(i)), f.X(float64(s.From)+step*float64(i+1))
		upper = append(upper, Point{x0, f.Y(top)}, Point{x1, f.Y(top)})
		lower = append(lower, Point{x0, f.Y(low)}, Point{x1, f.Y(low)})
	}
	g.Area(append(append([]Point{{f.X(float64(s.From)), f.Bottom}}, lower...), Point{f.Right, f.Bottom}), blue, 0.22)
	for i, j := 0, len(lower)-1; i < j; i, j = i+1, j-1 {
		lower[i], lower[j] = lower[j], lower[i]
	}
	g.Area(append(append([]Point{}, upper...), lower...), blue, 0.55)
	g.Polyline(upper, 1, blue)
	for _, t := range shown {
		g.Line(f.Left, f.Y(float64(t.at)), f.Right, f.Y(float64(t.at)), 1.6, t.colour, t.dash, t.name)
	}
	f.XAxis("time", timeUnit(unit.Duration(s.To)))
	return g
}

// merge joins neighbouring columns until there are at most n.
func merge(all []Extent, n int) []Extent {
	by := (len(all) + n - 1) / n
	if by <= 1 {
		return all
	}
	var out []Extent
	for i := 0; i+by <= len(all); i += by {
		e := all[i]
		for _, o := range all[i+1 : i+by] {
			e.Low, e.High = min(e.Low, o.Low), max(e.High, o.High)
		}
		out = append(out, e)
	}
	return out
}
