package plan

import (
	"railyard/internal/hash"
	"railyard/internal/scenario"
	"railyard/internal/topo"
	"railyard/internal/wire"
)

// Hash says how the switches hash.
func (p *Plan) Hash() hash.Config {
	h := &p.Scenario.Fabric.Hash
	return hash.Config{
		Function:  h.Function,
		QP:        h.Fields == scenario.HashFieldsQP,
		PerSwitch: h.Seed == "per-switch",
		Seed:      p.Scenario.Seed,
	}
}

// headers are those of queue pair number n of its job, of data. The UDP source port carries the number,
// as RoCEv2 NICs do for entropy: 0xC000 to 0xFFFF.
func headers(from, to topo.NICID, n int) hash.Flow {
	const firstHost = 0x0a000001
	return hash.Flow{
		SrcIP:    firstHost + uint32(from),
		DstIP:    firstHost + uint32(to),
		SrcPort:  0xc000 | uint16(n&0x3fff),
		DstPort:  wire.RoCEv2Port,
		Protocol: hash.UDP,
		QP:       uint32(n) & 0xffffff,
	}
}
