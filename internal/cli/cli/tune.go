package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/base/input"
	"railyard/internal/base/output"
	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/cli/devicecmd"
	"railyard/internal/cli/view"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/dialects"
	"railyard/internal/out/result"
	"railyard/internal/plan/configs"
	"railyard/internal/plan/scenario"
	"railyard/internal/study/sweep"
	"railyard/internal/study/trial"
	"railyard/internal/study/tune"
)

// tuneFlags is the flags of `railyard tune`.
type tuneFlags struct {
	out, dialect, seeds, verify, bytes, prefer string
	patterns                                   []string
	points, hosts, workers                     int
	json, force, quiet                         bool
}

// tuneCall is a call of railyard tune.
type tuneCall struct {
	*app
	f tuneFlags
}

func tuneCommand(a *app) *cobra.Command {
	c := &tuneCall{app: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "tune FILE [flags]",
		Short: "Find thresholds for a network: by formula, then by simulation",
		Long: `Takes the network of the scenario FILE and finds thresholds of RoCE data for it: WRED min, max and
probability, xOFF, xON and headroom. Formulas give the first point; a bounded search around it plays
every point on the scenario's own fabric: with the scenario's own traffic, an incast, a ring and an
all-to-all. Unless --patterns names own, a training is played for 10 steps, faults are left out, and
traffic that would take more than five minutes of a core is not played, which is said. Where all hosts
would take too long a stated part of them sends in the other patterns.

It prints each point with its queueing delay, the time that ports were paused and its throughput, which
of them are on the frontier, and why the others are not: what differs less than the seeds do counts as
the same. The price list says what each point on the frontier gives and takes, against the scenario's
own thresholds. A point that drops a packet is out. The choice is played again with other seeds, beside the scenario's own thresholds.

With -o DIR it writes scenario.yaml with the thresholds set, tune.json, tune.html, plots, and with
--dialect the configuration of each switch. Ctrl-C keeps what there is; the same command with the
same DIR goes on. Exit code 1 if every point drops.`,
		Example: "  railyard tune examples/incast.yaml\n" +
			"  railyard tune my.yaml --verify 1..100 -o tuned --dialect sonic",
		Args:              call.OneFile,
		ValidArgsFunction: call.CompleteScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt, err := f.options(cmd.Flags().Changed("workers"))
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("patterns") {
				opt.Patterns = nil
			}
			return c.tune(cmd.Context(), args[0], opt)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "output", "o", "", "directory to write to: new, empty, or of an earlier tuning")
	fl.StringVar(&f.dialect, "dialect", "", "also write configurations for this platform: "+strings.Join(dialects.Names(), ", "))
	fl.StringSliceVar(&f.patterns, "patterns", trial.Default,
		"traffic to play: "+strings.Join(trial.Names(), ", "))
	fl.StringVar(&f.seeds, "seeds", "1..3", "seeds with which every point is played")
	fl.StringVar(&f.verify, "verify", "101..110", "seeds with which the choice is played again, none: not at all")
	fl.StringVar(&f.prefer, "prefer", string(tune.PreferAll), "what counts where a choice is made: all (nothing gets worse than "+
		"it is), throughput, delay, pauses, or weights: throughput=2,delay=1")
	fl.IntVar(&f.points, "points", 24, "at most so many points")
	fl.IntVar(&f.hosts, "hosts", 0, "so many hosts take part, evenly apart (default: as many as the forecast allows)")
	fl.StringVar(&f.bytes, "bytes", "1MB", "what each rank sends in a pattern")
	fl.IntVar(&f.workers, "workers", -1, "cores to use (default all)")
	fl.Lookup("workers").DefValue = "0"
	fl.BoolVar(&f.json, "json", false, "print as JSON")
	fl.BoolVar(&f.force, "force", false, "run although an estimate is over a limit")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on stderr")
	return cmd
}

// Bounds of flags.
const (
	mostPoints    = 1000
	mostTuneBytes = unit.Gigabyte
)

