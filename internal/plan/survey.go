package plan

import (
	"fmt"
	"slices"

	"railyard/internal/fabric"
	"railyard/internal/scenario"
	"railyard/internal/survey"
	"railyard/internal/topo"
)

// Survey says in numbers what the network is good for, with the ranks of all jobs, each by its own NIC.
func (p *Plan) Survey() *survey.Survey {
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

// deadlock warns of buffers that may wait for each other in a circle, where pauses make them.
func (p *Plan) deadlock(s *survey.Survey) []scenario.Finding {
	paused := slices.ContainsFunc(p.FabricConfig().Classes, func(c fabric.Class) bool { return c.Lossless })
	if len(s.Cycle) == 0 || !paused {
		return nil
	}
	return []scenario.Finding{{
		Severity: scenario.Warning,
		Path:     "fabric.design",
		Message: fmt.Sprintf("%s: with PFC %d buffers may wait for each other in a circle and stand still: %s",
			p.Scenario.Fabric.Design, len(s.Cycle), s.CycleText()),
		Hint: "routes that go up and then down have no such circle; or fabric.qos.pfc.enabled: false",
	}}
}
