package run

import (
	"fmt"

	"railyard/internal/coll"
	"railyard/internal/result"
	"railyard/internal/unit"
)

// Limits over which a run does not start unless forced.
const (
	MaxMemory = 8 * unit.Gigabyte
	MaxHops   = 10_000_000_000
)

// Estimate is what a run will cost, before it starts.
type Estimate struct {
	Steps      int64
	PacketHops int64
	Memory     unit.Bytes
}

// Memory that a run takes whatever it does: the program, its runtime's slack, the tables' buffers.
const baseMemory = 128 << 20

// Estimate adds up what each message costs: its data packets over each link of its path, and an acknowledgement for every so many of
// them on the way back. It knows nothing of losses or CNPs, and counts every background message although the run may end before.
// images is the size of the training set, 0 for a job of flows.
func (p *Plan) Estimate(images int) Estimate {
	e := Estimate{Steps: p.steps(images), Memory: baseMemory}
	if p.Schedule != nil {
		for i, t := range p.linkTraffic() {
			if pair := p.Links[i].Pair; pair >= 0 {
				e.PacketHops = add(e.PacketHops, mul(e.Steps, p.hops(&p.Pairs[pair], t.bytes, t.messages)))
			}
		}
	}
	e.Memory = unit.Bytes(add(int64(e.Memory), p.trainingMemory(e.Steps, images)))
	for i := range p.Pairs {
		q := &p.Pairs[i]
		if !q.sends() {
			continue
		}
		e.PacketHops = add(e.PacketHops, mul(int64(q.Flow.Count), p.hops(q, int64(q.Flow.Bytes), 1)))
	}
	// Ports with their rings, queue pairs with their rings.
	e.Memory += unit.Bytes(len(p.Graph.Ports))*4096 + unit.Bytes(len(p.Pairs))*2048
	return e
}

// steps returns how many steps a training on so many images takes.
func (p *Plan) steps(images int) int64 {
	t := p.Scenario.Job.Train
	if t == nil {
		return 0
	}
	steps := int64(images/t.Batch/len(p.Placement.Ranks)) * int64(t.Epochs)
	if t.Steps.Set {
		steps = min(steps, int64(t.Steps.Value))
	}
	return steps
}

// trainingMemory is what the images, the ranks' tensors and the figures kept of each step take.
func (p *Plan) trainingMemory(steps int64, images int) int64 {
	if p.Model == nil {
		return 0
	}
	t, ranks := p.Scenario.Job.Train, int64(len(p.Placement.Ranks))
	width := int64(0)
	for _, l := range t.Layers {
		width += int64(l)
	}
	params := int64(p.Model.Params())
	tensors := 2 * params // parameters and gradients
	if t.Momentum != 0 {
		tensors += params
	}
	tensors += 3 * width * int64(t.Batch) // activations and their gradients
	each := mul(4, tensors)
	for i := range p.Step.Collectives {
		each = add(each, mul(2, p.Step.Collectives[i].StagingBytes())) // of even and of odd steps
	}
	bytes := mul(ranks, each)
	bytes = add(bytes, mul(int64(images), int64(t.Layers[0])+1))
	return add(bytes, mul(steps, 8*(ranks+1))) // a loss for each rank, the step's time
}

type traffic struct{ bytes, messages int64 }

// linkTraffic adds up what each of p.Links carries in one step.
func (p *Plan) linkTraffic() []traffic {
	sum := make([]traffic, len(p.Links))
	var one []coll.Traffic
	for _, c := range p.Step.Collectives {
		i := 0 // links are in this order
		for ch := range c.Schedule.Channels() {
			for r := range c.Schedule.Ranks() {
				one = coll.AppendTraffic(one[:0], c.Schedule, r, ch, int(c.Elems))
				for _, t := range one {
					sum[i].bytes += t.Elems * c.ElemBytes
					sum[i].messages += t.Messages
					i++
				}
			}
		}
	}
	return sum
}

// hops returns the packet-hops of messages with so many bytes in all.
func (p *Plan) hops(q *Pair, bytes, messages int64) int64 {
	mtu := int64(p.Scenario.Transport.MTU)
	data := add(bytes/mtu, messages)
	acks := data/int64(p.Scenario.Transport.AckEvery) + messages
	return add(mul(data, int64(len(q.Path))), mul(acks, int64(len(q.Back))))
}

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

// OverLimit returns an error that names what is over the limits, nil if nothing is.
func (e Estimate) OverLimit() error { return e.overLimit() }

// overLimit returns an error that names what is over the limits.
func (e Estimate) overLimit() error {
	switch {
	case e.Memory > MaxMemory:
		return fmt.Errorf("this run would need about %s of memory, the limit is %s: make it smaller, or run it anyway with --force", result.FormatBytes(e.Memory), result.FormatBytes(MaxMemory))
	case e.PacketHops > MaxHops:
		return fmt.Errorf("this run would take about %s packet-hops, the limit is %s: make it smaller, or run it anyway with --force", result.FormatCount(e.PacketHops), result.FormatCount(MaxHops))
	}
	return nil
}
