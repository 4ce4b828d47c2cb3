package sweep

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

const (
	textColumns = 80
	plotWidth   = 70
	mostShown   = 200 // variants of a figure
	mostNamed   = 24  // reasons for which runs have no figures
	mostName    = 120 // characters of what was set
)

// WriteText prints a table for a terminal of 80 columns: for each figure its spread over the runs
// of each group, in numbers and as a plot.
func (t *Table) WriteText(w io.Writer) error {
	s := sheet.New(textColumns)
	s.Wrap("", t.heading())
	for i := range t.Found {
		s.Wrap("", t.Found[i].Text(t.With))
	}
	if t.Best != nil {
		s.Wrap("", t.Best.Text(t.With, len(t.Seeds)))
	}
	if len(t.Found) == 0 && t.Best == nil { // else the answer is what was asked for, and the rows have the rest
		t.writeLayouts(s)
		for _, f := range figures {
			t.writeFigure(s, f.name, f.title)
		}
	}
	t.writeLeft(s, "refused", func(r *Row) bool { return r.State == Refused })
	t.writeLeft(s, "failed", func(r *Row) bool { return !r.Whole() && r.State != Refused })
	return s.Flush(w)
}

func (t *Table) heading() string {
	text := t.Name + ": " + unit.CountOf(int64(len(t.Rows)-t.Refused()), "run")
	if n := len(t.Groups); n > 1 {
		text += fmt.Sprintf(", %d variants", n)
	}
	if n := len(t.Seeds); n > 1 {
		text += fmt.Sprintf(", %d seeds", n)
	}
	if t.State == result.Interrupted {
		text += fmt.Sprintf("; interrupted, %d were planned", len(t.Groups)*max(1, len(t.Seeds)))
	}
	if t.Failed() > 0 {
		text += fmt.Sprintf("; %d failed", t.Failed())
	}
	if n := t.Refused(); n > 0 {
		text += fmt.Sprintf("; %d refused", n)
	}
	return text
}

// writeFigure writes one figure of all groups.
func (t *Table) writeFigure(s *sheet.Sheet, name, title string) {
	var shown []int
	low, high := unit.Duration(0), unit.Duration(0)
	for i := range t.Groups {
		if f := t.Groups[i].figure(name); f != nil {
			if len(shown) == 0 {
				low, high = f.Min, f.Max
			}
			low, high = min(low, f.Min), max(high, f.Max)
			shown = append(shown, i)
		}
	}
	if len(shown) == 0 {
		return
	}
	s.Title(title)
	s.Blank()
	rows := [][]string{{"", "runs", "median", "5 %", "95 %"}}
	more := len(shown) - mostShown
	if more > 0 {
		shown = shown[:mostShown]
	}
	for _, i := range shown {
		g := &t.Groups[i]
		f := g.figure(name)
		rows = append(rows, []string{strconv.Itoa(i + 1), strconv.Itoa(g.Runs), f.Median.Human(), f.P5.Human(),
			f.P95.Human(), label(g.Set)})
	}
	s.Grid("rrrrrw", rows)
	if more > 0 {
		s.Wrap("  ", "and "+unit.CountOf(int64(more), "more variant")+": sweep.json and sweep.parquet have them all")
	}
	if low == high {
		return
	}
	s.Blank()
	for _, i := range shown {
		s.Line(fmt.Sprintf("%4d |%s|", i+1, strip(t.Groups[i].figure(name), low, high)))
	}
	from, to := low.Human(), high.Human()
	s.Line(fmt.Sprintf("     %s%*s", from, plotWidth+2-utf8.RuneCountInString(from), to))
	s.Line("     - all runs, = 5 % to 95 %, # median")
}

// figure returns a figure of the group, nil if it has none.
func (g *Group) figure(name string) *Figure {
	for i := range g.Figures {
		if g.Figures[i].Name == name {
			return &g.Figures[i]
		}
	}
	return nil
}

// strip draws a figure's spread on a scale from low to high.
func strip(f *Figure, low, high unit.Duration) string {
	at := func(v unit.Duration) int {
		return int(unit.Ratio{Num: int64(v - low), Den: int64(high - low)}.Of(plotWidth - 1))
	}
	line := []byte(strings.Repeat(" ", plotWidth))
	for x := at(f.Min); x <= at(f.Max); x++ {
		line[x] = '-'
	}
	for x := at(f.P5); x <= at(f.P95); x++ {
		line[x] = '='
	}
	line[at(f.Median)] = '#'
	return string(line)
}

// writeLeft names the first runs without figures of a kind, and says why they have none: those with the same reason
// together.
func (t *Table) writeLeft(s *sheet.Sheet, title string, of func(*Row) bool) {
	var reasons []string
	runs := map[string][]string{} // by reason
	for i := range t.Rows {
		r := &t.Rows[i]
		if !of(r) {
			continue
		}
		why := r.Error
		if why == "" && r.Unfinished > 0 {
			why = fmt.Sprintf("%d of the job's flows did not finish", r.Unfinished)
		}
		if runs[why] == nil {
			reasons = append(reasons, why)
		}
		name := label(r.Set)
		if len(t.Seeds) > 1 {
			name = strings.TrimSpace(fmt.Sprintf("%s seed %d", name, r.Seed))
		}
		runs[why] = append(runs[why], name)
	}
	if len(reasons) == 0 {
		return
	}
	s.Title(title)
	for _, why := range reasons[:min(len(reasons), mostNamed)] {
		name := sheet.Shorten(runs[why][0], mostName)
		if n := len(runs[why]) - 1; n > 0 {
			name += fmt.Sprintf(" and %d more", n)
		}
		s.Wrap("  ", strings.TrimPrefix(name+": "+why, ": "))
	}
	if n := len(reasons) - mostNamed; n > 0 {
		s.Wrap("  ", fmt.Sprintf("and %s", unit.CountOf(int64(n), "other reason")))
	}
}
