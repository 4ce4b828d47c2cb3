package located

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Word is a blank-separated part of a line.
type Word struct {
	Text   string
	Column int // of its first character, from 1
}

// Width returns how many characters the word has.
func (w Word) Width() int { return utf8.RuneCountInString(w.Text) }

// AppendWords appends the words of a line to dst.
func AppendWords(dst []Word, line string) []Word {
	const blanks = " \t\r\v\f"
	for column := 1; line != ""; {
		n := strings.IndexAny(line, blanks)
		if n < 0 {
			n = len(line)
		}
		if n > 0 {
			w := Word{line[:n], column}
			dst, column = append(dst, w), column+w.Width()
			line = line[n:]
			continue
		}
		line, column = line[1:], column+1
	}
	return dst
}

// Shown prints what stands in a text and may be anything: a plain word as it is, any other quoted,
// both cut to 40 bytes.
func Shown(s string) string {
	plain := s != "" && len(s) <= mostShown
	for _, r := range s {
		plain = plain && r != ' ' && r != '"' && r != '\\' && r != utf8.RuneError && unicode.IsPrint(r)
	}
	if plain {
		return s
	}
	return strconv.Quote(Cut(s))
}

// Bare turns the "400G": ... of an error of package unit into 400G: ... where the text needs no
// quotes.
func Bare(text string, err error) error {
	if rest, ok := strings.CutPrefix(err.Error(), strconv.Quote(Cut(text))+": "); ok {
		return errors.New(Shown(text) + ": " + rest)
	}
	return err
}

const mostShown = 40

// Cut shortens text to what fits a line, in bytes as package unit does.
func Cut(s string) string {
	if len(s) > mostShown {
		return s[:mostShown] + "..."
	}
	return s
}

// OneOf joins what would be accepted: a, b or c.
func OneOf[S ~string](names []S) string {
	text := ""
	for i, name := range names {
		switch {
		case i > 0 && i == len(names)-1:
			text += " or "
		case i > 0:
			text += ", "
		}
		text += string(name)
	}
	return text
}
