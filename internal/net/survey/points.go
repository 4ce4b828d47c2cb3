package survey

import (
	"cmp"
	"slices"

	"railyard/internal/net/topo"
)

// Point is things that cut off NICs when one of them fails, each as much as the others.
type Point struct {
	What  string `json:"what"` // leaf, spine, superspine, or link
	Count int    `json:"count"`
	First string `json:"first"` // of their names
	Last  string `json:"last"`
	NICs  int    `json:"nics"`  // that the failure of one cuts off from most others
	GPUs  int    `json:"gpus"`  // with no other NIC of their own
	Hosts int    `json:"hosts"` // with no other NIC
}

// points finds the switches and links whose failure cuts off NICs. Of a network that is in parts each
// part counts for itself.
func points(g *topo.Graph) (all []Point) {
	c := newCutter(g)
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Kind != topo.HostKind {
			all = add(all, c.lost(n.Kind.String(), n.Name, c.without(topo.NodeID(i))))
		}
	}
	for i, l := range g.Links {
		what := g.Nodes[min(l.A, l.B)].Kind.String() + " link"
		all = add(all, c.lost(what, g.Ports[2*i].Name, c.withoutLink(topo.LinkID(i))))
	}
	slices.SortStableFunc(all, func(a, b Point) int { return cmp.Compare(b.NICs, a.NICs) })
	return all
}

// add counts a point with those that are alike.
func add(all []Point, p Point) []Point {
	if p.NICs == 0 {
		return all
	}
	for i := range all {
		if a := &all[i]; a.What == p.What && a.NICs == p.NICs && a.GPUs == p.GPUs && a.Hosts == p.Hosts {
			a.Count++
			a.Last = p.Last
			return all
		}
	}
	return append(all, p)
}
