package plan

import (
	"railyard/internal/hash"
	"railyard/internal/scenario"
	"railyard/internal/splitmix"
	"railyard/internal/topo"
	"railyard/internal/wire"
)

// Hash says how the switches hash.
func (p *Plan) Hash() *hash.Switches {
	s := &hash.Switches{Config: p.hash(&p.Scenario.Fabric), OwnOf: p.switches.of}
	for i := range p.switches.profiles {
		s.Own = append(s.Own, p.hash(&p.switches.profiles[i]))
	}
	return s
}

// hash is how switches hash that are as a fabric says.
func (p *Plan) hash(f *scenario.Fabric) hash.Config {
	h := hash.Config{
		Function:  f.Hash.Function,
		QP:        f.Hash.Fields == scenario.HashFieldsQP,
		PerSwitch: f.Hash.Seed == "per-switch",
		Seed:      p.Scenario.Seed,
	}
	if f.Hash.Seed == "role" {
		h.Role = nameLabel(f.Hash.Role)
	}
	return h
}

// bondHash is the hash by which a bond chooses a port for what has some headers: no switch's, whose choices it would
// else foretell.
func (p *Plan) bondHash(by *hash.Switches, f hash.Flow, from topo.NICID) uint64 {
	host := p.Graph.Hosts[p.Graph.NICs[from].Host].Node
	return splitmix.Mix(by.Hash(f, int(host)) ^ nameLabel("bond"))
}

// BondHashes are those of a queue pair's data, and of what comes back.
func (p *Plan) BondHashes(q *Pair) (data, back uint64) {
	if !p.Graph.Bonded() {
		return 0, 0
	}
	by := p.Hash()
	return p.bondHash(by, q.Key, q.From), p.bondHash(by, q.Key.Reverse(), q.To)
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
