package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/base/input"
	"railyard/internal/base/located"
	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/study/sweep"
)

// sweepFlags is the flags of `railyard sweep`.
type sweepFlags struct {
	runFlags
	again string // a directory to go on with
	keep  string
	point int // 0: run them
	queue queueFlags
	batch batchFlags
}

func (a *app) sweepCommand() *cobra.Command {
	var f sweepFlags
	cmd := &cobra.Command{
		Use:   "sweep FILE [flags]",
		Short: "Run the variants that a file names, and look for a value",
		Long: `Reads a sweep: a scenario (base: FILE, or scenario: with its keys), axes with their values or a
range of them, seeds, conditions, a sample in place of every combination, and what to find: the
smallest or the largest value of one more key with which a condition over figures holds with every
seed; or the point of the axes with the best value of a figure, with a budget of points (maximise).
docs/sweeps.md has it step by step, docs/sweep-file.md each key.

It says what all runs would cost before the first begins, runs as many at once as memory holds, and
prints the spread of each figure. The directory holds sweep.json, sweep.parquet (a row for each run,
a column for each axis and each figure), and rows/. Points that cannot run stand there with the
reason. After Ctrl-C, --resume DIR runs what is missing; rows that are there are never run again.

--keep worst:3 leaves the whole run directories of three points in DIR/runs: worst or best by the
figure that variants are compared by, or by another (best:2:drops). --point N prints the scenario of
a point instead of running anything. FILE may be -, standard input.

--nats URL runs on workers (railyard worker) over NATS JetStream; --nats embedded has the server in
this process, with --listen ADDRESS and --nats-creds FILE for workers elsewhere: FILE holds the token by
which they join, and is made if it is not there. Rows are the same bytes.

--emit slurm|kubernetes with --nats URL and --out DIR runs nothing: it writes a job array for sbatch or
a Job for kubectl that starts workers, with what the forecast says that they need.`,
		Example: "  railyard sweep examples/sweep/buffers.yaml\n  railyard sweep my.yaml --out sweeps/a --keep worst:3\n" +
			"  railyard sweep my.yaml --point 12 > point.yaml",
		Args: call.OneFile, ValidArgsFunction: call.CompleteScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("workers") && f.workers < 1 {
				return call.Misuse("sweep: --workers %d: want 1 or more", f.workers)
			}
			if cmd.Flags().Changed("point") && f.point < 1 {
				return call.Misuse("sweep: --point %d: want 1 or more: points are numbered from 1", f.point)
			}
			if err := f.queue.check("sweep"); err != nil {
				return err
			}
			if err := f.batch.check(cmd.Flags(), &f); err != nil {
				return err
			}
			return a.sweepFile(cmd.Context(), args[0], f)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "out", "o", "", "directory of the rows, new or empty (default runs/NAME-sweep-N, the first N that is free)")
	fl.StringVar(&f.again, "resume", "", "directory of an earlier sweep: what is there is not run again")
	fl.BoolVar(&f.json, "json", false, "print the table as one JSON object")
	fl.BoolVar(&f.force, "force", false, "run although an estimate is over 8 GB, what the machine has free, or 10^10 packet-hops")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on stderr")
	fl.IntVar(&f.workers, "workers", -1, "runs at once (default as many as there are cores)")
	fl.Lookup("workers").DefValue = "0"
	fl.StringVar(&f.keep, "keep", "", "leave whole run directories of points: worst:3, best:1, or worst:3:FIGURE")
	fl.IntVar(&f.point, "point", 0, "print the scenario of this point, and run nothing")
	fl.Lookup("point").DefValue = "0" // 0 is none: it is not shown
	fl.StringVar(&f.queue.url, "nats", "", "run on workers over NATS JetStream: a URL, or embedded for a server in this process")
	fl.StringVar(&f.queue.listen, "listen", "", "with --nats embedded: an address where other railyard workers may join")
	f.queue.access(fl)
	f.batch.register(fl)
	return cmd
}

// planned is a sweep file with all that follows from it before anything runs.
type planned struct {
	file string
	src  []byte
	spec *scenario.SweepFile
	base *scenario.Scenario
	plan *sweep.Plan
}

