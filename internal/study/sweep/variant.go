package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/plan/scenario"
)

// MaxVariants bounds a sweep.
const MaxVariants = 100_000

// An Axis is a key of the scenario and the values that it takes in turn, as a file would have them.
type Axis struct {
	Path   string   `json:"key"`
	Values []string `json:"values"`
}

// A Value is the value that a key has in a variant.
type Value struct {
	Path string `json:"key"`
	Text string `json:"value"`
}

// A Variant is one run of a sweep.
type Variant struct {
	Set      []Value // what was set, in order of the axes
	Scenario *scenario.Scenario
	// Ignored are keys of the file, or of other axes, that the values of the axes leave without a meaning.
	Ignored []string
	// Wrong is why the combination is no scenario, which is then nil.
	Wrong error
	Seed  uint64
}

// ParseAxis reads key=value,value. A comma within [], {} or quotes belongs to a value:
// job.train.layers=[784,10],[784,32,10].
func ParseAxis(text string) (Axis, error) {
	key, list, ok := strings.Cut(text, "=")
	if key = strings.TrimSpace(key); !ok || key == "" {
		return Axis{}, fmt.Errorf("%q: want KEY=VALUE, or several values as in fabric.spines=2,4", text)
	}
	a := Axis{Path: key, Values: split(list)}
	for i, v := range a.Values {
		switch {
		case v == "" && len(a.Values) > 1:
			return Axis{}, fmt.Errorf("%q: value %d is empty, want several as in fabric.spines=2,4", text, i+1)
		case slices.Contains(a.Values[:i], v):
			return Axis{}, fmt.Errorf("%q: %s twice, want each value once", text, v)
		}
	}
	return a, nil
}

// split cuts a list at the commas that stand outside brackets and quotes.
func split(list string) (values []string) {
	depth, quote, from := 0, rune(0), 0
	for i, c := range list {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			values, from = append(values, strings.TrimSpace(list[from:i])), i+1
		}
	}
	return append(values, strings.TrimSpace(list[from:]))
}

// Variants returns every combination of the axes' values, the last axis changing first, each with
// every seed; without seeds, with the scenario's own. A combination that is no scenario says why; where all are none, or
// an axis is no key of a scenario, the error is that of the first.
func Variants(base *scenario.Scenario, axes []Axis, seeds []uint64) ([]Variant, error) {
	total := max(1, len(seeds))
	for i, a := range axes {
		for _, b := range axes[:i] {
			if a.Path == b.Path {
				return nil, fmt.Errorf("%s twice, want its values in one list: %s=%s,%s", a.Path, a.Path,
					strings.Join(b.Values, ","), strings.Join(a.Values, ","))
			}
		}
		if len(seeds) > 0 && a.Path == "seed" {
			return nil, fmt.Errorf("seed and seeds, want one of them")
		}
		if total *= len(a.Values); total > MaxVariants {
			return nil, fmt.Errorf("more than %d runs, want fewer values or seeds", MaxVariants)
		}
	}
	all := make([]Variant, 0, total)
	for n := range total {
		set := values(axes, n/max(1, len(seeds)))
		seed := base.Seed
		if len(seeds) > 0 {
			seed = seeds[n%len(seeds)]
		}
		v, err := variant(base, set, seed, len(seeds) > 0)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	if !slices.ContainsFunc(all, func(v Variant) bool { return v.Wrong == nil }) {
		return nil, all[0].Wrong
	}
	return all, nil
}

// variant is a scenario with some values and, where seeds are changed, a seed. The error is of a key that no scenario has.
func variant(base *scenario.Scenario, set []Value, seed uint64, seeded bool) (Variant, error) {
	v := Variant{Set: set, Scenario: base, Seed: seed}
	var changes []scenario.Change
	for _, c := range set {
		changes = append(changes, scenario.Change{Path: c.Path, Text: c.Text})
	}
	if seeded {
		changes = append(changes, scenario.Change{Path: "seed", Text: strconv.FormatUint(seed, 10)})
	}
	if len(changes) == 0 {
		return v, nil
	}
	var problems located.Problems
	v.Scenario, v.Ignored, v.Wrong = base.WithFitting(changes...)
	if v.Wrong != nil && !errors.As(v.Wrong, &problems) {
		return v, v.Wrong
	}
	if v.Scenario != nil {
		v.Seed = v.Scenario.Seed
	}
	return v, nil
}

// Ignored says of each key that some variants ignore in how many of them, and of the first which it is.
func Ignored(variants []Variant) (notes []string) {
	var keys []string
	of := map[string][]int{}
	for i := range variants {
		for _, key := range variants[i].Ignored {
			if of[key] == nil {
				keys = append(keys, key)
			}
			of[key] = append(of[key], i)
		}
	}
	for _, key := range keys {
		notes = append(notes, fmt.Sprintf("%s has no meaning in %d of %d runs, and is ignored there; the first is %s", key,
			len(of[key]), len(variants), label(variants[of[key][0]].Set)))
	}
	return notes
}

// values returns the n-th combination.
func values(axes []Axis, n int) []Value {
	set := make([]Value, len(axes))
	for i := len(axes) - 1; i >= 0; i-- {
		k := len(axes[i].Values)
		set[i] = Value{axes[i].Path, axes[i].Values[n%k]}
		n /= k
	}
	return set
}

// label names a combination in words: fabric.spines 4, seed not included.
func label(set []Value) string {
	var parts []string
	for _, v := range set {
		parts = append(parts, v.Path+"="+v.Text)
	}
	return strings.Join(parts, " ")
}
