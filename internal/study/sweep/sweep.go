package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"railyard/internal/base/located"
	"railyard/internal/base/machine"
	"railyard/internal/base/shown"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// Progress is how far a sweep is.
type Progress struct {
	Phase       string  // "forecast" or "runs"
	Done, Total int     // variants
	PacketHops  int64   // so far, those of runs under way included
	Part        float64 // 0 to 1: done, with the parts of runs under way
}

// Forecast is what a sweep would cost.
type Forecast struct {
	Runs       int     // not found in the directory
	Resumed    int     // found there
	PacketHops int64   // of Runs
	Seconds    float64 // of one core of the reference machine, of Runs: see foresight.Costs
	Longest    float64 // of one core, of the longest of them
	Largest    unit.Bytes
	Disk       unit.Bytes // that rows and tables take, 0 without a directory; whole run directories come to it
	AtOnce     int        // how many of the largest fit
	Memory     unit.Bytes // the bound, 0: not known
}

// scaled is the forecast of so many runs like those; of none it says nothing.
func (f Forecast) scaled(runs int) Forecast {
	if f.Runs == 0 {
		return f
	}
	by := float64(runs) / float64(f.Runs)
	f.Runs = runs
	f.PacketHops = int64(float64(f.PacketHops) * by)
	f.Seconds *= by
	f.Disk = unit.Bytes(float64(f.Disk) * by)
	return f
}

// Options of a sweep.
type Options struct {
	Limits                                  // Memory 0: what the machine has
	Dir      *Dir                           // keeps rows; nil: nowhere
	Force    bool                           // run although an estimate is over a limit
	Inputs   []result.InputDigest           // what each run must read, nil: anything
	Forecast func(Forecast)                 // called once, before the first run; may be nil
	Progress func(Progress)                 // may be nil
	Each     func(i int, s *result.Summary) // called for each run that was run, one at a time; may be nil
	// Refused is told of a variant that cannot run, one at a time: true leaves it out; nil: its error ends the sweep.
	Refused func(i int, err error) bool
	// KeepRefused makes a variant that cannot run a row that says why, while any other can; where none can, the error is
	// that of the first. Refused is not asked.
	KeepRefused bool
	EvenNone    bool   // with KeepRefused: rows that all say why they cannot run are no error
	Engine      Engine // nil: this process. What follows up to Sources is for it alone:
	// Look returns who looks on at the run of a variant; it is called from several goroutines. nil: nobody.
	Look    func(i int) run.Observer
	Runner  Runner       // nil: run.Run
	Sources *run.Sources // nil: its own
	// Choose is told the estimated packet-hops of each variant, -1 of one that was refused, and returns which are run; nil:
	// all are.
	Choose func(hops []int64) []bool
}

// A Runner runs a scenario, from several goroutines at once.
type Runner func(ctx context.Context, sc *scenario.Scenario, opt run.Options) (*result.Summary, error)

// Run runs the variants and returns a row for each, in their order. Before the first begins, every
// variant has been planned: the error of one that cannot run is returned then. A run that fails is
// a row that says so. When ctx ends the rows that are done are returned with its error; the others
// have no State.
func Run(ctx context.Context, variants []Variant, opt Options) ([]Row, error) {
	s := newSweep(variants, opt)
	defer LeaveGarbage(s.opt.Memory).End()
	if _, err := s.forecast(ctx); err != nil {
		return nil, err
	}
	engine := s.opt.Engine
	if engine == nil {
		engine = s.local()
	}
	jobs := make([]Job, len(s.left))
	for k, i := range s.left {
		jobs[k] = Job{Key: s.rows[i].Key, Set: s.rows[i].Set, Scenario: s.variants[i].Scenario, Inputs: s.inputs[i], Memory: s.needs[i],
			Seconds: s.seconds[i]}
	}
	if len(jobs) == 0 {
		return s.rows, nil
	}
	return s.rows, engine.Run(ctx, jobs, s)
}

