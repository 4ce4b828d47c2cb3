package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"railyard/internal/base/input"
	"railyard/internal/cli/cli/call"
	"railyard/internal/learn/nn"
	"railyard/internal/out/result"
	"railyard/internal/study/predict"
)

// predictFlags are those of the command. What goes with images alone is refused of text, and the other way
// round.
type predictFlags struct {
	asJSON, invert bool
	tokens         int
	nn.Sampling
}

// predictCall is a call of railyard predict.
type predictCall struct {
	*app
	f predictFlags
}

func predictCommand(a *app) *cobra.Command {
	c := &predictCall{app: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "predict DIR IMAGE|PROMPT...",
		Short: "Classify images, or continue a text, with the weights of a run",
		Long: `Uses the newest weights of the run directory DIR, or of a file of weights, computed by
the kernel that trained them.

Of a network of images it prints how probable each class of an IMAGE is: a PNG, PGM or
PPM file of eight bits, grey where those were that were trained on, or an image of an IDX
file by its number from 0. It must have as many rows and columns as those that were
trained on, light on dark as MNIST's; nothing is scaled.

Of a network of text it continues each PROMPT by --tokens tokens, each drawn from what the
network gives all of its vocabulary after the tokens that its window holds. The same seed
draws the same text, on every machine. Padding and the unknown token are never drawn.`,
		Example: "  railyard predict runs/digits-8gpu-1 data/digits/t10k-images-idx3-ubyte:17\n" +
			"  railyard predict runs/digits-8gpu-1 seven.png --invert\n" +
			"  railyard predict runs/grammar-gpt-1 \"the dog that\" --temperature 0.7 --top-k 5",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return call.Misuse("predict: %s, want DIR and at least one IMAGE or PROMPT: %s", call.Count(len(args),
					"argument"),
					cmd.UseLine())
			}
			return f.check()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, to string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return call.CompleteRuns(cmd, args, to)
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.predict(cmd, args[0], args[1:])
		},
	}
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&f.invert, "invert", false, "the images are dark on light")
	cmd.Flags().IntVar(&f.tokens, "tokens", 32, "how many tokens follow a prompt")
	cmd.Flags().Float64Var(&f.Temperature, "temperature", 1, "above 1: more even draws; below: likelier tokens; 0: the likeliest")
	cmd.Flags().IntVar(&f.Top, "top-k", 0, "draw among so many of the likeliest tokens; 0: among all")
	cmd.Flags().Uint64Var(&f.Seed, "seed", 1, "of the draws")
	return cmd
}

// textFlags go with a network of text.
var textFlags = []string{"tokens", "temperature", "top-k", "seed"}

// check reports flags out of bounds.
func (f *predictFlags) check() error {
	const most = 100_000
	switch {
	case f.tokens < 1 || f.tokens > most:
		return call.Misuse("predict: --tokens %d, want 1 to %d", f.tokens, most)
	case !(f.Temperature >= 0 && f.Temperature <= 100):
		return call.Misuse("predict: --temperature %v, want 0 to 100", f.Temperature)
	case f.Top < 0:
		return call.Misuse("predict: --top-k %d, want at least 0", f.Top)
	}
	return nil
}

func (a *predictCall) predict(cmd *cobra.Command, dir string, args []string) error {
	ctx := cmd.Context()
	from, err := findWeights(dir)
	if err != nil {
		return err
	}
	w, err := from.read(ctx)
	if err != nil {
		return err
	}
	n, err := predict.NetworkOf(w, from.files[0])
	if err != nil {
		return err
	}
	if w.Text != nil {
		if cmd.Flags().Changed("invert") {
			return call.Misuse("predict: --invert, but %s is of a network of text: want it for images alone",
				from.files[0])
		}
		return a.continueTexts(ctx, n, args)
	}
	for _, name := range textFlags {
		if cmd.Flags().Changed(name) {
			return call.Misuse("predict: --%s, but %s is of a network of images: want it for text alone", name,
				from.files[0])
		}
	}
	return a.classify(ctx, n, args)
}

func (a *predictCall) classify(ctx context.Context, w *predict.Network, images []string) error {
	all := w.Predictions()
	for _, name := range images {
		im, err := w.Picture(ctx, name, a.f.invert)
		if err != nil {
			return call.Misuse("image %w", err)
		}
		if err := all.Add(name, im); err != nil {
			return err
		}
	}
	var err error
	if a.f.asJSON {
		err = result.EncodeJSON(a.Stdout, all)
	} else {
		_, err = a.Stdout.Write([]byte(all.Text()))
	}
	if err != nil {
		return fmt.Errorf("cannot print the classes: %w", input.Cause(err))
	}
	return nil
}