// options reads the flags.
func (f *tuneFlags) options(cores bool) (opt trial.Options, err error) {
	opt = trial.Options{Limits: sweep.Limits{Workers: max(0, f.workers)}, Patterns: f.patterns, Points: f.points,
		Hosts: f.hosts, Force: f.force}
	if opt.Prefer, err = tune.ParsePrefer(f.prefer); err != nil {
		return opt, call.Misuse("tune: --prefer %w", err)
	}
	if opt.Seeds, err = scenario.ParseSeeds(f.seeds); err != nil {
		return opt, call.Misuse("tune: --seeds %w", err)
	}
	if f.verify != "none" {
		if opt.Verify, err = scenario.ParseSeeds(f.verify); err != nil {
			return opt, call.Misuse("tune: --verify %w", err)
		}
	}
	if opt.Bytes, err = unit.ParseBytes(f.bytes); err != nil {
		return opt, call.Misuse("tune: --bytes %w", err)
	}
	switch {
	case opt.Bytes < 4*unit.Kilobyte || opt.Bytes > mostTuneBytes:
		return opt, call.Misuse("tune: --bytes %s: want %s to %s", f.bytes, 4*unit.Kilobyte, mostTuneBytes)
	case f.points < 2 || f.points > mostPoints:
		return opt, call.Misuse("tune: --points %d: want 2 to %d", f.points, mostPoints)
	case f.hosts < 0 || f.hosts == 1:
		return opt, call.Misuse("tune: --hosts %d: want 2 or more", f.hosts)
	case cores && f.workers < 1:
		return opt, call.Misuse("tune: --workers %d: want 1 or more", f.workers)
	case f.dialect != "" && f.out == "":
		return opt, call.Misuse("tune: --dialect without -o: want a directory to write configurations to")
	case len(f.patterns) == 0:
		return opt, call.Misuse("tune: --patterns: want some of %s", strings.Join(trial.Names(), ", "))
	}
	for i, name := range f.patterns {
		if !slices.Contains(trial.Names(), name) {
			return opt, call.Misuse("tune: --patterns %q: unknown%s", name, call.DidYouMean(name, trial.Names(),
				"want some of "+strings.Join(trial.Names(), ", ")))
		}
		if slices.Contains(f.patterns[:i], name) {
			return opt, call.Misuse("tune: --patterns: %s twice, want each once", name)
		}
	}
	return opt, nil
}

// tune is `railyard tune`.
func (c *tuneCall) tune(ctx context.Context, file string, opt trial.Options) error {
	var dialect netconf.Dialect
	var err error
	if c.f.dialect != "" {
		if dialect, err = devicecmd.DialectOf("tune", c.f.dialect); err != nil {
			return err
		}
	}
	sc, err := c.ReadScenario(file)
	if err != nil {
		return err
	}
	var folder *output.Folder
	fresh := false
	if c.f.out != "" {
		if folder, fresh, err = tuneFolder(c.f.out); err != nil {
			return err
		}
		defer folder.Close()
		if opt.Dir, err = sweep.OpenRows(folder, runsFolder); err != nil {
			return err
		}
		defer opt.Dir.Close()
	}
	ctx, stop := c.Interruptible(ctx)
	defer stop()
	p := c.StartProgress(c.f.quiet, "reading "+file)
	defer p.Stop()
	opt.Progress = call.Swept(p)
	found, err := trial.Run(ctx, sc, opt)
	p.Stop()
	interrupted := ctx.Err() != nil
	if found == nil {
		if fresh && !interrupted {
			discardTuning(folder, opt.Dir)
		}
		if interrupted {
			return &call.Exit{Code: call.Interrupted,
				Err: errors.New("tune: interrupted before the first point was played")}
		}
		return c.tuneProblems(file, sc, err)
	}
	if c.f.out != "" {
		if err := c.writeTuned(folder, found, dialect); err != nil {
			return err
		}
	}
	if c.f.json {
		err = c.PrintJSON(found)
	} else {
		err = c.tuneText(found)
	}
	switch {
	case err != nil:
		return fmt.Errorf("tune: cannot print what was found: %w", input.Cause(err))
	case interrupted:
		return &call.Exit{Code: call.Interrupted,
			Err: errors.New("tune: interrupted; the choice is among the points that were played")}
	case found.Chosen == 0:
		return fmt.Errorf("%s: every point drops packets or fails: no thresholds were chosen", file)
	}
	return nil
}

