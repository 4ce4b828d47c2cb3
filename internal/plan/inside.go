package plan

import (
	"slices"

	"railyard/internal/topo"
	"railyard/internal/unit"
)

// A crossing is a directed link inside a host, as forecasts count what it carries: of the host's graph, or the one that a
// card has of its own.
type Leg struct {
	host, Link int32 // directed: of the graph, or twice the card, plus 1 from the card
	Rate       unit.Bitrate
}

// toCard is the way from a GPU to the card of a NIC of its host; none: its bytes are not in a GPU.
func (p *Plan) WayToCard(n topo.NICID, gpu int32) (way []Leg) {
	at := &p.Graph.NICs[n]
	switch {
	case gpu < 0:
		return nil
	case p.HostGraph == nil:
		return []Leg{{at.Host, 2 * at.Card, p.Scenario.Cluster.Host.PCIe}}
	}
	for _, d := range p.HostGraph.ToCard[gpu][at.Card] {
		way = append(way, Leg{at.Host, d, p.HostGraph.Rates[d/2]})
	}
	return way
}

// NICRate is what a NIC of the first host moves while all of the host do, each for its GPU farthest away: of a link inside
// that several cross each has its share. 0: there is no limit.
func (p *Plan) NICRate() (least unit.Bitrate) {
	if len(p.Graph.Hosts) == 0 {
		return 0
	}
	ways, users := map[topo.NICID][]Leg{}, map[Leg]unit.Bitrate{}
	nics := p.Graph.Hosts[0].NICs
	for _, n := range nics {
		for gpu := range p.Graph.Hosts[0].GPUs {
			if !p.Graph.Near(n, int32(gpu)) {
				continue
			}
			for _, x := range p.WayToCard(n, int32(gpu)) {
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
