package foresight

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/train"
	"railyard/internal/job/workload"
	"railyard/internal/learn/dataset"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
)

// Limits over which a run does not start unless forced.
const (
	MaxMemory = 8 * unit.Gigabyte
	MaxHops   = 10_000_000_000
)

// Estimate is what a run will cost, before it starts.
type Estimate struct {
	Steps int64 `json:"steps"` // of all jobs
	Work
	Reuse    *Reuse     `json:"reuse,omitempty"` // nil: all is simulated
	Memory   unit.Bytes `json:"memory_bytes"`
	Seconds  float64    `json:"wall_seconds"` // of one core of a machine that takes so many times as long as the reference:
	Slowness float64    `json:"machine_slowness"`
}

// Sure is how much memory a run takes at least: forecasts of it are right within a factor of two.
func (e *Estimate) Sure() unit.Bytes { return e.Memory / 2 }

// Estimate adds up what each message costs: its data packets over each link of its path, its
// acknowledgements over each link of the way back, and CNPs where flows exceed a port; what connects
// queue pairs comes to it. Losses are not estimated. data is the size of each job's images, zero where it trains nothing.
func EstimateOf(p *plan.Plan, data []dataset.Size) Estimate {
	e := Estimate{Work: Work{Ports: int64(len(p.Graph.Ports)), Connections: int64(len(p.Pairs))}}
	crowds, looks := newCrowds(p), newLooks(p)
	steps := make([]int64, len(p.Jobs))
	for i := range p.Jobs {
		j := &p.Jobs[i]
		e.Ranks += int64(len(j.Placement.Ranks))
		for k := range j.Links {
			if j.Links[k].Pair < 0 {
				e.Connections++
			}
		}
		steps[i] = j.Steps(data[i].Train)
		e.Steps = add(e.Steps, steps[i])
		e.FLOP = add(e.FLOP, add(mul(mul(steps[i], trainings(j)), stepFLOP(j)), testFLOP(j, data[i].Test)))
		eachTraffic(j, func(k int, l *plan.RankLink, t traffic) {
			if j.Model != nil {
				e.Carried = add(e.Carried, mul(runs(j, k, steps[i]), t.bytes))
			}
			if l.Pair < 0 {
				e.NVLinkMessages = add(e.NVLinkMessages, mul(runs(j, k, steps[i]), t.messages))
				return
			}
			q, hops := &p.Pairs[l.Pair], int64(0)
			pair := int(l.Pair) // lanes follow each other
			deal(p, l, t, func(lane *plan.Pair, t traffic) {
				f := framesOf(p, lane, t.bytes, t.messages)
				hops = add(hops, f.hops(lane))
				e.count(f, runs(j, k, steps[i]))
				e.NICMessages = add(e.NICMessages, mul(runs(j, k, steps[i]), t.messages))
				if crowds.meets(pair) {
					e.QueuedPackets = add(e.QueuedPackets, mul(runs(j, k, steps[i]), ceil(t.bytes, int64(p.Scenario.Transport.MTU))))
				}
				pair++
			})
			if coll.NeedsCredit(j.Work.Collectives[k].Schedule) { // a credit for each message, and its answer
				hops = add(hops, mul(t.messages, int64(len(q.Back)+len(q.Path))))
			}
			e.PacketHops = add(e.PacketHops, mul(runs(j, k, steps[i]), hops))
			looks.add(l.Pair, mul(runs(j, k, steps[i]), hops))
		})
	}
	job := jobTime(p, steps)
	for i := range p.Pairs {
		q := &p.Pairs[i]
		if p.Scenario.Transport.Setup && q.Enabled() { // REQ and RTU go there, REP comes back
			e.PacketHops = add(e.PacketHops, int64(2*len(q.Path)+len(q.Back)))
		}
		if !q.Sends() {
			continue
		}
		n := posted(q, job)
		f := framesOf(p, q, int64(q.Flow.Bytes), 1)
		e.PacketHops = add(e.PacketHops, mul(n, f.hops(q)))
		e.count(f, n)
		e.NICMessages = add(e.NICMessages, n)
		if crowds.meets(i) {
			all := mul(n, packets(p, int64(q.Flow.Bytes)))
			e.QueuedPackets = add(e.QueuedPackets, all)
			cnps := cnps(p, all, job)
			e.PacketHops = add(e.PacketHops, mul(cnps, int64(len(q.Back))))
		}
	}
	if len(steps) == 1 {
		e.Reuse = reused(p, steps[0], e.PacketHops, &looks)
	}
	e.Memory = unit.Bytes(add(int64(memory(p, steps, data, job, e.simulated(p))), int64(engineMemory(p, e.PacketHops))))
	e.Memory = unit.Bytes(add(int64(e.Memory), int64(e.recordedMemory(p, e.Memory))))
	return e.On(1, 0)
}

