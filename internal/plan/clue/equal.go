package clue

import (
	"cmp"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Equal returns the egress ports among which the way of a queue pair was chosen when it came to one of them: those of
// all shortest ways between its NICs that are as far from its sender, in ascending order. nil: its ways do not lead
// over the port, by the routes from the start.
//
// Where spines are chosen by leaves, the ports from the spines to the receiver's leaf were chosen with them.
func Equal(p *plan.Plan, q *plan.Pair, port topo.PortID) []topo.PortID {
	g := p.Graph
	if len(q.Path) == 0 {
		return nil
	}
	home := g.Hosts[g.NICs[q.To].Host].Node
	nodes := []topo.NodeID{g.Ports[q.Path[0]].To}
	for range len(g.Nodes) { // as many switches as there can be one after the other
		var hops []topo.PortID
		for _, at := range nodes {
			hops = append(hops, p.Routes.NextHops(at, q.To)...)
		}
		slices.Sort(hops)
		if hops = slices.Compact(hops); len(hops) == 0 {
			return nil
		}
		if _, ours := slices.BinarySearch(hops, port); ours {
			return hops
		}
		nodes = nodes[:0]
		for _, id := range hops {
			if to := g.Ports[id].To; to != home {
				nodes = append(nodes, to)
			}
		}
		slices.Sort(nodes)
		nodes = slices.Compact(nodes)
	}
	return nil
}

// Choosers lists the switches at which a queue pair's path was chosen among several next hops, up to a port of it.
func Choosers(p *plan.Plan, q *plan.Pair, port topo.PortID) (all []topo.NodeID) {
	for _, id := range q.Path[1:] {
		at := p.Graph.Ports[id].Node
		if len(p.Routes.NextHops(at, q.To)) > 1 {
			all = append(all, at)
		}
		if id == port {
			break
		}
	}
	return all
}

// HashAlike reports whether two switches have the same hash of each of some queue pairs.
func HashAlike(p *plan.Plan, pairs []*plan.Pair, a, b topo.NodeID) bool {
	by := p.Hash()
	return !slices.ContainsFunc(pairs, func(q *plan.Pair) bool { return by.Hash(q.Key, int(a)) != by.Hash(q.Key, int(b)) })
}

// Cut is how long the link of a port was down by a time. Where several entries have it down at once it is down once.
func Cut(p *plan.Plan, port topo.PortID, by unit.Time) (sum unit.Duration) {
	if p.Faults.Fabric == nil {
		return 0
	}
	var downs []fabric.Down
	for _, d := range p.Faults.Fabric.Downs {
		if d.Link == p.Graph.Ports[port].Link {
			downs = append(downs, d)
		}
	}
	slices.SortFunc(downs, func(a, b fabric.Down) int { return cmp.Compare(a.From, b.From) })
	counted := unit.Time(0)
	for _, d := range downs {
		if from, until := max(d.From, counted), min(d.Until, by); until > from {
			sum, counted = sum+until.Sub(from), until
		}
	}
	return sum
}

// Odd says in what a port of a switch is set otherwise than its like: itself by a fault, or its switch than most of its
// tier.
type Odd struct {
	XOFF, Marking, NoECN, Class, PFC, MTU, Leak bool
}

// OddAt returns what is odd about a port, or about what comes in at its switch.
func OddAt(p *plan.Plan, port topo.PortID) (o Odd) {
	node := p.Graph.Ports[port].Node
	o.MTU = oddMTU(p, port)
	if p.Graph.Nodes[node].Kind == topo.HostKind {
		return o
	}
	if f := p.Faults.Fabric; f != nil {
		for i := range f.Settings {
			s := &f.Settings[i]
			if p.Graph.Ports[s.Port].Node != node {
				continue
			}
			o.XOFF = o.XOFF || s.XOFF > 0
			o.PFC = o.PFC || s.NoPFC
			o.Class = o.Class || s.ClassOf != nil
			if s.Port == port {
				o.NoECN = o.NoECN || s.NoECN
				o.Marking = o.Marking || s.ECN != nil
			}
		}
		o.Leak = slices.ContainsFunc(f.Leaks, func(l fabric.Leak) bool { return l.Switch == node })
	}
	return oddSwitch(p, node, o)
}

// oddMTU reports whether either end of a port's link takes shorter frames than its like: what the port sends is lost then.
func oddMTU(p *plan.Plan, port topo.PortID) bool {
	f := p.Faults.Fabric
	return f != nil && slices.ContainsFunc(f.Settings, func(s fabric.Setting) bool {
		return s.MTU > 0 && p.Graph.Ports[s.Port].Link == p.Graph.Ports[port].Link
	})
}

// oddSwitch adds in what a switch differs from most of its tier, or of all where its tier is itself alone.
func oddSwitch(p *plan.Plan, node topo.NodeID, o Odd) Odd {
	if !p.Switches.Differs(node) {
		return o
	}
	own := &p.Switches.FabricAt(node).QoS
	o.XOFF = o.XOFF || fewHave(p, node, func(x *scenario.QoS) bool {
		return x.PFC.Threshold == own.PFC.Threshold && x.PFC.Alpha == own.PFC.Alpha
	})
	o.NoECN = o.NoECN || !own.ECN.Enabled && fewHave(p, node, func(x *scenario.QoS) bool { return !x.ECN.Enabled })
	o.Marking = o.Marking || own.ECN.Enabled && fewHave(p, node, func(x *scenario.QoS) bool { return x.ECN == own.ECN })
	o.Class = o.Class || fewHave(p, node, func(x *scenario.QoS) bool {
		return x.DSCP == own.DSCP && x.DataPriority == own.DataPriority
	})
	o.PFC = o.PFC || fewHave(p, node, func(x *scenario.QoS) bool { return x.PFC.Enabled == own.PFC.Enabled })
	return o
}

// fewHave reports whether less than half of the other switches are as said.
func fewHave(p *plan.Plan, node topo.NodeID, as func(*scenario.QoS) bool) bool {
	others, so := 0, 0
	for id := range p.Graph.Nodes {
		if p.Graph.Nodes[id].Kind == topo.HostKind || topo.NodeID(id) == node {
			continue
		}
		if others++; as(&p.Switches.FabricAt(topo.NodeID(id)).QoS) {
			so++
		}
	}
	return 2*so < others
}
