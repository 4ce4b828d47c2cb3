package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A sheet gathers lines of text of at most width columns, tables among them.
type sheet struct {
	width int
	b     strings.Builder
}

// newSheet is as wide as stdout's terminal, at most 120; 80 where there is none.
func (a *app) newSheet() *sheet { return &sheet{width: min(a.outTerm.columns(), 120)} }

// line adds a line as it is.
func (s *sheet) line(format string, args ...any) {
	s.b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// wrap adds text broken between words; the lines after the first begin with rest.
func (s *sheet) wrap(first, rest, text string) {
	for i, l := range broken(text, s.width-utf8.RuneCountInString(first), s.width-utf8.RuneCountInString(rest)) {
		if i == 0 {
			s.line("%s%s", first, l)
		} else {
			s.line("%s%s", rest, l)
		}
	}
}

// grid adds rows of aligned cells, two spaces before each column. align has l or r
// for each; a last column of l that is too wide is broken into several lines.
func (s *sheet) grid(align string, rows [][]string) {
	widths := make([]int, len(align))
	for _, row := range rows {
		for c, t := range row {
			widths[c] = max(widths[c], utf8.RuneCountInString(t))
		}
	}
	last := len(align) - 1
	before := 2
	for _, w := range widths[:last] {
		before += w + 2
	}
	room := max(s.width-before, 20)
	for _, row := range rows {
		var b strings.Builder
		for c, t := range row[:last] {
			pad := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(t))
			if align[c] == 'r' {
				t = pad + t
			} else {
				t += pad
			}
			b.WriteString("  " + t)
		}
		if align[last] == 'r' {
			s.line("%s  %*s", b.String(), widths[last], row[last])
			continue
		}
		for i, l := range broken(row[last], room, room) {
			if i == 0 {
				s.line("%s  %s", b.String(), l)
			} else {
				s.line("%*s%s", before, "", l)
			}
		}
	}
}

// broken breaks text between words: first columns for the first line, rest for the
// others. A word that is longer stands alone.
func broken(text string, first, rest int) []string {
	var lines []string
	line, room := "", first
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= room:
			line += " " + word
		default:
			lines = append(lines, line)
			line, room = word, rest
		}
	}
	return append(lines, line)
}

// print writes the sheet to stdout.
func (a *app) printSheet(s *sheet) error {
	_, err := io.WriteString(a.stdout, s.b.String())
	return err
}

// printJSON writes v to stdout as one indented JSON value.
func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
