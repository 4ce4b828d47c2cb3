package ns3

import (
	"bytes"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"railyard/internal/base/located"
)

// Bounds of each file. The longest flow list and the longest topology have fewer words; no line of the
// simulator's is as long.
const (
	MaxBytes = 64 << 20
	maxWords = 8_000_000
	maxLine  = 1 << 20 // bytes
)

// token is a blank-separated word.
type token struct {
	text      string
	line, col int
}

// top is the place of what no line is at fault for.
var top = token{line: 1, col: 1}

// tokens is a file as the simulator reads it: words, whatever the line breaks. The first mistake in
// what must follow in order ends the reading. Words are made line by line, as they are wanted: all of
// a file are many times its bytes.
type tokens struct {
	file  string
	rest  []byte         // lines to come
	line  int            // the one that words are of
	words []located.Word // of the line, those taken among them
	next  int            // the first of them that is not taken
	taken int            // words, of all lines
	seen  int            // words of all lines so far
	last  token          // the one taken last

	problems located.Problems
}

func tokenize(file string, src []byte) *tokens {
	t := &tokens{file: file}
	if len(src) > MaxBytes {
		t.fail(top, "%d bytes, want at most %d", len(src), MaxBytes)
		return t
	}
	t.rest = bytes.TrimPrefix(src, located.BOM)
	return t
}

// more reports whether there is another word. A line or a number of words that is over a bound ends
// the file with a problem.
func (t *tokens) more() bool {
	for t.next == len(t.words) && len(t.rest) > 0 {
		t.words, t.next = t.words[:0], 0
		line, rest, _ := bytes.Cut(t.rest, []byte("\n"))
		t.line++
		if len(line) > maxLine {
			t.fail(token{line: t.line, col: 1}, "a line of %d bytes, want at most %d", len(line), maxLine)
			t.rest = nil
			return false
		}
		text := string(line)
		if i := strings.IndexByte(text, '{'); i >= 0 && strings.HasSuffix(strings.TrimRight(text, " \t\r"), "}") {
			text = text[:i] // {what the key means}, as in the authors' documentation
		}
		t.rest, t.words = rest, located.AppendWords(t.words, text)
		if t.seen += len(t.words); t.seen > maxWords {
			t.fail(token{line: t.line, col: 1}, "more than %d words, want at most that", maxWords)
			t.rest, t.words = nil, nil
		}
	}
	return t.next < len(t.words)
}

// ahead returns the next word, which is not taken, and how many its line has that are not.
func (t *tokens) ahead() (w token, n int) {
	if !t.more() {
		return top, 0
	}
	return t.at(t.words[t.next]), len(t.words) - t.next
}

func (t *tokens) at(w located.Word) token { return token{w.Text, t.line, w.Column} }

// left counts the words that are not taken.
func (t *tokens) left() (n int) {
	for t.more() {
		n += len(t.words) - t.next
		t.next = len(t.words)
	}
	return n
}

func (t *tokens) fail(at token, format string, args ...any) {
	t.problems = append(t.problems,
		located.Problem{File: t.file, Line: at.line, Column: at.col, Width: max(1, utf8.RuneCountInString(at.text)),
			Message: fmt.Sprintf(format, args...)})
}

func (t *tokens) err() error { return t.problems.Err() }

// take returns the next word, which should be what.
func (t *tokens) take(what string) (token, bool) {
	if !t.more() {
		switch {
		case len(t.problems) > 0: // a bound of more
		case t.taken > 0:
			t.fail(t.last, "the file ends here, want %s", what)
		default: // what it has may be of another kind: no word is shown
			t.fail(token{col: 1}, "the file ends here, want %s", what)
		}
		return token{}, false
	}
	t.last = t.at(t.words[t.next])
	t.next++
	t.taken++
	return t.last, true
}

// number takes a whole number from lo to hi.
func (t *tokens) number(what string, lo, hi int64) (int64, token, bool) {
	w, ok := t.take(what)
	if !ok {
		return 0, w, false
	}
	n, err := strconv.ParseInt(w.text, 10, 64)
	if err != nil && t.taken == 1 {
		t.fail(token{}, "does not begin with %s, want a whole number from %d to %d", what, lo, hi)
		return 0, w, false
	}
	if err != nil || n < lo || n > hi {
		t.fail(w, "%s: %s, want a whole number from %d to %d", what, located.Shown(w.text), lo, hi)
		return 0, w, false
	}
	return n, w, true
}

// decimal takes a decimal number, not negative, with at most 12 digits behind the point, and with
// an exponent if the simulator reads one.
func (t *tokens) decimal(what string, exponent bool) (*big.Rat, token, bool) {
	w, ok := t.take(what)
	if !ok {
		return nil, w, false
	}
	r, ok := parseDecimal(w.text, exponent)
	if _, real := parseDecimal(w.text, true); !ok && real {
		t.fail(w, "%s: %s, want a number without an exponent, since the simulator takes only what is before the e",
			what, located.Shown(w.text))
	} else if !ok {
		t.fail(w, "%s: %s, want a number such as 0.25", what, located.Shown(w.text))
	} else if !new(big.Rat).Mul(r, big.NewRat(1e12, 1)).IsInt() {
		t.fail(w, "%s: %s, want a number with at most 12 digits behind the point", what, located.Shown(w.text))
		ok = false
	}
	return r, w, ok
}

// parseDecimal reads a decimal number, not negative; its exponent has at most two digits, so that
// its size is bounded.
func parseDecimal(s string, exponent bool) (*big.Rat, bool) {
	digits := s
	if i := strings.IndexAny(s, "eE"); exponent && i >= 0 {
		power := strings.TrimPrefix(strings.TrimPrefix(s[i+1:], "-"), "+")
		if len(power) < 1 || len(power) > 2 || strings.Trim(power, "0123456789") != "" {
			return nil, false
		}
		digits = s[:i]
	}
	whole, frac, _ := strings.Cut(digits, ".")
	if len(s) > 40 || whole == "" || strings.Trim(whole+frac, "0123456789") != "" {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}
