package plan

import (
	"cmp"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// A pin is a path that a controller chooses: of a queue pair's data, or of what answers them.
type pin struct {
	pair, job int32
	back      bool
}

// controller chooses paths for queue pairs of a plan, and knows how full that makes links.
type controller struct {
	*Plan
	pins        []pin                 // the paths it chooses
	loads       map[loadKey][]float64 // of ports, by these
	slowestRate unit.Bitrate          // of the slowest link, where that was asked
}

// loadKey tells loads apart. Each job is pinned as if it were alone; answers are small, and a path that is free of
// them need not be free of data.
type loadKey struct {
	job  int32
	back bool
}

// repin pins all paths anew, now that the controller knows the queue pairs of each job. Where leaves have the same
// links to the same spines, that is an edge colouring of a bipartite multigraph: leaves that send, leaves that
// receive, an edge for each path, a colour for each way over a spine. With n ways, no link needs more than the n-th
// part of what a leaf sends or receives, rounded up (D. König, Math. Ann. 77, 1916): nothing collides that need not.
// Elsewhere each path is moved to the freest until no move helps.
func (p *controller) repin() {
	groups := map[loadKey][]pin{}
	for _, x := range p.pins {
		key := loadKey{x.job, x.back}
		groups[key] = append(groups[key], x)
	}
	for key, pins := range groups { // each by itself: order does not matter
		p.loads[key] = make([]float64, len(p.Graph.Ports))
		ways, even := p.evenWays(pins)
		if even {
			p.colour(pins, ways)
		}
		for _, x := range pins {
			p.weigh(key, *p.pathOf(x), 1)
		}
		if !even {
			p.settle(key, pins)
		}
	}
}

// endsOf is from which NIC to which a pinned path goes.
func (p *controller) endsOf(x pin) (from, to topo.NICID) {
	q := &p.Pairs[x.pair]
	if x.back {
		return q.To, q.From
	}
	return q.From, q.To
}

func (p *controller) pathOf(x pin) *[]topo.PortID {
	q := &p.Pairs[x.pair]
	if x.back {
		return &q.Back
	}
	return &q.Path
}

// weigh adds a path to the loads of its ports, or takes it away. It counts one on a link as slow as the slowest; a link of
// twice the rate is half as full.
func (p *controller) weigh(key loadKey, path []topo.PortID, by float64) {
	load, slowest := p.loads[key], float64(p.slowest())
	for _, port := range path {
		load[port] += by * slowest / float64(p.Graph.Ports[port].Rate)
	}
}

// slowest is the rate of the slowest link.
func (p *controller) slowest() unit.Bitrate {
	if p.slowestRate == 0 {
		p.slowestRate = p.Graph.Ports[0].Rate
		for id := range p.Graph.Ports {
			p.slowestRate = min(p.slowestRate, p.Graph.Ports[id].Rate)
		}
	}
	return p.slowestRate
}

// Rounding is what sums in another order may differ by.
const Rounding = 1e-9

// A wayOver is the ports from a leaf over a spine to another.
type wayOver struct{ up, down topo.PortID }

// evenWays are the ways of each path where all have as many, over the same spines, of links as fast; false: they
// have not. A path that stays on one leaf has none.
func (p *controller) evenWays(pins []pin) (ways [][]wayOver, even bool) {
	var first []topo.NodeID // the spine of each way
	var rate unit.Bitrate
	ways = make([][]wayOver, len(pins))
	for i, x := range pins {
		all, spines, fine := p.waysOf(x)
		if !fine {
			return nil, false
		}
		if len(all) == 0 {
			continue
		}
		if first == nil {
			first, rate = spines, p.Graph.Ports[all[0].up].Rate
		}
		if !slices.Equal(first, spines) {
			return nil, false
		}
		for _, w := range all {
			if p.Graph.Ports[w.up].Rate != rate || p.Graph.Ports[w.down].Rate != rate {
				return nil, false
			}
		}
		ways[i] = all
	}
	return ways, true
}

// waysOf are the ways of a path between two leaves, and the spine of each: the k-th link to a spine goes with the
// k-th from it. False: there are other choices.
func (p *controller) waysOf(x pin) (ways []wayOver, spines []topo.NodeID, fine bool) {
	g, path := p.Graph, *p.pathOf(x)
	from, to := p.endsOf(x)
	if len(p.Routes.Live(from)) != 1 || len(p.Routes.Live(to)) != 1 {
		return nil, nil, false
	}
	if len(path) == 2 { // by one switch
		return nil, nil, true
	}
	if len(path) != 4 {
		return nil, nil, false
	}
	taken := map[topo.NodeID]int{}
	ups := p.Routes.NextHops(g.Ports[path[1]].Node, to)
	for _, up := range ups {
		spine := g.Ports[up].To
		downs := p.Routes.NextHops(spine, to)
		k := taken[spine]
		if taken[spine]++; k == len(downs) {
			return nil, nil, false
		}
		ways, spines = append(ways, wayOver{up, downs[k]}), append(spines, spine)
	}
	return ways, spines, true
}

// colour gives each path a way such that no leaf sends or receives more by one way than it must.
//
// A leaf with more edges than ways is several vertices with as many edges as there are ways at most, so that a colouring
// in which no vertex has a colour twice is what is asked for. Where an edge finds no colour that is free at both
// its ends, the path of two colours that begins at one end changes them: it does not come to the other, since in a
// bipartite graph it would come there by the colour that is free.
func (p *controller) colour(pins []pin, ways [][]wayOver) {
	var c colouring
	for i, x := range pins {
		if len(ways[i]) == 0 {
			continue
		}
		path, n := *p.pathOf(x), len(ways[i])
		c.add(int32(i), c.vertex(false, p.Graph.Ports[path[1]].Node, n), c.vertex(true, p.Graph.Ports[path[2]].To, n))
	}
	for e, i := range c.of {
		path, w := p.pathOf(pins[i]), ways[i][c.colourOf[e]]
		*path = []topo.PortID{(*path)[0], w.up, w.down, (*path)[3]}
	}
}

// settles is how often all paths are looked at again at most.
const settles = 8

// settle moves paths, one after another, to the freest way, until none moves.
func (p *controller) settle(key loadKey, pins []pin) {
	for range settles {
		moved := false
		for _, x := range pins {
			path := p.pathOf(x)
			p.weigh(key, *path, -1)
			from, to := p.endsOf(x)
			best := p.bestPath(key, from, to)
			if p.fuller(key, *path, best) {
				*path, moved = best, true
			}
			p.weigh(key, *path, 1)
		}
		if !moved {
			return
		}
	}
}

// fuller reports whether a path has a fuller link than another, or is fuller in all.
func (p *controller) fuller(key loadKey, a, b []topo.PortID) bool {
	full := func(path []topo.PortID) (f pinned) {
		for _, port := range path {
			f.fullest, f.sum = max(f.fullest, p.loads[key][port]), f.sum+p.loads[key][port]
		}
		return f
	}
	x, y := full(a), full(b)
	return x.fullest > y.fullest*(1+Rounding) || x.fullest*(1+Rounding) >= y.fullest && x.sum > y.sum*(1+Rounding)
}

// freest gives a queue pair the path whose fullest link has the least load, of several alike the one with the least
// load in all, of those of its job so far. A queue pair counts as one.
func (p *controller) freest(job int32, back bool, from, to topo.NICID) ([]topo.PortID, error) {
	if _, err := p.Routes.Path(from, to, nil); err != nil { // reports what cannot be reached
		return nil, err
	}
	key := loadKey{job, back}
	if p.loads[key] == nil {
		p.loads[key] = make([]float64, len(p.Graph.Ports))
	}
	best := p.bestPath(key, from, to)
	p.weigh(key, best, 1)
	return best, nil
}

func (p *controller) bestPath(key loadKey, from, to topo.NICID) []topo.PortID {
	x := pinning{p: p.Plan, load: p.loads[key], to: to, known: map[topo.NodeID]pinned{}}
	best := []topo.PortID{x.bestOf(p.Routes.Live(from)).port}
	for at := p.Graph.Ports[best[0]].To; at != p.Graph.Hosts[p.Graph.NICs[to].Host].Node; {
		port := x.best(at).port
		best, at = append(best, port), p.Graph.Ports[port].To
	}
	return best
}

// pinning is the search for the best path to a NIC.
type pinning struct {
	p     *Plan
	load  []float64 // by port
	to    topo.NICID
	known map[topo.NodeID]pinned
}

// pinned is the best way on from a switch.
type pinned struct {
	port         topo.PortID
	fullest, sum float64
}

func (x *pinning) best(at topo.NodeID) (b pinned) {
	if b, ok := x.known[at]; ok {
		return b
	}
	b = x.bestOf(x.p.Routes.NextHops(at, x.to))
	x.known[at] = b
	return b
}

// bestOf is the best of some ports with the ways behind them.
func (x *pinning) bestOf(ports []topo.PortID) (b pinned) {
	for i, port := range ports {
		c := pinned{port: port, fullest: x.load[port], sum: x.load[port]}
		if peer := &x.p.Graph.Ports[port]; x.p.Graph.Nodes[peer.To].Kind != topo.HostKind {
			rest := x.best(peer.To)
			c.fullest, c.sum = max(c.fullest, rest.fullest), c.sum+rest.sum
		}
		if i == 0 || cmp.Or(cmp.Compare(c.fullest, b.fullest), cmp.Compare(c.sum, b.sum)) < 0 {
			b = c
		}
	}
	return b
}
