package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"railyard/internal/base/input"
	"railyard/internal/cli/cli/call"
	"railyard/internal/out/headline"
	"railyard/internal/out/report"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/study/sweep"
)

// runFlags is the flags of `railyard run`.
type runFlags struct {
	out     string
	json    bool
	force   bool
	quiet   bool
	local   bool
	stream  bool
	seed    uint64
	hasSeed bool
	kernel  string
	resume  string
	workers int // -1: as many as there are
	set     []string
	unset   []string
	seeds   string
	single  []sweep.Axis // of set: those with one value
}

// runCall is a call of railyard run.
type runCall struct {
	*app
	f runFlags
}

func runCommand(a *app) *cobra.Command {
	c := &runCall{app: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "run FILE [flags]",
		Short: "Run a scenario",
		Long: `Runs the scenario in FILE, prints a summary and leaves a run directory: run.json and
tables in Parquet. Ctrl-C ends the run at the next safe point and keeps what it has;
a second Ctrl-C ends it at once. A run in which nothing is left to happen although the
job is not done is unfinished: it names what never finished, and exits with 1.
FILE may be -, standard input.

--set KEY=VALUE runs it with another value, as if the file had it: fabric.spines=4,
job.flows[0].bytes=1MB, faults=[{link: rail1/host1, drop: 0.01}]. Several values
(fabric.spines=2,4), several --set and --seeds 1..100 make many runs: every value with
every other and every seed, on all cores, as many at once as memory holds. They print
the median, 5th and 95th percentile of the step time or of completion times, with a
plot; their directory holds sweep.json with a row for each run. Values that cannot run stand
there with the reason, and the others run. A comma within [], {}
or quotes belongs to a value: --set 'job.train.layers=[784,10],[784,32,10]'. After
Ctrl-C the same command with --out DIR runs what is missing.

A training leaves its weights in weights.safetensors. --resume DIR goes on from the newest
weights of a run directory, with the scenario of that run or with FILE, into a new
directory: losses, weights and accuracy are bit for bit those of a run that never stopped.
Virtual times are not: they begin at 0, with an idle network. DIR may also be a file of
weights, with FILE.`,
		Example: "  railyard run examples/digits-8gpu.yaml\n  railyard run my.yaml --seed 2 --out runs/try --json\n" +
			"  railyard run my.yaml --seeds 1..100 --set congestion.algorithm=dcqcn,none\n" +
			"  railyard run --resume runs/digits-8gpu-1 --set job.train.epochs=6",
		Args: func(cmd *cobra.Command, args []string) error {
			if f.resume != "" && len(args) == 0 {
				return nil
			}
			return call.OneFile(cmd, args)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: c.begin,
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "out", "o", "", "run directory, new or empty (default runs/NAME-N, the first N that is free)")
	fl.BoolVar(&f.json, "json", false, "print the summary as one JSON object")
	fl.BoolVar(&f.force, "force", false, "run although the estimate is over 8 GB, what the machine has free, or 10^10 "+
		"packet-hops")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on stderr")
	fl.BoolVar(&f.local, "local", false, localUsage)
	fl.BoolVar(&f.stream, "stream", false, "for programs: say on stdout how far the run is, as lines of JSON, take on stdin who "+
		"looks on, and end it, as Ctrl-C does, when stdin ends")
	fl.Uint64Var(&f.seed, "seed", 0, "seed, instead of the scenario's")
	fl.StringArrayVar(&f.set, "set", nil,
		"KEY=VALUE: a value instead of the scenario's; KEY=VALUE,VALUE: a run with each; may be repeated")
	fl.StringArrayVar(&f.unset, "unset", nil,
		"KEY: leave out what the scenario says there, after all of --set: faults[0]; may be repeated")
	fl.StringVar(&f.seeds, "seeds", "", "many runs, one with each seed: 1..100 or 1,2,7")
	fl.StringVar(&f.resume, "resume", "", "go on from the newest weights of this run directory, or from this file")
	fl.IntVar(&f.workers, "workers", -1, "cores that a run takes, which change no result (default all)")
	fl.Lookup("workers").DefValue = "0"
	fl.StringVar(&f.kernel, "kernel", "", "tensor kernel, instead of the scenario's: "+call.KernelNames())
	call.CompletesSet(cmd)
	return cmd
}

// begin refuses flags that do not go with each other, and does one run or many.
func (c *runCall) begin(cmd *cobra.Command, args []string) error {
	c.f.hasSeed = cmd.Flags().Changed("seed")
	if cmd.Flags().Changed("workers") && c.f.workers < 1 {
		return call.Misuse("run: --workers %d: want 1 or more", c.f.workers)
	}
	many, err := c.f.sweep()
	if err != nil {
		return err
	}
	if c.f.local && many != nil {
		return call.Misuse("run: --local: it looks at one run, want no --seeds and no --set with several values")
	}
	if c.f.stream {
		if err := c.f.streamed(strings.Join(args, ""), many != nil); err != nil {
			return call.Misuse("run: --stream: %w", err)
		}
	}
	if cmd.Flags().Changed("resume") {
		return c.runResumed(cmd.Context(), args, many != nil)
	}
	if many != nil {
		return c.runSweep(cmd.Context(), args[0], c.f, many)
	}
	return c.runFile(cmd.Context(), args[0], nil)
}

// localUsage is what --local does, of every command that has it.
const localUsage = "refuse a scenario that names files outside the folder in which railyard runs"

// runFile is `railyard run`: read, run, finish the directory, print.
func (c *runCall) runFile(ctx context.Context, file string, from *resumed) error {
	ctx, stop := c.Interruptible(ctx)
	defer stop()
	var told *stream
	if c.f.stream {
		ctx, told = c.startStream(ctx)
		defer told.Stop()
	}
	p := c.StartProgress(c.f.quiet || c.f.stream, "reading "+cmp.Or(file, c.f.resume))
	defer p.Stop()
	weights, err := from.read(ctx)
	if err != nil {
		return err
	}
	var sc *scenario.Scenario
	if file != "" {
		sc, err = c.load(ctx, p, file, c.f)
	} else {
		file = from.run.InputPath(result.ScenarioInput)
		sc, err = c.loadAgain(p, from.run)
	}
	if err != nil {
		return err
	}
	dir, err := createDir(c.f.out, sc.Name)
	if err != nil {
		return err
	}
	opt := call.RunOptions{Dir: dir, Force: c.f.force, Progress: p.Update, Resume: weights, Workers: c.f.workers}
	if told != nil {
		opt.Progress, opt.Observe = told.Update, told.observe
	}
	sum, err := c.engine.Run(ctx, sc, opt)
	p.Stop()
	if sum == nil && err != nil {
		err = c.Located(file, sc, err)
	}
	return c.finish(ctx, dir, sum, err, c.f.json)
}

// load reads the scenario and applies the flags that replace its values. Problems
// of the scenario are printed here, with the lines they are in.
func (a *app) load(ctx context.Context, p *call.Progress, file string, f runFlags) (*scenario.Scenario, error) {
	src, err := a.ReadFile(ctx, file)
	if ctx.Err() != nil {
		return nil, &call.Exit{Code: call.Interrupted,
			Err: errors.New("interrupted before the run began; nothing was kept")}
	}
	if err != nil {
		return nil, call.Misuse("cannot read scenario %s: %w", file, err)
	}
	sc, err := call.Parse(file, src)
	if err != nil {
		p.Stop()
		return nil, a.Problems(file, src, err)
	}
	return a.changed(p, file, src, sc, f)
}

// changed applies the flags that replace values of a scenario.
func (a *app) changed(p *call.Progress, file string, src []byte, sc *scenario.Scenario,
	f runFlags) (*scenario.Scenario, error) {
	changes, err := f.changes(sc)
	if err != nil {
		return nil, err
	}
	if len(changes) > 0 {
		if sc, err = sc.With(changes...); err != nil {
			p.Stop()
			return nil, a.Problems(file, src, err)
		}
	}
	if f.local {
		if outside := sc.Outside(); len(outside) > 0 {
			p.Stop()
			return nil, a.Problems(file, src, outside)
		}
	}
	return sc, nil
}

// changes returns what the flags change in the scenario.
func (f *runFlags) changes(sc *scenario.Scenario) (changes []scenario.Change, err error) {
	if f.hasSeed {
		changes = append(changes, scenario.Change{Path: "seed", Text: strconv.FormatUint(f.seed, 10)})
	}
	if f.kernel != "" {
		if !slices.ContainsFunc(scenario.Kernels, func(k scenario.Choice) bool { return k.Name == f.kernel }) {
			return nil, call.Misuse("run: --kernel %q: want one of: %s", f.kernel, call.KernelNames())
		}
		for i := range sc.Jobs {
			if j := &sc.Jobs[i]; j.Train != nil {
				changes = append(changes, scenario.Change{Path: j.Path() + ".train.kernel", Text: f.kernel})
			}
		}
	}
	for _, v := range f.single {
		changes = append(changes, scenario.Change{Path: v.Path, Text: v.Values[0]})
	}
	for _, path := range f.unset {
		changes = append(changes, scenario.Change{Path: path, Remove: true})
	}
	return changes, nil
}

func createDir(out, name string) (*result.Dir, error) {
	if out == "" {
		var err error
		if out, err = result.NextDir("runs", name); err != nil {
			return nil, err
		}
	}
	return result.Create(out)
}

// finish ends the run directory and prints the summary.
func (a *app) finish(ctx context.Context, dir *result.Dir, sum *result.Summary, err error, asJSON bool) error {
	interrupted := ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled))
	if sum == nil {
		return a.finishWithout(dir, interrupted, err)
	}
	switch {
	case err != nil && sum.State == result.Unfinished:
	case err != nil && !interrupted:
		sum.State, sum.Error = result.Failed, err.Error()
	case interrupted && sum.State != result.Complete: // the signal may have come after the last step
		sum.State = result.Interrupted
	case sum.State == "" || sum.State == result.Running:
		sum.State = result.Complete
	}
	if sum.WallSeconds == 0 {
		sum.WallSeconds = time.Since(a.Start).Seconds()
	}
	sum.Dir = dir.Path()
	written := dir.Finish(sum)
	if e := a.print(sum, asJSON); e != nil {
		return fmt.Errorf("cannot print the summary: %w; the run is %s, and all of it is in %s", input.Cause(e),
			sum.State, sum.Dir)
	}
	switch {
	case written != nil:
		return written
	case sum.State == result.Interrupted:
		return &call.Exit{Code: call.Interrupted, Err: fmt.Errorf("interrupted; what was done is in %s", sum.Dir)}
	case sum.State == result.Unfinished:
		return fmt.Errorf("%w; what was done is in %s", err, sum.Dir)
	case sum.State == result.Failed:
		if err == nil {
			err = errors.New(sum.Error)
		}
		return fmt.Errorf("run failed: %w; what was done is in %s", err, sum.Dir)
	}
	return nil
}

// finishWithout ends a run that has no summary.
func (a *app) finishWithout(dir *result.Dir, interrupted bool, err error) error {
	if err == nil {
		err = context.Canceled
	}
	state := result.Failed
	if interrupted {
		state, err = result.Interrupted, errors.New("interrupted")
	}
	begun := dir.Begun()
	if e := dir.Fail(state, err); e != nil {
		err = fmt.Errorf("%w; and %w", err, e)
	}
	switch {
	case begun:
		err = fmt.Errorf("%w; what was done is in %s", err, dir.Path())
	case interrupted:
		err = fmt.Errorf("%w before the run began; nothing was kept", err)
	}
	if interrupted {
		return &call.Exit{Code: call.Interrupted, Err: err}
	}
	return err
}

func (a *app) print(sum *result.Summary, asJSON bool) error {
	if !asJSON {
		return report.WriteText(a.Stdout, report.OfSummary(sum), a.PageWidth())
	}
	return a.PrintJSON(runJSON{sum, headline.Of(sum)})
}

// A runJSON is what a run prints as data: run.json, where the directory lies, and the headline
// figures by name, as report and compare have them.
type runJSON struct {
	*result.Summary
	Figures []headline.Figure `json:"figures"`
}
