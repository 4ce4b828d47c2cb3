package train

import (
	"crypto/sha256"
	"fmt"

	"railyard/internal/job/workload"
)

// A job may have ranks in several processes. Each process makes memory for its own (Config.Ranks); one of them, which
// need not have any, hears of the others what they say as they end steps, and so knows losses, states and weights as if
// all ranks were its own.
//
//	process with ranks          the one that hears
//	Hold, Say  ── Said ──>  Hear ──> Loss, Keep, Gather, Gathered, Agree, Test

// Said is what a rank tells of a step that it has ended. The vectors are there only of steps that it holds.
type Said struct {
	Step   int64
	Loss   float64                      // sum over micro-batches, of a rank on the last stage; of others 0
	Held   bool                         // what follows is there
	Params []float32                    // as its buffers have them; nil: none are needed of this rank
	State  [workload.MaxState][]float32 // of the optimiser
	Digest [sha256.Size]byte            // of the parameters that passes meet, with the vectors
}

// here says which ranks are of this process.
func (cfg *Config) here() ([]bool, error) {
	all := make([]bool, cfg.Work.Ranks())
	if cfg.Ranks == nil {
		for id := range all {
			all[id] = true
		}
		return all, nil
	}
	for _, id := range cfg.Ranks {
		if id < 0 || int(id) >= len(all) || all[id] {
			return nil, fmt.Errorf("train: rank %d of this process: want each once, from 0 to %d", id, len(all)-1)
		}
		all[id] = true
	}
	return all, nil
}

// Say returns what a rank of this process tells of a step that it has ended, with the vectors that it holds of it, if it
// does. The rank's own thread calls it before its next step begins; the vectors are valid until LetGo.
func (j *Job) Say(id int32, step int64) Said {
	r := &j.ranks[id]
	s := Said{Step: step, Loss: r.losses[step]}
	for i := range r.held {
		if h := &r.held[i]; h.step == step {
			s.Held, s.Params, s.State = true, h.params, h.state
			s.Digest = r.digestOf(j.passed(r))
		}
	}
	return s
}

// passed is the parameters that passes of a rank meet. With shards of them it has none in common with others.
func (j *Job) passed(r *rank) workload.Range {
	if j.work.Layout.Zero >= workload.ZeroParameters {
		return workload.Range{}
	}
	st := &j.work.Stages[r.at.Stage]
	return workload.Range{Buffer: st.Parameters, Elems: st.Params()}
}

// digestOf is that of a range: of a rank elsewhere the one that it has told.
func (r *rank) digestOf(x workload.Range) [sha256.Size]byte {
	if r.elsewhere {
		return r.digest
	}
	return sha256.Sum256(r.stored(x))
}

// Hear takes what a rank in another process has said, or refuses what cannot be the job's. It keeps the vectors.
func (j *Job) Hear(id int32, s Said) error {
	if id < 0 || int(id) >= len(j.ranks) || !j.ranks[id].elsewhere {
		return fmt.Errorf("train: rank %d is none of another process", id)
	}
	if s.Step < 0 || s.Step >= j.plan.steps {
		return fmt.Errorf("train: rank %d tells of step %d, want 0 to %d", id, s.Step, j.plan.steps-1)
	}
	r := &j.ranks[id]
	if s.Held {
		if err := j.fitsSaid(id, r, &s); err != nil {
			return err
		}
		r.last = holding{step: s.Step, params: s.Params, state: s.State}
		r.held, r.digest, r.said = append(r.held, r.last), s.Digest, true
	}
	for int64(len(r.losses)) <= s.Step { // as they come: a job that somebody will end may have any number of steps
		r.losses = append(r.losses, 0)
	}
	r.losses[s.Step] = s.Loss
	return nil
}

// Knows reports whether the weights are those after a step: of ranks in other processes, whether each has told what it held
// then.
func (j *Job) Knows(step int64) bool {
	for id := range j.ranks {
		if r := &j.ranks[id]; r.elsewhere && (r.last.step != step || !r.said) {
			return false
		}
	}
	return true
}

// fitsSaid reports vectors that are not as long as the rank's.
func (j *Job) fitsSaid(id int32, r *rank, s *Said) error {
	st := &j.work.Stages[r.at.Stage]
	fit := func(what string, got []float32, v vector) error {
		of := &j.cfg.Work.Buffers[v.of(st)]
		want := int((of.Elems*of.ElemBytes + 3) / 4)
		if r.at.Data > 0 && j.work.Layout.Zero < v.sharded {
			want = 0
		}
		if len(got) != want {
			return fmt.Errorf("train: rank %d tells %d numbers of its %s, want %d", id, len(got), what, want)
		}
		return nil
	}
	if err := fit("parameters", s.Params, j.masters()); err != nil {
		return err
	}
	for i := range s.State {
		if i >= len(j.cfg.Optimiser.State()) {
			if s.State[i] != nil {
				return fmt.Errorf("train: rank %d tells vector %d of its state, want %d", id, i, len(j.cfg.Optimiser.State()))
			}
			continue
		}
		if err := fit("state", s.State[i], stateOf(i)); err != nil {
			return err
		}
	}
	return nil
}
