package svg

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"railyard/internal/out/chart"
)

// Sizes of a graph, in pixels.
const (
	tierHeight = 124.0
	nodeHeight = 22.0
	stagger    = 26.0 // how far every other node of a crowded tier lies lower
)

// graphLayout is where the nodes lie.
type graphLayout struct {
	f    *chart.Figure
	g    *chart.Graph
	w, h float64
	at   map[string]point
	tier map[string]int     // of each node
	thin map[[2]int]float64 // of edges between two tiers: how thin lines are, 1 where they are few
}

// drawGraph draws nodes in tiers, the highest on top. Each half of an edge is the
// direction that leaves the node it is at.
func drawGraph(f *chart.Figure, w float64) *Drawing {
	l := layoutGraph(f, w)
	d := newDrawing(f.Name, w, l.h, f.Title, l.about())
	l.legend(d, 12)
	edges := slices.Clone(l.g.Edges)
	slices.SortStableFunc(edges, func(a, b chart.Edge) int { return cmp.Compare(most(&a), most(&b)) })
	for i := range edges { // the busiest last, on top
		l.edge(d, &edges[i])
	}
	for _, w := range l.g.Ways {
		l.way(d, &w)
	}
	for t := range l.g.Tiers {
		l.nodes(d, t)
	}
	for i := range edges {
		l.ring(d, &edges[i])
	}
	return d
}

// most is the greater load of an edge, -1 without any.
func most(e *chart.Edge) float64 {
	m := -1.0
	for _, s := range []*chart.Side{&e.Up, &e.Down} {
		if !s.Value.None() {
			m = max(m, float64(s.Value))
		}
	}
	return m
}

func layoutGraph(f *chart.Figure, w float64) *graphLayout {
	l := &graphLayout{f: f, g: f.Graph, w: w, at: map[string]point{}, tier: map[string]int{},
		thin: map[[2]int]float64{}}
	y := l.legend(nil, 12) + 18 + nodeHeight
	for t := len(l.g.Tiers) - 1; t >= 0; t-- {
		nodes := l.g.Tiers[t].Nodes
		room := w / float64(max(len(nodes), 1))
		crowded := room < 22
		for i, n := range nodes {
			p := point{room * (float64(i) + 0.5), y}
			if crowded && i%2 == 1 {
				p.Y += stagger
			}
			l.at[n.ID], l.tier[n.ID] = p, t
		}
		if crowded {
			y += stagger
		}
		y += tierHeight
	}
	l.h = y - tierHeight + nodeHeight/2 + 20
	for i := range l.g.Edges {
		l.thin[l.tiers(&l.g.Edges[i])]++
	}
	for k, n := range l.thin {
		l.thin[k] = math.Max(0.35, math.Min(1, math.Sqrt(w/(n*13))))
	}
	return l
}

func (l *graphLayout) about() string {
	var tiers []string
	for _, t := range l.g.Tiers {
		n := 0
		for _, o := range t.Nodes {
			n += o.Count
		}
		tiers = append(tiers, fmt.Sprintf("%s: %d", t.Name, n))
	}
	return "nodes by tier: " + strings.Join(tiers, ", ")
}

// legend draws the ramp and what marks mean, and returns its height.
func (l *graphLayout) legend(d *Drawing, y float64) float64 {
	top := y
	scale(d, &l.g.Load, lineRamp, 0, y)
	y += scaleRow
	x := 0.0
	item := func(name string, mark func(x, y float64)) {
		wide := 24 + textWidth(name, smallSize)
		if x > 0 && x+wide > l.w {
			x, y = 0, y+legendRow
		}
		if d != nil {
			mark(x, y-4)
			d.text(x+24, y, smallSize, alignStart, ink, fit(name, smallSize, l.w-24))
		}
		x += wide + 14
	}
	item("idle", func(x, y float64) { d.line(x, y, x+18, y, 1, grid, "", "") })
	if l.any(func(s *chart.Side) bool { return s.Ringed }) {
		item("busiest port", func(x, y float64) { l.circle(d, point{x + 9, y}, "") })
	}
	if l.any(func(s *chart.Side) bool { return s.Held }) {
		item("held by PFC at some time", func(x, y float64) { d.line(x, y, x+18, y, 3, lineRamp[3], heldDash, "") })
	}
	for _, k := range l.f.Keys {
		item(k.Name, func(x, y float64) { l.casing(d, point{x, y}, point{x + 18, y}, 3, colourOf(k.Ink)) })
	}
	return y - top + legendRow
}

