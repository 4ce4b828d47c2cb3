package predict

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"railyard/internal/learn/dataset"
	"railyard/internal/learn/nn"
	"railyard/internal/run/run"
)

// A Network is what a file of weights holds.
type Network struct {
	*run.Resume
	file   string
	model  *nn.Model
	kernel nn.Kernel // that trained it
}

// NetworkOf is the network of weights.
func NetworkOf(w *run.Resume, file string) (n *Network, err error) {
	n = &Network{Resume: w, file: filepath.ToSlash(file)}
	if n.model, err = w.Network(); err == nil {
		n.kernel, err = nn.KernelNamed(w.Kernel)
	}
	if err != nil {
		return nil, fmt.Errorf("weights %s: %w", file, err)
	}
	if w.Text == nil && n.model.TakesText() {
		return nil, fmt.Errorf("weights %s: of a network of text, without a vocabulary: want one in the metadata", file)
	}
	return n, nil
}

// A Prediction is what is printed of an image.
type Prediction struct {
	Image  string    `json:"image"`
	Class  int       `json:"class"`
	Scores []float64 `json:"scores"` // by class
}

// Predictions are what is printed of images.
type Predictions struct {
	Weights string       `json:"weights"` // the file
	Step    int64        `json:"step"`    // after which they are
	Scores  string       `json:"scores"`  // what they are: probability, or output
	Images  []Prediction `json:"images"`

	of *Network
}

// Predictions are those of the network, of no image yet.
func (n *Network) Predictions() *Predictions {
	all := &Predictions{Weights: n.file, Step: n.Step, Scores: "probability", of: n}
	if n.Loss != nn.CrossEntropy.String() {
		all.Scores = "output"
	}
	return all
}

// Picture reads an image as the network takes it. Images may be dark on light.
func (n *Network) Picture(ctx context.Context, name string, invert bool) (*dataset.Images, error) {
	im, err := dataset.ReadPicture(ctx, name, max(n.Channels, dataset.Grey))
	if err != nil {
		return nil, err
	}
	if im.Shape().Pixels() != n.Pixels() {
		return nil, fmt.Errorf("%s: %s pixels, the weights were trained on %s: want that%s", name, im.Shape().Pixels(),
			n.Pixels(), map[bool]string{true: ", grey"}[n.Channels == 0])
	}
	if invert {
		for i, v := range im.Pixels {
			im.Pixels[i] = 255 - v
		}
	}
	return im, nil
}

// Add classifies an image with a name.
func (all *Predictions) Add(name string, im *dataset.Images) error {
	x := make([]float32, len(im.Pixels))
	dataset.Inputs(x, im.Pixels)
	p := Prediction{Image: name, Scores: all.of.model.Predict(all.of.Params, x, all.of.kernel)}
	for c, v := range p.Scores {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("image %s: the score of class %d is %v: the weights are too large", name, c, v)
		}
		if v > p.Scores[p.Class] {
			p.Class = c
		}
	}
	all.Images = append(all.Images, p)
	return nil
}

// barWidth is the length of a bar that stands for all.
const barWidth = 40

// Text is a list of bars for each image.
func (all *Predictions) Text() string {
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
