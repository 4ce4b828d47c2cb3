package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"railyard/internal/base/formula"
	"railyard/internal/base/located"
	"railyard/internal/learn/nn"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// Origin says where a quantity comes from.
type Origin string

// The origins of quantities.
const (
	Given     Origin = "given"
	Predicted Origin = "predicted" // by a formula from what is given
	Measured  Origin = "measured"  // in a run, or from what a bench shows
	Stepped   Origin = "step"      // of a bench
)

// Quantity is a number with a name.
type Quantity struct {
	Name    string
	Origin  Origin
	Value   float64
	Unit    string
	Digits  digits
	Meaning string
	How     string // the formula with names, or the arithmetic with numbers
	unknown bool   // it is measured in a run, and nothing has run
	absent  bool   // and what ran, with another input, has no such thing
}

// Text prints the value with its unit.
func (q *Quantity) Text() string { return with(q.Digits.text(q.Value), q.Unit) }

// Short is the name without that of the bench that it is a step of.
func (q *Quantity) Short() string {
	if _, short, ok := strings.Cut(q.Name, "."); ok && q.Origin == Stepped {
		return short
	}
	return q.Name
}

// Walk is what a bench showed.
type Walk struct {
	Name    string // of the bench's call
	Meaning string
	Steps   []*Quantity
	Tables  []Table
}

// ledger holds the quantities of one pass over the statements.
type ledger struct {
	lab      *Lab
	set      map[string]float64           // inputs that were changed
	changed  []Change                     // what a reader set
	scenario *scenario.Scenario           // nil: none
	model    *nn.Model                    // that modelOf trains, once it was asked for
	modelOf  *scenario.Scenario           //
	run      map[string]any               // run.json; nil: nothing has run
	reruns   map[string]map[string]any    // run.json of what was run again, by name
	logged   map[string][]result.EventRow // events by run again, those of the run under ""

	happened map[string]happening // events by name
	all      map[string]*Quantity
	order    []*Quantity // but for steps
	agains   []*Again
	walks    []Walk
	figures  []chart.Figure
	rows     []Row
	errata   []Erratum
	guesses  []Guess
}

// A Guess is a question that a reader answers before the lab does.
type Guess struct {
	Question string
	Answer   *Quantity
}

// Row is an expectation beside what came out.
type Row struct {
	Quantity *Quantity
	Meaning  string
	Expected float64
	Within   float64 // absolute
	percent  string  // the tolerance as it was written, where it is relative
	Kind     Kind
	Digits   digits // of what is expected, as it was written
	How      string // of the expectation, where it is a prediction
}

// OK reports whether the value is within its tolerance. An illustrative one always is.
func (r *Row) OK() bool {
	// Half a unit in the last digit of a double is no deviation.
	slack := 1e-9 * math.Max(math.Abs(r.Expected), math.Abs(r.Quantity.Value))
	return r.Kind == Illustrative || math.Abs(r.Quantity.Value-r.Expected) <= r.Within+slack
}

// Erratum is a sentence of the book that is wrong, and what is right.
type Erratum struct {
	Says, Instead string
	Right         *Row // the right value, nil: none
}

const (
	runPrefix      = "run."
	scenarioPrefix = "scenario."
)

// pass works out every statement in order, anew. Problems are of expect.txt.
func (g *ledger) pass() (ps located.Problems) {
	g.all, g.happened = map[string]*Quantity{}, map[string]happening{}
	g.order, g.agains, g.walks, g.figures, g.rows, g.errata, g.guesses = nil, nil, nil, nil, nil, nil, nil
	for _, s := range g.lab.statements {
		if ps.Full() {
			break
		}
		if at, err := g.statement(s); err != nil {
			h, _ := err.(interface{ hint() hint })
			p := problemAt(expectFile, at, "%v", err)
			if h != nil {
				p.Hint = string(h.hint())
			}
			ps = append(ps, p)
			if s.defines() && g.all[s.name.Text] == nil && s.verb != "bench" && s.verb != "again" {
				g.all[s.name.Text] = &Quantity{Name: s.name.Text, unknown: true} // so that it is told once
			}
		}
	}
	return ps
}

