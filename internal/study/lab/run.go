package lab

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"railyard/internal/base/formula"
	"railyard/internal/base/input"
	"railyard/internal/base/located"
	"railyard/internal/base/output"
	"railyard/internal/out/chart"
	"railyard/internal/out/report"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// Change is another value for an input or for a key of the lab's scenario.
type Change struct{ Name, Text string }

// Options is what a lab needs to run.
type Options struct {
	Dir      string // where its files go: a new or empty folder
	Called   string // how the user named the lab, for its commands: its number or folder
	Shown    string // the folder as its commands name it, "": as Dir
	Set      []Change
	Progress func(result.Progress) // nil: silent
}

// Try is a command with which a reader changes something.
type Try struct {
	Command string `json:"command"`
	See     string `json:"see"`
	// What the command prints among other things, where it is no lab.
	Prints []string `json:"prints,omitempty"`
}

// Outcome is what came out of a lab.
type Outcome struct {
	Lab     *Lab
	Changed []Change // then nothing is judged
	Given   []*Quantity
	Formula []*Quantity // the predictions
	Measure []*Quantity
	Again   []*Again
	Walks   []Walk
	Rows    []Row
	Errata  []Erratum
	Guesses []Guess
	Figures []chart.Figure
	Configs []Config
	Tries   []Try
	Dir     string // where its files are
	Shown   string // the same, as commands name it
	RunDir  string // of the run, "": nothing was run
	Page    string // path of the page

	all   map[string]*Quantity
	text  readme          // as it is read with these values
	taken map[*choice]int // which branch of each condition it has; as many as there are: none
	g     *ledger
}

// Files that a lab leaves beside its own.
const (
	pageFile   = "lab.html"
	valuesFile = "lab.json"
	runFolder  = "run"
)

