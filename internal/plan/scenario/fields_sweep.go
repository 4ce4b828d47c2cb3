package scenario

import (
	"fmt"
	"strings"

	"railyard/internal/base/formula"
	"railyard/internal/base/located"
)

// SampleDesign is how points of axes are drawn, by the name that a sweep has for it.
type SampleDesign string

// The designs of samples: SampleDesigns says what each is.
const (
	SampleSobol          SampleDesign = "sobol"
	SampleLatinHypercube SampleDesign = "latin-hypercube"
	SampleRandom         SampleDesign = "random"
)

// SampleDesigns are ways to draw points of axes.
var SampleDesigns = []Choice{
	{string(SampleSobol), "a low-discrepancy sequence (Sobol 1967, numbers of Joe and Kuo 2008): even also where few points are drawn"},
	{string(SampleLatinHypercube), "each axis in as many equal parts as there are points, a point in each (McKay 1979)"},
	{string(SampleRandom), "each point by itself"},
}

// MaximiseOver are ways in which several seeds are one value of a point.
var MaximiseOver = []Choice{
	{"mean", "their mean"},
	{"worst", "the worst of them: the smallest, where the largest is looked for"},
}

var (
	sweepTree = grow(sweepFields)
	axisTree  = grow(axisFields)
)

// Kinds that only a sweep has.
var (
	seedRange = &kind[[]uint64]{
		traits: traits{name: SeedRange, want: "seeds such as 1..100 or 1,2,7", forms: func(*Field) []Form {
			return []Form{{Type: "integer", Min: "0"}, {Type: "string", Pattern: `^[0-9., ]+$|^own$`}}
		}},
		parse: func(f *Field, text string) ([]uint64, string, error) {
			if text == f.Word {
				return nil, "", nil
			}
			seeds, err := ParseSeeds(text)
			return seeds, "", err
		},
		format: func(f *Field, _ []uint64) string { return f.Word },
	}

	valueRange = scalar(traits{
		name: ValueRange, want: "a range such as 2..64 log 6 or 1MB..4MB step 512kB", reads: asText,
		forms: only(Form{Type: "string", Pattern: `\.\.`}),
	}, parseRange, nil, func(formula.Range) string { return "" })

	axisValues = &kind[[]string]{
		traits: traits{name: ValueList, want: "a list of values such as [1MB, 2MB]", forms: func(*Field) []Form {
			return []Form{{Type: "array", Least: 1, Most: formula.MaxValues}}
		}},
		parse: parseNoNames, list: parseAxisValues, format: listed(asItIs),
	}

	when = scalar(traits{
		name: Text, want: "KEY = VALUE, such as fabric.balance = dlb", reads: asText, forms: only(Form{Type: "string", Pattern: `=`}),
	}, parseWhen, nil, func(AxisWhen) string { return "" })

	conditions = &kind[[]SweepCondition]{
		traits: traits{name: ConditionList, want: "a list of conditions such as [fabric.spines <= 8]", forms: only(Form{
			Type: "array", Entry: &Form{Type: "string", Pattern: `.`}, Least: 1, Most: maxConditions,
		})},
		parse: func(*Field, string) ([]SweepCondition, string, error) { return nil, "", nil },
		list:  listConditions, format: func(*Field, []SweepCondition) string { return "" },
	}

	condition = scalar(traits{
		name: Text, want: "a condition such as drops == 0", reads: asText, forms: only(Form{Type: "string", Pattern: `.`}),
	}, func(text string) (SweepCondition, error) { return SweepCondition{Text: text}, nil }, nil,
		func(c SweepCondition) string { return c.Text })

	axisList = listOf[SweepAxis](AxisList, "axis", "axes[]", "- {key: fabric.spines, values: [2, 4]}", axisFields, axisTree)
)

const maxConditions = 100

