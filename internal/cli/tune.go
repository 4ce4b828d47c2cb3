package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/input"
	"railyard/internal/netconf"
	"railyard/internal/netconf/dialects"
	"railyard/internal/result"
	"railyard/internal/scenario"
	"railyard/internal/sweep"
	"railyard/internal/trial"
	"railyard/internal/tune"
	"railyard/internal/unit"
)

// tuneFlags is the flags of `railyard tune`.
type tuneFlags struct {
	out, dialect, seeds, verify, bytes, prefer string
	patterns                                   []string
	points, hosts, workers                     int
	json, force, quiet                         bool
}

func (a *app) tuneCommand() *cobra.Command {
	var f tuneFlags
	cmd := &cobra.Command{
		Use:   "tune FILE [flags]",
		Short: "Find thresholds for a network: by formula, then by simulation",
		Long: `Takes the network of the scenario FILE and finds thresholds of RoCE data for it: WRED min, max and
probability, xOFF, xON and headroom. Formulas give the first point; a bounded search around it plays
every point on the scenario's own fabric: an incast, a ring, an all-to-all, or with --patterns own
the scenario's jobs. Where all hosts would take too long a stated part of them sends.

It prints each point with its queueing delay, the time that ports were paused and its throughput, which
of them are on the frontier, and why the others are not. A point that drops a packet is out. The choice
is played again with other seeds, beside the scenario's own thresholds.

With -o DIR it writes scenario.yaml with the thresholds set, tune.json, tune.html, plots, and with
--dialect the configuration of each switch. Ctrl-C keeps what there is; the same command with the
same DIR goes on. Exit code 1 if every point drops.`,
		Example: "  railyard tune examples/incast.yaml\n" +
			"  railyard tune my.yaml --verify 1..100 -o tuned --dialect sonic",
		Args:              oneFile,
		ValidArgsFunction: completeScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt, err := f.options(cmd.Flags().Changed("workers"))
			if err != nil {
				return err
			}
			return a.tune(cmd.Context(), args[0], f, opt)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "output", "o", "", "directory to write to: new, empty, or of an earlier tuning")
	fl.StringVar(&f.dialect, "dialect", "", "also write configurations for this platform: "+strings.Join(dialects.Names(), ", "))
	fl.StringSliceVar(&f.patterns, "patterns", []string{"incast", "ring", "all-to-all"},
		"traffic to play: "+strings.Join(trial.Names(), ", "))
	fl.StringVar(&f.seeds, "seeds", "1..3", "seeds with which every point is played")
	fl.StringVar(&f.verify, "verify", "101..110", "seeds with which the choice is played again, none: not at all")
	fl.StringVar(&f.prefer, "prefer", string(tune.PreferAll), "what counts where a choice is made: all (nothing gets worse than "+
		"it is), throughput, delay, pauses")
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
		Prefer: tune.Prefer(f.prefer), Hosts: f.hosts, Force: f.force}
	if opt.Seeds, err = sweep.ParseSeeds(f.seeds); err != nil {
		return opt, misuse("tune: --seeds %w", err)
	}
	if f.verify != "none" {
		if opt.Verify, err = sweep.ParseSeeds(f.verify); err != nil {
			return opt, misuse("tune: --verify %w", err)
		}
	}
	if opt.Bytes, err = unit.ParseBytes(f.bytes); err != nil {
		return opt, misuse("tune: --bytes %w", err)
	}
	switch {
	case opt.Bytes < 4*unit.Kilobyte || opt.Bytes > mostTuneBytes:
		return opt, misuse("tune: --bytes %s: want %s to %s", f.bytes, 4*unit.Kilobyte, mostTuneBytes)
	case f.points < 2 || f.points > mostPoints:
		return opt, misuse("tune: --points %d: want 2 to %d", f.points, mostPoints)
	case f.hosts < 0 || f.hosts == 1:
		return opt, misuse("tune: --hosts %d: want 2 or more", f.hosts)
	case cores && f.workers < 1:
		return opt, misuse("tune: --workers %d: want 1 or more", f.workers)
	case f.dialect != "" && f.out == "":
		return opt, misuse("tune: --dialect without -o: want a directory to write configurations to")
	case !slices.Contains(tune.Preferences(), opt.Prefer):
		return opt, misuse("tune: --prefer %q: want all, throughput, delay or pauses", f.prefer)
	case len(f.patterns) == 0:
		return opt, misuse("tune: --patterns: want some of %s", strings.Join(trial.Names(), ", "))
	}
	for i, name := range f.patterns {
		if !slices.Contains(trial.Names(), name) {
			return opt, misuse("tune: --patterns %q: unknown%s", name, didYouMean(name, trial.Names(),
				"want some of "+strings.Join(trial.Names(), ", ")))
		}
		if slices.Contains(f.patterns[:i], name) {
			return opt, misuse("tune: --patterns: %s twice, want each once", name)
		}
	}
	return opt, nil
}

