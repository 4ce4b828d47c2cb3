package result

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes a text from a run directory safe to print: control characters, escape
// sequences among them, characters that turn the direction of writing, and bytes that are no
// UTF-8 become U+FFFD. It is applied once, where run.json and tables are read, so that nobody
// who prints has to think of it.
func clean(s string) string { return cleanBut(s, "") }

// cleanLines is clean for text of several lines.
func cleanLines(s string) string { return cleanBut(s, "\n\t") }

func cleanBut(s, allowed string) string {
	unsafe := func(r rune) bool { return !strings.ContainsRune(allowed, r) && !printable(r) }
	if utf8.ValidString(s) && !strings.ContainsFunc(s, unsafe) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unsafe(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(s, string(utf8.RuneError)))
}

// printable tells whether a character changes nothing but its own place on a terminal.
func printable(r rune) bool {
	switch {
	case r >= ' ' && r <= '~':
		return true
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs):
		return false // controls, invisible formats (bidi, joiners, tags), separators of lines
	}
	return true
}