// sweepFields are the keys of a sweep.
var sweepFields = []*Field{
	{
		Path: "name", Rule: "the file's base name", check: checkName, pattern: namePattern,
		example: "a name such as buffers",
		value:   in(text, func(s *SweepFile) *string { return &s.Name }),
		derive:  func(d *decoder, _ any, _ string) string { return NameOf(d.file) },
		Meaning: "names the directory of the sweep: lower-case letters, digits and -",
	},
	{
		Path: "base", Default: "none", Word: "none", check: checkBase, pattern: `.`,
		example: "the file of a scenario, such as incast.yaml",
		value:   in(opt(text), func(s *SweepFile) *Opt[string] { return &s.Base }),
		Meaning: "the scenario that is varied: its file, beside this one; none: scenario has it",
	},
	{Path: "scenario", Meaning: "the scenario that is varied, with the keys of scenario.md", open: func(any) {}},
	{
		Path: "axes", Meaning: "the keys that are changed: every combination of their values is a variant, the last changes first",
		value: in(axisList, func(s *SweepFile) *[]SweepAxis { return &s.Axes }),
	},
	{
		Path: "seeds", Default: "own", Word: "own",
		value:   in(seedRange, func(s *SweepFile) *[]uint64 { return &s.Seeds }),
		Meaning: "each variant is run with each of them; own: with that of the scenario",
	},
	{Path: "sample", Meaning: "points are drawn instead of running every combination",
		open: func(base any) { base.(*SweepFile).Sample = &Sample{} }},
	{
		Path: "sample.design", Default: string(SampleSobol), Choices: SampleDesigns,
		value:   inSweep(func(s *SweepFile) *Sample { return s.Sample }, choice, func(s *Sample) *string { return (*string)(&s.Design) }),
		Meaning: "how",
	},
	{
		Path: "sample.points", Required: true, Min: "1", Max: "100000",
		value:   inSweep(func(s *SweepFile) *Sample { return s.Sample }, whole, func(s *Sample) *int { return &s.Points }),
		Meaning: "how many",
	},
	{
		Path: "sample.seed", Default: "1",
		value:   inSweep(func(s *SweepFile) *Sample { return s.Sample }, seed, func(s *Sample) *uint64 { return &s.Seed }),
		Meaning: "the points follow from it, not the runs",
	},
	{
		Path: "where", Meaning: "conditions over keys: a combination for which one does not hold is no variant",
		value:   in(conditions, func(s *SweepFile) *[]SweepCondition { return &s.Where }),
		example: "a list of conditions such as [fabric.spines <= 8]", Rule: "all combinations",
		derive: func(*decoder, any, string) string { return "" },
	},
	{Path: "find", Meaning: "with each combination a value of one more key is looked for, by bisection",
		open: func(base any) { base.(*SweepFile).Find = &Find{} }},
	{
		Path: "find.smallest", Default: "none", Word: "none", check: axisKey, pattern: `.`,
		example: "a key such as fabric.switch.buffer",
		value:   inSweep(func(s *SweepFile) *Find { return s.Find }, opt(text), func(f *Find) *Opt[string] { return &f.Smallest }),
		Meaning: "the key of which the smallest value is looked for",
	},
	{
		Path: "find.largest", Default: "none", Word: "none", check: axisKey, pattern: `.`,
		example: "a key such as fabric.switch.buffer",
		value:   inSweep(func(s *SweepFile) *Find { return s.Find }, opt(text), func(f *Find) *Opt[string] { return &f.Largest }),
		Meaning: "the key of which the largest value is looked for",
	},
	{
		Path: "find.range", Required: true,
		value:   inSweep(func(s *SweepFile) *Find { return s.Find }, valueRange, func(f *Find) *formula.Range { return &f.Range }),
		Meaning: "between which values, and how finely: 100kB..4MB step 1kB",
	},
	{
		Path: "find.with", Required: true,
		value:   inSweep(func(s *SweepFile) *Find { return s.Find }, condition, func(f *Find) *SweepCondition { return &f.With }),
		Meaning: "the condition over figures of a run, which must hold with every seed: names as `railyard list figures` has them",
	},
	{Path: "maximise", Meaning: "the best point of the axes is looked for with so many, each chosen by what the ones before it came to",
		open: func(base any) { base.(*SweepFile).Maximise = &Maximise{} }},
	{
		Path: "maximise.largest", Default: "none", Word: "none", check: checkFigure, pattern: `.`, example: "a figure such as tokens_per_s",
		value:   inMaximise(opt(text), func(m *Maximise) *Opt[string] { return &m.Largest }),
		Meaning: "the figure of which the largest value is looked for: names as `railyard list figures` has them",
	},
	{
		Path: "maximise.smallest", Default: "none", Word: "none", check: checkFigure, pattern: `.`, example: "a figure such as step_time",
		value:   inMaximise(opt(text), func(m *Maximise) *Opt[string] { return &m.Smallest }),
		Meaning: "the figure of which the smallest value is looked for",
	},
	{
		Path: "maximise.with", Rule: "any", example: "a condition such as drops == 0",
		value:   inMaximise(condition, func(m *Maximise) *SweepCondition { return &m.With }),
		derive:  func(*decoder, any, string) string { return "" },
		Meaning: "a condition over figures of a run: a point for which it does not hold with every seed is not the best",
	},
	{
		Path: "maximise.points", Required: true, Min: "2", Max: "200",
		value:   inMaximise(whole, func(m *Maximise) *int { return &m.Points }),
		Meaning: "the budget: how many points are run, each with every seed",
	},
	{
		Path: "maximise.over", Default: "mean", Choices: MaximiseOver,
		value:   inMaximise(choice, func(m *Maximise) *string { return &m.Over }),
		Meaning: "what several seeds come to",
	},
	{
		Path: "maximise.together", Default: "4", Min: "1", Max: "64",
		value: inMaximise(whole, func(m *Maximise) *int { return &m.Together }),
		Meaning: "points that are chosen at once, and run side by side: more keep more cores busy, and know less of each other. " +
			"The points follow from it, not from cores or workers",
	},
	{
		Path: "maximise.seed", Default: "1",
		value:   inMaximise(seed, func(m *Maximise) *uint64 { return &m.Seed }),
		Meaning: "the points follow from it, not the runs",
	},
}

