package call

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"railyard/internal/base/unit"
	"railyard/internal/out/report"
	"railyard/internal/out/result"
)

// LoadRun reads a run directory. One that cannot be read at all is misuse.
func LoadRun(dir string, damaged bool) (*report.Data, error) {
	load := report.Load
	if damaged {
		load = report.LoadDamaged
	}
	d, err := load(dir)
	if err != nil {
		return nil, Misuse("%w", err)
	}
	return d, nil
}

// DamagedFlag is --damaged of the commands that read tables.
func DamagedFlag(fl *pflag.FlagSet, damaged *bool) {
	fl.BoolVar(damaged, "damaged", false, "read tables, too, whose checksum is not the one in run.json")
}

// RunDirs is the argument check of a command that takes from least to most run
// directories; most 0: any number.
func RunDirs(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			want := "a run directory"
			if least > 1 {
				want = fmt.Sprintf("at least %d run directories", least)
			}
			return Misuse("%s: %s, want %s: %s", Called(cmd), Count(len(args), "argument"), want,
				cmd.UseLine())
		case most > 0 && len(args) > most:
			return Misuse("%s: %d arguments, want at most %d: %s", Called(cmd), len(args), most,
				cmd.UseLine())
		}
		return nil
	}
}

// OneRun is the argument check of a command that takes one run directory.
func OneRun(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return Misuse("%s: missing DIR, the run directory to read: %s", Called(cmd), cmd.UseLine())
	case len(args) > 1:
		return Misuse("%s: %d arguments, want one DIR: %s", Called(cmd), len(args), cmd.UseLine())
	}
	return nil
}

// WindowOf reads the flags --from and --to of a command.
func WindowOf(command, from, to string) (w result.TraceWindow, err error) {
	for _, flag := range []struct {
		name, text string
		to         *unit.Time
	}{{"from", from, &w.From}, {"to", to, &w.To}} {
		if flag.text == "" {
			continue
		}
		d, err := unit.ParseDuration(flag.text)
		if err != nil {
			return w, Misuse("%s: --%s: %w", command, flag.name, err)
		}
		if d < 0 {
			return w, Misuse("%s: --%s %s: want a time from 0, the start of the run", command, flag.name,
				flag.text)
		}
		*flag.to = unit.Time(d)
	}
	if to != "" && w.To <= w.From {
		return w, Misuse("%s: --to %s: want a time after --from %s", command, to, unit.Duration(w.From))
	}
	return w, nil
}