// tune is `railyard tune`.
func (a *app) tune(ctx context.Context, file string, f tuneFlags, opt trial.Options) error {
	var dialect netconf.Dialect
	var err error
	if f.dialect != "" {
		if dialect, err = dialectOf("tune", f.dialect); err != nil {
			return err
		}
	}
	sc, err := a.readScenario(file)
	if err != nil {
		return err
	}
	fresh := false
	if f.out != "" {
		if fresh, err = tuneFolder(f.out); err != nil {
			return err
		}
		if opt.Dir, err = sweep.OpenRows(filepath.Join(f.out, runsFolder)); err != nil {
			return err
		}
	}
	ctx, stop := a.interruptible(ctx)
	defer stop()
	p := a.startProgress(f.quiet, "reading "+file)
	defer p.stop()
	opt.Progress = p.sweep
	found, err := trial.Run(ctx, sc, opt)
	p.stop()
	interrupted := ctx.Err() != nil
	if found == nil {
		if fresh && !interrupted {
			os.RemoveAll(f.out) //nolint:errcheck // it was made for this, and holds nothing
		}
		if interrupted {
			return &exitError{exitInterrupted, errors.New("tune: interrupted before the first point was played")}
		}
		return a.tuneProblems(file, sc, err)
	}
	if f.out != "" {
		if err := a.writeTuned(f.out, found, dialect); err != nil {
			return err
		}
	}
	if f.json {
		err = a.printJSON(found)
	} else {
		err = a.tuneText(found, f.out)
	}
	switch {
	case err != nil:
		return fmt.Errorf("tune: cannot print what was found: %w", input.Cause(err))
	case interrupted:
		return &exitError{exitInterrupted, errors.New("tune: interrupted; the choice is among the points that were played")}
	case found.Chosen == 0:
		return fmt.Errorf("%s: every point drops packets or fails: no thresholds were chosen", file)
	}
	return nil
}

// tuneProblems prints an error that has a place in the scenario, and says of any other which scenario it is of.
func (a *app) tuneProblems(file string, sc *scenario.Scenario, err error) error {
	if !a.renderField(a.stderr, file, sc, err) {
		return fmt.Errorf("%s: %w", file, err)
	}
	where, n := placeOf(file, err)
	return fmt.Errorf("%s: %s", where, count(n, "problem"))
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

// tuneFolder takes a directory for a tuning, and says whether it is new.
func tuneFolder(dir string) (fresh bool, err error) {
	entries, err := os.ReadDir(dir)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, misuse("tune: -o %s: %w", dir, input.Cause(err))
	case len(entries) > 0:
		if _, err := os.Stat(filepath.Join(dir, tuneFile)); err != nil {
			return false, misuse("tune: -o %s: holds %s and no %s, want a new or an empty folder, or one of an earlier tuning",
				dir, entries[0].Name(), tuneFile)
		}
		return false, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return false, misuse("tune: -o %s: %w", dir, input.Cause(err))
	}
	b, err := json.Marshal(struct {
		State result.State `json:"state"`
	}{result.Running})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, tuneFile), append(b, '\n'), 0o666)
	}
	return true, err
}

// writeTuned writes the files of a tuning. Configurations are rendered before the first is written.
func (a *app) writeTuned(dir string, found *trial.Found, dialect netconf.Dialect) error {
	var configs *rendered
	if dialect != nil && found.Chosen > 0 {
		devices, err := found.Plan().Devices()
		if err != nil {
			return err
		}
		if configs, err = renderDevices(devices, dialect); err != nil {
			return fmt.Errorf("tune: --dialect: %w", err)
		}
	}
	if err := result.WriteJSON(filepath.Join(dir, tuneFile), found); err != nil {
		return fmt.Errorf("tune: %w", err)
	}
	page := found.Page()
	if err := page.WriteFile(filepath.Join(dir, pageFile)); err != nil {
		return fmt.Errorf("tune: %w", err)
	}
	if _, err := page.WriteSVGs(filepath.Join(dir, plotFolder)); err != nil {
		return fmt.Errorf("tune: %w", err)
	}
	if found.Chosen > 0 {
		if err := os.WriteFile(filepath.Join(dir, tunedFile), found.Scenario(), 0o666); err != nil {
			return fmt.Errorf("tune: %w", err)
		}
	}
	if configs == nil {
		return nil
	}
	return configs.write(a, filepath.Join(dir, configDir))
}
