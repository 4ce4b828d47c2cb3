package nccl

import (
	"math"
	"reflect"
	"testing"

	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// Over links so many times as fast, so many times as fast constants choose the same and take that part of the time, whatever
// the group and the size; constants that are once as fast are the same.
func TestFasterIsFaster(t *testing.T) {
	if got := Default().Faster(ratio(1, 1)); !reflect.DeepEqual(got, Default()) {
		t.Errorf("once as fast: %+v", got)
	}
	draw := splitmix.Stream(38)
	pick := func(n int) int { return int(draw.Next() % uint64(n)) }
	for range 5000 {
		nodes, local, times := 1<<pick(5), 1<<pick(4), []int64{2, 4, 5}[pick(3)] // which divide all latencies
		g := Group{Ranks: nodes * local, Nodes: nodes, Generation: Generation(pick(int(generations))), Intra: Hop(pick(2)),
			IntraRate: unit.Bitrate(100+pick(900)) * gBs, NVSwitch: pick(2) == 1, NICs: 1 + pick(8),
			NICRate: unit.Bitrate(5+pick(100)) * gBs, AMD: pick(4) == 0, InNetwork: pick(4) == 0}
		fast := g
		fast.IntraRate, fast.NICRate = g.IntraRate*unit.Bitrate(times), g.NICRate*unit.Bitrate(times)
		ops := []coll.Collective{coll.AllReduce, coll.AllGather, coll.ReduceScatter, coll.BroadcastFrom, coll.SendReceive, coll.AllToAll}
		op, bytes := ops[pick(len(ops))], unit.Bytes(1+pick(1000))<<pick(22)
		slow, p, only := Default(), Default().Faster(ratio(times, 1)), Only{}
		if pick(4) == 0 { // the least of rings
			only = Only{[]Algorithm{Ring}, []Protocol{Simple}}
			g.NICs, g.NICRate, bytes = 1, unit.Bitrate(3+pick(12))*gBs, unit.Bytes(1+pick(100))<<10
			fast.NICs, fast.NICRate = 1, g.NICRate*unit.Bitrate(times)
		}
		a, err := slow.Choose(op, bytes, g, only)
		if err != nil {
			continue // a send of one rank, and the like
		}
		b, err := p.Choose(op, bytes, fast, only)
		if err != nil {
			t.Fatal(err)
		}
		if a.Algorithm != b.Algorithm || a.Protocol != b.Protocol || a.Channels != b.Channels {
			t.Errorf("%+v, %v of %v: %v %v on %d channels, %d times as fast %v %v on %d", g, op, bytes, a.Algorithm, a.Protocol,
				a.Channels, times, b.Algorithm, b.Protocol, b.Channels)
			continue
		}
		x, err := slow.Predict(op, bytes, g, a.Algorithm, a.Protocol)
		if err != nil {
			t.Fatal(err)
		}
		y, err := p.Predict(op, bytes, fast, a.Algorithm, a.Protocol)
		if err != nil {
			t.Fatal(err)
		}
		// Rates are whole bits a second.
		if d := float64(x.Time()) - float64(times)*float64(y.Time()); math.Abs(d) > 50+1e-8*float64(x.Time()) {
			t.Errorf("%+v, %v of %v by %v %v: %v, %d times as fast %v", g, op, bytes, a.Algorithm, a.Protocol, x.Time(), times,
				y.Time())
		}
	}
}
