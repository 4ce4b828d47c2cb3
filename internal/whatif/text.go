package whatif

import (
	"fmt"
	"io"

	"railyard/internal/result"
	"railyard/internal/sheet"
	"railyard/internal/unit"
)

// textColumns is how wide the text is: that of a terminal as it opens.
const textColumns = 80

// WriteText prints a what-if for a terminal of 80 columns.
func (r *Result) WriteText(w io.Writer) error {
	s := sheet.New(textColumns)
	s.Wrap("", r.head())
	s.Blank()
	rows := [][]string{{"change", "attributed", "time", "saves", ""}}
	for i := range r.Changes {
		rows = append(rows, changeRows(&r.Changes[i])...)
	}
	s.Grid("wrrrr", rows)
	s.Blank()
	for _, text := range r.foot() {
		s.Wrap("", text)
	}
	return s.Flush(w)
}

func (r *Result) head() string {
	name := r.Name
	if r.Job != "" {
		name += ", job " + r.Job
	}
	if r.Measure == result.MeasureJob {
		if r.Ended == "" {
			return fmt.Sprintf("%s: the job takes %s, with checkpoints and restarts", name, r.Time.Human())
		}
		return fmt.Sprintf("%s: %s", name, r.Ended)
	}
	if r.Measure != result.MeasureStep {
		return fmt.Sprintf("%s: the job's messages take %s in the mean (the slowest flow %s)", name,
			r.Time.Human(), r.Slowest.Human())
	}
	of := "all"
	if r.Steps < r.StepsOfRun {
		of = fmt.Sprintf("the first %s of its %s", unit.Count(r.Steps), unit.Count(r.StepsOfRun))
	} else if r.Steps > 1 {
		of = fmt.Sprintf("all %s", unit.Count(r.Steps))
	}
	return fmt.Sprintf("%s: a step takes %s, mean over %s steps (median %s)", name, r.Time.Human(), of,
		r.Median.Human())
}

// changeRows is a change with its figures, and below it why it has none, or what it cures.
func changeRows(c *result.WhatIfChange) [][]string {
	row := []string{c.Name, optional(c.Attributed)}
	if c.Saves != nil {
		row = append(row, (*c.Time).Human(), signed(*c.Saves), fmt.Sprintf("%.1f %%", 100**c.Part))
	}
	if c.Brings != "" {
		row = append(row, (*c.Time).Human(), "", "")
	}
	rows := [][]string{row}
	for _, more := range []string{c.Brings, c.Why, c.Reason} {
		if more != "" {
			rows = append(rows, []string{more})
		}
	}
	return rows
}

func (r *Result) foot() []string {
	text := "attributed: what the run's causes give to it; saves: what a run without it was faster by."
	if r.Whole != nil {
		text += fmt.Sprintf(" The single parts that save sum to %s; an ideal network saves %s: parts overlap, and "+
			"blame does not add up.",
			r.Parts.Human(), signed(*r.Whole))
	}
	notes := []string{text}
	for i := range r.Changes {
		if c := &r.Changes[i]; c.Kind == OneFlow && r.Measure == result.MeasureFCT && c.Before != r.Time &&
			c.Saves != nil {
			notes = append(notes, "Without a flow of the job, the others are compared.")
			break
		}
	}
	if r.Omitted > 0 {
		notes = append(notes, fmt.Sprintf("%s more were not taken away one by one: those that send least.",
			unit.CountOf(int64(r.Omitted), "flow")))
	}
	return notes
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
