package whatif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
	"railyard/internal/study/sweep"
)

// Steps of a training that are compared: so many, or as many as make so many packet-hops, but no
// fewer than a few.
const (
	enoughSteps = 256
	enoughHops  = 20_000_000
	fewSteps    = 8
)

// Options of a what-if.
type Options struct {
	Limits   sweep.Limits
	Full     bool   // compare all steps of a training, and run all that can be tried
	Job      string // of several, the one that is compared; "": one that was aborted, or wrote checkpoints; else the first
	Extra    []Cut  // changes beside those that the scenario suggests: what the user asks for
	Force    bool
	Forecast func(sweep.Forecast)
	Progress func(sweep.Progress)
}

// Result is what a what-if found, and what it did not look at.
type Result struct {
	*result.WhatIf
	Omitted int // single flows that were not taken away one by one
}

// Run runs the scenario of a run directory as it is and with each change. When ctx ends what is
// done is returned with its error; the result is nil if the run as it is was not done.
func Run(ctx context.Context, r *result.Run, opt Options) (*Result, error) {
	a := &asking{run: r, opt: opt}
	if err := a.prepare(ctx); err != nil {
		return nil, err
	}
	variants := a.variants()
	_, err := sweep.Run(ctx, variants, sweep.Options{Limits: opt.Limits, Force: opt.Force, Inputs: r.Summary.Inputs,
		Forecast: opt.Forecast, Progress: opt.Progress, Choose: a.choose,
		Sources: a.sources, Each: func(i int, s *result.Summary) { a.played[i].sum = s },
		Refused: a.refused})
	if err != nil && ctx.Err() == nil || a.played[0].sum == nil {
		return nil, cmp.Or(err, errors.New("the run as it is was not done"))
	}
	if e := a.sameAsBefore(); e != nil {
		return nil, e
	}
	w := a.result(ctx.Err() != nil)
	if err == nil {
		err = a.confirm(ctx, w)
	}
	return &Result{w, a.omitted}, err
}

// refused takes why a run cannot be made, and reports whether the others go on: not without the run as it is, nor without what was
// asked for.
func (a *asking) refused(i int, err error) bool {
	a.played[i].refused = err
	k := a.played[i].trial // -1: the run as it is, of which other seeds may be refused
	return i > 0 && (k < 0 || a.trials[k].Kind != Set)
}

// asking is a what-if in progress.
type asking struct {
	run     *result.Run
	opt     Options
	sources *run.Sources
	base    *scenario.Scenario
	trials  []trial
	played  []play // the run as it is, then those of trials
	asItIs  []int  // of played: the run as it is, first with its own seed
	drawn   bool   // losses are drawn, so chance decides on all
	omitted int
	shorter []scenario.Change // that base has beside the scenario of the run
	job     int               // that is compared
	life    bool              // its whole time is
	steps   int64             // compared; 0: a job of flows
	plan    *plan.Plan        // of the run as it is
	hops    int64             // packet-hops of the run as it is, and how many of all are left
	left    int64
}

// prepare finds the scenario, the changes and how many steps are compared.
func (a *asking) prepare(ctx context.Context) error {
	sc, err := Scenario(a.run)
	if err != nil {
		return err
	}
	p, err := run.NewPlan(sc)
	if err != nil {
		return err
	}
	if a.job, err = Compared(a.run.Summary, a.opt.Job); err != nil {
		return err
	}
	a.sources = &run.Sources{}
	if sc, err = a.shortened(ctx, sc); err != nil {
		return err
	}
	a.base, a.life = sc, a.was().Lifetime != nil
	a.plan = p
	port, err := bottleneck(p, a.run)
	if err != nil {
		return err
	}
	ranks, err := computed(a.run, sc.Jobs[a.job].Name, p.Jobs[a.job].Ranks())
	if err != nil {
		return err
	}
	all, omitted := cuts(p, a.was(), a.job, port)
	a.omitted = omitted
	all = append(all, triedCures(p, a.was(), a.job, ranks)...)
	return a.try(append(all, a.opt.Extra...))
}

