package foresight

import (
	"slices"

	"railyard/internal/engine/fabric"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/switches"
)

// Thresholds returns the thresholds of RoCE data, a row for each kind of port, and what is wrong
// with them. The engine runs with the same values.
func Thresholds(p *plan.Plan) ([]qos.Row, []qos.Mistake, error) {
	if p.ByFormula() {
		return nil, nil, nil // no packet is sent
	}
	policy, all := Policy(p)
	const class = int(switches.ClassData)
	reacts := p.Scenario.Congestion.Algorithm.NeedsMarks()
	rows, err := policy.Rows(all, class, reacts)
	if err != nil || len(rows) == 0 {
		return nil, nil, err
	}
	mistakes, err := policy.Mistakes(all, class, reacts)
	for i := range mistakes {
		if mistakes[i].Path == "fabric.switches" {
			mistakes[i].Path = p.Scenario.Fabric.SwitchesKey()
		}
	}
	if !p.Scenario.Fabric.QoS.ECN.PortRate.Set {
		for i := range mistakes { // the cure is to have none, and there is none
			mistakes[i].Cures = slices.DeleteFunc(mistakes[i].Cures, func(c qos.Cure) bool {
				return c.Path == "fabric.qos.ecn.port_rate"
			})
		}
	}
	return rows, mistakes, err
}

// Policy returns how switches are configured, and the switches, alike ones together.
func Policy(p *plan.Plan) (qos.Policy, []qos.Site) {
	cfg := p.FabricConfig()
	return cfg.Policy(), sites(p, &cfg)
}

// sites groups switches of the same kind, links and profile, in order of the first of each group.
func sites(p *plan.Plan, cfg *fabric.Config) []qos.Site {
	var all []qos.Site
	for id, n := range p.Graph.Nodes {
		if n.Kind == topo.HostKind {
			continue
		}
		kind, links := n.Kind.String(), fabric.Links(p.Graph, topo.NodeID(id))
		named := p.Switches.NameOf(topo.NodeID(id))
		i := slices.IndexFunc(all, func(s qos.Site) bool {
			return s.Kind == kind && s.Match == named && slices.Equal(s.Links, links)
		})
		if i < 0 {
			i = len(all)
			all = append(all, qos.Site{Kind: kind, Links: links, Match: named})
			if named != "" {
				own := cfg.PolicyOf(topo.NodeID(id))
				all[i].Own, all[i].In = &own, p.Switches.DataIn(p.Switches.FabricAt(topo.NodeID(id)))
			}
		}
		all[i].Count++
	}
	return all
}
