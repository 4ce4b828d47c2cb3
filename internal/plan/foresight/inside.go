package foresight

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/plan/pcie"
	"railyard/internal/plan/plan"
)

// inside is the links inside hosts that a queue pair's bytes cross: to the NIC of the one, from that of the other.
func inside(p *plan.Plan, q *plan.Pair) []pcie.Leg {
	way := p.PCIe.WayToCard(q.From, q.FromGPU)
	for _, x := range p.PCIe.WayToCard(q.To, q.ToGPU) {
		x.Link ^= 1
		way = append(way, x)
	}
	return way
}

// slowest is the least rate on a way, 0: it has no limit.
func slowest(way []pcie.Leg) (least unit.Bitrate) {
	for _, x := range way {
		if x.Rate > 0 && (least == 0 || x.Rate < least) {
			least = x.Rate
		}
	}
	return least
}

// insideRate is what the slowest link inside hosts carries that a queue pair's bytes cross, 0: there is no limit.
func insideRate(p *plan.Plan, q *plan.Pair) unit.Bitrate {
	if p.PCIe.Graph == nil {
		return p.Scenario.Cluster.Host.PCIe
	}
	return slowest(inside(p, q))
}

// insideLoad is the bytes that explicit flows bring to each link inside hosts.
func insideLoad(p *plan.Plan) map[pcie.Leg]int64 {
	load := map[pcie.Leg]int64{}
	for i := range p.Pairs {
		if q := &p.Pairs[i]; q.Sends() {
			for _, x := range inside(p, q) {
				load[x] = add(load[x], mul(int64(q.Flow.Count), int64(q.Flow.Bytes)))
			}
		}
	}
	return load
}

// insideTime is how long the most loaded link inside hosts takes for its load, of those that a queue pair crosses.
func insideTime(p *plan.Plan, load map[pcie.Leg]int64, q *plan.Pair) (longest unit.Duration) {
	for _, x := range inside(p, q) {
		longest = max(longest, transmit(x.Rate, unit.Bytes(min(load[x], most/8))))
	}
	return longest
}

// copyRate is what the slowest link on the way from memory to a GPU carries, 0: there is no limit.
func copyRate(p *plan.Plan, gpu int32) unit.Bitrate {
	if p.PCIe.Graph == nil {
		return p.Scenario.Cluster.Host.PCIe
	}
	var way []pcie.Leg
	for _, d := range p.PCIe.Graph.FromMemory[gpu] {
		way = append(way, pcie.Leg{Rate: p.PCIe.Graph.Rates[d/2]})
	}
	return slowest(way)
}

// WriteRate is what PCIe lets a GPU write by a NIC of its host, alone, and the link that limits it; 0: no limit.
func WriteRate(p *plan.Plan, n topo.NICID) (rate unit.Bitrate, link string) {
	way := p.PCIe.WayToCard(n, p.Graph.NICs[n].GPU)
	rate = slowest(way)
	if p.PCIe.Graph != nil && rate > 0 {
		i := slices.IndexFunc(way, func(x pcie.Leg) bool { return x.Rate == rate })
		link = p.PCIe.Graph.Names[way[i].Link]
	}
	return rate, link
}
