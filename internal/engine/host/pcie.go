package host

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// Graph is the PCIe inside each host: links, full duplex, and the ways over them. A way is directed links in order: 2l is
// link l in the direction from its first end, 2l+1 back.
type Graph struct {
	Rates      []unit.Bitrate // by link, each direction; 0: no limit
	ToCard     [][][]int32    // by GPU and card: from the GPU to the card; its last link is the card's own
	FromMemory [][]int32      // by GPU: from the host memory that its batches lie in
	// Peers is by GPU and GPU the way from one to the other where no NVLink joins them, else nil; nil: it joins all.
	Peers [][][]int32
	// Staged is ToCard by way of host memory, for hosts whose NICs reach no memory of GPUs; nil: there are none.
	Staged [][][]int32
}

// back is a way in the opposite direction.
func back(way []int32) []int32 {
	w := slices.Clone(way)
	slices.Reverse(w)
	for i := range w {
		w[i] ^= 1
	}
	return w
}

// card returns the directed link into a card.
func (g *Graph) card(card int32) int32 {
	way := g.ToCard[0][card]
	return way[len(way)-1]
}

// addPCIe makes the PCIe of each host.
func (h *Hosts) addPCIe() {
	h.pcieOf = make([]int32, len(h.graph.NICs))
	for host, at := range h.graph.Hosts {
		h.addLinks(&h.hosts[host])
		card := int32(-1)
		for _, id := range at.NICs {
			if n := &h.graph.NICs[id]; n.Card != card {
				card = n.Card
				h.pcie = append(h.pcie, h.cardLink(int32(host), card))
			}
			h.pcieOf[id] = int32(len(h.pcie) - 1)
		}
	}
}

// addLinks makes the links of the graph in a host.
func (h *Hosts) addLinks(at *host) {
	g := h.cfg.Graph
	if g == nil {
		return
	}
	at.links = make([]share, 2*len(g.Rates))
	for d := range at.links {
		l := int32(d / 2)
		at.links[d] = newShare(g.Rates[l], h.cfg.latency(), h.turnsOf(at, l)...)
	}
}

// turnsOf are the rates of a link of the graph over time. What is said of no link in particular is about those of cards.
func (h *Hosts) turnsOf(at *host, link int32) []turn {
	g := h.cfg.Graph
	card := slices.ContainsFunc(g.ToCard[0], func(way []int32) bool { return way[len(way)-1]/2 == link })
	return at.faulty.turns(g.Rates[link], func(s *Slower) bool {
		return !s.Twice && (s.Named && s.Link == link || !s.Named && card) // what is staged takes other ways: see between
	})
}

// cardLink makes the link of a card, or takes the graph's.
func (h *Hosts) cardLink(host, card int32) nicLinks {
	at, c := &h.hosts[host], nicLinks{host: host, card: card}
	if g := h.cfg.Graph; g != nil {
		d := g.card(card)
		c.down, c.rate, c.turns = &at.links[d], g.Rates[d/2], h.turnsOf(at, d/2)
		return c
	}
	down := newShare(h.cfg.PCIe.Rate, h.cfg.latency(), at.faulty.pcie...)
	c.down, c.rate, c.turns = &down, h.cfg.PCIe.Rate, at.faulty.pcie
	return c
}

// between returns the directed links between a card and a GPU in the order in which bytes from the GPU take them, but
// for the card's own; none without a graph.
func (h *Hosts) between(c *nicLinks, gpu int32) []int32 {
	if h.cfg.Graph == nil {
		return nil
	}
	return butCard(h.cfg.Graph.ToCard[gpu][c.card])
}

// staged is between by way of host memory; false: the host is at no time without peer memory, or there is no graph.
func (h *Hosts) staged(c *nicLinks, gpu int32) ([]int32, bool) {
	g := h.cfg.Graph
	if g == nil || g.Staged == nil || !slices.ContainsFunc(h.hosts[c.host].faulty.slower, func(s Slower) bool { return s.Twice }) {
		return nil, false
	}
	return butCard(g.Staged[gpu][c.card]), true
}

func butCard(way []int32) []int32 { return way[:len(way)-1] }

// stagedAt reports whether NICs of the host reach no memory of GPUs at an instant.
func (f *faulty) stagedAt(now unit.Time) bool {
	return slices.ContainsFunc(f.slower, func(s Slower) bool { return s.Twice && s.From <= now && now < s.until() })
}

// place numbers the directed links of all hosts, behind the ports of the network; -1 where the link of a card stands for
// all of PCIe.
func (h *Hosts) place(host, directed int32) int32 {
	if h.cfg.Graph == nil {
		return -1
	}
	return Place(h.graph, len(h.cfg.Graph.Rates), host, directed)
}

// Place numbers the directed links of all hosts with so many links each, behind the ports of the network.
func Place(g *topo.Graph, links int, host, directed int32) int32 {
	return int32(len(g.Ports)) + host*int32(2*links) + directed
}
