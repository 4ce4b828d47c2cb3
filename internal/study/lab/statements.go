package lab

import (
	"maps"
	"slices"
	"strings"

	"railyard/internal/base/formula"
	"railyard/internal/base/located"
)

// statements cuts expect.txt into its statements: each begins in the first column, and goes on in
// the lines below it that begin with a blank. # begins a comment. Of a statement with something that
// is no token only that is told.
func statements(file, text string) (all [][]formula.Token, ps located.Problems) {
	broken := map[int]bool{}
	n := -1
	for line := range strings.SplitSeq(text, "\n") {
		if n++; ps.Full() {
			break
		}
		line = strings.TrimRight(line, " \t\r")
		tokens, p := formula.Tokens(line, n+1)
		for i := range p {
			p[i].File = file
		}
		ps = append(ps, p...)
		switch {
		case len(tokens) == 0:
		case tokens[0].Column == 1:
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
	return slices.DeleteFunc(all, func(s []formula.Token) bool { return s == nil }), ps
}

// keys are the names of a map, in order.
func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
