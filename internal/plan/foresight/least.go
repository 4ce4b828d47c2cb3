package foresight

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/transport"
)

// Least is a time below which flows do not end, whatever controls congestion: what the link of a host takes for all that
// they send over it.
type Least struct {
	Time  unit.Duration // from the start of the first of them
	Port  topo.PortID   // the port that takes so long
	Bytes unit.Bytes    // on the wire: headers, preamble and gap count
	Flows int
}

// Least returns the bound of the flows of job j, over all links of hosts, and whether there is one. NICs with several
// ports have none: their flows may go by any of them.
func LeastOf(p *plan.Plan, j int) (worst Least, bound bool) {
	if p.Graph.Bonded() {
		return Least{}, false
	}
	all := map[topo.PortID]*Least{}
	f := transport.Frames(p.Scenario)
	frame := int64(f.Data + f.Overhead) // what only some packets have is left out
	for i := range p.Pairs {
		q := &p.Pairs[i]
		if !q.Sends() || q.Job != int32(j) || len(q.Path) == 0 {
			continue
		}
		n, packets := int64(q.Flow.Count), packets(p, int64(q.Flow.Bytes))
		for _, port := range slices.Compact([]topo.PortID{q.Path[0], q.Path[len(q.Path)-1]}) {
			l := all[port]
			if l == nil {
				l = &Least{Port: port}
				all[port] = l
			}
			each := add(int64(q.Flow.Bytes), mul(packets, frame))
			if transport.Tunnel(p.Scenario) != 0 {
				each += packets * int64(p.TunnelOn(port))
			}
			l.Bytes, l.Flows = unit.Bytes(add(int64(l.Bytes), mul(n, each))), l.Flows+1
			l.Time = p.Graph.Ports[port].Rate.TransmitTime(unit.Bytes(min(int64(l.Bytes), most/8)))
			if l.Time > worst.Time || l.Time == worst.Time && port < worst.Port {
				worst = *l
			}
		}
	}
	return worst, worst.Time > 0
}
