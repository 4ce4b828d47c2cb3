package plan

import (
	"railyard/internal/coll"
	"railyard/internal/unit"
	"railyard/internal/workload"
)

// startBroadcast is the algorithm by which parameters come to all ranks.
const startBroadcast = "tree-broadcast"

// planStart gives trainings their start phases. Their queue pairs come after all others, so that
// these have the same numbers, paths and random streams with and without.
func (p *Plan) planStart() error {
	for i := range p.Jobs {
		j := &p.Jobs[i]
		t := j.Spec.Train
		if t == nil {
			continue
		}
		if t.Prefetch {
			if err := j.Work.Prefetch(batchBytes(j)); err != nil {
				return err
			}
		}
		if err := p.planBroadcast(j); err != nil {
			return err
		}
	}
	return nil
}

// labelBytes is a label in host memory: int64.
const labelBytes = 8

// batchBytes is what a replica copies for each step: float32 inputs, and labels.
func batchBytes(j *Job) (inputs, labels unit.Bytes) {
	n := unit.Bytes(j.Spec.Train.Batch)
	return n * unit.Bytes(4*j.Model.Inputs()), n * labelBytes * unit.Bytes(j.Model.Targets())
}

// planBroadcast sends the parameters of a training to all its ranks, unless they begin equal.
func (p *Plan) planBroadcast(j *Job) error {
	if j.Spec.Train.Start != "broadcast" || j.Ranks() < 2 {
		return nil
	}
	first := len(j.Work.Collectives)
	err := j.Work.Broadcast(func(g *workload.Group) (coll.Schedule, error) {
		in := p.group(j, g)
		a := coll.Algorithms[startBroadcast]
		return a.Over(in.Placement, p.groupChannels(j, in), a.Pipeline)
	})
	if err != nil {
		return err
	}
	for i := first; i < len(j.Work.Collectives); i++ {
		c := &j.Work.Collectives[i]
		if err := p.connectGroup(j, c.Group, p.group(j, &j.Work.Groups[c.Group]).rails, c.Schedule); err != nil {
			return err
		}
	}
	return nil
}
