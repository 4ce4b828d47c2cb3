package chart

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Check returns what keeps a figure from being drawn: the invariants of this package that
// it breaks, all of them.
func Check(f *Figure) error {
	c := checker{figure: f.Name, keys: map[string]bool{}, used: map[string]bool{}}
	if f.Name == "" || strings.Trim(f.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		c.problem("name %q: want letters a to z, digits and hyphens", f.Name)
	}
	inks := map[Ink]string{}
	for _, k := range f.Keys {
		if k.ID == "" || c.keys[k.ID] {
			c.problem("key %q: want an ID of its own", k.ID)
		}
		c.keys[k.ID] = true
		if other, taken := inks[k.Ink]; taken {
			c.problem("keys %q and %q have one ink, %s", other, k.ID, k.Ink)
		}
		inks[k.Ink] = k.ID
	}
	c.plots(f)
	for _, k := range f.Keys {
		if !c.used[k.ID] {
			c.problem("key %q: no mark has it", k.ID)
		}
	}
	return errors.Join(c.problems...)
}

type checker struct {
	figure     string
	keys, used map[string]bool
	problems   []error
}

func (c *checker) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Errorf("chart: figure %s: "+format, append([]any{c.figure}, args...)...))
}

func (c *checker) plots(f *Figure) {
	plots := 0
	if f.Lines != nil {
		plots++
		c.lines(f.Lines)
	}
	if f.Bars != nil {
		plots++
		c.bars(f.Bars)
	}
	if f.Lanes != nil {
		plots++
		c.lanes(f.Lanes)
	}
	if f.Map != nil {
		plots++
		c.cells(f.Map)
	}
	if f.Graph != nil {
		plots++
		c.graph(f.Graph)
	}
	if plots != 1 {
		c.problem("%d plots: want one", plots)
	}
}

// key notes that a mark has a legend entry.
func (c *checker) key(where, id string) {
	c.used[id] = true
	if !c.keys[id] {
		c.problem("%s: no key %q", where, id)
	}
}

// values checks that all are finite.
func (c *checker) values(where string, all ...Value) {
	for i, v := range all {
		if v.None() || math.IsInf(float64(v), 0) {
			c.problem("%s: value %d is %v: want a finite one", where, i, float64(v))
			return
		}
	}
}

// open checks that all are finite or Nothing.
func (c *checker) open(where string, all ...Value) {
	for i, v := range all {
		if math.IsInf(float64(v), 0) {
			c.problem("%s: value %d is %v: want a finite one or Nothing", where, i, float64(v))
			return
		}
	}
}

func (c *checker) axis(name string, a *Axis) {
	c.values("axis "+name, a.Low, a.High)
	if a.Low >= a.High {
		c.problem("axis %s: from %v to %v: want some length", name, float64(a.Low), float64(a.High))
	}
	if a.Log && a.Low <= 0 {
		c.problem("axis %s: logarithmic from %v: want a bound above 0", name, float64(a.Low))
	}
	c.values("stops of axis "+name, a.Stops...)
	if len(a.Stops) != len(a.Stopped) {
		c.problem("axis %s: %d stops with %d names: want as many of each", name, len(a.Stops), len(a.Stopped))
	}
	if n := len(a.Stops); n > 0 && (!slices.IsSorted(a.Stops) || a.Stops[0] < a.Low || a.Stops[n-1] > a.High) {
		c.problem("axis %s: stops from %v to %v: want them ascending, between %v and %v", name, float64(a.Stops[0]),
			float64(a.Stops[n-1]), float64(a.Low), float64(a.High))
	}
}

func (c *checker) lines(l *Lines) {
	c.axis("X", &l.X)
	c.axis("Y", &l.Y)
	for i := range l.Series {
		s := &l.Series[i]
		where := fmt.Sprintf("series %d", i)
		c.key(where, s.Key)
		c.values(where+", X", s.X...)
		c.open(where+", Y", slices.Concat(s.Y, s.Low, s.High)...)
		if len(s.Y) != len(s.X) || len(s.Low) != len(s.High) || s.Low != nil && len(s.Low) != len(s.X) {
			c.problem("%s: %d X, %d Y, %d low, %d high: want as many of each", where,
				len(s.X), len(s.Y), len(s.Low), len(s.High))
			continue
		}
		if s.Shape != Points && !slices.IsSorted(s.X) {
			c.problem("%s: X does not ascend", where)
		}
		for k := range s.Low {
			if s.Low[k].None() != s.High[k].None() || s.Low[k] > s.High[k] {
				c.problem("%s: band from %v to %v at %d", where, float64(s.Low[k]), float64(s.High[k]), k)
				break
			}
		}
	}
	c.behind(l)
}

