package sweep

import (
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/out/headline"
	"railyard/internal/out/result"
)

// writeLayouts writes what layouts of a training come to, a row for each variant: the run of its first seed that has
// figures. Those that cannot run are there, too.
func (t *Table) writeLayouts(s *sheet.Sheet) {
	rows := [][]string{{"", "", "step time", "MFU", "bubble", "memory", "bytes", "network"}}
	found := false
	for g := range t.Groups {
		row := []string{strconv.Itoa(g + 1), brief(t.Groups[g].Set)}
		r := t.firstOf(&t.Groups[g])
		switch {
		case r == nil:
			continue
		case r.State == Refused:
			row = append(row, "refused", "", "", "", "", "")
		case r.Memory == 0:
			continue
		default:
			found = true
			row = append(row, r.StepTime.Human(), headline.PartOfPeak(r.MFU), unit.Percent(r.Bubble), r.Memory.Human(),
				r.Bytes.Human(), r.Between.Human())
		}
		rows = append(rows, row)
	}
	if !found || len(rows) < 3 {
		return
	}
	s.Title("layouts: " + keys(t.Axes))
	s.Blank()
	s.Grid("rlrrrrrr", rows)
	s.Wrap("  ", "bubble: of the step, mean over ranks; memory: tensors of the fullest rank; bytes: that ranks send in a step, "+
		"and over the network")
}

// firstOf is the first run of a variant that has figures, or else the first that was refused.
func (t *Table) firstOf(g *Group) (first *Row) {
	for i := range t.Rows {
		if r := &t.Rows[i]; slices.Equal(r.Set, g.Set) && (r.State == result.Complete || r.State == Refused) {
			if r.Whole() {
				return r
			}
			first = r
		}
	}
	return first
}

// mostValue is how long the values of a combination may be, in a row of its own.
const mostValue = 18

// keys are the last parts of the keys of axes: tp/pp.
func keys(axes []Axis) string {
	var parts []string
	for _, a := range axes {
		parts = append(parts, a.Path[strings.LastIndexByte(a.Path, '.')+1:])
	}
	return strings.Join(parts, "/")
}

// brief is a combination by its values alone: 2/4.
func brief(set []Value) string {
	var parts []string
	for _, v := range set {
		parts = append(parts, v.Text)
	}
	return sheet.Shorten(strings.Join(parts, "/"), mostValue)
}
