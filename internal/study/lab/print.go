package lab

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/out/chart/text"
)

// WriteList prints what labs there are, each with its question.
func WriteList(w io.Writer, all []*Lab, width int) error {
	s := sheet.New(width)
	for _, l := range all {
		s.Hang(fmt.Sprintf("%4s  ", l.number()), "      ", fmt.Sprintf("%s (%s)", l.Title, l.Takes))
		s.Wrap("        ", l.Question)
	}
	s.Blank()
	s.Wrap("", "railyard lab N runs one, railyard lab all runs all, railyard lab new DIR makes one of your own.")
	return s.Flush(w)
}

func (l *Lab) number() string {
	if l.Number == 0 {
		return ""
	}
	return strconv.Itoa(l.Number)
}

// heading names the lab.
func (l *Lab) heading() string {
	if l.Number == 0 {
		return "Lab: " + l.Title
	}
	return fmt.Sprintf("Lab %d: %s", l.Number, l.Title)
}

// WriteText prints what came out of a lab.
func (o *Outcome) WriteText(w io.Writer, width int) error {
	s := sheet.New(width)
	s.Wrap("", o.Lab.heading())
	s.Blank()
	s.Wrap("", o.Lab.Question)
	for _, c := range o.Changed {
		s.Wrap("", "Changed: "+c.Name+"="+c.Text+". Expected values hold for the book's inputs, so nothing is judged.")
	}
	if len(o.Guesses) > 0 {
		s.Title("Guess before you read on")
		for _, g := range o.Guesses {
			s.Hang("  - ", "    ", g.Question+" ("+g.Answer.Name+")")
		}
	}
	o.printQuantities(s, "Given", o.Given)
	o.printQuantities(s, "Predicted by formula", o.Formula)
	for i := range o.Walks {
		printWalk(s, &o.Walks[i])
	}
	o.printQuantities(s, "Measured", o.Measure)
	o.printAgain(s)
	o.printRows(s)
	o.printErrata(s)
	for i := range o.Figures {
		f := &o.Figures[i]
		s.Title(f.Title)
		s.Blank()
		text.Draw(s, f)
		s.Wrap("", f.Caption)
	}
	for _, c := range o.Configs {
		s.Title("Configuration: " + c.Name)
		for _, line := range c.Lines {
			text := strings.TrimLeft(line, " ")
			in := "  " + line[:len(line)-len(text)]
			s.Hang(in, in+"    ", text)
		}
		for _, line := range c.Left {
			s.Hang("  - ", "    ", "left to the platform: "+line)
		}
	}
	if len(o.Tries) > 0 {
		s.Title("Change this and see")
		for _, t := range o.Tries {
			s.Hang("  ", "      ", t.Command)
			s.Wrap("      ", t.See)
		}
	}
	s.Blank()
	s.Wrap("", o.Verdict())
	s.Line("page: " + o.Page)
	return s.Flush(w)
}

// Verdict says in a sentence whether what came out is what was expected.
func (o *Outcome) Verdict() string {
	bad, judged := o.Failed(), o.Judged()
	switch {
	case len(o.Changed) > 0:
		return "Nothing was judged: an input was changed."
	case len(judged) == 0:
		return "Nothing is expected of this lab."
	case len(bad) == 0:
		return fmt.Sprintf("%s as expected.", unit.CountOf(int64(len(judged)), "value"))
	}
	var names []string
	for _, r := range bad {
		names = append(names, fmt.Sprintf("%s is %s, expected %s within %s", r.Quantity.Name, r.Quantity.Text(),
			r.ExpectedText(), r.WithinText()))
	}
	return fmt.Sprintf("%d of %d values are out of bounds: %s.", len(bad), len(judged), strings.Join(names, "; "))
}

