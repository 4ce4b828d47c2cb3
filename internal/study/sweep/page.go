package sweep

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/headline"
	"railyard/internal/out/report"
	"railyard/internal/out/result"
)

// drawn are the figures that a page draws, by their headline names. The first that runs have
// is what variants are compared by.
var drawn = []struct {
	name string
	unit chart.Unit
	of   func(*Row) chart.Value
}{
	{headline.StepTime, chart.Time, func(r *Row) chart.Value { return chart.Value(r.StepTime) }},
	{"step, p99", chart.Time, func(r *Row) chart.Value { return chart.Value(r.StepP99) }},
	{headline.MFU, chart.Fraction, func(r *Row) chart.Value { return chart.Value(r.MFU) }},
	{"bubble", chart.Fraction, func(r *Row) chart.Value { return chart.Value(r.Bubble) }},
	{"memory", chart.Bytes, func(r *Row) chart.Value { return chart.Value(r.Memory) }},
	{"bytes of a step", chart.Bytes, func(r *Row) chart.Value { return chart.Value(r.Bytes) }},
	{"bytes between hosts", chart.Bytes, func(r *Row) chart.Value { return chart.Value(r.Between) }},
	{headline.MeanFCT, chart.Time, func(r *Row) chart.Value { return chart.Value(r.MeanFCT) }},
	{"completion, slowest", chart.Time, func(r *Row) chart.Value { return chart.Value(r.SlowestFCT) }},
	{"ECN marks", chart.Count, func(r *Row) chart.Value { return chart.Value(r.ECNMarks) }},
	{"pause frames", chart.Count, func(r *Row) chart.Value { return chart.Value(r.Pauses) }},
	{"drops", chart.Count, func(r *Row) chart.Value { return chart.Value(r.Drops) }},
	{"retransmissions", chart.Count, func(r *Row) chart.Value { return chart.Value(r.Retransmits) }},
}

// measure is one figure of all variants.
type measure struct {
	name   string
	unit   chart.Unit
	values [][]chart.Value // by group, ascending
}

// measures lists the figures that differ between some runs, and first the one by which
// variants are compared, differ or not.
func (t *Table) measures() (all []measure) {
	at := map[string]int{}
	for i := range t.Groups {
		at[label(t.Groups[i].Set)] = i
	}
	for _, f := range drawn {
		m := measure{f.name, f.unit, make([][]chart.Value, len(t.Groups))}
		low, high, n := chart.Value(0), chart.Value(0), 0
		for i := range t.Rows {
			r := &t.Rows[i]
			v := f.of(r)
			if !r.Whole() || v == 0 && f.unit == chart.Time {
				continue
			}
			if n == 0 {
				low, high = v, v
			}
			low, high = min(low, v), max(high, v)
			n++
			g := at[label(r.Set)]
			m.values[g] = append(m.values[g], v)
		}
		for _, v := range m.values {
			slices.Sort(v)
		}
		if low < high || n > 0 && len(all) == 0 && f.unit == chart.Time {
			all = append(all, m)
		}
	}
	return all
}

// point is the spread of a figure over the runs of a group.
func (m *measure) point(group int) report.CurvePoint {
	v := m.values[group]
	if len(v) == 0 {
		return report.NoPoint
	}
	return report.CurvePoint{Median: Percentile(v, 50), Low: Percentile(v, 5), High: Percentile(v, 95)}
}

func (m *measure) text(v chart.Value) string { return m.unit.Text(v) }

// Document is a sweep as data: its table, and what its page says and draws.
type Document struct {
	*Table
	Answer  string         `json:"answer"`
	Bullets []string       `json:"bullets,omitempty"`
	Plots   []chart.Figure `json:"plots"`
	Effects []Effect       `json:"effects,omitempty"`
}

// Document returns the sweep as data.
func (t *Table) Document() *Document {
	p := t.Page()
	return &Document{Table: t, Answer: p.Sentence, Bullets: p.Bullets, Plots: p.Figures, Effects: t.effects(t.measures())}
}

