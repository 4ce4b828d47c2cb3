package reportcmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"railyard/internal/base/input"
	"railyard/internal/base/output"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/net/telemetry"
	"railyard/internal/out/judge"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
	"railyard/internal/study/whatif"
)

// diagnoseFlags is the flags of `railyard diagnose`.
type diagnoseFlags struct {
	healthy            string
	topology, names    string // files
	json, force, quiet bool
}

// diagnoseCall is a call of railyard diagnose.
type diagnoseCall struct {
	*call.App
	engine call.Engine
	f      diagnoseFlags
}

// Diagnose is railyard diagnose.
func Diagnose(a *call.App, e call.Engine) *cobra.Command {
	c := &diagnoseCall{App: a, engine: e}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "diagnose RUN|FOLDER [flags]",
		Short: "Name what is wrong with a fabric from its counters alone",
		Long: `Reads what an operator can see of the run RUN: counters of ports and NICs, GPUs, collectives,
lines of logs (telemetry.parquet, which the scenario writes with output: {telemetry: TIME}), and
who is beside whom. It names what is wrong: the three likeliest mechanisms with their places, what
speaks for and against each, how sure it is, the one measurement that would decide, what was ruled
out, and what cannot be known from what was read. It is told nothing of flows, paths, causes or
faults: railyard explain knows those.

A FOLDER holds what was collected of a real fabric, as text: metrics of exporters (Prometheus),
logs, dumps of NCCL and PyTorch, what commands printed behind their prompts. Each text is known by
what it holds; what was not understood is listed. Who is beside whom it takes from LLDP tables in
it, or from --topology: a scenario, a file of such tables behind their prompts, a topology file of
containerlab. Without them places are names only, and what needs more is said to be unknown.

It holds the run against the same fabric in order: the run in --healthy, or else one that it
simulates from the scenario of RUN, or that of --topology if it has output.telemetry, without faults
and background flows, with pinned paths in place of hashed ones and ranks host by host.

The exit code is 0 where nothing is wrong, 1 where something is named, 2 where nothing can be read.`,
		Example: "  railyard run examples/faults.yaml --set output.telemetry=20us\n  railyard diagnose runs/faults-1\n" +
			"  railyard diagnose runs/today-1 --healthy runs/yesterday-1 --json\n" +
			"  railyard diagnose dump --healthy dump-of-monday --topology fabric.yaml",
		Args:              call.OneRun,
		ValidArgsFunction: call.CompleteRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.diagnose(cmd.Context(), args[0])
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.healthy, "healthy", "",
		"DIR of a run or a dump of the same fabric in order; without it that is simulated")
	fl.StringVar(&f.topology, "topology", "",
		"FILE that says who is beside whom: a scenario, LLDP tables, containerlab's")
	fl.StringVar(&f.names, "names", "", "FILE of metrics' names, which go before those that are known")
	call.Complete(cmd, "healthy", call.CompleteRuns)
	fl.BoolVar(&f.json, "json", false, "print as JSON")
	fl.BoolVar(&f.force, "force", false, "simulate the fabric in order although the estimate is over a limit")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on stderr")
	return cmd
}

func (a *diagnoseCall) diagnose(ctx context.Context, dir string) error {
	ctx, stop := a.Interruptible(ctx)
	defer stop()
	names, err := a.dumpNames(ctx, a.f.names)
	if err != nil {
		return err
	}
	found := view.Diagnosis{Of: dir, InOrder: a.f.healthy}
	var c judge.Case
	var sc *scenario.Scenario
	if isRun(dir) {
		var r *result.Run
		if r, c.Now, err = shownBy(dir); err != nil {
			return err
		}
		if sc, err = whatif.Scenario(r); err != nil {
			return call.Misuse("%w", err)
		}
		p, err := run.NewPlan(sc)
		if err != nil {
			return call.Misuse("%s: %w", dir, err)
		}
		c.Graph = p.Graph
	} else if c.Now, c.Graph, found.Dump, err = shownIn(ctx, dir, names); err != nil {
		return err
	}
	if a.f.topology != "" {
		var of *scenario.Scenario
		if c.Graph, of, err = a.beside(ctx, a.f.topology, names, c.Now); err != nil {
			return err
		}
		if sc == nil && of != nil && of.Output.Telemetry.Set {
			sc = of
		}
	}
	switch {
	case a.f.healthy != "" && isRun(a.f.healthy):
		_, c.Healthy, err = shownBy(a.f.healthy)
	case a.f.healthy != "":
		c.Healthy, _, _, err = shownIn(ctx, a.f.healthy, names)
	case sc != nil:
		found.InOrder = "simulated"
		c.Healthy, found.Changes, err = a.simulateInOrder(ctx, sc)
	}
	if err != nil {
		return err
	}
	found.Verdict = judge.Judge(c)
	if a.f.json {
		err = a.PrintJSON(found)
	} else {
		s := a.NewSheet()
		view.DiagnosisText(s, &found)
		err = s.Flush(a.Stdout)
	}
	switch {
	case err != nil:
		return &call.Exit{Code: call.Misused, Err: fmt.Errorf("cannot print what was found: %w", input.Cause(err))}
	case found.Wrong:
		return &call.Exit{Code: call.Failed}
	}
	return nil
}

// shownBy reads what a run shows.
func shownBy(dir string) (*result.Run, *telemetry.Telemetry, error) {
	r, err := result.Open(dir)
	if err != nil {
		return nil, nil, call.Misuse("%w", err)
	}
	t, err := r.Told()
	if err != nil {
		return nil, nil, call.Misuse("%w", err)
	}
	return r, t, nil
}

// simulateInOrder runs the scenario with nothing wrong, and returns what that shows, and what it was changed by.
func (a *diagnoseCall) simulateInOrder(ctx context.Context, sc *scenario.Scenario) (*telemetry.Telemetry, []string,
	error) {
	sc, changes, err := whatif.InOrder(sc)
	if err != nil {
		return nil, nil, call.Misuse("the scenario in order: %w; --healthy takes a run in its place", err)
	}
	temp, remove, err := output.Temporary("diagnose")
	if err != nil {
		return nil, nil, call.Misuse("cannot make a folder for the run in order: %w", input.Cause(err))
	}
	defer remove()
	d, err := result.Create(filepath.Join(temp, "run"))
	if err != nil {
		return nil, nil, call.Misuse("%w", err)
	}
	p := a.StartProgress(a.f.quiet, "in order")
	defer p.Stop()
	sum, err := a.engine.Run(ctx, sc, call.RunOptions{Dir: d, Force: a.f.force, Workers: -1,
		Progress: func(v result.Progress) {
			v.Phase = "in order, " + v.Phase
			p.Update(v)
		}})
	p.Stop()
	if sum != nil && ctx.Err() == nil {
		err = errors.Join(err, d.Finish(sum))
	} else {
		_ = d.Discard()
	}
	switch {
	case ctx.Err() != nil:
		return nil, nil, &call.Exit{Code: call.Interrupted, Err: errors.New("interrupted; nothing was found")}
	case err != nil:
		return nil, nil, call.Misuse("the run in order: %w; --healthy takes a run in its place", err)
	}
	_, t, err := shownBy(d.Path())
	return t, changes, err
}
