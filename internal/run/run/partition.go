package run

import (
	"cmp"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/sim"
	"railyard/internal/net/topo"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/images"
	"railyard/internal/plan/plan"
)

// A network is simulated in islands from these sizes on. A smaller one fits into a processor's
// cache, and its windows hold too few events for several cores; with a shorter lookahead every window does.
const (
	islandPorts     = foresight.IslandPorts // on one core
	sharedPorts     = 1 << 8                // on several
	islandLookahead = 50 * unit.Nanosecond
	islandHosts     = 32 // hosts in an island without a switch
)

// islands is a partition of a network's nodes.
type islands struct {
	of    []int32 // by node
	sizes []int   // ports of each island
	// lookahead is how soon one island can act on another: the length of a window. Of one island it
	// is how long the run lingers: no window may be longer.
	lookahead unit.Duration
	inTurn    bool // which counts on their order
}

// aloneWindow is the window where there are no links: nothing ever leaves an island.
const aloneWindow = unit.Microsecond

// partitionOf puts the nodes of a run's network into islands for so many workers: n of them, 0: as
// many as pay. No choice changes a result. Nothing is simulated of what is told of images.
func partitionOf(p *plan.Plan, fc *fabric.Config, told []images.Image, n, workers int) islands {
	if p.Scenario.Fabric.AsScheduled() { // the order of scheduling is that of one island
		n = 1
	}
	from := islandPorts
	if workers > 1 {
		from = sharedPorts
	}
	for i := range told {
		from += told[i].Size()
	}
	return partition(p.Graph, fc, n, from, workers)
}

// cut makes the engine of a run, in islands.
func (r *runner) cut(fc *fabric.Config) {
	parts := r.opt.Islands
	if r.plan.ByFormula() { // ranks on several hosts come together
		parts = 1
	}
	if !r.opt.each {
		r.alike = foresight.Images(r.plan, fc, r.opt.unlike)
	}
	r.islands = partitionOf(r.plan, fc, r.alike, parts, workers(r.opt.Workers))
	r.linger = fc.Linger(r.plan.Graph)
	r.eng = sim.New(r.islands.sizes, r.islands.lookahead)
	r.eng.SetWorkers(workers(r.opt.Workers))
	if r.islands.inTurn {
		r.eng.RunInTurn()
	}
	if r.plan.Scenario.Fabric.AsScheduled() {
		r.eng.InOrderOfPushing()
	}
}

// Islands returns into how many islands a run of a plan is cut on several cores, and how soon one
// can act on another: the length of a window. With one island that is how long the run lingers.
func Islands(p *plan.Plan) (n int, lookahead unit.Duration) {
	fc := p.FabricConfig()
	of := partitionOf(p, &fc, foresight.Images(p, &fc, nil), 0, 2)
	return len(of.sizes), of.lookahead
}

// partition puts nodes into n islands; 0: as many as pay in a network of that many ports or more.
func partition(g *topo.Graph, fc *fabric.Config, n, from, workers int) islands {
	inTurn := workers == 1
	if n == 0 && len(g.Ports) >= from {
		of, n := bySwitch(g)
		if ahead := fc.Lookahead(g, of, inTurn); n > 1 && ahead >= islandLookahead {
			if !inTurn {
				return byLoad(islands{of, ports(g, of, n), ahead, false})
			}
			of, n = hostsApart(g, fc, of, n)
			return islands{of, ports(g, of, n), fc.Lookahead(g, of, true), true}
		}
	}
	n = max(n, 1)
	p := islands{of: roundRobin(g, n), inTurn: inTurn}
	p.sizes = ports(g, p.of, n)
	if p.lookahead = fc.Lookahead(g, p.of, inTurn); p.lookahead == 0 {
		p.lookahead = aloneWindow
	}
	return p
}

// byLoad numbers islands anew, so that any row of them has about the same share of the ports: the
// largest, the smallest, the second largest, the second smallest ... The engine gives each worker a row.
func byLoad(p islands) islands {
	order := make([]int32, len(p.sizes)) // largest first
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(p.sizes[b], p.sizes[a]) })
	to, sizes := make([]int32, len(order)), make([]int, len(order))
	for i := range order {
		from := order[i/2]
		if i%2 == 1 {
			from = order[len(order)-1-i/2]
		}
		to[from], sizes[i] = int32(i), p.sizes[from]
	}
	of := make([]int32, len(p.of))
	for i, isl := range p.of {
		of[i] = to[isl]
	}
	return islands{of, sizes, p.lookahead, p.inTurn}
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

// hostsApart takes hosts out of the islands of switches, into islands of islandHosts under one switch,
// unless windows would be much shorter. On one core that keeps what NICs need, code too, out of the cache
// while switches work. They come behind the switches, whose frames are there then when their turn comes: the
// cable and the NIC's latency, the shortest way of all, do not make windows short. Several cores would have more
// to hand over.
func hostsApart(g *topo.Graph, fc *fabric.Config, of []int32, n int) (apart []int32, m int) {
	apart, m = slices.Clone(of), n
	type group struct{ island, hosts int32 }
	under := make([]group, n)
	for i := range g.Nodes {
		if _, ok := onlySwitch(g, topo.NodeID(i)); !ok || g.Nodes[i].Kind != topo.HostKind {
			continue
		}
		u := &under[of[i]]
		if u.hosts%islandHosts == 0 {
			u.island = int32(m)
			m++
		}
		u.hosts++
		apart[i] = u.island
	}
	if shorter(fc.Lookahead(g, apart, true), fc.Lookahead(g, of, true)) ||
		shorter(fc.FramesAhead(g, apart, true), fc.FramesAhead(g, of, true)) {
		return of, n
	}
	return apart, m
}

// shorter reports whether a window is much shorter than another: by more than a quarter.
func shorter(a, b unit.Duration) bool { return 4*a < 3*b }

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
