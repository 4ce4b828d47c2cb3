package nic_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/sim"
	"railyard/internal/net/cc"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
)

// drawNetwork draws a small star or leaf-spine with unequal rates.
func drawNetwork(t *rapid.T) *topo.Graph {
	rates := rapid.SampledFrom([]unit.Bitrate{10 * unit.GigabitPerSec, 25 * unit.GigabitPerSec, 40 * unit.GigabitPerSec,
		100 * unit.GigabitPerSec,
		200 * unit.GigabitPerSec, 400 * unit.GigabitPerSec, 33 * unit.GigabitPerSec})
	delays := rapid.SampledFrom([]unit.Duration{1, 5 * unit.Nanosecond, 100 * unit.Nanosecond, 2 * unit.Microsecond})
	link := topo.Cable{Rate: rates.Draw(t, "rate"), Delay: delays.Draw(t, "delay")}
	var design topo.Design
	if rapid.Bool().Draw(t, "leaf-spine") {
		p := topo.LeafSpine{GPUs: 1, NICs: 1, HostLink: link}
		p.Leaves = rapid.IntRange(2, 3).Draw(t, "leaves")
		p.Hosts = p.Leaves * rapid.IntRange(1, 3).Draw(t, "hosts per leaf")
		p.Spines = rapid.IntRange(1, 2).Draw(t, "spines")
		p.SpineLink = topo.Cable{Rate: rates.Draw(t, "spine rate"), Delay: delays.Draw(t, "spine delay")}
		design = p
	} else {
		design = topo.SingleSwitch{Hosts: rapid.IntRange(2, 6).Draw(t, "hosts"), GPUs: 1, NICs: 1, HostLink: link}
	}
	g, err := design.Graph()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// drawRig draws parameters for a network: every one of them an ordinary value, buffers small enough
// to fill.
func drawRig(t *rapid.T) (r *rig, lossless bool) {
	g := drawNetwork(t)
	r = defaults(g, g.Ports[g.NICs[0].Port].Rate)
	payload := unit.Bytes(rapid.SampledFrom([]int{256, 1024, 4096}).Draw(t, "MTU"))
	frame := payload + 82
	lossless = rapid.Bool().Draw(t, "lossless")
	f := &r.fabric
	f.MTU = frame
	f.Seed = rapid.Uint64().Draw(t, "seed")
	f.Classes[0].Lossless = lossless
	low := rapid.SampledFrom([]unit.Bytes{0, 5_000, 50_000}).Draw(t, "mark from")
	f.Classes[0].ECN = qos.Curve(low, low*3, unit.Ratio{Num: 1, Den: 2}, rapid.Bool().Draw(t, "mark at dequeue"))
	f.SwitchLatency = rapid.SampledFrom([]unit.Duration{0, 200 * unit.Nanosecond}).Draw(t, "switch latency")
	f.Buffer.FreeAtTxEnd = rapid.Bool().Draw(t, "free at end")
	f.Buffer.Reserve = rapid.SampledFrom([]unit.Bytes{0, 1000, 4096, 20_000}).Draw(t, "reserve")
	f.Buffer.LossyAlpha = rapid.SampledFrom([]unit.Ratio{{Num: 1, Den: 4}, {Num: 1, Den: 1}, {Num: 8, Den: 1}}).Draw(t,
		"lossy alpha")
	f.PFC.Alpha = rapid.SampledFrom([]unit.Ratio{{Num: 1, Den: 64}, {Num: 1, Den: 8}, {Num: 4, Den: 1}}).Draw(t,
		"alpha")
	f.PFC.Threshold = rapid.SampledFrom([]unit.Bytes{0, 0, 10_000, 1_000_000}).Draw(t, "xOFF")
	f.PFC.ResumeOffset = rapid.SampledFrom([]unit.Bytes{0, 2 * frame, 1_000_000}).Draw(t, "resume offset")
	f.PFC.Quanta = rapid.SampledFrom([]uint16{0, 0xffff, 4000}).Draw(t, "quanta")
	f.PFC.Headroom = qos.FormulaHeadroom(frame, f.SwitchLatency)
	if rapid.Bool().Draw(t, "response") {
		f.PFC.Response.Tabulated = true
	}
	f.Buffer.Size = smallestBuffer(g, f) + rapid.SampledFrom([]unit.Bytes{20_000, 60_000, 1_000_000}).Draw(t, "shared")
	r.nic.Transport.MTU = payload
	r.nic.Transport.AckEvery = rapid.SampledFrom([]int{1, 3, 16}).Draw(t, "ack every")
	r.nic.Transport.Timeout, r.nic.Transport.Retries = 200*unit.Microsecond, 1000
	receivers[rapid.SampledFrom(slices.Sorted(maps.Keys(receivers))).Draw(t, "receiver")](r)
	if rapid.Bool().Draw(t, "no DCQCN") {
		r.nic.Controller = cc.None{Window: cc.Window{Bytes: rapid.SampledFrom([]unit.Bytes{0, 1, 20_000}).Draw(t,
			"window")}}
	}
	return r, lossless
}

// smallestBuffer is the reserves, headrooms and crossing frames of the switch that needs most.
func smallestBuffer(g *topo.Graph, f *fabric.Config) (most unit.Bytes) {
	need := make([]unit.Bytes, len(g.Nodes))
	for _, p := range g.Ports {
		need[p.To] += f.Buffer.Reserve * unit.Bytes(len(f.Classes))
		if f.Classes[0].Lossless {
			need[p.To] += f.PFC.Headroom.At(qos.Link{Rate: p.Rate, Delay: p.Delay}) + f.MTU
		}
		if g.Nodes[p.To].Kind != topo.HostKind {
			most = max(most, need[p.To])
		}
	}
	return most
}

// outcome runs a rig to its end, verifying the fabric's accounts at random instants, and says what
// is wrong.
func (r *rig) outcome(seed uint64, lossless bool) error {
	var bad error
	s := sim.NewStream(seed, "audit", 0)
	r.watch(func() unit.Duration { return unit.Duration(1 + s.Below(uint64(3*unit.Microsecond))) },
		func(now unit.Time) bool {
			if err := r.fab.Check(); err != nil && bad == nil {
				bad = fmt.Errorf("at %v: %w", now, err)
				r.eng.StopAt(now)
			}
			if now > unit.Time(unit.Second) && bad == nil {
				bad = fmt.Errorf("%d flows are stuck at %v", r.left, now)
				r.eng.StopAt(now)
			}
			return r.left > 0
		})
	r.net.Build(func(int32) unit.Duration { return 4 * unit.Microsecond })
	r.eng.Run()
	switch {
	case bad != nil:
		return bad
	case r.net.Err() != nil && !lossless && r.fabric.Buffer.Size < unit.Megabyte:
		// Senders that nothing slows down can livelock in small buffers: timeouts send the same
		// bursts again at the same moments, in which the same acknowledgements are lost.
		return nil
	case r.net.Err() != nil:
		return r.net.Err()
	case r.left != 0:
		return fmt.Errorf("%d flows unfinished at %v", r.left, r.eng.Now())
	}
	for _, f := range r.flows {
		got, want := f.Split.Sum(), f.Placed.Sub(f.Posted)
		if got != want || f.Acked < f.Placed-unit.Time(unit.Millisecond) {
			return fmt.Errorf("%s: causes sum to %v, the flow took %v: %v", r.net.Name(f.QP), got, want, f.Split)
		}
		for c, d := range f.Split {
			if d < 0 {
				return fmt.Errorf("%s: cause %d is %v", r.net.Name(f.QP), c, d)
			}
		}
	}
	if !lossless {
		return nil
	}
	for id := range r.graph.Ports {
		if n := r.fab.LosslessDrops(topo.PortID(id)); n != 0 {
			return fmt.Errorf("%d drops in a class under PFC of what came over %s", n, r.graph.Ports[id].Name)
		}
	}
	return nil
}

// TestRandomNetworks: whatever the network and its parameters, buffers add up at every instant,
// nothing under PFC with the formula's headroom is dropped, every flow completes (but see outcome)
// and its causes sum to its time.
func TestRandomNetworks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r, lossless := drawRig(rt)
		r.build(t)
		nics := len(r.graph.NICs)
		for range rapid.IntRange(1, 10).Draw(rt, "flows") {
			from := rapid.IntRange(0, nics-1).Draw(rt, "from")
			to := rapid.IntRange(0, nics-2).Draw(rt, "to")
			if to >= from {
				to++
			}
			r.gpuFlow(t, topo.NICID(from), topo.NICID(to),
				unit.Bytes(rapid.SampledFrom([]int{1, 3000, 30_000, 300_000}).Draw(rt, "bytes")),
				unit.Time(rapid.SampledFrom([]int64{0, 1, 1_000_000, 20_000_000}).Draw(rt, "start")))
		}
		if err := r.outcome(r.fabric.Seed, lossless); err != nil {
			rt.Fatal(err)
		}
	})
}
