package sheet

import (
	"io"
	"strings"
	"unicode/utf8"

	"railyard/internal/base/shown"
)

// MinWidth is the narrowest sheet that still holds a table.
const MinWidth = 60

// A Sheet gathers lines of at most Width columns, and writes them at once.
type Sheet struct {
	Width int
	b     strings.Builder
	marks []mark
}

// A mark is a piece of the text in a style.
type mark struct {
	from, to int
	style    shown.Style
}

// New returns a sheet for a terminal of width columns; at least 60 are used.
func New(width int) *Sheet { return &Sheet{Width: max(width, MinWidth)} }

// Line adds a line, cut at the width: for what is drawn. Words have Wrap.
func (s *Sheet) Line(text string) {
	s.b.WriteString(strings.TrimRight(Clip(shown.Text(text), s.Width), " ") + "\n")
}

// Blank adds an empty line.
func (s *Sheet) Blank() { s.b.WriteByte('\n') }

// Title starts a section.
func (s *Sheet) Title(text string) {
	s.Blank()
	s.Wrap("", text)
}

// Wrap adds a sentence, broken between words; lines after the first are indented
// as far as the first one's text.
func (s *Sheet) Wrap(indent, text string) {
	s.Hang(indent, strings.Repeat(" ", utf8.RuneCountInString(indent)), text)
}

// Hang adds a sentence, broken between words: its first line begins with first, the
// others with rest.
func (s *Sheet) Hang(first, rest, text string) {
	text = shown.Lines(text) // blanks are gaps between words, whichever
	for i, l := range broken(text, s.Width-utf8.RuneCountInString(first), s.Width-utf8.RuneCountInString(rest)) {
		if i == 0 {
			s.Line(first + l)
		} else {
			s.Line(rest + l)
		}
	}
}

// Write adds text that is laid out already.
func (s *Sheet) Write(text []byte) (int, error) { return s.b.Write(text) }

// Paint adds text that is laid out already, in a style.
func (s *Sheet) Paint(style shown.Style, text string) {
	from := s.b.Len()
	s.b.WriteString(text)
	s.marks = append(s.marks, mark{from, s.b.Len(), style})
}

// Flush writes the sheet to w.
func (s *Sheet) Flush(w io.Writer) error {
	text, at := s.b.String(), 0
	for _, m := range s.marks {
		if _, err := io.WriteString(w, text[at:m.from]); err != nil {
			return err
		}
		shown.Paint(w, m.style, text[m.from:m.to])
		at = m.to
	}
	_, err := io.WriteString(w, text[at:])
	return err
}

// broken breaks text between words: first columns for the first line, rest for the
// others. A number and its unit stay together. A word that is longer than a line is broken, too: nothing is lost.
func broken(text string, first, rest int) []string {
	var lines []string
	line, room := "", max(first, 1)
	next := func() {
		lines = append(lines, line)
		line, room = "", max(rest, 1)
	}
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		word := words[i]
		if i+1 < len(words) && ofNumber(word, words[i+1]) && utf8.RuneCountInString(word+" "+words[i+1]) <= max(rest, 1) {
			i++
			word += " " + words[i]
		}
		n := utf8.RuneCountInString(word)
		switch {
		case line == "":
		case utf8.RuneCountInString(line)+1+n <= room:
			line += " " + word
			continue
		default:
			next()
		}
		for r := []rune(word); ; next() {
			if len(r) <= room {
				line = string(r)
				break
			}
			line, r = string(r[:room]), r[room:]
		}
	}
	return append(lines, line)
}

// ofNumber reports whether a word that ends with a digit has the unit behind it.
func ofNumber(word, next string) bool {
	if last := word[len(word)-1]; last < '0' || last > '9' {
		return false
	}
	unit := strings.TrimRight(next, ".,:;)")
	switch unit {
	case "%", "s", "ms", "us", "ns", "ps", "min", "h", "m":
		return true
	}
	unit = strings.TrimSuffix(strings.TrimLeft(unit, "kMGTP"), "/s")
	return unit == "B" || unit == "b" || unit == "FLOP"
}

// Shorten leaves out the middle of s: names differ at both ends.
func Shorten(s string, width int) string {
	if ends(s, width) == len(s) {
		return s
	}
	if width < 4 {
		return Clip(s, width)
	}
	head, from := (width-2+1)/2, len(s)
	for range width - 2 - head {
		_, size := utf8.DecodeLastRuneInString(s[:from])
		from -= size
	}
	return s[:ends(s, head)] + ".." + s[from:]
}

// Clip cuts s at the width.
func Clip(s string, width int) string { return s[:ends(s, width)] }

// ends returns where the first n characters of s end. It looks at no more of it: a name may be
// longer than any page is wide.
func ends(s string, n int) int {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}