// Compared is the number of the job that is compared: the one that is asked for, or the first that was aborted for good, or the
// first of whose time aborts or checkpoints took some, or the first.
func Compared(s *result.Summary, name string) (int, error) {
	if name != "" {
		for i := range s.Jobs {
			if s.Jobs[i].Job == name {
				return i, nil
			}
		}
		return 0, fmt.Errorf("no job %q, want %s", name, jobNames(s))
	}
	for _, asks := range []func(*result.JobFigures) bool{
		aborted,
		func(j *result.JobFigures) bool { return j.Lifetime != nil },
	} {
		for i := range s.Jobs {
			if asks(&s.Jobs[i]) {
				return i, nil
			}
		}
	}
	return 0, nil
}

// jobNames are the names that a job may be asked for by.
func jobNames(s *result.Summary) string {
	if len(s.Jobs) == 0 {
		return "none: the run has one job"
	}
	var names []string
	for i := range s.Jobs {
		names = append(names, s.Jobs[i].Job)
	}
	return "one of: " + strings.Join(names, ", ")
}

// of is a run as the job that is compared has it.
func (a *asking) of(s *result.Summary) *result.Summary {
	name := ""
	if len(a.run.Summary.Jobs) > 0 {
		name = a.run.Summary.Jobs[a.job].Job
	}
	for i := range s.Jobs { // without a job before it, it has another number
		if s.Jobs[i].Job == name {
			return s.OfJob(i)
		}
	}
	return s
}

// was is the run in the directory so.
func (a *asking) was() *result.Summary { return a.of(a.run.Summary) }

// Scenario returns the scenario of a run directory as its user wrote it, with the run's own copies
// of the files that it names. One that was changed since, or whose images are gone, is refused.
func Scenario(r *result.Run) (*scenario.Scenario, error) {
	src, err := r.Source()
	if err != nil {
		return nil, err
	}
	sc, err := scenario.Parse(r.Summary.Name+".yaml", src)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.InputPath(result.ScenarioInput), err)
	}
	if resolved := r.Summary.ScenarioYAML; resolved != string(sc.YAML()) && resolved != string(sc.WithoutDLB().YAML()) {
		return nil, fmt.Errorf("%s: it is not the scenario of this run: it was changed, or the run is of a "+
			"Railyard with other defaults; run the scenario anew", r.InputPath(result.ScenarioInput))
	}
	for i := range sc.Jobs {
		t := sc.Jobs[i].Train
		if t == nil {
			continue
		}
		if _, err := os.Stat(t.Data.Name()); t.Data.File() && errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: the data of the run are not there: paths are relative to the directory in which "+
				"railyard is run", t.Data.Name())
		}
	}
	var changes []scenario.Change
	for _, in := range r.Summary.Inputs {
		if key := run.InputKey(sc, in.Name); key != "" && !strings.Contains(key, ".train.data") {
			if err := r.HasInput(in.Name); err != nil {
				return nil, err
			}
			change := scenario.Change{Path: key, Text: quoted(r.InputPath(run.InputRoot(in.Name)))}
			if !slices.Contains(changes, change) { // a folder has several
				changes = append(changes, change)
			}
		}
	}
	if len(changes) == 0 {
		return sc, nil
	}
	if err := r.PlainInputs(); err != nil {
		return nil, err
	}
	return sc.With(changes...)
}

