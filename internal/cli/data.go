package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"railyard/internal/result"
	"railyard/internal/scenario"
	"railyard/internal/unit"
)

func (a *app) dataCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Make data sets",
		Args:  subcommandOnly,
		RunE:  needSubcommand,
	}
	cmd.AddCommand(a.digitsCommand())
	return cmd
}

func (a *app) digitsCommand() *cobra.Command {
	var o scenario.Digits
	var quiet bool
	cmd := &cobra.Command{
		Use:   "digits [flags]",
		Short: "Draw handwritten-looking digits into IDX files, the format of MNIST",
		Long: `Draws images of 28x28 pixels of handwritten-looking digits and writes them as the four IDX files
that MNIST comes in. The same numbers and seed give the same bytes on every machine.
A folder that holds them already is left alone; one made with other numbers is an error.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Train < 1 || o.Test < 1 {
				return misuse("data digits: --train %d --test %d: want at least 1 image each", o.Train, o.Test)
			}
			return a.makeDigits(cmd.Context(), o, quiet)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "dir", "data/digits", "folder to write")
	f.IntVar(&o.Train, "train", 60000, "training images")
	f.IntVar(&o.Test, "test", 10000, "test images")
	f.IntVar(&o.Side, "side", 28, "pixels on a side, 28 to 64; what is more than 28 is black")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of every random choice")
	f.BoolVarP(&quiet, "quiet", "q", false, "no progress on stderr")
	return cmd
}

func (a *app) makeDigits(ctx context.Context, o scenario.Digits, quiet bool) error {
	ctx, stop := a.interruptible(ctx)
	defer stop()
	p := a.startProgress(quiet, "making data")
	made, err := a.engine.digits(ctx, o, func(done, total int64) {
		p.update(result.Progress{Phase: "making data", Done: done, Total: total})
	})
	p.stop()
	if err != nil {
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return &exitError{exitInterrupted, errors.New("data digits: interrupted, nothing was kept")}
		}
		return err
	}
	verb := "made"
	if !made {
		verb = "there already"
	}
	_, err = fmt.Fprintf(a.stdout, "%s: %s training and %s test images, seed %d, %s\n", o.Dir,
		unit.Count(int64(o.Train)), unit.Count(int64(o.Test)), o.Seed, verb)
	return err
}
