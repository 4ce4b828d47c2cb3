package ns3

import (
	"bytes"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"railyard/internal/located"
)

// MaxBytes bounds each file.
const MaxBytes = 64 << 20

// maxWords bounds the words of a file: the longest flow list and the longest topology have fewer.
const maxWords = 8_000_000

// token is a blank-separated word.
type token struct {
	text      string
	line, col int
}

// top is the place of what no line is at fault for.
var top = token{line: 1, col: 1}

// tokens is a file as the simulator reads it: words, whatever the line breaks. The first mistake in
// what must follow in order ends the reading.
type tokens struct {
	file string
	all  []token
	next int

	problems located.Problems
}

func tokenize(file string, src []byte) *tokens {
	t := &tokens{file: file}
	if len(src) > MaxBytes {
		t.fail(top, "%d bytes, want at most %d", len(src), MaxBytes)
		return t
	}
	line := 0
	var words []located.Word
	for text := range strings.SplitSeq(string(bytes.TrimPrefix(src, located.BOM)), "\n") {
		line++
		if i := strings.IndexByte(text, '{'); i >= 0 && strings.HasSuffix(strings.TrimRight(text, " \t\r"), "}") {
			text = text[:i] // {what the key means}, as in the authors' documentation
		}
		words = located.AppendWords(words[:0], text)
		for _, w := range words {
			at := token{w.Text, line, w.Column}
			if len(t.all) == maxWords {
				t.fail(at, "more than %d words, want at most that", maxWords)
				t.all = nil
				return t
			}
			t.all = append(t.all, at)
		}
	}
	return t
}

func (t *tokens) fail(at token, format string, args ...any) {
	t.problems = append(t.problems,
		located.Problem{File: t.file, Line: at.line, Column: at.col, Width: max(1, utf8.RuneCountInString(at.text)),
			Message: fmt.Sprintf(format, args...)})
}

func (t *tokens) err() error { return t.problems.Err() }

// more reports whether there is another word.
func (t *tokens) more() bool { return t.next < len(t.all) }

// take returns the next word, which should be what.
func (t *tokens) take(what string) (token, bool) {
	if !t.more() {
		at := top
		if len(t.all) > 0 {
			at = t.all[len(t.all)-1]
		} else {
			at.line = 0 // what it has may be of another kind: no word is shown
		}
		t.fail(at, "the file ends here, want %s", what)
		return token{}, false
	}
	t.next++
	return t.all[t.next-1], true
}

// number takes a whole number from lo to hi.
func (t *tokens) number(what string, lo, hi int64) (int64, token, bool) {
	w, ok := t.take(what)
	if !ok {
		return 0, w, false
	}
	n, err := strconv.ParseInt(w.text, 10, 64)
	if err != nil && t.next == 1 {
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
