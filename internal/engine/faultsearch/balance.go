package faultsearch

import (
	"fmt"
	"maps"
	"slices"

	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/sim"
	"railyard/internal/net/balance"
	"railyard/internal/net/topo"
)

// drawRouting draws how frames find their way, from a stream of its own: half of the cases keep to paths, in the
// others switches choose by some method, and links that go down change the routes after some time.
func (c *Case) drawRouting(d *dice) {
	if d.one(2) {
		return
	}
	c.Method = pick(d, slices.Sorted(maps.Keys(balance.Methods))...)
	r := &fabric.Routing{Hash: hashOf}
	r.Tables = balance.Tables{
		Graph: c.Graph,
		Setup: balance.Setup{Method: balance.Methods[c.Method], Params: balance.Params{
			Gap:     d.time(100 * unit.Microsecond),
			Buckets: d.between(1, 100),
			Tell:    unit.Microsecond + d.time(50*unit.Microsecond),
			ConWeave: balance.ConWeave{Reply: d.time(20 * unit.Microsecond), Busy: d.time(20 * unit.Microsecond),
				Resume: 1 + d.time(200*unit.Microsecond)},
			Spray: balance.Spray{Pick: pick(d, slices.Sorted(maps.Keys(balance.Picks))...), Samples: d.between(1, 3),
				Memory: d.between(0, 2)},
			DLB: balance.DLB{Mode: pick(d, balance.Modes...), Sampling: 1 + d.time(50*unit.Microsecond),
				Load:   [2]unit.Ratio{ratio(1, 10), ratio(int64(d.between(2, 10)), 10)},
				Queue:  [2]unit.Bytes{0, unit.Bytes(d.between(1, 100_000))},
				Weight: ratio(int64(d.below(3)), 2)},
		}},
	}
	c.drawOwn(&dice{sim.NewStream(c.Number, "fault search, own methods", 0)}, &r.Tables)
	r.Epochs = []balance.Epoch{{Routes: topo.NewRoutes(c.Graph)}}
	if c.Fabric.Faults != nil {
		for _, down := range c.Fabric.Faults.Downs {
			if d.one(2) {
				continue
			}
			after := d.time(100 * unit.Microsecond)
			r.Epochs = append(r.Epochs,
				balance.Epoch{From: down.From.Add(after),
					Routes: topo.NewRoutesWithout(c.Graph, func(l topo.LinkID) bool { return l == down.Link })},
				balance.Epoch{From: max(down.Until, down.From.Add(after)) + 1, Routes: topo.NewRoutes(c.Graph)})
		}
		slices.SortStableFunc(r.Epochs[1:], func(a, b balance.Epoch) int { return int(a.From - b.From) })
	}
	c.Fabric.Routing = r
}

// drawOwn gives some switches a method of their own, where switches choose by themselves.
func (c *Case) drawOwn(d *dice, t *balance.Tables) {
	if t.Method.Weaves || !d.one(3) {
		return
	}
	t.OwnOf = make([]int32, len(c.Graph.Nodes))
	for i := range t.OwnOf {
		t.OwnOf[i] = -1
		if d.one(2) {
			own := balance.Setup{Method: t.Method, Params: t.Params}
			for own.Method = t.Method; own.Method == t.Method || own.Method.Weaves; {
				own.Method = balance.Methods[pick(d, slices.Sorted(maps.Keys(balance.Methods))...)]
			}
			t.OwnOf[i], t.Own = int32(len(t.Own)), append(t.Own, own)
		}
	}
}

// hashOf stands for the hash of some headers.
func hashOf(flow int32, to topo.NICID, entropy uint16, at topo.NodeID) uint64 {
	return splitmix.Mix(uint64(flow)<<32|uint64(to)) ^ splitmix.Mix(uint64(entropy)<<32|uint64(at))
}

// routed describes how frames find their way.
func (c *Case) routed() string {
	if c.Fabric.Routing == nil {
		return "paths"
	}
	r := c.Fabric.Routing
	return fmt.Sprintf("%s %+v in %d epochs, %d switches otherwise", c.Method, r.Params, len(r.Epochs), len(r.Own))
}

func routing(n uint64) *dice { return &dice{sim.NewStream(n, "fault search routing", 0)} }
