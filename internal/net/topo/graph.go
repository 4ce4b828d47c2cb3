package topo

import (
	"slices"
	"strconv"

	"railyard/internal/base/unit"
)

// Identifiers are dense, from 0: indices into the slices of a Graph.
type (
	NodeID int32 // a host or a switch
	PortID int32 // one direction of a link
	LinkID int32 // a cable
	NICID  int32 // a network interface: what frames are addressed to
)

// Kind is what a node is.
type Kind uint8

// The kinds of node; a kind's value is its tier.
const (
	HostKind   Kind = iota // Host names the struct
	Leaf                   // an edge switch; a rail switch is one
	Spine                  // links leaves
	SuperSpine             // links spines
	kinds
)

var kindNames = [kinds]string{"host", "leaf", "spine", "superspine"}

// String returns host, leaf, spine or superspine.
func (k Kind) String() string {
	if k >= kinds {
		return "kind " + strconv.Itoa(int(k))
	}
	return kindNames[k]
}

// Node is a host or a switch. Its Kind is its role.
type Node struct {
	Name  string
	Kind  Kind
	Tier  int // hosts 0, leaves 1, spines 2, superspines 3
	Place Place
	Model string   // of a switch, as a catalogue has it; empty: not known
	Ports []PortID // Invariant: ascending; every port whose Node is this one
}

// Place is where in its design a node stands, each from 0, -1: nowhere, or of several.
type Place struct {
	Pod   int // pods share no spines
	Plane int // planes share no switches
	Rail  int // of a leaf
}

// nowhere is the place of a node of which nothing is said.
var nowhere = Place{-1, -1, -1}

// Link is a full-duplex cable between two nodes.
type Link struct {
	A, B   NodeID
	Rate   unit.Bitrate  // each direction
	Length unit.Length   // 0 if only the delay is known
	Delay  unit.Duration // propagation, one way
	Cost   int           // of routes: 1, or more where shortest paths are to avoid it
}

// Port is one direction of a link: where packets leave Node for To.
type Port struct {
	Node  NodeID
	To    NodeID
	Link  LinkID
	NIC   NICID // the card at Node or, if that is a switch, at To; -1 between switches
	Rate  unit.Bitrate
	Delay unit.Duration
	Name  string // node/peer, or node/peer#k (k from 1) with parallel links
}

// MaxPorts is how many ports one NIC may have.
const MaxPorts = 4

// NIC is a network interface with its port, or with several that are bonded: each carries frames from
// it and for it. The ports of a card that are not bonded are NICs of their own, of one Card.
type NIC struct {
	Host  int32    // index into Graph.Hosts
	Index int32    // within the host: nic0, nic1, ...
	Port  PortID   // egress, at the host; of several the first
	Ports []PortID // all, ascending
	GPU   int32    // nearest GPU within the host, -1 without GPUs
	Rail  int32    // from 0
	Card  int32    // within the host: NICs of one share its PCIe link
}

// Host is a host's inventory: its GPUs and NICs.
type Host struct {
	Node NodeID
	Name string
	GPUs int
	NICs []NICID // by index
}

// Graph is a network. It is not changed after it is built.
type Graph struct {
	Nodes []Node
	Links []Link
	Ports []Port
	Hosts []Host
	NICs  []NIC

	Isolated bool // rails are VLANs, and nothing routes between them
}

// Apart reports whether two NICs are in VLANs between which nothing routes.
func (g *Graph) Apart(a, b NICID) bool { return g.Isolated && g.NICs[a].Rail != g.NICs[b].Rail }

// Peer returns the port of the other direction of p's link.
func (g *Graph) Peer(p PortID) PortID { return p ^ 1 }

// Edge returns the node that a NIC is cabled to: a switch, or the other host. Of one with several
// ports that is where the first leads.
func (g *Graph) Edge(n NICID) NodeID { return g.Ports[g.NICs[n].Port].To }

// PortOf returns the port by which a bond sends what has a hash: the one that the hash names or, if that is
// down, one of the others that are up; the named one if none is. So only what a port carried moves with it.
func (n *NIC) PortOf(hash uint64, up func(PortID) bool) PortID {
	home := n.Ports[BondIndex(hash, len(n.Ports))]
	if len(n.Ports) == 1 || up(home) {
		return home
	}
	var left []PortID
	for _, p := range n.Ports {
		if up(p) {
			left = append(left, p)
		}
	}
	if len(left) == 0 {
		return home
	}
	return left[BondIndex(hash/uint64(len(n.Ports)), len(left))]
}

// BondIndex is which of so many ports a hash names.
func BondIndex(hash uint64, ports int) int { return int(hash % uint64(ports)) }

// Bonded reports whether some NIC has several ports.
func (g *Graph) Bonded() bool {
	return slices.ContainsFunc(g.NICs, func(n NIC) bool { return len(n.Ports) > 1 })
}

// Carded returns the graph with so many NICs of a host to a card.
func (g *Graph) Carded(nics int) *Graph {
	c := *g
	c.NICs = slices.Clone(g.NICs)
	for i := range c.NICs {
		c.NICs[i].Card = c.NICs[i].Index / int32(nics)
	}
	c.nearest()
	return &c
}

// NICName returns the name of a NIC, such as host1/nic0.
func (g *Graph) NICName(n NICID) string {
	nic := g.NICs[n]
	return g.Hosts[nic.Host].Name + "/nic" + strconv.Itoa(int(nic.Index))
}

// NICOf returns the NIC that serves a GPU, the first of its card: GPUs are spread over a host's cards
// in order, so with a card per GPU it is the card of the same index.
func (g *Graph) NICOf(host, gpu int) NICID {
	h := &g.Hosts[host]
	cards := g.cards(h)
	return h.NICs[gpu*cards/h.GPUs*(len(h.NICs)/cards)]
}

// Near reports whether a GPU of a NIC's host reaches the NIC without another GPU's help.
func (g *Graph) Near(n NICID, gpu int32) bool {
	nic := &g.NICs[n]
	return nic.GPU == gpu || g.NICs[g.NICOf(int(nic.Host), int(gpu))].Card == nic.Card
}

// cards is how many cards a host has.
func (g *Graph) cards(h *Host) int { return int(g.NICs[h.NICs[len(h.NICs)-1]].Card) + 1 }

// nearest sets the GPU that is nearest to each NIC.
func (g *Graph) nearest() {
	for i := range g.NICs {
		h := &g.Hosts[g.NICs[i].Host]
		g.NICs[i].GPU = int32(nearestGPU(int(g.NICs[i].Card), g.cards(h), h.GPUs))
	}
}

// nearestGPU returns the first GPU that NICOf gives to card index of so many.
func nearestGPU(index, nics, gpus int) int {
	switch {
	case gpus == 0:
		return -1
	case nics >= gpus:
		return index * gpus / nics
	}
	return (index*gpus + nics - 1) / nics
}

// Rails returns the number of rails: one more than the highest rail of a NIC.
func (g *Graph) Rails() int {
	rails := int32(0)
	for _, n := range g.NICs {
		rails = max(rails, n.Rail+1)
	}
	return int(rails)
}
