package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/shown"
	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// Bounds of a table of the page: what a page shows before it is asked for more, which is
// also all that it shows without script, and how large the rows for the script may be.
const (
	firstRows  = 20
	tableBytes = 256 << 10
)

// Words is the unit of a column that holds words.
const Words chart.Unit = "words"

// Table is rows of a run with a unit for each column: all its flows, ports, steps.
type Table struct {
	Name    string // of its place in the page
	Title   string
	Columns []Column
	Rows    [][]Cell // in the order in which a reader wants them; the first column names the row
	File    string   // of the run directory, which has all rows
	Left    string   // what the file has and Rows have not: "12 more"; "": nothing
}

// Column is what the cells below it are.
type Column struct {
	Name string     `json:"name"`
	Unit chart.Unit `json:"unit"` // words: no numbers
}

// Cell is a string or a chart.Value. A string in a column of numbers says why there is none.
type Cell any

func number[T ~int | ~int32 | ~int64 | ~float64](v T) Cell { return chart.Value(v) }

// Text prints a cell of column c.
func (t *Table) Text(c int, cell Cell) string {
	if v, ok := cell.(chart.Value); ok {
		return t.Columns[c].Unit.Text(v)
	}
	return cell.(string)
}

// encode returns the leading rows as JSON for the page's script, as many as a page has
// room for, and their number.
func (t *Table) encode() (rows string, n int, err error) {
	var b strings.Builder
	b.WriteByte('[')
	for _, cells := range t.Rows {
		row, err := scriptJSON(cells)
		if err != nil {
			return "", 0, fmt.Errorf("report: table %s: %w", t.Name, err)
		}
		if b.Len()+len(row) > tableBytes {
			break
		}
		if n > 0 {
			b.WriteByte(',')
		}
		b.WriteString(row)
		n++
	}
	b.WriteByte(']')
	return b.String(), n, nil
}

// scriptJSON returns a value for a script element, in which nothing may look like its end. What
// texts hide is visible in it, for the script puts them on the page.
func scriptJSON(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	text := string(shown.VisibleJSON([]byte(strings.TrimSuffix(b.String(), "\n"))))
	return strings.ReplaceAll(text, "<", `\u003c`), nil
}

// Tables lists what the page shows as rows, of what the run has.
func Tables(d *Data) []Table {
	var out []Table
	for _, t := range []Table{openTable(d.Summary), whatIfTable(d), collectiveTable(d.Summary), flowTable(d), pairTable(d),
		portTable(d), stepTable(d)} {
		if len(t.Rows) > 0 {
			out = append(out, t)
		}
	}
	for _, j := range d.Jobs {
		for _, t := range []Table{collectiveTable(j.Summary), stepTable(j)} {
			if len(t.Rows) > 0 {
				t.Name, t.Title = j.job+"-"+t.Name, "Job "+j.job+": "+t.Title
				out = append(out, t)
			}
		}
	}
	return out
}

// openTable is the messages that were never acknowledged.
func openTable(s *result.Summary) Table {
	t := Table{Name: "never-acknowledged", Title: "Never acknowledged", File: "flows.parquet", Columns: []Column{
		{"name", Words}, {"path", Words}, {"waits for", Words}, {"size", chart.Bytes}, {"acknowledged", chart.Bytes},
		{"posted", chart.Time}, {"last sent", chart.Time}}}
	for _, m := range s.Unfinished {
		var left Cell = "never"
		if m.Left != nil {
			left = number(*m.Left)
		}
		t.Rows = append(t.Rows, []Cell{m.Name, m.Path, m.Waits, number(m.Bytes),
			number(m.Acked), number(m.Posted), left})
	}
	if n := s.UnfinishedAll - int64(len(t.Rows)); n > 0 {
		t.Left = unit.Count(n) + " more"
	}
	return t
}

func collectiveTable(s *result.Summary) Table {
	t := Table{Name: "collectives", Title: "Collectives, mean over their runs", File: "run.json", Columns: []Column{
		{"name", Words}, {"count", chart.Count}, {"size", chart.Bytes}, {"time", chart.Time},
		{"algbw", chart.ByteRate}, {"bus bandwidth", chart.ByteRate}}}
	for _, c := range s.Collectives {
		t.Rows = append(t.Rows, []Cell{c.Name, number(c.Count), number(c.Bytes), number(c.Time),
			number(c.AlgBW), number(c.BusBW)})
	}
	return t
}