// Page is what the page of a sweep shows: which variant is best, and a curve of each figure over
// the key that was changed.
func (t *Table) Page() *report.Page {
	all := t.measures()
	p := &report.Page{Name: t.Name, Kind: "sweep", Subject: "Which variant is best", Version: t.Version, Figures: []chart.Figure{}}
	_, p.About, _ = strings.Cut(t.heading(), ": ")
	if t.State == result.Interrupted {
		p.Notes = append(p.Notes, fmt.Sprintf("this sweep was interrupted: %d of %d runs are there", len(t.Rows),
			len(t.Groups)*max(1, len(t.Seeds))))
	}
	if n := t.Failed(); n > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s failed, or left flows unfinished: no figure counts them",
			unit.CountOf(int64(n), "run")))
	}
	if n := t.Refused(); n > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s cannot run, and stand in the table with the reason",
			unit.CountOf(int64(n), "variant")))
	}
	if len(all) == 0 {
		p.Sentence = "No run of this sweep has a step time or a completion time."
	} else {
		p.Sentence, p.Bullets = t.answer(&all[0])
	}
	if len(t.Found) > 0 { // what was asked for comes first
		p.Sentence, p.Bullets = t.Found[0].Text(t.With)+".", nil
		if len(t.Found[0].Set) == 0 {
			p.Sentence = report.Capital(p.Sentence)
		}
	}
	if t.Best != nil {
		p.Sentence, p.Bullets = report.Capital(t.Best.Text(t.With, len(t.Seeds)))+".", nil
		if f := t.Best.chart(); f != nil {
			p.Figures = append(p.Figures, *f)
		}
	}
	for i := 1; i < len(t.Found); i++ {
		p.Bullets = append(p.Bullets, t.Found[i].Text(t.With)+".")
	}
	for i := range all {
		if f := t.chart(&all[i]); f != nil {
			p.Figures = append(p.Figures, *f)
		}
	}
	p.Figures = append(p.Figures, t.fronts(all)...)
	if f := t.effectsFigure(t.effects(all)); f != nil {
		p.Figures = append(p.Figures, *f)
	}
	p.Tables = t.tables(all)
	return p
}

// answer says which variant is best by a figure, and whether the seeds decide it.
func (t *Table) answer(m *measure) (sentence string, bullets []string) {
	var order []int // groups by median, the least first
	for g := range t.Groups {
		if len(m.values[g]) > 0 {
			order = append(order, g)
		}
	}
	median := func(g int) chart.Value { return m.point(g).Median }
	slices.SortStableFunc(order, func(a, b int) int { return int(min(max(median(a)-median(b), -1), 1)) })
	best, worst := order[0], order[len(order)-1]
	if len(order) == 1 {
		p := m.point(best)
		if n := len(m.values[best]); p.Low < p.High {
			return fmt.Sprintf("The %s is %s in the median of %s; in 90 %% of them it lies between %s and %s.",
				headline.InWords(m.name),
				m.text(p.Median), unit.CountOf(int64(n), "run"), m.text(p.Low), m.text(p.High)), nil
		}
		return fmt.Sprintf("The %s is %s in every run.", headline.InWords(m.name), m.text(p.Median)), nil
	}
	of := ""
	if n := len(m.values[best]); n > 1 {
		of = fmt.Sprintf(" in the median of %s", unit.CountOf(int64(n), "run"))
	}
	if median(best) == median(worst) {
		return fmt.Sprintf("All %d variants have the same %s: %s%s.", len(order), headline.InWords(m.name),
			m.text(median(best)), of), nil
	}
	less := unit.Percent(float64((median(worst) - median(best)) / median(worst)))
	sentence = fmt.Sprintf("%s is the best of %d variants: its %s is %s%s, %s less than the %s of %s, the worst.",
		label(t.Groups[best].Set), len(order), headline.InWords(m.name), m.text(median(best)), of, less,
		m.text(median(worst)),
		label(t.Groups[worst].Set))
	if a, b := m.point(best), m.point(order[1]); a.Low < a.High || b.Low < b.High {
		verdict := "they do not overlap"
		if a.High >= b.Low {
			verdict = "they overlap, so one seed of each does not tell them apart"
		}
		bullets = append(bullets,
			fmt.Sprintf("With %s, 5 to 95 %% of the runs lie between %s and %s; with %s, the second, "+
				"between %s and %s: %s.", label(t.Groups[best].Set), m.text(a.Low), m.text(a.High),
				label(t.Groups[order[1]].Set),
				m.text(b.Low), m.text(b.High), verdict))
	}
	return sentence, bullets
}

