package cli

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/dataset"
	"railyard/internal/input"
	"railyard/internal/nn"
	"railyard/internal/result"
)

func (a *app) predictCommand() *cobra.Command {
	var asJSON, invert bool
	cmd := &cobra.Command{
		Use:   "predict DIR IMAGE...",
		Short: "Classify images with the weights of a run",
		Long: `Classifies images with the newest weights of the run directory DIR, or of a file of
weights, and prints how probable each class is. An IMAGE is a PNG, PGM or PPM file of
eight bits, grey where those were that were trained on, or an image of an IDX file by its number from 0. It must have as many rows and
columns as those that were trained on, light on dark as MNIST's; nothing is scaled.`,
		Example: "  railyard predict runs/digits-8gpu-1 data/digits/t10k-images-idx3-ubyte:17\n" +
			"  railyard predict runs/digits-8gpu-1 seven.png --invert",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return misuse("predict: %s, want DIR and at least one IMAGE: %s", count(len(args), "argument"),
					cmd.UseLine())
			}
			return nil
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, to string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return completeDirs(cmd, args, to)
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.predict(cmd.Context(), args[0], args[1:], invert, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&invert, "invert", false, "the images are dark on light")
	return cmd
}

// A prediction is what is printed of an image.
type prediction struct {
	Image  string    `json:"image"`
	Class  int       `json:"class"`
	Scores []float64 `json:"scores"` // by class
}

// predictions is what `railyard predict --json` prints.
type predictions struct {
	Weights string       `json:"weights"` // the file
	Step    int64        `json:"step"`    // after which they are
	Scores  string       `json:"scores"`  // what they are: probability, or output
	Images  []prediction `json:"images"`
}

func (a *app) predict(ctx context.Context, dir string, images []string, invert, asJSON bool) error {
	from, err := findWeights(dir)
	if err != nil {
		return err
	}
	w, err := from.read(ctx)
	if err != nil {
		return err
	}
	m, err := w.Network()
	if err != nil {
		return fmt.Errorf("weights %s: %w", from.file, err)
	}
	all := predictions{Weights: filepath.ToSlash(from.file), Step: w.Step, Scores: "probability"}
	if w.Loss != nn.CrossEntropy.String() {
		all.Scores = "output"
	}
	for _, name := range images {
		im, err := dataset.ReadPicture(ctx, name, max(w.Channels, dataset.Grey))
		if err != nil {
			return misuse("image %w", err)
		}
		if im.Shape().Pixels() != w.Pixels() {
			return misuse("image %s: %s pixels, the weights were trained on %s: want that%s", name, im.Shape().Pixels(),
				w.Pixels(), map[bool]string{true: ", grey"}[w.Channels == 0])
		}
		if invert {
			for i, v := range im.Pixels {
				im.Pixels[i] = 255 - v
			}
		}
		x := make([]float32, len(im.Pixels))
		dataset.Inputs(x, im.Pixels)
		p := prediction{Image: name, Scores: m.Predict(w.Params, x, nn.Portable)}
		for c, v := range p.Scores {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("image %s: the score of class %d is %v: the weights are too large", name, c, v)
			}
			if v > p.Scores[p.Class] {
				p.Class = c
			}
		}
		all.Images = append(all.Images, p)
	}
	if asJSON {
		err = result.EncodeJSON(a.stdout, all)
	} else {
		_, err = a.stdout.Write([]byte(all.text()))
	}
	if err != nil {
		return fmt.Errorf("cannot print the classes: %w", input.Cause(err))
	}
	return nil
}

// barWidth is the length of a bar that stands for all.
const barWidth = 40

// text prints a list of bars for each image.
func (all *predictions) text() string {
	var b strings.Builder
	for _, p := range all.Images {
		fmt.Fprintf(&b, "%s: %d\n", p.Image, p.Class)
		for c, v := range p.Scores {
			if all.Scores == "output" {
				fmt.Fprintf(&b, "  %3d  %8.4f\n", c, v)
				continue
			}
			bar := strings.Repeat("#", int(barWidth*v+0.5))
			fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("  %3d  %5.1f %%  %s", c, 100*v, bar), " "))
		}
	}
	return b.String()
}
