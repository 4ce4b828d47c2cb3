package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/headline"
	"railyard/internal/out/result"
)

// Comparison is runs side by side; the first one is what the others are compared with.
type Comparison struct {
	Runs        []ComparedRun `json:"runs"`
	OrderedBy   string        `json:"ordered_by,omitempty"` // the one key that differs; "": as given
	Answer      string        `json:"answer"`               // which run is better, by what, and why
	Bullets     []string      `json:"bullets,omitempty"`
	Headlines   []Headline    `json:"headlines,omitempty"` // one for each run but the first
	Differences []Difference  `json:"scenario_differences"`
	Figures     []FigureRow   `json:"figures"`
	Explained   string        `json:"explained,omitempty"` // what the causes divide, in words
	Splits      []SplitDelta  `json:"causes,omitempty"`    // one for each run but the first
	Notes       []string      `json:"notes,omitempty"`

	Plots []chart.Figure `json:"plots"` // those of the page

	runs []*Data
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
	Name   string          `json:"name"`
	Unit   chart.Unit      `json:"unit"` // ps; 1/s; 1: a fraction; -: a plain number; "": a count
	Values []*result.Float `json:"values"`

	of []*headline.Figure // by run
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
	c.runs = runs
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
	c.answer()
	c.Plots = c.charts()
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
		c.Notes = append(c.Notes, "the runs are not all measured by the same thing (training steps, or completed "+
			"messages of one kind), so their times are not divided among causes")
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
		c.Splits = append(c.Splits, SplitDelta{Before: from.Sum(), After: to.Sum(), From: result.CausesOf(from),
			To: result.CausesOf(to), Delta: result.CausesOf(delta)})
	}
	if runs[0].Steps != nil {
		c.Explained = basis
	} else {
		c.Explained = "a " + runs[0].Flows.Main() + " message, mean over those that completed in each run"
	}
}

// splitOf is what a run's time is divided by; c.Splits are there.
func (c *Comparison) splitOf(run int) cause.Split {
	if run == 0 {
		return c.Splits[0].From.Split()
	}
	return c.Splits[run-1].To.Split()
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

// foldLists puts the lengths of a list, where they differ, in place of the entries that some run
// lacks.
func foldLists(flat []map[string]string, keys map[string]bool) {
	lists := map[string][]int{} // entries by run
	for i := range flat {
		for k := range flat[i] {
			list, entry, ok := entryOf(k)
			if !ok {
				continue
			}
			if lists[list] == nil {
				lists[list] = make([]int, len(flat))
			}
			lists[list][i] = max(lists[list][i], entry+1)
		}
	}
	for k := range keys {
		list, entry, ok := entryOf(k)
		if ok && entry >= slices.Min(lists[list]) {
			delete(keys, k)
		}
	}
	for list, n := range lists {
		if slices.Min(n) == slices.Max(n) {
			continue
		}
		keys[list] = true
		for i := range flat {
			if n[i] > 0 {
				flat[i][list] = fmt.Sprintf("%d in the list", n[i])
			}
		}
	}
}

// entryOf returns the list that a key lies in, and which entry it is of. Of lists in a list it is
// the outer one.
func entryOf(key string) (list string, entry int, ok bool) {
	list, rest, ok := strings.Cut(key, "[")
	return list, leading(rest), ok
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
	lists := make([][]headline.Figure, len(runs))
	for i, d := range runs {
		lists[i] = d.Headline()
	}
	for _, name := range figureNames(runs, lists) {
		row := FigureRow{Name: name, Values: make([]*result.Float, len(runs)), of: make([]*headline.Figure, len(runs))}
		has := false
		for i, list := range lists {
			k := slices.IndexFunc(list, func(f headline.Figure) bool { return f.Name == name })
			if k < 0 {
				continue
			}
			has, row.Unit = true, list[k].Unit
			row.Values[i], row.of[i] = &list[k].Value, &list[k]
		}
		if has {
			out = append(out, row)
		}
	}
	return out
}

// figureNames lists the names of figures in order. Where a run has several jobs the figures of the
// only job of another are named as its own, if it is known: those of one job stand beside each
// other.
func figureNames(runs []*Data, lists [][]headline.Figure) []string {
	if !slices.ContainsFunc(runs, func(d *Data) bool { return len(d.Summary.Jobs) > 0 }) {
		return headline.Names()
	}
	own := headline.JobNames()
	var jobs []string
	for i, d := range runs {
		for k := range lists[i] {
			if f := &lists[i][k]; slices.Contains(own, f.Name) {
				f.Name = headline.Named(d.Summary.Job, f.Name)
			}
		}
		for _, f := range d.Summary.PerJob() {
			if !slices.Contains(jobs, f.Job) {
				jobs = append(jobs, f.Job)
			}
		}
	}
	var names []string
	for _, job := range jobs {
		for _, figure := range own {
			names = append(names, headline.Named(job, figure))
		}
	}
	return append(names, headline.Names()[len(own):]...)
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