// chart draws a figure over the axis with the most values; what the other axes make is a line
// each. Of seeds alone it is their distribution.
func (t *Table) chart(m *measure) *chart.Figure {
	along := t.along()
	if along < 0 {
		return m.distribution()
	}
	axis := t.Axes[along]
	if t.Points != nil && t.lines(axis.Path)*2 > len(t.Groups) {
		return t.scatter(m, axis)
	}
	c := report.Curve{Name: report.Slug(m.name), Title: report.Capital(m.name) + " over " + axis.Path,
		Key: axis.Path, Values: axis.Values,
		Label: m.name, Unit: m.unit, Sparse: t.Points != nil}
	if n := len(t.Seeds); n > 1 {
		c.Band = fmt.Sprintf("5th to 95th percentile of %d seeds", n)
	}
	index := map[string]int{}
	for g := range t.Groups {
		set := t.Groups[g].Set
		at := slices.IndexFunc(set, func(v Value) bool { return v.Path == axis.Path })
		if at < 0 {
			continue
		}
		name := label(slices.Delete(slices.Clone(set), at, at+1))
		k, known := index[name]
		if !known {
			k = len(c.Lines)
			index[name] = k
			c.Lines = append(c.Lines, report.CurveLine{Name: name,
				Points: slices.Repeat([]report.CurvePoint{report.NoPoint},
					len(axis.Values))})
		}
		c.Lines[k].Points[slices.Index(axis.Values, set[at].Text)] = m.point(g)
	}
	if len(c.Lines) == 1 {
		c.Lines[0].Name = m.name
	}
	f := c.Figure()
	return &f
}

// along is the axis over which curves are drawn: of those with quantities, or else of all, the
// one with the most values; -1 without axes.
func (t *Table) along() int {
	best, rank := -1, 0
	for i, a := range t.Axes {
		r := len(a.Values)
		if t.Points != nil && !t.everywhere(a.Path) {
			r = 1 // it has a meaning in some variants alone
		}
		if report.Quantities(a.Values) {
			r += MaxVariants
		}
		if r > rank {
			best, rank = i, r
		}
	}
	return best
}

// everywhere reports whether every variant has a value at a key.
func (t *Table) everywhere(path string) bool {
	return !slices.ContainsFunc(t.Groups, func(g Group) bool {
		return !slices.ContainsFunc(g.Set, func(v Value) bool { return v.Path == path })
	})
}

// lines is how many lines variants make over a key: those that differ in nothing else are one.
func (t *Table) lines(path string) int {
	others := map[string]bool{}
	for i := range t.Groups {
		set := slices.DeleteFunc(slices.Clone(t.Groups[i].Set), func(v Value) bool { return v.Path == path })
		others[label(set)] = true
	}
	return len(others)
}

