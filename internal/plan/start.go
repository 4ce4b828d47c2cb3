package plan

import (
	"railyard/internal/coll"
	"railyard/internal/workload"
)

// startBroadcast is the algorithm by which parameters come to all ranks.
const startBroadcast = "tree-broadcast"

// planStart gives trainings their start phases. Their queue pairs come
// after all others, so that these have the same numbers, paths and random streams either way.
func (p *Plan) planStart() error {
	for i := range p.Jobs {
		if err := p.planBroadcast(&p.Jobs[i]); err != nil {
			return err
		}
	}
	return nil
}

// planBroadcast sends the parameters of a training to all its ranks, unless they begin equal.
func (p *Plan) planBroadcast(j *Job) error {
	if t := j.Spec.Train; t == nil || t.Start != "broadcast" || j.Ranks() < 2 {
		return nil
	}
	first := len(j.Work.Collectives)
	err := j.Work.Broadcast(func(g *workload.Group) (coll.Schedule, error) {
		members := coll.Placement{Ranks: make([]coll.Place, len(g.Ranks)), Rails: j.Placement.Rails}
		for i, r := range g.Ranks {
			members.Ranks[i] = j.Placement.Ranks[r]
		}
		a := coll.Algorithms[startBroadcast]
		return a.Over(members, j.Schedule.Channels(), a.Pipeline)
	})
	if err != nil {
		return err
	}
	for i := first; i < len(j.Work.Collectives); i++ {
		c := &j.Work.Collectives[i]
		if err := p.connectSchedule(j, c.Schedule, j.Work.Groups[c.Group].Ranks); err != nil {
			return err
		}
	}
	return nil
}
