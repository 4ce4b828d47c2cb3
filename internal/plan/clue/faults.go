package clue

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/topo"
	"railyard/internal/plan/faults"
	"railyard/internal/plan/plan"
)

// Suspects returns the entries of faults, by number, that happened to one of the links or GPUs at some time of those
// given, or to what lies at them: a port or a switch of a link, the host of a GPU.
func Suspects(p *plan.Plan, from, until unit.Time, links []topo.LinkID, gpus []faults.GPU) (all []int) {
	for i := range p.Scenario.Faults {
		m := &p.Faults.Entries[i]
		touches := slices.ContainsFunc(links, func(l topo.LinkID) bool {
			return slices.Contains(m.Links, l) ||
				slices.ContainsFunc(m.Ports, func(id topo.PortID) bool { return p.Graph.Ports[id].Link == l })
		}) || slices.ContainsFunc(gpus, func(g faults.GPU) bool {
			return slices.Contains(m.GPUs, g) || slices.Contains(m.Hosts, g.Host)
		})
		if touches && p.Scenario.Faults[i].During(from, until) {
			all = append(all, i)
		}
	}
	return all
}

// LinksOf are the links that frames of a queue pair, and what answers them, take: those of their paths or, where switches
// choose, of their ends and all between switches.
func LinksOf(p *plan.Plan, q *plan.Pair) (all []topo.LinkID) {
	data, back := p.ChosenPath(q)
	for _, way := range [][]topo.PortID{q.Path, q.Back} {
		for _, id := range way {
			all = append(all, p.Graph.Ports[id].Link)
		}
	}
	for id := range p.Graph.Ports {
		if port := &p.Graph.Ports[id]; (data || back) && port.NIC < 0 {
			all = append(all, port.Link)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Degraded reports whether a port has another rate than its own for a while.
func Degraded(p *plan.Plan, id topo.PortID) bool {
	return p.Faults.Fabric != nil && slices.ContainsFunc(p.Faults.Fabric.Settings,
		func(s fabric.Setting) bool { return s.Port == id && s.Rate > 0 })
}

// SlowPCIe returns what PCIe of a host's NICs carries for a while, if that is less than at other hosts; 0: it is not, or links inside
// hosts have names of their own.
func SlowPCIe(p *plan.Plan, host int32) (rate unit.Bitrate) {
	if p.PCIe.Graph != nil {
		return 0
	}
	for _, x := range p.Faults.Hosts {
		if at := x.PCIe; x.Host == host && (at > 0 || x.Staged) {
			if x.Staged { // twice
				at = p.Scenario.Cluster.Host.PCIe / 2
			}
			if rate == 0 || at < rate {
				rate = at
			}
		}
	}
	return rate
}

// Storms reports whether what is behind a port sends it pause frames without end at some time.
func Storms(p *plan.Plan, id topo.PortID) bool {
	return p.Faults.Fabric != nil && slices.ContainsFunc(p.Faults.Fabric.Storms, func(s fabric.Storm) bool { return s.Port == id^1 })
}
