package plan

import "railyard/internal/topo"

// sprays reports whether switches choose a link packet by packet, and so all links alike in the long run.
func (p *Plan) sprays() bool {
	f := &p.Scenario.Fabric
	return f.Balance == "spray" || (f.Balance == "dlb" || f.Balance == "glb") && f.DLB.Mode == "packet"
}

// eachPort visits the ports that the packets of a queue pair pass, each with its part of an amount: all of
// it along the path; where packets are sprayed, an equal part for each link of a choice.
func (p *Plan) eachPort(q *Pair, amount int64, visit func(port topo.PortID, part int64)) {
	if !p.sprays() || q.Flow != nil && q.Flow.Path != nil {
		for _, port := range q.Path {
			visit(port, amount)
		}
		return
	}
	visit(q.Path[0], amount)
	g := p.Graph
	to := g.Hosts[g.NICs[q.To].Host].Node
	var from func(at topo.NodeID, amount int64)
	from = func(at topo.NodeID, amount int64) {
		if at == to {
			return
		}
		hops := p.Routes.NextHops(at, q.To)
		part := amount / int64(len(hops))
		for _, port := range hops {
			visit(port, part)
			from(g.Ports[port].To, part)
		}
	}
	from(g.Edge(q.From), amount)
}
