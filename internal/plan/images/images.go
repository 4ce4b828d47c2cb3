package images

import (
	"slices"

	"railyard/internal/engine/fabric"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
)

// Image is a part of the network that does what another part does, its lead.
type Image struct {
	Leads []int32       // queue pairs of the lead, ascending
	Pairs []int32       // of the image, one for each of Leads
	Ports []topo.PortID // by port of the network: of the lead's, which is the image's; of others none
	Nodes []topo.NodeID // by node: likewise, of switches
}

// None stands for no port, and no node.
const None = -1

// Unlike is a part that has shown not to do what another does, each by its first queue pair.
type Unlike struct{ Lead, Image int32 }

// Unlike says of the image that it has shown not to do what its lead does.
func (x *Image) Unlike() Unlike { return Unlike{x.Leads[0], x.Pairs[0]} }

// Size returns how many ports the image has.
func (x *Image) Size() (n int) {
	for _, to := range x.Ports {
		if to != None {
			n++
		}
	}
	return n
}

// Find returns the images in a network on which a run may be reused (foresight.NeverReused): none if something may tell parts apart.
// Of parts that are images of one another the one with the first queue pair leads, of those that are not known to be unlike.
func Find(p *plan.Plan, fc *fabric.Config, unlike []Unlike) (all []Image) {
	if apart(p, fc) {
		return nil
	}
	leads := map[look][][]int32{}
	for _, pairs := range partsOf(p) {
		led, as := false, lookOf(p, pairs)
		for _, lead := range leads[as] {
			if slices.Contains(unlike, Unlike{lead[0], pairs[0]}) {
				continue
			}
			if x, ok := imageOf(p, fc, lead, pairs); ok {
				all, led = append(all, x), true
				break
			}
		}
		if !led {
			leads[as] = append(leads[as], pairs)
		}
	}
	return all
}

// look is what is compared first: of a thousand leaves no two have the same hosts.
type look struct {
	pairs    int
	from, to int32 // hosts of the first
}

func lookOf(p *plan.Plan, pairs []int32) look {
	q := &p.Pairs[pairs[0]]
	return look{len(pairs), p.Graph.NICs[q.From].Host, p.Graph.NICs[q.To].Host}
}

// apart reports whether something of a scenario may tell parts of its network apart, or joins them.
func apart(p *plan.Plan, fc *fabric.Config) bool {
	return fc.Faults != nil || len(p.Faults.Hosts) > 0 || fc.Routing != nil || fc.Watchdogs != nil ||
		fc.Tapped != nil || p.PCIe.Graph != nil || p.ReceiveBuffer() != nil
}

// partsOf returns the queue pairs of each part, in order of their first; those that have an image at all.
func partsOf(p *plan.Plan) (parts [][]int32) {
	g := p.Graph
	joined := make([]int32, len(g.Nodes)+len(g.Ports)) // a switch with all its ports is one element, a port of a NIC another
	for i := range joined {
		joined[i] = int32(i)
	}
	find := func(x int32) int32 {
		for joined[x] != x {
			joined[x] = joined[joined[x]]
			x = joined[x]
		}
		return x
	}
	element := func(port topo.PortID) int32 {
		if node := g.Ports[port].Node; g.Nodes[node].Kind != topo.HostKind {
			return int32(node)
		}
		return int32(len(g.Nodes)) + int32(port)
	}
	for i := range p.Pairs {
		q := &p.Pairs[i]
		first := find(element(q.Path[0]))
		for _, port := range slices.Concat(q.Path, q.Back) {
			joined[find(element(port))] = first
		}
	}
	index := map[int32]int{}
	for i := range p.Pairs {
		root := find(element(p.Pairs[i].Path[0]))
		at, known := index[root]
		if !known {
			at = len(parts)
			index[root], parts = at, append(parts, nil)
		}
		parts[at] = append(parts[at], int32(i))
	}
	return slices.DeleteFunc(parts, func(pairs []int32) bool {
		return slices.ContainsFunc(pairs, func(i int32) bool { return !simple(p, &p.Pairs[i]) })
	})
}

