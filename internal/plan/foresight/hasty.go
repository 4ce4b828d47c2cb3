package foresight

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/transport"
)

// hasty warns of a retransmission timeout that can run out while nothing is lost: it is shorter than the time between
// two packets at the lowest rate of congestion control, or than what a packet waits where switches on its path are full.
func hasty(p *plan.Plan) []scenario.Finding {
	t := p.Scenario.Transport.Timeout
	if !t.Set {
		return nil
	}
	if rate := slowestPace(p); rate > 0 {
		gap := rate.TransmitTime(transport.LargestFrame(p.Scenario))
		if gap >= t.Value {
			return []scenario.Finding{hastyFinding(t.Value, gap, fmt.Sprintf("a packet at the lowest rate of %s, %v, takes %s",
				p.Scenario.Congestion.Algorithm, rate, gap.Human()))}
		}
	}
	wait, at, fullest := longestWait(p, t.Value)
	if wait < t.Value {
		return nil
	}
	rest := ""
	if at > 1 {
		rest = fmt.Sprintf(" and %d more", at-1)
	}
	return []scenario.Finding{hastyFinding(t.Value, wait, fmt.Sprintf("a packet waits up to %s where %s is full%s",
		wait.Human(), p.Graph.Ports[fullest].Name, rest))}
}

func hastyFinding(is, least unit.Duration, why string) scenario.Finding {
	n, enough := 0, 4096*unit.Nanosecond
	for ; enough <= least && n < 31; n++ {
		enough *= 2
	}
	return scenario.Finding{Severity: scenario.Warning, Path: "transport.timeout",
		Message: fmt.Sprintf("%s: can run out while nothing is lost, and then all is sent again: %s", is.Human(), why),
		Hint:    fmt.Sprintf("want at least %s (4.096 us x 2^%d)", enough, n)}
}

// slowestPace is the lowest rate to which congestion control slows a sender down, 0: it has none.
func slowestPace(p *plan.Plan) unit.Bitrate {
	c := &p.Scenario.Congestion
	switch c.Algorithm {
	case scenario.ByDCQCN:
		return c.MinRate
	case scenario.ByHPCC:
		return c.HPCC.MinRate
	case scenario.ByTIMELY:
		return c.TIMELY.MinRate
	}
	return 0
}

// longestWait is what a packet waits on the path of a queue pair whose ports are full, in how many of them, and in
// which most of it. A port fills if more comes to it than it sends: from several ports, or from a faster one. It can
// hold the buffer of its switch, without PFC half of it, as the threshold is as much as what is free. Nothing is looked
// for where no path can be as long as the limit.
func longestWait(p *plan.Plan, limit unit.Duration) (longest unit.Duration, ports int, fullest topo.PortID) {
	g, most := p.Graph, unit.Duration(0)
	full := func(port topo.PortID) unit.Duration {
		f := p.Switches.FabricAt(g.Ports[port].Node)
		held := f.Switch.Buffer
		if !f.QoS.PFC.Enabled {
			held /= 2
		}
		return g.Ports[port].Rate.TransmitTime(held)
	}
	hops := 0
	for i := range p.Pairs {
		hops = max(hops, len(p.Pairs[i].Path)-1)
	}
	for id := range g.Ports {
		if g.Nodes[g.Ports[id].Node].Kind != topo.HostKind {
			most = max(most, full(topo.PortID(id)))
		}
	}
	if most*unit.Duration(hops) < limit {
		return 0, 0, -1
	}
	before := map[topo.PortID]topo.PortID{} // by port: from where its packets come
	fills := map[topo.PortID]bool{}
	for i := range p.Pairs {
		path := p.Pairs[i].Path
		for k := 1; k < len(path); k++ {
			from, known := before[path[k]]
			before[path[k]] = path[k-1]
			if known && from != path[k-1] || g.Ports[path[k-1]].Rate > g.Ports[path[k]].Rate {
				fills[path[k]] = true
			}
		}
	}
	for i := range p.Pairs {
		wait, n, worst, at := unit.Duration(0), 0, unit.Duration(0), topo.PortID(-1)
		for _, port := range p.Pairs[i].Path[1:] {
			if fills[port] {
				w := full(port)
				if wait, n = wait+w, n+1; w > worst {
					worst, at = w, port
				}
			}
		}
		if wait > longest {
			longest, ports, fullest = wait, n, at
		}
	}
	return longest, ports, fullest
}
