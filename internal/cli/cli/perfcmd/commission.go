package perfcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"railyard/internal/base/input"
	"railyard/internal/base/located"
	"railyard/internal/cli/cli/call"
	"railyard/internal/learn/dataset"
	"railyard/internal/net/inventory"
	"railyard/internal/out/result"
	"railyard/internal/plan/commission"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/network"
	"railyard/internal/plan/perf"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
	"railyard/internal/study/whatif"
)

// commissionFlags is the flags of `railyard commission`.
type commissionFlags struct {
	measured              string
	hops                  int
	ports                 bool
	json, template, quiet bool
}

// commissionCall is a call of railyard commission.
type commissionCall struct {
	*call.App
	engine call.Engine
	f      commissionFlags
}

// Commission is railyard commission.
func Commission(a *call.App, e call.Engine) *cobra.Command {
	c := &commissionCall{App: a, engine: e}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "commission DIR",
		Short: "List the checks of a new cluster, with what to expect of this one",
		Long: `Lists what to check when a cluster has been built, in the order in which one thing rests on
another, with the value to expect of this network and what is accepted: links, BGP sessions and next
hops, PFC and ECN when idle and under load, write bandwidth of each rail, all-reduce from 8 B to
4 GiB, the spread of steps. DIR is a run directory, a folder with a scenario.yaml (as railyard design
writes) or a scenario file. All-reduces are simulated as long as they take few packet-hops; larger
ones come from the closed form of NCCL's model, and each row says which.

With --measured FILE, lines of KEY VALUE, it says what deviates first and where that likely lies; the
exit code is then 1. --template prints such a file. Single ports (--ports) need not be measured; where
they are, the answer names the cable: down, at another rate, swapped, with errors.`,
		Example: "  railyard commission runs/digits-8gpu-1\n  railyard commission examples/leaf-spine.yaml --template >measured.txt\n" +
			"  railyard commission examples/leaf-spine.yaml --measured measured.txt",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) != 1:
				return call.Misuse("commission: %d arguments, want one DIR: %s", len(args), cmd.UseLine())
			case f.hops < 0:
				return call.Misuse("commission: --hops %d: want 0 or more packet-hops", f.hops)
			case f.template && (f.json || f.measured != ""):
				return call.Misuse("commission: --template prints a file to fill in: leave out --json and --measured")
			}
			return nil
		},
		ValidArgsFunction: call.CompleteRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.commission(cmd.Context(), args[0])
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.measured, "measured", "", "FILE with what was measured, a line for each: KEY VALUE")
	fl.IntVar(&f.hops, "hops", 3_000_000, "packet-hops of an all-reduce up to which it is simulated")
	fl.BoolVar(&f.json, "json", false, "print as JSON")
	fl.BoolVar(&f.template, "template", false, "print a file of measured values, with those that are expected")
	fl.BoolVar(&f.ports, "ports", false, "list the checks of single ports too: rate, neighbour, errors, sessions")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on stderr")
	return cmd
}

func (c *commissionCall) commission(ctx context.Context, of string) error {
	ctx, stop := c.Interruptible(ctx)
	defer stop()
	sc, known, err := c.built(of)
	if err != nil {
		return err
	}
	p, err := run.NewPlan(sc)
	if err != nil {
		return c.Located(of, sc, err)
	}
	in, err := network.Inventory(p.Scenario, p.Graph)
	if err != nil {
		return c.Located(of, sc, err)
	}
	var text []byte
	if c.f.measured != "" { // read before anything is simulated, which takes its time
		if text, err = c.foreseen(ctx, p, in, c.f.measured); err != nil {
			return err
		}
	}
	if err := c.expect(ctx, p, &known); err != nil {
		if ctx.Err() != nil {
			return &call.Exit{Code: call.Interrupted,
				Err: errors.New("interrupted before all was known; nothing is printed")}
		}
		return err
	}
	checks := commission.Checks(p, in, known)
	if c.f.template {
		return commission.WriteTemplate(c.Stdout, checks, c.f.ports)
	}
	measured := commission.Measured{}
	if c.f.measured != "" {
		if measured, err = commission.Read(c.f.measured, text, checks); err != nil {
			return c.measuredProblems(c.f.measured, text, err)
		}
	}
	verdicts, first := commission.Judge(checks, measured)
	listed := verdicts
	if !c.f.ports {
		listed = commission.Fewer(verdicts)
	}
	if c.f.json {
		err = c.PrintJSON(commission.Data(verdicts, first, listed))
	} else {
		s := c.NewSheet()
		commission.Print(s, verdicts, first, listed, c.f.measured != "")
		err = s.Flush(c.Stdout)
	}
	switch {
	case err != nil:
		return fmt.Errorf("cannot print the checks: %w", input.Cause(err))
	case first >= 0:
		return &call.Exit{Code: call.Failed}
	}
	return nil
}

