package pcie

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// Hosts is the PCIe inside the hosts of a network: each has the same graph, or a link for each card.
type Hosts struct {
	Graph *Graph       // nil: a link for each card
	AMD   bool         // the processors are AMD's, by the graph
	Rate  unit.Bitrate // of a card's link without a graph; 0: no limit

	net *topo.Graph
}

// A Leg is a directed link inside a host, as forecasts count what it carries: of the host's graph, or the one that a
// card has of its own.
type Leg struct {
	host, Link int32 // directed: of the graph, or twice the card, plus 1 from the card
	Rate       unit.Bitrate
}

// WayToCard is the way from a GPU to the card of a NIC of its host; none: its bytes are not in a GPU.
func (h *Hosts) WayToCard(n topo.NICID, gpu int32) (way []Leg) {
	at := &h.net.NICs[n]
	switch {
	case gpu < 0:
		return nil
	case h.Graph == nil:
		return []Leg{{at.Host, 2 * at.Card, h.Rate}}
	}
	for _, d := range h.Graph.ToCard[gpu][at.Card] {
		way = append(way, Leg{at.Host, d, h.Graph.Rates[d/2]})
	}
	return way
}

// NICRate is what a NIC of the first host moves while all of the host do, each for its GPU farthest away: of a link inside
// that several cross each has its share. 0: there is no limit.
func (h *Hosts) NICRate() (least unit.Bitrate) {
	if len(h.net.Hosts) == 0 {
		return 0
	}
	ways, users := map[topo.NICID][]Leg{}, map[Leg]unit.Bitrate{}
	nics := h.net.Hosts[0].NICs
	for _, n := range nics {
		for gpu := range h.net.Hosts[0].GPUs {
			if !h.net.Near(n, int32(gpu)) {
				continue
			}
			for _, x := range h.WayToCard(n, int32(gpu)) {
				if !slices.Contains(ways[n], x) {
					ways[n] = append(ways[n], x)
					users[x]++
				}
			}
		}
	}
	for _, n := range nics {
		for _, x := range ways[n] {
			if share := x.Rate / users[x]; share > 0 && (least == 0 || share < least) {
				least = share
			}
		}
	}
	return least
}
