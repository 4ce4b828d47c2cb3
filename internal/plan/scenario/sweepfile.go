package scenario

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"railyard/internal/base/formula"
	"railyard/internal/base/located"
)

// A SweepFile says which variants of a scenario are run: what `railyard sweep` reads.
type SweepFile struct {
	Name     string
	Base     Opt[string] // file of the scenario, beside this one; not set: Scenario
	Scenario *Scenario   // written here; nil: in Base
	Axes     []SweepAxis
	Seeds    []uint64 // none: that of the scenario
	Sample   *Sample  // nil: every combination
	Where    []SweepCondition
	Find     *Find     // nil: nothing is looked for
	Maximise *Maximise // nil: likewise

	file   string
	places map[string]span
}

// SweepAxis is a key that is changed.
type SweepAxis struct {
	Key    string
	Values []string           // as a file would have them; none: Range
	Range  Opt[formula.Range] //
	When   Opt[AxisWhen]      // not set: always
}

// AxisWhen is a value of another key with which alone an axis has a meaning.
type AxisWhen struct {
	Key    string
	Values []string // one of them
}

// Sample draws points instead of running every combination.
type Sample struct {
	Design SampleDesign // see SampleDesigns
	Points int
	Seed   uint64
}

// SweepCondition is a condition with the text that it was read from.
type SweepCondition struct {
	Text string
	Is   *formula.Condition
}

// Find is the smallest or the largest value of a key with which a condition holds over all seeds.
type Find struct {
	Smallest, Largest Opt[string] // the key: one of them is set
	Range             formula.Range
	With              SweepCondition
}

// Key is the key that is looked for, and whether its smallest value is.
func (f *Find) Key() (key string, smallest bool) {
	return f.Smallest.Or(f.Largest.Value), f.Smallest.Set
}

// Maximise is the point of the axes with the largest or the smallest value of a figure, as far as so many points find it.
type Maximise struct {
	Largest, Smallest Opt[string] // the figure, as `railyard list figures` has it: one of them is set
	With              SweepCondition
	Points            int
	Over              string // seeds: see MaximiseOver
	Together          int    // points that are chosen at once
	Seed              uint64
}

// Figure is the figure, and whether its largest value is looked for.
func (m *Maximise) Figure() (name string, largest bool) {
	return m.Largest.Or(m.Smallest.Value), m.Largest.Set
}

// MaxDims bounds the axes of Maximise: with more, points say little of each other.
const MaxDims = 8

// MaxSeeds bounds a list of seeds.
const MaxSeeds = 100_000

// ParseSeeds reads 1..100, or a list such as 1,5,10..12.
func ParseSeeds(text string) ([]uint64, error) {
	var seeds []uint64
	seen := map[uint64]bool{}
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(part), "..")
		if !isRange {
			high = low
		}
		a, err1 := strconv.ParseUint(low, 10, 64)
		b, err2 := strconv.ParseUint(high, 10, 64)
		if err1 == nil && err2 == nil && b < a {
			return nil, fmt.Errorf("%q: %d is before %d, want %d..%d", text, b, a, b, a)
		}
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("%q: want seeds such as 1..100 or 1,2,7", text)
		}
		if b-a >= MaxSeeds || len(seeds)+int(b-a) >= MaxSeeds {
			return nil, fmt.Errorf("%q: more than %d seeds", text, MaxSeeds)
		}
		for s := a; ; s++ {
			if seen[s] {
				return nil, fmt.Errorf("%q: seed %d twice, want each once", text, s)
			}
			seen[s] = true
			if seeds = append(seeds, s); s == b {
				break
			}
		}
	}
	return seeds, nil
}

