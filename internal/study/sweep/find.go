package sweep

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"railyard/internal/base/formula"
	"railyard/internal/base/located"
	"railyard/internal/out/chart"
	"railyard/internal/out/headline"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// A Found is what was looked for beside one combination of the axes' values.
type Found struct {
	Set      []Value  `json:"set,omitempty"`
	Path     string   `json:"key"`
	Smallest bool     `json:"smallest"` // else the largest
	Value    string   `json:"value,omitempty"`
	Beside   string   `json:"beside,omitempty"`  // the nearest value with which the condition does not hold; "": there is none
	Against  []string `json:"against,omitempty"` // values that show that the condition is not monotone
	From     string   `json:"from"`              // the range: its first value and its last
	To       string   `json:"to"`
	Tried    int      `json:"tried"` // values
}

// finder looks for the first of some values for which something holds, by bisection: as if it held for all behind that one.
// Then it tries values beside the answer, and spread over the rest, which may show that it does not.
type finder struct {
	n         int
	known     map[int]bool
	low, high int // does not hold, holds; -1, n: not known
	checked   bool
}

func newFinder(n int) *finder { return &finder{n: n, known: map[int]bool{}, low: -1, high: n} }

// next lists the values that are to be tried now, none when it is through.
func (f *finder) next() []int {
	if len(f.known) == 0 {
		return slices.Compact([]int{0, f.n - 1})
	}
	if f.low+1 < f.high && f.high < f.n && f.low >= 0 {
		return []int{(f.low + f.high) / 2}
	}
	if f.checked {
		return nil
	}
	f.checked = true
	var more []int
	add := func(i int) {
		if _, done := f.known[i]; !done && i >= 0 && i < f.n && !slices.Contains(more, i) {
			more = append(more, i)
		}
	}
	for d := 1; d <= 2; d++ {
		add(f.high - 1 - d)
		add(f.high + d)
	}
	for k := 1; k <= spreadTries; k++ {
		add(f.high * k / (spreadTries + 1))
		add(f.high + (f.n-1-f.high)*k/(spreadTries+1))
	}
	slices.Sort(more)
	return more
}

// spreadTries is how many values are tried on each side of the answer, beyond those beside it.
const spreadTries = 3

// take hears whether it holds for a value.
func (f *finder) take(i int, holds bool) {
	f.known[i] = holds
	switch {
	case f.checked:
	case holds:
		f.high = min(f.high, i)
	case i < f.high:
		f.low = max(f.low, i)
	}
}

// against lists the values that show that what holds for the answer does not hold for all behind it, or for one before it.
func (f *finder) against() (all []int) {
	for i, holds := range f.known {
		if holds != (i >= f.high) {
			all = append(all, i)
		}
	}
	slices.Sort(all)
	return all
}

