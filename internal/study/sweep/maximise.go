package sweep

import (
	"context"
	"fmt"
	"slices"

	"railyard/internal/base/formula"
	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/headline"
	"railyard/internal/plan/scenario"
	"railyard/internal/study/bayes"
)

// A Best is the point with the largest or the smallest value of a figure, of those that were run.
type Best struct {
	Set     []Value `json:"set,omitempty"`   // none: no point has a value
	Point   int     `json:"point,omitempty"` // its number, from 1
	Figure  string  `json:"figure"`
	Largest bool    `json:"largest"` // else the smallest
	Over    string  `json:"over"`    // seeds: see scenario.MaximiseOver
	Value   float64 `json:"value"`
	Tried   int     `json:"tried"` // points
	None    int     `json:"none"`  // of them without a value: they cannot run, or the condition does not hold
	// Values are those of all points, in the order in which they were chosen: null where there is none.
	Values []*float64 `json:"values"`
}

// Optimum is what came of a search for the best point.
type Optimum struct {
	Best   Best
	Axes   []Axis    // with the values that were tried
	Points [][]Value // in the order in which they were chosen
	Rows   []Row     // of each of them, with each seed
}

// optimiser looks for the best point.
type optimiser struct {
	spec    *scenario.Maximise
	planner *planner
	base    *scenario.Scenario
	opt     Options
	dims    []bayes.Dim
	made    map[string]bool // points, by their names
	err     error           // of a condition over keys
	seen    []bayes.Seen
	points  [][]Value
	rows    []Row
}

// Maximise looks for the best point of the axes. When ctx ends, it returns what there is, with its error.
//
// The first points are a Sobol sequence's. Package bayes chooses those that follow, by the values of all that were run: so a sweep
// that goes on, or one with other workers, has the same points.
func Maximise(ctx context.Context, file *scenario.SweepFile, base *scenario.Scenario, opt Options) (*Optimum, error) {
	o := newOptimiser(file, base, opt)
	if tell := opt.Forecast; tell != nil {
		o.opt.Forecast = func(f Forecast) { tell(o.whole(f)) }
	}
	next, err := o.design()
	for err == nil && len(next) > 0 {
		if err = o.round(ctx, next); err == nil {
			o.opt.Forecast = nil // said once
			next, err = o.next()
		}
	}
	if len(o.rows) == 0 {
		return nil, err
	}
	return o.found(), err
}

// ForecastMaximise says what Maximise would cost, and runs nothing.
func ForecastMaximise(ctx context.Context, file *scenario.SweepFile, base *scenario.Scenario, opt Options) (Forecast, error) {
	o := newOptimiser(file, base, opt)
	points, err := o.design()
	if err != nil {
		return Forecast{}, err
	}
	variants, err := VariantsOf(base, o.sets(points), file.Seeds)
	if err != nil {
		return Forecast{}, err
	}
	f, err := ForecastOf(ctx, variants, o.opt)
	return o.whole(f), err
}

func newOptimiser(file *scenario.SweepFile, base *scenario.Scenario, opt Options) *optimiser {
	opt.KeepRefused, opt.EvenNone = true, true
	o := &optimiser{spec: file.Maximise, planner: &planner{file: file, base: fieldsOf(base)}, base: base, opt: opt, made: map[string]bool{}}
	for i := range file.Axes {
		o.dims = append(o.dims, dimOfAxis(&file.Axes[i]))
	}
	return o
}

// begun is a plan with the points that are run first.
func (p *planner) begun(m *scenario.Maximise) (*Plan, error) {
	o := &optimiser{spec: m, planner: p, made: map[string]bool{}}
	plan := &Plan{}
	for i := range p.file.Axes {
		a := &p.file.Axes[i]
		o.dims = append(o.dims, dimOfAxis(a))
		plan.Axes = append(plan.Axes, Axis{Path: a.Key, Values: a.Values})
	}
	points, err := o.design()
	plan.Points = o.sets(points)
	if n := m.Points * max(1, len(p.file.Seeds)); err == nil && n > MaxVariants {
		err = tooMany()
	}
	return plan, err
}

