package result

import (
	"io"
	"strings"
	"unicode/utf8"
)

// A page gathers lines of at most width columns and writes them at once.
type page struct {
	width int
	b     strings.Builder
}

// line adds a line, cut at the width.
func (p *page) line(s string) {
	p.b.WriteString(clip(strings.TrimRight(s, " "), p.width))
	p.b.WriteByte('\n')
}

// title starts a section.
func (p *page) title(s string) {
	p.b.WriteByte('\n')
	p.line(s)
}

// wrap adds a sentence, broken between words; lines after the first are indented
// as far as the first one's text.
func (p *page) wrap(indent, s string) {
	line, rest := indent, strings.Repeat(" ", utf8.RuneCountInString(indent))
	empty := true
	for _, word := range strings.Fields(s) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > p.width {
			p.line(line)
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	p.line(line)
}

// grid adds rows of cells in aligned columns, two spaces before the first column
// and between columns. Align has a letter per column: l or r. Where the rows are
// too wide, the first column gives way: its middle is left out.
func (p *page) grid(align string, rows [][]string) {
	widths := make([]int, len(align))
	for _, row := range rows {
		for c, cell := range row {
			widths[c] = max(widths[c], utf8.RuneCountInString(cell))
		}
	}
	total := 0
	for _, w := range widths {
		total += w + 2
	}
	if total > p.width {
		widths[0] = max(8, widths[0]-(total-p.width))
	}
	for _, row := range rows {
		var b strings.Builder
		for c, cell := range row {
			if c == 0 {
				cell = shorten(cell, widths[0])
			}
			pad := strings.Repeat(" ", max(0, widths[c]-utf8.RuneCountInString(cell)))
			b.WriteString("  ")
			if align[c] == 'r' {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		p.line(b.String())
	}
}

func (p *page) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, p.b.String())
	return err
}

// shorten leaves out the middle of s: names differ at both ends.
func shorten(s string, width int) string {
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	head := (width - 2 + 1) / 2
	return string(r[:head]) + ".." + string(r[len(r)-(width-2-head):])
}

// clip cuts s at the width.
func clip(s string, width int) string {
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	return string(r[:width])
}
