package plan

import (
	"railyard/internal/base/splitmix"
	"railyard/internal/net/hash"
	"railyard/internal/net/topo"
	"railyard/internal/net/wire"
	"railyard/internal/plan/scenario"
)

// Hash says how the switches hash.
func (p *Plan) Hash() *hash.Switches {
	of, own := p.Switches.Own()
	s := &hash.Switches{Config: p.hash(&p.Scenario.Fabric), OwnOf: of}
	for i := range own {
		s.Own = append(s.Own, p.hash(&own[i]))
	}
	if p.Scenario.Fabric.Overlay() {
		s.Outer = p.outer
	}
	return s
}

// outer is what a switch sees of a flow in a VXLAN tunnel: on the leaf that begins it, and the one that ends it, the
// flow's own headers; between them addresses of the two leaves, and a source port from the first leaf's hash of
// the flow's own (RFC 7348, section 5).
func (p *Plan) outer(s *hash.Switches, f hash.Flow, sw int) hash.Flow {
	from, to := topo.NICID(f.SrcIP-firstHost), topo.NICID(f.DstIP-firstHost)
	if at := topo.NodeID(sw); p.Graph.Nodes[at].Kind == topo.HostKind || p.Routes.Home(at, from) || p.Routes.Home(at, to) {
		return f
	}
	leaf := p.Graph.Edge(from)
	return hash.Flow{
		SrcIP:    firstLeaf + uint32(leaf),
		DstIP:    firstLeaf + uint32(p.Graph.Edge(to)),
		SrcPort:  0xc000 | uint16(s.Inner(f, int(leaf))&0x3fff),
		DstPort:  vxlanPort,
		Protocol: hash.UDP,
	}
}

// Addresses and ports of headers.
const (
	firstHost = 0x0a000001
	firstLeaf = 0x0aff0001
	vxlanPort = 4789 // RFC 7348, section 8.1
)

// hash is how switches hash that are as a fabric says.
func (p *Plan) hash(f *scenario.Fabric) hash.Config {
	h := hash.Config{
		Function:  f.Hash.Function,
		QP:        f.Hash.Fields == scenario.HashFieldsQP,
		PerSwitch: f.Hash.Seed == "per-switch",
		Seed:      p.Scenario.Seed,
	}
	switch {
	case f.Hash.Number > 0:
		h.Role = uint64(f.Hash.Number) * splitmix.Gamma
	case f.Hash.Seed == "role":
		h.Role = nameLabel(f.Hash.Role)
	}
	return h
}

// BondHash is the hash by which a bond chooses a port for what has some headers: no switch's, whose choices it would
// else foretell.
func (p *Plan) BondHash(by *hash.Switches, f hash.Flow, from topo.NICID) uint64 {
	host := p.Graph.Hosts[p.Graph.NICs[from].Host].Node
	return splitmix.Mix(by.Hash(f, int(host)) ^ nameLabel("bond"))
}

// BondHashes are those of a queue pair's data, and of what comes back; 0 where no NIC has a choice.
func (p *Plan) BondHashes(q *Pair) (data, back uint64) {
	if nics := p.Graph.NICs; len(nics[q.From].Ports) < 2 && len(nics[q.To].Ports) < 2 {
		return 0, 0
	}
	by := p.Hash()
	return p.BondHash(by, q.Key, q.From), p.BondHash(by, q.Key.Reverse(), q.To)
}

// Headers are those of queue pair number n of its job, of data. The UDP source port carries the number,
// as RoCEv2 NICs do for entropy: 0xC000 to 0xFFFF.
func Headers(from, to topo.NICID, n int) hash.Flow {
	return hash.Flow{
		SrcIP:    firstHost + uint32(from),
		DstIP:    firstHost + uint32(to),
		SrcPort:  0xc000 | uint16(n&0x3fff),
		DstPort:  wire.RoCEv2Port,
		Protocol: hash.UDP,
		QP:       uint32(n) & 0xffffff,
	}
}
