package cli

import (
	"context"
	"errors"
	"fmt"

	"railyard/internal/base/input"
	"railyard/internal/base/located"
	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/study/sweep"
)

// many is what the flags of `railyard run` ask for beyond one run.
type many struct {
	axes  []sweep.Axis
	seeds []uint64
}

// sweep reads --set and --seeds: nil if they ask for one run.
func (f *runFlags) sweep() (*many, error) {
	m := &many{}
	for _, text := range f.set {
		a, err := sweep.ParseAxis(text)
		if err != nil {
			return nil, call.Misuse("run: --set %w", err)
		}
		if a.Path == "seed" && f.hasSeed {
			return nil, call.Misuse("run: --seed and --set seed, want one of them")
		}
		if len(a.Values) == 1 {
			f.single = append(f.single, a)
		} else {
			m.axes = append(m.axes, a)
		}
	}
	if f.seeds == "" {
		if len(m.axes) == 0 {
			return nil, nil
		}
		return m, nil
	}
	if f.hasSeed {
		return nil, call.Misuse("run: --seed and --seeds, want one of them")
	}
	var err error
	if m.seeds, err = scenario.ParseSeeds(f.seeds); err != nil {
		return nil, call.Misuse("run: --seeds %w", err)
	}
	return m, nil
}

// runSweep is `railyard run` with --seeds, or with several values of a --set.
func (a *app) runSweep(ctx context.Context, file string, f runFlags, m *many) error {
	ctx, stop := a.Interruptible(ctx)
	defer stop()
	p := a.StartProgress(f.quiet, "reading "+file)
	defer p.Stop()
	sc, err := a.load(ctx, p, file, f)
	if err != nil {
		return err
	}
	src, err := a.ReadFile(ctx, file) // for the lines of what a variant breaks
	if err != nil {
		return call.Misuse("cannot read scenario %s: %w", file, err)
	}
	variants, err := sweep.Variants(sc, m.axes, m.seeds)
	if err != nil {
		p.Stop()
		var problems located.Problems
		if errors.As(err, &problems) {
			return a.Problems(file, src, err)
		}
		return call.Misuse("run: %w", err)
	}
	for _, note := range sweep.Ignored(variants) {
		a.Tell("note: " + note)
	}
	dir, err := sweepDir(f.out, sc.Name)
	if err != nil {
		return err
	}
	rows, err := sweep.Run(ctx, variants, sweep.Options{Limits: sweep.Limits{Workers: max(0, f.workers)}, Dir: dir,
		Force: f.force, KeepRefused: true, Progress: call.Swept(p),
		Forecast: func(v sweep.Forecast) { a.TellForecast(f.quiet, v) }})
	p.Stop()
	interrupted := ctx.Err() != nil
	if err != nil && (rows == nil || !interrupted) {
		if e := dir.Discard(); e != nil {
			return e
		}
		if interrupted {
			return &call.Exit{Code: call.Interrupted,
				Err: errors.New("interrupted before the first run began; nothing was kept")}
		}
		return a.Located(file, sc, err)
	}
	return a.finishSweep(sweep.NewTable(sc.Name, m.axes, m.seeds, rows), dir, len(rows), f.json)
}

// sweepDir returns the directory of the rows: the one that is named, which may hold those of an
// earlier sweep, or a new one.
func sweepDir(out, name string) (*sweep.Dir, error) {
	if out == "" {
		var err error
		if out, err = result.NextDir("runs", name+"-sweep"); err != nil {
			return nil, err
		}
	}
	return sweep.OpenDir(out)
}

// finishSweep writes and prints the table.
func (a *app) finishSweep(t *sweep.Table, dir *sweep.Dir, planned int, asJSON bool) error {
	written := dir.Finish(t)
	t.Dir = dir.Path()
	if err := a.printTable(t, asJSON); err != nil {
		return fmt.Errorf("cannot print the table: %w; it is in %s", input.Cause(err), t.Dir)
	}
	switch failed := t.Failed(); {
	case written != nil:
		return written
	case t.State == result.Interrupted:
		return &call.Exit{Code: call.Interrupted,
			Err: fmt.Errorf("interrupted; %d of %d runs are in %s, and the same command with --out %s runs the others",
				len(t.Rows), planned, t.Dir, t.Dir)}
	case t.Refused() == len(t.Rows):
		return fmt.Errorf("none of %s can run", call.Count(planned, "run"))
	case failed > 0:
		return fmt.Errorf("%d of %s failed; the rows are in %s", failed, call.Count(planned, "run"), t.Dir)
	}
	return nil
}

func (a *app) printTable(t *sweep.Table, asJSON bool) error {
	if asJSON {
		return result.EncodeJSON(a.Stdout, t)
	}
	if err := t.WriteText(a.Stdout); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(a.Stdout, "\nrows: %s\n", t.Dir); err != nil {
		return err
	}
	for _, name := range t.Kept {
		if _, err := fmt.Fprintf(a.Stdout, "run directory: %s/%s\n", t.Dir, name); err != nil {
			return err
		}
	}
	return nil
}
