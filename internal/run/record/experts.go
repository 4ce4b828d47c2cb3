package record

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"railyard/internal/job/exec"
	"railyard/internal/job/train"
	"railyard/internal/job/workload"
	"railyard/internal/out/noun"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
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
	dropped []int64
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
			u.tokens, u.dropped, u.share = append(u.tokens, 0), append(u.dropped, 0), append(u.share, 0)
		}
		if expert == 0 {
			u.times++
		}
		u.tokens[expert] += int64(to.Came)
		u.dropped[expert] += int64(to.Dropped)
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
		sum := sumOf(u.tokens)
		all, dropped = all+sum, dropped+sumOf(u.dropped)
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

func sumOf(all []int64) (sum int64) {
	for _, n := range all {
		sum += n
	}
	return sum
}

// overflowing is experts that drop much of what a router chose them for, by name the one that drops most. That costs no time, nor
// would a step be shorter without: what is lost is what the experts would have made of it.
func (of *routed) overflowing(p *plan.Job) []noun.Finding {
	if of == nil {
		return nil
	}
	chosen, dropped, most, f := int64(0), int64(0), int64(0), noun.Finding{Noun: noun.DroppedTokens}
	for _, name := range slices.Sorted(maps.Keys(of.layers)) {
		u := of.layers[name]
		chosen, dropped = chosen+sumOf(u.tokens), dropped+sumOf(u.dropped)
		for e, n := range u.dropped {
			if n <= most {
				continue
			}
			most = n
			f.By = fmt.Sprintf("most at expert %d of %s", e, name)
			f.Place = noun.Place{Kind: noun.Job}
			if rank := holder(p.Work, e, len(u.dropped)); rank >= 0 {
				f.Place, f.By = noun.Place{Kind: noun.Rank, Rank: &rank}, fmt.Sprintf("%s, rank %d", f.By, rank)
			}
		}
	}
	if float64(dropped) < notable*float64(chosen) || dropped == 0 {
		return nil
	}
	f.Evidence = []noun.Fact{{What: "part of all choices dropped", Value: float64(dropped) / float64(chosen)},
		{What: "capacity, times an even share", Value: p.Spec.Train.GPT.Experts.Capacity}}
	return []noun.Finding{f}
}

// holder is the first rank that has an expert of so many, -1: all have all.
func holder(of *workload.Job, expert, count int) int32 {
	for g := range of.Groups {
		if group := &of.Groups[g]; group.Kind == workload.GroupKindExpert {
			return group.Ranks[expert*len(group.Ranks)/count]
		}
	}
	return -1
}
