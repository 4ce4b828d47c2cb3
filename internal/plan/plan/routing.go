package plan

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/balance"
	"railyard/internal/net/hash"
	"railyard/internal/net/topo"
	"railyard/internal/plan/network"
	"railyard/internal/plan/scenario"
)

// planRouting sets how frames find their way: the method and the routes over time. Routes follow a link that goes
// down, or comes up again, when all switches have heard of it. A link that is up again by then changes nothing.
func (p *Plan) planRouting() {
	of, own := p.Switches.Own()
	p.Tables = balance.Tables{
		Graph:  p.Graph,
		Epochs: []balance.Epoch{{From: 0, Routes: p.Routes}},
		Setup:  setup(&p.Scenario.Fabric),
		OwnOf:  of,
	}
	for i := range own {
		p.Tables.Own = append(p.Tables.Own, setup(&own[i]))
	}
	for _, at := range p.Faults.Turns() {
		dead := p.Faults.DeadAt(at)
		epoch := balance.Epoch{From: at, Routes: network.Routes(p.Scenario, p.Graph, dead)}
		p.Tables.Epochs = append(p.Tables.Epochs, epoch)
	}
	p.controller = &controller{Plan: p, loads: map[loadKey][]float64{}}
	hashed := p.Tables.Hashed()
	p.Finder = hashed.Finder(0)
}

// setup is how switches choose that are as a fabric says.
func setup(f *scenario.Fabric) balance.Setup {
	s := balance.Setup{
		Method: balance.Methods[string(f.Balance)],
		Params: balance.Params{
			Gap:      f.Flowlet.Gap,
			Buckets:  f.Resilient.Buckets,
			Tell:     f.GLB.Interval,
			ConWeave: balance.ConWeave{Reply: f.ConWeave.Reply, Busy: f.ConWeave.Busy, Resume: f.ConWeave.Resume},
			Spray: balance.Spray{Pick: f.Spray.Pick, Samples: f.Spray.Samples, Memory: f.Spray.Memory,
				Grades: f.Spray.Grades, Queue: [2]unit.Bytes{f.Spray.QueueMin, f.Spray.QueueMax}},
			DLB: balance.DLB{
				Mode:     f.DLB.Mode,
				Sampling: f.DLB.Sampling,
				Load:     [2]unit.Ratio{f.DLB.LoadMin, f.DLB.LoadMax},
				Queue:    [2]unit.Bytes{f.DLB.QueueMin, f.DLB.QueueMax},
				Weight:   f.DLB.Weight,
			},
		},
	}
	if f.Balance.WeighsLinks() {
		s.Params.Gap = f.DLB.Gap
	}
	return s
}

// chosen reports whether switches choose the next hop of each frame: where packets of a queue pair may take several
// ways, or routes change. Else all is known beforehand. What a controller has pinned stays where it is.
func (p *Plan) chosen() bool {
	return p.Scenario.Fabric.Balance != scenario.BalancePinned && (p.moves() || len(p.Tables.Epochs) > 1)
}

// moves reports whether the packets of a queue pair may take several ways: some switch chooses anew, or they differ
// in what is hashed.
func (p *Plan) moves() bool {
	return p.Scenario.Transport.Entropy != "flow" || p.Tables.Any(func(m *balance.Method) bool { return !m.Static })
}

// Hashes reports whether any switches put queue pairs on links by a hash.
func (p *Plan) Hashes() bool {
	return p.Scenario.Fabric.Balance != scenario.BalancePinned && p.Tables.Any(func(m *balance.Method) bool { return m.Hashes })
}

// ChosenPath reports whether switches choose the next hops of a queue pair's data, and of what answers them. Its
// paths are then ways that an empty network has.
func (p *Plan) ChosenPath(q *Pair) (data, back bool) {
	return p.chosen() && (q.Flow == nil || q.Flow.Path == nil),
		p.chosen() && (q.Flow == nil || q.Flow.Path == nil && q.Flow.Back == nil)
}

// routing is what the switches need to choose, nil where they need not.
func (p *Plan) routing() *fabric.Routing {
	if !p.chosen() {
		return nil
	}
	by := p.Hash()
	return &fabric.Routing{
		Tables: p.Tables,
		Hash: func(flow int32, to topo.NICID, entropy uint16, at topo.NodeID) uint64 {
			q := &p.Pairs[flow]
			f := q.Key
			if to != q.To {
				f = f.Reverse()
			}
			if entropy != 0 {
				f.SrcPort = entropy
			}
			return by.Hash(f, int(at))
		},
	}
}

// path finds the path of a flow with some headers: that of the hash, also where switches may choose others, or one to
// which a controller pins it, until it knows the others (see repin).
func (p *Plan) path(job int32, back bool, by *hash.Switches, f hash.Flow, from, to topo.NICID) ([]topo.PortID, error) {
	if p.Scenario.Fabric.Balance == scenario.BalancePinned {
		p.controller.pins = append(p.controller.pins, pin{pair: int32(len(p.Pairs)), job: job, back: back})
		return p.controller.freest(job, back, from, to)
	}
	return p.Finder.Path(from, to, func(at topo.NodeID) uint64 {
		if p.Graph.Nodes[at].Kind == topo.HostKind {
			return p.BondHash(by, f, from)
		}
		return by.Hash(f, int(at))
	})
}

// MethodAt is the method by which a switch chooses.
func (p *Plan) MethodAt(at topo.NodeID) *balance.Method { return p.Tables.At(at).Method }
