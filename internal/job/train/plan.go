package train

import (
	"fmt"
	"math"
)

// plan says which examples each step and rank takes.
type plan struct {
	order    *order
	global   int   // examples per step
	perEpoch int64 // steps
	first    int64 // of the training that the job takes: those before it are done
	steps    int64 // of the job
}

func newPlan(cfg *Config) (plan, error) {
	if err := check(cfg); err != nil {
		return plan{}, err
	}
	p := plan{order: &order{seed: cfg.Seed, examples: cfg.Train.Len()}, global: cfg.Replicas * cfg.Batch}
	p.perEpoch = int64(p.order.examples / p.global)
	p.steps = p.perEpoch * int64(cfg.Epochs)
	if cfg.Steps > 0 {
		p.steps = min(p.steps, cfg.Steps)
	}
	if s := &cfg.Optimiser.Schedule; s.Total == 0 {
		s.Total = p.steps
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
	switch n, of := cfg.Train.Len(), cfg.Train; {
	case of.Width() != cfg.Model.Inputs():
		return fmt.Errorf("train: examples of %d inputs, the model takes %d", of.Width(), cfg.Model.Inputs())
	case of.Targets() != cfg.Model.Targets():
		return fmt.Errorf("train: examples of %d labels, the model has outputs for %d", of.Targets(), cfg.Model.Targets())
	case of.Classes() > cfg.Model.Classes():
		return fmt.Errorf("train: labels go up to %d, the model's %d outputs want 0 to %d", of.Classes()-1,
			cfg.Model.Classes(), cfg.Model.Classes()-1)
	case cfg.Replicas < 1 || cfg.Batch < 1 || cfg.Epochs < 1 || cfg.Steps < 0:
		return fmt.Errorf("train: %d replicas, batch %d, %d epochs, at most %d steps: want at least 1, 1, 1 and 0 (no "+
			"limit)", cfg.Replicas, cfg.Batch, cfg.Epochs, cfg.Steps)
	case n < cfg.Batch || n/cfg.Batch < cfg.Replicas:
		return fmt.Errorf("train: batch %d on %d replicas wants %d examples per step, there are %d", cfg.Batch, cfg.Replicas,
			cfg.Batch*cfg.Replicas, n)
	case n > math.MaxInt32:
		return fmt.Errorf("train: %d examples, want at most %d", n, math.MaxInt32)
	}
	return nil
}

// rows returns the examples from the first-th of a step's global batch.
func (p *plan) rows(step int64, first, n int) []int {
	step += p.first
	at := int(step%p.perEpoch)*p.global + first
	return p.order.epoch(step / p.perEpoch)[at : at+n]
}

func (p *plan) leftOut() int { return p.order.examples - int(p.perEpoch)*p.global }