// CheckFigures reports what cannot be held against the figures of a run: a condition, or a figure that no run has.
func CheckFigures(f *scenario.SweepFile) error {
	var problems located.Problems
	check := func(path string, c *scenario.SweepCondition) {
		err := c.Is.Check(func(name string) (formula.Dim, error) {
			u, ok := headline.UnitOf(name)
			if !ok {
				return "", noFigure(name)
			}
			return dimOf[u], nil
		})
		if err != nil {
			problems = append(problems, f.Located(path, err.Error(), ""))
		}
	}
	if f.Find != nil {
		check("find.with", &f.Find.With)
	}
	if m := f.Maximise; m != nil {
		if name, _ := m.Figure(); !known(name) {
			problems = append(problems, f.Located(figurePath(m), noFigure(name).Error(), ""))
		}
		if m.With.Is != nil {
			check("maximise.with", &m.With)
		}
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}

func noFigure(name string) error {
	return fmt.Errorf("no figure has the name %s; railyard list figures shows them", located.Shown(name))
}

func known(figure string) bool {
	_, ok := headline.UnitOf(figure)
	return ok
}

// dimOf is what the figures of a unit measure; others are numbers.
var dimOf = map[chart.Unit]formula.Dim{chart.Time: formula.Time, chart.Bytes: formula.Bytes, chart.Bitrate: formula.Bitrate}

// Search is what came of looking for a value with each point.
type Search struct {
	Found  []Found
	Tried  Axis      // the key that was looked for, with the values that were tried
	Points [][]Value // that were tried
	Rows   []Row     // of each of them, with each seed
}

// FindAll looks for a value with each point. When ctx ends, it returns what there is, with its error.
func FindAll(ctx context.Context, file *scenario.SweepFile, base *scenario.Scenario, points [][]Value, opt Options) (*Search,
	error) {
	s, err := newSearch(file, base, len(points), opt)
	if err != nil {
		return nil, err
	}
	key, smallest := file.Find.Key()
	if tell := opt.Forecast; tell != nil {
		s.opt.Forecast = func(f Forecast) { tell(s.whole(f)) }
	}
	for err == nil {
		var more bool
		if more, err = s.round(ctx, key, points); !more {
			break
		}
		s.opt.Forecast = nil // said once
	}
	out := s.ordered(key)
	if err != nil {
		return out, err
	}
	for i, f := range s.each {
		out.Found = append(out.Found, s.found(f, points[i], key, smallest))
	}
	return out, nil
}

// ForecastFind says what FindAll would cost, at most, and runs nothing.
func ForecastFind(ctx context.Context, file *scenario.SweepFile, base *scenario.Scenario, points [][]Value, opt Options) (Forecast,
	error) {
	s, err := newSearch(file, base, len(points), opt)
	if err != nil {
		return Forecast{}, err
	}
	key, _ := file.Find.Key()
	_, sets := s.asked(key, points)
	variants, err := VariantsOf(base, sets, file.Seeds)
	if err != nil {
		return Forecast{}, err
	}
	f, err := ForecastOf(ctx, variants, s.opt)
	return s.whole(f), err
}

func newSearch(file *scenario.SweepFile, base *scenario.Scenario, points int, opt Options) (*search, error) {
	s := &search{file: file, base: base, opt: opt, each: make([]*finder, points)}
	var err error
	if s.values, err = file.Find.Range.Values(); err != nil {
		return nil, err
	}
	if _, smallest := file.Find.Key(); !smallest {
		slices.Reverse(s.values)
	}
	s.opt.KeepRefused, s.opt.EvenNone = true, true
	for i := range s.each {
		s.each[i] = newFinder(len(s.values))
	}
	return s, nil
}

// whole is the forecast of all rounds, at most, by what of the first is still to be run. Of that one some are refused, as the ends
// of a range are likely to be: values between them may not be.
func (s *search) whole(f Forecast) Forecast {
	most := min(2+bits.Len(uint(len(s.values)))+2*(2+spreadTries), len(s.values))
	return f.scaled(len(s.each)*max(1, len(s.file.Seeds))*most - f.Resumed)
}

// search is a value that is looked for with several points at once.
type search struct {
	file   *scenario.SweepFile
	base   *scenario.Scenario
	opt    Options
	values []string // of the key, from those with which the condition is not to hold
	each   []*finder
	tried  []try
}

// try is a value with a point, and its rows.
type try struct {
	point, value int
	set          []Value
	rows         []Row
}

// asked is what all points want to know next.
func (s *search) asked(key string, points [][]Value) (tries []try, sets [][]Value) {
	for p, f := range s.each {
		for _, i := range f.next() {
			set := append(slices.Clone(points[p]), Value{key, s.values[i]})
			tries, sets = append(tries, try{point: p, value: i, set: set}), append(sets, set)
		}
	}
	return tries, sets
}

// round runs what all points want to know next.
func (s *search) round(ctx context.Context, key string, points [][]Value) (more bool, err error) {
	tries, sets := s.asked(key, points)
	if len(tries) == 0 {
		return false, nil
	}
	variants, err := VariantsOf(s.base, sets, s.file.Seeds)
	if err != nil {
		return false, err
	}
	if len(s.tried)*max(1, len(s.file.Seeds))+len(variants) > MaxVariants {
		return false, tooMany()
	}
	rows, err := Run(ctx, variants, s.opt)
	if rows == nil {
		return false, err
	}
	per := max(1, len(s.file.Seeds))
	for k := range tries {
		t := &tries[k]
		t.rows = rows[k*per : (k+1)*per]
		s.tried = append(s.tried, *t)
		if err != nil {
			continue
		}
		var is bool
		if is, err = holds(s.file, "find.with", &s.file.Find.With, t.rows); err == nil {
			s.each[t.point].take(t.value, is)
		}
	}
	return err == nil, err
}

// holds reports whether a condition holds in every row: one that was refused, or failed, has no figures.
func holds(file *scenario.SweepFile, path string, c *scenario.SweepCondition, rows []Row) (bool, error) {
	all := true
	for i := range rows {
		r := &rows[i]
		if r.State != result.Complete {
			all = false
			continue
		}
		holds, err := c.Is.Holds(func(name string) (float64, error) {
			v, ok := r.Figures[name]
			if !ok {
				return 0, hasNone(r, name)
			}
			return v, nil
		})
		if err != nil {
			return false, located.Problems{file.Located(path, err.Error(), "")}
		}
		all = all && holds
	}
	return all, nil
}

func hasNone(r *Row, figure string) error {
	return fmt.Errorf("a run with %s has no figure %s", label(r.Set), figure)
}

// ordered lists what was tried by point and value, each with its rows.
func (s *search) ordered(key string) *Search {
	slices.SortStableFunc(s.tried, func(a, b try) int {
		return cmp.Or(cmp.Compare(a.point, b.point), cmp.Compare(a.value, b.value))
	})
	out := &Search{Tried: Axis{Path: key}}
	seen := make([]bool, len(s.values))
	for _, t := range s.tried {
		out.Points, out.Rows = append(out.Points, t.set), append(out.Rows, t.rows...)
		seen[t.value] = true
	}
	for i, v := range s.values {
		if seen[i] {
			out.Tried.Values = append(out.Tried.Values, v)
		}
	}
	return out
}

// found is what came of one finder.
func (s *search) found(f *finder, set []Value, key string, smallest bool) Found {
	out := Found{Set: set, Path: key, Smallest: smallest, Tried: len(f.known),
		From: s.file.Find.Range.At(0), To: s.file.Find.Range.At(1)}
	if f.high < f.n {
		if out.Value = s.values[f.high]; f.high > 0 {
			out.Beside = s.values[f.high-1]
		}
	}
	for _, i := range f.against() {
		out.Against = append(out.Against, s.values[i])
	}
	return out
}

// Text says what was found, as a sentence.
func (f *Found) Text(condition string) string {
	which, least := "largest", "the largest that was allowed"
	if f.Smallest {
		which, least = "smallest", "the smallest that was allowed"
	}
	with := ""
	if len(f.Set) > 0 {
		with = label(f.Set) + ": "
	}
	text := fmt.Sprintf("%s%s %s with %s is %s", with, which, f.Path, condition, f.Value)
	switch {
	case f.Value == "":
		text = fmt.Sprintf("%s%s does not hold with %s of %s to %s", with, condition, f.Path, f.From, f.To)
	case f.Beside == "":
		text += ", " + least
	default:
		text += fmt.Sprintf("; with %s it does not hold", f.Beside)
	}
	if len(f.Against) > 0 {
		text += fmt.Sprintf(". It is not monotone: %s is on the wrong side, so another value may be the answer too",
			strings.Join(f.Against, ", "))
	}
	return text
}