// behind checks what lies behind and over the lines.
func (c *checker) behind(l *Lines) {
	for i, z := range l.Zones {
		where := fmt.Sprintf("zone %d", i)
		c.key(where, z.Key)
		c.open(where, z.From, z.To)
		if z.From >= z.To {
			c.problem("%s: from %v to %v", where, float64(z.From), float64(z.To))
		}
	}
	for i, r := range l.Rules {
		where := fmt.Sprintf("rule %d", i)
		c.key(where, r.Key)
		c.values(where, r.At)
		if r.Along != "x" && r.Along != "y" {
			c.problem("%s: axis %q: want x or y", where, r.Along)
		}
	}
	for i, m := range l.Marks {
		where := fmt.Sprintf("mark %d", i)
		c.key(where, m.Key)
		c.values(where, m.X, m.Y)
	}
}

func (c *checker) bars(b *Bars) {
	c.axis("X", &b.X)
	for i := range b.Rows {
		for k, p := range b.Rows[i].Parts {
			where := fmt.Sprintf("bar %d, part %d", i, k)
			c.key(where, p.Key)
			c.values(where, p.Value)
			if p.Value < 0 {
				c.problem("%s: value %v: want at least 0", where, float64(p.Value))
			}
		}
		if r := b.Rows[i].Reach; r != nil {
			where := fmt.Sprintf("bar %d, reach", i)
			c.key(where, r.Key)
			c.values(where, r.Value)
		}
	}
}

func (c *checker) lanes(l *Lanes) {
	c.axis("X", &l.X)
	for i := range l.Lanes {
		for k, s := range l.Lanes[i].Spans {
			where := fmt.Sprintf("lane %d, span %d", i, k)
			c.key(where, s.Key)
			c.values(where, s.From, s.To)
			if s.From > s.To {
				c.problem("%s: from %v to %v", where, float64(s.From), float64(s.To))
			}
		}
	}
	for i, k := range l.Links {
		where := fmt.Sprintf("link %d", i)
		c.key(where, k.Key)
		c.values(where, k.At, k.Then)
		if n := len(l.Lanes); min(k.From, k.To) < 0 || max(k.From, k.To) >= n {
			c.problem("%s: from lane %d to lane %d of %d", where, k.From, k.To, n)
		}
	}
}

func (c *checker) cells(m *Map) {
	c.axis("value", &m.Value)
	if m.Value.Signed() && m.Value.Low != -m.Value.High {
		c.problem("map: values from %v to %v: want as far below zero as above", float64(m.Value.Low), float64(m.Value.High))
	}
	width := len(m.Columns)
	if m.X != nil {
		c.axis("X", m.X)
		if m.Columns != nil {
			c.problem("map: columns have names and an axis: want one of them")
		} else if len(m.Cells) > 0 {
			width = len(m.Cells[0])
		}
	}
	if len(m.Cells) != len(m.Rows) {
		c.problem("map: %d rows of cells, %d names", len(m.Cells), len(m.Rows))
	}
	for i, row := range m.Cells {
		c.open(fmt.Sprintf("map, row %d", i), row...)
		if len(row) != width {
			c.problem("map, row %d: %d cells, want %d", i, len(row), width)
		}
	}
	for _, g := range m.Groups {
		if g.First < 0 || g.Count < 1 || g.First+g.Count > len(m.Rows) {
			c.problem("map, group %s: %d rows from %d, of %d", g.Name, g.Count, g.First, len(m.Rows))
		}
	}
	for _, r := range m.Ringed {
		if r.Row < 0 || r.Row >= len(m.Rows) || r.Column < 0 || r.Column >= width {
			c.problem("map, ring at row %d, column %d of %d, %d", r.Row, r.Column, len(m.Rows), width)
		}
	}
	for id := range c.keys { // a map's legend is its ramp; keys explain rings
		c.used[id] = true
	}
}

func (c *checker) graph(g *Graph) {
	c.axis("load", &g.Load)
	nodes := map[string]bool{}
	for _, t := range g.Tiers {
		for _, n := range t.Nodes {
			if nodes[n.ID] {
				c.problem("graph, node %q: want an ID of its own", n.ID)
			}
			nodes[n.ID] = true
		}
	}
	for _, e := range g.Edges {
		c.open(fmt.Sprintf("graph, edge %s to %s", e.Low, e.High), e.Up.Value, e.Down.Value)
		if !nodes[e.Low] || !nodes[e.High] {
			c.problem("graph, edge %s to %s: no such node", e.Low, e.High)
		}
	}
	for i, w := range g.Ways {
		c.key(fmt.Sprintf("graph, way %d", i), w.Key)
		for _, n := range w.Nodes {
			if !nodes[n] {
				c.problem("graph, way %d: no node %q", i, n)
			}
		}
	}
	for id := range c.keys { // a graph's rings and alerts name none
		c.used[id] = true
	}
}
