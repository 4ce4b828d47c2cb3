package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
	"railyard/internal/study/sweep"
	"railyard/internal/study/tune"
)

// Options of a tuning.
type Options struct {
	sweep.Limits
	Patterns []string // see Names; none: Default
	Seeds    []uint64 // with which each point is played
	Verify   []uint64 // with which the choice and the scenario's own thresholds are played again; nil: not
	Points   int      // at most
	Prefer   tune.Prefer
	Hosts    int // that take part; 0: as many as the forecast allows
	Bytes    unit.Bytes
	Dir      *sweep.Dir           // keeps rows; nil: nowhere
	Progress func(sweep.Progress) // may be nil
	Force    bool
}

// tuning is a tuning under way.
type tuning struct {
	base    *scenario.Scenario
	opt     Options
	sources *run.Sources
	found   *Found
	own     Pattern // see Own
	facts0  tune.Facts
	done    int // runs
	total   int // at most
}

// Run tunes the thresholds of a scenario. When ctx ends it returns what was found by then, with ctx's error;
// nil: nothing was.
func Run(ctx context.Context, sc *scenario.Scenario, opt Options) (*Found, error) {
	if opt.Progress == nil {
		opt.Progress = func(sweep.Progress) {}
	}
	t := &tuning{base: sc, opt: opt, sources: &run.Sources{}, found: &Found{Name: sc.Name, State: result.Complete,
		Version: result.Version, Prefer: opt.Prefer, Seeds: opt.Seeds, base: sc}}
	if sc.Fabric.Config.Set {
		return nil, &plan.FieldError{Path: "fabric.config", Err: errors.New("the configurations there say what the thresholds are, " +
			"whatever fabric.qos says: without this key tune finds others, and with --dialect it writes them")}
	}
	t.own = Pattern{Name: Own, What: "the scenario's own jobs", scenario: sc}
	if err := t.patterns(ctx); err != nil {
		return nil, err
	}
	var err error
	if t.facts0, err = t.facts(); err != nil {
		return nil, err
	}
	t.found.Network = network(t.facts0)
	if !t.facts0.Reacts && !t.facts0.Pauses {
		return nil, errors.New("nothing to tune: PFC is off, and the congestion control looks at no marks")
	}
	formula, why, err := tune.Formula(t.facts0)
	if err != nil {
		return nil, fmt.Errorf("with the headroom that what can arrive after xOFF takes: %w", err)
	}
	t.found.Formula = why
	t.total = opt.Points*len(t.found.Patterns)*len(opt.Seeds) + 2*len(t.found.Patterns)*len(opt.Verify)
	trials, err := t.search(ctx, formula)
	if len(trials) == 0 {
		return nil, err
	}
	if err == nil {
		err = t.verify(ctx, trials)
	}
	if e := t.found.judge(t, trials); e != nil {
		return nil, e
	}
	if err != nil {
		t.found.State = result.Interrupted
	}
	return t.found, err
}

// search plays what the search hands out.
func (t *tuning) search(ctx context.Context, formula tune.Point) ([]tune.Trial, error) {
	s := tune.NewSearch(formula, t.opt.Points, t.opt.Prefer)
	for {
		batch := s.Next()
		if len(batch) == 0 {
			return s.Trials, nil
		}
		whole, err := t.play(ctx, batch, t.opt.Seeds)
		for _, trial := range batch[:whole] {
			s.Took(trial)
		}
		if err != nil {
			return s.Trials, err
		}
	}
}

// verify plays the choice again with other seeds, and another where it drops, and the scenario's own thresholds.
func (t *tuning) verify(ctx context.Context, trials []tune.Trial) error {
	if len(t.opt.Verify) == 0 {
		return nil
	}
	v := &Verified{Seeds: t.opt.Verify}
	for {
		chosen := tune.Judge(trials, t.opt.Prefer).Chosen
		if chosen < 0 {
			return nil
		}
		again := []tune.Trial{{Point: trials[chosen].Point, Own: trials[chosen].Own}}
		if chosen > 0 && v.Own == nil {
			again = append(again, trials[0])
			again[1].Figures = tune.Figures{}
		}
		whole, err := t.play(ctx, again, t.opt.Verify)
		if whole < len(again) {
			return err
		}
		if len(again) == 2 || chosen == 0 {
			v.Own = &again[len(again)-1].Figures
		}
		if f := &again[0].Figures; f.Drops+f.Failed > 0 {
			g := &trials[chosen].Figures
			g.Drops, g.Failed, g.Wrong = g.Drops+f.Drops, g.Failed+f.Failed, f.Wrong
			continue
		}
		v.Chosen = &again[0].Figures
		t.found.Verified = v
		return nil
	}
}

