package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"railyard/internal/result"
	"railyard/internal/unit"
)

// completionFigure is the distribution of completion times, a curve per kind.
func completionFigure(d *Data) []Figure {
	if d.Flows == nil {
		return nil
	}
	var kinds []string
	for _, k := range d.Flows.Kinds {
		if d.Flows.Of(k).Done > 1 {
			kinds = append(kinds, k)
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	var parts []string
	for _, k := range kinds {
		m := d.Flows.Of(k)
		parts = append(parts, fmt.Sprintf("%s: %s messages, half within %s, 99 %% within %s, the slowest %s", k, unit.Count(m.Done),
			m.Quantile(0.5).Human(), m.Quantile(0.99).Human(), m.Longest.Human()))
	}
	title := "Completion times of messages"
	caption := "Which share of the completed messages took at most so long. " + strings.Join(parts, "; ") + "."
	if slices.ContainsFunc(kinds, func(k string) bool { return d.Flows.Of(k).Done > exactTimes }) {
		caption += " Many times are grouped to within 2 %."
	}
	return one(Figure{Name: "completion", Title: title,
		Caption: caption,
		Draw:    func(w float64) *Drawing { return drawCompletion(w, title, d.Flows, kinds) }})
}

func drawCompletion(w float64, title string, fs *FlowStats, kinds []string) *Drawing {
	colours := map[string]Colour{result.KindJob: blue, result.KindBackground: orange, result.KindCollective: green}
	lo, hi := unit.Duration(math.MaxInt64), unit.Duration(1)
	var keys []Key
	for _, k := range kinds {
		m := fs.Of(k)
		lo, hi = min(lo, m.Quantile(0)), max(hi, m.Longest)
		keys = append(keys, Key{Name: k, Colour: colours[k], Dash: "-"})
	}
	head := Legend(nil, keys, 0, 12, w)
	h := head + 220
	g := NewDrawing(w, h, title, "cumulative distribution")
	Legend(g, keys, 0, 12, w)
	f := Frame{d: g, Left: 48, Right: w - 16, Top: head + 26, Bottom: h - 40, XLo: float64(lo) * 0.95, XHi: float64(hi) * 1.03, YHi: 1}
	f.LogX = hi > 8*lo
	if !f.LogX {
		f.XLo, f.XHi = max(0, float64(lo)-0.15*float64(hi-lo)), float64(hi)+0.1*float64(hi-lo)
		if lo == hi {
			f.XLo, f.XHi = 0, 1.1*float64(hi)
		}
	}
	f.YAxis("messages", quantity{"%", 0.01})
	for _, k := range kinds {
		m, seen := fs.Of(k), int64(0)
		points := []Point{{f.Left, f.Y(0)}}
		for _, s := range m.Times.Steps() {
			x := f.X(float64(min(s.At, m.Longest)))
			points = append(points, Point{x, f.Y(float64(seen) / float64(m.Done))})
			seen += s.N
			points = append(points, Point{x, f.Y(float64(seen) / float64(m.Done))})
		}
		points = append(points, Point{f.Right, f.Y(1)})
		g.Polyline(points, 1.8, colours[k])
	}
	f.XAxis("completion time", timeUnit(hi))
	return g
}
