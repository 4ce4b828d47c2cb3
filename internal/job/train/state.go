package train

import (
	"fmt"

	"railyard/internal/job/workload"
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

// holding is what of a rank's vectors a state is made of, as it was after a step.
type holding struct {
	step   int64
	params []float32                    // as the rank's buffers have them
	state  [workload.MaxState][]float32 // of the optimiser
}

// Hold holds what a rank has after a step for Keep. The rank's own thread calls it as the step ends,
// before the next one begins: the bodies of the step have ended, and no other rank's memory is touched.
func (j *Job) Hold(id int32, step int64) {
	r := &j.ranks[id]
	var h holding
	if n := len(r.spare); n > 0 {
		h, r.spare = r.spare[n-1], r.spare[:n-1]
	}
	h.step = step
	h.params = j.holds(h.params, r, j.masters())
	for i := range j.cfg.Optimiser.State() {
		h.state[i] = j.holds(h.state[i], r, stateOf(i))
	}
	r.held = append(r.held, h)
}

// holds copies a vector, if a state needs it of this rank: of replicas that have it whole, or together, the first ones'.
func (j *Job) holds(to []float32, r *rank, v vector) []float32 {
	if r.at.Data >= j.work.Layout.EP && j.work.Layout.Zero < v.sharded {
		return nil
	}
	return append(to[:0], r.buffers[v.of(&j.work.Stages[r.at.Stage])]...)
}

// Keep makes s the state after a step, the newest that all ranks have ended and held, but for its vectors:
// Gather copies them from what the ranks hold. Of steps before they let go.
func (j *Job) Keep(s *State, step int64) {
	next := s.Step > j.plan.first && s.Step == j.plan.first+step
	s.Step = j.plan.first + step + 1
	if next && (s.Step-1)%j.plan.perEpoch != 0 {
		s.EpochLoss += j.Loss(step)
	} else {
		s.EpochLoss, _ = j.epochLoss(step)
	}
	j.LetGo(step - 1)
}

// Gather makes the vectors of s, which Keep has made the newest state, whole. Called again and again with the
// same s it makes no memory.
func (j *Job) Gather(s *State) {
	step := s.Step - 1 - j.plan.first
	s.Params = j.gather(s.Params, 0, j.masters(), func(id int) []float32 { return j.ranks[id].holding(step).params })
	vectors := len(j.cfg.Optimiser.State())
	if s.Optimiser == nil && vectors > 0 {
		s.Optimiser = make([][]float32, vectors)
	}
	for i := range s.Optimiser {
		held := func(id int) []float32 { return j.ranks[id].holding(step).state[i] }
		s.Optimiser[i] = j.gather(s.Optimiser[i], 0, stateOf(i), held)
	}
}

// holding is what the rank held after a step.
func (r *rank) holding(step int64) *holding {
	for i := range r.held {
		if r.held[i].step == step {
			return &r.held[i]
		}
	}
	panic("train: a state is kept that a rank has not held")
}

// LetGo lets go of what ranks have held for states up to that after a step.
func (j *Job) LetGo(step int64) {
	for id := range j.ranks {
		r := &j.ranks[id]
		kept := r.held[:0]
		for _, h := range r.held {
			if h.step > step {
				kept = append(kept, h)
			} else if !r.elsewhere {
				r.spare = append(r.spare, h)
			}
		}
		r.held = kept
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
