package train

import (
	"fmt"
)

// State is what a training goes on from: the whole model in one rank's order, whatever the ranks
// hold of it.
type State struct {
	Step      int64       // steps that are done, since the first of the training
	EpochLoss float64     // sum of the losses of the epoch to which the last of them belongs, in their order
	Params    []float32   // as nn.Model lays them out
	Optimiser [][]float32 // the optimiser's state, each of the same layout: nn.Optimiser.State
}

// checkStart reports a state that the job cannot go on from.
func checkStart(cfg *Config, steps int64) error {
	s := cfg.Start
	if s == nil {
		return nil
	}
	params, vectors := cfg.Model.Params(), len(cfg.Optimiser.State())
	for _, v := range s.Optimiser {
		if len(v) != params {
			return fmt.Errorf("train: a state with a vector of %d elements for %d parameters", len(v), params)
		}
	}
	switch {
	case len(s.Params) != params || len(s.Optimiser) != vectors:
		return fmt.Errorf("train: a state of %d parameters and %d vectors beside them, want %d and %d", len(s.Params),
			len(s.Optimiser), params, vectors)
	case s.Step < 0 || s.Step >= steps:
		return fmt.Errorf("train: a state after %d steps, the job has %d: want fewer", s.Step, steps)
	}
	return nil
}

// params are those that every replica begins with.
func (cfg *Config) params() []float32 {
	if cfg.Start != nil {
		return cfg.Start.Params
	}
	return cfg.Model.Init(cfg.Seed)
}

// state is the optimiser's with which a replica begins, its own.
func (cfg *Config) state() [][]float32 {
	all := make([][]float32, len(cfg.Optimiser.State()))
	for i := range all {
		all[i] = make([]float32, cfg.Model.Params())
		if cfg.Start != nil {
			copy(all[i], cfg.Start.Optimiser[i])
		}
	}
	return all
}

// Keep makes s the state after a step, the newest that all ranks have ended. It is called before
// the last of them goes on: then none has begun to update the parameters again, for that takes
// gradients of all. Called for step after step with the same s it makes no memory.
func (j *Job) Keep(s *State, step int64) {
	next := s.Params != nil && s.Step == j.plan.first+step
	s.Step = j.plan.first + step + 1
	if next && (s.Step-1)%j.plan.perEpoch != 0 {
		s.EpochLoss += j.Loss(step)
	} else {
		s.EpochLoss, _ = j.epochLoss(step)
	}
	s.Params = j.gather(s.Params, 0, parameters)
	vectors := len(j.cfg.Optimiser.State())
	if s.Optimiser == nil && vectors > 0 {
		s.Optimiser = make([][]float32, vectors)
	}
	for i := range s.Optimiser {
		s.Optimiser[i] = j.gather(s.Optimiser[i], 0, stateOf(i))
	}
}

// epochLoss sums the losses of the epoch to which step last belongs, up to and including it, those
// of the steps before the job's first too. n is how many they are.
func (j *Job) epochLoss(last int64) (sum float64, n int64) {
	begin := (j.plan.first+last)/j.plan.perEpoch*j.plan.perEpoch - j.plan.first
	n = last + 1 - begin
	if begin < 0 {
		sum, begin = j.cfg.Start.EpochLoss, 0
	}
	for s := begin; s <= last; s++ {
		sum += j.Loss(s)
	}
	return sum, n
}
