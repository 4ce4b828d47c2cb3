package survey

import "railyard/internal/net/topo"

// A cutter knows what falls apart without a switch or a link: it has walked the switches in depth (R.
// Tarjan: Depth-first search and linear graph algorithms, SIAM Journal on Computing 1, 1972). The
// switches below one in the walk follow it in order, so they are a range of it.
type cutter struct {
	g     *topo.Graph
	order []topo.NodeID // switches as the walk met them
	at    []int32       // by node: in order, -1: not met, as hosts
	end   []int32       // by node: behind the last one below it
	low   []int32       // by node: the first that a link leads to from it or below, but for the link to it
	up    []topo.LinkID // by node: by which the walk came, -1: it began here
	part  []int32       // by node: where in order its part of the network begins
	ends  []int32       // by where a part begins: behind its last switch
	nics  []int32       // by place in order: NICs on the switches before it
	lostN []int32       // by NIC: the failure that cut it off
	links []int32       // by NIC: its ports that the failure leaves without a way to most others
	fails int32
}

func newCutter(g *topo.Graph) *cutter {
	c := &cutter{g: g, at: make([]int32, len(g.Nodes)), end: make([]int32, len(g.Nodes)), low: make([]int32, len(g.Nodes)),
		up: make([]topo.LinkID, len(g.Nodes)), part: make([]int32, len(g.Nodes)), ends: make([]int32, len(g.Nodes)),
		lostN: make([]int32, len(g.NICs)), links: make([]int32, len(g.NICs))}
	for i := range c.at {
		c.at[i] = -1
	}
	for i, n := range g.Nodes {
		if n.Kind != topo.HostKind && c.at[i] < 0 {
			begin := int32(len(c.order))
			c.walk(topo.NodeID(i), -1, begin)
			c.ends[begin] = int32(len(c.order))
		}
	}
	c.nics = make([]int32, len(c.order)+1)
	for i, n := range c.order {
		c.nics[i+1] = c.nics[i] + int32(len(c.own(n)))
	}
	return c
}

func (c *cutter) walk(n topo.NodeID, up topo.LinkID, part int32) {
	c.at[n], c.low[n], c.up[n], c.part[n] = int32(len(c.order)), int32(len(c.order)), up, part
	c.order = append(c.order, n)
	for _, p := range c.g.Nodes[n].Ports {
		port := &c.g.Ports[p]
		switch {
		case port.NIC >= 0 || port.Link == up:
		case c.at[port.To] < 0:
			c.walk(port.To, port.Link, part)
			c.low[n] = min(c.low[n], c.low[port.To])
		default:
			c.low[n] = min(c.low[n], c.at[port.To])
		}
	}
	c.end[n] = int32(len(c.order))
}

// own lists the NICs on a switch, one with several ports there as often.
func (c *cutter) own(n topo.NodeID) (all []topo.NICID) {
	for _, p := range c.g.Nodes[n].Ports {
		if nic := c.g.Ports[p].NIC; nic >= 0 {
			all = append(all, nic)
		}
	}
	return all
}

// A piece is a range of order.
type piece struct{ from, to int32 }

func (c *cutter) size(p piece) int32 { return c.nics[p.to] - c.nics[p.from] }

// without lists the NICs that lose most others without a switch: its own, and those of all pieces of
// its part but the largest.
func (c *cutter) without(n topo.NodeID) []topo.NICID {
	at := c.at[n]
	rest := []piece{{c.part[n], at}} // one piece with what is behind it and not cut off
	var cut []piece
	behind := at + 1
	for _, p := range c.g.Nodes[n].Ports {
		port := &c.g.Ports[p]
		if port.NIC >= 0 || c.up[port.To] != port.Link || c.at[port.To] < at {
			continue
		}
		below := piece{c.at[port.To], c.end[port.To]}
		if c.low[port.To] < at {
			rest = append(rest, below)
		} else {
			cut = append(cut, below)
		}
		behind = max(behind, below.to)
	}
	rest = append(rest, piece{behind, c.ends[c.part[n]]})
	return c.whole(append(c.own(n), c.smaller(rest, cut)...), c.part[n])
}

