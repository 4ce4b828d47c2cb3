package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/cause"
	"railyard/internal/result"
	"railyard/internal/unit"
)

// bar is one of the spans that a waterfall divides.
type bar struct {
	name  string
	split cause.Split
}

// bars returns what the run's time is divided by: a step's, or a flow's.
func (d *Data) bars() (what string, all []bar) {
	if s := d.Steps; s != nil {
		mean := bar{"mean over steps and ranks", s.Mean}
		if p := d.Summary.CriticalPath; p != nil { // of the rank that ended last: not beside the one that took longest
			return "step", []bar{{"critical path, mean over " + tracedSteps(d.Summary), p.Split()}, mean}
		}
		return "step", []bar{{"slowest rank of a step, mean over steps", s.Slowest}, mean}
	}
	kind := d.Flows.Main()
	m := d.Flows.Of(kind)
	if m.Done == 0 || len(d.Flows.Slowest) == 0 {
		return "", nil
	}
	_, mean := m.Mean()
	slow := d.Flows.Slowest[0]
	return "message", []bar{{"slowest: " + slow.Name, slow.Split()}, {"mean over " + unit.Count(m.Done) + " messages", mean}}
}

// waterfallFigure lays the causes end to end, a row each: the last one ends at the
// whole span.
//
//	compute     [======]
//	dependency         [=========]
//	queueing                     [==]   total
func waterfallFigure(d *Data) []Figure {
	what, all := d.bars()
	if len(all) == 0 {
		return nil
	}
	title := "Where a " + what + "'s time went"
	return one(Figure{Name: "causes", Title: title,
		Caption: "Each row begins where the one above ends: together they are the whole span, to the picosecond. The bars of a row, from above: " + barNames(all) + ". Causes without time are left out." + d.aboutPath(),
		Draw:    func(w float64) *Drawing { return drawWaterfall(w, title, all) }})
}

func drawWaterfall(w float64, title string, all []bar) *Drawing {
	var both cause.Split
	var longest unit.Duration
	var keys []Key
	for i, b := range all {
		both.Add(&b.split)
		longest = max(longest, b.split.Sum())
		keys = append(keys, Key{Name: []string{"First", "Second"}[i] + " bar: " + b.name + ".", Plain: true})
	}
	var rows []cause.Cause
	for _, c := range cause.All() {
		if both[c] != 0 {
			rows = append(rows, c)
		}
	}
	head := Legend(nil, keys, 0, 12, w) + 10
	row := 8 + 13*float64(len(all))
	q := timeUnit(longest)
	h := head + row*float64(len(rows)) + 40
	g := NewDrawing(w, h, title, sentence(all))
	Legend(g, keys, 0, 12, w)
	f := Frame{d: g, Left: 122, Right: w - 66, Top: head, Bottom: h - 40, XHi: float64(longest)}
	for _, x := range ticks(0, f.XHi/q.size, f.xTickCount()) {
		g.Line(f.X(x*q.size), f.Top, f.X(x*q.size), f.Bottom, 1, grid, "", "")
	}
	at := make([]unit.Duration, len(all))
	for i, c := range rows {
		y := f.Top + row*float64(i)
		g.Text(f.Left-8, y+row/2+4, fontSize, alignEnd, ink, c.String())
		for k, b := range all {
			x, v := f.X(float64(at[k])), b.split[c]
			if v == 0 {
				continue
			}
			wide := max(f.X(float64(v))-f.Left, 0.75)
			tip := fmt.Sprintf("%s, %s: %s, %s of %s", c, b.name, v.Human(), unit.Percent(unit.Share(v, b.split.Sum())), b.split.Sum().Human())
			colour := causeColours[c]
			g.Rect(x, y+4+13*float64(k), wide, 11, colour, tip)
			g.Text(x+wide+4, y+13.5+13*float64(k), 10, alignStart, muted, unit.Percent(unit.Share(v, b.split.Sum())))
			at[k] += v
		}
	}
	f.XAxis("time since the beginning", q)
	return g
}

func barNames(all []bar) string {
	var names []string
	for _, b := range all {
		names = append(names, b.name)
	}
	return strings.Join(names, "; ")
}

// aboutPath says how the critical path differs from a rank's own view.
func (d *Data) aboutPath() string {
	if d.Steps == nil || d.Summary.CriticalPath == nil {
		return ""
	}
	return " The critical path follows what the rank that ended the step last waited for to the ranks that did it; in a rank's own view that is dependency."
}

