package validate

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// WriteText prints the rows for a terminal of 80 columns, a block for each group.
func WriteText(w io.Writer, rows []Row) error {
	var b strings.Builder
	group, name := "", ""
	for _, r := range rows {
		if r.Group != group {
			fmt.Fprintf(&b, "\n%s\n%-46s %10s %10s %8s\n", r.Group, "", "known", "Railyard", "")
			group, name = r.Group, ""
		}
		if r.Name != name {
			fmt.Fprintf(&b, "  %s\n", r.Name)
			name = r.Name
		}
		quantity := r.Quantity
		if r.Unit != "" {
			quantity += ", " + r.Unit
		}
		if len(quantity) > 42 {
			fmt.Fprintf(&b, "    %s\n", quantity)
			quantity = ""
		}
		fmt.Fprintf(&b, "    %-42s %10s %10s %7s %s\n", quantity, figure(r.Want), figure(r.Got), percent(r.Deviation()), r.verdict())
	}
	judged, ok := count(rows)
	fmt.Fprintf(&b, "\n%d of %d judged figures are within their bounds; %d more are shown\n", ok, judged, len(rows)-judged)
	_, err := io.WriteString(w, b.String())
	return err
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
	if d == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%+.2f%%", 100*d)
}

// WriteMarkdown prints the rows as a table for each group.
func WriteMarkdown(w io.Writer, rows []Row) error {
	var b strings.Builder
	group := ""
	for _, r := range rows {
		if r.Group != group {
			fmt.Fprintf(&b, "\n### %s\n\n| experiment | quantity | known | Railyard | deviation | bound | |\n|---|---|---:|---:|---:|---|---|\n", strings.ToUpper(r.Group[:1])+r.Group[1:])
			group = r.Group
		}
		quantity := r.Quantity
		if r.Unit != "" {
			quantity += ", " + r.Unit
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", r.Name, quantity, figure(r.Want), figure(r.Got), percent(r.Deviation()), r.Why, r.verdict())
	}
	judged, ok := count(rows)
	fmt.Fprintf(&b, "\n%d of %d judged figures are within their bounds; %d more are shown.\n", ok, judged, len(rows)-judged)
	_, err := io.WriteString(w, b.String())
	return err
}
