package svg

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"railyard/internal/out/chart"
)

// drawLines draws values over an axis: zones behind, then bands, lines, rules, marks.
func drawLines(fig *chart.Figure, w float64) *Drawing {
	l := fig.Lines
	keys := linesLegend(fig)
	head := legend(nil, keys, 0, 12, w) + 28
	height := min(max(w*0.3, 170), 260)
	h := head + height + 40
	d := newDrawing(fig.Name, w, h, fig.Title, linesWords(fig))
	legend(d, keys, 0, 12, w)
	f := &frame{d: d, left: labelRoom(&l.Y), top: head, right: w - 14, bottom: h - 40, axisX: &l.X, axisY: &l.Y}
	f.yAxis()
	inner := frame{d: d, right: f.right - f.left, bottom: f.bottom - f.top, axisX: &l.X, axisY: &l.Y}
	p := &plot{fig: fig, colours: coloursOf(fig), d: d, frame: inner}
	d.openArea(f, p.right, p.bottom)
	p.zones()
	for i := range l.Series {
		p.band(&l.Series[i])
	}
	for i := range l.Series {
		p.series(&l.Series[i])
	}
	p.rules()
	p.marks()
	d.closeArea()
	f.xAxis()
	p.labels(f)
	return d
}

// linesLegend has an entry for each key that is drawn; one series alone needs none.
func linesLegend(fig *chart.Figure) (all []entry) {
	l := fig.Lines
	for i := range fig.Keys {
		k := &fig.Keys[i]
		if look, drawn := linesLook(l, k.ID); drawn {
			all = append(all, entry{key: k, look: look})
		}
	}
	if len(all) == 1 && len(l.Series) == 1 {
		return nil
	}
	return all
}

func linesLook(l *chart.Lines, id string) (look swatch, drawn bool) {
	for _, s := range l.Series {
		if s.Key == id {
			switch s.Shape {
			case chart.Filled:
				return box, true
			case chart.Points:
				return dot, true
			}
			return stroke, true
		}
	}
	for _, z := range l.Zones {
		if z.Key == id {
			return veil, true
		}
	}
	for _, r := range l.Rules {
		if r.Key == id {
			return dashed, true
		}
	}
	for _, m := range l.Marks {
		if m.Key == id {
			return dot, true
		}
	}
	return box, false
}

// linesWords reads the plot out for those who do not see it.
func linesWords(fig *chart.Figure) string {
	l, s := fig.Lines, ""
	for i := range l.Series {
		lo, hi := extent(&l.Series[i])
		if i > 0 {
			s += "; "
		}
		s += fmt.Sprintf("%s: %s to %s", keyOf(fig, l.Series[i].Key).Name, l.Y.Unit.Text(lo), l.Y.Unit.Text(hi))
	}
	return s
}

// extent returns the least and the greatest value of a series.
func extent(s *chart.Series) (lo, hi chart.Value) {
	lo, hi = chart.Nothing, chart.Nothing
	for _, v := range s.Y {
		if v.None() {
			continue
		}
		if lo.None() || v < lo {
			lo = v
		}
		if hi.None() || v > hi {
			hi = v
		}
	}
	return lo, hi
}

// plot is the inside of a frame, with its own origin at the top left. Strokes keep their
// width however far a script zooms in.
type plot struct {
	frame
	fig     *chart.Figure
	colours colours
	d       *Drawing
}

const sameWidth = ` vector-effect="non-scaling-stroke"`

func (p *plot) zones() {
	for _, z := range p.fig.Lines.Zones {
		top, bottom := p.top, p.bottom
		if !z.To.None() {
			top = max(p.y(z.To), p.top)
		}
		if !z.From.None() {
			bottom = min(p.y(z.From), p.bottom)
		}
		if bottom > top {
			k := keyOf(p.fig, z.Key)
			p.d.veil(0, top, p.right, bottom-top, p.colours[z.Key], p.zoneWords(k, &z))
			for _, y := range []float64{top, bottom} {
				if y > p.top+0.5 && y < p.bottom-0.5 {
					p.d.polyline([]point{{0, y}, {p.right, y}}, 1, p.colours[z.Key].plain(), sameWidth, "")
				}
			}
		}
	}
}