// local is the engine of this process.
func (s *sweep) local() *local {
	l := &local{limits: s.opt.Limits, sources: s.opt.Sources, inputs: s.opt.Inputs, figures: s.opt.Each == nil, runner: run.Run}
	if s.opt.Runner != nil {
		l.runner = s.opt.Runner
	}
	if look := s.opt.Look; look != nil {
		l.look = func(job int) run.Observer { return look(s.left[job]) }
	}
	return l
}

// ForecastOf says what Run would cost, and runs nothing.
func ForecastOf(ctx context.Context, variants []Variant, opt Options) (Forecast, error) {
	return newSweep(variants, opt).forecast(ctx)
}

func newSweep(variants []Variant, opt Options) *sweep {
	s := &sweep{
		variants: variants, opt: opt, rows: make([]Row, len(variants)), needs: make([]unit.Bytes, len(variants)),
		seconds: make([]float64, len(variants)), hops: make([]int64, len(variants)), parts: make([]int64, len(variants)),
		inputs: make([][]result.InputDigest, len(variants)),
	}
	if s.opt.Progress == nil {
		s.opt.Progress = func(Progress) {}
	}
	if s.opt.Sources == nil {
		s.opt.Sources = &run.Sources{}
	}
	if s.opt.Memory == 0 {
		s.opt.Memory = machine.Memory()
	}
	return s
}

type sweep struct {
	variants []Variant
	opt      Options
	rows     []Row
	needs    []unit.Bytes
	seconds  []float64 // by the forecast
	inputs   [][]result.InputDigest
	left     []int // variants to run

	resumed int   // variants whose rows were there
	first   error // of the first variant that cannot run

	mu    sync.Mutex
	done  int
	hops  []int64 // by variant
	parts []int64 // by variant: how much of it is done, in millionths
	sums  struct{ hops, parts int64 }
}

// wholeRun is all of a run, in millionths: sums of whole numbers do not depend on who came first.
const wholeRun = 1_000_000

// reach sets how far a variant is; the lock is held.
func (s *sweep) reach(i int, hops, part int64) {
	s.sums.hops += hops - s.hops[i]
	s.sums.parts += part - s.parts[i]
	s.hops[i], s.parts[i] = hops, part
}

// forecast plans every variant, finds the rows that are there, and refuses what does not fit.
func (s *sweep) forecast(ctx context.Context) (Forecast, error) {
	f := Forecast{Memory: s.opt.Memory}
	hops := slices.Repeat([]int64{-1}, len(s.variants))
	for i := range s.variants {
		if ctx.Err() != nil {
			return f, ctx.Err()
		}
		s.opt.Progress(Progress{Phase: "forecast", Done: i, Total: len(s.variants)})
		v := &s.variants[i]
		e, err := s.estimate(ctx, v)
		if err != nil && ctx.Err() == nil && s.leaveOut(i, err) {
			continue
		}
		if err != nil {
			return f, s.named(ctx, i, err)
		}
		s.rows[i] = Row{Key: KeyOf(v.Scenario, e.Inputs), Set: v.Set, Seed: v.Scenario.Seed}
		if s.opt.Dir.find(ctx, &s.rows[i]) {
			s.done++
			s.reach(i, 0, wholeRun)
			continue
		}
		s.left = append(s.left, i)
		s.needs[i], hops[i], s.inputs[i], s.seconds[i] = e.Memory, e.PacketHops, e.Inputs, e.Seconds
	}
	if len(s.left) == 0 && s.done == 0 && s.first != nil && !s.opt.EvenNone {
		return f, s.first
	}
	s.choose(hops)
	for _, i := range s.left {
		f.PacketHops += min(hops[i], 1<<62-f.PacketHops)
		f.Largest = max(f.Largest, s.needs[i])
		if s.opt.Dir != nil {
			f.Disk += diskOf(s.variants[i].Set)
		}
		f.Seconds += s.seconds[i]
		f.Longest = max(f.Longest, s.seconds[i])
	}
	s.resumed = s.done
	f.Runs, f.Resumed = len(s.left), s.resumed
	f.AtOnce = min(s.opt.workers(), f.Runs)
	if s.opt.Memory > 0 && f.Largest > 0 {
		f.AtOnce = max(1, min(f.AtOnce, int(s.opt.Memory/f.Largest)))
	}
	if s.opt.Forecast != nil {
		s.opt.Forecast(f)
	}
	return f, nil
}

