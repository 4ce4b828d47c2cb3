package plan

import (
	"fmt"
	"math"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// A Pinning is how full the fullest link between switches is by the data of a job's queue pairs, and the least that it
// must be by what has to leave a part of the network.
type Pinning struct {
	Job   int32   `json:"job"`  // -1: the background
	Port  string  `json:"port"` // the fullest
	Most  float64 `json:"most"` // queue pairs; of a link of twice the slowest's rate two count as one
	Bound float64 `json:"bound"`
}

// Pinned says so of each job whose paths a controller pins, where it has a choice.
func (p *Plan) Pinned() (all []Pinning) { return p.controller.pinned() }

func (p *controller) pinned() (all []Pinning) {
	g := p.Graph
	for job := int32(-1); job < int32(len(p.Jobs)); job++ {
		load := p.loads[loadKey{job: job}]
		if load == nil {
			continue
		}
		fullest, slowest := topo.PortID(-1), unit.Bitrate(0)
		for id := range g.Ports {
			if port := &g.Ports[id]; g.Nodes[port.Node].Kind == topo.HostKind || g.Nodes[port.To].Kind == topo.HostKind {
				continue
			} else if slowest == 0 || port.Rate < slowest {
				slowest = port.Rate
			}
			if load[id] > 0 && (fullest < 0 || load[id] > load[fullest]*(1+Rounding)) {
				fullest = topo.PortID(id)
			}
		}
		if fullest < 0 {
			continue
		}
		x := Pinning{Job: job, Port: g.Ports[fullest].Name, Most: load[fullest] * float64(slowest) / float64(p.slowest())}
		x.Bound = max(p.cutBound(job, slowest, p.leaves()), p.cutBound(job, slowest, p.pods()))
		all = append(all, x)
	}
	return all
}

// Text says it of the plan's network.
func (x Pinning) Text(p *Plan) string {
	job := ""
	if len(p.Jobs) > 1 && x.Job >= 0 {
		job = " of job " + p.Jobs[x.Job].Spec.Name
	} else if x.Job < 0 {
		job = " of the background"
	}
	rest := fmt.Sprintf("and %.3g is the least that any paths leave", x.Bound)
	if x.Most > x.Bound*(1+Rounding) {
		rest = fmt.Sprintf("and at least %.3g by any paths", x.Bound)
	}
	return fmt.Sprintf("pinned: the fullest link between switches, %s, has %.3g queue pairs%s, %s", x.Port, x.Most, job,
		rest)
}

// leaves numbers leaves, by node; -1: it is none.
func (p *controller) leaves() []int {
	parts := make([]int, len(p.Graph.Nodes))
	for id := range parts {
		parts[id] = -1
		if p.Graph.Nodes[id].Kind == topo.Leaf {
			parts[id] = id
		}
	}
	return parts
}

// pods numbers the parts of the network that only its highest switches join, by node; -1: it is in none.
func (p *controller) pods() []int {
	g, highest := p.Graph, topo.HostKind
	for id := range g.Nodes {
		highest = max(highest, g.Nodes[id].Kind)
	}
	parts := make([]int, len(g.Nodes))
	for id := range parts {
		parts[id] = -1
	}
	within := func(id topo.NodeID) bool {
		return g.Nodes[id].Kind != topo.HostKind && g.Nodes[id].Kind < highest
	}
	for id := range g.Nodes {
		if !within(topo.NodeID(id)) || parts[id] >= 0 {
			continue
		}
		parts[id] = id
		for reached := []topo.NodeID{topo.NodeID(id)}; len(reached) > 0; {
			at := reached[0]
			reached = reached[1:]
			for _, port := range g.Nodes[at].Ports {
				if to := g.Ports[port].To; within(to) && parts[to] < 0 {
					parts[to] = id
					reached = append(reached, to)
				}
			}
		}
	}
	return parts
}

// cutBound is what the fullest link has at least, as what leaves a part, or comes to it, is shared by the links that do.
func (p *controller) cutBound(job int32, slowest unit.Bitrate, parts []int) (bound float64) {
	g := p.Graph
	var leave, come = make([]int, len(parts)), make([]int, len(parts))
	for _, x := range p.pins {
		if q := &p.Pairs[x.pair]; x.job == job && !x.back {
			if from, to := p.partOf(q.From, parts), p.partOf(q.To, parts); from != to && from >= 0 && to >= 0 {
				leave[from]++
				come[to]++
			}
		}
	}
	type width struct {
		links       int
		rate, least unit.Bitrate
	}
	wide := make([]width, len(parts)) // out of a part; into it is as wide, as a cable has two directions
	for id := range g.Ports {
		port := &g.Ports[id]
		part := parts[port.Node]
		if part < 0 || parts[port.To] == part || g.Nodes[port.To].Kind == topo.HostKind {
			continue
		}
		w := &wide[part]
		if w.links++; w.least == 0 || port.Rate < w.least {
			w.least = port.Rate
		}
		w.rate += port.Rate
	}
	for part, w := range wide {
		n := max(leave[part], come[part])
		if n == 0 || w.links == 0 {
			continue
		}
		share := float64(n) * float64(slowest) / float64(w.rate)
		if w.rate == unit.Bitrate(w.links)*w.least { // as fast: whole queue pairs
			share = math.Ceil(float64(n)/float64(w.links)) * float64(slowest) / float64(w.least)
		}
		bound = max(bound, share)
	}
	return bound
}

// partOf is the part that all links of a NIC go to, -1: they go to several, or to none.
func (p *controller) partOf(n topo.NICID, parts []int) int {
	part := -1
	for i, port := range p.Routes.Live(n) {
		at := parts[p.Graph.Ports[port].To]
		if i > 0 && at != part {
			return -1
		}
		part = at
	}
	return part
}