func (p *plot) zoneWords(k *chart.Key, z *chart.Zone) string {
	u, s := p.axisY.Unit, k.Name
	if !z.From.None() {
		s += ", from " + u.Text(z.From)
	}
	if !z.To.None() {
		s += ", to " + u.Text(z.To)
	}
	return s
}

// pieces splits a series at its gaps: [from, to) are indexes.
func pieces(v []chart.Value) (out [][2]int) {
	from := -1
	for i := range v {
		switch {
		case v[i].None() && from >= 0:
			out, from = append(out, [2]int{from, i}), -1
		case !v[i].None() && from < 0:
			from = i
		}
	}
	if from >= 0 {
		out = append(out, [2]int{from, len(v)})
	}
	return out
}

// edge returns the points of v from index a up to b: as a line, or held from each to the next.
func (p *plot) edge(s *chart.Series, v []chart.Value, a, b int) (points []point) {
	held := s.Shape == chart.Held || s.Shape == chart.Filled
	for i := a; i < b; i++ {
		x, y := p.x(s.X[i]), p.y(v[i])
		points = append(points, point{x, y})
		if held {
			points = append(points, point{p.until(s, i), y})
		}
	}
	return points
}

// until is where a held value ends.
func (p *plot) until(s *chart.Series, i int) float64 {
	if i+1 < len(s.X) {
		return p.x(s.X[i+1])
	}
	return p.right
}

func (p *plot) band(s *chart.Series) {
	if s.Low == nil || s.High == nil {
		return
	}
	for _, r := range pieces(s.High) {
		points := p.edge(s, s.High, r[0], r[1])
		low := p.edge(s, s.Low, r[0], r[1])
		for i := len(low) - 1; i >= 0; i-- {
			points = append(points, low[i])
		}
		p.d.area(points, p.colours[s.Key].plain(), bandOf(s), "")
	}
}

func (p *plot) series(s *chart.Series) {
	c := p.colours[s.Key].plain()
	if s.Shape == chart.Filled {
		p.histogram(s)
		return
	}
	for _, r := range pieces(s.Y) {
		points := p.edge(s, s.Y, r[0], r[1])
		if len(points) > 1 && s.Shape != chart.Points {
			p.d.polyline(points, strokeOf(s), c, sameWidth+p.colours[s.Key].dash(), "")
		}
		if s.Shape == chart.Points || s.Shape == chart.Curve || len(points) == 1 {
			for i := r[0]; i < r[1]; i++ {
				p.spot(p.x(s.X[i]), p.y(s.Y[i]), 5, c, p.words(s, i))
			}
		}
	}
}

// bandOf is how dense the band of a series is.
func bandOf(s *chart.Series) float64 {
	if s.Thin {
		return 0.14
	}
	return 0.26
}

// strokeOf is how thick the line of a series is.
func strokeOf(s *chart.Series) float64 {
	if s.Thin {
		return 0.8
	}
	return 1.7
}

// spot is a point that stays round when the plot is stretched: a stroke without length.
func (p *plot) spot(x, y, size float64, c colour, tip string) {
	at := num(x) + " " + num(y)
	fmt.Fprintf(&p.d.b, `<path d="M%sL%s" stroke-linecap="round" stroke-width="%s" %s%s`,
		at, at, num(size), c.stroke(), sameWidth)
	p.d.end("path", tip)
}

func (p *plot) words(s *chart.Series, i int) string {
	x, y := p.axisX.Unit.Text(s.X[i]), p.axisY.Unit.Text(s.Y[i])
	return fmt.Sprintf("%s, %s %s: %s", keyOf(p.fig, s.Key).Name, p.axisX.Label, x, y)
}

func (p *plot) histogram(s *chart.Series) {
	c := p.colours[s.Key]
	for i, v := range s.Y {
		if v.None() || v <= p.axisY.Low {
			continue
		}
		x0, x1, y := p.x(s.X[i]), p.until(s, i), p.y(v)
		gap := math.Min(1, (x1-x0)/4)
		end := p.axisX.High
		if i+1 < len(s.X) {
			end = s.X[i+1]
		}
		tip := fmt.Sprintf("%s to %s: %s", p.axisX.Unit.Text(s.X[i]), p.axisX.Unit.Text(end), p.axisY.Unit.Text(v))
		p.d.rect(x0, y, max(x1-x0-gap, 0.75), p.bottom-y, c.plain(), tip)
	}
}