// axisFields are the keys of an axis.
var axisFields = []*Field{
	{
		Path: "key", Required: true, check: axisKey, pattern: `.`, example: "a key such as fabric.spines",
		value: in(text, func(a *SweepAxis) *string { return &a.Key }), Meaning: "the key of the scenario",
	},
	{
		Path: "values", Rule: "of range", example: "a list of values such as [1MB, 2MB]",
		value:   in(axisValues, func(a *SweepAxis) *[]string { return &a.Values }),
		derive:  func(*decoder, any, string) string { return "" },
		Meaning: "its values, as a scenario has them",
	},
	{
		Path: "range", Default: "none", Word: "none", example: "a range such as 2..64 log 6 or 1MB..4MB step 512kB",
		value: in(opt(valueRange), func(a *SweepAxis) *Opt[formula.Range] { return &a.Range }),
		Meaning: "its values, as a range: all whole numbers, so many (2..64 log 6, 100us..1ms 10), or one each step; none: see " +
			"values",
	},
	{
		Path: "when", Default: "always", Word: "always", example: "KEY = VALUE, such as fabric.balance = dlb",
		value:   in(opt(when), func(a *SweepAxis) *Opt[AxisWhen] { return &a.When }),
		Meaning: "the axis is changed where another key has this value alone: KEY = VALUE, or KEY = VALUE or VALUE",
	},
}

// inSweep is a variable in a group of a sweep that may be absent.
func inSweep[G, T any](group func(*SweepFile) *G, k *kind[T], f func(*G) *T) variable {
	return variable{k, func(base any) any {
		if g := group(base.(*SweepFile)); g != nil {
			return f(g)
		}
		return nil
	}}
}

func inMaximise[T any](k *kind[T], f func(*Maximise) *T) variable {
	return inSweep(func(s *SweepFile) *Maximise { return s.Maximise }, k, f)
}

// checkBase is what is wrong with the name of a file, "" if nothing.
func checkBase(text string) string {
	if strings.TrimSpace(text) == "" {
		return "want the file of a scenario"
	}
	return ""
}

// checkFigure is what is wrong with the name of a figure, "" if nothing that can be known here: which there are runs say.
func checkFigure(text string) string {
	if strings.TrimSpace(text) == "" {
		return "want the name of a figure"
	}
	return ""
}

// parseRange reads a range, which says which values are in it.
func parseRange(text string) (formula.Range, error) {
	r, err := formula.ParseRange(text)
	if err != nil {
		return r, err
	}
	if _, err = r.Values(); err != nil {
		return r, fmt.Errorf("%s: %w", located.Shown(text), err)
	}
	return r, nil
}

// parseAxisValues reads a list of values, each as a file would have it and once.
func parseAxisValues(f *Field, n *node) (all []string, hint string, err error) {
	if n.shape != sequenceShape || len(n.items) == 0 || len(n.items) > formula.MaxValues {
		return nil, "", fmt.Errorf("%s, want %s, at most %d", n.described(), f.want(), formula.MaxValues)
	}
	seen := map[string]bool{}
	for i, item := range n.items {
		if item.null() {
			return nil, "", &entryError{item.at, fmt.Errorf("entry %d: no value", i+1)}
		}
		text := item.inline()
		if seen[text] {
			return nil, "", &entryError{item.at, fmt.Errorf("entry %d: %s: twice, want each value once", i+1, located.Shown(text))}
		}
		seen[text] = true
		all = append(all, text)
	}
	return all, "", nil
}

// listConditions takes texts, which are read when all keys are known.
func listConditions(f *Field, n *node) (all []SweepCondition, hint string, err error) {
	if n.shape != sequenceShape || len(n.items) == 0 || len(n.items) > maxConditions {
		return nil, "", fmt.Errorf("%s, want %s, at most %d", n.described(), f.want(), maxConditions)
	}
	for i, item := range n.items {
		if item.shape != scalarShape {
			return nil, "", &entryError{item.at, fmt.Errorf("entry %d: %s, want a condition such as fabric.spines <= 8", i+1,
				item.described())}
		}
		all = append(all, SweepCondition{Text: item.text})
	}
	return all, "", nil
}

// SweepTable returns every field of a sweep in order.
func SweepTable() []Field { return rows(sweepFields, "") }

// SweepKeys returns the root of the keys of a sweep.
func SweepKeys() *Key { return sweepTree }

// SweepLists returns the lists of mappings that a sweep may have.
func SweepLists() []*List { return []*List{axisList.rows} }
