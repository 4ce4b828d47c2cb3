package svg

import (
	"fmt"
	"math"
	"strings"

	"railyard/internal/out/chart"
)

// Sizes of a map, in pixels.
const (
	mapRowLow  = 11.0  // of many rows
	mapRowHigh = 16.0  // of few
	mapHeading = 21.0  // over a group of rows
	matrixCell = 30.0  // at most
	matrixSide = 540.0 // of all rows, at most
)

// mapLayout is where the parts of a map lie.
type mapLayout struct {
	f           *chart.Figure
	m           *chart.Map
	left, right float64
	top, bottom float64
	cellH       float64
	groups      []chart.Group // one for all where the map has none, or is a matrix
	headed      bool
}

// drawMap draws a value for each row and column: a matrix is square where there is room,
// a map over time takes the width. The cells of a group of rows are one inner <svg
// class="area">, a unit for each row and column, whose data-first and data-count say which
// rows it has.
func drawMap(f *chart.Figure, w float64) *Drawing {
	l := layoutMap(f, w)
	d := newDrawing(f.Name, w, l.height(), f.Title, l.about())
	l.legend(d)
	y := l.top
	tops := make([]float64, len(l.m.Rows))
	for _, g := range l.groups {
		if l.headed {
			d.text(l.left, y+mapHeading-6, smallSize, alignStart, muted, fit(g.Name, smallSize, l.right-l.left))
			y += mapHeading
		}
		l.cells(d, g, y)
		for i := range g.Count {
			tops[g.First+i] = y
			y += l.cellH
		}
	}
	l.rowNames(d, tops)
	if l.m.X != nil {
		fr := frame{d: d, left: l.left, right: l.right, top: l.top, bottom: l.bottom, axisX: l.m.X}
		fr.xAxis()
	} else {
		l.separators(d)
		l.columnNames(d)
	}
	l.rings(d, tops)
	return d
}

func layoutMap(f *chart.Figure, w float64) *mapLayout {
	m := f.Map
	l := &mapLayout{f: f, m: m, top: scaleRow + 8, right: w - 10, groups: m.Groups}
	for _, r := range m.Rows {
		l.left = max(l.left, textWidth(r, tinySize)+8)
	}
	if m.X == nil {
		l.left = max(l.left, textWidth(m.RowName, tinySize)+8) // stands over the rows' names
	}
	l.left = math.Ceil(min(l.left, 0.32*w))
	rows := float64(len(m.Rows))
	if m.X != nil {
		l.cellH = mapRowHigh
		if len(m.Rows) > 16 {
			l.cellH = mapRowLow
		}
		l.headed = len(m.Groups) > 0
	} else {
		l.groups = nil
		l.top += 14 // for the names of both sides
		side := min((l.right-l.left)/float64(max(len(m.Columns), 1)), matrixCell, matrixSide/max(rows, 1))
		l.right = l.left + side*float64(len(m.Columns))
		l.cellH = side
	}
	if len(l.groups) == 0 {
		l.groups = []chart.Group{{Count: len(m.Rows)}}
	}
	l.bottom = l.top + l.cellH*rows
	if l.headed {
		l.bottom += mapHeading * float64(len(l.groups))
	}
	return l
}

// nameRoom is what the names of columns take below a matrix.
func (l *mapLayout) nameRoom() float64 {
	most := 0.0
	for _, c := range l.m.Columns {
		most = max(most, textWidth(c, tinySize))
	}
	return min(most*0.72, 80) + 14
}

func (l *mapLayout) height() float64 {
	if l.m.X != nil {
		return l.bottom + 40
	}
	return l.bottom + l.nameRoom()
}

func (l *mapLayout) about() string {
	columns := fmt.Sprintf("%d columns", l.columns())
	if l.m.X != nil {
		columns = fmt.Sprintf("%d parts of the %s", l.columns(), l.m.X.Label)
	}
	return fmt.Sprintf("%s of %d rows and %s, at most %s",
		l.m.Value.Label, len(l.m.Rows), columns, l.m.Value.Unit.Text(l.m.Value.High))
}

func (l *mapLayout) columns() int {
	if len(l.m.Cells) == 0 {
		return 1
	}
	return max(len(l.m.Cells[0]), 1)
}

func (l *mapLayout) legend(d *Drawing) {
	wide := scale(d, &l.m.Value, ramp[:], 0, 12)
	if l.blanks() && wide+120 < d.W {
		d.rect(wide+10, 2, 12, 11, grid, "")
		d.rect(wide+11, 3, 10, 9, paper, "")
		d.text(wide+28, 12, smallSize, alignStart, ink, "not counted")
	}
}

func (l *mapLayout) blanks() bool {
	for _, row := range l.m.Cells {
		for _, v := range row {
			if v.None() {
				return true
			}
		}
	}
	return false
}

// cells draws the rows of a group: a path for each colour, of runs of equal cells.
func (l *mapLayout) cells(d *Drawing, g chart.Group, y float64) {
	n := l.columns()
	fmt.Fprintf(&d.b, `<svg class="area" data-first="%d" data-count="%d" x="%s" y="%s" width="%s" height="%s" `+
		`viewBox="0 0 %d %d" preserveAspectRatio="none" shape-rendering="crispEdges">`+"\n", g.First, g.Count,
		num(l.left), num(y), num(l.right-l.left), num(l.cellH*float64(g.Count)), n, g.Count)
	d.rect(0, 0, float64(n), float64(g.Count), soft, "")
	paths := make(map[int]*strings.Builder)
	for r := range g.Count {
		row := l.m.Cells[g.First+r]
		for c := 0; c < len(row); {
			step := l.step(row[c])
			end := c + 1
			for end < len(row) && l.step(row[end]) == step {
				end++
			}
			if step != empty {
				if paths[step] == nil {
					paths[step] = &strings.Builder{}
				}
				fmt.Fprintf(paths[step], "M%d %dh%dv1h-%dz", c, r, end-c, end-c)
			}
			c = end
		}
	}
	for step := negative(len(under) - 1); step < len(ramp); step++ {
		if p := paths[step]; p != nil {
			fmt.Fprintf(&d.b, "<path %s d=\"%s\"/>\n", colourOfStep(step).fill(), p.String())
		}
	}
	for r := range g.Count {
		fmt.Fprintf(&d.b, `<rect y="%d" width="%d" height="1" fill="none" pointer-events="all"`, r, n)
		d.end("rect", l.rowTip(g.First+r))
	}
	d.b.WriteString("</svg>\n")
}

