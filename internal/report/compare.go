package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/cause"
	"railyard/internal/result"
	"railyard/internal/unit"
)

// Comparison is runs side by side; the first one is what the others are compared with.
type Comparison struct {
	Runs        []ComparedRun `json:"runs"`
	OrderedBy   string        `json:"ordered_by,omitempty"` // the one key of the scenarios that differs; else the runs are in the order given
	Headlines   []Headline    `json:"headlines,omitempty"`  // one for each run but the first
	Differences []Difference  `json:"scenario_differences"`
	Figures     []FigureRow   `json:"figures"`
	Explained   string        `json:"explained,omitempty"` // what the causes divide, in words
	Splits      []SplitDelta  `json:"causes,omitempty"`    // one for each run but the first
	Notes       []string      `json:"notes,omitempty"`
}

// ComparedRun names a run.
type ComparedRun struct {
	Dir   string       `json:"directory"`
	Name  string       `json:"name"`
	State result.State `json:"state"`
}

// Difference is a key of the resolved scenario whose value is not the same in all
// runs. A run without the key has "".
type Difference struct {
	Key    string   `json:"key"`
	Values []string `json:"values"`
}

// FigureRow is one figure of all runs; nil: the run has none.
type FigureRow struct {
	Name   string     `json:"name"`
	Unit   string     `json:"unit,omitempty"` // ps; 1/s; "" for counts; 1 for fractions
	Values []*float64 `json:"values"`
}

// SplitDelta is how the time of a run differs from the first run's, by cause.
//
// Invariant: Delta sums to After - Before.
type SplitDelta struct {
	Before unit.Duration `json:"before_ps"`
	After  unit.Duration `json:"after_ps"`
	From   result.Causes `json:"from_ps"`
	To     result.Causes `json:"to_ps"`
	Delta  result.Causes `json:"difference_ps"`
}

// Compare compares runs, at least two. Of several that differ in one key of their
// scenarios they are put in the order of its values.
func Compare(runs []*Data) *Comparison {
	c := &Comparison{}
	runs, c.OrderedBy = inOrder(runs)
	for _, d := range runs {
		c.Runs = append(c.Runs, ComparedRun{d.Path, d.Summary.Name, d.Summary.State})
		for _, n := range d.Notes {
			c.Notes = append(c.Notes, d.Path+": "+n)
		}
	}
	c.Differences = differences(runs)
	c.Figures = figuresOf(runs)
	c.split(runs)
	c.headlines(runs)
	return c
}

// split divides the difference of what all runs are measured by.
func (c *Comparison) split(runs []*Data) {
	kinds := map[string]bool{}
	for _, d := range runs {
		kind := d.Flows.Main()
		if d.Steps != nil {
			kind = "step"
		}
		kinds[kind] = true
	}
	if len(kinds) > 1 || kinds[""] {
		c.Notes = append(c.Notes, "the runs are not all measured by the same thing (training steps, or completed messages of one kind), so their times are not divided among causes")
		return
	}
	of, basis := (*Data).subject, "a step along its critical path, mean over the steps of each run"
	if slices.ContainsFunc(runs, func(d *Data) bool { return d.Summary.PathsTraced < d.Summary.Steps }) {
		basis += " whose path was traced"
	}
	if slices.ContainsFunc(runs, func(d *Data) bool { return d.Summary.CriticalPath == nil }) {
		of, basis = (*Data).ownSubject, "a step of its slowest rank, mean over the steps of each run"
	}
	_, from := of(runs[0])
	if from.Sum() == 0 {
		return
	}
	for _, d := range runs[1:] {
		_, to := of(d)
		delta := to
		delta.Sub(&from)
		c.Splits = append(c.Splits, SplitDelta{Before: from.Sum(), After: to.Sum(), From: result.CausesOf(from), To: result.CausesOf(to), Delta: result.CausesOf(delta)})
	}
	if runs[0].Steps != nil {
		c.Explained = basis
	} else {
		c.Explained = "a " + runs[0].Flows.Main() + " message, mean over those that completed in each run"
	}
}

