package sweep

import (
	"fmt"
	"math"
	"slices"

	"railyard/internal/base/formula"
	"railyard/internal/base/located"
	"railyard/internal/plan/scenario"
)

// A Plan is the variants of a sweep file before they are run.
type Plan struct {
	Axes   []Axis    // with the values that points have
	Points [][]Value // each run with every seed; of a grid the last axis changes first
	Grid   bool      // points are every combination of the axes' values
	Left   int       // combinations that a condition of where left out
	Short  int       // points that could not be drawn: there are no more different ones
}

// PlanOf lists the points of a sweep file for its scenario. An error about a condition is located.Problems.
func PlanOf(f *scenario.SweepFile, base *scenario.Scenario) (*Plan, error) {
	p := &planner{file: f, base: fieldsOf(base)}
	if err := p.checkWhere(); err != nil {
		return nil, err
	}
	var err error
	switch {
	case f.Maximise != nil:
		return p.begun(f.Maximise)
	case f.Sample != nil:
		err = p.drawn(f.Sample)
	default:
		err = p.grid(nil, f.Axes)
	}
	if err != nil {
		return nil, err
	}
	if len(p.points) == 0 {
		return nil, fmt.Errorf("no combination is left: where holds for none of %d", p.left)
	}
	if n := len(p.points) * max(1, len(f.Seeds)); n > MaxVariants {
		return nil, tooMany()
	}
	plan := &Plan{Points: p.points, Left: p.left, Grid: f.Sample == nil && p.left == 0}
	if f.Sample != nil {
		plan.Short = f.Sample.Points - len(p.points)
	}
	for i := range f.Axes {
		plan.Grid = plan.Grid && !f.Axes[i].When.Set
		plan.Axes = append(plan.Axes, Axis{Path: f.Axes[i].Key, Values: p.values(f.Axes[i].Key)})
	}
	if plan.Grid {
		for i := range f.Axes {
			plan.Axes[i].Values = f.Axes[i].Values
		}
	}
	return plan, nil
}

func tooMany() error {
	return fmt.Errorf("more than %d runs, want fewer values or seeds, or sample: with points", MaxVariants)
}

// fieldsOf is the text of each key of a scenario.
func fieldsOf(s *scenario.Scenario) map[string]string {
	all := map[string]string{}
	for _, f := range s.Fields() {
		all[f.Path] = f.Value
	}
	return all
}

type planner struct {
	file   *scenario.SweepFile
	base   map[string]string
	points [][]Value
	left   int
}

// values lists those that points have of a key, each once, in the order in which they come.
func (p *planner) values(key string) []string {
	var all []string
	seen := map[string]bool{}
	for _, set := range p.points {
		for _, v := range set {
			if v.Path == key && !seen[v.Text] {
				seen[v.Text] = true
				all = append(all, v.Text)
			}
		}
	}
	return all
}

// grid adds every combination of the values of axes behind what is set.
func (p *planner) grid(set []Value, axes []scenario.SweepAxis) error {
	if len(axes) == 0 {
		_, err := p.add(set)
		return err
	}
	a := &axes[0]
	if !p.applies(set, a) {
		return p.grid(set, axes[1:])
	}
	for _, v := range a.Values {
		if err := p.grid(append(slices.Clip(set), Value{a.Key, v}), axes[1:]); err != nil {
			return err
		}
	}
	return nil
}

// applies reports whether an axis is changed beside what is set.
func (p *planner) applies(set []Value, a *scenario.SweepAxis) bool {
	return !a.When.Set || slices.Contains(a.When.Value.Values, p.text(set, a.When.Value.Key))
}

// text is the value of a key beside what is set.
func (p *planner) text(set []Value, key string) string {
	for _, v := range set {
		if v.Path == key {
			return v.Text
		}
	}
	return p.base[key]
}