func (o *Outcome) printQuantities(s *sheet.Sheet, title string, list []*Quantity) {
	if len(list) == 0 {
		return
	}
	s.Title(title)
	var rows [][]string
	for _, q := range list {
		rows = append(rows, []string{q.Name, q.Text(), q.Meaning})
		if q.How != "" {
			rows = append(rows, []string{"= " + q.How})
		}
	}
	s.Grid("lrw", rows)
}

// printAgain lists what was run again. The page has the commands.
func (o *Outcome) printAgain(s *sheet.Sheet) {
	if len(o.Again) == 0 {
		return
	}
	s.Title("Run again, with keys set")
	var rows [][]string
	for _, a := range o.Again {
		rows = append(rows, []string{a.Name, a.Meaning}, []string{"= " + strings.Join(a.Set, ", ")})
	}
	s.Grid("lw", rows)
}

func printWalk(s *sheet.Sheet, w *Walk) {
	s.Title("Step by step: " + w.Meaning)
	var rows [][]string
	for _, q := range w.Steps {
		rows = append(rows, []string{q.Short(), q.Text(), q.Meaning})
		if q.How != "" {
			rows = append(rows, []string{"= " + q.How})
		}
	}
	s.Grid("lrw", rows)
	for _, t := range w.Tables {
		s.Title(t.Title)
		s.Grid(t.align(), append([][]string{t.Columns}, t.Rows...))
	}
}

// align says on which side the cells of each column stand: those that are all numbers on the right.
func (t *Table) align() string {
	align := make([]byte, len(t.Columns))
	for c := range align {
		align[c] = 'r'
		for _, row := range t.Rows {
			if c < len(row) && strings.Trim(row[c], "0123456789.,-+% ") != "" {
				align[c] = 'l'
			}
		}
	}
	return string(align)
}

func (o *Outcome) printRows(s *sheet.Sheet) {
	if len(o.Rows) == 0 {
		return
	}
	s.Title("Measured beside expected")
	rows := [][]string{{"here", "expected", "within", "kind", "", "what"}}
	for i := range o.Rows {
		r := &o.Rows[i]
		rows = append(rows, []string{r.Quantity.Text(), r.ExpectedText(), r.WithinText(), string(r.Kind),
			o.judgement(r), r.Meaning})
	}
	s.Grid("rrrllw", rows)
}

// ExpectedText prints what is expected, as it was written.
func (r *Row) ExpectedText() string { return with(r.Digits.text(r.Expected), r.Quantity.Unit) }

// WithinText prints the tolerance.
func (r *Row) WithinText() string {
	if r.Kind == Illustrative {
		return ""
	}
	if r.percent != "" {
		return r.percent
	}
	return auto.text(r.Within)
}

// judgement is a word: ok, OUT, or none where nothing is judged.
func (o *Outcome) judgement(r *Row) string {
	switch {
	case r.Kind == Illustrative || len(o.Changed) > 0:
		return ""
	case r.OK():
		return "ok"
	}
	return "OUT"
}

func (o *Outcome) printErrata(s *sheet.Sheet) {
	if len(o.Errata) == 0 {
		return
	}
	s.Title("Where the book errs")
	for i := range o.Errata {
		s.Hang("- ", "  ", o.Errata[i].text())
	}
}

// text is an erratum as a sentence or two.
func (e *Erratum) text() string {
	t := "The book: " + e.Says + ". "
	if e.Right != nil {
		t += "Right: " + e.Right.Quantity.Text() + ". "
	}
	return t + e.Instead
}

// Line is a lab in one line, for all of them.
func (o *Outcome) Line() string {
	bad, judged := len(o.Failed()), len(o.Judged())
	if bad == 0 {
		return fmt.Sprintf("%3s  %-44s %3d values  ok", o.Lab.number(), sheet.Shorten(o.Lab.Title, 44), judged)
	}
	return fmt.Sprintf("%3s  %-44s %3d values  %d OUT", o.Lab.number(), sheet.Shorten(o.Lab.Title, 44), judged, bad)
}
