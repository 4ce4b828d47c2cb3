package report

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/out/chart"
	"railyard/internal/out/headline"
	"railyard/internal/out/result"
)

// Compared is figures of several runs side by side.
type Compared struct {
	Title string
	Runs  []string
	Rows  []ComparedRow
	Same  string // which figures are the same in all runs
}

// ComparedRow is a figure of all runs.
type ComparedRow struct {
	Name, Meaning string
	Cells         []ComparedCell
}

// ComparedCell is the figure of one run: Text is how it differs from that of the first run, Verdict
// whether that is better or worse.
type ComparedCell struct{ Value, Text, Verdict string }

// Page is what the page of a comparison shows.
func (c *Comparison) Page() *Page {
	p := &Page{Kind: "comparison", Subject: "Which is better", Version: result.Version, Sentence: c.Answer, Bullets: c.Bullets,
		Notes:   c.Notes,
		Figures: c.Plots}
	var names []string
	for i := range c.Runs {
		names = append(names, c.label(i))
	}
	p.Name = strings.Join(names, ", ")
	if name := c.Runs[0].Name; !slices.ContainsFunc(c.Runs, func(r ComparedRun) bool { return r.Name != name }) {
		p.Name = name + ": " + p.Name
	}
	if len(names) > 3 {
		p.Name = fmt.Sprintf("%d runs", len(names))
		if c.OrderedBy != "" {
			p.Name += " over " + c.OrderedBy
		}
	}
	p.About = "compared with " + c.label(0)
	if c.OrderedBy != "" {
		p.About += ", in the order of " + c.OrderedBy
	}
	if len(c.Runs) <= overlaidRuns {
		p.Compared = c.compared()
	}
	p.Tables = keepTables(c.runTable(), c.differenceTable(), c.causeTable())
	return p
}

func keepTables(all ...Table) (out []Table) {
	for _, t := range all {
		if len(t.Rows) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// compared sets the headline figures beside each other.
func (c *Comparison) compared() *Compared {
	out := &Compared{Title: "Figures side by side"}
	for i := range c.Runs {
		out.Runs = append(out.Runs, c.label(i))
	}
	var same []string
	for k := range c.Figures {
		f := &c.Figures[k]
		if !f.varies() {
			same = append(same, f.Name+" "+f.of[0].Text())
			continue
		}
		row := ComparedRow{Name: f.Name}
		for i, v := range f.of {
			cell := ComparedCell{Value: "-"}
			if v != nil {
				cell.Value = v.Text()
				row.Meaning = v.Meaning
			}
			if base := f.of[0]; i > 0 && v != nil && base != nil {
				cell.Text = v.Change(base)
				cell.Verdict = v.Verdict(base)
			}
			row.Cells = append(row.Cells, cell)
		}
		out.Rows = append(out.Rows, row)
	}
	if len(same) > 0 {
		out.Same = "The same in all: " + strings.Join(same, "; ") + "."
	}
	return out
}

// runTable is the runs and their figures, a row for each.
func (c *Comparison) runTable() Table {
	t := Table{Name: "runs", Title: "The runs", File: "the run directories", Columns: []Column{{"run", Words},
		{"name", Words},
		{"state", Words}}}
	shown := c.Figures
	if len(c.Runs) <= overlaidRuns {
		shown = nil // they stand side by side
	}
	for k := range shown {
		if f := &shown[k]; f.varies() {
			t.Columns = append(t.Columns, Column{f.Name, f.Unit})
		}
	}
	t.Columns = append(t.Columns, Column{"directory", Words})
	for i, r := range c.Runs {
		row := []Cell{letter(i), r.Name, string(r.State)}
		if name := c.telling(i); name != "" && name != r.Name {
			row[0] = letter(i) + ", " + name
		}
		for k := range shown {
			f := &shown[k]
			if !f.varies() {
				continue
			}
			if f.of[i] == nil {
				row = append(row, "")
				continue
			}
			row = append(row, valueCell(f.of[i]))
		}
		t.Rows = append(t.Rows, append(row, r.Dir))
	}
	return t
}

// valueCell is a figure as a cell.
func valueCell(f *headline.Figure) Cell {
	if v := chart.Value(f.Value); !v.None() {
		return v
	}
	return f.Text() // of a training that diverged
}

// differenceTable is the keys of the scenarios that differ.
func (c *Comparison) differenceTable() Table {
	t := Table{Name: "differences", Title: "What differs in the scenarios", File: "run.json of each run",
		Columns: []Column{{"key", Words}}}
	for i := range c.Runs {
		t.Columns = append(t.Columns, Column{letter(i), Words})
	}
	for _, d := range c.Differences {
		row := []Cell{d.Key}
		for _, v := range d.Values {
			row = append(row, orDash(v))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// causeTable is what each cause adds to the difference.
func (c *Comparison) causeTable() Table {
	t := Table{Name: "causes", Title: "Which causes account for the difference", File: "steps.parquet",
		Columns: []Column{{"cause", Words}, {"A", chart.Time}}}
	if len(c.Splits) == 0 || len(c.Runs) > overlaidRuns {
		return t
	}
	most := c.Splits[0].Delta.Split()
	for i, s := range c.Splits {
		t.Columns = append(t.Columns, Column{letter(i + 1), chart.Time}, Column{letter(i+1) + " less A", chart.Time})
		for k, d := range s.Delta.Split() {
			most[k] = max(most[k], d, -d, -most[k])
		}
	}
	for _, k := range largest(&most) {
		row := []Cell{k.String(), number(c.splitOf(0)[k])}
		for _, s := range c.Splits {
			row = append(row, number(s.To.Split()[k]), number(s.Delta.Split()[k]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