// dimOfAxis is the dimension of an axis: numbers in their order stand at equal distances, other values of a list beside each other.
func dimOfAxis(a *scenario.SweepAxis) bayes.Dim {
	if anyValue(a) {
		return bayes.Dim{}
	}
	up, down := true, true
	var last formula.Quantity
	for i, text := range a.Values {
		q, ok := formula.ParseQuantity(text)
		if !ok || i > 0 && q.Dim != last.Dim {
			return bayes.Dim{Levels: len(a.Values), Category: true}
		}
		up, down = up && (i == 0 || last.Value < q.Value), down && (i == 0 || last.Value > q.Value)
		last = q
	}
	return bayes.Dim{Levels: len(a.Values), Category: !up && !down}
}

// set is the point at coordinates; those of axes that are not changed beside the others become 0.
func (o *optimiser) set(x []float64) (set []Value) {
	axes := o.planner.file.Axes
	for i := range axes {
		a := &axes[i]
		switch {
		case !o.planner.applies(set, a):
			x[i] = 0
		case o.dims[i].Levels == 0:
			set = append(set, Value{a.Key, a.Range.Value.At(x[i])})
		default:
			set = append(set, Value{a.Key, a.Values[o.dims[i].Level(x[i])]})
		}
	}
	return set
}

func (o *optimiser) sets(all [][]float64) (sets [][]Value) {
	for _, x := range all {
		sets = append(sets, o.set(x))
	}
	return sets
}

// free reports whether a point may be tried: it is another than those that were, and no condition leaves it out.
func (o *optimiser) free(x []float64) bool {
	set := o.set(x)
	if o.err != nil || o.made[label(set)] {
		return false
	}
	holds, err := o.planner.holds(set)
	if err != nil {
		o.err = err
	}
	return holds && err == nil
}

// design is the points that are run first: twice as many as a plane through them would take.
func (o *optimiser) design() (points [][]float64, err error) {
	n := min(o.spec.Points, 2*(len(o.dims)+1))
	next, err := sobol(o.spec.Seed, len(o.dims))
	if err != nil {
		return nil, err
	}
	for tries := 0; len(points) < n && tries < mostDraws*n && o.err == nil; tries++ {
		x, _ := next(tries)
		for i, d := range o.dims {
			x[i] = d.At(x[i])
		}
		if o.free(x) {
			o.made[label(o.set(x))] = true
			points = append(points, x)
		}
	}
	if len(points) == 0 && o.err == nil {
		o.err = fmt.Errorf("no combination is left: where holds for none of %d that were drawn", mostDraws*n)
	}
	return points, o.err
}

// mostDraws bounds how many points are drawn for one that conditions leave.
const mostDraws = 1000

// next chooses the points that are run now, none when the budget is spent, or there are no others.
func (o *optimiser) next() ([][]float64, error) {
	n := min(o.spec.Together, o.spec.Points-len(o.points))
	if n <= 0 {
		return nil, nil
	}
	taken := map[string]bool{}
	points := bayes.Next(o.dims, o.seen, n, o.spec.Seed, func(x []float64) bool { return o.free(x) })
	points = slices.DeleteFunc(points, func(x []float64) bool { // beside each other they may round to one
		name := label(o.set(x))
		twice := taken[name]
		taken[name], o.made[name] = true, true
		return twice
	})
	return points, o.err
}

// round runs points.
func (o *optimiser) round(ctx context.Context, points [][]float64) error {
	sets := o.sets(points)
	variants, err := VariantsOf(o.base, sets, o.planner.file.Seeds)
	if err != nil {
		return err
	}
	rows, err := Run(ctx, variants, o.opt)
	if rows == nil {
		return err
	}
	o.points, o.rows = append(o.points, sets...), append(o.rows, rows...)
	per := max(1, len(o.planner.file.Seeds))
	for k, x := range points {
		if err != nil {
			break
		}
		var s bayes.Seen
		if s, err = o.value(rows[k*per : (k+1)*per]); err == nil {
			s.At = x
			o.seen = append(o.seen, s)
		}
	}
	return err
}

// value is what a point is worth: smaller is better. It has no value where a run has none, or the condition does not hold.
func (o *optimiser) value(rows []Row) (s bayes.Seen, err error) {
	name, largest := o.spec.Figure()
	if o.spec.With.Is != nil {
		is, err := holds(o.planner.file, "maximise.with", &o.spec.With, rows)
		if err != nil || !is {
			return bayes.Seen{None: true}, err
		}
	}
	for i := range rows {
		r := &rows[i]
		if !r.Whole() {
			return bayes.Seen{None: true}, nil
		}
		v, ok := r.Figures[name]
		if !ok {
			return s, located.Problems{o.planner.file.Located(figurePath(o.spec), hasNone(r, name).Error(), "")}
		}
		if largest {
			v = -v
		}
		switch {
		case o.spec.Over == "mean":
			s.Value += v / float64(len(rows))
		case i == 0 || v > s.Value:
			s.Value = v
		}
	}
	return s, nil
}

