package plan

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/nccl"
	"railyard/internal/job/workload"
	"railyard/internal/plan/scenario"
)

// PlaceOf is where the ranks of a group are, those that others stand for among them.
func (j *Job) PlaceOf(g *workload.Group) coll.Placement {
	if len(g.All) > 0 {
		return j.Whole.Group(g.All)
	}
	return j.Placement.Group(g.Ranks)
}

// closed reports whether the collectives of a group are a closed form.
func (p *Plan) closed(j *Job, g *workload.Group) bool {
	if g.Kind == workload.GroupKindExpert {
		return false // NCCL's model has no all-to-all
	}
	return p.ByFormula() || p.inside(j, j.PlaceOf(g))
}

// inside reports whether collectives of ranks of a job at these places are closed forms, since all are on one host.
func (p *Plan) inside(j *Job, at coll.Placement) bool {
	return p.Scenario.InsideByFormula(j.Spec) && HostsOf(at) == 1
}

// closedSchedule says who owns what of a collective that is a closed form: as of a ring.
func closedSchedule(ranks int, op coll.Collective) (coll.Schedule, error) {
	if op == coll.SendReceive {
		return coll.DirectSend([][]int32{{0, 1}}, 1)
	}
	at := coll.Placement{Rails: 1}
	for r := range ranks {
		at.Ranks = append(at.Ranks, coll.Place{GPU: int32(r)})
	}
	return algorithmOf(scenario.AlgorithmRing, op).Over(at, 1, 1)
}

// close gives collectives of groups that are closed forms their times: NCCL's model with the scenario's constants, for the
// algorithm and protocol that it takes. A collective's launch is that of its operation.
func (p *Plan) close(j *Job, work *workload.Job, of map[int32]bool) error {
	type kind struct {
		group nccl.Group
		op    coll.Collective
		bytes unit.Bytes
	}
	known, params := map[kind]unit.Duration{}, NCCLParams(p.Scenario)
	groups := map[int32]nccl.Group{}
	for i := range work.Collectives {
		c := &work.Collectives[i]
		if !of[c.Group] {
			continue
		}
		g, there := groups[c.Group]
		if !there {
			g = p.ncclGroup(j, &work.Groups[c.Group])
			groups[c.Group] = g
		}
		goal, ok := coll.GoalOf(c.Schedule)
		if !ok {
			return fmt.Errorf("collective %q has no closed form", c.Name)
		}
		k := kind{g, goal.Collective, c.Bytes()}
		d, there := known[k]
		if !there {
			choice, err := params.Choose(k.op, max(k.bytes, 1), g, nccl.Only{Algorithms: RowAlgorithms})
			if err != nil {
				return j.wrong("collective", err)
			}
			if d, err = closedTime(p.Scenario, g, choice); err != nil {
				return j.wrong("collective", err)
			}
			known[k] = d
		}
		c.Formula, c.Takes, c.Between = true, d, g.Nodes > 1
	}
	return nil
}

// closedTime is what a closed form takes behind its launch, as NCCL chose for a group.
func closedTime(sc *scenario.Scenario, g nccl.Group, choice nccl.Choice) (unit.Duration, error) {
	by, err := NCCLParams(sc).Predict(choice.Collective, max(choice.Bytes, 1), g, choice.Algorithm, choice.Protocol)
	return max(by.Time()-sc.Cluster.Host.Launch, 0), err
}

// closed says what a row of job.collectives takes behind its launch where it is a closed form, and has the row say what NCCL
// takes: all ranks are on one host, and NCCL's model has the algorithm, and parts that are alike.
func (row *Row) closed(p *Plan, j *Job, c *scenario.CollectiveRow) (takes unit.Duration, closed bool, err error) {
	if _, has := NCCLAlgorithm(row.Op, row.Algorithm); !has || j.Ranks() == 1 || !p.inside(j, j.Placement) || c.Skew > 1 ||
		p.blocks(row) != nil {
		return 0, false, nil
	}
	choice, err := NCCLChoice(p.Scenario, j.Spec, p.ncclHost, row.Op, row.Bytes, row.Algorithm, row.Protocol, c.Channels.Or(0))
	if err != nil {
		return 0, false, err
	}
	g := NCCLGroup(p.Scenario, j.Spec, p.ncclHost)
	g.Channels = c.Channels.Or(0)
	row.Protocol, row.Channels = ProtocolOf(choice.Protocol), choice.Channels
	takes, err = closedTime(p.Scenario, g, choice)
	return takes, true, err
}

// ncclGroup is a group of a job as NCCL's model sees it, with the NICs of its own ranks.
func (p *Plan) ncclGroup(j *Job, group *workload.Group) nccl.Group {
	at := j.PlaceOf(group)
	g := groupOf(p.Scenario, at, p.ncclHost)
	rails := map[int32]bool{}
	for _, r := range at.Ranks {
		if r.Host == at.Ranks[0].Host {
			rails[r.Rail] = true
		}
	}
	g.NICs = min(g.NICs, len(rails)*p.Scenario.Cluster.NIC.PerRail())
	return g
}

// Closed says how a collective that is a closed form ends, and where: see host.Closed.
func (j *Job) Closed(c int32) (ranks int, takes unit.Duration, sender, host int32) {
	of := &j.Work.Collectives[c]
	members := j.Work.Groups[of.Group].Ranks
	sender = -1
	if of.OneWay() {
		sender = members[0]
	}
	return len(members), of.Takes, sender, j.Placement.Ranks[members[0]].Host
}

// HasClosed reports whether a collective of the job is a closed form.
func (j *Job) HasClosed() bool {
	if j.Work == nil {
		return false
	}
	for i := range j.Work.Collectives {
		if j.Work.Collectives[i].Formula {
			return true
		}
	}
	return false
}
