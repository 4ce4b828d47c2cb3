package report

import (
	"fmt"
	"io"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
)

// WriteText prints a comparison for a terminal of width columns.
func (c *Comparison) WriteText(w io.Writer, width int) error {
	t := newText(width)
	for _, n := range c.Notes {
		t.Wrap("! ", n)
	}
	rows := [][]string{}
	for i, r := range c.Runs {
		rows = append(rows, []string{letter(i), r.Name, string(r.State), r.Dir})
	}
	t.Grid("lllw", rows)
	if c.OrderedBy != "" {
		t.Wrap("  ", "In the order of "+c.OrderedBy+".")
	}
	c.writeHeadlines(t)
	c.writeDifferences(t)
	c.writeFigures(t)
	c.writeCauses(t)
	return t.Flush(w)
}

// writeHeadlines says first what matters most of each run's difference.
func (c *Comparison) writeHeadlines(t *text) {
	if len(c.Headlines) == 0 {
		return
	}
	t.Blank()
	for i, h := range c.Headlines {
		t.Wrap("", fmt.Sprintf("%s: %s", letter(i+1), h.Text))
	}
}

// letter names a run in the columns: A, B, ... Z, then numbers.
func letter(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return fmt.Sprint(i + 1)
}

// maxDifferences is how many keys the terminal shows.
const maxDifferences = 40

func (c *Comparison) writeDifferences(t *text) {
	if len(c.Differences) == 0 {
		t.Title("The scenarios are the same.")
		return
	}
	t.Title("What differs in the scenarios")
	head := []string{"key"}
	for i := range c.Runs {
		head = append(head, letter(i))
	}
	rows := [][]string{head}
	room := max(8, (t.Width-34)/len(c.Runs)-2)
	for _, d := range c.Differences[:min(len(c.Differences), maxDifferences)] {
		row := []string{d.Key}
		for _, v := range d.Values {
			if v == "" {
				v = "-"
			}
			row = append(row, sheet.Shorten(v, room))
		}
		rows = append(rows, row)
	}
	t.Grid(strings.Repeat("l", len(head)), rows)
	if n := len(c.Differences) - maxDifferences; n > 0 {
		t.Line(fmt.Sprintf("  and %d more keys: --json has all", n))
	}
}

// writeFigures puts each run's change beside its figures, or all changes into a table
// of their own where that would be too wide.
func (c *Comparison) writeFigures(t *text) {
	names := []string{""}
	for _, f := range c.Figures {
		names = append(names, f.Name)
	}
	var beside, figures, changes [][]string
	for i := range c.Runs {
		cells, against := c.columns(i)
		beside, figures = append(beside, cells), append(figures, cells)
		if i > 0 {
			beside, changes = append(beside, against), append(changes, against)
		}
	}
	t.Title("Figures")
	if sheet.WidthOf(append(beside, names)...) <= t.Width {
		t.Columns(names, beside)
		return
	}
	t.Columns(names, figures)
	t.Title("Changes")
	t.Columns(names, changes)
}

// columns returns the figures of run i and how they differ from those of A, each
// under its heading.
func (c *Comparison) columns(i int) (cells, against []string) {
	cells, against = []string{letter(i)}, []string{letter(i) + " against A"}
	for _, f := range c.Figures {
		cell, change := "-", ""
		if v := f.of[i]; v != nil {
			cell = v.Text()
			if f.of[0] != nil {
				change = v.Change(f.of[0])
			}
		}
		cells, against = append(cells, cell), append(against, change)
	}
	return cells, against
}

func (c *Comparison) writeCauses(t *text) {
	if len(c.Splits) == 0 {
		return
	}
	t.Title("Which causes account for the difference")
	t.Wrap("  ", "Of "+c.Explained+".")
	for i, s := range c.Splits {
		delta := s.Delta.Split()
		whole := s.After - s.Before
		t.Blank()
		t.Wrap("  ", fmt.Sprintf("%s took %s, A %s: %s. %s", letter(i+1), s.After.Human(), s.Before.Human(),
			inWords(whole), mostOf(s, whole)))
		if whole == 0 && len(byDelta(delta)) == 0 {
			continue
		}
		from, to := s.From.Split(), s.To.Split()
		rows := [][]string{{"cause", "A", letter(i + 1), "difference", ""}}
		largest := unit.Duration(0)
		order := byDelta(delta)
		for _, k := range order {
			largest = max(largest, max(delta[k], -delta[k]))
		}
		for _, k := range order {
			sign := "+"
			if delta[k] < 0 {
				sign = "-"
			}
			rows = append(rows, []string{k.String(), from[k].Human(), to[k].Human(), signed(delta[k]),
				strings.Repeat(sign, int(20*unit.Share(max(delta[k], -delta[k]), largest)+0.5))})
		}
		rows = append(rows, []string{"total", s.Before.Human(), s.After.Human(), signed(whole), ""})
		t.Grid("lrrrl", rows)
	}
}

func inWords(d unit.Duration) string {
	switch {
	case d > 0:
		return d.Human() + " longer"
	case d < 0:
		return (-d).Human() + " shorter"
	}
	return "the same"
}

// mostOf says which cause accounts for the largest part of a difference, and in its direction.
func mostOf(s SplitDelta, whole unit.Duration) string {
	delta := s.Delta.Split()
	order := byDelta(delta)
	if len(order) == 0 {
		return ""
	}
	top := order[0]
	if whole != 0 && (delta[top] > 0) == (whole > 0) {
		if d, w := max(delta[top], -delta[top]), max(whole, -whole); d <= w {
			return fmt.Sprintf("Of that, %s is %s.", unit.Percent(unit.Share(d, w)), top)
		}
	}
	return fmt.Sprintf("The largest change is %s, %s.", top, signed(delta[top]))
}
