package train

import (
	"fmt"
	"math"

	"railyard/internal/nn"
	"railyard/internal/workload"
)

// plan says which images each step and rank takes.
type plan struct {
	order    *order
	global   int   // images per step
	perEpoch int64 // steps
	first    int64 // of the training that the job takes: those before it are done
	steps    int64 // of the job
}

func newPlan(cfg *Config) (plan, error) {
	if err := check(cfg); err != nil {
		return plan{}, err
	}
	p := plan{order: &order{seed: cfg.Seed, images: cfg.Train.Images()}, global: cfg.Replicas * cfg.Batch}
	p.perEpoch = int64(p.order.images / p.global)
	p.steps = p.perEpoch * int64(cfg.Epochs)
	if cfg.Steps > 0 {
		p.steps = min(p.steps, cfg.Steps)
	}
	if err := checkStart(cfg, p.steps); err != nil {
		return plan{}, err
	}
	if cfg.Start != nil {
		p.first = cfg.Start.Step
		p.steps -= p.first
	}
	return p, nil
}

func check(cfg *Config) error {
	switch images, in := cfg.Train.Images(), cfg.Model.Inputs(); {
	case len(cfg.Train.Pixels) != images*in:
		return fmt.Errorf("train: %d labels with %d bytes of pixels, the model's %d inputs want %d", images,
			len(cfg.Train.Pixels), in, images*in)
	case cfg.Replicas < 1 || cfg.Batch < 1 || cfg.Epochs < 1 || cfg.Steps < 0:
		return fmt.Errorf("train: %d replicas, batch %d, %d epochs, at most %d steps: want at least 1, 1, 1 and 0 (no "+
			"limit)", cfg.Replicas, cfg.Batch, cfg.Epochs, cfg.Steps)
	case images < cfg.Batch || images/cfg.Batch < cfg.Replicas:
		return fmt.Errorf("train: batch %d on %d replicas wants %d images per step, there are %d", cfg.Batch, cfg.Replicas,
			cfg.Batch*cfg.Replicas, images)
	case images > math.MaxInt32:
		return fmt.Errorf("train: %d images, want at most %d", images, math.MaxInt32)
	}
	for i, l := range cfg.Train.Labels {
		if int(l) >= cfg.Model.Outputs() {
			return fmt.Errorf("train: image %d has label %d, the model's %d outputs want 0 to %d", i, l,
				cfg.Model.Outputs(), cfg.Model.Outputs()-1)
		}
	}
	return nil
}

// rows returns the images from the first-th of a step's global batch.
func (p *plan) rows(step int64, first, n int) []int {
	step += p.first
	at := int(step%p.perEpoch)*p.global + first
	return p.order.epoch(step / p.perEpoch)[at : at+n]
}

func (p *plan) leftOut() int { return p.order.images - int(p.perEpoch)*p.global }

// Layers returns the model's layers as workload counts them. The last has no
// activation of its own: its softmax belongs to the loss.
func Layers(m *nn.Model) []workload.Layer {
	sizes := m.Sizes()
	layers := make([]workload.Layer, m.Layers())
	for l := range layers {
		layers[l] = workload.Dense{In: sizes[l], Out: sizes[l+1], Activated: l < len(layers)-1}.Layer()
	}
	return layers
}
