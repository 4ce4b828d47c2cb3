package topo

import (
	"fmt"
	"strings"
)

// Validate reports the first thing about the graph that breaks an invariant of
// this package, naming it; nil if there is none.
func (g *Graph) Validate() error {
	for _, check := range []func() error{g.checkNodes, g.checkLinks, g.checkPortLists, g.checkHosts, g.checkNICs} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (g *Graph) checkNodes() error {
	if len(g.Nodes) == 0 {
		return fmt.Errorf("the network has no nodes, want at least a host and a switch")
	}
	names := make(map[string]bool, len(g.Nodes))
	for i, n := range g.Nodes {
		switch {
		case n.Name == "":
			return fmt.Errorf("node %d has no name", i)
		case strings.ContainsAny(n.Name, "/#"):
			return fmt.Errorf("node %q: a name has no / and no #, which separate the parts of a port's name", n.Name)
		case names[n.Name]:
			return fmt.Errorf("two nodes are named %s, want different names", n.Name)
		case n.Kind >= kinds:
			return fmt.Errorf("%s: %v, want host, leaf, spine or superspine", n.Name, n.Kind)
		case (n.Kind == HostKind) != (n.Tier == 0) || n.Tier < 0:
			return fmt.Errorf("%s: a %v in tier %d, want hosts in tier 0 and switches above", n.Name, n.Kind, n.Tier)
		}
		names[n.Name] = true
	}
	return nil
}

func (g *Graph) checkLinks() error {
	if len(g.Ports) != 2*len(g.Links) {
		return fmt.Errorf("%d ports for %d links, want two for each", len(g.Ports), len(g.Links))
	}
	for i, l := range g.Links {
		if !g.isNode(l.A) || !g.isNode(l.B) {
			return fmt.Errorf("link %d: ends are nodes %d and %d, want 0 to %d", i, l.A, l.B, len(g.Nodes)-1)
		}
		a, b := g.Nodes[l.A], g.Nodes[l.B]
		name := fmt.Sprintf("link %s/%s", a.Name, b.Name)
		switch {
		case l.A == l.B:
			return fmt.Errorf("%s: both ends are the same node", name)
		case l.Cost < 1 || l.Cost > maxCost:
			return fmt.Errorf("%s: cost %d, want 1 to %d", name, l.Cost, maxCost)
		case l.Rate <= 0:
			return fmt.Errorf("%s: rate %s, want more than 0", name, bits(l.Rate))
		case l.Delay <= 0:
			return fmt.Errorf("%s: delay %v, want more than 0", name, l.Delay)
		case l.Length < 0:
			return fmt.Errorf("%s: length %v, want 0 or more", name, l.Length)
		}
		for side, end := range [2][2]NodeID{{l.A, l.B}, {l.B, l.A}} {
			p := g.Ports[2*i+side]
			if p.Node != end[0] || p.To != end[1] || p.Link != LinkID(i) {
				return fmt.Errorf("%s: port %d leads from node %d to node %d on link %d, want node %d to node %d on "+
					"link %d",
					name, 2*i+side, p.Node, p.To, p.Link, end[0], end[1], i)
			}
			if p.Rate <= 0 || p.Delay != l.Delay { // one direction may be slower: see Recabling.Only
				return fmt.Errorf("%s: port %s has rate %s and delay %v, its link %s and %v", name, p.Name,
					bits(p.Rate), p.Delay, bits(l.Rate), l.Delay)
			}
		}
	}
	return nil
}

// checkPortLists holds that each port is listed once, by its node, in order, and
// that port names are unique.
func (g *Graph) checkPortLists() error {
	listed := 0
	for i, n := range g.Nodes {
		for k, p := range n.Ports {
			switch {
			case p < 0 || int(p) >= len(g.Ports):
				return fmt.Errorf("%s: lists port %d, want 0 to %d", n.Name, p, len(g.Ports)-1)
			case g.Ports[p].Node != NodeID(i):
				return fmt.Errorf("%s: lists port %s, which is not its own", n.Name, g.Ports[p].Name)
			case k > 0 && p <= n.Ports[k-1]:
				return fmt.Errorf("%s: lists port %d after port %d, want ascending order", n.Name, p, n.Ports[k-1])
			}
			listed++
		}
	}
	if listed != len(g.Ports) {
		return fmt.Errorf("nodes list %d ports, the network has %d", listed, len(g.Ports))
	}
	names := make(map[string]bool, len(g.Ports))
	for i, p := range g.Ports {
		if p.Name == "" {
			return fmt.Errorf("port %d of %s has no name", i, g.Nodes[p.Node].Name)
		}
		if names[p.Name] {
			return fmt.Errorf("two ports are named %s, want different names", p.Name)
		}
		names[p.Name] = true
	}
	return nil
}

func (g *Graph) checkHosts() error {
	hosts, owner := 0, make(map[NodeID]bool, len(g.Hosts))
	for _, n := range g.Nodes {
		if n.Kind == HostKind {
			hosts++
		}
	}
	if hosts != len(g.Hosts) || hosts == 0 {
		return fmt.Errorf("%d host nodes for %d hosts, want one for each and at least one", hosts, len(g.Hosts))
	}
	for i, h := range g.Hosts {
		switch {
		case !g.isNode(h.Node) || g.Nodes[h.Node].Kind != HostKind || owner[h.Node]:
			return fmt.Errorf("host %d (%s): node %d, want a host node of its own", i, h.Name, h.Node)
		case h.Name != g.Nodes[h.Node].Name:
			return fmt.Errorf("host %d is named %s, its node %s", i, h.Name, g.Nodes[h.Node].Name)
		case h.GPUs < 0:
			return fmt.Errorf("%s: %d GPUs, want 0 or more", h.Name, h.GPUs)
		case len(h.NICs) == 0:
			return fmt.Errorf("%s has no NIC: connect it to a switch", h.Name)
		}
		owner[h.Node] = true
		ports := 0
		for k, n := range h.NICs {
			if n < 0 || int(n) >= len(g.NICs) || int(g.NICs[n].Host) != i || int(g.NICs[n].Index) != k {
				return fmt.Errorf("%s: nic%d is NIC %d, which is not its own", h.Name, k, n)
			}
			ports += len(g.NICs[n].Ports)
		}
		if ports != len(g.Nodes[h.Node].Ports) {
			return fmt.Errorf("%s: its NICs have %d ports, and it has %d, want each to be of one NIC", h.Name, ports,
				len(g.Nodes[h.Node].Ports))
		}
	}
	return nil
}

func (g *Graph) checkNICs() error {
	for i, n := range g.NICs {
		if n.Host < 0 || int(n.Host) >= len(g.Hosts) || n.Index < 0 || int(n.Index) >= len(g.Hosts[n.Host].NICs) ||
			g.Hosts[n.Host].NICs[n.Index] != NICID(i) {
			return fmt.Errorf("NIC %d: host %d, index %d, where another or none is listed", i, n.Host, n.Index)
		}
		h, name := g.Hosts[n.Host], g.NICName(NICID(i))
		for k, p := range n.Ports {
			switch {
			case p < 0 || int(p) >= len(g.Ports) || g.Ports[p].Node != h.Node:
				return fmt.Errorf("%s is not connected: port %d is not one of %s", name, p, h.Name)
			case g.Ports[p].NIC != NICID(i) || g.Ports[p^1].NIC != NICID(i) && g.switched(p):
				return fmt.Errorf("%s: its link names NICs %d and %d, want %d", name, g.Ports[p].NIC, g.Ports[p^1].NIC, i)
			case k > 0 && (p <= n.Ports[k-1] || !g.switched(p) || !g.switched(n.Port)):
				return fmt.Errorf("%s: its ports %d and %d, want them ascending and each to a switch", name, n.Ports[k-1], p)
			}
		}
		switch {
		case len(n.Ports) == 0 || len(n.Ports) > MaxPorts:
			return fmt.Errorf("%s: %d ports, want 1 to %d", name, len(n.Ports), MaxPorts)
		case n.Port != n.Ports[0]:
			return fmt.Errorf("%s is not connected: port %d is not one of %s", name, n.Port, h.Name)
		case n.Card < 0 || n.Card > n.Index:
			return fmt.Errorf("%s: card %d, want 0 to %d", name, n.Card, n.Index)
		case n.Rail < 0:
			return fmt.Errorf("%s: rail %d, want 0 or more", name, n.Rail)
		case n.GPU < -1 || int(n.GPU) >= h.GPUs:
			return fmt.Errorf("%s: nearest GPU %d, want -1 (none) to %d", name, n.GPU, h.GPUs-1)
		}
	}
	for _, p := range g.Ports {
		toHost := g.Nodes[p.Node].Kind == HostKind || g.Nodes[p.To].Kind == HostKind
		if !toHost && p.NIC != -1 {
			return fmt.Errorf("port %s: names NIC %d, want -1 between switches", p.Name, p.NIC)
		}
	}
	return nil
}

// switched reports whether a NIC's port leads to a switch.
func (g *Graph) switched(p PortID) bool { return g.Nodes[g.Ports[p].To].Kind != HostKind }

func (g *Graph) isNode(n NodeID) bool { return n >= 0 && int(n) < len(g.Nodes) }