// figurePath is where a sweep names the figure.
func figurePath(m *scenario.Maximise) string {
	if m.Largest.Set {
		return "maximise.largest"
	}
	return "maximise.smallest"
}

// whole is the forecast of all rounds, by what of the first is still to be run.
func (o *optimiser) whole(f Forecast) Forecast {
	runs := o.spec.Points * max(1, len(o.planner.file.Seeds))
	return f.scaled(runs - f.Resumed)
}

// found is the best of what was seen.
func (o *optimiser) found() *Optimum {
	name, largest := o.spec.Figure()
	out := &Optimum{Points: o.points, Rows: o.rows, Best: Best{Figure: name, Largest: largest, Over: o.spec.Over, Tried: len(o.seen)}}
	b, least := &out.Best, 0.0
	for i, s := range o.seen {
		if s.None {
			b.None++
			b.Values = append(b.Values, nil)
			continue
		}
		if b.Set == nil || s.Value < least {
			b.Set, b.Point, least = o.points[i], i+1, s.Value
		}
		v := s.Value
		if largest {
			v = -v
		}
		b.Values = append(b.Values, &v)
	}
	if b.Value = least; largest {
		b.Value = -least
	}
	p := &planner{points: o.points}
	for i := range o.planner.file.Axes {
		key := o.planner.file.Axes[i].Key
		out.Axes = append(out.Axes, Axis{Path: key, Values: p.values(key)})
	}
	return out
}

// Text says what was found, as a sentence; seeds is how many there are.
func (b *Best) Text(condition string, seeds int) string {
	which, with := "smallest", ""
	if b.Largest {
		which = "largest"
	}
	if condition != "" {
		with = " with " + condition
	}
	points := unit.CountOf(int64(b.Tried), "point")
	if len(b.Set) == 0 {
		return fmt.Sprintf("none of %s has a value of %s%s", points, b.Figure, with)
	}
	u, _ := headline.UnitOf(b.Figure)
	text := fmt.Sprintf("of %s %s has the %s %s%s: %s", points, label(b.Set), which, b.Figure, with, u.Text(chart.Value(b.Value)))
	if seeds > 1 {
		text += fmt.Sprintf(", the %s of %d seeds", b.Over, seeds)
	}
	if text += fmt.Sprintf("; it was point %d", b.Point); b.None > 0 {
		text += fmt.Sprintf(", and %d had no value", b.None)
	}
	return text
}

// chart draws the values of all points in the order in which they were chosen, and the best so far. nil: none has one.
func (b *Best) chart() *chart.Figure {
	u, _ := headline.UnitOf(b.Figure)
	f := &chart.Figure{Name: "search", Title: "The best " + b.Figure + " so far",
		Caption: "Each point in the order in which they were chosen.",
		Keys: []chart.Key{{ID: "points", Name: "points", Ink: chart.Reference},
			{ID: "best", Name: "the best so far", Ink: chart.Subject}},
		Lines: &chart.Lines{X: chart.Axis{Label: "point", Unit: chart.Count, Low: 1, High: chart.Value(max(2, len(b.Values)))}}}
	points, best := chart.Series{Key: "points", Shape: chart.Points}, chart.Series{Key: "best", Shape: chart.Held}
	y := &f.Lines.Y
	y.Label, y.Unit = b.Figure, u
	for i, value := range b.Values {
		if value == nil {
			continue
		}
		v := chart.Value(*value)
		least := v
		if n := len(best.Y); n > 0 {
			if least = min(v, best.Y[n-1]); b.Largest {
				least = max(v, best.Y[n-1])
			}
		}
		at := chart.Value(i + 1)
		points.X, points.Y = append(points.X, at), append(points.Y, v)
		best.X, best.Y = append(best.X, at), append(best.Y, least)
		y.Low, y.High = min(y.Low, v), max(y.High, v*1.05)
	}
	if len(points.X) == 0 {
		return nil
	}
	f.Lines.Series = []chart.Series{points, best}
	return f
}