// ParseSweep reads a sweep. The error is located.Problems: everything that is wrong with it, and with a scenario that is
// written in it.
func ParseSweep(name string, src []byte) (*SweepFile, error) {
	root, ps := readTreeOf("sweep", name, src)
	if len(ps) > 0 {
		return nil, ofOurs(ps, name, "sweep", src, sweepTree)
	}
	d := newDecoder(name)
	d.rows = SweepTable
	s := &SweepFile{}
	if root.shape != mappingShape {
		d.at("", root.at, root.described()+", want the keys of a sweep: "+located.OneOf(sweepTree.names()), "")
		return nil, ofOurs(d.problems, name, "sweep", src, sweepTree)
	}
	if d.mistaken(root, sweepTree, tree, "the keys of a scenario, want those of a sweep",
		"railyard run --set KEY=VALUE,VALUE runs variants of a scenario") {
		return nil, ofOurs(d.problems, name, "sweep", src, sweepTree)
	}
	inline := cut(root, "scenario")
	d.walk(sweepTree, root, "", s)
	d.resolve(sweepFields, s, "")
	s.file, s.places = name, d.places()
	d.checkSweep(s, inline)
	if inline != nil && len(inline.entries) > 0 {
		var err error
		if s.Scenario, err = decode(name, inline, nil); err != nil {
			d.problems = append(d.problems, within("scenario", err)...)
		}
	}
	if len(d.problems) > 0 {
		return nil, ofOurs(d.problems, name, "sweep", src, sweepTree)
	}
	return s, nil
}

// cut leaves of a key of a mapping an empty group, and returns its value where that is a mapping.
func cut(root *node, key string) *node {
	for i := range root.entries {
		if e := &root.entries[i]; e.key == key && e.value.shape == mappingShape {
			v := e.value
			e.value = &node{shape: mappingShape, at: v.at}
			return v
		}
	}
	return nil
}

// within gives problems of what stands below a key the path from the top of the file.
func within(key string, err error) (ps located.Problems) {
	if !errors.As(err, &ps) {
		return located.Problems{{Path: key, Message: err.Error()}}
	}
	for i := range ps {
		ps[i].Path = strings.TrimSuffix(key+"."+ps[i].Path, ".")
	}
	return ps
}

// Located gives a finding about a path its place in the file.
func (s *SweepFile) Located(path, message, hint string) located.Problem {
	var at span // none: the file says nothing about it
	for p := path; p != ""; p = parent(p) {
		if found, ok := s.places[p]; ok {
			at = found
			break
		}
	}
	return at.problem(s.file, path, message, hint)
}

// checkSweep reports what does not go with each other, and reads conditions.
func (d *decoder) checkSweep(s *SweepFile, inline *node) {
	switch {
	case s.Base.Set && inline != nil:
		d.problem("base", "base and scenario, want one of them", "")
	case !s.Base.Set && (inline == nil || len(inline.entries) == 0) && d.ok("base"):
		d.problem("base", "missing, want the file of a scenario, or scenario: with its keys", "")
	}
	var keys []string
	for i := range s.Axes {
		a := &s.Axes[i]
		at := fmt.Sprintf("axes[%d]", i)
		d.checkAxis(a, at)
		if slices.Contains(keys, a.Key) && d.ok(at+".key") {
			d.problem(at+".key", a.Key+": twice, want its values in one axis", "")
		}
		if keys = append(keys, a.Key); a.Key == "seed" && len(s.Seeds) > 0 {
			d.problem(at+".key", "seed, beside seeds: want one of them", "")
		}
	}
	for i := range s.Axes {
		w := s.Axes[i].When.Value
		if k := slices.Index(keys, w.Key); w.Key != "" && k >= i {
			d.problem(fmt.Sprintf("axes[%d].when", i), w.Key+" is an axis that comes later", "put that axis before this one")
		}
	}
	for i := range s.Where {
		item := d.values["where"].items[i]
		s.Where[i] = d.condition(fmt.Sprintf("where[%d]", i), item)
	}
	if s.Sample != nil && d.ok("axes") && len(s.Axes) == 0 {
		d.problem("sample", "there are no axes to draw points of", "want axes")
	}
	d.checkFind(s, keys)
	d.checkMaximise(s)
	if len(s.Axes)+len(s.Seeds) == 0 && s.Find == nil && s.Maximise == nil && d.ok("axes", "seeds") {
		d.problem("axes", "nothing is changed, want axes, seeds or find", "")
	}
}

func (d *decoder) checkAxis(a *SweepAxis, at string) {
	switch {
	case d.given(at+".values") == d.given(at+".range") && d.ok(at, at+".values", at+".range"):
		d.problem(at, "want one of values and range", "values: [1MB, 2MB] or range: 1MB..4MB step 1MB")
	case a.Range.Set:
		if values, err := a.Range.Value.Values(); err == nil {
			a.Values = values
		}
	}
}