// sentence reads the bars out for those who do not see them.
func sentence(all []bar) string {
	s := ""
	for i, b := range all {
		if i > 0 {
			s += ". "
		}
		s += b.name + ", " + b.split.Sum().Human() + ":"
		for _, c := range largest(&b.split) {
			s += fmt.Sprintf(" %s %s", c, unit.Percent(unit.Share(b.split[c], b.split.Sum())))
		}
	}
	return s
}

// slowestFigure shows the slowest messages, each divided among its causes.
func slowestFigure(d *Data) []Figure {
	if d.Flows == nil || len(d.Flows.Slowest) == 0 || d.Flows.Slowest[0].FCT == 0 {
		return nil
	}
	rows := d.Flows.Slowest[:min(len(d.Flows.Slowest), shownFlows)]
	title := "The slowest messages by cause"
	of := d.Flows.Of(d.Flows.Main()).Done
	caption := fmt.Sprintf("From post to completion, slowest first: of %s completed %s messages the slowest of each name, %d names.", unit.Count(of), d.Flows.Main(), len(rows))
	if int64(len(rows)) == of {
		title, caption = "Every message by cause", "From post to completion, slowest first."
	}
	return one(Figure{Name: "slowest-messages", Title: title, Caption: caption,
		Draw: func(w float64) *Drawing { return drawSplits(w, title, "time since post", d.Flows.splitRows(rows)) }})
}

// splitRow is a span and the causes that it is made of.
type splitRow struct {
	name  string
	split cause.Split
	tip   [cause.Count]string // what to add to a cause's hovering text
}

// splitRows divides messages, and says of queueing and pauses at which ports.
func (f *FlowStats) splitRows(rows []result.FlowRow) []splitRow {
	out := make([]splitRow, len(rows))
	for i := range rows {
		out[i] = splitRow{name: rows[i].Name, split: rows[i].Split()}
		for _, h := range f.SlowHops[rows[i].ID] {
			for _, c := range []cause.Cause{cause.OwnQueueing, cause.Queueing, cause.Pause} {
				if h.Split[c] > 0 {
					out[i].tip[c] += fmt.Sprintf("; %s at %s", h.Split[c].Human(), h.Port)
				}
			}
		}
	}
	return out
}

// sortRows puts the longest first.
func sortRows(rows []splitRow) {
	slices.SortStableFunc(rows, func(a, b splitRow) int { return cmp.Compare(b.split.Sum(), a.split.Sum()) })
}

// drawSplits draws a bar per row, cut by cause; the first row is the longest.
func drawSplits(w float64, title, axis string, rows []splitRow) *Drawing {
	var sum cause.Split
	for i := range rows {
		sum.Add(&rows[i].split)
	}
	var keys []Key
	for _, c := range cause.All() {
		if unit.Share(sum[c], sum.Sum()) >= 0.0005 {
			keys = append(keys, Key{Name: c.String(), Colour: causeColours[c]})
		}
	}
	head := Legend(nil, keys, 0, 12, w) + 8
	const row = 17.0
	h := head + row*float64(len(rows)) + 40
	longest := rows[0].split.Sum()
	g := NewDrawing(w, h, title, fmt.Sprintf("%d bars; the longest, %s, is %s", len(rows), rows[0].name, longest.Human()))
	Legend(g, keys, 0, 12, w)
	left := min(w*0.34, 150)
	f := Frame{d: g, Left: left, Right: w - 62, Top: head, Bottom: h - 40, XHi: float64(longest)}
	for i, r := range rows {
		y := f.Top + row*float64(i)
		g.Text(left-8, y+12, smallSize, alignEnd, ink, fit(r.name, smallSize, left-10))
		whole, at := r.split.Sum(), unit.Duration(0)
		for _, c := range cause.All() {
			if v := r.split[c]; v > 0 {
				x := f.X(float64(at))
				g.Rect(x, y+2, f.X(float64(at+v))-x, row-4, causeColours[c], fmt.Sprintf("%s: %s %s (%s)%s", r.name, c, v.Human(), unit.Percent(unit.Share(v, whole)), r.tip[c]))
				at += v
			}
		}
		g.Text(f.X(float64(whole))+4, y+12, 10, alignStart, muted, whole.Human())
	}
	f.XAxis(axis, timeUnit(longest))
	return g
}