// Run runs a lab, and leaves its files, its run directory, its figures and its page in opt.Dir.
// The error of a name that cannot be set is a *Unknown.
func (l *Lab) Run(ctx context.Context, opt Options) (*Outcome, error) {
	g := &ledger{lab: l, scenario: l.Scenario}
	if err := g.change(opt.Set); err != nil {
		return nil, err
	}
	if ps := g.pass(); len(ps) > 0 { // what can be wrong before the run is told before it
		return nil, &Broken{ps.Sorted(), l.files}
	}
	folder, err := newFolder(opt.Dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	if err := l.unpack(folder); err != nil {
		return nil, err
	}
	o := &Outcome{Lab: l, Changed: opt.Set, Dir: opt.Dir, Shown: cmp.Or(opt.Shown, opt.Dir), Page: filepath.Join(opt.Dir, pageFile)}
	var figures []chart.Figure
	if g.scenario != nil {
		o.RunDir = filepath.Join(opt.Dir, runFolder)
		if err := runScenario(ctx, g.scenario, o.RunDir, opt.Progress); err != nil {
			return nil, err
		}
		d, err := report.Load(o.RunDir)
		if err != nil {
			return nil, err
		}
		if figures = report.PageOf(d).Figures; len(figures) == 0 {
			return nil, fmt.Errorf("lab: the run in %s has no figures", o.RunDir)
		}
		if g.run, err = readRun(o.RunDir); err != nil {
			return nil, err
		}
	}
	again := g.agains
	for _, a := range again {
		if g.reruns == nil {
			g.reruns = map[string]map[string]any{}
		}
		run, err := a.run(ctx, opt.Dir, opt.Progress)
		if err != nil {
			return nil, err
		}
		g.reruns[a.Name] = run
	}
	if g.run != nil {
		if err := g.readLogs(opt.Dir); err != nil {
			return nil, err
		}
		if ps := g.pass(); len(ps) > 0 {
			return nil, &Broken{ps.Sorted(), l.files}
		}
	}
	o.Again = again
	if err := o.fill(g, figures, opt.Called); err != nil {
		return nil, err
	}
	return o, o.write(folder)
}

// Unknown is a name that is no input of the lab and no key of its scenario.
type Unknown struct {
	Name string
	Lab  *Lab
}

func (u *Unknown) Error() string {
	inputs, keys := u.Lab.inputNames(), ""
	if u.Lab.Scenario != nil {
		keys = ", and its scenario no such key"
	}
	switch {
	case len(inputs) > 0:
		return fmt.Sprintf("%s: this lab has no such input%s, want %s", u.Name, keys, located.OneOf(inputs))
	case keys == "":
		return fmt.Sprintf("%s: this lab has no inputs and no scenario", u.Name)
	}
	return fmt.Sprintf("%s: this lab has no inputs%s", u.Name, keys)
}

// change applies what is set: to inputs, and all else to the scenario.
func (g *ledger) change(set []Change) error {
	g.set, g.changed = map[string]float64{}, set
	var keys []scenario.Change
	for _, c := range set {
		switch {
		case slices.Contains(g.lab.inputNames(), c.Name):
			v, err := constant(c.Text)
			if err != nil {
				return fmt.Errorf("%s=%s: %w%s", c.Name, c.Text, err, g.lab.unitOf(c.Name))
			}
			g.set[c.Name] = v
		case g.scenario == nil, !strings.ContainsAny(c.Name, ".[") && !isKey(c.Name):
			return &Unknown{c.Name, g.lab}
		default:
			keys = append(keys, scenario.Change{Path: c.Name, Text: c.Text})
		}
	}
	if len(keys) == 0 {
		return nil
	}
	sc, err := g.scenario.With(keys...)
	if err != nil {
		return err
	}
	g.scenario = sc
	return nil
}

// isKey reports whether a name without dots is a key of scenarios.
func isKey(name string) bool {
	return slices.ContainsFunc(scenario.Table(), func(f scenario.Field) bool {
		first, _, _ := strings.Cut(f.Path, ".")
		return strings.TrimSuffix(first, "[]") == name
	})
}

// constant reads a number or arithmetic with numbers: -4, 1/3.
func constant(text string) (float64, error) {
	tokens, ps := formula.Tokens(text, 1)
	if len(ps) > 0 || len(tokens) == 0 {
		return 0, errors.New("want a number such as -4 or 1/3")
	}
	c := formula.NewCursor(tokens)
	e := c.Expr()
	if t := c.Peek(); t.Kind != formula.End {
		c.Fail(t, "%s: want a number such as -4 or 1/3", t.Shown())
	}
	if c.Err != nil {
		return 0, c.Err
	}
	return e.Eval(func(name string) (float64, error) {
		return 0, fmt.Errorf("%s is no number: want one such as -4 or 1/3", name)
	})
}

// newFolder opens a new or an empty folder, into which nobody else may then write.
func newFolder(dir string) (*output.Folder, error) {
	folder, _, err := output.Hold(dir)
	var busy *output.Busy
	if errors.As(err, &busy) {
		return nil, fmt.Errorf("folder %s: %w", dir, err)
	}
	if err != nil {
		return nil, err
	}
	names, err := folder.Names()
	if err == nil && len(names) > 0 {
		err = fmt.Errorf("folder %s: holds %s already, want a new or an empty folder", dir, slices.Min(names))
	}
	if err != nil {
		folder.Close()
		return nil, err
	}
	return folder, nil
}

// unpack writes the lab's own files.
func (l *Lab) unpack(folder *output.Folder) error {
	for _, name := range keys(l.files) {
		if err := folder.Write(name, l.files[name]); err != nil {
			return err
		}
	}
	return nil
}

// runScenario runs a scenario into a new run directory.
func runScenario(ctx context.Context, sc *scenario.Scenario, path string, progress func(result.Progress)) error {
	dir, err := result.Create(path)
	if err != nil {
		return err
	}
	sum, err := run.Run(ctx, sc, run.Options{Dir: dir, Progress: progress, Workers: -1})
	if err != nil {
		if sum == nil {
			return errors.Join(err, dir.Fail(result.Failed, err))
		}
		sum.State, sum.Error = result.Failed, err.Error()
		return errors.Join(err, dir.Finish(sum))
	}
	sum.State = result.Complete
	sum.Dir = path
	return dir.Finish(sum)
}

// mostRun bounds the run.json of a lab, which has a kilobyte a step.
const mostRun = 64 << 20

// readRun reads run.json as data.
func readRun(dir string) (map[string]any, error) {
	b, err := input.ReadIn(context.Background(), dir, "run.json", mostRun)
	if err != nil {
		return nil, err
	}
	var run map[string]any
	return run, json.Unmarshal(b, &run)
}

// fill takes everything that is shown from the ledger.
func (o *Outcome) fill(g *ledger, figures []chart.Figure, called string) error {
	o.g, o.all, o.Walks, o.Rows, o.Errata, o.taken = g, g.all, g.walks, g.rows, g.errata, map[*choice]int{}
	o.Guesses = g.guesses
	var err error
	o.text, err = g.read(&o.Lab.text, func(c *choice, branch int) { o.taken[c] = branch })
	if err != nil {
		return err
	}
	for _, q := range g.order {
		switch q.Origin {
		case Given:
			o.Given = append(o.Given, q)
		case Predicted:
			o.Formula = append(o.Formula, q)
		case Measured:
			o.Measure = append(o.Measure, q)
		}
	}
	configs, wrong := o.Lab.configs(g.scenario)
	if len(wrong) > 0 {
		return &Broken{wrong, o.Lab.files}
	}
	o.Configs = configs
	o.Figures = o.Lab.wanted(g.figures)
	for _, s := range o.Lab.statements {
		switch s.verb {
		case "figure":
			i := slices.IndexFunc(figures, func(f chart.Figure) bool { return f.Name == s.name.Text })
			if i < 0 && len(o.Changed) > 0 {
				continue // what was changed has no such figure
			}
			if i < 0 {
				var names []string
				for _, f := range figures {
					names = append(names, f.Name)
				}
				return &Broken{located.Problems{problemAt(expectFile, s.name,
					"the report of this run has no figure %s, it has %s", s.name.Text, located.OneOf(names))}, o.Lab.files}
			}
			f := figures[i]
			f.Caption = s.words[0]
			o.Figures = append(o.Figures, f)
		case "try":
			of := strings.NewReplacer("{lab}", called, "{dir}", o.Shown)
			o.Tries = append(o.Tries, Try{of.Replace(s.words[0]), s.words[1], s.prints})
		}
	}
	return nil
}

// wanted leaves of the benches' figures those that the text has a place for, or all if it has none
// for any.
func (l *Lab) wanted(figures []chart.Figure) []chart.Figure {
	var names []string
	for _, b := range l.text.blocks {
		if b.kind == place && b.place.Text == "figure" {
			names = append(names, b.name)
		}
	}
	if len(names) == 0 {
		return figures
	}
	return slices.DeleteFunc(slices.Clone(figures), func(f chart.Figure) bool { return !slices.Contains(names, f.Name) })
}

// Failed lists the expectations that do not hold: none once something was changed.
func (o *Outcome) Failed() (out []Row) {
	if len(o.Changed) > 0 {
		return nil
	}
	for _, r := range o.Judged() {
		if !r.OK() {
			out = append(out, r)
		}
	}
	return out
}

// Judged lists the expectations, those of errata last, without illustrative ones.
func (o *Outcome) Judged() (out []Row) {
	for _, r := range o.Rows {
		if r.Kind != Illustrative {
			out = append(out, r)
		}
	}
	for _, e := range o.Errata {
		if e.Right != nil {
			out = append(out, *e.Right)
		}
	}
	return out
}
