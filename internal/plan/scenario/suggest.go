package scenario

import (
	"strings"
)

// suggest returns the name closest to word, or "" when none is close: at most one
// edit for short words, one in three characters for longer ones.
func suggest(word string, names []string) string {
	if len(word) == 0 || len(word) > 40 {
		return ""
	}
	w := strings.ToLower(strings.ReplaceAll(word, "-", "_"))
	best, least := "", max(1, len(w)/3)+1
	for _, n := range names {
		if d := Edits(w, strings.ReplaceAll(n, "-", "_")); d < least {
			best, least = n, d
		}
	}
	return best
}

// Edits is the optimal string alignment distance in bytes: insertions, deletions,
// substitutions and swaps of neighbours (Damerau 1964).
func Edits(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
