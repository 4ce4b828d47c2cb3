package located

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/shown"
)

// Problem is one thing that is wrong with a text, and where.
type Problem struct {
	File    string
	Line    int    // from 1; 0 where no line is at fault, such as for a key that is missing
	Column  int    // from 1, in characters
	Width   int    // characters concerned; the caret line has at least one caret
	Path    string // the key, such as fabric.links.spine; empty for the text as a whole
	Message string // the value, the bound, what would be accepted
	Hint    string // a suggestion, may be empty
	Warning bool   // allowed, but likely not meant
	Set     bool   // it is about a change (--set), which stands in no line of the file
	Private bool   // the text may be any of the reader's: no line of it is shown
	Unfit   bool   // the key is right, and other values of the text leave it without a meaning
}

// String returns file:line:column: path: message; hint.
func (p Problem) String() string {
	return p.place() + " " + p.Said()
}

// place returns file:line:column: or, where no line is at fault, file:; of a change --set.
func (p Problem) place() string {
	if p.Set {
		return "--set"
	}
	if p.Line == 0 {
		return shown.Text(p.File) + ":"
	}
	return fmt.Sprintf("%s:%d:%d:", shown.Text(p.File), p.Line, p.Column)
}

// Said is what is wrong and the hint, without where.
func (p Problem) Said() string {
	if p.Hint == "" {
		return p.text()
	}
	return p.text() + "; " + shown.Text(p.Hint)
}

func (p Problem) text() string {
	t := p.Message
	if p.Path != "" {
		t = p.Path + ": " + t
	}
	if p.Warning {
		t = "warning: " + t
	}
	return shown.Text(t)
}

// Problems is everything that is wrong with a text. It is an error.
type Problems []Problem

// Most is how many problems are kept: nobody reads more.
const Most = 100

// Full reports whether there are more problems than are kept: a parser that takes long may stop.
func (ps Problems) Full() bool { return len(ps) > Most }

// Error returns one line per problem.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Err returns the problems in order, or nil if there are none.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps.Sorted()
}

// Sorted orders by position and cuts a list that is too long, saying so: "at least", because a
// parser may have stopped there.
func (ps Problems) Sorted() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	ps = slices.Compact(ps)
	n := len(ps) - Most
	if n <= 0 {
		return ps
	}
	next := ps[Most]
	more := Problem{File: next.File, Line: next.Line, Column: next.Column, Width: 1, Set: next.Set,
		Message: fmt.Sprintf("and at least %d more problems from here on", n)}
	if n == 1 {
		more.Message = "and at least one more problem from here on"
	}
	return append(slices.Clip(ps[:Most]), more)
}