// distribution is which share of the runs had at most so much. Without a difference it is nil.
func (m *measure) distribution() *chart.Figure {
	v := m.values[0]
	if len(v) < 2 || v[0] == v[len(v)-1] {
		return nil
	}
	room := (v[len(v)-1] - v[0]) * 0.06
	f := &chart.Figure{Name: report.Slug(m.name), Title: report.Capital(m.name) + " over the seeds",
		Caption: "The share of the runs that had at most so much.",
		Keys: []chart.Key{{ID: "runs", Name: "runs", Ink: chart.Subject}, {ID: "quantile",
			Name: "5 %, median, 95 %", Ink: chart.Reference}},
		Lines: &chart.Lines{X: chart.Axis{Label: m.name, Unit: m.unit, Low: max(0, v[0]-room),
			High: v[len(v)-1] + room},
			Y: chart.Axis{Label: "runs", Unit: chart.Fraction, High: 1}}}
	s := chart.Series{Key: "runs", Shape: chart.Held, X: []chart.Value{f.Lines.X.Low}, Y: []chart.Value{0}}
	for i, x := range v {
		s.X, s.Y = append(s.X, x), append(s.Y, chart.Value(i+1)/chart.Value(len(v)))
	}
	f.Lines.Series = []chart.Series{s}
	for _, p := range []int{5, 50, 95} {
		at := Percentile(v, p)
		f.Lines.Rules = append(f.Lines.Rules, chart.Rule{Key: "quantile", Along: "x", At: at,
			Label: fmt.Sprintf("p%d %s", p, m.text(at))})
	}
	return f
}

// tables are the variants, and, where there are several of each, the runs.
func (t *Table) tables(all []measure) []report.Table {
	variants := report.Table{Name: "variants", Title: "The variants", File: tableFile}
	runs := report.Table{Name: "runs", Title: "The runs", File: tableFile}
	for _, path := range t.paths() {
		variants.Columns = append(variants.Columns, report.Column{Name: path, Unit: report.Words})
	}
	if len(t.paths()) == 0 {
		variants.Columns = append(variants.Columns, report.Column{Name: "variant", Unit: report.Words})
	}
	runs.Columns = append(slices.Clone(variants.Columns), report.Column{Name: "seed", Unit: report.Words},
		report.Column{Name: "state", Unit: report.Words})
	variants.Columns = append(variants.Columns, report.Column{Name: "runs", Unit: chart.Count},
		report.Column{Name: "failed", Unit: chart.Count})
	for _, m := range all {
		name := m.name
		if len(t.Seeds) > 1 {
			name += ": median"
		}
		variants.Columns = append(variants.Columns, report.Column{Name: name, Unit: m.unit})
		if len(t.Seeds) > 1 {
			variants.Columns = append(variants.Columns, report.Column{Name: "5 %", Unit: m.unit},
				report.Column{Name: "95 %", Unit: m.unit})
		}
		runs.Columns = append(runs.Columns, report.Column{Name: m.name, Unit: m.unit})
	}
	for g := range t.Groups {
		row := t.names(t.Groups[g].Set)
		row = append(row, chart.Value(t.Groups[g].Runs), chart.Value(t.Groups[g].Failed))
		for i := range all {
			p := all[i].point(g)
			shown := []chart.Value{p.Median, p.Low, p.High}
			if len(t.Seeds) < 2 {
				shown = shown[:1]
			}
			for _, v := range shown {
				row = append(row, cell(v))
			}
		}
		variants.Rows = append(variants.Rows, row)
	}
	if len(t.Seeds) < 2 {
		return []report.Table{variants}
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		row := append(t.names(r.Set), strconv.FormatUint(r.Seed, 10), string(r.State))
		for _, f := range drawn {
			if slices.ContainsFunc(all, func(m measure) bool { return m.name == f.name }) {
				v := f.of(r)
				if v == 0 && f.unit == chart.Time {
					v = chart.Nothing
				}
				row = append(row, cell(v))
			}
		}
		runs.Rows = append(runs.Rows, row)
	}
	return []report.Table{variants, runs}
}

// names are the values of a variant as cells.
func (t *Table) names(set []Value) (row []report.Cell) {
	of := Row{Set: set}
	for _, path := range t.paths() {
		row = append(row, of.value(path))
	}
	if len(row) == 0 {
		row = append(row, t.Name)
	}
	return row
}

// cell is a value, or no text where there is none.
func cell(v chart.Value) report.Cell {
	if v.None() {
		return ""
	}
	return v
}
