// Package sheet lays out text for terminals: lines, wrapped sentences, grids of aligned
// cells. It knows what a column is and nothing of what stands in it.
//
// Invariant: no line is longer than the sheet is wide.
package sheet

import (
	"io"
	"strings"
	"unicode/utf8"
)

// MinWidth is the narrowest sheet that still holds a table.
const MinWidth = 60

// A Sheet gathers lines of at most Width columns, and writes them at once.
type Sheet struct {
	Width int
	b     strings.Builder
}

// New returns a sheet for a terminal of width columns; at least 60 are used.
func New(width int) *Sheet { return &Sheet{Width: max(width, MinWidth)} }

// Line adds a line, cut at the width.
func (s *Sheet) Line(text string) {
	s.b.WriteString(Clip(strings.TrimRight(text, " "), s.Width) + "\n")
}

// Blank adds an empty line.
func (s *Sheet) Blank() { s.b.WriteByte('\n') }

// Title starts a section.
func (s *Sheet) Title(text string) {
	s.Blank()
	s.Line(text)
}

// Wrap adds a sentence, broken between words; lines after the first are indented
// as far as the first one's text.
func (s *Sheet) Wrap(indent, text string) {
	line, rest, empty := indent, strings.Repeat(" ", utf8.RuneCountInString(indent)), true
	for _, word := range strings.Fields(text) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > s.Width {
			s.Line(line)
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	s.Line(line)
}

// Grid adds rows of cells in aligned columns, two spaces before the first column
// and between columns. Align has a letter per column: l or r. Where the rows are
// too wide, the first column gives way: its middle is left out.
func (s *Sheet) Grid(align string, rows [][]string) {
	widths := make([]int, len(align))
	total := 0
	for c := range align {
		for _, row := range rows {
			if c < len(row) {
				widths[c] = max(widths[c], utf8.RuneCountInString(row[c]))
			}
		}
		total += widths[c] + 2
	}
	if total > s.Width {
		widths[0] = max(8, widths[0]-(total-s.Width))
	}
	for _, row := range rows {
		var b strings.Builder
		for c, cell := range row {
			if c == 0 {
				cell = Shorten(cell, widths[0])
			}
			pad := strings.Repeat(" ", max(0, widths[c]-utf8.RuneCountInString(cell)))
			b.WriteString("  ")
			if align[c] == 'r' {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		s.Line(b.String())
	}
}

// Write adds text that is laid out already.
func (s *Sheet) Write(text []byte) (int, error) { return s.b.Write(text) }

// Flush writes the sheet to w.
func (s *Sheet) Flush(w io.Writer) error {
	_, err := io.WriteString(w, s.b.String())
	return err
}

// Shorten leaves out the middle of s: names differ at both ends.
func Shorten(s string, width int) string {
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	if width < 4 {
		return string(r[:max(width, 0)])
	}
	head := (width - 2 + 1) / 2
	return string(r[:head]) + ".." + string(r[len(r)-(width-2-head):])
}

// Clip cuts s at the width.
func Clip(s string, width int) string {
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	return string(r[:width])
}
