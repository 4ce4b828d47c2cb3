package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

func dataCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Make data sets",
		Args:  call.SubcommandOnly,
		RunE:  call.NeedSubcommand,
	}
	for _, d := range drawings {
		cmd.AddCommand(drawCommand(a, d))
	}
	return cmd
}

// A drawing is a kind of images that are drawn.
type drawing struct {
	name, short, long string
	of                scenario.Drawn // the defaults
	side              string         // what the flag says
}

var drawings = []drawing{
	{"digits", "Draw handwritten-looking digits into IDX files, the format of MNIST",
		`Draws images of 28x28 pixels of handwritten-looking digits and writes them as the four IDX files
that MNIST comes in. The same numbers and seed give the same bytes on every machine.
A folder that holds them already is left alone; one made with other numbers is an error.`,
		scenario.Drawn{Dir: "data/digits", Train: 60000, Test: 10000, Side: 28},
		"pixels on a side, 28 to 64; what is more than 28 is black"},
	{"shapes", "Draw shapes in colour into IDX files of three channels",
		`Draws ten kinds of shapes, each in two colours that say nothing of its kind, and writes them as four
IDX files such as MNIST comes in, of four dimensions: images, 3 channels, rows, columns. The same
numbers and seed give the same bytes on every machine. A folder that holds them already is left
alone; one made with other numbers is an error.`,
		scenario.Drawn{Dir: "data/shapes", Train: 2000, Test: 500, Side: 96}, "pixels on a side, 16 to 256"},
}

func drawCommand(a *app, d drawing) *cobra.Command {
	o, quiet := d.of, false
	cmd := &cobra.Command{
		Use:   d.name + " [flags]",
		Short: d.short,
		Long:  d.long,
		Args:  call.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Train < 1 || o.Test < 1 {
				return call.Misuse("data %s: --train %d --test %d: want at least 1 image each", d.name, o.Train, o.Test)
			}
			return a.makeImages(cmd.Context(), d.name, o, quiet)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "dir", o.Dir, "folder to write")
	f.IntVar(&o.Train, "train", o.Train, "training images")
	f.IntVar(&o.Test, "test", o.Test, "test images")
	f.IntVar(&o.Side, "side", o.Side, d.side)
	f.Uint64Var(&o.Seed, "seed", 1, "seed of every random choice")
	f.BoolVarP(&quiet, "quiet", "q", false, "no progress on stderr")
	return cmd
}

func (a *app) makeImages(ctx context.Context, kind string, o scenario.Drawn, quiet bool) error {
	ctx, stop := a.Interruptible(ctx)
	defer stop()
	p := a.StartProgress(quiet, "making data")
	made, err := a.engine.Draw(ctx, kind, o, func(done, total int64) {
		p.Update(result.Progress{Phase: "making data", Done: done, Total: total})
	})
	p.Stop()
	if err != nil {
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return &call.Exit{Code: call.Interrupted, Err: fmt.Errorf("data %s: interrupted, nothing was kept", kind)}
		}
		return err
	}
	verb := "made"
	if !made {
		verb = "there already"
	}
	_, err = fmt.Fprintf(a.Stdout, "%s: %s training and %s test images, seed %d, %s\n", o.Dir,
		unit.Count(int64(o.Train)), unit.Count(int64(o.Test)), o.Seed, verb)
	return err
}
