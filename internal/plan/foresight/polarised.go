package foresight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/splitmix"
	"railyard/internal/net/balance"
	"railyard/internal/net/hash"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// How many flows are drawn to see what a network does to any flow: so many between two edge switches,
// and all in all, so that a large network takes no longer than a blink.
const (
	drawnPerWay = 512
	drawnInAll  = 200_000
	leastWay    = 16
	// A link is one that nothing can reach if so many flows for each link of its group came and none took
	// it: by chance it would be e^-32.
	leastPerLink = 32
)

// A laterGroup is equal links of a switch that flows reach after another switch has chosen for them.
type laterGroup struct {
	at   topo.NodeID
	came int
	took []bool // by port
}

func (g *laterGroup) take(k int) {
	g.came++
	g.took[k] = true
}

// groupKey tells groups apart: those of a switch differ in their links.
type groupKey struct {
	at          topo.NodeID
	first, last topo.PortID
	n           int
}

// A drawing is what drawn flows did, group by group in the order of the first that came.
type drawing struct {
	groups []laterGroup
	index  map[groupKey]int
}

func (d *drawing) group(at topo.NodeID, hops []topo.PortID) *laterGroup {
	key := groupKey{at, hops[0], hops[len(hops)-1], len(hops)}
	i, known := d.index[key]
	if !known {
		i = len(d.groups)
		d.index[key] = i
		d.groups = append(d.groups, laterGroup{at: at, took: make([]bool, len(hops))})
	}
	return &d.groups[i]
}

// polarised finds switches that leave some of their equal links unused whatever the flows: what comes
// there has been sorted by the same hash before. It draws flows between the edge switches that the
// plan's queue pairs join, with any source port and queue pair.
func polarised(p *plan.Plan) []scenario.Finding {
	ways := ways(p)
	if len(ways) == 0 || !p.Hashes() {
		return nil
	}
	each := max(leastWay, min(drawnPerWay, drawnInAll/len(ways)))
	by, random := p.Hash(), splitmix.Stream(1)
	seen := drawing{index: map[groupKey]int{}}
	for _, q := range ways[:min(len(ways), drawnInAll/leastWay)] {
		for range each {
			f := plan.Headers(q.From, q.To, 0)
			f.SrcPort, f.QP = uint16(random.Next()), uint32(random.Next()&0xffffff)
			draw(p, &seen, by, f, q)
		}
	}
	slices.SortStableFunc(seen.groups, func(a, b laterGroup) int { return cmp.Compare(a.at, b.at) })
	var short []string
	used, all := 0, 0
	for _, g := range seen.groups {
		reached := 0
		for _, took := range g.took {
			if took {
				reached++
			}
		}
		if reached < len(g.took) && g.came >= leastPerLink*len(g.took) {
			short = append(short, fmt.Sprintf("%s (%d of %d)", p.Graph.Nodes[g.at].Name, reached, len(g.took)))
			used, all = used+reached, all+len(g.took)
		}
	}
	if all == 0 {
		return nil
	}
	const most = 4
	at := strings.Join(short[:min(len(short), most)], ", ")
	if more := len(short) - most; more > 0 {
		at += fmt.Sprintf(" and %d more", more)
	}
	return []scenario.Finding{polarisation(p, used, all, at)}
}

// polarisation says how many links can be used at all, and what cures it.
func polarisation(p *plan.Plan, used, all int, at string) scenario.Finding {
	h := &p.Scenario.Fabric.Hash
	seed := "seed: per-switch"
	if hash.Linear[h.Function] {
		seed = fmt.Sprintf("function: mix or toeplitz with seed: per-switch (another seed of %s only renames links "+
			"where their number is a power of two)", h.Function)
	}
	return scenario.Finding{
		Severity: scenario.Warning,
		Path:     "fabric.hash.seed",
		Message: fmt.Sprintf("%s: polarisation: of %d equal links only %d can ever be used, whatever the flows, at %s: "+
			"the switches before chose by the same hash", h.Seed, all, used, at),
		Hint: seed + "; or cables in another order at each switch; or balance: flowlet or spray, which do not hash",
	}
}

// ways returns a queue pair for each two edge switches that some join.
func ways(p *plan.Plan) (all []*plan.Pair) {
	seen := map[[2]int32]bool{}
	for i := range p.Pairs {
		q := &p.Pairs[i]
		way := [2]int32{p.Routes.Segment(q.From), p.Routes.Segment(q.To)}
		if way[0] != way[1] && !seen[way] && (q.Flow == nil || q.Flow.Path == nil) {
			seen[way] = true
			all = append(all, q)
		}
	}
	return all
}

// draw walks a flow and notes what switches after the first choice do with it.
func draw(p *plan.Plan, d *drawing, by *hash.Switches, f hash.Flow, q *plan.Pair) {
	chosen := false
	g := p.Graph
	for at := g.Ports[q.Path[0]].To; at != g.Hosts[g.NICs[q.To].Host].Node; {
		hops := p.Routes.NextHops(at, q.To)
		k := 0
		if len(hops) > 1 {
			h, hashes := by.Hash(f, int(at)), p.MethodAt(at).Hashes
			if !hashes { // any link, whatever other switches do
				h = splitmix.Mix(h ^ uint64(at)*splitmix.Gamma)
			}
			k = p.Finder.Choice(at, q.To).Pick(&balance.Frame{Hash: h}, nil)
			if chosen && hashes {
				d.group(at, hops).take(k)
			}
			chosen = true
		}
		at = g.Ports[hops[k]].To
	}
}