func (g *ledger) statement(s *statement) (formula.Token, error) {
	if s.defines() {
		if err := g.free(s.name.Text); err != nil {
			return s.name, err
		}
	}
	switch s.verb {
	case "input", "formula", "measure":
		return g.define(s)
	case "again":
		return g.runAgain(s)
	case "event":
		return g.event(s)
	case "bench":
		return g.call(s)
	case "value":
		if g.gone(s) {
			break
		}
		r, at, err := g.expect(s)
		if err == nil {
			g.rows = append(g.rows, *r)
		}
		return at, err
	case "erratum":
		e := Erratum{Says: s.words[0], Instead: s.words[1]}
		if s.hasName && !g.gone(s) {
			r, at, err := g.expect(s)
			if err != nil {
				return at, err
			}
			right := *r.Quantity // of the book's inputs, whatever is changed; shown with as many decimals as it was written with
			r.Quantity, right.Digits = &right, r.Digits
			if len(g.changed) > 0 {
				right.Value, right.unknown = r.Expected, false
			}
			r.Kind, r.Meaning = Exact, e.Instead
			e.Right = r
		}
		g.errata = append(g.errata, e)
	case "try":
		if s.gives != nil && len(g.changed) == 0 {
			_, err := s.gives.Holds(g.promised(g))
			at, err := placeOf(err, s.at)
			if err != nil && err != errNotRun {
				return at, err
			}
		}
	case "guess":
		if g.gone(s) {
			break
		}
		q, err := g.quantity(s.name.Text)
		if err != nil {
			return s.name, err
		}
		g.guesses = append(g.guesses, Guess{s.words[0], q})
	case "figure":
		if g.lab.Scenario == nil {
			return s.name, fmt.Errorf("a figure of a run, and there is no %s", scenarioFile)
		}
	}
	return s.at, nil
}

// gone reports whether a statement expects something of a name that a change has left nothing to: a step of a bench that
// takes fewer, an event that is none any more. Nothing is judged then.
func (g *ledger) gone(s *statement) bool {
	if g.absent(s.name.Text) {
		return true
	}
	bench, _, step := strings.Cut(s.name.Text, ".")
	return len(g.changed) > 0 && g.all[s.name.Text] == nil && step && g.walkNamed(bench)
}

// free reports whether a name can be given to something new.
func (g *ledger) free(name string) error {
	switch {
	case name == "run" || name == "scenario":
		return fmt.Errorf("the name %s is taken by what Railyard knows", name)
	case strings.ContainsAny(name, ".[]"):
		return fmt.Errorf("%s: want a name without dots", located.Shown(name))
	case g.all[name] != nil || g.walkNamed(name) || g.isAgain(name):
		return fmt.Errorf("%s is defined already", name)
	}
	return nil
}

func (g *ledger) walkNamed(name string) bool {
	return slices.ContainsFunc(g.walks, func(w Walk) bool { return w.Name == name })
}

// define works out an input, a formula or a measurement.
func (g *ledger) define(s *statement) (formula.Token, error) {
	q := &Quantity{Name: s.name.Text, Unit: s.unit, Digits: s.digits, Meaning: s.words[0],
		How: s.expr.Text(func(n string) string { return n })}
	allowed, measures := []Origin{Given}, false
	switch s.verb {
	case "input":
		q.Origin = Given
		if s.expr.Literal() {
			q.How = ""
		}
	case "formula":
		q.Origin, allowed = Predicted, []Origin{Given, Predicted}
	case "measure":
		q.Origin, allowed = Measured, []Origin{Given, Predicted, Measured, Stepped}
	}
	s.expr.Names(func(name string, _ formula.Token) {
		o := g.origin(name)
		measures = measures || o == Measured || o == Stepped
	})
	if s.verb == "measure" && !measures {
		return s.name, fmt.Errorf("nothing here is measured, want run.KEY, NAME.KEY of a run again, a measurement or a step of a bench; " +
			"or say formula")
	}
	v, err := g.eval(&s.expr, allowed, map[bool]string{true: "an ", false: "a "}[s.verb == "input"]+s.verb)
	at, err := placeOf(err, s.name)
	if err == errNotRun {
		q.unknown, err = true, nil
		s.expr.Names(func(name string, _ formula.Token) { q.absent = q.absent || g.absent(name) })
	}
	if err != nil {
		return at, err
	}
	q.Value = v
	if changed, ok := g.set[q.Name]; ok && s.verb == "input" {
		q.Value, q.How = changed, ""
	}
	if g.all[q.Name] = q; !q.absent {
		g.order = append(g.order, q)
	}
	return at, nil
}

// absent reports whether a name is of what a change has left nothing of.
func (g *ledger) absent(name string) bool { return g.all[name] != nil && g.all[name].absent }

var errNotRun = fmt.Errorf("nothing has run")

// origin says where what a name means comes from; "" of an unknown name.
func (g *ledger) origin(name string) Origin {
	switch q := g.all[name]; {
	case strings.HasPrefix(name, runPrefix) || g.isAgain(name):
		return Measured
	case strings.HasPrefix(name, scenarioPrefix):
		return Given
	case q != nil:
		return q.Origin
	}
	return ""
}

// eval works out an expression that may use quantities of some origins.
func (g *ledger) eval(e *formula.Expr, allowed []Origin, who string) (float64, error) {
	return e.Eval(func(name string) (float64, error) { return g.named(name, allowed, who) })
}

