package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"railyard/internal/base/input"
	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
	"railyard/internal/study/sweep"
	"railyard/internal/study/whatif"
)

// whatifFlags is the flags of `railyard whatif`.
type whatifFlags struct {
	set                      []string
	job                      string
	full, json, force, quiet bool
}

// whatifCall is a call of railyard whatif.
type whatifCall struct {
	*app
	f whatifFlags
}

func whatifCommand(a *app) *cobra.Command {
	c := &whatifCall{app: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "whatif DIR [flags]",
		Short: "Run a run again with one thing taken away, and say what that saved",
		Long: `Runs the scenario in the run directory DIR again, from its inputs, each time with one
thing taken away or changed that may have held it up: each flow that shares ports with
the job and groups of them, PFC, congestion control, faults, full buffers, windows; the
busiest cable on the job's way ten times faster; launches that take no time; what check
knows against mistakes in the thresholds; infinitely fast links. Then it tries cures by
itself, those for what the diagnosis found first: spraying and other paths to choose among
equal links, other seeds and hashes, links as their equals, spines that are not
oversubscribed, switches as the others, PFC and its watchdog, shorter timers, other
receivers, NICs for each GPU, what NCCL would choose, rings, other places of ranks, more
micro-batches. Where chance decides, ten seeds are run; where faults draw losses, three of
each change and of the run as it is. Cures take at most twice the packet-hops of the rest:
what does not fit is named, and --full runs it. Of a job that was aborted, or writes
checkpoints, the whole time is compared, and other retries, timeouts, checkpoints,
restarts and a spare host are tried. Of several jobs one is compared: --job,
or else the first that was aborted, or wrote checkpoints, or the first. It prints what the
run's causes attribute to each beside what running without it saved, what saves most
first, why the two differ, and writes it to DIR/whatif.json, with the flags of railyard run
that repeat each. A training is compared over its first 256 steps, or as many as make about
20 million packet-hops; --full compares all.`,
		Example: "  railyard whatif runs/digits-incast-1\n  railyard whatif runs/incast-1 --set " +
			"fabric.qos.ecn.min=1MB,2MB",
		Args:              call.RunDirs(1, 1),
		ValidArgsFunction: call.CompleteRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.whatif(cmd.Context(), args[0])
		},
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.set, "set", nil,
		"KEY=VALUE: another change to run; KEY=VALUE,VALUE: one for each; may be repeated")
	fl.StringVar(&f.job, "job", "", "of several jobs the one with this NAME is compared; without it the first that was "+
		"aborted, or wrote checkpoints, or the first")
	fl.BoolVar(&f.full, "full", false, "run all that can be tried, and compare all steps of a training")
	fl.BoolVar(&f.json, "json", false, "print what was found as one JSON object")
	fl.BoolVar(&f.force, "force", false, "run although an estimate is over a limit")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on stderr")
	call.CompletesSet(cmd)
	return cmd
}

func (c *whatifCall) whatif(ctx context.Context, dir string) error {
	extra, err := asked(c.f.set)
	if err != nil {
		return err
	}
	r, err := result.Open(dir)
	if err != nil {
		return call.Misuse("%w", err)
	}
	if _, err := whatif.Compared(r.Summary, c.f.job); err != nil {
		return call.Misuse("whatif: --job: %w", err)
	}
	folder, err := call.Held("run directory "+dir, dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	ctx, stop := c.Interruptible(ctx)
	defer stop()
	p := c.StartProgress(c.f.quiet, "reading "+dir)
	defer p.Stop()
	found, err := whatif.Run(ctx, r, whatif.Options{Full: c.f.full, Job: c.f.job, Force: c.f.force, Extra: extra,
		Progress: call.Swept(p),
		Forecast: func(v sweep.Forecast) { c.TellForecast(c.f.quiet, v) }})
	p.Stop()
	interrupted := ctx.Err() != nil
	switch {
	case found == nil && interrupted:
		return &call.Exit{Code: call.Interrupted,
			Err: errors.New("interrupted before the run as it is was done; nothing was kept")}
	case found == nil:
		return c.ChangeProblems(err)
	}
	if err := r.WriteWhatIf(folder, found.WhatIf); err != nil {
		return err
	}
	if c.f.json {
		err = result.EncodeJSON(c.Stdout, found.WhatIf)
	} else {
		err = found.WriteText(c.Stdout)
	}
	if err != nil {
		return fmt.Errorf("cannot print what was found: %w", input.Cause(err))
	}
	if interrupted {
		return &call.Exit{Code: call.Interrupted, Err: errors.New("interrupted; what was found is in " + dir +
			"/whatif.json")}
	}
	return nil
}

// asked makes changes of --set.
func asked(texts []string) (all []whatif.Cut, err error) {
	for _, text := range texts {
		axis, err := sweep.ParseAxis(text)
		if err != nil {
			return nil, call.Misuse("whatif: --set %w", err)
		}
		for _, v := range axis.Values {
			all = append(all, whatif.Setting(axis.Path, v))
		}
	}
	return all, nil
}
