package scenario

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Problem is one thing that is wrong with a scenario, and where.
type Problem struct {
	File    string
	Line    int    // from 1; 0 where the file says nothing about Path
	Column  int    // from 1, in characters
	Width   int    // characters concerned, at least 1
	Path    string // fabric.links.spine; empty for the file as a whole
	Message string // the value, the bound, what would be accepted
	Hint    string // a suggestion, may be empty
	Warning bool   // allowed, but likely not meant
	Set     bool   // it is about a change (--set), which stands in no line of the file
}

// settled makes a problem at the place of a change one of that change.
func (p Problem) settled(at span) Problem {
	if at == settled {
		p.Line, p.Column, p.Width, p.Set = 0, 0, 0, true
	}
	return p
}

// String returns file:line:column: path: message; hint.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.place() + " " + p.text())
	if p.Hint != "" {
		b.WriteString("; " + p.Hint)
	}
	return b.String()
}

// place returns file:line:column: or, where the file says nothing, file:; of a change --set.
func (p Problem) place() string {
	if p.Set {
		return "--set"
	}
	if p.Line == 0 {
		return p.File + ":"
	}
	return fmt.Sprintf("%s:%d:%d:", p.File, p.Line, p.Column)
}

func (p Problem) text() string {
	t := p.Message
	if p.Path != "" {
		t = p.Path + ": " + t
	}
	if p.Warning {
		t = "warning: " + t
	}
	return t
}

// Problems is everything that is wrong with a scenario, sorted by position. It is an error.
type Problems []Problem

// maxProblems bounds a report: nobody reads more.
const maxProblems = 100

// Error returns one line per problem.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// sorted orders by position and cuts a report that is too long, saying so.
func (ps Problems) sorted() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	ps = slices.Compact(ps)
	if n := len(ps) - maxProblems; n > 0 {
		next := ps[maxProblems]
		ps = append(slices.Clip(ps[:maxProblems]), Problem{File: next.File, Line: next.Line, Column: next.Column, Width: 1,
			Message: fmt.Sprintf("and %d more problems from here on", n)})
	}
	return ps
}

// Terminal colours.
const (
	red, cyan, bold, plain = "\x1b[31m", "\x1b[36m", "\x1b[1m", "\x1b[0m"
)

// Render writes the problems with the source line of each and a caret under what is
// wrong, as a compiler does. src is the scenario's text; colour is for terminals.
func (ps Problems) Render(w io.Writer, src []byte, color bool) {
	paint := func(code, s string) string {
		if color {
			return code + s + plain
		}
		return s
	}
	lines := bytes.Split(bytes.TrimPrefix(src, bom), []byte("\n"))
	for _, p := range ps {
		fmt.Fprintf(w, "%s %s\n", paint(bold, p.place()), p.text())
		if p.Line >= 1 && p.Line <= len(lines) {
			text, before, carets := excerpt(string(lines[p.Line-1]), p.Column, p.Width)
			number := fmt.Sprintf("%5d", p.Line)
			fmt.Fprintf(w, "%s | %s\n%*s | %*s%s\n", number, text, len(number), "", before, "", paint(red, strings.Repeat("^", carets)))
		}
		if p.Hint != "" {
			fmt.Fprintf(w, "      = %s\n", paint(cyan, p.Hint))
		}
	}
}

// excerpt returns at most 72 characters of a source line around column, how many of
// them stand before it, and how many carets go below.
func excerpt(line string, column, width int) (text string, before, carets int) {
	const most = 72 // with the number before it, a line of 80: one that a terminal breaks would lead the caret astray
	rs := []rune(strings.ToValidUTF8(strings.TrimRight(line, "\r"), string(utf8.RuneError)))
	for i, r := range rs {
		if r < ' ' || r == 0x7f {
			rs[i] = ' ' // a control character would move the caret
		}
	}
	at := min(max(column-1, 0), len(rs))
	from := 0
	if len(rs) > most {
		from = min(max(at-most/2, 0), len(rs)-most)
		rs = rs[from : from+most]
	}
	return strings.TrimRight(string(rs), " "), at - from, max(1, min(width, len(rs)-(at-from)))
}