// planSweep reads a sweep and its scenario, and lists its points.
func (a *app) planSweep(ctx context.Context, p *call.Progress, file string, f sweepFlags) (*planned, error) {
	src, err := a.ReadFile(ctx, file)
	if err != nil {
		return nil, call.Misuse("cannot read sweep %s: %w", file, err)
	}
	s := &planned{file: file, src: src}
	refuse := func(err error) error {
		p.Stop()
		var problems located.Problems
		if !errors.As(err, &problems) {
			return fmt.Errorf("%s: %w", file, err)
		}
		return a.Problems(file, src, err)
	}
	if s.spec, err = scenario.ParseSweep(file, src); err != nil {
		return nil, refuse(err)
	}
	if err := sweep.CheckFigures(s.spec); err != nil {
		return nil, refuse(err)
	}
	if s.base = s.spec.Scenario; s.base == nil {
		base := s.spec.Base.Value
		if !filepath.IsAbs(base) && file != "-" {
			base = filepath.Join(filepath.Dir(file), base)
		}
		if _, err := a.ReadFile(ctx, base); err != nil {
			return nil, refuse(located.Problems{s.spec.Located("base", fmt.Sprintf("cannot be read: %v", input.Cause(err)), "")})
		}
		if s.base, err = a.load(ctx, p, base, runFlags{}); err != nil {
			return nil, err
		}
	}
	if s.plan, err = sweep.PlanOf(s.spec, s.base); err != nil {
		return nil, refuse(err)
	}
	return s, nil
}

// sweepFile is `railyard sweep`.
func (a *app) sweepFile(ctx context.Context, file string, f sweepFlags) error {
	keep, err := sweep.ParseKeep(f.keep)
	if err != nil {
		return call.Misuse("sweep: --keep %w", err)
	}
	if f.again != "" {
		if f.out != "" {
			return call.Misuse("sweep: --out and --resume, want one of them")
		}
		if !sweep.IsDir(f.again) {
			return call.Misuse("sweep: --resume %s: not the directory of a sweep", f.again)
		}
		f.out = f.again
	}
	ctx, stop := a.Interruptible(ctx)
	defer stop()
	p := a.StartProgress(f.quiet || f.point > 0, "reading "+file)
	defer p.Stop()
	s, err := a.planSweep(ctx, p, file, f)
	if err != nil {
		return err
	}
	if f.point > 0 {
		p.Stop()
		return a.printPoint(s, f.point)
	}
	variants, err := sweep.VariantsOf(s.base, s.plan.Points, s.spec.Seeds)
	if err != nil {
		return call.Misuse("sweep: %w", err)
	}
	for _, note := range append(sweep.Ignored(variants), leftOut(s.plan)...) {
		a.Tell("note: " + note)
	}
	if f.batch.kind != "" {
		return a.emit(ctx, p, s, variants, &f)
	}
	dir, err := sweepDir(f.out, s.spec.Name)
	if err != nil {
		return err
	}
	opt := sweep.Options{Limits: sweep.Limits{Workers: max(0, f.workers)}, Dir: dir, Force: f.force, KeepRefused: true,
		Progress: call.Swept(p), Forecast: func(v sweep.Forecast) { a.TellForecast(f.quiet, v) }}
	away, err := a.openQueue(ctx, s, &f, &opt, dir)
	if err != nil {
		return errors.Join(err, dir.Discard())
	}
	t, err := s.run(ctx, variants, opt)
	away.close(err == nil)
	if err == nil && keep != nil {
		err = a.keepRuns(ctx, s, t, keep, dir)
	}
	p.Stop()
	if err != nil && (t == nil || ctx.Err() == nil) {
		if e := dir.Discard(); e != nil {
			return e
		}
		if ctx.Err() != nil {
			return &call.Exit{Code: call.Interrupted,
				Err: errors.New("interrupted before the first run began; nothing was kept")}
		}
		return a.Located(file, s.base, err)
	}
	return a.finishSweep(t, dir, s.runs(t, len(variants)), f.json)
}

