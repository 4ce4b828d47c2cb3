package sheet

import (
	"slices"
	"strings"
	"unicode/utf8"

	"railyard/internal/base/shown"
)

const (
	gap       = 2 // blanks before each column
	leastName = 8 // columns that are left of a first column
	leastWord = 20
)

// Grid adds rows of cells in aligned columns, two blanks before each. Align has a letter per
// column: l and r for the side on which its cells stand, w for words, on the left. Where the
// rows are too wide, the column of words is broken into lines; if that is not enough, the
// middle of the cells in the first column is left out. A row may end early; a row of one
// cell is a sentence below the row before it, four blanks in and as many more as it begins
// with, and an empty row is a blank line.
func (s *Sheet) Grid(align string, rows [][]string) {
	rows = shownRows(rows)
	widths := s.fit(align, rows)
	for _, row := range rows {
		switch len(row) {
		case 0:
			s.Blank()
		case 1:
			if len(align) > 1 {
				text := strings.TrimLeft(row[0], " ")
				s.Wrap("    "+row[0][:len(row[0])-len(text)], text)
				continue
			}
			fallthrough
		default:
			s.row(align, widths, row)
		}
	}
}

// shownRows returns the cells as they are shown, for that is what takes columns.
func shownRows(rows [][]string) [][]string {
	out := slices.Clone(rows)
	for r, row := range rows {
		for c, cell := range row {
			if text := shown.Text(cell); text != cell {
				if &out[r][0] == &row[0] {
					out[r] = slices.Clone(row)
				}
				out[r][c] = text
			}
		}
	}
	return out
}

// row adds one row: as many lines as its cell of words takes.
func (s *Sheet) row(align string, widths []int, row []string) {
	cells := make([][]string, len(row))
	height := 1
	for c, cell := range row {
		cells[c] = []string{cell}
		switch {
		case align[c] == 'w' && utf8.RuneCountInString(cell) > widths[c]:
			text := strings.TrimLeft(cell, " ")
			lead := cell[:len(cell)-len(text)]
			cells[c] = broken(text, widths[c]-len(lead), widths[c]-len(lead))
			for i := range cells[c] {
				cells[c][i] = lead + cells[c][i]
			}
			height = max(height, len(cells[c]))
		case c == 0:
			cells[c][0] = Shorten(cell, widths[0])
		}
	}
	for n := range height {
		var b strings.Builder
		for c := range cells {
			cell := ""
			if n < len(cells[c]) {
				cell = cells[c][n]
			}
			pad := strings.Repeat(" ", max(0, widths[c]-utf8.RuneCountInString(cell)))
			b.WriteString(strings.Repeat(" ", gap))
			if align[c] == 'r' {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		s.Line(b.String())
	}
}

// fit returns the widths of the columns.
func (s *Sheet) fit(align string, rows [][]string) []int {
	widths := make([]int, len(align))
	words, longest := strings.IndexByte(align, 'w'), 0
	for _, row := range rows {
		if len(row) == 1 && len(align) > 1 {
			continue
		}
		for c, cell := range row {
			widths[c] = max(widths[c], utf8.RuneCountInString(cell))
			if c == words {
				for w := range strings.FieldsSeq(cell) {
					longest = max(longest, utf8.RuneCountInString(w))
				}
			}
		}
	}
	over := -s.Width
	for _, w := range widths {
		over += w + gap
	}
	give := func(c, least int) {
		if less := min(over, widths[c]-least); less > 0 {
			widths[c] -= less
			over -= less
		}
	}
	if words >= 0 {
		give(words, max(longest, leastWord))
	}
	if words != 0 && len(widths) > 0 {
		give(0, leastName)
	}
	if words >= 0 {
		give(words, leastName) // words that are longer than their line are broken, too
	}
	return widths
}

// Columns adds a grid of right-aligned columns beside names. Columns that have no room
// follow below, beside the names again.
func (s *Sheet) Columns(names []string, columns [][]string) {
	for len(columns) > 0 {
		n := 1
		for n < len(columns) && WidthOf(names)+WidthOf(columns[:n+1]...) <= s.Width {
			n++
		}
		rows := make([][]string, len(names))
		for r := range rows {
			rows[r] = []string{names[r]}
			for _, c := range columns[:n] {
				rows[r] = append(rows[r], c[r])
			}
		}
		s.Grid("l"+strings.Repeat("r", n), rows)
		if columns = columns[n:]; len(columns) > 0 {
			s.Blank()
		}
	}
}

// WidthOf is what columns of cells take in a grid.
func WidthOf(columns ...[]string) int {
	total := 0
	for _, c := range columns {
		widest := 0
		for _, cell := range c {
			widest = max(widest, utf8.RuneCountInString(shown.Text(cell)))
		}
		total += widest + gap
	}
	return total
}
