package foresight

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
)

// Crossing is payload by what it crosses: without headers, credits, and what a protocol adds.
//
// Invariant: Rails sum to what enters the network.
type Crossing struct {
	Messages int64
	NVLink   unit.Bytes   // stays in its host
	Rails    []unit.Bytes // by rail from 0: enters the network by a NIC of it
	Spine    unit.Bytes   // of that: crosses a switch above the leaves
	Relayed  unit.Bytes   // of that: crosses NVLink too, to or from a NIC that is not its GPU's own
}

// Network returns what enters the network.
func (c *Crossing) Network() (sum unit.Bytes) {
	for _, b := range c.Rails {
		sum += b
	}
	return sum
}

// All returns the payload.
func (c *Crossing) All() unit.Bytes { return c.NVLink + c.Network() }

// Add adds another one.
func (c *Crossing) Add(o *Crossing) {
	c.Messages += o.Messages
	c.NVLink += o.NVLink
	c.Spine += o.Spine
	c.Relayed += o.Relayed
	if n := len(o.Rails) - len(c.Rails); n > 0 {
		c.Rails = append(c.Rails, make([]unit.Bytes, n)...)
	}
	for r, b := range o.Rails {
		c.Rails[r] += b
	}
}

// GroupTraffic is what the ranks of a group send each other in a step.
type GroupTraffic struct {
	*workload.Group
	Hosts       []int32 // of its ranks, ascending
	Collectives int     // that it runs in a step
	Step        Crossing
}

// GroupTraffic returns what each group of a job sends in a step, in the job's order; none of a job
// that sends flows. It is counted from the schedules, message by message or by their closed forms.
func GroupTrafficOf(p *plan.Plan, j *plan.Job) []GroupTraffic {
	if j.Work == nil {
		return nil
	}
	all := make([]GroupTraffic, len(j.Work.Groups))
	for i := range all {
		g := &all[i]
		g.Group = &j.Work.Groups[i]
		g.Step.Rails = make([]unit.Bytes, j.Placement.Rails)
		for _, r := range g.Ranks {
			g.Hosts = append(g.Hosts, j.Placement.Ranks[r].Host)
		}
		slices.Sort(g.Hosts)
		g.Hosts = slices.Compact(g.Hosts)
	}
	over := map[int32]bool{} // by queue pair: its path has a switch above the leaves
	var sent []coll.Traffic
	for k := range j.Work.Collectives {
		c := &j.Work.Collectives[k]
		if c.Once { // of the start phase
			continue
		}
		g := &all[c.Group]
		g.Collectives++
		for m, src := range g.Ranks {
			for ch := range c.Schedule.Channels() {
				sent = c.AppendTraffic(sent[:0], m, ch)
				for _, t := range sent {
					link := j.LinkOf(c.Group, src, g.Ranks[t.Peer], ch)
					cross(p, &g.Step, link, t.Messages, unit.Bytes(t.Elems*c.ElemBytes), over)
				}
			}
		}
	}
	return all
}

// cross counts messages over a link.
func cross(p *plan.Plan, to *Crossing, l *plan.RankLink, messages int64, bytes unit.Bytes, over map[int32]bool) {
	to.Messages += messages
	if l.Pair < 0 {
		to.NVLink += bytes
		return
	}
	q := &p.Pairs[l.Pair]
	to.Rails[p.Graph.NICs[q.From].Rail] += bytes
	spine, known := over[l.Pair]
	if !known {
		spine = slices.ContainsFunc(q.Path, func(port topo.PortID) bool {
			return p.Graph.Nodes[p.Graph.Ports[port].Node].Kind > topo.Leaf
		})
		over[l.Pair] = spine
	}
	if spine {
		to.Spine += bytes
	}
	if relays(p, q.From, q.FromGPU) || relays(p, q.To, q.ToGPU) {
		to.Relayed += bytes
	}
}

// relays reports whether a GPU reaches a NIC through another GPU.
func relays(p *plan.Plan, nic topo.NICID, gpu int32) bool {
	return !p.Graph.Near(nic, gpu) && p.PCIe.NVLink(gpu, p.Graph.NICs[nic].GPU)
}
