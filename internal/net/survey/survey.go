package survey

import (
	"strconv"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// A Survey is what a network is good for, in numbers.
type Survey struct {
	Ports  []Use    `json:"ports"`                // of switches, by role
	Cuts   []Cut    `json:"cuts"`                 // between tiers, lowest first
	Flows  []Flow   `json:"max_flow"`             // between named halves
	Pairs  []Pairs  `json:"pairs"`                // of NICs on different hosts, nearest first; those without a way last
	Ranks  []Pairs  `json:"rank_pairs,omitempty"` // the same of ranks, each with its own NIC
	Points []Point  `json:"single_points_of_failure"`
	Cycle  []string `json:"cycle,omitempty"` // ports that may wait for each other in a circle
	Meets  []Meet   `json:"equal_hashes"`    // by role, lowest first; of switches with several uplinks
}

// Meet is how many switches of a role have the same one above at the same place of their lists of uplinks: where they all
// choose from the whole list by the same hash, these meet there.
type Meet struct {
	Role  string `json:"role"`
	Above string `json:"above"`
	Most  int    `json:"most"`
	Below int    `json:"below"` // the most of them that one above is linked to
}

// Use is the ports of the switches of a role.
type Use struct {
	Role     string `json:"role"`
	Switches int    `json:"switches"`
	Least    int    `json:"least"` // ports in use on the switch with the fewest
	Most     int    `json:"most"`
	There    int    `json:"there,omitempty"` // that a switch has; 0: not known
}

// Cut is what the links between two tiers carry, in each direction.
type Cut struct {
	Below string       `json:"below"`
	Above string       `json:"above"`
	Links int          `json:"links"`
	Rate  unit.Bitrate `json:"rate_bps"`
}

// Flow is the most that one part of the hosts can send to another at once.
type Flow struct {
	From string       `json:"from"`
	To   string       `json:"to"`
	Rate unit.Bitrate `json:"rate_bps"`
}

// Of surveys a network with its routes. ranks are the NICs of the ranks that run on it, nil for none.
func Of(g *topo.Graph, r *topo.Routes, ranks []topo.NICID) *Survey {
	s := &Survey{Ports: uses(g), Cuts: cuts(g), Flows: flows(g), Points: points(g), Meets: meets(g)}
	all := make([]topo.NICID, len(g.NICs))
	for i := range all {
		all[i] = topo.NICID(i)
	}
	w := walk(g, r, all)
	s.Pairs, s.Ranks = w.pairs(), walk(g, r, ranks).pairs()
	if w.mayWait() {
		for _, p := range w.cycle() {
			s.Cycle = append(s.Cycle, g.Ports[p].Name)
		}
	}
	return s
}

// switches visits those of a role.
func switches(g *topo.Graph, kind topo.Kind, visit func(*topo.Node)) {
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Kind == kind {
			visit(n)
		}
	}
}

var roles = []topo.Kind{topo.Leaf, topo.Spine, topo.SuperSpine}

func uses(g *topo.Graph) (all []Use) {
	for _, kind := range roles {
		u := Use{Role: kind.String()}
		switches(g, kind, func(n *topo.Node) {
			if u.Switches++; u.Switches == 1 {
				u.Least = len(n.Ports)
			}
			u.Least, u.Most = min(u.Least, len(n.Ports)), max(u.Most, len(n.Ports))
		})
		if u.Switches > 0 {
			all = append(all, u)
		}
	}
	return all
}

func cuts(g *topo.Graph) (all []Cut) {
	kinds := append([]topo.Kind{topo.HostKind}, roles...)
	sums := map[[2]topo.Kind]*Cut{}
	for _, l := range g.Links {
		a, b := g.Nodes[l.A].Kind, g.Nodes[l.B].Kind
		ends := [2]topo.Kind{min(a, b), max(a, b)}
		c := sums[ends]
		if c == nil {
			c = &Cut{Below: ends[0].String(), Above: ends[1].String()}
			sums[ends] = c
		}
		c.Links++
		c.Rate += l.Rate
	}
	for _, a := range kinds {
		for _, b := range kinds {
			if c := sums[[2]topo.Kind{a, b}]; c != nil {
				all = append(all, *c)
			}
		}
	}
	return all
}

// flows are those between the halves of the hosts, and between each of a few pods and the others.
func flows(g *topo.Graph) (all []Flow) {
	const mostPods = 4
	half := len(g.Hosts) / 2
	if half == 0 {
		return nil
	}
	split := func(from, to string, first func(i int) bool) {
		var a, b []topo.NodeID
		for i, h := range g.Hosts {
			if first(i) {
				a = append(a, h.Node)
			} else {
				b = append(b, h.Node)
			}
		}
		all = append(all, Flow{from, to, g.MaxFlow(a, b)})
	}
	name := func(i int) string { return g.Hosts[i].Name }
	split(span(name(0), name(half-1)), span(name(half), name(len(g.Hosts)-1)), func(i int) bool { return i < half })
	pod := func(i int) int { return g.Nodes[g.Hosts[i].Node].Place.Pod }
	most := -1
	for i := range g.Hosts {
		most = max(most, pod(i))
	}
	for p := range min(most+1, mostPods) {
		if most > 0 {
			split("pod "+strconv.Itoa(p+1), "the other pods", func(i int) bool { return pod(i) == p })
		}
	}
	return all
}

func span(first, last string) string {
	if first == last {
		return first
	}
	return first + "-" + last
}
