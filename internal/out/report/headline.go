package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/headline"
	"railyard/internal/out/result"
)

// Headline is the one difference of a run from the first that matters: the step time, or
// the mean completion time, and the cause that accounts for most of it.
type Headline struct {
	Figure     string        `json:"figure"` // step time; or completion, mean
	Before     unit.Duration `json:"before_ps"`
	After      unit.Duration `json:"after_ps"`
	Cause      string        `json:"cause,omitempty"` // whose time differs most; see causes for what it is part of
	Difference unit.Duration `json:"cause_difference_ps,omitempty"`
	Text       string        `json:"text"`
}

// Headline lists the figures that the run is known by. Of a run that never ended it takes those
// that its tables have.
func (d *Data) Headline() []headline.Figure {
	if d.Summary.State != result.Running {
		return headline.Of(d.Summary)
	}
	s := *d.Summary
	s.VirtualTime = d.End
	if st := d.Steps; st != nil {
		s.Steps, s.StepTime, s.StepMedian, s.StepP99 = int64(st.Whole), st.PerStep, st.Quantile(0.5), st.Quantile(0.99)
	}
	if p := d.busiest(); p != nil {
		s.BusiestLinks = []result.LinkFigures{{Port: p.Port, Utilisation: p.Utilisation}}
	}
	return headline.Of(&s)
}

// headlines compares each run with the first, by the figure that all of them have.
func (c *Comparison) headlines(runs []*Data) {
	f := c.headlineRow()
	if f == nil {
		return
	}
	for k := range runs[1:] {
		a, b := f.of[0], f.of[k+1]
		h := Headline{Figure: f.Name, Before: unit.Duration(a.Value), After: unit.Duration(b.Value)}
		change := b.Change(a)
		if change == "same" {
			change = "the same"
		}
		h.Text = fmt.Sprintf("%s %s (%s, A %s).", f.Name, change, b.Text(), a.Text())
		if k < len(c.Splits) && a.Value != b.Value {
			h.because(&c.Splits[k], c.Explained)
		}
		c.Headlines = append(c.Headlines, h)
	}
}

// because adds the cause whose time differs most, of what is divided among causes.
func (h *Headline) because(s *SplitDelta, explained string) {
	delta := s.Delta.Split()
	order := byDelta(delta)
	if len(order) == 0 {
		return
	}
	h.Cause, h.Difference = order[0].String(), delta[order[0]]
	if what, _, _ := strings.Cut(explained, ","); h.Figure == headline.StepTime {
		h.Text += fmt.Sprintf(" A%s is %s.", what[1:], inWords(s.After-s.Before))
	}
	h.Text += " " + mostOf(*s, s.After-s.Before)
}

// inOrder returns three runs or more in the order of the values of the one key in which their
// scenarios differ (names do not count). If there is no such key, or its values are no quantities,
// it returns key "" and the order given. Of two runs the first is what the user compares with.
func inOrder(runs []*Data) (ordered []*Data, key string) {
	if len(runs) < 3 {
		return runs, ""
	}
	changed := slices.DeleteFunc(differences(runs), func(d Difference) bool { return d.Key == "name" })
	if len(changed) != 1 {
		return runs, ""
	}
	values, ok := quantitiesOf(changed[0].Values)
	if !ok {
		return runs, ""
	}
	at := make([]int, len(runs))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return values[a].compare(values[b]) })
	for _, i := range at {
		ordered = append(ordered, runs[i])
	}
	return ordered, changed[0].Key
}

// scenarioValue is a value of a scenario as a number, if it is one.
type scenarioValue struct {
	kind string // of quantity; "": a word such as none or auto
	v    float64
}

// compare puts words after numbers.
func (a scenarioValue) compare(b scenarioValue) int {
	switch {
	case a.kind == "" || b.kind == "":
		return cmp.Compare(b.kind, a.kind)
	}
	return cmp.Compare(a.v, b.v)
}

// quantitiesOf reads values of a scenario; false if fewer than two are quantities, or not all
// of the same kind.
func quantitiesOf(texts []string) (all []scenarioValue, ok bool) {
	kind, n := "", 0
	for _, t := range texts {
		v := quantityOf(t)
		all = append(all, v)
		if v.kind == "" {
			continue
		}
		if n++; n > 1 && v.kind != kind {
			return nil, false
		}
		kind = v.kind
	}
	return all, n > 1
}

func quantityOf(text string) scenarioValue {
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return scenarioValue{"number", v}
	}
	if v, err := unit.ParseDuration(text); err == nil {
		return scenarioValue{"time", float64(v)}
	}
	if v, err := unit.ParseBitrate(text); err == nil {
		return scenarioValue{"rate", float64(v)}
	}
	if v, err := unit.ParseBytes(text); err == nil {
		return scenarioValue{"bytes", float64(v)}
	}
	if v, err := unit.ParseLength(text); err == nil {
		return scenarioValue{"length", float64(v)}
	}
	if v, err := unit.ParseRatio(text); err == nil {
		return scenarioValue{"number", v.Float()}
	}
	return scenarioValue{}
}
