package foresight

import (
	"cmp"
	"railyard/internal/net/balance"
	"railyard/internal/plan/plan"
	"slices"

	"railyard/internal/net/hash"
	"railyard/internal/net/topo"
)

// Spread is on which links a plan's queue pairs fall, as if all sent at once: those of start phases
// alone are left out. A connection sends as fast as its share of both its NICs lets it, whatever the
// switches do; that is its demand, and its queue pairs have equal parts of it.
type Spread struct {
	Groups []LinkGroup // by switch, then port
	Pairs  []Landing   // by number
	Outcome
}

// LinkGroup is equal links of a switch among which it chose for a queue pair.
type LinkGroup struct {
	Switch topo.NodeID
	Ports  []topo.PortID
	Pairs  []int     // by port: queue pairs that were put on it
	Load   []float64 // by port: demand over what the link carries; 1: full
}

// Landing is where switches put a queue pair.
type Landing struct {
	Pair    int32 // in Plan.Pairs
	Choices []Choice
}

// Choice is what a switch made of a queue pair's headers.
type Choice struct {
	Switch topo.NodeID
	Hash   uint64
	Ports  []topo.PortID
	Pick   int
}

// Outcome is what hashing came to. Links that no switch chose have no say in it.
type Outcome struct {
	Fullest float64 `json:"fullest"` // load of the fullest link
	Carried float64 `json:"carried"` // part of all demand that the fullest link of each queue pair lets through
	Slowest float64 `json:"slowest"` // part of its demand that the slowest queue pair gets
}

func (o Outcome) near(p Outcome) bool {
	return max(o.Fullest-p.Fullest, p.Fullest-o.Fullest, o.Carried-p.Carried, p.Carried-o.Carried,
		o.Slowest-p.Slowest, p.Slowest-o.Slowest) < plan.Rounding
}

// A spreader puts connections on links, again and again.
type spreader struct {
	p       *plan.Plan
	pairs   []int32 // that hash
	demand  []float64
	load    []float64 // by port: demand in bits per second
	chosen  []bool    // by port: a switch had a choice there
	ways    [][]topo.PortID
	demands []float64 // by way
	fixed   []float64
	choices []Choice // of the last walk
}

// newSpreader takes the connections of a plan. Those with a path of their own load links only.
func newSpreader(p *plan.Plan) *spreader {
	s := &spreader{p: p, load: make([]float64, len(p.Graph.Ports)), chosen: make([]bool, len(p.Graph.Ports))}
	from, to := make([]int, len(p.Graph.NICs)), make([]int, len(p.Graph.NICs))
	steady := p.Pairs[:p.Steady]
	for i := range steady {
		if q := &steady[i]; q.Enabled() && q.Lane == 0 {
			from[q.From]++
			to[q.To]++
		}
	}
	s.fixed = make([]float64, len(s.load))
	for i := range steady {
		q := &steady[i]
		if !q.Enabled() {
			continue
		}
		rate := func(n topo.NICID) (sum float64) {
			for _, port := range p.Graph.NICs[n].Ports {
				sum += float64(p.Graph.Ports[port].Rate)
			}
			return sum
		}
		demand := min(rate(q.From)/float64(from[q.From]), rate(q.To)/float64(to[q.To])) / float64(q.Lanes)
		if q.Flow != nil && q.Flow.Path != nil {
			for _, port := range q.Path {
				s.fixed[port] += demand
			}
			continue
		}
		s.pairs, s.demand = append(s.pairs, int32(i)), append(s.demand, demand)
	}
	return s
}

// asPlanned is as many queue pairs for a connection as the plan has.
const asPlanned = 0

// run spreads every connection as n queue pairs, or asPlanned.
func (s *spreader) run(by *hash.Switches, n int, each func(pair int32)) (o Outcome) {
	copy(s.load, s.fixed)
	clear(s.chosen)
	s.ways, s.demands = s.ways[:0], s.demands[:0]
	for i, pair := range s.pairs {
		q, as, demand := &s.p.Pairs[pair], n, s.demand[i]
		number := int(q.Key.QP)
		switch {
		case n == asPlanned:
			as = 1
		case q.Lane > 0:
			continue // its connection has been spread
		default:
			number, demand = number/int(q.Lanes)*n, demand*float64(q.Lanes)/float64(n)
		}
		for k := range as {
			path := s.walk(by, plan.Headers(q.From, q.To, number+k), q)
			for _, port := range path {
				s.load[port] += demand
			}
			s.ways, s.demands = append(s.ways, path), append(s.demands, demand)
			if each != nil {
				each(pair)
			}
		}
	}
	o.Carried, o.Slowest = s.carried()
	for port, chosen := range s.chosen {
		if chosen {
			o.Fullest = max(o.Fullest, s.full(topo.PortID(port)))
		}
	}
	return o
}

