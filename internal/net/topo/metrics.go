package topo

import (
	"math"

	"railyard/internal/base/unit"
)

// TierCapacity sums up the switches of one tier: what their links to the tier
// below carry, in each direction, and what their links to the tier above do.
type TierCapacity struct {
	Tier     int
	Switches int
	Down, Up unit.Bitrate
}

// Oversubscription returns Down/Up in lowest terms: 1 is non-blocking, 3 means that
// three bits from below contend for one bit upwards. It is false for the top tier,
// which has no links upwards.
func (c TierCapacity) Oversubscription() (unit.Ratio, bool) {
	if c.Up == 0 {
		return unit.Ratio{}, false
	}
	d := gcd(int64(c.Down), int64(c.Up))
	return unit.Ratio{Num: int64(c.Down) / d, Den: int64(c.Up) / d}, true
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Tiers returns the capacity of each tier of switches, lowest first. A link within a
// tier counts neither up nor down.
func (g *Graph) Tiers() []TierCapacity {
	top := 0
	for _, n := range g.Nodes {
		top = max(top, n.Tier)
	}
	tiers := make([]TierCapacity, top)
	for i := range tiers {
		tiers[i].Tier = i + 1
	}
	for _, n := range g.Nodes {
		if n.Tier > 0 {
			tiers[n.Tier-1].Switches++
		}
	}
	for _, p := range g.Ports {
		from, to := g.Nodes[p.Node].Tier, g.Nodes[p.To].Tier
		switch {
		case from > to:
			tiers[from-1].Down += p.Rate
		case 0 < from && from < to:
			tiers[from-1].Up += p.Rate
		}
	}
	return tiers
}

// Bisection returns the most that the first half of the hosts (rounded down, in
// order) can send to the second half at once. It is 0 with fewer than two hosts.
func (g *Graph) Bisection() unit.Bitrate {
	var first, second []NodeID
	for i, h := range g.Hosts {
		if i < len(g.Hosts)/2 {
			first = append(first, h.Node)
		} else {
			second = append(second, h.Node)
		}
	}
	return g.MaxFlow(first, second)
}

// MaxFlow returns the most that some hosts can send to others at once, all NICs
// together: the maximum flow, with hosts not forwarding.
func (g *Graph) MaxFlow(from, to []NodeID) unit.Bitrate {
	f := flow{g: g, res: make([]int64, len(g.Ports)), level: make([]int32, len(g.Nodes)),
		next: make([]int, len(g.Nodes)), sink: make([]bool, len(g.Nodes)), sources: from}
	for i, p := range g.Ports {
		f.res[i] = int64(p.Rate)
	}
	for _, n := range to {
		f.sink[n] = true
	}
	total := int64(0)
	for f.rank() {
		for _, s := range f.sources {
			for {
				sent := f.push(s, math.MaxInt64)
				if sent == 0 {
					break
				}
				total += sent
			}
		}
	}
	return unit.Bitrate(total)
}

// A flow is the state of Dinic's maximum-flow algorithm (E. A. Dinic, Soviet
// Mathematics Doklady 11, 1970). Ports are arcs; a port and its peer are each
// other's reverse arcs. Sources and sinks are all hosts, and hosts do not forward,
// so no super-source is needed.
type flow struct {
	g       *Graph
	res     []int64 // residual capacity by port, bit/s
	level   []int32 // hops from the nearest source, -1 unreached
	next    []int   // by node: index of the first port not yet exhausted
	sources []NodeID
	sink    []bool
	queue   []NodeID
}

// rank finds the levels by breadth-first search; false if no sink is reached.
func (f *flow) rank() bool {
	for i := range f.level {
		f.level[i], f.next[i] = -1, 0
	}
	f.queue = append(f.queue[:0], f.sources...)
	for _, s := range f.sources {
		f.level[s] = 0
	}
	reached := false
	for i := 0; i < len(f.queue); i++ {
		n := f.queue[i]
		if f.sink[n] {
			reached = true
			continue
		}
		for _, p := range f.g.Nodes[n].Ports {
			if to := f.g.Ports[p].To; f.res[p] > 0 && f.level[to] < 0 {
				f.level[to] = f.level[n] + 1
				f.queue = append(f.queue, to)
			}
		}
	}
	return reached
}

// push sends at most limit from n to some sink along rising levels; it returns what it sent.
func (f *flow) push(n NodeID, limit int64) int64 {
	if f.sink[n] {
		return limit
	}
	ports := f.g.Nodes[n].Ports
	for ; f.next[n] < len(ports); f.next[n]++ {
		p := ports[f.next[n]]
		to := f.g.Ports[p].To
		if f.res[p] == 0 || f.level[to] != f.level[n]+1 {
			continue
		}
		if sent := f.push(to, min(limit, f.res[p])); sent > 0 {
			f.res[p] -= sent
			f.res[p^1] += sent
			return sent
		}
	}
	return 0
}