// simple reports whether a queue pair shares nothing with those of other parts inside its hosts: its memory is next to NICs that have
// a link of PCIe of their own, and it keeps to one path.
func simple(p *plan.Plan, q *plan.Pair) bool {
	if chosen, back := p.ChosenPath(q); chosen || back || q.Flow != nil {
		return false
	}
	for nic, gpu := range map[topo.NICID]int32{q.From: q.FromGPU, q.To: q.ToGPU} {
		n := &p.Graph.NICs[nic]
		if len(n.Ports) > 1 || gpu >= 0 && !p.Graph.Near(nic, gpu) {
			return false
		}
		for _, other := range p.Graph.Hosts[n.Host].NICs {
			if o := &p.Graph.NICs[other]; other != nic && o.Card == n.Card {
				return false
			}
		}
	}
	return true
}

// imageOf returns a part as the image of another with the same look, false if it is none.
func imageOf(p *plan.Plan, fc *fabric.Config, lead, pairs []int32) (Image, bool) {
	g := p.Graph
	x := Image{Leads: lead, Pairs: pairs, Ports: make([]topo.PortID, len(g.Ports)), Nodes: make([]topo.NodeID, len(g.Nodes))}
	for i := range x.Ports {
		x.Ports[i] = None
	}
	for i := range x.Nodes {
		x.Nodes[i] = None
	}
	for k, id := range lead {
		a, b := &p.Pairs[id], &p.Pairs[pairs[k]]
		if a.Class != b.Class || a.Job != b.Job || a.Lane != b.Lane || a.Lanes != b.Lanes || (a.FromGPU < 0) != (b.FromGPU < 0) ||
			(a.ToGPU < 0) != (b.ToGPU < 0) || !x.maps(g, fc, a.Path, b.Path) || !x.maps(g, fc, a.Back, b.Back) {
			return x, false
		}
	}
	return x, ascends(x.Ports) && ascends(x.Nodes)
}

// maps takes the ports of a path to those of another, false if they do not correspond.
func (x *Image) maps(g *topo.Graph, fc *fabric.Config, path, to []topo.PortID) bool {
	if len(path) != len(to) {
		return false
	}
	for i, a := range path {
		b := to[i]
		from, other := g.Ports[a].Node, g.Ports[b].Node
		if host := g.Nodes[from].Kind == topo.HostKind; host != (g.Nodes[other].Kind == topo.HostKind) ||
			host && (from != other || !x.takes(g, a, b)) {
			return false
		} else if !host && !x.switches(g, fc, from, other) {
			return false
		}
		if x.Ports[a] != b {
			return false
		}
	}
	return true
}

// takes takes a port to another.
func (x *Image) takes(g *topo.Graph, a, b topo.PortID) bool {
	p, q := &g.Ports[a], &g.Ports[b]
	if x.Ports[a] == None {
		x.Ports[a] = b
	}
	return x.Ports[a] == b && p.Rate == q.Rate && p.Delay == q.Delay && (p.NIC < 0) == (q.NIC < 0) &&
		(p.NIC < 0 || g.NICs[p.NIC].Host == g.NICs[q.NIC].Host)
}

// switches takes a switch to another, port by port.
func (x *Image) switches(g *topo.Graph, fc *fabric.Config, a, b topo.NodeID) bool {
	if x.Nodes[a] != None {
		return x.Nodes[a] == b
	}
	from, to := &g.Nodes[a], &g.Nodes[b]
	if a == b || from.Kind != to.Kind || len(from.Ports) != len(to.Ports) || fc.ProfileOf != nil && fc.ProfileOf[a] != fc.ProfileOf[b] {
		return false
	}
	x.Nodes[a] = b
	for i := range from.Ports {
		if !x.takes(g, from.Ports[i], to.Ports[i]) {
			return false
		}
	}
	return true
}

// ascends reports whether the images of ascending numbers ascend.
func ascends[T topo.PortID | topo.NodeID](of []T) bool {
	last := T(None)
	for _, to := range of {
		if to == None {
			continue
		}
		if to <= last {
			return false
		}
		last = to
	}
	return true
}