// named works out a name.
func (g *ledger) named(name string, allowed []Origin, who string) (float64, error) {
	if o := g.origin(name); o != "" && !slices.Contains(allowed, o) {
		return 0, fmt.Errorf("%s cannot use %s, which is %s", who, name, map[Origin]string{Measured: "measured",
			Stepped: "a step of a bench", Predicted: "predicted"}[o])
	}
	if key, ok := strings.CutPrefix(name, scenarioPrefix); ok {
		return g.ofScenario(key)
	}
	if key, ok := strings.CutPrefix(name, runPrefix); ok {
		return g.ofRun(key)
	}
	if a, key := g.againNamed(name); a != nil {
		return g.ofAgain(a, key)
	}
	q, err := g.quantity(name)
	if err != nil {
		return 0, err
	}
	if q.unknown {
		return 0, errNotRun
	}
	return q.Value, nil
}

// quantity returns what a name stands for.
func (g *ledger) quantity(name string) (*Quantity, error) {
	if q := g.all[name]; q != nil {
		return q, nil
	}
	text := fmt.Sprintf("unknown name %s", located.Shown(name))
	if h := hintOf(name, keys(g.all)); h != "" {
		return nil, hinted{text, h}
	}
	return nil, hinted{text, "a name is defined above the line that uses it"}
}

// hinted is an error with a suggestion.
type hinted struct {
	text string
	h    hint
}

func (h hinted) Error() string { return h.text }
func (h hinted) hint() hint    { return h.h }

// call runs a bench.
func (g *ledger) call(s *statement) (formula.Token, error) {
	b := benches[s.bench]
	args := Args{}
	for _, p := range b.Params {
		args[p.Name] = p.Default
	}
	for _, a := range s.call {
		if a.form == 't' {
			args[a.at.Text] = a.text
			continue
		}
		x := make([]float64, len(a.list))
		for i := range a.list {
			v, err := g.eval(&a.list[i], []Origin{Given, Predicted}, "an argument")
			if err != nil {
				return placeOf(err, a.at)
			}
			x[i] = v
		}
		if args[a.at.Text] = any(x); a.form == 'n' {
			args[a.at.Text] = x[0]
		}
	}
	shown, err := shownOf(s.bench, b, args)
	if err != nil {
		return s.name, fmt.Errorf("bench %s: %w", s.bench, err)
	}
	w := Walk{Name: s.name.Text, Meaning: s.words[0]}
	for _, st := range shown.Steps {
		if math.IsNaN(st.Value) || math.IsInf(st.Value, 0) {
			return s.name, fmt.Errorf("bench %s: %s is %v, which is no number", s.bench, st.Name, st.Value)
		}
		q := &Quantity{Name: w.Name + "." + st.Name, Origin: Stepped, Value: st.Value, Unit: st.Unit, Digits: st.Digits,
			Meaning: st.Meaning, How: st.How}
		g.all[q.Name] = q
		w.Steps = append(w.Steps, q)
	}
	for _, t := range shown.Tables {
		t.Name = w.Name + "-" + t.Name
		w.Tables = append(w.Tables, t)
	}
	for _, f := range shown.Figures {
		f.Name = strings.ReplaceAll(w.Name, "_", "-") + "-" + f.Name
		if err := chart.Check(&f); err != nil {
			return s.name, fmt.Errorf("bench %s: %w", s.bench, err)
		}
		g.figures = append(g.figures, f)
	}
	g.walks = append(g.walks, w)
	return s.at, nil
}

// expect works out an expectation.
func (g *ledger) expect(s *statement) (*Row, formula.Token, error) {
	q, err := g.quantity(s.name.Text)
	if err != nil {
		return nil, s.name, err
	}
	before := []Origin{Given, Predicted}
	r := &Row{Quantity: q, Kind: s.kind, Meaning: s.words[0], Digits: q.Digits}
	if r.Expected, err = g.eval(&s.expr, before, "what is expected"); err != nil {
		at, err := placeOf(err, s.name)
		return nil, at, err
	}
	if s.expr.Literal() {
		if r.Digits == auto {
			r.Digits = decimalsOf(&s.expr)
		}
	} else {
		r.How = s.expr.Text(func(n string) string { return n })
	}
	if s.kind == Illustrative {
		return r, s.at, nil
	}
	if r.Within, err = g.eval(&s.within, before, "a tolerance"); err != nil {
		at, err := placeOf(err, s.name)
		return nil, at, err
	}
	if r.Within < 0 {
		return nil, s.name, fmt.Errorf("the tolerance is %v, want 0 or more", r.Within)
	}
	if s.within.Percent() {
		r.Within *= math.Abs(r.Expected)
		r.percent = strings.TrimSuffix(s.within.At.Text, "%") + " %"
	}
	return r, s.at, nil
}

// decimalsOf is how many decimals a number was written with; auto of a whole one.
func decimalsOf(e *formula.Expr) digits {
	if e.Op == '~' {
		e = &e.Args[0]
	}
	_, fraction, point := strings.Cut(e.At.Text, ".")
	if !point || strings.ContainsAny(fraction, "eE%") {
		return auto
	}
	return digits(len(fraction))
}