// walk returns the links that a switch chose for a queue pair, and notes what it chose among.
func (s *spreader) walk(by *hash.Switches, f hash.Flow, q *plan.Pair) []topo.PortID {
	s.choices = s.choices[:0]
	var path []topo.PortID
	g := s.p.Graph
	own := s.p.Routes.Live(q.From)
	k := topo.BondIndex(s.p.BondHash(by, f, q.From), len(own))
	for at := g.Ports[own[k]].To; at != g.Hosts[g.NICs[q.To].Host].Node; {
		hops := s.p.Routes.NextHops(at, q.To)
		k := 0
		if len(hops) > 1 {
			h := by.Hash(f, int(at))
			k = s.p.Finder.Choice(at, q.To).Pick(&balance.Frame{Hash: h}, nil)
			s.choices = append(s.choices, Choice{at, h, hops, k})
			path = append(path, hops[k])
			s.chosen[hops[k]] = true
		}
		at = g.Ports[hops[k]].To
	}
	return path
}

// full is the load of a link over what it carries.
func (s *spreader) full(port topo.PortID) float64 {
	return s.load[port] / float64(s.p.Graph.Ports[port].Rate)
}

// carried returns the part of all demand that gets through, and that of the slowest queue pair.
func (s *spreader) carried() (all, slowest float64) {
	sum, through := 0.0, 0.0
	slowest = 1
	for w, path := range s.ways {
		part := 1.0
		for _, port := range path {
			part = min(part, 1/max(1, s.full(port)))
		}
		d := s.demands[w]
		sum, through = sum+d, through+d*part
		slowest = min(slowest, part)
	}
	if sum == 0 {
		return 1, 1
	}
	return through / sum, slowest
}

// Spread returns on which links the plan's queue pairs fall.
func SpreadOf(p *plan.Plan) *Spread {
	s, out := newSpreader(p), &Spread{}
	index := map[topo.PortID]int{} // by first port; groups of a switch may differ in length
	out.Outcome = s.run(p.Hash(), asPlanned, func(pair int32) {
		out.Pairs = append(out.Pairs, Landing{Pair: pair, Choices: slices.Clone(s.choices)})
		for _, c := range s.choices {
			i, known := index[c.Ports[0]]
			if !known || !slices.Equal(out.Groups[i].Ports, c.Ports) {
				i = slices.IndexFunc(out.Groups, func(g LinkGroup) bool { return slices.Equal(g.Ports, c.Ports) })
			}
			if i < 0 {
				i = len(out.Groups)
				out.Groups = append(out.Groups, LinkGroup{c.Switch, c.Ports, make([]int, len(c.Ports)), nil})
			}
			index[c.Ports[0]] = i
			out.Groups[i].Pairs[c.Pick]++
		}
	})
	for i := range out.Groups {
		g := &out.Groups[i]
		for _, port := range g.Ports {
			g.Load = append(g.Load, s.full(port))
		}
	}
	slices.SortFunc(out.Groups, func(a, b LinkGroup) int {
		return cmp.Or(cmp.Compare(a.Switch, b.Switch), slices.Compare(a.Ports, b.Ports))
	})
	return out
}

// OverSeeds is what hashing comes to with other seeds of the run.
type OverSeeds struct {
	QueuePairs int     `json:"queue_pairs"` // of each connection
	Seeds      int     `json:"seeds"`
	Mean       Outcome `json:"mean"`
	Worst      Outcome `json:"worst"`    // each figure's
	AsBad      float64 `json:"as_bad"`   // part of the seeds with a fullest link at least as full as the plan's own
	OneLoad    bool    `json:"one_load"` // every seed gave the same figures: it only renames links
}

// SpreadOverSeeds spreads each connection as n queue pairs, with the seeds 1, 2, 3 and so on.
func SpreadOverSeeds(p *plan.Plan, n, seeds int) OverSeeds {
	s, own := newSpreader(p), SpreadOf(p).Outcome
	out := OverSeeds{QueuePairs: n, Seeds: seeds, Worst: Outcome{Carried: 1, Slowest: 1}, OneLoad: true}
	by := p.Hash()
	var first Outcome
	bad := 0
	for i := range seeds {
		o := s.run(by.WithSeed(uint64(i+1)), n, nil)
		if i == 0 {
			first = o
		}
		out.OneLoad = out.OneLoad && o.near(first)
		out.Mean.Fullest += o.Fullest / float64(seeds)
		out.Mean.Carried += o.Carried / float64(seeds)
		out.Mean.Slowest += o.Slowest / float64(seeds)
		out.Worst.Fullest = max(out.Worst.Fullest, o.Fullest)
		out.Worst.Carried = min(out.Worst.Carried, o.Carried)
		out.Worst.Slowest = min(out.Worst.Slowest, o.Slowest)
		if o.Fullest >= own.Fullest-plan.Rounding {
			bad++
		}
	}
	out.AsBad = float64(bad) / float64(seeds)
	return out
}