// play plays trials in every pattern with some seeds, and sets their figures. It returns how many of them, from
// the first, are whole.
func (t *tuning) play(ctx context.Context, trials []tune.Trial, seeds []uint64) (int, error) {
	var variants []sweep.Variant
	for i := range trials {
		some, err := t.variants(ctx, &trials[i], seeds)
		if err != nil {
			return 0, err
		}
		variants = append(variants, some...)
	}
	rows, err := sweep.Run(ctx, variants, sweep.Options{Limits: t.opt.Limits, Dir: t.opt.Dir, Force: t.opt.Force,
		Progress: t.progress(len(variants)), Sources: t.sources})
	if err != nil && ctx.Err() == nil {
		return 0, err
	}
	per := len(t.found.Patterns) * len(seeds)
	for i := range trials {
		if len(rows) < (i+1)*per {
			return i, err
		}
		mine := rows[i*per : (i+1)*per]
		if slices.ContainsFunc(mine, func(r sweep.Row) bool { return r.State == "" }) {
			return i, err
		}
		trials[i].Figures = t.figures(mine, len(seeds))
	}
	t.done += len(variants)
	return len(trials), err
}

// variants are the runs of a trial: of each pattern all seeds.
func (t *tuning) variants(ctx context.Context, trial *tune.Trial, seeds []uint64) (all []sweep.Variant, err error) {
	var changes []scenario.Change
	if !trial.Own {
		changes = t.changes(trial.Point)
	}
	for i := range t.found.Patterns {
		p := &t.found.Patterns[i]
		set := []sweep.Value{{Path: "pattern", Text: p.Name}}
		for _, c := range changes {
			set = append(set, sweep.Value{Path: c.Path, Text: c.Text})
		}
		for _, seed := range seeds {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			sc, err := p.scenario.With(append(slices.Clone(changes),
				scenario.Change{Path: "seed", Text: fmt.Sprint(seed)})...)
			if err != nil {
				return nil, err
			}
			all = append(all, sweep.Variant{Set: set, Scenario: sc})
		}
	}
	return all, nil
}

// figures are those of a point from its rows.
func (t *tuning) figures(rows []sweep.Row, seeds int) (f tune.Figures) {
	for i := range rows {
		r := &rows[i]
		if i%seeds == 0 {
			f.Times = append(f.Times, 0)
		}
		took := cmp.Or(r.StepTime, r.SlowestFCT)
		f.Times[len(f.Times)-1] += took
		f.Delay += r.QueueDelay
		f.Paused += r.Paused
		f.Pauses += r.Pauses
		f.Drops += r.Drops
		if !r.Whole() {
			f.Failed++
		}
		if f.Wrong == "" && (r.Drops > 0 || !r.Whole()) {
			f.Wrong = fmt.Sprintf("%s in %s with seed %d", unit.CountOf(r.Drops, "drop"), t.found.Patterns[i/seeds].Name, r.Seed)
			if !r.Whole() {
				f.Wrong = fmt.Sprintf("%s with seed %d: %s", t.found.Patterns[i/seeds].Name, r.Seed, failure(r))
			}
		}
	}
	for i := range f.Times {
		f.Times[i] /= unit.Duration(seeds)
	}
	f.Delay /= unit.Duration(len(rows))
	f.Paused /= unit.Duration(len(rows))
	f.Noise = noiseOf(rows, seeds, f.Times)
	return f
}

// noiseOf is by how much the means of a point may be off: how far the seeds are apart, through their number.
func noiseOf(rows []sweep.Row, seeds int, means []unit.Duration) (n tune.Noise) {
	if seeds < 2 || len(rows)%seeds != 0 || len(rows) == 0 {
		return n
	}
	patterns := len(rows) / seeds
	apart := func(of func(seed int) unit.Duration) unit.Duration {
		least, most := of(0), of(0)
		for k := 1; k < seeds; k++ {
			least, most = min(least, of(k)), max(most, of(k))
		}
		return (most - least) / unit.Duration(seeds)
	}
	mean := func(of func(r *sweep.Row) unit.Duration) func(seed int) unit.Duration {
		return func(seed int) (sum unit.Duration) {
			for p := range patterns {
				sum += of(&rows[p*seeds+seed])
			}
			return sum / unit.Duration(patterns)
		}
	}
	n.Delay = apart(mean(func(r *sweep.Row) unit.Duration { return r.QueueDelay }))
	n.Paused = apart(mean(func(r *sweep.Row) unit.Duration { return r.Paused }))
	for p := range patterns {
		off := apart(func(seed int) unit.Duration {
			return cmp.Or(rows[p*seeds+seed].StepTime, rows[p*seeds+seed].SlowestFCT)
		})
		n.Speed += float64(off) / float64(max(means[p], 1)) / float64(patterns)
	}
	return n
}

func failure(r *sweep.Row) string {
	if r.Error != "" {
		return r.Error
	}
	return unit.CountOf(int64(r.Unfinished), "flow") + " did not finish"
}

// progress passes on how far a batch is as part of the whole.
func (t *tuning) progress(batch int) func(sweep.Progress) {
	return func(p sweep.Progress) {
		if p.Phase == "forecast" {
			p.Phase, p.Done = "runs", 0
		}
		p.Part = (float64(t.done) + p.Part*float64(batch)) / float64(max(t.total, 1))
		p.Done, p.Total = t.done+p.Done, t.total
		t.opt.Progress(p)
	}
}
