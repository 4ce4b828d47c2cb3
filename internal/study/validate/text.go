package validate

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"railyard/internal/base/sheet"
)

// textColumns is how wide the text is: that of a terminal as it opens.
const textColumns = 80

// WriteText prints the rows for a terminal of 80 columns, a block for each group.
func WriteText(w io.Writer, all []Row) error {
	rows := all
	s := sheet.New(textColumns)
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Group == rows[0].Group {
			n++
		}
		s.Title(rows[0].Group)
		s.Grid("wrrrl", blockOf(rows[:n]))
		rows = rows[n:]
	}
	judged, ok := count(all)
	s.Blank()
	s.Wrap("", tally(ok, judged, len(all)-judged))
	return s.Flush(w)
}

// blockOf is a group as a grid: each experiment, and below it what it found.
func blockOf(group []Row) [][]string {
	cells := [][]string{{"", "known", "Railyard", "", ""}}
	name := ""
	for i := range group {
		r := &group[i]
		if r.Name != name {
			name = r.Name
			cells = append(cells, []string{name, "", "", "", ""})
		}
		quantity := r.Quantity
		if r.Unit != "" {
			quantity += ", " + r.Unit
		}
		cells = append(cells, []string{"  " + quantity, figure(r.Want), figure(r.Got), percent(r.Deviation()),
			r.verdict()})
	}
	return cells
}

func (r Row) verdict() string {
	switch {
	case !r.Judged():
		return ""
	case r.OK():
		return "ok"
	}
	return "OUT"
}

func count(rows []Row) (judged, ok int) {
	for _, r := range rows {
		if r.Judged() {
			judged++
			if r.OK() {
				ok++
			}
		}
	}
	return judged, ok
}

// figure prints up to six significant digits, whole numbers in full.
func figure(v float64) string {
	if v == math.Trunc(v) || math.Abs(v) >= 100_000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

func percent(d float64) string {
	switch {
	case d == 0:
		return "0 %"
	case math.IsInf(d, 0): // of nothing there is no part
		return ""
	}
	return fmt.Sprintf("%+.2f%%", 100*d)
}

// WriteMarkdown prints the rows as a table for each group.
func WriteMarkdown(w io.Writer, rows []Row) error {
	var b strings.Builder
	group := ""
	for _, r := range rows {
		if r.Group != group {
			fmt.Fprintf(&b, "\n### %s\n\n| experiment | quantity | known | Railyard | deviation | bound | "+
				"|\n|---|---|---:|---:|---:|---|---|\n", strings.ToUpper(r.Group[:1])+r.Group[1:])
			group = r.Group
		}
		quantity := r.Quantity
		if r.Unit != "" {
			quantity += ", " + r.Unit
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", r.Name, quantity, figure(r.Want), figure(r.Got),
			percent(r.Deviation()), r.Why, r.verdict())
	}
	judged, ok := count(rows)
	fmt.Fprintf(&b, "\n%s.\n", tally(ok, judged, len(rows)-judged))
	_, err := io.WriteString(w, b.String())
	return err
}

// tally says how many figures are where they should be, and how many are not judged.
func tally(ok, judged, others int) string {
	are := map[bool]string{true: "is", false: "are"}[others == 1]
	return fmt.Sprintf("%d of %d judged figures are within their bounds; %d more %s shown", ok, judged, others, are)
}
