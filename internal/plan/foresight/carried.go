package foresight

import (
	"railyard/internal/net/balance"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// sprays reports whether switches that are as a fabric says choose a link packet by packet, and so take all links alike in
// the long run.
func sprays(f *scenario.Fabric) bool {
	return f.Balance == "spray" || (f.Balance == "dlb" || f.Balance == "glb") && f.DLB.Mode == "packet"
}

// spraysAnywhere reports whether any switch does, or senders do.
func spraysAnywhere(p *plan.Plan) bool {
	return sendersSpray(p) || p.Switches.AnyFabric(sprays)
}

// sendersSpray reports whether packets of a queue pair differ in what switches hash.
func sendersSpray(p *plan.Plan) bool { return p.Scenario.Transport.Entropy != "flow" }

// eachPort visits the ports that the packets of a queue pair pass, each with its part of an amount: all of
// it along the path; where packets are sprayed, an equal part for each link of a choice. That switches which hash
// alike leave links of it unused is not looked at.
func eachPort(p *plan.Plan, q *plan.Pair, amount int64, visit func(port topo.PortID, part int64)) {
	if !spraysAnywhere(p) || q.Flow != nil && q.Flow.Path != nil {
		for _, port := range q.Path {
			visit(port, amount)
		}
		return
	}
	visit(q.Path[0], amount)
	g, by := p.Graph, p.Hash()
	to := g.Hosts[g.NICs[q.To].Host].Node
	var from func(at topo.NodeID, amount int64)
	from = func(at topo.NodeID, amount int64) {
		if at == to {
			return
		}
		hops := p.Routes.NextHops(at, q.To)
		if len(hops) > 1 && !sprays(p.Switches.FabricAt(at)) && !sendersSpray(p) {
			k := p.Finder.Choice(at, q.To).Pick(&balance.Frame{Hash: by.Hash(q.Key, int(at))}, nil)
			hops = hops[k : k+1]
		}
		part := amount / int64(len(hops))
		for _, port := range hops {
			visit(port, part)
			from(g.Ports[port].To, part)
		}
	}
	from(g.Ports[q.Path[0]].To, amount)
}