const heldDash = "7 3"

func (l *graphLayout) any(is func(*chart.Side) bool) bool {
	return slices.ContainsFunc(l.g.Edges, func(e chart.Edge) bool { return is(&e.Up) || is(&e.Down) })
}

// edge draws both halves.
func (l *graphLayout) edge(d *Drawing, e *chart.Edge) {
	low, high, ok := l.ends(e)
	if !ok {
		return
	}
	mid := between(low, high, 0.5)
	l.half(d, low, mid, &e.Up, e)
	l.half(d, high, mid, &e.Down, e)
}

func (l *graphLayout) ends(e *chart.Edge) (low, high point, ok bool) {
	low, a := l.at[e.Low]
	high, b := l.at[e.High]
	return low, high, a && b
}

func between(a, b point, t float64) point {
	return point{a.X + float64((b.X-a.X)*t), a.Y + float64((b.Y-a.Y)*t)}
}

func (l *graphLayout) half(d *Drawing, from, to point, s *chart.Side, e *chart.Edge) {
	step := rampStep(&l.g.Load, s.Value, len(lineRamp))
	c, wide, dash := grid, l.width(e, s), ""
	if step >= 0 {
		c = lineRamp[step]
	}
	if s.Held {
		dash = heldDash
	}
	d.line(from.X, from.Y, to.X, to.Y, wide, c, dash, l.tip(s, e))
}

// width grows with the load, so that it does not depend on colour alone.
func (l *graphLayout) width(e *chart.Edge, s *chart.Side) float64 {
	thin := l.thin[l.tiers(e)]
	if s.Value.None() || s.Value <= 0 {
		return thin
	}
	return float64(thin * (1.4 + 3*math.Min(l.g.Load.At(s.Value), 1)))
}

// tiers are those of an edge's ends.
func (l *graphLayout) tiers(e *chart.Edge) [2]int { return [2]int{l.tier[e.Low], l.tier[e.High]} }

func (l *graphLayout) tip(s *chart.Side, e *chart.Edge) string {
	if s.Port == "" {
		return ""
	}
	u := l.g.Load.Unit
	tip := s.Port + ": " + u.Text(s.Value)
	if e.Cables > 1 {
		tip += fmt.Sprintf(" (busiest of %d; mean %s)", e.Cables, u.Text(s.Mean))
	}
	if s.Note != "" {
		tip += "; " + s.Note
	}
	return tip
}

// way draws a path as a casing around its edges.
func (l *graphLayout) way(d *Drawing, w *chart.Way) {
	c := colourOf(chart.Highlight)
	for _, k := range l.f.Keys {
		if k.ID == w.Key {
			c = colourOf(k.Ink)
		}
	}
	for i := 1; i < len(w.Nodes); i++ {
		k := slices.IndexFunc(l.g.Edges, func(e chart.Edge) bool {
			return e.Low == w.Nodes[i-1] && e.High == w.Nodes[i] || e.High == w.Nodes[i-1] && e.Low == w.Nodes[i]
		})
		if k < 0 {
			continue
		}
		e := &l.g.Edges[k]
		if low, high, ok := l.ends(e); ok {
			l.casing(d, low, high, max(l.width(e, &e.Up), l.width(e, &e.Down)), c)
			l.edge(d, e)
		}
	}
}

