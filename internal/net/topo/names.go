package topo

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// Names finds what a scenario calls by name.
type Names struct {
	g     *Graph
	nodes map[string]NodeID
	ports map[string]PortID
	hosts map[string]int
}

// Names returns an index of the graph's names; make it once and keep it.
func (g *Graph) Names() *Names {
	n := &Names{g: g, nodes: make(map[string]NodeID, len(g.Nodes)), ports: make(map[string]PortID, len(g.Ports)),
		hosts: make(map[string]int, len(g.Hosts))}
	for i, node := range g.Nodes {
		n.nodes[node.Name] = NodeID(i)
	}
	for i, p := range g.Ports {
		n.ports[p.Name] = PortID(i)
	}
	for i, h := range g.Hosts {
		n.hosts[h.Name] = i
	}
	return n
}

// Node finds a host or a switch: host1, rail1, spine1.
func (n *Names) Node(name string) (NodeID, error) {
	id, ok := n.nodes[name]
	if !ok {
		return 0, fmt.Errorf("%q is neither a host nor a switch of this network, want a name such as %s or %s",
			name, n.g.Nodes[0].Name, n.g.Nodes[len(n.g.Nodes)-1].Name)
	}
	return id, nil
}

// Port finds an egress port: rail1/spine1, or rail1/spine1#2 with parallel links.
func (n *Names) Port(name string) (PortID, error) {
	id, ok := n.ports[name]
	if ok {
		return id, nil
	}
	if _, several := n.ports[name+"#1"]; several {
		return 0, fmt.Errorf("%q names several parallel links, want one of them, such as %s#1", name, name)
	}
	return 0, fmt.Errorf("%q is not a port of this network, want node/peer such as %s", name, n.g.Ports[0].Name)
}

// Links finds links by the name of one of their ports: all; those whose name a pattern matches, with * for any
// letters of a node's name and ? for one, as in leaf1/spine*; or one.
func (n *Names) Links(name string) (links []LinkID, err error) {
	pattern := name
	switch {
	case name == "all":
		pattern = "*/*"
	case !IsPattern(name):
		port, err := n.Port(name)
		if err != nil {
			return nil, err
		}
		return []LinkID{n.g.Ports[port].Link}, nil
	}
	for l := range n.g.Links {
		for _, p := range n.g.Ports[2*l : 2*l+2] {
			if ok, _ := path.Match(pattern, p.Name); ok {
				links = append(links, LinkID(l))
				break
			}
		}
	}
	if len(links) == 0 {
		return nil, fmt.Errorf("%q matches no link of this network, want node/peer such as %s", name, n.g.Ports[0].Name)
	}
	return links, nil
}

// IsPattern reports whether a name may match several links.
func IsPattern(name string) bool { return name == "all" || strings.ContainsAny(name, "*?") }

// Endpoint finds a NIC by its own name (host1/nic0, gpu -1) or by a GPU that it
// serves (host1/gpu3). Host and gpu are indices.
func (n *Names) Endpoint(name string) (host, gpu int, nic NICID, err error) {
	hostName, device, _ := strings.Cut(name, "/")
	host, ok := n.hosts[hostName]
	if !ok {
		return 0, 0, 0, fmt.Errorf("%q: no host %q, want %s", name, hostName,
			span(n.g.Hosts[0].Name, n.g.Hosts[len(n.g.Hosts)-1].Name))
	}
	h := n.g.Hosts[host]
	if k, ok := index(device, "gpu"); ok && h.GPUs > 0 {
		if k >= h.GPUs {
			return 0, 0, 0, fmt.Errorf("%q: %s has %d GPUs, want %s", name, h.Name, h.GPUs,
				span("gpu0", "gpu"+strconv.Itoa(h.GPUs-1)))
		}
		return host, k, n.g.NICOf(host, k), nil
	}
	if k, ok := index(device, "nic"); ok {
		if k >= len(h.NICs) {
			return 0, 0, 0, fmt.Errorf("%q: %s has %d NICs, want %s", name, h.Name, len(h.NICs),
				span("nic0", "nic"+strconv.Itoa(len(h.NICs)-1)))
		}
		return host, -1, h.NICs[k], nil
	}
	return 0, 0, 0, fmt.Errorf("%q: want a GPU or a NIC of a host, such as %s/gpu0 or %s/nic0", name, h.Name, h.Name)
}

// index reads the number after a prefix: 3 from gpu3. It takes no sign and no leading zero.
func index(s, prefix string) (int, bool) {
	digits, ok := strings.CutPrefix(s, prefix)
	k, err := strconv.Atoi(digits)
	return k, ok && err == nil && strconv.Itoa(k) == digits && k >= 0
}

// span shows a range of names, or the one name that it holds.
func span(first, last string) string {
	if first == last {
		return first
	}
	return first + " to " + last
}