// holds reports whether all conditions hold beside what is set.
func (p *planner) holds(set []Value) (bool, error) {
	for i := range p.file.Where {
		holds, err := p.file.Where[i].Is.Holds(func(name string) (float64, error) {
			q, err := p.quantity(set, name)
			return q.Value, err
		})
		if err != nil {
			return false, located.Problems{p.file.Located(fmt.Sprintf("where[%d]", i), err.Error(), "")}
		}
		if !holds {
			return false, nil
		}
	}
	return true, nil
}

// add keeps a point for which all conditions hold, and reports whether they do.
func (p *planner) add(set []Value) (bool, error) {
	holds, err := p.holds(set)
	if err != nil {
		return false, err
	}
	if !holds {
		p.left++
		return false, nil
	}
	if p.points = append(p.points, slices.Clone(set)); len(p.points)*max(1, len(p.file.Seeds)) > MaxVariants {
		return false, tooMany()
	}
	return true, nil
}

// quantity is the number that a key has beside what is set.
func (p *planner) quantity(set []Value, key string) (formula.Quantity, error) {
	text := p.text(set, key)
	q, ok := formula.ParseQuantity(text)
	switch {
	case ok:
		return q, nil
	case text == "":
		return q, fmt.Errorf("%s: neither an axis nor a key that the scenario has a number at", key)
	}
	return q, fmt.Errorf("%s is %s, which is no number", key, text)
}

// checkWhere reports conditions that hold two kinds of quantities against each other.
func (p *planner) checkWhere() error {
	for i := range p.file.Where {
		err := p.file.Where[i].Is.Check(func(name string) (formula.Dim, error) {
			var set []Value
			for _, a := range p.file.Axes {
				if a.Key == name {
					set = []Value{{a.Key, a.Values[0]}}
				}
			}
			q, err := p.quantity(set, name)
			return q.Dim, err
		})
		if err != nil {
			return located.Problems{p.file.Located(fmt.Sprintf("where[%d]", i), err.Error(), "")}
		}
	}
	return nil
}

// drawn draws points. Where a condition leaves one out, or it was drawn before, another is drawn, but for a Latin
// hypercube, which has one point in each part of an axis.
func (p *planner) drawn(s *scenario.Sample) error {
	axes := p.file.Axes
	next, err := sampler(s, len(axes))
	if err != nil {
		return located.Problems{p.file.Located("sample.design", err.Error(), "")}
	}
	seen := map[string]bool{}
	for tries := 0; len(p.points) < s.Points && tries < 100*s.Points; tries++ {
		u, ok := next(tries)
		if !ok {
			break
		}
		var set []Value
		for i := range axes {
			if p.applies(set, &axes[i]) {
				set = append(set, Value{axes[i].Key, axisValue(&axes[i], u[i])})
			}
		}
		name := label(set)
		if seen[name] {
			continue
		}
		seen[name] = true
		if _, err := p.add(set); err != nil {
			return err
		}
	}
	return nil
}

// anyValue reports whether a point that is drawn may have any value of an axis: of a range that has neither a step nor whole numbers
// alone.
func anyValue(a *scenario.SweepAxis) bool {
	r := &a.Range.Value
	return a.Range.Set && r.Step == 0 && (r.Count > 0 || !r.Whole)
}

// axisValue is the value of an axis at a part of it: of a list the one in whose share it lies.
func axisValue(a *scenario.SweepAxis, u float64) string {
	if anyValue(a) {
		return a.Range.Value.At(u)
	}
	return a.Values[min(int(math.Floor(u*float64(len(a.Values)))), len(a.Values)-1)]
}

// VariantsOf makes the variants of points, each with every seed; without seeds, with the scenario's own. A combination that
// is no scenario says why.
func VariantsOf(base *scenario.Scenario, points [][]Value, seeds []uint64) ([]Variant, error) {
	all := make([]Variant, 0, len(points)*max(1, len(seeds)))
	for _, set := range points {
		if len(seeds) == 0 {
			v, err := variant(base, set, base.Seed, false)
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		for _, seed := range seeds {
			v, err := variant(base, set, seed, true)
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
	}
	return all, nil
}
