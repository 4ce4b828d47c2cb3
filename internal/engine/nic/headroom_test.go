package nic_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/sim"
	"railyard/internal/net/cc"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
	"railyard/internal/net/wire"
)

// headroomRig has every delay of the headroom formula at its formula value: the interface delay as
// the switch's pipeline, the response delay at the peer, cables of 100 m, frames of 9,216 B in both
// directions so that a pause frame waits for one.
func headroomRig(t *testing.T, seed uint64, less unit.Bytes) *rig {
	const rate, frame = 100 * unit.GigabitPerSec, unit.Bytes(9216)
	g, err := topo.SingleSwitch{Hosts: 3, GPUs: 1, NICs: 1,
		HostLink: topo.Cable{Rate: rate, Length: 100 * unit.Metre}}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	interfaces, _, _ := qos.Delays(rate)
	pipeline := rate.TransmitTime(unit.Bytes(interfaces / 8))
	link := fabric.Links(g, g.Edge(0))[0] // all are alike
	r := &rig{graph: g,
		fabric: fabric.Config{
			Classes: []fabric.Class{{Name: "data", Priority: 3, Weight: 1, Lossless: true},
				{Name: "ack", Priority: 6, Strict: true}},
			PFC: fabric.PFC{Alpha: unit.Ratio{Num: 1, Den: 8}, ResumeOffset: 2 * frame, Quanta: 0xffff,
				Refresh:  unit.Ratio{Num: 1, Den: 2},
				Response: qos.Response{Tabulated: true},
				Headroom: qos.FixedHeadroom(qos.FormulaHeadroom(frame, pipeline).At(link) - less)},
			Buffer:        fabric.Buffer{Size: 2 << 20, LossyAlpha: unit.Ratio{Num: 1, Den: 1}},
			SwitchLatency: pipeline, LinkOverhead: wire.RoCEv2.Overhead,
			PauseFrame: wire.RoCEv2.PFC, MTU: frame, Seed: seed},
		nic: headroomNIC(frame),
	}
	r.build(t)
	s := sim.NewStream(seed, "starts", 0)
	at := func() unit.Time { return unit.Time(s.Below(uint64(2 * unit.Microsecond))) }
	r.flow(t, 0, 2, 3_000_000, at())
	r.flow(t, 1, 2, 3_000_000, at())
	r.flow(t, 2, 0, 3_000_000, at())
	r.flow(t, 2, 1, 3_000_000, at())
	r.net.Build(func(int32) unit.Duration { return 10 * unit.Microsecond })
	r.eng.Run()
	return r
}

func (r *rig) drops() (n int64) {
	for id := range r.graph.Ports {
		n += r.fab.LosslessDrops(topo.PortID(id))
	}
	return n
}

// IEEE 802.1Qbb's headroom: enough, and not generous. With the computed headroom nothing is ever
// dropped; with one frame less there are drops, which a search over start times finds.
func TestHeadroomIsEnoughAndNeeded(t *testing.T) {
	for seed := range uint64(100) {
		if r := headroomRig(t, seed, 0); r.drops() != 0 {
			t.Fatalf("seed %d: %d drops with the computed headroom", seed, r.drops())
		}
	}
	for seed := range uint64(100) {
		if r := headroomRig(t, seed, 9216); r.drops() > 0 {
			t.Logf("one frame less: %d drops with start times of seed %d", r.drops(), seed)
			return
		}
	}
	t.Error("no drops with one frame less than the computed headroom in 100 searches")
}

func headroomNIC(frame unit.Bytes) nic.Config {
	return nic.Config{Frames: wire.RoCEv2, Controller: cc.None{}, AckClass: 1, CNPClass: 1,
		Transport: roce.Params{MTU: frame - 82, AckEvery: 16, Timeout: unit.Millisecond,
			Retries: 7, AckDuplicates: true}}
}
