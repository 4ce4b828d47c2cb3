package report

import (
	"io"
	"strings"
	"unicode/utf8"

	"railyard/internal/result"
)

// text gathers lines of at most width columns.
type text struct {
	width int
	b     strings.Builder
}

func (t *text) line(s string) {
	s = strings.TrimRight(s, " ")
	if utf8.RuneCountInString(s) > t.width {
		s = string([]rune(s)[:t.width])
	}
	t.b.WriteString(s + "\n")
}

func (t *text) title(s string) {
	t.b.WriteByte('\n')
	t.line(s)
}

// wrap adds a sentence, broken between words; further lines are indented as far as
// the first one's text.
func (t *text) wrap(indent, s string) {
	line, rest, empty := indent, strings.Repeat(" ", utf8.RuneCountInString(indent)), true
	for _, word := range strings.Fields(s) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > t.width {
			t.line(line)
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	t.line(line)
}

// grid adds rows of cells in aligned columns. Align has a letter per column, l or r;
// where the rows are too wide the first column gives way in its middle.
func (t *text) grid(align string, rows [][]string) {
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
	if total > t.width {
		widths[0] = max(8, widths[0]-(total-t.width))
	}
	for _, row := range rows {
		var b strings.Builder
		for c, cell := range row {
			if c == 0 {
				cell = shorten(cell, widths[0])
			}
			pad := strings.Repeat(" ", max(0, widths[c]-utf8.RuneCountInString(cell)))
			if align[c] == 'r' {
				b.WriteString("  " + pad + cell)
			} else {
				b.WriteString("  " + cell + pad)
			}
		}
		t.line(b.String())
	}
}

// columns adds a grid of right-aligned columns beside names. Columns that have no room
// on the page follow below, beside the names again.
func (t *text) columns(names []string, columns [][]string) {
	for len(columns) > 0 {
		n := 1
		for n < len(columns) && width(names)+width(columns[:n+1]...) <= t.width {
			n++
		}
		rows := make([][]string, len(names))
		for r := range rows {
			rows[r] = []string{names[r]}
			for _, c := range columns[:n] {
				rows[r] = append(rows[r], c[r])
			}
		}
		t.grid("l"+strings.Repeat("r", n), rows)
		if columns = columns[n:]; len(columns) > 0 {
			t.b.WriteByte('\n')
		}
	}
}

// width is what columns of cells take in a grid.
func width(columns ...[]string) int {
	total := 0
	for _, c := range columns {
		widest := 0
		for _, cell := range c {
			widest = max(widest, utf8.RuneCountInString(cell))
		}
		total += widest + 2
	}
	return total
}

func (t *text) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, t.b.String())
	return err
}

// shorten leaves out the middle of s: names differ at both ends.
func shorten(s string, width int) string {
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

// count prints "1 step", "3 steps".
func count(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return result.FormatCount(n) + " " + thing + "s"
}
