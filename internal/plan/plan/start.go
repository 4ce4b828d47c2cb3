package plan

import (
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/nccl"
	"railyard/internal/job/workload"
)

// starts are the algorithms by which parameters come to all ranks, by job.train.start. NCCL has a broadcast along rings
// alone (tuning.cc: no other algorithm for it), which from its root on is a chain.
var starts = map[string]string{"broadcast": "chain-broadcast", "tree": "tree-broadcast"}

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
	name, sends := starts[j.Spec.Train.Start]
	if !sends || j.Ranks() < 2 {
		return nil
	}
	first := len(j.Work.Collectives)
	err := j.Work.Broadcast(func(g *workload.Group, bytes unit.Bytes) (coll.Schedule, error) {
		in := p.group(j, g)
		a, channels := coll.Algorithms[name], p.groupChannels(j, in)
		pieces := a.Pipeline
		if name == "chain-broadcast" {
			pieces = NCCLParams(p.Scenario).Messages(coll.BroadcastFrom, nccl.Ring, nccl.Simple,
				groupOf(p.Scenario, in.Placement, p.ncclHost), channels, bytes).Pieces
		}
		return a.Over(in.Placement, channels, pieces)
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
