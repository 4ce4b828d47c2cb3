package plan

import (
	"slices"

	"railyard/internal/topo"
	"railyard/internal/unit"
)

// A crossing is a directed link inside a host, as forecasts count what it carries: of the host's graph, or the one that a
// card has of its own.
type crossing struct {
	host, link int32 // directed: of the graph, or twice the card, plus 1 from the card
	rate       unit.Bitrate
}

// toCard is the way from a GPU to the card of a NIC of its host; none: its bytes are not in a GPU.
func (p *Plan) toCard(n topo.NICID, gpu int32) (way []crossing) {
	at := &p.Graph.NICs[n]
	switch {
	case gpu < 0:
		return nil
	case p.hostGraph == nil:
		return []crossing{{at.Host, 2 * at.Card, p.Scenario.Cluster.Host.PCIe}}
	}
	for _, d := range p.hostGraph.ToCard[gpu][at.Card] {
		way = append(way, crossing{at.Host, d, p.hostGraph.Rates[d/2]})
	}
	return way
}

// inside is the links inside hosts that a queue pair's bytes cross: to the NIC of the one, from that of the other.
func (p *Plan) inside(q *Pair) []crossing {
	way := p.toCard(q.From, q.FromGPU)
	for _, x := range p.toCard(q.To, q.ToGPU) {
		x.link ^= 1
		way = append(way, x)
	}
	return way
}

// slowest is the least rate on a way, 0: it has no limit.
func slowest(way []crossing) (least unit.Bitrate) {
	for _, x := range way {
		if x.rate > 0 && (least == 0 || x.rate < least) {
			least = x.rate
		}
	}
	return least
}

// insideRate is what the slowest link inside hosts carries that a queue pair's bytes cross, 0: there is no limit.
func (p *Plan) insideRate(q *Pair) unit.Bitrate {
	if p.hostGraph == nil {
		return p.Scenario.Cluster.Host.PCIe
	}
	return slowest(p.inside(q))
}

// insideLoad is the bytes that explicit flows bring to each link inside hosts.
func (p *Plan) insideLoad() map[crossing]int64 {
	load := map[crossing]int64{}
	for i := range p.Pairs {
		if q := &p.Pairs[i]; q.Sends() {
			for _, x := range p.inside(q) {
				load[x] = add(load[x], mul(int64(q.Flow.Count), int64(q.Flow.Bytes)))
			}
		}
	}
	return load
}

// insideTime is how long the most loaded link inside hosts takes for its load, of those that a queue pair crosses.
func (p *Plan) insideTime(load map[crossing]int64, q *Pair) (longest unit.Duration) {
	for _, x := range p.inside(q) {
		longest = max(longest, transmit(x.rate, unit.Bytes(min(load[x], most/8))))
	}
	return longest
}

// copyRate is what the slowest link on the way from memory to a GPU carries, 0: there is no limit.
func (p *Plan) copyRate(gpu int32) unit.Bitrate {
	if p.hostGraph == nil {
		return p.Scenario.Cluster.Host.PCIe
	}
	var way []crossing
	for _, d := range p.hostGraph.FromMemory[gpu] {
		way = append(way, crossing{rate: p.hostGraph.Rates[d/2]})
	}
	return slowest(way)
}

// WriteRate is what PCIe lets a GPU write by a NIC of its host, alone, and the link that limits it; 0: no limit.
func (p *Plan) WriteRate(n topo.NICID) (rate unit.Bitrate, link string) {
	way := p.toCard(n, p.Graph.NICs[n].GPU)
	rate = slowest(way)
	if p.hostGraph != nil && rate > 0 {
		i := slices.IndexFunc(way, func(x crossing) bool { return x.rate == rate })
		link = p.hostGraph.Names[way[i].link]
	}
	return rate, link
}

// NICRate is what a NIC of the first host moves while all of the host do, each for its GPU farthest away: of a link inside
// that several cross each has its share. 0: there is no limit.
func (p *Plan) NICRate() (least unit.Bitrate) {
	if len(p.Graph.Hosts) == 0 {
		return 0
	}
	ways, users := map[topo.NICID][]crossing{}, map[crossing]unit.Bitrate{}
	nics := p.Graph.Hosts[0].NICs
	for _, n := range nics {
		for gpu := range p.Graph.Hosts[0].GPUs {
			if !p.Graph.Near(n, int32(gpu)) {
				continue
			}
			for _, x := range p.toCard(n, int32(gpu)) {
				if !slices.Contains(ways[n], x) {
					ways[n] = append(ways[n], x)
					users[x]++
				}
			}
		}
	}
	for _, n := range nics {
		for _, x := range ways[n] {
			if share := x.rate / users[x]; share > 0 && (least == 0 || share < least) {
				least = share
			}
		}
	}
	return least
}
