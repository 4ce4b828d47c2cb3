package text

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"railyard/internal/out/chart"
)

// lineRows is how high a plot is.
const lineRows = 8

// lines draws a plot of lineRows rows: a letter for each series where its value lies, and
// all the way down for one that is filled. A point is where a band reaches, a hyphen a rule.
//
//	60 us |  #
//	      | ###.
//	    0 +--------
//	      0       10
func (c *canvas) lines(l *chart.Lines) {
	names := map[int]string{}
	label := len(l.Y.Unit.Text(l.Y.Low))
	p := &plane{Lines: l, letters: c.letters}
	for _, v := range l.Y.Ticks(3).At {
		if row := p.row(v); v > l.Y.Low && row >= 0 {
			names[row] = l.Y.Unit.Text(v)
			label = max(label, len(names[row]))
		}
	}
	n := max(c.Width-label-5, 8)
	for range lineRows {
		p.grid = append(p.grid, []byte(strings.Repeat(" ", n)))
	}
	p.rules("y")
	for i := range l.Series {
		p.band(&l.Series[i])
	}
	for i := range l.Series {
		p.series(&l.Series[i])
	}
	p.rules("x")
	for _, m := range l.Marks {
		p.set(p.column(m.X), p.row(m.Y), '@')
	}
	for i, row := range p.grid {
		c.Line(fmt.Sprintf("  %*s |%s", label, names[i], row))
	}
	c.Line(fmt.Sprintf("  %*s +%s", label, l.Y.Unit.Text(l.Y.Low), strings.Repeat("-", n)))
	c.Line(fmt.Sprintf("  %*s  %s", label, "", ends(&l.X, n)))
	c.said(l)
}

// said is the legend: series by their letters, rules and marks with their values.
func (c *canvas) said(l *chart.Lines) {
	notes := map[string]string{}
	for _, s := range l.Series {
		notes[s.Key] = ""
	}
	var more []string
	if slices.ContainsFunc(l.Series, func(s chart.Series) bool { return s.Low != nil }) {
		more = append(more, ". band")
	}
	for _, r := range l.Rules {
		u := l.Y.Unit
		if r.Along == "x" {
			u = l.X.Unit
		}
		text := r.Label
		if text == "" {
			text = c.name(r.Key)
		}
		if !strings.Contains(text, u.Text(r.At)) {
			text += " " + u.Text(r.At)
		}
		more = append(more, text)
	}
	for _, m := range l.Marks {
		more = append(more, "@ "+m.Label)
	}
	for _, z := range l.Zones {
		text := c.name(z.Key)
		if strings.Contains(text, l.Y.Unit.Text(z.From)) {
			more = append(more, text) // it says so itself
			continue
		}
		if !z.From.None() {
			text += " from " + l.Y.Unit.Text(z.From)
		}
		if !z.To.None() {
			text += " to " + l.Y.Unit.Text(z.To)
		}
		more = append(more, text)
	}
	c.legend(notes, true, more...)
}

func (c *canvas) name(key string) string {
	for _, k := range c.fig.Keys {
		if k.ID == key {
			return k.Name
		}
	}
	return key
}

// plane is the rows of a plot, the highest first.
type plane struct {
	*chart.Lines
	grid    [][]byte
	letters map[string]byte
}

// row is where a value lies; -1: outside.
func (p *plane) row(v chart.Value) int {
	if v.None() {
		return -1
	}
	at := p.Y.At(v)
	if math.IsNaN(at) || at < 0 || at > 1 {
		return -1
	}
	return min(int((1-at)*lineRows), lineRows-1)
}

// column is where a value lies.
func (p *plane) column(v chart.Value) int {
	n := len(p.grid[0])
	return min(max(int(p.X.At(v)*float64(n)+1e-9), 0), n-1)
}

func (p *plane) set(column, row int, letter byte) {
	if row >= 0 {
		p.grid[row][column] = letter
	}
}

// rules draws those along an axis.
func (p *plane) rules(along string) {
	for _, r := range p.Rules {
		switch {
		case r.Along != along:
		case along == "x":
			for row := range p.grid {
				p.set(p.column(r.At), row, '|')
			}
		default:
			for column := range p.grid[0] {
				p.set(column, p.row(r.At), '-')
			}
		}
	}
}

// reach is the columns of a value: of points, and of the last one of a line, one.
func (p *plane) reach(s *chart.Series, i int) (from, to int) {
	from = p.column(s.X[i])
	held := s.Shape == chart.Held || s.Shape == chart.Filled
	switch {
	case s.Shape == chart.Points || i+1 == len(s.X) && !held:
		return from, from + 1
	case i+1 == len(s.X):
		return from, len(p.grid[0])
	}
	return from, max(p.column(s.X[i+1]), from+1)
}

func (p *plane) band(s *chart.Series) {
	for i := range s.Low {
		low, high := p.row(s.Low[i]), p.row(s.High[i])
		if low < 0 || high < 0 {
			continue
		}
		from, to := p.reach(s, i)
		for column := from; column < to; column++ {
			for row := high; row <= low; row++ {
				p.set(column, row, '.')
			}
		}
	}
}

func (p *plane) series(s *chart.Series) {
	for i, v := range s.Y {
		row, down := p.row(v), p.row(v)
		if row < 0 || s.Shape == chart.Filled && v <= p.Y.Low {
			continue
		}
		if s.Shape == chart.Filled {
			down = lineRows - 1
		}
		from, to := p.reach(s, i)
		for column := from; column < to; column++ {
			for r := row; r <= down; r++ {
				p.set(column, r, p.letters[s.Key])
			}
		}
	}
}

// ends is what stands below an axis of n columns: where it begins and ends, and between
// them what it is.
func ends(a *chart.Axis, n int) string {
	if len(a.Stops) > 0 {
		return stops(a, n)
	}
	first, last := a.Unit.Text(a.Low), a.Unit.Text(a.High)
	room := n - len(first) - len(last)
	label := " " + a.Label + " "
	if a.Label == "" || len(label) > room {
		label = ""
	}
	left := max((room-len(label))/2, 0)
	return first + strings.Repeat(" ", left) + label + strings.Repeat(" ", max(room-len(label)-left, 1)) + last
}

// stops is what stands below an axis along which some values were tried: these, the last one and those that have room.
func stops(a *chart.Axis, n int) string {
	row := []byte(strings.Repeat(" ", n))
	left := func(i int) int {
		return max(min(int(a.At(a.Stops[i])*float64(n)+1e-9), n-len(a.Stopped[i])), 0)
	}
	last := len(a.Stops) - 1
	free, end := 0, left(last)
	for i := range a.Stops {
		if at := left(i); at >= free && (i == last || at+len(a.Stopped[i]) < end) {
			free = at + copy(row[at:], a.Stopped[i]) + 1
		}
	}
	return strings.TrimRight(string(row), " ")
}
