package sweep

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// Table is what a sweep found.
type Table struct {
	State   result.State `json:"state"` // complete, interrupted, or failed: a run has
	Version string       `json:"version"`
	Name    string       `json:"name"`
	Axes    []Axis       `json:"axes,omitempty"`
	Seeds   []uint64     `json:"seeds,omitempty"`
	Points  [][]Value    `json:"points,omitempty"`   // nil: every combination of the axes' values, the last changes first
	Left    int          `json:"left_out,omitempty"` // combinations that a condition left out
	Found   []Found      `json:"found,omitempty"`
	Best    *Best        `json:"best,omitempty"` // of a search for the best point
	With    string       `json:"with,omitempty"` // the condition that Found, or Best, was looked for by
	Kept    []string     `json:"kept,omitempty"` // run directories of chosen rows, below the directory
	Groups  []Group      `json:"groups"`         // a group for each combination of the axes' values
	Rows    []Row        `json:"rows"`           // a row for each run that was run or refused, in order

	Dir string `json:"directory,omitempty"` // where the rows lie
}

// Group is the runs that differ in their seed alone.
type Group struct {
	Set     []Value  `json:"set,omitempty"`
	Runs    int      `json:"runs"`              // with figures
	Failed  int      `json:"failed"`            // failed, or left flows unfinished
	Refused int      `json:"refused,omitempty"` // cannot run
	Figures []Figure `json:"figures"`           // of those that have it
}

// Figure is the spread of one figure over the runs of a group, by nearest rank.
type Figure struct {
	Name   string        `json:"name"` // step_time, mean_fct or slowest_fct
	Median unit.Duration `json:"median_ps"`
	P5     unit.Duration `json:"p5_ps"`
	P95    unit.Duration `json:"p95_ps"`
	Min    unit.Duration `json:"min_ps"`
	Max    unit.Duration `json:"max_ps"`
}

// figures are what groups show, in order, with the title that a reader sees.
var figures = []struct {
	name, title string
	of          func(*Row) unit.Duration
}{
	{"step_time", "step time (virtual time / steps)", func(r *Row) unit.Duration { return r.StepTime }},
	{"mean_fct", "mean completion time of the job's messages", func(r *Row) unit.Duration { return r.MeanFCT }},
	{"slowest_fct", "completion time of the job's slowest flow", func(r *Row) unit.Duration { return r.SlowestFCT }},
}

// NewTable sets the rows of the variants of axes x seeds beside each other. Rows without a State
// were not run.
func NewTable(name string, axes []Axis, seeds []uint64, rows []Row) *Table {
	return NewTableOf(name, axes, nil, seeds, rows)
}

// NewTableOf is NewTable for the variants of points x seeds; points nil: all that the axes have.
func NewTableOf(name string, axes []Axis, points [][]Value, seeds []uint64, rows []Row) *Table {
	t := &Table{State: result.Complete, Version: result.Version, Name: name, Axes: axes, Seeds: seeds, Points: points,
		Rows: []Row{}}
	per := max(1, len(seeds))
	for from := 0; from < len(rows); from += per {
		g := Group{Set: rows[from].Set}
		var whole []*Row
		for i := from; i < from+per; i++ {
			r := &rows[i]
			switch {
			case r.State == "":
				t.State = result.Interrupted
				continue
			case r.State == Refused:
				g.Refused++
			case r.Whole():
				whole = append(whole, r)
			default:
				g.Failed++
			}
			t.Rows = append(t.Rows, *r)
		}
		g.Runs, g.Figures = len(whole), spread(whole)
		t.Groups = append(t.Groups, g)
	}
	if t.State == result.Complete && t.Failed() > 0 {
		t.State = result.Failed
	}
	return t
}

// Failed returns how many runs failed or left flows unfinished.
func (t *Table) Failed() (n int) {
	for _, g := range t.Groups {
		n += g.Failed
	}
	return n
}

// Refused returns how many runs were refused.
func (t *Table) Refused() (n int) {
	for _, g := range t.Groups {
		n += g.Refused
	}
	return n
}

func spread(rows []*Row) []Figure {
	out := []Figure{}
	for _, f := range figures {
		var x []unit.Duration
		for _, r := range rows {
			if v := f.of(r); v > 0 {
				x = append(x, v)
			}
		}
		if len(x) == 0 {
			continue
		}
		slices.Sort(x)
		out = append(out, Figure{Name: f.name, Median: Percentile(x, 50), P5: Percentile(x, 5),
			P95: Percentile(x, 95),
			Min: x[0], Max: x[len(x)-1]})
	}
	return out
}

// Percentile returns the p-th percentile, 0 < p <= 100, of ascending values: the least of them that
// at least p % do not exceed.
func Percentile[T any](ascending []T, p int) T {
	rank := (len(ascending)*p + 99) / 100
	return ascending[max(rank, 1)-1]
}
