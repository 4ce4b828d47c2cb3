package whatif

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"railyard/internal/result"
	"railyard/internal/unit"
)

const nameWidth = 36 // of a line of 80

// WriteText prints a what-if for a terminal of 80 columns.
func (r *Result) WriteText(w io.Writer) error {
	var b strings.Builder
	r.head(&b)
	fmt.Fprintf(&b, "  %-*s %10s %10s %10s\n", nameWidth, "change", "attributed", "time", "saves")
	for i := range r.Changes {
		writeChange(&b, &r.Changes[i])
	}
	r.foot(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Result) head(b *strings.Builder) {
	if r.Measure == result.MeasureStep {
		of := "all"
		if r.Steps < r.StepsOfRun {
			of = fmt.Sprintf("the first %s of its %s", unit.Count(r.Steps), unit.Count(r.StepsOfRun))
		} else if r.Steps > 1 {
			of = fmt.Sprintf("all %s", unit.Count(r.Steps))
		}
		fmt.Fprintf(b, "%s: a step takes %s, mean over %s steps (median %s)\n\n", r.Name, r.Time.Human(), of,
			r.Median.Human())
		return
	}
	fmt.Fprintf(b, "%s: the job's messages take %s in the mean (the slowest flow %s)\n\n", r.Name,
		r.Time.Human(), r.Slowest.Human())
}

func writeChange(b *strings.Builder, c *result.WhatIfChange) {
	lines := wrap(c.Name, nameWidth)
	figures := fmt.Sprintf(" %10s", optional(c.Attributed))
	if c.Saves != nil {
		figures += fmt.Sprintf(" %10s %10s %5.1f %%", (*c.Time).Human(), signed(*c.Saves), 100**c.Part)
	}
	for i, line := range lines {
		if i == 0 {
			line = fmt.Sprintf("%-*s%s", nameWidth, line, figures)
		}
		fmt.Fprintf(b, "  %s\n", strings.TrimRight(line, " "))
	}
	for _, more := range []string{c.Why, c.Reason} {
		for _, line := range wrap(more, 74) {
			fmt.Fprintf(b, "    %s\n", line)
		}
	}
}

func (r *Result) foot(b *strings.Builder) {
	fmt.Fprintf(b, "\nattributed: what the run's causes give to it; saves: what a run without it was\nfaster by")
	if r.Whole != nil {
		fmt.Fprintf(b,
			". The single parts that save sum to %s;\nan ideal network saves %s: parts overlap, and blame does not add up", r.Parts.Human(), signed(*r.Whole))
	}
	b.WriteString(".\n")
	for i := range r.Changes {
		if c := &r.Changes[i]; c.Kind == OneFlow && r.Measure == result.MeasureFCT && c.Before != r.Time && c.Saves != nil {
			b.WriteString("Without a flow of the job, the others are compared.\n")
			break
		}
	}
	if r.Omitted > 0 {
		fmt.Fprintf(b, "%s more were not taken away one by one: those that send least.\n", plural(r.Omitted, "flow"))
	}
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func optional(d *unit.Duration) string {
	if d == nil {
		return "-"
	}
	return (*d).Human()
}

func signed(d unit.Duration) string {
	if d < 0 {
		return "-" + (-d).Human()
	}
	return d.Human()
}

// wrap breaks text between words into lines of at most width characters; a word that is longer is
// cut.
func wrap(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		for utf8.RuneCountInString(word) > width {
			runes := []rune(word)
			if line != "" {
				lines, line = append(lines, line), ""
			}
			lines, word = append(lines, string(runes[:width])), string(runes[width:])
		}
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