// shortened limits a training to the steps that are compared. Several jobs run as long as they do:
// one is compared, and what the others do beside it must be what they did.
func (a *asking) shortened(ctx context.Context, sc *scenario.Scenario) (*scenario.Scenario, error) {
	job := &sc.Jobs[a.job]
	if a.was().Lifetime != nil || len(sc.Jobs) > 1 || len(job.Collectives) > 0 || job.Model != nil { // all collectives are one step
		a.steps = a.was().Steps
		return sc, nil
	}
	key := ".train.steps"
	switch {
	case job.Replay != nil:
		key = ".replay.steps"
	case job.Train == nil:
		return sc, nil
	}
	f, err := run.NewForecast(ctx, sc, a.sources, func(result.Progress) {})
	if err != nil {
		return nil, err
	}
	a.steps = min(f.Steps, a.run.Summary.Steps)
	if hops := max(1, f.PacketHops/max(f.Steps, 1)); !a.opt.Full {
		a.steps = min(a.steps, enoughSteps, max(fewSteps, enoughHops/hops))
	}
	if a.steps == f.Steps {
		return sc, nil
	}
	if a.steps == 0 {
		return nil, fmt.Errorf("run directory %s: no step of the training ended, so there is nothing to compare",
			a.run.Path)
	}
	a.shorter = []scenario.Change{set(job.Path()+key, fmt.Sprint(a.steps))}
	return sc.With(a.shorter...)
}

// sameAsBefore holds the run as it is against the directory: what cannot be repeated cannot be
// compared.
func (a *asking) sameAsBefore() error {
	s, old := a.played[0].sum, a.run.Summary
	if s.State != result.Complete && s.State == old.State && anyAborted(s) && s.VirtualTime == old.VirtualTime {
		return nil // that is what it may be asked about
	}
	if s.State != result.Complete {
		return fmt.Errorf("the run as it is ends %s: %s", s.State, s.Error)
	}
	if old.State == result.Complete && s.Steps == old.Steps && s.VirtualTime != old.VirtualTime {
		return fmt.Errorf("run again as it is, it takes %s of virtual time, and took %s in %s: another version "+
			"wrote it; run the scenario anew",
			unit.Duration(s.VirtualTime).Human(), unit.Duration(old.VirtualTime).Human(), a.run.Path)
	}
	return nil
}

// result compares.
func (a *asking) result(interrupted bool) *result.WhatIf {
	was := a.played[0].sum
	base := a.of(was)
	w := &result.WhatIf{State: result.Complete, Name: base.Name, Measure: result.MeasureFCT, Steps: a.steps,
		StepsOfRun: a.was().Steps, Job: base.Job, Base: values(a.shorter)}
	if interrupted {
		w.State = result.Interrupted
	}
	if a.steps > 0 && !a.life {
		w.Measure, w.Median = result.MeasureStep, base.StepMedian
	}
	if w.Time, w.Slowest, w.Ended = a.measured(was, nil); a.life {
		w.Measure, w.Time = result.MeasureJob, base.Took
	}
	for i := range a.trials {
		switch t := &a.trials[i]; {
		case t.untried:
			w.Untried = append(w.Untried, result.WhatIfUntried{Name: t.Name, Set: values(t.Changes)})
		case t.ended(a):
			w.Changes = append(w.Changes, a.change(t))
		}
	}
	if a.drawn && !a.life {
		w.Drawn = true
		for _, i := range a.asItIs {
			if p := &a.played[i]; p.sum != nil {
				if time, _, why := a.measured(p.sum, nil); why == "" {
					w.Seeds = append(w.Seeds, result.WhatIfSeed{Seed: p.seed, Time: time})
				}
			}
		}
	}
	rank(w.Changes)
	for i := range w.Changes {
		c := &w.Changes[i]
		switch {
		case c.Saves == nil:
		case c.Kind == Ideal:
			saves, _ := c.Worth()
			w.Whole = &saves
		case single(c.Kind):
			saves, _ := c.Worth()
			w.Parts += max(saves, 0)
		}
	}
	return w
}

