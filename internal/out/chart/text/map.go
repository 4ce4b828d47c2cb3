package text

import (
	"fmt"
	"math"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/out/chart"
)

// shades are the characters of a map from little to much; zero is a dot, no value a blank. Below zero
// they are digits.
const (
	shades = ":-=+*#%@"
	under  = "12345678"
)

// names is how wide the names of rows are at most.
const names = 22

// drawMap draws a row of characters for each row. Neighbouring columns that share a
// character show the greatest of them.
//
//	            from 0, . : - = + * # % @ 450 kB (mean length)
//	rail to host
//	rail1/host1  :=@#:=@#:=@#
//	             0 ... 8.2 ms
func drawMap(s *sheet.Sheet, f *chart.Figure) {
	m := f.Map
	left := 0
	for _, r := range m.Rows {
		left = max(left, min(len([]rune(r)), names))
	}
	room := s.Width - left - 4
	s.Line(fmt.Sprintf("  %s: %s", m.Value.Label, shadesText(&m.Value)))
	for i, row := range m.Cells {
		for _, g := range m.Groups {
			if g.First == i && m.X != nil {
				s.Line("  " + g.Name)
			}
		}
		s.Line(fmt.Sprintf("  %-*s  %s", left, sheet.Shorten(m.Rows[i], left), cells(&m.Value, row, room)))
	}
	end := "columns: " + m.ColName + ", in the order of the rows"
	if m.X != nil {
		end = m.X.Label + " from " + m.X.Unit.Text(m.X.Low) + " to " + m.X.Unit.Text(m.X.High)
	}
	s.Line(strings.Repeat(" ", left+4) + end)
	for _, r := range m.Ringed {
		s.Wrap(strings.Repeat(" ", left+4), m.Rows[r.Row]+": "+r.Note)
	}
}

func shadesText(a *chart.Axis) string {
	out := "0 ."
	if a.Signed() {
		out = a.Unit.Text(a.Low)
		for i := len(under) - 1; i >= 0; i-- {
			out += " " + under[i:i+1]
		}
		out += " ."
	}
	if a.Log {
		out = "0 . " + a.Unit.Text(a.Low)
	}
	for _, c := range shades {
		out += " " + string(c)
	}
	out += " " + a.Unit.Text(a.High)
	if a.Log {
		out += ", log scale"
	}
	return out
}

// cells draws a row: of few columns two characters each, of many several to a character.
func cells(a *chart.Axis, row []chart.Value, room int) string {
	each := (len(row) + room - 1) / max(room, 1)
	wide := 1
	if 2*len(row) <= room {
		wide = 2
	}
	var b strings.Builder
	for i := 0; i < len(row); i += max(each, 1) {
		most := chart.Nothing
		for _, v := range row[i:min(i+each, len(row))] {
			if most.None() || a.Beyond(v, most) {
				most = v
			}
		}
		b.WriteString(strings.Repeat(shade(a, most), wide))
	}
	return b.String()
}

func shade(a *chart.Axis, v chart.Value) string {
	switch {
	case v.None():
		return " "
	case v < 0 && a.Signed():
		return of(under, -v/a.High)
	case v <= 0:
		return "."
	case a.Signed():
		return of(shades, v/a.High)
	}
	return of(shades, chart.Value(a.At(v)))
}

// of is the character of a part of what there is at most.
func of(shades string, part chart.Value) string {
	i := int(math.Ceil(float64(part)*float64(len(shades)))) - 1
	i = min(max(i, 0), len(shades)-1)
	return shades[i : i+1]
}