// casing is the edge of a road on a map: two lines with paper between.
func (l *graphLayout) casing(d *Drawing, a, b point, wide float64, c colour) {
	d.line(a.X, a.Y, b.X, b.Y, wide+5.5, c, "", "")
	d.line(a.X, a.Y, b.X, b.Y, wide+3, paper, "", "")
}

// nodes draws a tier: by name, or where names are too long by number.
func (l *graphLayout) nodes(d *Drawing, tier int) {
	t := &l.g.Tiers[tier]
	room := l.w / float64(max(len(t.Nodes), 1))
	if room < 22 {
		room *= 2 // staggered
	}
	short := slices.ContainsFunc(t.Nodes, func(n chart.Node) bool { return textWidth(n.Label, smallSize)+12 > room })
	for _, n := range t.Nodes {
		p, label := l.at[n.ID], n.Label
		if short {
			label = shortLabel(&n)
		}
		wide := min(textWidth(label, smallSize)+12, room-2)
		x := min(max(p.X-wide/2, 1), l.w-wide-1)
		tip := n.Label
		if n.Alert != "" {
			tip += " " + n.Alert
			d.rect(x-3, p.Y-nodeHeight/2-3, wide+6, nodeHeight+6, colourOf(chart.Alarm), tip)
		}
		d.rect(x-1, p.Y-nodeHeight/2-1, wide+2, nodeHeight+2, paper, "")
		if n.Count > 1 { // a stack
			d.rect(x+2, p.Y-nodeHeight/2-3, wide, nodeHeight, muted, "")
			d.rect(x+1, p.Y-nodeHeight/2-2, wide, nodeHeight, paper, "")
		}
		d.rect(x, p.Y-nodeHeight/2, wide, nodeHeight, grid, tip)
		d.text(x+wide/2, p.Y+4, smallSize, alignMiddle, ink, label)
	}
	if short {
		y := l.at[t.Nodes[min(1, len(t.Nodes)-1)].ID].Y + nodeHeight/2 + 13 // the second lies lower, if any does
		if tier == len(l.g.Tiers)-1 && tier > 0 {
			y = l.at[t.Nodes[0].ID].Y - nodeHeight/2 - 5
		}
		d.label(0, y, tinySize, alignStart, muted, t.Name+" by number")
	}
}

// shortLabel is the number at the end of a name; of several, how many they are.
func shortLabel(n *chart.Node) string {
	if n.Count > 1 {
		return fmt.Sprintf("×%d", n.Count)
	}
	number := n.Label[len(strings.TrimRight(n.Label, "0123456789")):]
	if number == "" {
		return n.Label
	}
	return number
}

// ring marks a port at its node's half of the edge, and names it.
func (l *graphLayout) ring(d *Drawing, e *chart.Edge) {
	low, high, ok := l.ends(e)
	if !ok {
		return
	}
	for i, s := range []*chart.Side{&e.Up, &e.Down} {
		if !s.Ringed {
			continue
		}
		p := between(low, high, 0.27)
		if i == 1 {
			p = between(high, low, 0.27)
		}
		l.circle(d, p, l.tip(s, e))
		label := s.Port + " " + l.g.Load.Unit.Text(s.Value)
		wide := textWidth(label, smallSize)
		x := p.X + 13
		if x+wide > l.w {
			x = p.X - 13 - wide
		}
		d.rect(x-2, p.Y-8, wide+2, 16, paper, "")
		d.text(x, p.Y+4, smallSize, alignStart, ink, label)
	}
}

func (l *graphLayout) circle(d *Drawing, p point, tip string) {
	fmt.Fprintf(&d.b, `<circle cx="%s" cy="%s" r="8" fill="none" stroke-width="2" %s`,
		num(p.X), num(p.Y), colourOf(chart.Highlight).stroke())
	d.end("circle", tip)
}