// crowds knows the ports that are crowded, and remembers of queue pairs whether their packets pass one.
type crowds struct {
	p     *plan.Plan
	ports []bool
	known []int8 // by queue pair: 1 they do, -1 they do not, 0 it has not been looked at
}

func newCrowds(p *plan.Plan) *crowds {
	return &crowds{p, crowded(p), make([]int8, len(p.Pairs))}
}

// meets reports whether the packets of a queue pair pass a crowded port.
func (c *crowds) meets(pair int) bool {
	if c.known[pair] == 0 {
		c.known[pair] = -1
		eachPort(c.p, &c.p.Pairs[pair], 1, func(port topo.PortID, _ int64) {
			if c.ports[port] {
				c.known[pair] = 1
			}
		})
	}
	return c.known[pair] > 0
}

// drifts reports whether the job's weights are compared with those of one rank at the end.
func drifts(j *plan.Job) bool {
	return j.Model != nil && j.Work.Training.Layout.Update == workload.UpdateEach
}

// trainings returns how many times the job's training is computed.
func trainings(j *plan.Job) int64 {
	if drifts(j) {
		return 2
	}
	return 1
}

// FLOP is the arithmetic of a row: of its forward, and of its forward and backward.
func FLOP(j *plan.Job) (forward, both int64) { return workload.FLOP(train.Layers(j.Model)) }

// stepFLOP returns the floating-point operations of one step on all ranks.
func stepFLOP(j *plan.Job) int64 {
	if j.Model == nil {
		return 0
	}
	_, both := FLOP(j)
	return mul(mul(both, int64(j.Spec.Train.Batch)), int64(j.Replicas()))
}

// testFLOP returns the floating-point operations of classifying the test images once, at the end.
func testFLOP(j *plan.Job, images int) int64 {
	if j.Model == nil {
		return 0
	}
	forward, _ := FLOP(j)
	return mul(forward, int64(images))
}

// crowded reports of each port whether the NICs that send through it are together faster than it.
func crowded(p *plan.Plan) []bool {
	rate := make([]unit.Bitrate, len(p.Graph.Ports))
	seen := map[[2]int32]bool{}
	for i := range p.Pairs {
		q := &p.Pairs[i]
		if q.Flow != nil && !q.Sends() {
			continue
		}
		eachPort(p, q, int64(p.Graph.Ports[q.Path[0]].Rate), func(port topo.PortID, part int64) {
			if key := [2]int32{int32(port), int32(q.From)}; !seen[key] && port != q.Path[0] {
				seen[key] = true
				rate[port] += unit.Bitrate(part)
			}
		})
	}
	out := make([]bool, len(rate))
	for port := range rate {
		out[port] = rate[port] > p.Graph.Ports[port].Rate
	}
	return out
}

// cnps estimates how many CNPs a flow's packets cause at a crowded port: half of the most there can
// be, which is one for each packet or for each CNP interval of the job.
func cnps(p *plan.Plan, packets int64, job unit.Duration) int64 {
	c, q := p.Scenario.Congestion, p.Scenario.Fabric.QoS
	if !q.ECN.Enabled || c.Notify != "cnp" {
		return 0
	}
	if c.CNPInterval > 0 {
		packets = min(packets, int64(job/c.CNPInterval))
	}
	return packets / 2
}

// runs is how often a collective runs in so many steps.
func runs(j *plan.Job, collective int, steps int64) int64 {
	if j.Work.Collectives[collective].Once {
		return 1
	}
	return steps
}

// traffic is what a collective sends over a link each time: bytes on the wire, of which data are the ranks'.
type traffic struct{ bytes, messages, data int64 }

// deal visits what each queue pair of a connection carries: messages in turn, or a part of each.
func deal(p *plan.Plan, l *plan.RankLink, t traffic, visit func(q *plan.Pair, t traffic)) {
	n := int64(l.Lanes)
	if n == 1 {
		visit(&p.Pairs[l.Pair], t)
		return
	}
	for k := range n {
		one := traffic{ceil(t.bytes, n), t.messages, ceil(t.data, n)}
		if !p.Scenario.Transport.SplitData {
			one.messages = (t.messages + n - 1 - k) / n
			one.bytes = mul(ceil(t.bytes, max(1, t.messages)), one.messages)
		}
		visit(&p.Pairs[int64(l.Pair)+k], one)
	}
}

