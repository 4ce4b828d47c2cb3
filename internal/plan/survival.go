package plan

import (
	"slices"

	"railyard/internal/coll"
	"railyard/internal/exec"
	"railyard/internal/fabric"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// Start is when the job begins.
func (j *Job) Start() unit.Time { return unit.Time(j.Spec.Start) }

// CheckpointBytes is how much a checkpoint of a job is: the weights and what the optimiser keeps beside them, each once,
// whatever ranks they are spread over.
func (p *Plan) CheckpointBytes(j *Job) unit.Bytes {
	s := &j.Spec.Survival
	switch {
	case !s.Saves():
		return 0
	case s.Bytes.Set:
		return s.Bytes.Value
	case j.Model != nil:
		return 4 * unit.Bytes(j.Model.Params()) * unit.Bytes(1+len(j.Optimiser.State()))
	}
	sum := unit.Bytes(0)
	for i := range j.Spec.Replay.Buckets {
		sum += j.Spec.Replay.Buckets[i].Bytes
	}
	return sum
}

// Checkpoint is when the ranks of a job stand still to write one, and for how long: storage is shared, and all wait for
// the last of them.
func (p *Plan) Checkpoint(j *Job) exec.Checkpoint {
	s := &j.Spec.Survival
	c := exec.Checkpoint{Every: int64(s.Steps.Or(0))}
	if s.Storage.Set {
		c.Takes = s.Storage.Value.TransmitTime(p.CheckpointBytes(j))
	}
	return c
}

// Move says that a host takes the place of another.
type Move struct{ From, To int32 }

// Fit finds when a job can start again, at a time or later: when all its hosts can be used, those that cannot replaced by
// spare hosts that can. It reports false where that is never.
func (p *Plan) Fit(j *Job, at unit.Time) (start unit.Time, moves []Move, ok bool) {
	times := []unit.Time{at}
	for _, t := range p.repairs() {
		if t > at {
			times = append(times, t)
		}
	}
	for _, t := range times {
		if moves, ok := p.replaced(j, t); ok {
			return t, moves, true
		}
	}
	return 0, nil, false
}

// repairs are the instants at which something that was down or hung is there again, in order.
func (p *Plan) repairs() (all []unit.Time) {
	if f := p.mishaps.Fabric; f != nil {
		for _, d := range f.Downs {
			all = append(all, d.Until)
		}
	}
	for _, h := range p.mishaps.Hosts {
		all = append(all, h.Until)
	}
	for _, g := range p.mishaps.GPUs {
		all = append(all, g.Until)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// replaced replaces the hosts of a job that cannot be used at an instant.
func (p *Plan) replaced(j *Job, at unit.Time) (moves []Move, ok bool) {
	spares, rails := slices.Clone(j.spares), p.railsOf(j)
	for _, h := range j.hosts() {
		if p.usable(j, h, h, rails, at) {
			continue
		}
		i := slices.IndexFunc(spares, func(s int32) bool { return p.usable(j, h, s, rails, at) })
		if i < 0 {
			return nil, false
		}
		moves, spares = append(moves, Move{h, spares[i]}), slices.Delete(spares, i, i+1)
	}
	return moves, true
}

// hosts are those on which the ranks of the job run, in order.
func (j *Job) hosts() (all []int32) {
	for _, at := range j.Placement.Ranks {
		all = append(all, at.Host)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// railsOf are the NICs of a host, by their number, that the job sends and receives by.
func (p *Plan) railsOf(j *Job) (all []int32) {
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
func (p *Plan) usable(j *Job, h, host int32, rails []int32, at unit.Time) bool {
	for i := range p.mishaps.Hosts {
		if f := &p.mishaps.Hosts[i]; f.Host == host && f.Hangs && f.Holds(at) {
			return false
		}
	}
	for i := range p.mishaps.GPUs {
		f := &p.mishaps.GPUs[i]
		ours := slices.ContainsFunc(j.Placement.Ranks, func(r coll.Place) bool { return r.Host == h && r.GPU == f.GPU.GPU })
		if f.Host == host && ours && f.Factor.Num == 0 && f.Holds(at) {
			return false
		}
	}
	for _, n := range rails {
		ports := p.Graph.NICs[p.Graph.Hosts[host].NICs[n]].Ports
		if !slices.ContainsFunc(ports, func(id topo.PortID) bool { return !p.isDown(p.Graph.Ports[id].Link, at) }) {
			return false
		}
	}
	return true
}

// isDown reports whether a link carries nothing at an instant.
func (p *Plan) isDown(l topo.LinkID, at unit.Time) bool {
	return p.mishaps.Fabric != nil && slices.ContainsFunc(p.mishaps.Fabric.Downs, func(d fabric.Down) bool {
		return d.Link == l && d.From <= at && at < d.Until
	})
}

// Reconnect gives a job queue pairs for another life, with hosts in the places of others: a host whose place is taken
// stands by from then on. Ranks keep their numbers. The queue pairs follow those that there are; their numbers, and so
// their paths and random streams, are others than those of the life before. It returns the first.
func (p *Plan) Reconnect(j *Job, moves []Move) (first int32, err error) {
	p.progress = func(int, int) error { return nil }
	defer func() { p.progress = nil }()
	j.Placement.Ranks = slices.Clone(j.Placement.Ranks)
	for _, m := range moves {
		for i := range j.Placement.Ranks {
			if at := &j.Placement.Ranks[i]; at.Host == m.From {
				at.Host = m.To
			}
		}
		j.spares[slices.Index(j.spares, m.To)] = m.From
	}
	first = int32(len(p.Pairs))
	links := j.Links
	j.Links, j.linkOf = nil, map[exec.Way]int32{}
	for _, l := range links {
		if err := p.connect(j, l.Way, p.group(j, &j.Work.Groups[l.Group]).rails); err != nil {
			return 0, err
		}
	}
	return first, nil
}
