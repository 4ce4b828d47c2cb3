package text

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"railyard/internal/base/sheet"
	"railyard/internal/out/chart"
)

// bars draws a line of letters for each row: a letter for each part that fills most of a
// column.
func (c *canvas) bars(b *chart.Bars) {
	label := 0
	for i := range b.Rows {
		label = max(label, utf8.RuneCountInString(b.Rows[i].Label))
	}
	label = min(label, c.Width*9/20)
	long := c.Width - label - 4
	for i := range b.Rows { // as long as what is said after each lets it
		if end := b.X.At(b.Rows[i].Sum()); end > 0 {
			room := c.Width - label - 7 - utf8.RuneCountInString(b.Rows[i].Note)
			long = min(long, int(float64(room)/end))
		}
	}
	long = max(long, 8)
	group := ""
	for i := range b.Rows {
		r := &b.Rows[i]
		if r.Group != group {
			group = r.Group
			c.Line("  " + sheet.Shorten(group, c.Width-2))
		}
		cols, at := newColumns(long, ' ', 0), chart.Value(0)
		for k := range r.Parts {
			p := &r.Parts[k]
			cols.mark(b.X.At(at), b.X.At(at+p.Value), c.letters[p.Key])
			at += p.Value
		}
		c.Line("  " + padded(r.Label, label) + "  " + strings.TrimRight(cols.String(), " ") + "  " + r.Note)
	}
	c.legend(c.amounts(b), true)
}

// padded is s in exactly n columns.
func padded(s string, n int) string {
	s = sheet.Shorten(s, n)
	return s + strings.Repeat(" ", n-utf8.RuneCountInString(s))
}

// amounts is how much the first row that has a key has of it.
func (c *canvas) amounts(b *chart.Bars) map[string]string {
	out := map[string]string{}
	for i := range b.Rows {
		whole := b.Rows[i].Whole()
		for _, p := range b.Rows[i].Parts {
			if _, said := out[p.Key]; !said && whole > 0 {
				out[p.Key] = fmt.Sprintf("%s (%s)", b.X.Unit.Text(p.Value), chart.Fraction.Text(p.Value/whole))
			}
		}
	}
	return out
}
