package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"railyard/internal/result"
	"railyard/internal/unit"
)

// eventFigure shows marks, CNPs and retransmissions by the time at which the
// messages that met them ended.
func eventFigure(d *Data) []Figure {
	if d.Flows == nil || d.End <= 0 {
		return nil
	}
	var most Event
	for _, e := range d.Flows.Events {
		most.Marks, most.CNPs, most.Retransmits = max(most.Marks, e.Marks), max(most.CNPs, e.CNPs), max(most.Retransmits, e.Retransmits)
	}
	if most == (Event{}) {
		return nil
	}
	rows := []eventRow{{"ECN marks", orange, most.Marks, func(e Event) int64 { return e.Marks }}, {"CNPs", blue, most.CNPs, func(e Event) int64 { return e.CNPs }},
		{"packets sent again", wine, most.Retransmits, func(e Event) int64 { return e.Retransmits }}}
	rows = slices.DeleteFunc(rows, func(r eventRow) bool { return r.most == 0 })
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.name
	}
	title := heading(names) + " over time"
	counting := ""
	if most.Marks+most.CNPs > 0 {
		counting = "ECN marks count data packets that arrived marked, CNPs those that reached the sender. "
	}
	return one(Figure{Name: "events", Title: title,
		Caption: counting + fmt.Sprintf("The run in %d parts; a message's counts stand at the time at which it ended: the tables hold no finer time.", eventBins),
		Draw:    func(w float64) *Drawing { return drawEvents(w, title, d, rows) }})
}

// heading joins names to the beginning of a title.
func heading(names []string) string {
	s := names[0]
	for i, n := range names[1:] {
		s += map[bool]string{true: " and ", false: ", "}[i == len(names)-2] + n
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// eventRow is one kind of event.
type eventRow struct {
	name   string
	colour Colour
	most   int64
	of     func(Event) int64
}

func drawEvents(w float64, title string, d *Data, rows []eventRow) *Drawing {
	const band = 78.0
	g := NewDrawing(w, band*float64(len(rows))+40, title, "counts by part of the run")
	f := Frame{d: g, Left: 52, Right: w - 14, XHi: float64(d.End)}
	for k, r := range rows {
		top := band * float64(k)
		f.Top, f.Bottom, f.YHi = top+24, top+band-4, float64(r.most)*1.05
		f.YAxis(r.name, quantity{"", 1})
		for i, e := range d.Flows.Events {
			if v := r.of(e); v > 0 {
				x0, x1 := f.X(float64(d.End)/eventBins*float64(i)), f.X(float64(d.End)/eventBins*float64(i+1))
				g.Rect(x0, f.Y(float64(v)), max(x1-x0-0.5, 0.75), f.Bottom-f.Y(float64(v)), r.colour,
					fmt.Sprintf("%s: %s to %s: %s", r.name, at(d, i), at(d, i+1), unit.Count(v)))
			}
		}
	}
	f.XAxis("time", timeUnit(unit.Duration(d.End)))
	return g
}

func at(d *Data, bin int) string {
	return unit.Duration(float64(d.End) / eventBins * float64(bin)).Human()
}

// shownPorts is how many ports a chart or list of ports names.
const shownPorts = 12

// troubled lists the ports where something happened: marks, drops, or pauses.
func (d *Data) troubled() []result.LinkRow {
	var out []result.LinkRow
	for _, l := range d.Links {
		if l.ECNMarks+l.Drops+l.PausesSent+l.PausesReceived > 0 {
			out = append(out, l)
		}
	}
	slices.SortStableFunc(out, func(a, b result.LinkRow) int {
		return cmp.Or(cmp.Compare(b.Drops, a.Drops), cmp.Compare(b.ECNMarks+b.PausesReceived+b.PausesSent, a.ECNMarks+a.PausesReceived+a.PausesSent))
	})
	return out
}

// portColumn is a figure of ports.
type portColumn struct {
	name, about string // what is counted in it, for the caption
	kind        string // for the title
	colour      Colour
	of          func(*result.LinkRow) float64
	text        func(float64) string
}

var portColumns = []portColumn{
	{"ECN marks", "Marks: set at the egress queue.", "ECN marks", orange, func(l *result.LinkRow) float64 { return float64(l.ECNMarks) }, countText},
	{"drops", "Drops: at the egress queue.", "drops", wine, func(l *result.LinkRow) float64 { return float64(l.Drops) }, countText},
	{"xOFF sent", "xOFF: PFC frames with a non-zero pause time, refreshes included.", "pauses", purple, func(l *result.LinkRow) float64 { return float64(l.PausesSent) }, countText},
	{"xOFF received", "", "pauses", purple, func(l *result.LinkRow) float64 { return float64(l.PausesReceived) }, countText},
	{"held for", "Held: for how much of the run a class of the port was stopped.", "pauses", red, func(l *result.LinkRow) float64 { return float64(l.Paused) }, func(v float64) string { return unit.Duration(v).Human() }},
}

// portFigure shows what happened at which port.
func portFigure(d *Data) []Figure {
	all := d.troubled()
	if len(all) == 0 {
		return nil
	}
	shown := all[:min(len(all), shownPorts)]
	var columns []portColumn
	var kinds, about []string
	for _, c := range portColumns {
		if !slices.ContainsFunc(shown, func(l result.LinkRow) bool { return c.of(&l) > 0 }) {
			continue
		}
		columns = append(columns, c)
		if !slices.Contains(kinds, c.kind) {
			kinds = append(kinds, c.kind)
		}
		if c.about != "" {
			about = append(about, c.about)
		}
	}
	title := heading(kinds) + " by port"
	caption := strings.Join(about, " ")
	if len(columns) > 1 {
		caption += " Each column has its own scale."
	}
	if len(all) > len(shown) {
		caption += fmt.Sprintf(" The first %d of %d ports.", len(shown), len(all))
	}
	return one(Figure{Name: "ports", Title: title, Caption: caption, Draw: func(w float64) *Drawing { return drawPorts(w, title, columns, shown) }})
}

func drawPorts(w float64, title string, columns []portColumn, rows []result.LinkRow) *Drawing {
	const row, head = 20.0, 24.0
	left := 0.0
	for _, l := range rows {
		left = max(left, textWidth(l.Port, smallSize)+10)
	}
	left = min(left, w*0.3)
	g := NewDrawing(w, head+row*float64(len(rows))+6, title, fmt.Sprintf("%d ports", len(rows)))
	wide := (w - left) / float64(len(columns))
	for k, c := range columns {
		x, most := left+wide*float64(k), 0.0
		size := math.Min(smallSize, smallSize*(wide-6)/textWidth(c.name, smallSize))
		g.Text(x, 14, size, alignStart, muted, c.name)
		for _, l := range rows {
			most = max(most, c.of(&l))
		}
		for i, l := range rows {
			y, v := head+row*float64(i), c.of(&l)
			if k == 0 {
				g.Text(left-8, y+14, smallSize, alignEnd, ink, fit(l.Port, smallSize, left-8))
			}
			label := c.text(v)
			room := max(wide-textWidth(label, 10)-10, 4)
			long := room * v / most
			if v > 0 {
				g.Rect(x, y+4, max(long, 1), row-8, c.colour, fmt.Sprintf("%s, %s: %s", l.Port, c.name, label))
				g.Text(x+max(long, 1)+3, y+14, 10, alignStart, ink, label)
			} else {
				g.Text(x, y+14, 10, alignStart, muted, "0")
			}
		}
	}
	return g
}

func countText(v float64) string { return unit.Count(int64(v)) }