func (p *plot) rules() {
	for _, r := range p.fig.Lines.Rules {
		x1, y1, x2, y2 := 0.0, p.y(r.At), p.right, p.y(r.At)
		if r.Along == "x" {
			x1, y1, x2, y2 = p.x(r.At), 0, p.x(r.At), p.bottom
		}
		fmt.Fprintf(&p.d.b, `<path d="M%s %sL%s %s" stroke-width="1.5" stroke-dasharray="%s" %s%s`,
			num(x1), num(y1), num(x2), num(y2), dashes, p.colours[r.Key].plain().stroke(), sameWidth)
		p.d.end("path", p.ruleWords(&r))
	}
}

func (p *plot) ruleWords(r *chart.Rule) string {
	u := p.axisY.Unit
	if r.Along == "x" {
		u = p.axisX.Unit
	}
	if r.Label != "" {
		return r.Label
	}
	return keyOf(p.fig, r.Key).Name + ": " + u.Text(r.At)
}

func (p *plot) marks() {
	for _, m := range p.fig.Lines.Marks {
		p.spot(p.x(m.X), p.y(m.Y), 8, paper, "")
		p.spot(p.x(m.X), p.y(m.Y), 6, p.colours[m.Key].plain(), m.Label)
	}
}

// labels writes what rules and marks are called, outside the area that may be stretched.
func (p *plot) labels(f *frame) {
	p.d.open(`class="labels-x"`)
	p.uprightLabels(f)
	p.markLabels(f)
	p.d.close()
	above := math.Inf(1)
	for _, r := range p.fig.Lines.Rules {
		if r.Along != "y" || r.Label == "" {
			continue
		}
		y := f.y(r.At) - 4
		if y < f.top+8 {
			y += 14
		}
		if math.Abs(y-above) < 11 {
			continue
		}
		p.d.label(f.right-2, y, tinySize, alignEnd, muted, r.Label)
		above = y
	}
}

// markLabels stand beside their marks, below to the right or above to the left: where there
// is room, and no other mark. Without any, the mark's hovering text has it.
func (p *plot) markLabels(f *frame) {
	type place struct{ x, y, wide float64 }
	var taken []place
	free := func(x, y, wide float64) bool {
		for _, t := range taken {
			if x < t.x+t.wide+4 && t.x < x+wide+4 && math.Abs(y-t.y) < 13 {
				return false
			}
		}
		if x < f.left || x+wide > f.right || y > f.bottom {
			return false
		}
		for _, m := range p.fig.Lines.Marks { // a label is from 9 above y to y, a mark 4 to each side
			if at, down := f.x(m.X), f.y(m.Y); at > x-4 && at < x+wide+4 && down > y-12 && down < y+3 {
				return false
			}
		}
		taken = append(taken, place{x, y, wide})
		return true
	}
	for _, m := range p.fig.Lines.Marks {
		x, y, wide := f.x(m.X), f.y(m.Y), textWidth(m.Label, tinySize)
		low, high := min(y+12, f.bottom-3), max(y-5, f.top+9)
		switch {
		case free(x+7, low, wide):
			p.d.label(x+7, low, tinySize, alignStart, ink, m.Label)
		case free(x-7-wide, high, wide):
			p.d.label(x-7, high, tinySize, alignEnd, ink, m.Label)
		case free(x-7-wide, low+12, wide):
			p.d.label(x-7, low+12, tinySize, alignEnd, ink, m.Label)
		}
	}
}

// uprightLabels stand above the area, each beginning at its rule, or further to the left
// where the next one would be in the way. One that is too far from its rule is left out:
// the rule's hovering text has it.
func (p *plot) uprightLabels(f *frame) {
	var rules []chart.Rule
	for _, r := range p.fig.Lines.Rules {
		if r.Along == "x" && r.Label != "" {
			rules = append(rules, r)
		}
	}
	slices.SortStableFunc(rules, func(a, b chart.Rule) int { return cmp.Compare(b.At, a.At) })
	first, next := textWidth(p.fig.Lines.Y.Name(), smallSize)+12, p.d.W+8
	for _, r := range rules {
		x, wide := f.x(r.At), textWidth(r.Label, tinySize)
		at := min(x, next-8-wide)
		if at < first || at+wide < x-8 {
			continue
		}
		p.d.text(at, f.top-8, tinySize, alignStart, muted, r.Label)
		next = at
	}
}
