package foresight

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/survey"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Survey says in numbers what the network is good for, with the ranks of all jobs, each by its own NIC.
func SurveyOf(p *plan.Plan) *survey.Survey {
	var ranks []topo.NICID
	for i := range p.Jobs {
		for _, at := range p.Jobs[i].Placement.Ranks {
			ranks = append(ranks, p.Graph.NICOf(int(at.Host), int(at.GPU)))
		}
	}
	s := survey.Of(p.Graph, p.Routes, ranks)
	for i := range s.Ports {
		s.Ports[i].There = p.Scenario.Fabric.Switch.Ports.Or(0)
	}
	return s
}

// deadlock warns of buffers that may wait for each other in a circle, where pauses make them: in the whole network, or
// by the routes after a fault.
func deadlock(p *plan.Plan, s *survey.Survey) []scenario.Finding {
	paused := slices.ContainsFunc(p.FabricConfig().Classes, func(c fabric.Class) bool { return c.Lossless })
	if !paused {
		return nil
	}
	if len(s.Cycle) == 0 {
		return deadlockLater(p)
	}
	return []scenario.Finding{{
		Severity: scenario.Warning,
		Path:     "fabric.design",
		Message: fmt.Sprintf("%s: with PFC %d buffers may wait for each other in a circle and stand still: %s",
			p.Scenario.Fabric.Design, len(s.Cycle), s.CycleText()),
		Hint: "routes that go up and then down have no such circle; or fabric.qos.pfc.enabled: false",
	}}
}

// deadlockLater warns of the first routes after a fault that may lead to a circle.
func deadlockLater(p *plan.Plan) []scenario.Finding {
	for _, e := range p.Tables.Epochs[1:] {
		ports := survey.Circle(p.Graph, e.Routes)
		if ports == nil {
			continue
		}
		names := ""
		for _, id := range ports {
			names += p.Graph.Ports[id].Name + " > "
		}
		return []scenario.Finding{{
			Severity: scenario.Warning,
			Path:     "faults",
			Message: fmt.Sprintf("by the routes from %s on %d buffers may wait for each other in a circle and stand still: %s",
				unit.Duration(e.From).Human(), len(ports), names+p.Graph.Ports[ports[0]].Name),
			Hint: "one AS number for all spines (fabric.routing.spine_as: shared) has no paths that go down and up again; " +
				"or a watchdog (fabric.qos.pfc.watchdog)",
		}}
	}
	return nil
}