// tuneProblems prints an error that has a place in the scenario, and says of any other which scenario it is of.
func (c *tuneCall) tuneProblems(file string, sc *scenario.Scenario, err error) error {
	if !c.RenderField(c.Stderr, file, sc, err) {
		return fmt.Errorf("%s: %w", file, err)
	}
	where, n := call.PlaceOf(file, err)
	return fmt.Errorf("%s: %s", where, call.Count(n, "problem"))
}

// Files of a tuning's directory.
const (
	tuneFile   = "tune.json" // marks it
	runsFolder = "runs"
	plotFolder = "plots"
	pageFile   = "tune.html"
	configDir  = "configs"
	tunedFile  = "scenario.yaml"
)

// tuneFolder takes a directory for a tuning, which nobody else may then write into, and says whether it was empty or new.
func tuneFolder(dir string) (folder *output.Folder, fresh bool, err error) {
	if _, err = tuneVacant(dir); err != nil {
		return nil, false, err
	}
	if folder, err = call.Held("tune: -o "+dir, dir); err != nil {
		return nil, false, err
	}
	if fresh, err = tuneVacant(dir); err == nil && fresh {
		err = result.WriteJSON(folder, tuneFile, struct {
			State result.State `json:"state"`
		}{result.Running})
	}
	if err != nil {
		folder.Close()
		return nil, false, err
	}
	return folder, fresh, nil
}

// tuneVacant reports whether a folder is new or empty, and refuses one that is neither that nor a tuning's.
func tuneVacant(dir string) (fresh bool, err error) {
	first, err := call.FirstIn(dir)
	if err != nil {
		return false, call.Misuse("tune: -o %s: %w", dir, input.Cause(err))
	}
	if _, err := os.Stat(filepath.Join(dir, tuneFile)); first != "" && err != nil {
		return false, call.Misuse("tune: -o %s: holds %s and no %s, want a new or an empty folder, or one of an earlier tuning",
			dir, first, tuneFile)
	}
	return first == "", nil
}

// discardTuning removes a folder that holds nothing but what tuneFolder made. What somebody put there meanwhile stays.
func discardTuning(folder *output.Folder, rows *sweep.Dir) {
	if err := rows.Discard(); err != nil {
		return
	}
	_ = folder.Remove(tuneFile)
	folder.Close()
	output.Prune(folder.Path())
}

// writeTuned writes the files of a tuning. Configurations are rendered before the first is written.
func (c *tuneCall) writeTuned(folder *output.Folder, found *trial.Found, dialect netconf.Dialect) error {
	var devices *devicecmd.Rendered
	if dialect != nil && found.Chosen > 0 {
		all, err := configs.Devices(found.Plan())
		if err != nil {
			return err
		}
		if devices, err = devicecmd.RenderDevices(all, dialect); err != nil {
			return fmt.Errorf("tune: --dialect: %w", err)
		}
	}
	err := result.WriteJSON(folder, tuneFile, found)
	page := found.Page()
	if err == nil {
		err = folder.WriteBy(pageFile, page.Write)
	}
	if err == nil {
		err = folder.In(plotFolder, func(plots *output.Folder) error {
			_, err := page.WriteSVGs(plots)
			return err
		})
	}
	if err == nil && found.Chosen > 0 {
		err = folder.Write(tunedFile, found.Scenario())
	}
	if err != nil {
		return fmt.Errorf("tune: %w", err)
	}
	if devices == nil {
		return nil
	}
	return folder.In(configDir, func(dir *output.Folder) error { return devices.Write(c.App, dir) })
}

// tuneText prints what a tuning found.
func (c *tuneCall) tuneText(found *trial.Found) error {
	s := c.NewSheet()
	view.TuneText(s, found)
	if out := c.f.out; out != "" {
		s.Blank()
		s.Wrap("", "files: "+filepath.Join(out, tuneFile)+", "+pageFile+", "+plotFolder+", "+tunedFile)
	}
	return s.Flush(c.Stdout)
}
