package showcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"railyard/internal/base/output"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/scenario"
)

// timelineFlags is the flags of `railyard show timeline`.
type timelineFlags struct {
	job                string
	steps, from, ranks int
	json, force, quiet bool
	forecast           bool
}

// timelineCall is a call of railyard show timeline.
type timelineCall struct {
	*call.App
	engine call.Engine
	f      timelineFlags
}

func timelineCommand(a *call.App, e call.Engine) *cobra.Command {
	c := &timelineCall{App: a, engine: e}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "timeline FILE|DIR",
		Short: "Print what each rank did when, in a few steps",
		Long: `Runs the first steps of the scenario in FILE, or reads the run directory DIR, and prints
the operations of each rank and stream as bars over time, and as a table. For a job of
flows the bars are messages. Of a pipeline, its timetable comes first, with the bubble measured
and by formula. --forecast runs nothing: it draws a step as the plan expects it.`,
		Example: "  railyard show timeline examples/digits-8gpu.yaml\n  railyard show timeline runs/digits-8gpu-1 " +
			"--from 100 --steps 1",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return call.Misuse("timeline: missing FILE or DIR, a scenario or a run directory: %s", cmd.UseLine())
			}
			return call.OneFile(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.steps < 1 || f.ranks < 1 || f.from < 0:
				return call.Misuse("show timeline: --steps %d --ranks %d --from %d: want at least 1, 1 and 0", f.steps,
					f.ranks, f.from)
			case f.steps > 1000 || f.from > 1<<30:
				return call.Misuse("show timeline: --steps %d --from %d: want at most 1000 and %d", f.steps, f.from,
					1<<30)
			}
			return c.timeline(cmd.Context(), args[0])
		},
	}
	fl := cmd.Flags()
	fl.IntVar(&f.steps, "steps", 2, "how many steps to show")
	fl.IntVar(&f.from, "from", 0, "first step to show, from 0")
	fl.StringVar(&f.job, "job", "", "of several jobs the one with this NAME, instead of the first")
	fl.IntVar(&f.ranks, "ranks", 16, "show so many ranks, or flows, at most")
	fl.BoolVar(&f.forecast, "forecast", false, "of a FILE: a step as it is expected, without a run")
	fl.BoolVar(&f.json, "json", false, "print all operations as JSON")
	fl.BoolVar(&f.force, "force", false, "run although the estimate is over 8 GB, what the machine has free, or 10^10 "+
		"packet-hops")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on stderr")
	return cmd
}

func (c *timelineCall) timeline(ctx context.Context, path string) error {
	if c.f.forecast {
		return c.forecast(path)
	}
	dir := path
	if st, err := os.Stat(path); err != nil || !st.IsDir() {
		temp, remove, err := output.Temporary("timeline")
		if err != nil {
			return fmt.Errorf("cannot make a temporary folder: %w", err)
		}
		defer remove()
		dir = filepath.Join(temp, "run")
		if err := c.runSteps(ctx, path, dir); err != nil {
			return err
		}
	}
	r, err := result.Open(dir)
	if err != nil {
		return call.Misuse("%w", err)
	}
	sum, err := summaryOf(r.Summary, c.f.job)
	if err != nil {
		return err
	}
	spans, err := view.ReadSpans(r, sum, c.f.from, c.f.steps)
	if err != nil {
		return err
	}
	if c.f.json {
		return c.timelineJSON(r.Summary.Name, spans)
	}
	s := c.NewSheet()
	if err := view.TimelineText(s, r, spans, c.f.from, c.f.ranks); err != nil {
		return err
	}
	return s.Flush(c.Stdout)
}

// timelineJSON prints bars, and of a pipeline the timetable of the first step.
func (c *timelineCall) timelineJSON(name string, bars []view.Bar) error {
	return c.PrintJSON(struct {
		Name     string          `json:"name"`
		Pipeline *view.Timetable `json:"pipeline,omitempty"`
		Bars     []view.Bar      `json:"bars"`
	}{name, view.NewTimetable(int32(c.f.from), bars), bars})
}

// forecast prints a step of a scenario as it is expected.
func (c *timelineCall) forecast(path string) error {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return call.Misuse("show timeline: --forecast %s: a run directory, want a scenario", path)
	}
	p, err := c.Plan(path)
	if err != nil {
		return err
	}
	j, err := jobNamed(p, c.f.job)
	switch {
	case err != nil:
		return err
	case j.Work == nil:
		return view.ErrNoRanks
	}
	c.f.from, c.f.steps = 0, 1
	bars := view.ForecastBars(j.Work, foresight.Forecast(p, j))
	if c.f.json {
		return c.timelineJSON(p.Scenario.Name, bars)
	}
	s := c.NewSheet()
	view.BarsText(s, bars, 0, c.f.ranks, p.Scenario.Name+": a step as it is expected, nothing was run")
	return s.Flush(c.Stdout)
}

// runSteps runs as much of a scenario as is to be shown into dir.
func (c *timelineCall) runSteps(ctx context.Context, file, dir string) error {
	sc, err := c.ReadScenario(file)
	if err != nil {
		return err
	}
	sc.Output = scenario.Output{Sample: sc.Output.Sample, Operations: true}
	for i := range sc.Jobs {
		if t := sc.Jobs[i].Train; t != nil {
			t.Steps = scenario.Some(min(c.f.from+c.f.steps, t.Steps.Or(c.f.from+c.f.steps)))
		} else {
			sc.Output.Flows = true
		}
	}
	ctx, stop := c.Interruptible(ctx)
	defer stop()
	p := c.StartProgress(c.f.quiet, "running "+file)
	defer p.Stop()
	d, err := result.Create(dir)
	if err != nil {
		return err
	}
	sum, err := c.engine.Run(ctx, sc, call.RunOptions{Dir: d, Force: c.f.force, Progress: p.Update})
	p.Stop()
	switch {
	case ctx.Err() != nil:
		return &call.Exit{Code: call.Interrupted, Err: errors.New("interrupted; nothing was kept")}
	case err != nil:
		return c.Located(file, sc, err)
	}
	if sum.State == "" || sum.State == result.Running {
		sum.State = result.Complete
	}
	return d.Finish(sum)
}

// summaryOf returns the summary of the job with a name; "": of the first.
func summaryOf(s *result.Summary, name string) (*result.Summary, error) {
	if name == "" {
		return s.First(), nil
	}
	var names []string
	for i, f := range s.PerJob() {
		if f.Job == name && len(s.Jobs) == 0 {
			return s, nil
		}
		if f.Job == name {
			return s.OfJob(i), nil
		}
		names = append(names, f.Job)
	}
	return nil, noJob(name, names)
}