// measured returns what is compared, and why there is nothing to compare.
func (a *asking) measured(s *result.Summary, but map[string]bool) (time, slowest unit.Duration, why string) {
	one := a.of(s)
	switch failed := s.State == result.Failed; {
	case a.life && failed && aborted(&one.JobFigures):
		return 0, 0, abortText(one)
	case failed && !aborted(&one.JobFigures) && anyAborted(s): // another job
	case s.State != result.Complete:
		return 0, 0, fmt.Sprintf("the run ends %s: %s", s.State, s.Error)
	}
	s = one
	if a.life {
		return s.Took, 0, ""
	}
	if a.steps > 0 {
		return s.StepTime, 0, ""
	}
	mean, slowest, unfinished := sweep.FlowTimes(s, but)
	switch {
	case unfinished == 1:
		why = "a flow of the job does not finish"
	case unfinished > 0:
		why = fmt.Sprintf("%d flows of the job do not finish", unfinished)
	case mean == 0:
		why = "no flow of the job is left"
	}
	return mean, slowest, why
}

// change compares the run with a change to the one without.
func (a *asking) change(t *trial) result.WhatIfChange {
	c, was := &t.Cut, a.played[0].sum
	out := result.WhatIfChange{Kind: c.Kind, Name: c.Name, Subject: c.Subject, Reason: c.Reason, Nouns: c.Of, Set: values(c.Changes)}
	if d, ok := attributed(c, a.diagnosed(a.of(was))); ok {
		out.Attributed = &d
	}
	but := leftOut(&out) // a flow that is not there has no completion time: compare the others
	ended := ""
	if out.Before, _, out.Why = a.measured(was, but); a.life {
		ended, out.Before, out.Why = out.Why, a.of(was).Took, ""
	}
	if err := t.why(a); err != nil {
		out.Why = err.Error()
	}
	if out.Why != "" {
		return out
	}
	s := a.played[t.plays[0]].sum
	time, slowest, why := a.measured(s, but)
	if out.Why = why; why != "" {
		return out
	}
	if ended != "" {
		out.Time, out.Brings = &time, a.brings(a.of(s))
		return out
	}
	saves := out.Before - time
	out.Time, out.Saves, out.Slowest = &time, &saves, slowest
	if a.steps > 0 {
		out.Median = a.of(s).StepMedian
	}
	if out.Before > 0 {
		part := float64(saves) / float64(out.Before)
		out.Part = &part
	}
	a.seeded(t, &out, but)
	out.Differs = a.differs(c, &out, s)
	return out
}

// brings says what a job comes to that was aborted as it is.
func (a *asking) brings(s *result.Summary) string {
	was := a.of(a.played[0].sum)
	if s.StepsPlanned == 0 {
		return "it comes to its end"
	}
	t := fmt.Sprintf("all %s, of which the run as it is ended %s", unit.CountOf(s.Steps, "step"), unit.Count(was.Steps))
	if s.Survival != nil && len(s.Survival.Restarts) > 0 {
		t += fmt.Sprintf("; goodput %s", unit.Percent(s.Survival.Goodput))
	}
	return t
}

// rank orders by saving, what saves most first; before them, what brings a job to its end that was aborted;
// changes that tell nothing come last.
func rank(changes []result.WhatIfChange) {
	slices.SortStableFunc(changes, func(a, b result.WhatIfChange) int {
		switch {
		case a.Brings != "" && b.Brings != "":
			return cmp.Compare(*a.Time, *b.Time)
		case a.Brings != "" || b.Brings != "":
			return cmp.Compare(b2i(a.Brings == ""), b2i(b.Brings == ""))
		}
		saved, known := a.Worth()
		other, too := b.Worth()
		return cmp.Or(cmp.Compare(b2i(!known), b2i(!too)), cmp.Compare(other, saved), cmp.Compare(a.Slowest, b.Slowest))
	})
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// single reports whether a kind of change is a part of the whole, and neither a group of parts nor
// what a user asked for.
func single(kind string) bool {
	return kind != Flows && kind != Ideal && kind != Cure && kind != Survival && kind != Tried && kind != Set
}

// labels name a change in an error.
func labels(c *Cut) (all []sweep.Value) {
	for _, x := range c.Changes {
		all = append(all, sweep.Value{Path: x.Path, Text: x.Text})
	}
	return all
}

// quoted writes a path so that YAML reads it as text.
func quoted(path string) string { return fmt.Sprintf("%q", path) }