// runs is how many runs were planned for a table, of so many variants.
func (s *planned) runs(t *sweep.Table, variants int) int {
	switch {
	case t.Best != nil:
		return s.spec.Maximise.Points * max(1, len(s.spec.Seeds))
	case t.Found != nil:
		return len(t.Rows)
	}
	return variants
}

// run runs what a sweep names. A table beside an error is of what was run until then.
func (s *planned) run(ctx context.Context, variants []sweep.Variant, opt sweep.Options) (*sweep.Table, error) {
	axes, points := s.plan.Axes, s.plan.Points
	if s.plan.Grid {
		points = nil
	}
	if m := s.spec.Maximise; m != nil {
		found, err := sweep.Maximise(ctx, s.spec, s.base, opt)
		if found == nil {
			return nil, err
		}
		t := sweep.NewTableOf(s.spec.Name, found.Axes, found.Points, s.spec.Seeds, found.Rows)
		t.Best, t.With = &found.Best, m.With.Text
		return asFar(t, err), err
	}
	if s.spec.Find == nil {
		rows, err := sweep.Run(ctx, variants, opt)
		if rows == nil {
			return nil, err
		}
		t := sweep.NewTableOf(s.spec.Name, axes, points, s.spec.Seeds, rows)
		t.Left = s.plan.Left
		return t, err
	}
	found, err := sweep.FindAll(ctx, s.spec, s.base, s.plan.Points, opt)
	if found == nil || len(found.Rows) == 0 {
		return nil, err
	}
	t := sweep.NewTableOf(s.spec.Name, append(axes, found.Tried), found.Points, s.spec.Seeds, found.Rows)
	t.Left, t.Found, t.With = s.plan.Left, found.Found, s.spec.Find.With.Text
	return asFar(t, err), err
}

// asFar is the table of rounds of which an error ended the last, or kept the next from beginning: it is no whole one, although all
// its runs may be there.
func asFar(t *sweep.Table, err error) *sweep.Table {
	if err != nil {
		t.State = result.Interrupted
	}
	return t
}

// leftOut says how many combinations a sweep does without, and why.
func leftOut(p *sweep.Plan) (notes []string) {
	if p.Left > 0 {
		notes = append(notes, fmt.Sprintf("%s left out: a condition of where does not hold there", call.Count(p.Left,
			"combination")))
	}
	if p.Short > 0 {
		notes = append(notes, fmt.Sprintf("%s of %d: there are no more that differ, or none for which where holds",
			call.Count(len(p.Points), "point"), len(p.Points)+p.Short))
	}
	return notes
}

// printPoint prints the scenario of a point.
func (a *app) printPoint(s *planned, n int) error {
	if n > len(s.plan.Points) {
		return call.Misuse("sweep: --point %d: %s has %s", n, s.file, call.Count(len(s.plan.Points), "point"))
	}
	variants, err := sweep.VariantsOf(s.base, s.plan.Points[n-1:n], nil)
	if err != nil {
		return call.Misuse("sweep: %w", err)
	}
	if variants[0].Wrong != nil {
		return a.Problems(s.file, s.src, variants[0].Wrong)
	}
	_, err = a.Stdout.Write(variants[0].Scenario.Source())
	return err
}

// keepRuns runs chosen points again, each into a run directory of its own.
func (a *app) keepRuns(ctx context.Context, s *planned, t *sweep.Table, keep *sweep.Keep, dir *sweep.Dir) error {
	rows, err := t.Chosen(keep)
	if err != nil {
		return fmt.Errorf("--keep: %w", err)
	}
	for _, r := range rows {
		changes := make([]scenario.Change, 0, len(r.Set)+1)
		for _, v := range r.Set {
			changes = append(changes, scenario.Change{Path: v.Path, Text: v.Text})
		}
		changes = append(changes, scenario.Change{Path: "seed", Text: strconv.FormatUint(r.Seed, 10)})
		sc, _, err := s.base.WithFitting(changes...)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("point-%d-seed-%d", t.PointOf(&r), r.Seed)
		if err := sweep.KeepRun(ctx, sc, dir, name); err != nil {
			return fmt.Errorf("--keep %s: %w", name, err)
		}
		t.Kept = append(t.Kept, strings.Join([]string{"runs", name}, "/"))
	}
	return nil
}
