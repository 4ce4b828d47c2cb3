package text

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"railyard/internal/out/chart"
)

// mostLanes is how many lanes are drawn.
const mostLanes = 24

// lanes draws a line for each lane: the letter of what took most of a column, a point
// where that is nothing.
func (c *canvas) lanes(l *chart.Lanes) {
	label := 0
	for i := range l.Lanes {
		label = max(label, utf8.RuneCountInString(laneName(&l.Lanes[i])))
	}
	label = min(label, c.Width/3)
	n := max(c.Width-label-4, 8)
	shown := min(len(l.Lanes), mostLanes)
	for shown > 0 && shown < len(l.Lanes) && l.Lanes[shown].Group != "" &&
		l.Lanes[shown].Group == l.Lanes[shown-1].Group {
		shown-- // a group is whole
	}
	used := map[string]string{}
	for i := range l.Lanes[:shown] {
		lane := &l.Lanes[i]
		cols := newColumns(n, '.', 0.5)
		for _, s := range lane.Spans {
			cols.mark(l.X.At(s.From), l.X.At(s.To), c.letters[s.Key])
			used[s.Key] = ""
		}
		c.Line("  " + padded(laneName(lane), label) + "  " + cols.String())
	}
	c.Line("  " + strings.Repeat(" ", label) + "  " + ends(&l.X, n))
	c.legend(used, true, ". nothing")
	if more := len(l.Lanes) - shown; more > 0 {
		c.Line(fmt.Sprintf("  and %d more lanes", more))
	}
}

func laneName(l *chart.Lane) string { return strings.TrimSpace(l.Group + " " + l.Label) }
