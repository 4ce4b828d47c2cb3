package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"railyard/internal/base/located"
	"railyard/internal/base/sheet"
	"railyard/internal/base/shown"
	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/benchcmd"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// checkCall is a call of railyard check.
type checkCall struct {
	*app
	f checkFlags
}

func checkCommand(a *app) *cobra.Command {
	c := &checkCall{app: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "check FILE [flags]",
		Short: "Say what is wrong with a scenario and what a run would cost",
		Long: `Says what is wrong or unusual about a scenario, estimates what a run of it would cost, and
prints the thresholds at which ports mark and pause. Exit code 1 if it cannot run. FILE may be -,
standard input.

--set checks it with another value, as run has it.

--measure runs the first part of it, a tenth of its work or ten seconds, and says how long the whole
takes on this machine; nothing is written.`,
		Example: "  railyard check examples/digits-8gpu.yaml\n  railyard check my.yaml --measure",
		Args:    call.OneFile, ValidArgsFunction: call.CompleteScenario,
		RunE: func(cmd *cobra.Command, args []string) error { return c.check(cmd.Context(), args[0]) },
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.json, "json", false, "print as JSON")
	fl.StringArrayVar(&f.set, "set", nil, "KEY=VALUE: a value instead of the scenario's; may be repeated")
	fl.BoolVar(&f.measure, "measure", false, "run the first part and say how long the whole takes on this machine")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on stderr")
	fl.BoolVar(&f.local, "local", false, localUsage)
	fl.BoolVar(&f.graph, "graph", false, "with --json: the network's graph too, as show topo --json has it")
	call.CompletesSet(cmd)
	return cmd
}

// checkFlags is the flags of `railyard check`.
type checkFlags struct {
	json, measure, quiet, local, graph bool
	set                                []string
}

// mostMeasured is how long --measure runs at most after set-up.
const mostMeasured = 10 * time.Second

// firstPart runs the first part of a scenario in which nothing is wrong, where the flags ask for it.
func (c *checkCall) firstPart(ctx context.Context, sc *scenario.Scenario) (*run.Measured, error) {
	if !c.f.measure {
		return nil, nil
	}
	ctx, stop := c.Interruptible(ctx)
	defer stop()
	p := c.StartProgress(c.f.quiet, "measuring")
	defer p.Stop()
	m, err := run.Measure(ctx, sc, run.Options{Workers: -1, Progress: func(v result.Progress) {
		v.Phase = "measuring, " + v.Phase
		p.Update(v)
	}}, mostMeasured)
	if ctx.Err() != nil {
		return nil, &call.Exit{Code: call.Interrupted, Err: errors.New("interrupted while it was measured")}
	}
	return &m, err
}

func (c *checkCall) check(ctx context.Context, file string) error {
	asJSON := c.f.json
	if c.f.graph && !asJSON {
		return call.Misuse("check: --graph: prints data, want --json with it; show topo prints it as text")
	}
	changes, err := call.Settings("check", c.f.set)
	if err != nil {
		return err
	}
	src, err := c.ReadFile(context.Background(), file)
	if err != nil {
		return call.Misuse("cannot read scenario %s: %w", file, err)
	}
	sc, err := call.Parse(file, src)
	if err == nil && len(changes) > 0 {
		sc, err = sc.With(changes...)
	}
	var problems located.Problems
	var in *foresight.Inspection
	if err == nil && c.f.local {
		problems = sc.Outside()
	}
	switch {
	case len(problems) > 0 || errors.As(err, &problems):
	case err != nil:
		return err
	default:
		if in, err = run.Inspect(sc); err != nil {
			return c.checkUnplanned(file, sc, err, asJSON)
		}
		in.Estimate = benchcmd.Here(in)
		for _, f := range in.Findings {
			problems = append(problems, sc.Located(f))
		}
	}
	wrong := 0
	for _, p := range problems {
		if !p.Warning {
			wrong++
		}
	}
	var m *run.Measured
	if wrong == 0 && in != nil {
		if m, err = c.firstPart(ctx, sc); err != nil {
			return c.Located(file, sc, err)
		}
	}
	if asJSON {
		err = c.PrintJSON(checked(problems, in, m, sc, c.f.graph))
	} else {
		s := c.NewSheet()
		s.Wrap("", fmt.Sprintf("%s: %s, %s", file, call.Count(wrong, "error"), call.Count(len(problems)-wrong,
			"warning")))
		problems.RenderWidth(s, src, shown.Columns(c.Stdout))
		if in != nil {
			inspected(s, in, m)
		}
		err = s.Flush(c.Stdout)
	}
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%s: %s", file, unit.CountOf(int64(wrong), "error"))
	}
	return err
}

// checked is what was found of a scenario, as data; sc is nil where it could not be read.
func checked(problems located.Problems, in *foresight.Inspection, m *run.Measured, sc *scenario.Scenario, graph bool) view.CheckJSON {
	data := view.CheckData(problems, in)
	data.Measured = m
	if sc != nil {
		data.Name = sc.Name
	}
	if graph {
		data.DrawGraph(in)
	}
	return data
}

// inspected is the same of a scenario that can be planned, as text.
func inspected(s *sheet.Sheet, in *foresight.Inspection, m *run.Measured) {
	view.EstimateText(s, in, m)
	if made := in.Plan.Scenario.Made(); len(made) > 0 {
		s.Title("Flows of shorthands")
		for _, text := range made {
			s.Hang("  ", "    ", text)
		}
	}
	view.ThresholdText(s, &in.Plan.Scenario.Fabric, in.Thresholds)
	view.DifferingText(s, in.Plan.Scenario.Fabric.SwitchesKey(), in.Plan.Switches.Differing())
	for _, x := range in.Plan.Pinned() {
		s.Wrap("", x.Text(in.Plan))
	}
	view.ConfiguredText(s, in.Plan)
}

// checkUnplanned reports a scenario that is well formed and cannot be planned.
func (c *checkCall) checkUnplanned(file string, sc *scenario.Scenario, err error, asJSON bool) error {
	f := scenario.Finding{Severity: scenario.Error, Message: err.Error()}
	var field *plan.FieldError
	if errors.As(err, &field) {
		f.Path, f.Message = field.Path, field.Err.Error()
	}
	problems := located.Problems{sc.Located(f)}
	var inFile located.Problems
	if errors.As(err, &inFile) {
		problems = inFile
	}
	where, n := call.PlaceOf(file, err)
	wrong := fmt.Errorf("%s: %s", where, unit.CountOf(int64(n), "error"))
	s := c.NewSheet()
	s.Wrap("", fmt.Sprintf("%s, 0 warnings", wrong))
	switch {
	case asJSON:
		if e := c.PrintJSON(view.CheckData(problems, nil)); e != nil {
			return e
		}
		return wrong
	case !c.RenderField(s, file, sc, err):
		fmt.Fprintf(s, "%s: %s\n", file, err)
	}
	if e := s.Flush(c.Stdout); e != nil {
		return e
	}
	return wrong
}
