package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
	"railyard/internal/plan/scenario"
)

// layout translates how ranks share a training.
func layout(s *scenario.Parallel) workload.Layout {
	l := workload.Layout{DP: s.DP, TP: s.TP, PP: s.PP, EP: max(s.EP, 1), MicroBatches: s.MicroBatches, Virtual: s.VirtualStages,
		Stash: s.Stash, Sequence: s.Sequence, Order: workload.DefaultOrder, Zero: workload.Zero(s.Zero)}
	known := func(what, name string, ok bool) {
		if !ok {
			panic(fmt.Sprintf("plan: the scenario has %s %s, which workload has not", what, name))
		}
	}
	var ok bool
	l.Update, ok = workload.UpdatesNamed(s.Update)
	known("update", s.Update, ok)
	if s.PP > 1 {
		l.Schedule, ok = workload.PipelineScheduleNamed(s.Schedule)
		known("schedule", s.Schedule, ok)
	}
	if s.TP > 1 {
		l.TPStyle, ok = workload.TensorStyleNamed(s.Tensor)
		known("tensor style", s.Tensor, ok)
	}
	if s.PP*s.TP > 1 {
		l.Order, ok = workload.OrderNamed(s.Order)
		known("order", s.Order, ok)
	}
	return l
}

// precision translates in which formats a training has what it holds and sends.
func precision(j *scenario.Job) (p workload.Precision) {
	var ok bool
	if p.Wire, ok = workload.FormatNamed(j.Collective.Wire); !ok {
		panic(fmt.Sprintf("plan: the scenario has wire %s, which workload has not", j.Collective.Wire))
	}
	if j.Train.Precision == scenario.BF16 {
		p.Weights, p.Activations = workload.BFloat16, workload.BFloat16
	}
	return p
}

// misfits returns why a job cannot be laid out so, with the places of the keys that say so.
func (p *Plan) misfits(j *Job, err error) error {
	var all workload.Misfits
	if !errors.As(err, &all) {
		return err
	}
	texts := map[string][]string{}
	for _, m := range all {
		texts[m.Key] = append(texts[m.Key], m.Text)
	}
	var problems located.Problems
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		problems = append(problems, p.Scenario.Located(scenario.Finding{
			Severity: scenario.Error,
			Path:     j.Spec.Path() + ".parallel." + key,
			Message:  strings.Join(texts[key], "; "),
		}))
	}
	return problems.Sorted()
}

// group is a group of ranks as its schedules see it: its members in order, on the rails that they
// have NICs of, numbered from 0.
type group struct {
	coll.Placement
	rails []int32 // of the hosts
}

// group places a group. Ranks that are alike use all rails of the hosts; a group of a model in parts
// uses those of its ranks.
func (p *Plan) group(j *Job, g *workload.Group) group {
	in := group{Placement: j.Placement.Group(g.Ranks)}
	if !j.split() {
		for r := range in.Rails {
			in.rails = append(in.rails, int32(r))
		}
		return in
	}
	for _, at := range in.Ranks {
		for nic := range p.Scenario.Cluster.NIC.PerRail() {
			in.rails = append(in.rails, at.Rail+int32(nic))
		}
	}
	slices.Sort(in.rails)
	in.rails = slices.Compact(in.rails)
	in.Rails = len(in.rails)
	for i := range in.Ranks {
		at, _ := slices.BinarySearch(in.rails, in.Ranks[i].Rail)
		in.Ranks[i].Rail = int32(at)
	}
	return in
}

// groupChannels is how many channels a group's collectives have: in proportion to its rails.
func (p *Plan) groupChannels(j *Job, in group) int {
	c := j.Spec.Collective.Channels
	if !j.split() {
		return c
	}
	return (c*len(in.rails) + j.Placement.Rails - 1) / j.Placement.Rails
}

// travelling is a schedule of a group, with how its messages travel.
type travelling struct {
	coll.Schedule
	protocol *workload.Protocol
}

