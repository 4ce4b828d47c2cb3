package report

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/headline"
	"railyard/internal/out/result"
)

// How much the bullets of a comparison name.
const (
	shownKeys    = 3
	shownFigures = 4
	shownLimits  = 3 // runs
)

// headlineRow is the figure by which all runs are compared; nil if some run lacks it.
func (c *Comparison) headlineRow() *FigureRow {
	i := slices.IndexFunc(c.Figures, func(f FigureRow) bool {
		plain := headline.Plain(f.Name)
		return (plain == headline.StepTime || plain == headline.MeanFCT) && (plain == f.Name || !slices.Contains(f.of, nil))
	})
	if i < 0 || slices.Contains(c.Figures[i].of, nil) {
		return nil
	}
	return &c.Figures[i]
}

// ends returns the runs with the least and with the greatest value of the headline figure,
// the first of several.
func (f *FigureRow) ends() (best, worst int) {
	for i, v := range f.of {
		if v.Value < f.of[best].Value {
			best = i
		}
		if v.Value > f.of[worst].Value {
			worst = i
		}
	}
	return best, worst
}

// answer says which run is better, by how much, and the cause that accounts for most of it;
// then what differs, what else is better or worse, and what each run was limited by.
func (c *Comparison) answer() {
	f := c.headlineRow()
	if f == nil {
		c.Answer = "These runs have no figure in common that says which is better: " +
			"not all have a step time, or a mean completion time."
		c.Bullets = keep(c.changed(), c.limits([]int{0, 1}))
		return
	}
	best, worst := f.ends()
	short, long := f.of[best], f.of[worst]
	shown := []int{min(best, worst), max(best, worst)}
	if len(c.runs) <= shownLimits {
		shown = nil
		for i := range c.runs {
			shown = append(shown, i)
		}
	}
	if short.Change(long) == "same" {
		c.Answer = c.partly(fmt.Sprintf("%s have the same %s: %s.", c.all(), headline.InWords(f.Name), long.Text()))
		c.Bullets = keep(c.changed(), c.alsoDiffer(best, worst), c.limits(slices.Compact(shown)))
		return
	}
	word := "better"
	against := fmt.Sprintf("the %s of %s", long.Text(), c.label(worst))
	if len(c.runs) > 2 {
		word = fmt.Sprintf("the best of %d runs", len(c.runs))
		against += ", the worst"
	}
	c.Answer = c.partly(fmt.Sprintf("%s is %s: its %s is %s, %s less than %s%s.", c.label(best), word,
		headline.InWords(f.Name),
		short.Text(), strings.TrimPrefix(short.Change(long), "-"), against, c.mostly(best, worst)))
	c.Bullets = keep(c.changed(), c.alsoDiffer(best, worst), c.limits(shown))
}

// partly puts before a sentence that some run is not complete.
func (c *Comparison) partly(sentence string) string {
	if !slices.ContainsFunc(c.Runs, func(r ComparedRun) bool { return r.State != result.Complete }) {
		return sentence
	}
	return "Not every run came to its end; as far as they got, " + sentence
}

// all is the subject of a sentence about all runs.
func (c *Comparison) all() string {
	if len(c.runs) == 2 {
		return c.label(0) + " and " + c.label(1)
	}
	return fmt.Sprintf("All %d runs", len(c.runs))
}

// label names a run in a sentence and in a plot: its letter, and what tells it from the others.
func (c *Comparison) label(i int) string {
	if name := c.telling(i); name != "" {
		return letter(i) + " (" + name + ")"
	}
	return letter(i)
}

// telling is what tells a run from the others: the value of the one key that differs, or else
// its name; "" where neither does.
func (c *Comparison) telling(i int) string {
	var keys []Difference
	for _, d := range c.Differences {
		if d.Key != "name" {
			keys = append(keys, d)
		}
	}
	if len(keys) == 1 && len(keys[0].Values[i]) <= 24 {
		return keys[0].Key[strings.LastIndexByte(keys[0].Key, '.')+1:] + " " + orDash(keys[0].Values[i])
	}
	seen := map[string]bool{}
	for _, r := range c.Runs {
		seen[r.Name] = true
	}
	if len(seen) == len(c.Runs) {
		return c.Runs[i].Name
	}
	return ""
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// mostly says which cause has most of the difference between two runs, where that of what is
// divided among causes goes the same way.
func (c *Comparison) mostly(best, worst int) string {
	if len(c.Splits) == 0 {
		return ""
	}
	from, to := c.splitOf(worst), c.splitOf(best)
	delta := to
	delta.Sub(&from)
	whole := delta.Sum()
	if order := byDelta(delta); whole < 0 && len(order) > 0 {
		top := order[0]
		if d := delta[top]; d < 0 && d >= whole {
			return fmt.Sprintf("; %s of the difference is %s", unit.Percent(unit.Share(-d, -whole)), top)
		}
		return fmt.Sprintf("; the largest change is %s, %s", top, signed(delta[top]))
	}
	return ""
}

// changed says in which keys the scenarios differ.
func (c *Comparison) changed() string {
	var parts []string
	more := 0
	for _, d := range c.Differences {
		switch {
		case d.Key == "name":
		case len(parts) == shownKeys:
			more++
		default:
			values := d.Values
			if len(values) > 4 {
				values = []string{values[0], "...", values[len(values)-1]}
			}
			var texts []string
			for _, v := range values {
				texts = append(texts, orDash(v))
			}
			parts = append(parts, fmt.Sprintf("%s (%s)", d.Key, strings.Join(texts, ", ")))
		}
	}
	if len(parts) == 0 {
		return "Their scenarios are the same."
	}
	s := "Their scenarios differ in " + strings.Join(parts, "; ")
	if more > 0 {
		s += fmt.Sprintf("; and in %d more keys", more)
	}
	return s + "."
}

// alsoDiffer lists what else is better in the best run, and what is worse.
func (c *Comparison) alsoDiffer(best, worst int) string {
	said := map[string]bool{headline.StepTime: true, "samples/s": true, headline.MeanFCT: true}
	found := map[string][]string{}
	for i := range c.Figures {
		f := &c.Figures[i]
		b, w := f.of[best], f.of[worst]
		if said[f.Name] || b == nil || w == nil {
			continue
		}
		if v := b.Verdict(w); v != "" && len(found[v]) < shownFigures {
			found[v] = append(found[v], fmt.Sprintf("%s %s against %s", f.Name, b.Text(), w.Text()))
		}
	}
	var out []string
	for _, v := range []struct{ word, said string }{{"better", "Also better: "}, {"worse", "Worse: "}} {
		if len(found[v.word]) > 0 {
			out = append(out, v.said+strings.Join(found[v.word], "; ")+".")
		}
	}
	return sentences(out...)
}

// limits says what most of the time of some runs is attributed to.
func (c *Comparison) limits(runs []int) string {
	var parts []string
	reasons := map[string]bool{}
	for _, i := range runs {
		g := c.runs[i].Summary.Diagnosis
		if g == nil || g.Main() == nil {
			continue
		}
		reasons[shortly(g.Main())] = true
		parts = append(parts, fmt.Sprintf("in %s %s (%s)", letter(i), shortly(g.Main()),
			unit.Percent(g.Share(g.Main()))))
	}
	switch {
	case len(parts) == 0:
		return ""
	case len(reasons) == 1 && len(parts) > 1:
		for reason := range reasons {
			return "In each of them most time went to one thing: " + reason + "."
		}
	}
	return "What took most time: " + strings.Join(parts, "; ") + "."
}

func keep(all ...string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}