// flowTable is the flows that the scenario names, in its order; of very many the slowest.
func flowTable(d *Data) Table {
	t := Table{Name: "flows", Title: "Flows", File: "run.json", Columns: []Column{
		{"name", Words}, {"path", Words}, {"size", chart.Bytes}, {"posted", chart.Count}, {"done", chart.Count},
		{"completion", chart.Time}, {"rate", chart.Bitrate}, {"marks", chart.Count}, {"CNPs", chart.Count},
		{"retransmits", chart.Count}}}
	all := d.Summary.Flows
	if n := d.Summary.AllFlows() - int64(len(all)); n > 0 {
		t.File, t.Left = flowsFile(d.Summary), unit.Count(n)+" more"
	}
	if slices.ContainsFunc(all, func(f result.FlowFigures) bool { return f.Posted > 1 }) {
		t.Title = "Flows, mean over their messages that are done"
	}
	for _, f := range all {
		var took, rate Cell = f.Status, ""
		if d := f.Took(); d > 0 {
			took, rate = number(d), number(8*float64(f.Bytes)/d.Seconds())
		}
		t.Rows = append(t.Rows, []Cell{f.Name, f.Path, number(f.Bytes), number(f.Posted), number(f.Done), took, rate,
			number(f.Marks), number(f.CNPs), number(f.Retransmits)})
	}
	return t
}

// pairTable is the messages of collectives by queue pair, those of the slowest first.
func pairTable(d *Data) Table {
	t := Table{Name: "queue-pairs", Title: "Messages of collectives, by queue pair",
		File: "flows.parquet", Columns: []Column{
			{"queue pair", Words}, {"path", Words}, {"messages", chart.Count},
			{"sent", chart.Bytes}, {"mean", chart.Time},
			{"slowest", chart.Time}, {"marks", chart.Count}, {"CNPs", chart.Count}, {"retransmits", chart.Count},
			{"largest cause", Words}, {"its share", chart.Fraction}}}
	if d.Flows == nil {
		return t
	}
	for _, p := range d.Flows.Pairs.slowestFirst() {
		var mean, slowest, share Cell = "none done", "", ""
		largestCause := ""
		if p.Done > 0 {
			mean, slowest = number(p.Time/unit.Duration(p.Done)), number(p.Longest)
			if all := largest(&p.Split); len(all) > 0 {
				largestCause, share = all[0].String(), number(unit.Share(p.Split[all[0]], p.Time))
			}
		}
		t.Rows = append(t.Rows, []Cell{p.Name, p.Path, number(p.Count), number(p.Bytes), mean, slowest,
			number(p.Marks), number(p.CNPs), number(p.Retransmits), largestCause, share})
	}
	if n := d.Flows.Pairs.left; n > 0 {
		t.Left = unit.CountOf(n, "message") + " of other queue pairs"
	}
	return t
}

// portTable is every port of the network, the busiest first.
func portTable(d *Data) Table {
	t := Table{Name: "ports", Title: "Ports", File: "links.parquet", Columns: []Column{
		{"port", Words}, {"tier", Words}, {"rate", chart.Bitrate}, {"used", chart.Fraction}, {"sent", chart.Bytes},
		{"deepest queue", chart.Bytes}, {"marks", chart.Count}, {"paused", chart.Time}, {"pauses sent", chart.Count},
		{"drops", chart.Count}}}
	for _, l := range busiestFirst(d.Links) {
		t.Rows = append(t.Rows, []Cell{l.Port, l.Tier, number(l.Rate), number(l.Utilisation), number(l.TxBytes),
			number(l.MaxQueue), number(l.ECNMarks), number(l.Paused), number(l.PausesSent), number(l.Drops)})
	}
	return t
}

// busiestFirst sorts ports by utilisation; ties keep their order.
func busiestFirst(links []result.LinkRow) []*result.LinkRow {
	all := make([]*result.LinkRow, len(links))
	for i := range links {
		all[i] = &links[i]
	}
	slices.SortStableFunc(all, func(a, b *result.LinkRow) int {
		switch {
		case a.Utilisation > b.Utilisation:
			return -1
		case a.Utilisation < b.Utilisation:
			return 1
		}
		return 0
	})
	return all
}

// stepTable is every training step that all ranks ended, the slowest first.
func stepTable(d *Data) Table {
	t := Table{Name: "steps", Title: "Steps, as their slowest rank saw them", File: "steps.parquet", Columns: []Column{
		{"step", Words}, {"time", chart.Time}, {"slowest rank", chart.Plain}, {"largest cause but dependency", Words},
		{"its time", chart.Time}}}
	s := d.Steps
	if s == nil || s.Whole < 2 {
		return t
	}
	hasLoss := slices.ContainsFunc(s.Loss, func(v float64) bool { return v == v })
	if hasLoss {
		t.Columns = append(t.Columns, Column{"loss", chart.Plain})
	}
	order := make([]int, 0, s.Whole)
	for n, took := range s.Time {
		if took > 0 {
			order = append(order, n)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(min(max(s.Time[b]-s.Time[a], -1), 1)) })
	for _, n := range order {
		row := []Cell{strconv.Itoa(n), number(s.Time[n]), strconv.Itoa(int(s.slowestRank[n])), "", ""}
		if n < len(s.top) && s.top[n].Time > 0 {
			row[3], row[4] = s.top[n].Cause.String(), number(s.top[n].Time)
		}
		if hasLoss {
			row = append(row, number(s.Loss[n]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
