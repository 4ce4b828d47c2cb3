package foresight

import (
	"fmt"
	"slices"

	"railyard/internal/engine/reuse"
	"railyard/internal/job/workload"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Reuse is how little of a run is simulated if each of its steps does what the one before did: see package reuse.
type Reuse struct {
	Steps      int64   `json:"steps"` // that are simulated at least
	PacketHops int64   `json:"packet_hops"`
	Seconds    float64 `json:"wall_seconds"` // that these take, as Estimate.Seconds
}

// NeverReused says why nothing of a run of so many steps is ever reused, "" where it may be. What is told of each packet or each
// instant is for the run to say.
func NeverReused(p *plan.Plan, steps int64) string {
	sc := p.Scenario
	switch {
	case len(p.Jobs) != 1:
		return "several jobs share the network"
	case p.Jobs[0].Spec.Train != nil:
		return reuse.Real
	case p.Jobs[0].Work == nil:
		return reuse.Flows
	case slices.ContainsFunc(p.Pairs, func(q plan.Pair) bool { return q.Sends() }):
		return "background flows share the network"
	case p.ByFormula():
		return "no packets are simulated"
	case sc.Fabric.AsScheduled():
		return reuse.InOrder
	case p.Jobs[0].Spec.Collective.Admission.Slots.Set:
		return reuse.Slots
	case slices.ContainsFunc(sc.Faults, func(f scenario.Fault) bool { return f.Random() && !f.For.Set }):
		return reuse.Chance
	case steps < 4:
		return "the job takes fewer than 4 steps"
	case p.Jobs[0].Spec.Survival.Saves() || p.Jobs[0].Spec.Survival.Restart.Set:
		return "the job lives through aborts"
	case sc.Transport.Setup:
		return "connections are made (transport.setup)"
	case sc.Congestion.Algorithm != scenario.ByDCQCN && sc.Congestion.Algorithm != scenario.Uncontrolled:
		return fmt.Sprintf("nothing is known of what %s remembers from step to step (congestion.algorithm)", sc.Congestion.Algorithm)
	case sc.Congestion.CNPInterval > reuse.LongAgo:
		return fmt.Sprintf("congestion.cnp_interval is over %v", reuse.LongAgo)
	}
	return ""
}

// Periods says of a job that may be reused that its periods are so many steps, or a multiple, and how many steps before the last
// one know that it comes.
func Periods(j *plan.Job) (every, spare int64) {
	every = max(1, PathsEvery(j))
	for i := range j.Work.Programs {
		if slices.ContainsFunc(j.Work.Programs[i].Ops, func(op workload.Op) bool { return op.Kind == workload.Copy }) {
			spare = 1
		}
	}
	return every, spare
}

// reused is what is simulated at least of a run of so many steps and packet-hops, nil where nothing can be reused: two periods, of
// which the second is recorded, what is left behind the last one that is told, and the last step.
func reused(p *plan.Plan, steps, hops int64) *Reuse {
	out := &p.Scenario.Output
	if p.Scenario.Run.Reuse != scenario.ReuseAuto || NeverReused(p, steps) != "" || out.Events || out.Series || out.Telemetry.Set ||
		p.Scenario.Capture.On() {
		return nil
	}
	every, spare := Periods(&p.Jobs[0])
	told := (steps - 1 - spare - 2*every) / every * every
	if told <= 0 {
		return nil
	}
	least := steps - told
	return &Reuse{Steps: least, PacketHops: mul(hops/steps, least)} // Estimate.On adds how long that takes
}
