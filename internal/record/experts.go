package record

import (
	"maps"
	"math"
	"slices"

	"railyard/internal/exec"
	"railyard/internal/result"
	"railyard/internal/train"
	"railyard/internal/workload"
)

// routed is how a job's mixtures of experts were used in an epoch. Ranks may be a step apart: what a rank says of the
// epoch before is too late to count.
type routed struct {
	epoch  int64
	layers map[string]*use
}

// use is that of one layer, by expert: sums over ranks and steps.
type use struct {
	tokens  []int64
	dropped int64
	share   []float64
	balance float64
	times   int64 // steps of ranks
}

// routes takes where the positions of a rank went in a step.
func (j *Job) routes(s *exec.StepRecord) {
	if j.experts == nil || s.Step == workload.StartStep {
		return
	}
	of := j.experts
	if e := s.Step / j.train.EpochSteps(); e > of.epoch {
		of.epoch, of.layers = e, map[string]*use{}
	} else if e < of.epoch {
		of = &routed{layers: map[string]*use{}}
	}
	row := result.ExpertRow{Job: j.name(), Step: j.life.step(s.Step), Rank: s.Rank}
	j.train.TakeRoutes(s.Rank, s.Step, func(layer string, expert int, to train.Routed) {
		u := of.layers[layer]
		if u == nil {
			u = &use{}
			of.layers[layer] = u
		}
		if expert == len(u.tokens) {
			u.tokens, u.share = append(u.tokens, 0), append(u.share, 0)
		}
		if expert == 0 {
			u.times++
		}
		u.tokens[expert] += int64(to.Came)
		u.dropped += int64(to.Dropped)
		u.share[expert] += to.Share
		u.balance += to.Balance
		if t := j.r.tables.experts; t != nil {
			row.Layer, row.Expert, row.Tokens, row.Dropped = layer, int32(expert), int64(to.Came), int64(to.Dropped)
			row.Share, row.Balance = to.Share, to.Balance
			t.Add(row)
		}
	})
}

// finishExperts says how the experts were used.
func (j *Job) finishExperts(s *result.JobFigures) {
	if j.experts == nil || len(j.experts.layers) == 0 {
		return
	}
	f := &result.ExpertFigures{}
	all, dropped, balance := int64(0), int64(0), 0.0
	for _, name := range slices.Sorted(maps.Keys(j.experts.layers)) {
		u := j.experts.layers[name]
		sum := int64(0)
		for _, n := range u.tokens {
			sum += n
		}
		all, dropped = all+sum, dropped+u.dropped
		balance += u.balance / float64(u.times)
		mean := float64(sum) / float64(len(u.tokens))
		if load := float64(slices.Max(u.tokens)) / mean; load > f.Load {
			f.Layer, f.Load, f.Least = name, load, float64(slices.Min(u.tokens))/mean
			f.Entropy = result.Float(evenness(u.share))
		}
	}
	f.Dropped, f.Balance = float64(dropped)/float64(all), result.Float(balance)
	s.Experts = f
}

// evenness is the entropy of what shares are, over the most that it can be.
func evenness(share []float64) float64 {
	sum, h := 0.0, 0.0
	for _, v := range share {
		sum += v
	}
	for _, v := range share {
		if p := v / sum; p > 0 {
			h -= float64(p * math.Log(p))
		}
	}
	return h / math.Log(float64(len(share)))
}
