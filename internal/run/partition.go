package run

import (
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// A network is simulated in islands from these sizes on. A smaller one fits into a processor's
// cache; with a shorter lookahead the windows are too short.
const (
	islandPorts     = 1 << 10
	islandLookahead = 50 * unit.Nanosecond
	islandHosts     = 32 // hosts with NICs on several switches, in one island
)

// islands is a partition of a network's nodes.
type islands struct {
	of    []int32 // by node
	sizes []int   // ports of each island
	// lookahead is how soon one island can act on another: the length of a window. Of one island it
	// is how long the run lingers, so that a window is never longer than that.
	lookahead unit.Duration
}

// partition puts nodes into islands: n of them, or as many as pay.
func partition(g *topo.Graph, n int) islands {
	if n == 0 && len(g.Ports) >= islandPorts {
		if of, n := bySwitch(g); between(g, of) >= islandLookahead {
			return islands{of, ports(g, of, n), between(g, of)}
		}
	}
	n = max(n, 1)
	p := islands{of: roundRobin(g, n), lookahead: longest(g)}
	if d := between(g, p.of); d > 0 {
		p.lookahead = d
	}
	p.sizes = ports(g, p.of, n)
	return p
}

// aloneWindow is the window where there are no links: nothing ever leaves an island.
const aloneWindow = unit.Microsecond

// longest returns the longest delay of a link: see Net.Linger.
func longest(g *topo.Graph) unit.Duration {
	d := unit.Duration(0)
	for _, l := range g.Links {
		d = max(d, l.Delay)
	}
	if d == 0 {
		return aloneWindow
	}
	return d
}

// roundRobin is for tests of the engine's promise that no partition changes a result.
func roundRobin(g *topo.Graph, n int) []int32 {
	islandOf := make([]int32, len(g.Nodes))
	for i := range islandOf {
		islandOf[i] = int32(i % n)
	}
	return islandOf
}

// bySwitch makes an island of each switch with the hosts that are on no other switch, and of each
// islandHosts of the other hosts. What an event touches then lies close together, and few links
// lead out of an island.
func bySwitch(g *topo.Graph) (islandOf []int32, n int) {
	islandOf = make([]int32, len(g.Nodes))
	for i := range g.Nodes {
		if g.Nodes[i].Kind != topo.HostKind {
			islandOf[i] = int32(n)
			n++
		}
	}
	grouped := 0
	for i := range g.Nodes {
		if g.Nodes[i].Kind != topo.HostKind {
			continue
		}
		if sw, ok := onlySwitch(g, topo.NodeID(i)); ok {
			islandOf[i] = islandOf[sw]
			continue
		}
		if grouped%islandHosts == 0 {
			n++
		}
		islandOf[i] = int32(n - 1)
		grouped++
	}
	return islandOf, n
}

// onlySwitch returns the switch that all NICs of a host are on, if there is one.
func onlySwitch(g *topo.Graph, host topo.NodeID) (sw topo.NodeID, ok bool) {
	for i, p := range g.Nodes[host].Ports {
		if to := g.Ports[p].To; i > 0 && to != sw {
			return 0, false
		}
		sw, ok = g.Ports[p].To, true
	}
	return sw, ok
}

// ports counts the ports of each island.
func ports(g *topo.Graph, islandOf []int32, n int) []int {
	sizes := make([]int, n)
	for i := range g.Nodes {
		sizes[islandOf[i]] += len(g.Nodes[i].Ports)
	}
	return sizes
}

// between returns the shortest delay of a link between two islands: the soonest that one can act on
// another. It is 0 without such a link.
func between(g *topo.Graph, islandOf []int32) unit.Duration {
	lookahead, any := unit.Duration(unit.Never), false
	for _, l := range g.Links {
		if islandOf[l.A] != islandOf[l.B] {
			lookahead, any = min(lookahead, l.Delay), true
		}
	}
	if !any {
		return 0
	}
	return lookahead
}