// differences flattens the scenarios to keys and lists those that differ, by key.
func differences(runs []*Data) []Difference {
	flat := make([]map[string]string, len(runs))
	keys := map[string]bool{}
	for i, d := range runs {
		flat[i] = map[string]string{}
		var v any
		if json.Unmarshal(d.Summary.Scenario, &v) == nil {
			flatten(flat[i], "", v)
		}
		if _, ok := flat[i]["seed"]; !ok { // a run that saved no scenario has a seed all the same
			flat[i]["seed"] = strconv.FormatUint(d.Summary.Seed, 10)
		}
		for k := range flat[i] {
			keys[k] = true
		}
	}
	foldLists(flat, keys)
	var out []Difference
	for _, k := range slices.SortedFunc(maps.Keys(keys), byKey) {
		values := make([]string, len(runs))
		same := true
		for i := range runs {
			values[i] = flat[i][k]
			same = same && values[i] == values[0]
		}
		if !same {
			out = append(out, Difference{k, values})
		}
	}
	return out
}

// foldLists puts one key in place of all entries of a list that some run lacks.
func foldLists(flat []map[string]string, keys map[string]bool) {
	lists := map[string][]int{} // entries by run
	for i := range flat {
		for k := range flat[i] {
			list, rest, ok := strings.Cut(k, "[")
			if !ok {
				continue
			}
			if lists[list] == nil {
				lists[list] = make([]int, len(flat))
			}
			lists[list][i] = max(lists[list][i], leading(rest)+1)
		}
	}
	for list, n := range lists {
		if !slices.Contains(n, 0) {
			continue
		}
		for k := range keys {
			if strings.HasPrefix(k, list+"[") {
				delete(keys, k)
			}
		}
		keys[list] = true
		for i := range flat {
			if n[i] > 0 {
				flat[i][list] = fmt.Sprintf("%d in the list", n[i])
			}
		}
	}
}

func byKey(a, b string) int {
	if a == b {
		return 0
	}
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	for i > 0 && a[i-1] >= '0' && a[i-1] <= '9' {
		i--
	}
	if x, y := leading(a[i:]), leading(b[i:]); x != y {
		return x - y
	}
	if a < b {
		return -1
	}
	return 1
}

// leading returns the number at the beginning of s, 0 if there is none.
func leading(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	v, _ := strconv.Atoi(s[:n])
	return v
}

func flatten(out map[string]string, path string, v any) {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			key := k
			if path != "" {
				key = path + "." + k
			}
			flatten(out, key, e)
		}
	case []any:
		if !slices.ContainsFunc(x, func(e any) bool { _, deep := e.(map[string]any); return deep }) {
			b, err := json.Marshal(x)
			if err == nil {
				out[path] = string(b)
			}
			return
		}
		for i, e := range x {
			flatten(out, fmt.Sprintf("%s[%d]", path, i), e)
		}
	case string:
		out[path] = x
	case nil:
		out[path] = "null"
	default:
		out[path] = fmt.Sprint(x)
	}
}

