package located

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"railyard/internal/base/shown"
)

// BOM is the byte order mark that some editors put before a text in UTF-8. It counts as no column.
var BOM = []byte("\xef\xbb\xbf")

// Render writes the problems with the source line of each and a caret under what is wrong, as a
// compiler does; in styles, if w knows of them. src is the text they are about. On a terminal lines are broken between
// words; elsewhere a message is one line, as programs that read it want.
func (ps Problems) Render(w io.Writer, src []byte) { ps.RenderWidth(w, src, shown.Columns(w)) }

// RenderWidth is Render for so many columns, 0: any.
func (ps Problems) RenderWidth(w io.Writer, src []byte, columns int) {
	lines := ps.lines(bytes.TrimPrefix(src, BOM))
	for _, p := range ps {
		shown.Paint(w, shown.Place, p.place())
		fmt.Fprintf(w, " %s\n", folded(p.text(), utf8.RuneCountInString(p.place())+1, 4, columns))
		if line, ok := lines[p.Line]; ok && !p.Private {
			text, before, carets := line.excerpt(p.Column, p.Width)
			number := fmt.Sprintf("%5d", p.Line)
			fmt.Fprintf(w, "%s | %s\n", number, text)
			fmt.Fprintf(w, "%*s | %*s", len(number), "", before, "")
			shown.Paint(w, shown.Wrong, strings.Repeat("^", carets))
			fmt.Fprintln(w)
		}
		if p.Hint != "" {
			fmt.Fprint(w, "      = ")
			shown.Paint(w, shown.Hint, folded(shown.Text(p.Hint), len("      = "), len("      = "), columns))
			fmt.Fprintln(w)
		}
	}
}

// folded breaks a text between words, where a line would be longer than so many columns (0: never). It begins behind at
// others, and what goes on stands under indent blanks. A word that is too long stays whole.
func folded(text string, at, indent, columns int) string {
	if columns == 0 {
		return text
	}
	var b strings.Builder
	held := false // the line has a word
	for blank := ""; ; {
		word, rest := text, ""
		if end := strings.IndexFunc(text, unicode.IsSpace); end >= 0 {
			word, rest = text[:end], text[end:]
		}
		n := utf8.RuneCountInString(word)
		switch first := blank == ""; {
		case first && (at+n <= columns || at <= indent):
		case first || at+1+n > columns && (held || at > indent):
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at, held = indent, false
		default:
			b.WriteString(blank)
			at++
		}
		b.WriteString(word)
		at, held = at+n, held || n > 0
		if rest == "" {
			return b.String()
		}
		_, size := utf8.DecodeRuneInString(rest)
		blank, text = rest[:size], rest[size:]
	}
}

// A source is a line of the text, and a place in it that was found: the next one is likely behind
// it, and a line may be the whole text.
type source struct {
	text   []byte
	column int // from 1, of the character at from
	from   int
}

// lines returns those lines of a text that have a problem: a text may be of nothing but line feeds.
func (ps Problems) lines(src []byte) map[int]*source {
	all := map[int]*source{}
	last := 0
	for _, p := range ps {
		if p.Line >= 1 {
			all[p.Line], last = nil, max(last, p.Line)
		}
	}
	for n := 1; n <= last; n++ {
		text, rest, more := bytes.Cut(src, []byte("\n"))
		if _, wanted := all[n]; wanted {
			all[n] = &source{text: bytes.TrimRight(text, "\r"), column: 1}
		}
		if src = rest; !more {
			break
		}
	}
	maps.DeleteFunc(all, func(_ int, s *source) bool { return s == nil })
	return all
}

// excerptWidth is how much of a line is shown: with its number it takes 80 characters, and a line
// that a terminal breaks would lead the caret astray.
const excerptWidth = 72

// excerpt returns at most excerptWidth columns around the character at a column, how many of them
// stand before it, and how many carets go below. A character that is hidden takes the columns of its
// escape, and is shown whole or not at all.
func (s *source) excerpt(column, width int) (text string, before, carets int) {
	if s.seek(max(column-excerptWidth, 1)); s.from == len(s.text) {
		column = min(column, s.column) // the end of the line
		s.seek(max(column-excerptWidth, 1))
	}
	cells := cellsOf(s.text[s.from:], column-s.column+excerptWidth)
	at := min(max(column-s.column, 0), len(cells))
	first, last := window(cells, at)
	var b strings.Builder
	for i := first; i < last; i++ {
		b.WriteString(cells[i])
		switch n := utf8.RuneCountInString(cells[i]); {
		case i < at:
			before += n
		case i < at+width:
			carets += n
		}
	}
	return strings.TrimRight(b.String(), " "), before, max(1, carets)
}

// seek finds the character at a column, or the end of the line.
func (s *source) seek(column int) {
	if column < s.column {
		s.column, s.from = 1, 0
	}
	for ; s.column < column && s.from < len(s.text); s.column++ {
		_, size := utf8.DecodeRune(s.text[s.from:])
		s.from += size
	}
}

// cellsOf returns how the first characters of a line are shown; a tab is a blank.
func cellsOf(line []byte, most int) (cells []string) {
	for len(line) > 0 && len(cells) < most {
		_, size := utf8.DecodeRune(line)
		cell := shown.Text(string(line[:size]))
		if line[0] == '\t' {
			cell = " "
		}
		cells, line = append(cells, cell), line[size:]
	}
	return cells
}

// window returns which cells fit excerptWidth: half of it before the one at, if there is as much
// behind.
func window(cells []string, at int) (first, last int) {
	room := excerptWidth
	first, last = at, at
	left := func(least int) {
		for first > 0 && room-utf8.RuneCountInString(cells[first-1]) >= least {
			first--
			room -= utf8.RuneCountInString(cells[first])
		}
	}
	left(excerptWidth / 2)
	for last < len(cells) && room >= utf8.RuneCountInString(cells[last]) {
		room -= utf8.RuneCountInString(cells[last])
		last++
	}
	left(0)
	return first, last
}

// InCharacters turns columns that count bytes of src, as encoding/csv has them, into characters.
func (ps Problems) InCharacters(src []byte) {
	order := make([]*Problem, len(ps))
	for i := range ps {
		order[i] = &ps[i]
	}
	slices.SortStableFunc(order, func(a, b *Problem) int { return cmp.Compare(a.Line, b.Line) })
	line, rest, more := bytes.Cut(src, []byte("\n")) // one walk: all lines at once may take more room than the text
	n := 1
	for _, p := range order {
		for ; n < p.Line && more; n++ {
			line, rest, more = bytes.Cut(rest, []byte("\n"))
		}
		if n == p.Line {
			p.Column = 1 + utf8.RuneCount(line[:min(max(p.Column-1, 0), len(line))])
		}
	}
}
