package foresight

import (
	"fmt"

	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// untrusted warns of links between switches that frames cross without the tag which switches look at.
func untrusted(p *plan.Plan) []scenario.Finding {
	if p.Scenario.Fabric.QoS.Trust != "pcp" {
		return nil
	}
	routed := 0
	for id := range p.Graph.Ports {
		if at := topo.PortID(id); p.Graph.Ports[at].NIC < 0 && at < p.Graph.Peer(at) {
			routed++
		}
	}
	if routed == 0 {
		return nil
	}
	return []scenario.Finding{{
		Severity: scenario.Warning,
		Path:     "fabric.qos.trust",
		Message: fmt.Sprintf("pcp: %d of %d links are routed and carry no VLAN tag: the switch behind one takes RoCE data "+
			"and CNPs for other traffic, without PFC and ECN", routed, len(p.Graph.Links)),
		Hint: "fabric.qos.trust: dscp",
	}}
}
