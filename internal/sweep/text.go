package sweep

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"railyard/internal/result"
	"railyard/internal/unit"
)

const (
	textWidth = 80
	plotWidth = 70
	mostNamed = 5 // failed runs
)

// WriteText prints a table for a terminal of 80 columns: for each figure its spread over the runs
// of each group, in numbers and as a plot.
func (t *Table) WriteText(w io.Writer) error {
	var b strings.Builder
	b.WriteString(t.heading())
	for _, f := range figures {
		t.writeFigure(&b, f.name, f.title)
	}
	t.writeFailed(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *Table) heading() string {
	runs := fmt.Sprintf("%d runs", len(t.Rows))
	if len(t.Rows) == 1 {
		runs = "1 run"
	}
	text := fmt.Sprintf("%s: %s", t.Name, runs)
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
	return text + "\n"
}

// writeFigure writes one figure of all groups.
func (t *Table) writeFigure(b *strings.Builder, name, title string) {
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
	fmt.Fprintf(b, "\n%s\n\n%4s %5s %11s %11s %11s\n", title, "", "runs", "median", "5 %", "95 %")
	for _, i := range shown {
		g := &t.Groups[i]
		f := g.figure(name)
		line := fmt.Sprintf("%4d %5d %11s %11s %11s", i+1, g.Runs, f.Median.Human(), f.P5.Human(),
			f.P95.Human())
		writeLabel(b, line, g.Set)
	}
	if low == high {
		return
	}
	b.WriteByte('\n')
	for _, i := range shown {
		fmt.Fprintf(b, "%4d |%s|\n", i+1, strip(t.Groups[i].figure(name), low, high))
	}
	from, to := low.Human(), high.Human()
	fmt.Fprintf(b, "     %s%*s\n     - all runs, = 5 %% to 95 %%, # median\n", from,
		plotWidth+2-utf8.RuneCountInString(from), to)
}

// writeLabel writes the values of a group beside its figures, or below where they are too long.
func writeLabel(b *strings.Builder, line string, set []Value) {
	b.WriteString(line)
	if len(set) == 0 {
		b.WriteByte('\n')
		return
	}
	if name := label(set); utf8.RuneCountInString(line)+2+utf8.RuneCountInString(name) <= textWidth {
		fmt.Fprintf(b, "  %s\n", name)
		return
	}
	b.WriteByte('\n')
	for _, v := range set {
		for text := []rune(v.Path + "=" + v.Text); len(text) > 0; {
			n := min(len(text), textWidth-11)
			fmt.Fprintf(b, "           %s\n", strings.TrimRight(string(text[:n]), " "))
			text = text[n:]
		}
	}
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

// writeFailed names the first runs that failed.
func (t *Table) writeFailed(b *strings.Builder) {
	named := 0
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Whole() {
			continue
		}
		if named++; named == 1 {
			b.WriteString("\nfailed\n")
		}
		if named > mostNamed {
			continue
		}
		why := r.Error
		if why == "" && r.Unfinished > 0 {
			why = fmt.Sprintf("%d of the job's flows did not finish", r.Unfinished)
		}
		which := label(r.Set)
		if runes := []rune(which); len(runes) > 40 {
			which = string(runes[:40]) + "..."
		}
		fmt.Fprintf(b, "  %s\n", strings.TrimSpace(fmt.Sprintf("%s seed %d: %s", which, r.Seed, why)))
	}
	if named > mostNamed {
		fmt.Fprintf(b, "  and %d more\n", named-mostNamed)
	}
}
