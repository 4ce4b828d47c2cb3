package view

import (
	"bytes"
	"encoding/json"
	"fmt"

	"railyard/internal/base/shown"
	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// TopoForms write a network as other tools take it, by name: Graphviz's DOT, Mermaid's flowchart, and JSON with all that the
// graph knows. The same graph gives the same bytes; every node and link is there, links between the same two nodes as one line,
// with their number, only where the form draws.
var TopoForms = map[string]func(name string, g *topo.Graph) ([]byte, error){
	"dot":     dot,
	"mermaid": mermaid,
	"json":    asJSON,
}

// A bundle is the links between two nodes that are alike.
type bundle struct {
	a, b  topo.NodeID
	rate  unit.Bitrate
	count int
}

func (b *bundle) label() string {
	if b.count == 1 {
		return b.rate.String()
	}
	return fmt.Sprintf("%d x %v", b.count, b.rate)
}

// bundles puts parallel links together, in order of the first.
func bundles(g *topo.Graph) (all []bundle) {
	at := map[bundle]int{}
	for _, l := range g.Links {
		key := bundle{a: l.A, b: l.B, rate: l.Rate}
		if i, known := at[key]; known {
			all[i].count++
			continue
		}
		at[key] = len(all)
		key.count = 1
		all = append(all, key)
	}
	return all
}

// tiers lists the nodes of each tier, the highest first.
func tiers(g *topo.Graph) [][]topo.NodeID {
	top := 0
	for _, n := range g.Nodes {
		top = max(top, n.Tier)
	}
	all := make([][]topo.NodeID, top+1)
	for i, n := range g.Nodes {
		all[top-n.Tier] = append(all[top-n.Tier], topo.NodeID(i))
	}
	return all
}

// dot writes an undirected graph for Graphviz, a row for each tier.
func dot(name string, g *topo.Graph) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "graph %q {\n  graph [ranksep=1.5];\n  node [shape=box];\n", name)
	for _, tier := range tiers(g) {
		b.WriteString("  { rank=same;")
		for _, n := range tier {
			fmt.Fprintf(&b, " %q;", g.Nodes[n].Name)
		}
		b.WriteString(" }\n")
	}
	for _, l := range bundles(g) {
		fmt.Fprintf(&b, "  %q -- %q [label=%q];\n", g.Nodes[l.b].Name, g.Nodes[l.a].Name, l.label())
	}
	b.WriteString("}\n")
	return b.Bytes(), nil
}

// mermaid writes a flowchart, a subgraph for each tier.
func mermaid(_ string, g *topo.Graph) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("flowchart TB\n")
	for i, tier := range tiers(g) {
		if len(tier) == 0 {
			continue
		}
		fmt.Fprintf(&b, "  subgraph tier%d [%v]\n", i, g.Nodes[tier[0]].Kind)
		for _, n := range tier {
			fmt.Fprintf(&b, "    n%d[\"%s\"]\n", n, g.Nodes[n].Name)
		}
		b.WriteString("  end\n")
	}
	for _, l := range bundles(g) {
		fmt.Fprintf(&b, "  n%d ---|\"%s\"| n%d\n", l.b, l.label(), l.a)
	}
	return b.Bytes(), nil
}

// formNetwork is a graph as JSON.
type formNetwork struct {
	Name  string     `json:"name"`
	Nodes []formNode `json:"nodes"`
	Links []formLink `json:"links"`
}

// formNode is a host or a switch; pod, plane and rail count from 1, 0: none.
type formNode struct {
	Name  string `json:"name"`
	Role  string `json:"role"` // host, leaf, spine, superspine
	Tier  int    `json:"tier"`
	Pod   int    `json:"pod,omitempty"`
	Plane int    `json:"plane,omitempty"`
	Rail  int    `json:"rail,omitempty"`
	Model string `json:"model,omitempty"`
	GPUs  int    `json:"gpus,omitempty"`
}

// formLink is a cable with its ports.
type formLink struct {
	A      string        `json:"a"`
	PortA  string        `json:"port_a"`
	B      string        `json:"b"`
	PortB  string        `json:"port_b"`
	NIC    string        `json:"nic,omitempty"` // of a host: the NIC whose port it is
	Rate   unit.Bitrate  `json:"rate_bps"`
	Delay  unit.Duration `json:"delay_ps"`
	Metres float64       `json:"length_m,omitempty"`
	Cost   int           `json:"cost"`
}

func asJSON(name string, g *topo.Graph) ([]byte, error) {
	net := formNetwork{Name: name}
	gpus := map[topo.NodeID]int{}
	for _, h := range g.Hosts {
		gpus[h.Node] = h.GPUs
	}
	for i, n := range g.Nodes {
		net.Nodes = append(net.Nodes, formNode{Name: n.Name, Role: n.Kind.String(), Tier: n.Tier, Pod: n.Place.Pod + 1,
			Plane: n.Place.Plane + 1, Rail: n.Place.Rail + 1, Model: n.Model, GPUs: gpus[topo.NodeID(i)]})
	}
	for i, l := range g.Links {
		link := formLink{A: g.Nodes[l.A].Name, PortA: g.Ports[2*i].Name, B: g.Nodes[l.B].Name, PortB: g.Ports[2*i+1].Name,
			Rate: l.Rate, Delay: l.Delay, Metres: float64(l.Length) / float64(unit.Metre), Cost: l.Cost}
		if nic := g.Ports[2*i].NIC; nic >= 0 {
			link.NIC = g.NICName(nic)
		}
		net.Links = append(net.Links, link)
	}
	out, err := json.MarshalIndent(net, "", "  ")
	return append(shown.JSON(out), '\n'), err
}