// estimate plans a variant, and refuses it where it does not fit.
func (s *sweep) estimate(ctx context.Context, v *Variant) (e run.Forecast, err error) {
	if v.Wrong != nil {
		return e, v.Wrong
	}
	e, err = run.NewForecast(ctx, v.Scenario, s.opt.Sources, func(result.Progress) {})
	if err != nil || s.opt.Force {
		return e, err
	}
	if err = e.OverLimit(machine.Memory()); err == nil && s.opt.Memory > 0 && e.Memory > s.opt.Memory {
		err = fmt.Errorf("it would need about %s of memory, and this machine has %s: make it smaller, or run "+
			"it anyway with --force", e.Memory.Human(), s.opt.Memory.Human())
	}
	return e, err
}

// named is an error with the name of the variant that it is of.
func (s *sweep) named(ctx context.Context, i int, err error) error {
	if name := label(s.variants[i].Set); name != "" && ctx.Err() == nil {
		return fmt.Errorf("with %s: %w", name, err)
	}
	return err
}

// leaveOut reports whether the sweep goes on without a variant that cannot run.
func (s *sweep) leaveOut(i int, err error) bool {
	if !s.opt.KeepRefused {
		return s.opt.Refused != nil && s.opt.Refused(i, err)
	}
	v := &s.variants[i]
	s.rows[i] = Row{Set: v.Set, Seed: v.Seed, State: Refused, Error: reason(err)}
	if s.first == nil {
		s.first = s.named(context.Background(), i, err)
	}
	return true
}

// reason is why a variant cannot run, in one line: the first of several problems stands for all.
func reason(err error) string {
	text := err.Error()
	var problems located.Problems
	if errors.As(err, &problems) && len(problems) > 0 {
		if text = problems[0].Said(); len(problems) > 1 {
			text += fmt.Sprintf(", and %s", unit.CountOf(int64(len(problems)-1), "other problem"))
		}
	}
	return shown.Lines(text)
}

// choose leaves out what is not chosen.
func (s *sweep) choose(hops []int64) {
	if s.opt.Choose == nil {
		return
	}
	chosen := s.opt.Choose(hops)
	s.left = slices.DeleteFunc(s.left, func(i int) bool { return !chosen[i] })
}

// Done keeps the row of a job that has run, and tells who waits for it.
func (s *sweep) Done(k int, row *Row, sum *result.Summary) error {
	i := s.left[k]
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := &s.rows[i]
	row.Key, row.Set, row.Seed = kept.Key, kept.Set, kept.Seed
	*kept = *row
	if err := s.opt.Dir.keep(kept); err != nil {
		return err
	}
	s.done++
	s.reach(i, row.PacketHops, wholeRun)
	s.tell()
	if s.opt.Each != nil && sum != nil {
		s.opt.Each(i, sum)
	}
	return nil
}

// Refused hears of a job that cannot run after all. The error ends the sweep, nil goes on without it.
func (s *sweep) Refused(k int, err error) error {
	i := s.left[k]
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.leaveOut(i, err) {
		return s.named(context.Background(), i, err)
	}
	s.done++
	s.reach(i, 0, wholeRun)
	s.tell()
	return nil
}

// Progress hears how far a job is.
func (s *sweep) Progress(k int, p result.Progress) {
	i := s.left[k]
	s.mu.Lock()
	defer s.mu.Unlock()
	part := s.parts[i]
	if p.Total > 0 && p.PacketHops > 0 { // it runs
		part = int64(wholeRun * (float64(p.Done) / float64(p.Total)))
	}
	s.reach(i, p.PacketHops, part)
	s.tell()
}

// tell reports progress; the lock is held.
func (s *sweep) tell() {
	total := s.resumed + len(s.left)
	s.opt.Progress(Progress{Phase: "runs", Done: s.done, Total: total, PacketHops: s.sums.hops,
		Part: float64(s.sums.parts) / wholeRun / float64(total)})
}