// groupSchedule makes the schedule by which a group does a collective: job.collective says how the
// replicas sum gradients; parts of a layer go in rings; a stage sends to the next with credit.
func (p *Plan) groupSchedule(j *Job, g *workload.Group, op coll.Collective) (travelling, error) {
	c, in := &j.Spec.Collective, p.group(j, g)
	algorithm, channels := scenario.AlgorithmRing, p.groupChannels(j, in)
	bytes := unit.Bytes(4 * j.params() / (j.Spec.Parallel.TP * j.Spec.Parallel.PP))
	switch g.Kind {
	case workload.GroupKindData:
		if zero := j.Spec.Parallel.Zero; zero > 0 && (c.Schedule.Set || c.Algorithm != scenario.AlgorithmRing) {
			key := "collective.algorithm"
			if c.Schedule.Set {
				key = "collective.schedule"
			}
			return travelling{}, j.wrong(key, fmt.Errorf("with %s.parallel.zero %d gradients are summed to shards and weights "+
				"gathered from them, by rings: want algorithm: ring and no schedule", j.Spec.Path(), zero))
		}
		if c.Schedule.Set {
			s, err := p.fileSchedule(j, len(g.Ranks))
			return travelling{Schedule: s}, err
		}
		if algorithm = c.Algorithm; j.split() {
			channels = EvenChannels(algorithm, channels)
		}
	case workload.GroupKindExpert:
		algorithm = Scheduled(c.AllToAll)
	case workload.GroupKindPipeline:
		if HostsOf(in.Placement) > 1 && p.Scenario.Fabric.QoS.Classes == "data" {
			return travelling{}, j.wrong("parallel.pp", fmt.Errorf("%d: stages on two hosts need credits, which go with CNPs, "+
				"but fabric.qos.classes is data: there is no class for them", j.Spec.Parallel.PP))
		}
		return p.stageSchedule(j, in, bytes)
	}
	return p.travelling(j, in.Placement, op, algorithm, channels, bytes)
}

// travelling makes the schedule of ranks at these places as job.collective says.
func (p *Plan) travelling(j *Job, at coll.Placement, op coll.Collective, algorithm scenario.Algorithm, channels int,
	bytes unit.Bytes) (travelling, error) {
	c := &j.Spec.Collective
	protocol, by := p.messages(j, at, op, algorithm, c.Protocol, channels, bytes)
	s, field, err := p.schedule(at, coll.Algorithms[ScheduleName(algorithm, op)], channels, by)
	if err != nil {
		switch {
		case field == "algorithm" && op == coll.AllToAll:
			field = "all_to_all"
		case field == "algorithm" && c.Slices.Set:
			field = "slices"
		}
		return travelling{}, j.wrong("collective."+field, err)
	}
	return travelling{s, protocol}, nil
}

// stageSchedule is the way from one stage to the next or back: a channel for each NIC of a GPU, and
// one message on its way on each, for which the receiver has room.
func (p *Plan) stageSchedule(j *Job, in group, bytes unit.Bytes) (travelling, error) {
	orders := slices.Repeat([][]int32{{0, 1}}, p.Scenario.Cluster.NIC.PerRail())
	protocol, _ := p.messages(j, in.Placement, coll.SendReceive, scenario.AlgorithmDirect, j.Spec.Collective.Protocol, len(orders), bytes)
	s, err := coll.DirectSend(orders, 1)
	if err == nil {
		s, err = s.Credited(1)
	}
	return travelling{s, protocol}, err
}

// RankWork is how long the compute of each rank's step would take were all devices alike; nil where
// ranks do the same.
func (j *Job) RankWork() []unit.Duration {
	if !j.split() {
		return nil
	}
	return j.Computes()
}

// Computes is how long the compute of each rank's step would take were all devices alike, by the plan.
func (j *Job) Computes() []unit.Duration {
	all := make([]unit.Duration, j.Ranks())
	for r := range all {
		p := j.Work.Program(int32(r))
		for i := range p.Ops {
			if p.Ops[i].Kind == workload.Compute {
				all[r] += p.Ops[i].Duration
			}
		}
		if slow := p.Device.Slow; slow.Num > 0 {
			all[r] = unit.Duration(float64(all[r]) / slow.Float())
		}
	}
	return all
}