// foreseen reads a file of measured values, and refuses what no simulation can make right.
func (c *commissionCall) foreseen(ctx context.Context, p *plan.Plan, in *inventory.Inventory, file string) ([]byte,
	error) {
	text, err := c.ReadFile(ctx, file)
	if err != nil {
		return nil, call.Misuse("cannot read %s: %w", file, err)
	}
	k, err := commission.Foreseen(p)
	if err != nil {
		return nil, err
	}
	if _, err := commission.Read(file, text, commission.Checks(p, in, k)); err != nil {
		return nil, c.measuredProblems(file, text, err)
	}
	return text, nil
}

// measuredProblems prints what is wrong with a file of measured values, and returns what is left to say.
func (c *commissionCall) measuredProblems(file string, text []byte, err error) error {
	var problems located.Problems
	if !errors.As(err, &problems) {
		return err
	}
	problems.Render(c.Stderr, text)
	return fmt.Errorf("%s: %s", file, call.Count(len(problems), "problem"))
}

// built reads what a cluster was built after: a run directory, with what its steps took, a folder with a
// scenario, or a scenario.
func (c *commissionCall) built(of string) (sc *scenario.Scenario, known commission.Known, err error) {
	info, err := os.Stat(of)
	if err != nil || !info.IsDir() {
		sc, err = c.ReadScenario(of)
		return sc, known, err
	}
	file := filepath.Join(of, "scenario.yaml")
	if _, err := os.Stat(file); err == nil {
		sc, err = c.ReadScenario(file)
		return sc, known, err
	}
	r, err := result.Open(of)
	if err != nil {
		return nil, known, call.Misuse("%w", err)
	}
	known.Median, known.P99 = r.Summary.StepMedian, r.Summary.StepP99
	sc, err = whatif.Scenario(r)
	return sc, known, err
}

// expect simulates an incast, and all-reduces as far as packets go.
func (c *commissionCall) expect(ctx context.Context, p *plan.Plan, k *commission.Known) error {
	incast, senders, err := commission.Incast(p)
	if err != nil {
		return err
	}
	if incast != nil {
		sum, err := c.quietly(ctx, incast, "incast")
		if err != nil {
			return err
		}
		k.Load = commission.LoadOf(sum, senders)
	}
	s, rows, err := commission.Rows(p)
	if err != nil {
		return err
	}
	packets := true
	for i := range rows {
		var figure commission.Figure
		if packets, err = c.few(s, rows[i], packets, c.f.hops); err != nil {
			return err
		}
		if packets {
			figure, err = c.byPackets(ctx, s, rows[i])
		} else {
			figure, err = commission.Closed(s, rows[i])
		}
		if err != nil {
			return err
		}
		k.Figures = append(k.Figures, figure)
	}
	return nil
}

// few reports whether a row is to be simulated: the one before it was, and it takes few packet-hops.
func (c *commissionCall) few(s *perf.Sweep, row perf.Row, before bool, hops int) (bool, error) {
	if !before || hops == 0 {
		return false, nil
	}
	sc, err := s.Scenario(row)
	if err != nil {
		return false, err
	}
	p, err := run.NewPlan(sc)
	if err != nil {
		return false, err
	}
	return foresight.EstimateOf(p, make([]dataset.Size, len(p.Jobs))).PacketHops <= int64(hops), nil
}

func (c *commissionCall) byPackets(ctx context.Context, s *perf.Sweep, row perf.Row) (commission.Figure, error) {
	sc, err := s.Scenario(row)
	if err != nil {
		return commission.Figure{}, err
	}
	sum, err := c.quietly(ctx, sc, "all-reduce of "+row.Bytes.Human())
	if err != nil {
		return commission.Figure{}, err
	}
	return commission.Simulated(s, row, sum)
}

// quietly runs a scenario of which only the summary is kept.
func (c *commissionCall) quietly(ctx context.Context, sc *scenario.Scenario, what string) (*result.Summary, error) {
	p := c.StartNext(c.f.quiet, what)
	defer p.Stop()
	return c.engine.Run(ctx, sc, call.RunOptions{Progress: func(v result.Progress) {
		v.Phase = what + ", " + v.Phase
		p.Update(v)
	}})
}