func (d *decoder) checkFind(s *SweepFile, keys []string) {
	f := s.Find
	if f == nil {
		return
	}
	if f.Smallest.Set == f.Largest.Set && d.ok("find.smallest", "find.largest") {
		d.problem("find", "want one of smallest and largest", "smallest: fabric.switch.buffer")
	}
	path := "find.smallest"
	if f.Largest.Set {
		path = "find.largest"
	}
	if key, _ := f.Key(); key != "" && slices.Contains(keys, key) {
		d.problem(path, key+": is an axis too, want another key", "")
	}
	if s.Sample != nil {
		d.problem("find", "want no sample beside it: a value is looked for with each combination of the axes", "")
	}
	if n := d.values["find.with"]; n != nil && d.ok("find.with") {
		f.With = d.condition("find.with", n)
	}
}

func (d *decoder) checkMaximise(s *SweepFile) {
	m := s.Maximise
	if m == nil {
		return
	}
	if m.Smallest.Set == m.Largest.Set && d.ok("maximise.smallest", "maximise.largest") {
		d.problem("maximise", "want one of largest and smallest", "largest: tokens_per_s")
	}
	if s.Find != nil {
		d.problem("maximise", "find, too: want one of them", "")
	}
	if s.Sample != nil {
		d.problem("maximise", "want no sample beside it: it chooses points itself, maximise.points of them", "")
	}
	if d.ok("axes") && (len(s.Axes) == 0 || len(s.Axes) > MaxDims) {
		d.problem("axes", fmt.Sprintf("%d beside maximise, want 1 to %d", len(s.Axes), MaxDims), "")
	}
	if n := d.values["maximise.with"]; n != nil && d.ok("maximise.with") {
		m.With = d.condition("maximise.with", n)
	}
}

// condition reads the condition of a node, and points at what is wrong in it.
func (d *decoder) condition(path string, n *node) SweepCondition {
	k, err := formula.ParseCondition(n.text)
	if err != nil {
		at := n.at
		before := err.At.Column - 1
		if n.quoted {
			before++
		}
		at.column, at.width = at.column+min(before, at.width), max(1, min(err.At.Width, utf8.RuneCountInString(n.text)))
		d.at(path, at, err.Error(), "")
	}
	return SweepCondition{n.text, k}
}

// axisKey is what is wrong with a key that is to be changed, "" if nothing.
func axisKey(text string) string {
	path := TablePath(text)
	var near []string
	for _, f := range Table() {
		if f.Path == path {
			return ""
		}
		near = append(near, f.Path)
	}
	if s := suggest(path, near); s != "" {
		return "a scenario has no such key; did you mean " + s + "?"
	}
	return "a scenario has no such key, want one such as fabric.spines or job.flows[0].bytes"
}

// TablePath is where Table has the key at a path of a scenario: job.flows[].bytes for jobs[1].flows[0].bytes.
func TablePath(path string) string {
	path = indexText.ReplaceAllString(path, "[]")
	return strings.Replace(strings.Replace(path, "jobs[]", "job", 1), "background.flows[]", "job.flows[]", 1)
}

var indexText = regexp.MustCompile(`\[[^\]]*\]`)

// parseWhen reads KEY = VALUE, or KEY = VALUE or VALUE.
func parseWhen(text string) (w AxisWhen, err error) {
	key, values, ok := strings.Cut(text, "=")
	if w.Key = strings.TrimSpace(key); !ok {
		return w, fmt.Errorf("%s: want KEY = VALUE, such as fabric.balance = dlb", located.Shown(text))
	}
	if why := axisKey(w.Key); why != "" {
		return w, fmt.Errorf("%s: %s", located.Shown(w.Key), why)
	}
	for v := range strings.SplitSeq(strings.TrimPrefix(values, "="), " or ") {
		if v = strings.TrimSpace(v); v == "" {
			return w, fmt.Errorf("%s: no value, want KEY = VALUE, such as fabric.balance = dlb", located.Shown(text))
		}
		w.Values = append(w.Values, v)
	}
	return w, nil
}
