package located

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// BOM is the byte order mark that some editors put before a text in UTF-8. It counts as no column.
var BOM = []byte("\xef\xbb\xbf")

// Terminal colours.
const (
	red, cyan, bold, plain = "\x1b[31m", "\x1b[36m", "\x1b[1m", "\x1b[0m"
)

// Render writes the problems with the source line of each and a caret under what is
// wrong, as a compiler does. src is the text they are about; colour is for terminals.
func (ps Problems) Render(w io.Writer, src []byte, colour bool) {
	paint := func(code, s string) string {
		if colour {
			return code + s + plain
		}
		return s
	}
	lines := bytes.Split(bytes.TrimPrefix(src, BOM), []byte("\n"))
	for _, p := range ps {
		fmt.Fprintf(w, "%s %s\n", paint(bold, p.place()), p.text())
		if p.Line >= 1 && p.Line <= len(lines) {
			text, before, carets := excerpt(string(lines[p.Line-1]), p.Column, p.Width)
			number := fmt.Sprintf("%5d", p.Line)
			fmt.Fprintf(w, "%s | %s\n", number, text)
			fmt.Fprintf(w, "%*s | %*s%s\n", len(number), "", before, "", paint(red, strings.Repeat("^", carets)))
		}
		if p.Hint != "" {
			fmt.Fprintf(w, "      = %s\n", paint(cyan, p.Hint))
		}
	}
}

// excerptWidth is how much of a line is shown: with its number it takes 80 characters, and a line
// that a terminal breaks would lead the caret astray.
const excerptWidth = 72

// excerpt returns at most excerptWidth characters of a source line around column, how many of
// them stand before it, and how many carets go below.
func excerpt(line string, column, width int) (text string, before, carets int) {
	rs := []rune(strings.ToValidUTF8(strings.TrimRight(line, "\r"), string(utf8.RuneError)))
	for i, r := range rs {
		if r < ' ' || r == 0x7f {
			rs[i] = ' ' // a control character would move the caret
		}
	}
	at := min(max(column-1, 0), len(rs))
	from := 0
	if len(rs) > excerptWidth {
		from = min(max(at-excerptWidth/2, 0), len(rs)-excerptWidth)
		rs = rs[from : from+excerptWidth]
	}
	return strings.TrimRight(string(rs), " "), at - from, max(1, min(width, len(rs)-(at-from)))
}

// InCharacters turns columns that count bytes of src, as encoding/csv has them, into characters.
func (ps Problems) InCharacters(src []byte) {
	lines := bytes.Split(src, []byte("\n"))
	for i := range ps {
		if p := &ps[i]; p.Line >= 1 && p.Line <= len(lines) {
			text := lines[p.Line-1]
			p.Column = 1 + utf8.RuneCount(text[:min(max(p.Column-1, 0), len(text))])
		}
	}
}
