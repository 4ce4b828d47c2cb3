package report

import (
	"strings"
	"unicode/utf8"

	"railyard/internal/sheet"
	"railyard/internal/unit"
)

// text is what a command prints.
type text struct{ *sheet.Sheet }

func newText(width int) *text { return &text{sheet.New(width)} }

// columns adds a grid of right-aligned columns beside names. Columns that have no room
// on the page follow below, beside the names again.
func (t *text) columns(names []string, columns [][]string) {
	for len(columns) > 0 {
		n := 1
		for n < len(columns) && width(names)+width(columns[:n+1]...) <= t.Width {
			n++
		}
		rows := make([][]string, len(names))
		for r := range rows {
			rows[r] = []string{names[r]}
			for _, c := range columns[:n] {
				rows[r] = append(rows[r], c[r])
			}
		}
		t.Grid("l"+strings.Repeat("r", n), rows)
		if columns = columns[n:]; len(columns) > 0 {
			t.Blank()
		}
	}
}

// width is what columns of cells take in a grid.
func width(columns ...[]string) int {
	total := 0
	for _, c := range columns {
		widest := 0
		for _, cell := range c {
			widest = max(widest, utf8.RuneCountInString(cell))
		}
		total += widest + 2
	}
	return total
}

// count prints "1 step", "3 steps".
func count(n int64, thing string) string { return unit.CountOf(n, thing) }
