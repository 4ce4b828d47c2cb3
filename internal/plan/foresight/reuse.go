package foresight

import (
	"fmt"
	"slices"

	"railyard/internal/engine/reuse"
	"railyard/internal/job/workload"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Reuse is how little of a run is simulated if each of its steps does what the one before did, and so do layers and
// micro-batches that are alike: see package reuse.
type Reuse struct {
	Steps      int64   `json:"steps"`  // of which something is simulated at least
	Unlike     float64 `json:"unlike"` // of a step that is told in parts: the share that no part before it is like; 1: none is told so
	PacketHops int64   `json:"packet_hops"`
	Seconds    float64 `json:"wall_seconds"` // that these take, as Estimate.Seconds
}

// LeastSteps is how many steps a job takes at least of which some may be told again whole.
const LeastSteps = 4

// NeverReused says why nothing of a run is ever reused, "" where it may be. What is told of each packet or each
// instant is for the run to say.
func NeverReused(p *plan.Plan) string {
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

// FromOneStep reports whether all steps of a job may be told from its first, the last too: critical paths are found of all of them or
// of the first alone, and none knows that the last one comes.
func FromOneStep(j *plan.Job, steps int64) bool {
	every, spare := Periods(j)
	return (every == 1 || every >= steps) && spare == 0
}

// reused is what is simulated at least of a run of so many steps and packet-hops, nil where nothing can be reused: two periods, of
// which the second is recorded, what is left behind the last one that is told, and the last step.
func reused(p *plan.Plan, steps, hops int64) *Reuse {
	out := &p.Scenario.Output
	if p.Scenario.Run.Reuse != scenario.ReuseAuto || NeverReused(p) != "" || out.Events || out.Series || out.Telemetry.Set ||
		p.Scenario.Capture.On() {
		return nil
	}
	j := &p.Jobs[0]
	u := Reuse{Steps: steps, Unlike: 1}
	if j.Spec.Model != nil {
		u.Unlike = j.Work.Unlike()
	}
	whole := int64(0) // steps that are simulated whole
	if every, spare := Periods(j); steps >= LeastSteps {
		if told := (steps - 1 - spare - 2*every) / every * every; told > 0 {
			u.Steps, whole = steps-told, every
		}
	}
	if u.Unlike == 1 {
		whole = u.Steps
	}
	if whole == steps {
		return nil
	}
	of := float64(whole) + float64(u.Steps-whole)*u.Unlike
	if parts := float64(steps) * u.Unlike; u.Unlike < 1 && FromOneStep(j, steps) && j.Spec.Parallel.PP <= 1 { // stages seldom rest
		u.Steps, of = 1, u.Unlike
	} else if parts < of {
		u.Steps, of = steps, parts
	}
	u.PacketHops = int64(float64(hops) / float64(steps) * of)
	return &u // Estimate.On adds how long that takes
}