// figuresOf lists the headline figures that at least one run has.
func figuresOf(runs []*Data) []FigureRow {
	var out []FigureRow
	add := func(name, unitName string, of func(*Data) (float64, bool)) {
		row, any := FigureRow{Name: name, Unit: unitName}, false
		for _, d := range runs {
			v, ok := of(d)
			if !ok {
				row.Values = append(row.Values, nil)
				continue
			}
			any = true
			row.Values = append(row.Values, &v)
		}
		if any {
			out = append(out, row)
		}
	}
	ended := func(d *Data) bool { return d.Summary.State != result.Running }
	stepFigures(add)
	completion := func(of func(*Messages) unit.Duration) func(*Data) (float64, bool) {
		return func(d *Data) (float64, bool) {
			m := d.Flows.Of(d.Flows.Main())
			return float64(of(m)), d.Steps == nil && m.Done > 0
		}
	}
	add(flowHeadline, "ps", completion(func(m *Messages) unit.Duration { mean, _ := m.Mean(); return mean }))
	add("completion, slowest", "ps", completion(func(m *Messages) unit.Duration { return m.Longest }))
	add("virtual time", "ps", func(d *Data) (float64, bool) { return float64(d.End), d.End > 0 })
	add("overlap", "1", func(d *Data) (float64, bool) {
		if d.Summary.Overlap == nil {
			return 0, false
		}
		return *d.Summary.Overlap, true
	})
	add("final loss", "", func(d *Data) (float64, bool) {
		if d.Summary.FinalLoss == nil {
			return 0, false
		}
		return float64(*d.Summary.FinalLoss), true
	})
	add("test accuracy", "1", func(d *Data) (float64, bool) {
		if d.Summary.TestAccuracy == nil {
			return 0, false
		}
		return *d.Summary.TestAccuracy, true
	})
	add("busiest port used", "1", func(d *Data) (float64, bool) {
		if p := d.busiest(); p != nil {
			return p.Utilisation, true
		}
		return 0, false
	})
	for _, n := range []struct {
		name string
		of   func(*result.Summary) int64
	}{
		{"ECN marks", func(s *result.Summary) int64 { return s.ECNMarks }}, {"CNPs", func(s *result.Summary) int64 { return s.CNPs }},
		{"pause frames", func(s *result.Summary) int64 { return s.Pauses }}, {"drops", func(s *result.Summary) int64 { return s.Drops }},
		{"packets sent again", func(s *result.Summary) int64 { return s.Retransmits }},
	} {
		add(n.name, "", func(d *Data) (float64, bool) { return float64(n.of(d.Summary)), ended(d) })
	}
	return out
}

// stepFigures adds the times of training steps: the headline, then what it is not.
func stepFigures(add func(name, unitName string, of func(*Data) (float64, bool))) {
	time := func(of func(*StepStats) unit.Duration) func(*Data) (float64, bool) {
		return func(d *Data) (float64, bool) {
			if d.Steps == nil {
				return 0, false
			}
			return float64(of(d.Steps)), true
		}
	}
	add(stepHeadline, "ps", time(func(s *StepStats) unit.Duration { return s.PerStep }))
	add("samples per second", "1/s", func(d *Data) (float64, bool) { return d.Summary.SampleRate, d.Summary.SampleRate > 0 })
	add("slowest rank, median", "ps", time(func(s *StepStats) unit.Duration { return s.Quantile(0.5) }))
	add("slowest rank, p99", "ps", time(func(s *StepStats) unit.Duration { return s.Quantile(0.99) }))
}

// cell prints a figure.
func (f *FigureRow) cell(v float64) string {
	switch {
	case f.Unit == "ps":
		return unit.Duration(v).Human()
	case f.Unit == "1":
		return unit.Percent(v)
	case f.Unit == "1/s":
		return unit.Rate(v)
	case f.Name == "final loss":
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return unit.Count(int64(v))
}

// change prints how v differs from base.
func (f *FigureRow) change(base, v float64) string {
	d := v - base
	switch {
	case d == 0:
		return "same"
	case math.IsNaN(d) || math.IsInf(d, 0):
		return "-" // a loss that is no number
	case f.Unit == "1":
		return tenths(100*d, " points")
	case f.Unit == "ps" || f.Unit == "1/s" || f.Name == "final loss":
		if base == 0 {
			return ""
		}
		return tenths(100*d/base, " %")
	}
	return fmt.Sprintf("%+d", int64(d))
}

// tenths prints a signed difference to one decimal; one that rounds to nothing is none.
func tenths(v float64, unit string) string {
	if math.Abs(v) < 0.05 {
		return "same"
	}
	return fmt.Sprintf("%+.1f%s", v, unit)
}

// signed prints a difference of time.
func signed(d unit.Duration) string {
	if d > 0 {
		return "+" + d.Human()
	}
	return d.Human()
}

// byDelta lists the causes by the size of their difference, largest first.
func byDelta(s cause.Split) []cause.Cause {
	abs := s
	for i := range abs {
		abs[i] = max(abs[i], -abs[i])
	}
	return largest(&abs)
}