// withoutLink lists the NICs that lose most others without a link.
func (c *cutter) withoutLink(l topo.LinkID) []topo.NICID {
	a, b := c.g.Ports[2*l], c.g.Ports[2*l+1]
	switch {
	case a.NIC >= 0 && a.NIC != b.NIC:
		return []topo.NICID{a.NIC, b.NIC}
	case a.NIC >= 0:
		sw := a.Node
		if c.at[sw] < 0 {
			sw = b.Node
		}
		return c.whole([]topo.NICID{a.NIC}, c.part[sw])
	}
	n := a.Node
	if c.up[n] != l {
		n = b.Node
	}
	if c.up[n] != l || c.low[n] < c.at[n] {
		return nil
	}
	below := piece{c.at[n], c.end[n]}
	return c.whole(c.smaller([]piece{{c.part[n], below.from}, {below.to, c.ends[c.part[n]]}}, []piece{below}), c.part[n])
}

// smaller lists the NICs of all pieces but the largest: the rest is one, each of the others another.
func (c *cutter) smaller(rest, cut []piece) (lost []topo.NICID) {
	most, largest := int32(0), -1
	for _, p := range rest {
		most += c.size(p)
	}
	for i, p := range cut {
		if c.size(p) > most {
			most, largest = c.size(p), i
		}
	}
	if largest >= 0 {
		for _, p := range rest {
			lost = c.append(lost, p)
		}
	}
	for i, p := range cut {
		if i != largest {
			lost = c.append(lost, p)
		}
	}
	return lost
}

func (c *cutter) append(all []topo.NICID, p piece) []topo.NICID {
	if c.size(p) == 0 {
		return all
	}
	for _, n := range c.order[p.from:p.to] {
		all = append(all, c.own(n)...)
	}
	return all
}

// whole lists those NICs that lose as many ports as they have in a part of the network: by another port there
// a bond goes on. Of several parts each has frames for the NIC that no other part takes.
func (c *cutter) whole(nics []topo.NICID, part int32) (all []topo.NICID) {
	for _, n := range nics {
		c.links[n]++
	}
	for _, n := range nics {
		there := int32(0)
		for _, p := range c.g.NICs[n].Ports {
			if to := c.g.Ports[p].To; c.at[to] >= 0 && c.part[to] == part {
				there++
			}
		}
		if c.links[n] > 0 && c.links[n] >= there {
			all = append(all, n)
		}
		c.links[n] = 0
	}
	return all
}

// lost says what is cut off with these NICs.
func (c *cutter) lost(what, name string, nics []topo.NICID) Point {
	p := Point{What: what, Count: 1, First: name, Last: name, NICs: len(nics)}
	c.fails++
	for _, n := range nics {
		c.lostN[n] = c.fails
	}
	for _, n := range nics {
		gpus, whole := c.lostOf(int(c.g.NICs[n].Host), n)
		p.GPUs += gpus
		p.Hosts += whole
	}
	return p
}

// lostOf counts the GPUs of a host without a NIC of their own, and the host if it has none, where first
// is the first of its NICs that are lost; else 0: they are counted there.
func (c *cutter) lostOf(host int, first topo.NICID) (gpus, whole int) {
	h := &c.g.Hosts[host]
	left := 0
	for _, n := range h.NICs {
		if c.lostN[n] != c.fails {
			left++
		} else if n < first {
			return 0, 0
		}
	}
	for gpu := range h.GPUs {
		alone := c.lostN[c.g.NICOf(host, gpu)] == c.fails
		for _, n := range h.NICs {
			alone = alone && (int(c.g.NICs[n].GPU) != gpu || c.lostN[n] == c.fails)
		}
		if alone {
			gpus++
		}
	}
	if left == 0 {
		whole = 1
	}
	return gpus, whole
}
