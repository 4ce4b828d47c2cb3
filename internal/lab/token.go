package lab

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"railyard/internal/located"
)

// kind is what a token is.
type kind uint8

const (
	end    kind = iota
	word        // a name, with dots: neuron.z, run.collectives[0].time_ps
	number      // 4.84, 1e-3, 5%
	quoted      // "in double quotes"
	sign        // one of ( ) [ ] = + - * / ^ , : < > !
)

// token is a piece of expect.txt.
type token struct {
	kind
	text         string // of a quoted one without its quotes
	line, column int    // from 1, columns in characters
	width        int
}

func (t token) is(sign string) bool { return t.kind != quoted && t.text == sign }

// shown says what stands there, for a message.
func (t token) shown() string {
	switch t.kind {
	case end:
		return "the end of the statement"
	case quoted:
		return `"` + located.Cut(t.text) + `"`
	}
	return located.Shown(t.text)
}

// statements cuts expect.txt into its statements: each begins in the first column, and goes on in
// the lines below it that begin with a blank. # begins a comment. Of a statement with something that
// is no token only that is told.
func statements(file, text string) (all [][]token, ps located.Problems) {
	broken := map[int]bool{}
	n := -1
	for line := range strings.SplitSeq(text, "\n") {
		if n++; ps.Full() {
			break
		}
		line = strings.TrimRight(line, " \t\r")
		tokens, p := tokensOf(line, n+1)
		for i := range p {
			p[i].File = file
		}
		ps = append(ps, p...)
		switch {
		case len(tokens) == 0:
		case tokens[0].column == 1:
			all = append(all, tokens)
		case len(all) == 0:
			ps = append(ps, located.Problem{File: file, Line: n + 1, Column: 1, Width: 1,
				Message: "this line begins with a blank, so it goes on with the statement before it, and there is none"})
		default:
			all[len(all)-1] = append(all[len(all)-1], tokens...)
		}
		if len(p) > 0 {
			broken[len(all)-1] = true
		}
	}
	for i := range broken {
		if i >= 0 {
			all[i] = nil
		}
	}
	return slices.DeleteFunc(all, func(s []token) bool { return s == nil }), ps
}

// tokensOf cuts one line.
func tokensOf(line string, n int) (tokens []token, ps located.Problems) {
	for rest, column := line, 1; rest != "" && !ps.Full(); {
		r, size := utf8.DecodeRuneInString(rest)
		length, k := size, sign
		switch {
		case r == ' ' || r == '\t':
			rest, column = rest[size:], column+1
			continue
		case r == '#':
			return tokens, ps
		case r == '"':
			k = quoted
			if length = strings.IndexByte(rest[1:], '"') + 2; length < 2 {
				return tokens, append(ps, located.Problem{Line: n, Column: column, Width: utf8.RuneCountInString(rest),
					Message: "this quote is never closed, want another \" on the same line"})
			}
		case r >= '0' && r <= '9' || r == '.':
			k, length = number, spanOf(rest, numberRune)
		case unicode.IsLetter(r):
			k, length = word, wordLength(rest)
		case strings.ContainsRune("()[]=+-*/^,:<>!", r):
		default:
			ps = append(ps, located.Problem{Line: n, Column: column, Width: 1,
				Message: fmt.Sprintf("unexpected %q", r)})
			rest, column = rest[size:], column+1
			continue
		}
		t := token{kind: k, text: rest[:length], line: n, column: column, width: utf8.RuneCountInString(rest[:length])}
		if k == quoted {
			t.text = t.text[1 : length-1]
		}
		tokens = append(tokens, t)
		rest, column = rest[length:], column+t.width
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
	return n
}
