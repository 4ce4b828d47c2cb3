package spares

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/plan/faults"
	"railyard/internal/plan/plan"
)

// Fit finds when a job can start again, at a time or later: when all its hosts can be used, those that cannot replaced by
// spare hosts that can. It reports false where that is never.
func Fit(p *plan.Plan, j *plan.Job, at unit.Time) (start unit.Time, moves []plan.Move, ok bool) {
	times := []unit.Time{at}
	for _, t := range p.Faults.Repairs() {
		if t > at {
			times = append(times, t)
		}
	}
	for _, t := range times {
		if moves, ok := replaced(p, j, t); ok {
			return t, moves, true
		}
	}
	return 0, nil, false
}

// replaced replaces the hosts of a job that cannot be used at an instant.
func replaced(p *plan.Plan, j *plan.Job, at unit.Time) (moves []plan.Move, ok bool) {
	spares, rails := j.Spares(), railsOf(p, j)
	for _, h := range hosts(j) {
		if usable(p, j, h, h, rails, at) {
			continue
		}
		i := slices.IndexFunc(spares, func(s int32) bool { return usable(p, j, h, s, rails, at) })
		if i < 0 {
			return nil, false
		}
		moves, spares = append(moves, plan.Move{From: h, To: spares[i]}), slices.Delete(spares, i, i+1)
	}
	return moves, true
}

// hosts are those on which the ranks of a job run, in order.
func hosts(j *plan.Job) (all []int32) {
	for _, at := range j.Placement.Ranks {
		all = append(all, at.Host)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// railsOf are the NICs of a host, by their number, that the job sends and receives by.
func railsOf(p *plan.Plan, j *plan.Job) (all []int32) {
	for _, l := range j.Links {
		for _, id := range l.Pairs() {
			q := &p.Pairs[id]
			all = append(all, int32(p.Graph.NICs[q.From].Index), int32(p.Graph.NICs[q.To].Index))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// usable reports whether a host could run the ranks that are on host h: it and their GPUs do not hang, and each of
// the NICs that they use has a port whose link is up.
func usable(p *plan.Plan, j *plan.Job, h, host int32, rails []int32, at unit.Time) bool {
	if p.Faults.Hangs(host, at) {
		return false
	}
	for _, r := range j.Placement.Ranks {
		if r.Host == h && p.Faults.Still(faults.GPU{Host: host, GPU: r.GPU}, at) {
			return false
		}
	}
	for _, n := range rails {
		ports := p.Graph.NICs[p.Graph.Hosts[host].NICs[n]].Ports
		if !slices.ContainsFunc(ports, func(id topo.PortID) bool { return !p.Faults.Down(p.Graph.Ports[id].Link, at) }) {
			return false
		}
	}
	return true
}
