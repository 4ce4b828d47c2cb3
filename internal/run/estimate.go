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

// Estimate adds up what each message costs: its data packets over each link of its path, and an acknowledgement for every so many of
// them on the way back.
func (p *Plan) Estimate(steps int64) Estimate {
	e := Estimate{Steps: steps, Memory: 64 << 20}
	if p.Schedule != nil {
		perStep := p.bytesByPair()
		for _, l := range p.Links {
			if l.Pair < 0 {
				continue
			}
			b := perStep[[3]int32{l.Src, l.Dst, l.Channel}]
			e.PacketHops = add(e.PacketHops, mul(steps, p.hops(&p.Pairs[l.Pair], b.bytes, b.messages)))
		}
	}
	if p.Model != nil {
		// Per rank: parameters, gradients, velocity, staging twice; activations of a micro-batch.
		t := p.Scenario.Job.Train
		width := int64(0)
		for _, l := range t.Layers {
			width += int64(l)
		}
		per := 4 * (5*int64(p.Model.Params()) + 3*width*int64(t.Batch))
		e.Memory += unit.Bytes(mul(int64(p.Scenario.RankCount()), per))
	}
	for i := range p.Pairs {
		q := &p.Pairs[i]
		if q.Flow == nil {
			continue
		}
		e.PacketHops = add(e.PacketHops, mul(int64(q.Flow.Count), p.hops(q, int64(q.Flow.Bytes), 1)))
	}
	// Ports with their rings, queue pairs with their rings.
	e.Memory += unit.Bytes(len(p.Graph.Ports))*4096 + unit.Bytes(len(p.Pairs))*2048
	return e
}

type traffic struct{ bytes, messages int64 }

// bytesByPair adds up what each connection carries in one step.
func (p *Plan) bytesByPair() map[[3]int32]traffic {
	sum := map[[3]int32]traffic{}
	for _, c := range p.Step.Collectives {
		s := c.Schedule
		for ch := range s.Channels() {
			for r := range s.Ranks() {
				for i := range s.Len(r, ch) {
					op := s.Op(r, ch, i)
					if op.Kind != coll.Send {
						continue
					}
					_, n := c.Range(ch, int(op.Chunk))
					key := [3]int32{int32(r), op.Peer, int32(ch)}
					t := sum[key]
					sum[key] = traffic{t.bytes + n, t.messages + 1}
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
