package formula

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"railyard/internal/base/located"
)

// Kind is what a token is.
type Kind uint8

// The kinds of tokens.
const (
	End    Kind = iota
	Word        // a name, with dots: neuron.z, run.collectives[0].time_ps
	Number      // 4.84, 1e-3, 5%
	Quoted      // "in double quotes"
	Sign        // one of ( ) [ ] = + - * / ^ , : < > !
)

// Token is a piece of such a text.
type Token struct {
	Kind
	Text         string // of a quoted one without its quotes
	Line, Column int    // from 1, columns in characters
	Width        int
}

// Is reports whether the token is this sign or word.
func (t Token) Is(sign string) bool { return t.Kind != Quoted && t.Text == sign }

// Shown says what stands there, for a message.
func (t Token) Shown() string {
	switch t.Kind {
	case End:
		return "the end of the statement"
	case Quoted:
		return `"` + located.Cut(t.Text) + `"`
	}
	return located.Shown(t.Text)
}

// Tokens cuts one line, the n-th of its text.
func Tokens(line string, n int) (tokens []Token, ps located.Problems) {
	for rest, column := line, 1; rest != "" && !ps.Full(); {
		r, size := utf8.DecodeRuneInString(rest)
		length, k := size, Sign
		switch {
		case r == ' ' || r == '\t':
			rest, column = rest[size:], column+1
			continue
		case r == '#':
			return tokens, ps
		case r == '"':
			k = Quoted
			if length = strings.IndexByte(rest[1:], '"') + 2; length < 2 {
				return tokens, append(ps, located.Problem{Line: n, Column: column, Width: utf8.RuneCountInString(rest),
					Message: "this quote is never closed, want another \" on the same line"})
			}
		case r >= '0' && r <= '9' || r == '.':
			k, length = Number, spanOf(rest, numberRune)
		case unicode.IsLetter(r):
			k, length = Word, wordLength(rest)
		case strings.ContainsRune("()[]=+-*/^,:<>!", r):
		default:
			ps = append(ps, located.Problem{Line: n, Column: column, Width: 1,
				Message: fmt.Sprintf("unexpected %q", r)})
			rest, column = rest[size:], column+1
			continue
		}
		t := Token{Kind: k, Text: rest[:length], Line: n, Column: column, Width: utf8.RuneCountInString(rest[:length])}
		if k == Quoted {
			t.Text = t.Text[1 : length-1]
		}
		tokens = append(tokens, t)
		rest, column = rest[length:], column+t.Width
	}
	return tokens, ps
}

// spanOf returns how many bytes of s belong together.
func spanOf(s string, belongs func(r, before rune) bool) int {
	before := rune(0)
	for i, r := range s {
		if !belongs(r, before) {
			return i
		}
		before = r
	}
	return len(s)
}

func numberRune(r, before rune) bool {
	switch {
	case r == '+' || r == '-':
		return before == 'e' || before == 'E'
	case before == '%':
		return false
	}
	return r >= '0' && r <= '9' || r == '.' || r == '_' || r == 'e' || r == 'E' || r == '%'
}

// wordLength is how long the name is that s begins with. [ belongs to it where a number and ]
// follow, a name and ], or ] alone: run.flows[0].fct_ps, run.collectives[allreduce].bytes,
// run.collectives[].bytes.
func wordLength(s string) int {
	n := 0
	for n < len(s) {
		n += spanOf(s[n:], func(r, _ rune) bool {
			return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '.'
		})
		if n == len(s) || s[n] != '[' {
			break
		}
		inside := spanOf(s[n+1:], func(r, _ rune) bool {
			return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_./-", r)
		})
		if !strings.HasPrefix(s[n+1+inside:], "]") {
			break
		}
		n += inside + 2
	}
	// What stands behind is. is a word of scenarios, and those have hyphens: scenario.fabric.design.is.leaf-spine.
	for strings.Contains(s[:n], ".is.") && strings.HasPrefix(s[n:], "-") {
		part := spanOf(s[n+1:], func(r, _ rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' })
		if part == 0 {
			break
		}
		n += 1 + part
	}
	return n
}