// What a cell is drawn with that has no colour of the ramp.
const (
	empty = -1 // zero: the background
	blank = -2 // no value: the paper
)

// negative is the step of a value below zero that is a step of the other ramp.
func negative(step int) int { return blank - 1 - step }

func colourOfStep(step int) colour {
	switch {
	case step >= 0:
		return ramp[step]
	case step < blank:
		return under[negative(step)]
	}
	return paper
}

func (l *mapLayout) step(v chart.Value) int {
	switch {
	case v.None():
		return blank
	case v < 0 && l.m.Value.Signed():
		return negative(rampStep(&l.m.Value, -v, len(under)))
	}
	return rampStep(&l.m.Value, v, len(ramp))
}

// rowTip says what a row has at most, and where.
func (l *mapLayout) rowTip(r int) string {
	best, at := chart.Value(0), -1
	for c, v := range l.m.Cells[r] {
		if !v.None() && l.m.Value.Beyond(v, best) {
			best, at = v, c
		}
	}
	if at < 0 {
		return l.m.Rows[r] + ": 0"
	}
	where := l.m.ColName
	if l.m.X != nil {
		x := l.m.X.Low + (l.m.X.High-l.m.X.Low)*chart.Value(float64(at)/float64(l.columns()))
		where = "from " + l.m.X.Unit.Text(x) + " on"
	} else {
		where += " " + l.m.Columns[at]
	}
	if l.m.Value.Signed() {
		return fmt.Sprintf("%s: furthest from zero %s, %s", l.m.Rows[r], l.m.Value.Unit.Text(best), where)
	}
	return fmt.Sprintf("%s: at most %s, %s", l.m.Rows[r], l.m.Value.Unit.Text(best), where)
}

// rowNames writes every name that has room.
func (l *mapLayout) rowNames(d *Drawing, tops []float64) {
	if l.m.X == nil {
		d.text(l.left-6, l.top-6, tinySize, alignEnd, muted, l.m.RowName)
	}
	every := int(math.Ceil(10.5 / l.cellH))
	if every > 1 && len(l.m.Groups) > 0 {
		for _, g := range l.m.Groups {
			y := tops[g.First] + l.cellH*float64(g.Count)/2 + 3.5
			d.text(l.left-6, y, tinySize, alignEnd, ink, fit(g.Name, tinySize, l.left-6))
		}
		return
	}
	for i, name := range l.m.Rows {
		if i%every == 0 {
			d.text(l.left-6, tops[i]+l.cellH/2+3.5, tinySize, alignEnd, ink, fit(name, tinySize, l.left-6))
		}
	}
}

// columnNames writes every name that has room, turned.
func (l *mapLayout) columnNames(d *Drawing) {
	n := len(l.m.Columns)
	cell := (l.right - l.left) / float64(max(n, 1))
	d.text(l.left, l.top-6, tinySize, alignStart, muted, l.m.ColName)
	every := int(math.Ceil(12 / cell))
	if every > 1 { // not one beside the other: so far apart that lines of turned text do not touch
		every = int(math.Ceil(16 / cell))
	}
	if every > 1 && len(l.m.Groups) > 0 {
		for _, g := range l.m.Groups {
			l.columnName(d, g.Name, float64(g.First)+float64(g.Count)/2)
		}
		return
	}
	for i := 0; i < n; i += every {
		l.columnName(d, l.m.Columns[i], float64(i)+0.5)
	}
}

// columnName writes a name below a place, counted in columns.
func (l *mapLayout) columnName(d *Drawing, name string, at float64) {
	x := l.left + (l.right-l.left)*at/float64(len(l.m.Columns)) + 4
	d.turned(x, l.bottom+9, tinySize, -45, alignEnd, ink, fit(name, tinySize, min(110, x*1.4)))
}

// separators draws lines between groups of a matrix.
func (l *mapLayout) separators(d *Drawing) {
	cell := (l.right - l.left) / float64(max(len(l.m.Columns), 1))
	for _, g := range l.m.Groups {
		if g.First == 0 {
			continue
		}
		x, y := l.left+cell*float64(g.First), l.top+l.cellH*float64(g.First)
		d.line(x, l.top, x, l.bottom, 1, paper, "", "")
		d.line(l.left, y, l.right, y, 1, paper, "", "")
	}
}

func (l *mapLayout) rings(d *Drawing, tops []float64) {
	cell := (l.right - l.left) / float64(l.columns())
	for _, r := range l.m.Ringed {
		x, wide := l.left+cell*float64(r.Column), max(cell, 5)
		x -= (wide - cell) / 2
		fmt.Fprintf(&d.b, `<rect x="%s" y="%s" width="%s" height="%s" rx="2" fill="none" stroke-width="1.6" %s`,
			num(x-2), num(tops[r.Row]-1.5), num(wide+4), num(l.cellH+3), colourOf(chart.Highlight).stroke())
		d.end("rect", r.Note)
	}
}