// eachTraffic visits what each collective of a step or of the start phase sends over each of j.Links.
func eachTraffic(j *plan.Job, visit func(collective int, l *plan.RankLink, t traffic)) {
	if j.Work == nil {
		return
	}
	var one []coll.Traffic
	for k := range j.Work.Collectives {
		c := &j.Work.Collectives[k]
		if c.Formula {
			continue // it sends no messages
		}
		members := j.Work.Groups[c.Group].Ranks
		for ch := range c.Schedule.Channels() {
			for r := range c.Schedule.Ranks() {
				one = c.AppendTraffic(one[:0], r, ch)
				for _, t := range one {
					link := j.LinkOf(c.Group, members[r], members[t.Peer], ch)
					bySwitch := link.Pair < 0 // of a protocol of such messages, all inside hosts are
					data := t.Elems * c.ElemBytes
					visit(k, link, traffic{c.Protocol.Wire(data, bySwitch), t.Messages, data})
				}
			}
		}
	}
}

// frames is what messages take: packets of data, and what is sent back for them.
type frames struct{ packets, acks int64 }

// hops are the packet-hops of frames of a queue pair.
func (f frames) hops(q *plan.Pair) int64 {
	return add(mul(f.packets, int64(len(q.Path))), mul(f.acks, int64(len(q.Back))))
}

// count adds frames that are sent so many times.
func (w *Work) count(f frames, times int64) {
	w.Packets, w.Acks = add(w.Packets, mul(f.packets, times)), add(w.Acks, mul(f.acks, times))
}

// framesOf returns the frames of messages of equal size, bytes in all. Receiver-driven admission
// cuts the messages of ranks into pieces, with a clear-to-send for each.
func framesOf(p *plan.Plan, q *plan.Pair, bytes, messages int64) (f frames) {
	if messages == 0 {
		return f
	}
	clear := int64(0)
	if q.Flow == nil {
		if a := p.Jobs[q.Job].Spec.Collective.Admission; a.Slots.Set {
			messages = mul(messages, ceil(ceil(bytes, messages), int64(a.Bytes)))
			clear = messages
		}
	}
	packets := packets(p, ceil(bytes, messages))
	acks := add(mul(messages, ceil(packets, int64(p.Scenario.Transport.AckEvery))), clear)
	return frames{mul(messages, packets), acks}
}

// packets is how many a message takes.
func packets(p *plan.Plan, bytes int64) int64 {
	return max(1, ceil(bytes, int64(p.Scenario.Transport.MTU)))
}

func ceil(a, b int64) int64 { return (a + b - 1) / b }

const most = int64(1) << 60

func add(a, b int64) int64 { return min(a+b, most) }

func mul(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	if a > most/b {
		return most
	}
	return a * b
}

// OverLimit returns an error that names what is over the limits, or over the memory that the
// machine has free (0: it does not say); nil if nothing is.
func (e Estimate) OverLimit(free unit.Bytes) error {
	switch {
	case e.Memory > MaxMemory:
		return fmt.Errorf("this run would need about %s of memory, the limit is %s: make it smaller, or run it "+
			"anyway with --force", e.Memory.Human(), MaxMemory.Human())
	case free > 0 && e.Memory > free:
		return fmt.Errorf("this run would need about %s of memory, and this machine, or its control group, has %s "+
			"free: make it smaller, or run it anyway with --force", e.Memory.Human(), free.Human())
	case e.Reuse != nil && e.Reuse.PacketHops > MaxHops && e.Reuse.Unlike < 1:
		return fmt.Errorf("this run would simulate about %s packet-hops even if parts of a step that are alike do the same, "+
			"the limit is %s: make it smaller, or run it anyway with --force", unit.Count(e.Reuse.PacketHops), unit.Count(MaxHops))
	case e.Reuse != nil && e.Reuse.PacketHops > MaxHops:
		return fmt.Errorf("this run would simulate about %s packet-hops at least, for %s of its %s, the limit is %s: make it smaller, "+
			"or run it anyway with --force", unit.Count(e.Reuse.PacketHops), unit.CountOf(e.Reuse.Steps, "step"), unit.Count(e.Steps),
			unit.Count(MaxHops))
	case e.Reuse == nil && e.PacketHops > MaxHops:
		return fmt.Errorf("this run would take about %s packet-hops, the limit is %s: make it smaller, or run it "+
			"anyway with --force", unit.Count(e.PacketHops), unit.Count(MaxHops))
	}
	return nil
}
