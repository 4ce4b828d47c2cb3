package fabric_test

import (
	"testing"

	"railyard/internal/base/machine/machinetest"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/sim"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
)

// stream is a host that sends frames to another without end: as fast as its link goes, or left to
// none.
type stream struct {
	route fabric.Route
	left  int
	got   int
}

func (s *stream) Pull(_ *sim.Island, _ unit.Time, _ fabric.PortID, paused uint8, p *fabric.Packet) bool {
	if s.left == 0 || paused&1 != 0 {
		return false
	}
	s.left--
	*p = fabric.Make(fabric.WriteMiddle, 0, uint32(s.left), s.route, 0, 4178)
	return true
}

func (s *stream) Paused(*sim.Island, unit.Time, fabric.PortID, uint8, bool) {}

func (s *stream) Deliver(*sim.Island, unit.Time, fabric.PortID, *fabric.Packet) { s.got++ }

// kicks starts the streams at their times.
type kicks struct{ fab *fabric.Fabric }

func (k kicks) Handle(isl *sim.Island, now unit.Time, owner int32) {
	k.fab.Kick(isl, now, fabric.PortID(owner))
}

// BenchmarkForward is the bare fabric: 16 hosts on 4 leaves and 4 spines at 100 Gb/s, each sending
// 16 MB of 4,178-byte frames to the host one leaf further, marking and PFC on, no RDMA. Start times
// in lockstep, and spread over the time of a packet.
func BenchmarkForward(b *testing.B) {
	for _, spread := range []bool{false, true} {
		name := "lockstep"
		if spread {
			name = "spread"
		}
		b.Run(name, func(b *testing.B) {
			const hosts, frames, rate = 16, 16_000_000 / 4096, 100 * unit.GigabitPerSec
			cable := topo.Cable{Rate: rate, Length: 20 * unit.Metre}
			g, err := topo.LeafSpine{Hosts: hosts, GPUs: 1, NICs: 1, Leaves: 4, Spines: 4,
				HostLink: cable, SpineLink: cable}.Graph()
			if err != nil {
				b.Fatal(err)
			}
			cfg := fabric.Config{
				Classes: []fabric.Class{{Name: "data", Priority: 3, Weight: 1, Lossless: true,
					ECN: qos.Curve(400_000, 1_600_000, unit.Ratio{Num: 1, Den: 5}, false)}},
				PFC: fabric.PFC{Alpha: unit.Ratio{Num: 1, Den: 8}, ResumeOffset: 2 * 4178, Quanta: 0xffff,
					Refresh:  unit.Ratio{Num: 1, Den: 2},
					Headroom: qos.FormulaHeadroom(4178, 600*unit.Nanosecond)},
				Buffer: fabric.Buffer{Size: 64 * unit.Megabyte,
					LossyAlpha: unit.Ratio{Num: 1, Den: 1}, FreeAtTxEnd: true},
				SwitchLatency: 600 * unit.Nanosecond, LinkOverhead: 20, PauseFrame: 64, MTU: 4178,
			}
			hops := int64(0)
			b.ReportAllocs()
			cpu := machinetest.Start(b)
			for range b.N {
				cpu.Stop()
				eng := sim.New([]int{len(g.Ports)}, 0)
				fab, err := fabric.New(eng, g, cfg, make([]int32, len(g.Nodes)))
				if err != nil {
					b.Fatal(err)
				}
				eng.Register(fabric.FirstFreeClass, kicks{fab})
				routes := topo.NewRoutes(g)
				for i := range hosts {
					path, err := routes.Path(topo.NICID(i), topo.NICID((i+4)%hosts),
						func(_ topo.NodeID, n int) int { return i % n })
					if err != nil {
						b.Fatal(err)
					}
					s := &stream{route: fab.AddRoute(path), left: frames}
					fab.Attach(path[0], s, s)
					at := unit.Time(0)
					if spread {
						at = unit.Time(int64(i) * int64(rate.TransmitTime(4198)) / hosts)
					}
					eng.At(0, at, sim.MakeKey(sim.Host, fabric.FirstFreeClass, int32(path[0])))
				}
				cpu.Start()
				eng.Run()
				hops += fab.Hops()
				if fab.Hops() != 4*hosts*frames {
					b.Fatalf("%d packet-hops, want %d", fab.Hops(), 4*hosts*frames)
				}
			}
			s := cpu.Report()
			b.ReportMetric(s*1e9/float64(hops), "cpu-ns/hop")
			b.ReportMetric(float64(hops)/s/1e6, "Mhops/cpu-s")
		})
	}
}
