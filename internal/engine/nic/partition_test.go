package nic_test

import (
	"cmp"
	"reflect"
	"slices"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/sim"
	"railyard/internal/net/topo"
)

// roundRobin puts nodes into n islands in turn.
func roundRobin(n int) func(g *topo.Graph) ([]int32, int) {
	return func(g *topo.Graph) ([]int32, int) {
		islandOf := make([]int32, len(g.Nodes))
		for i := range islandOf {
			islandOf[i] = int32(i % n)
		}
		return islandOf, n
	}
}

// TestPartitionChangesNothing: the same run in one island, or spread over several, gives the same
// flows and the same counters of every port. Losses, pauses, marks and timeouts all happen.
func TestPartitionChangesNothing(t *testing.T) {
	const rate = 100 * unit.GigabitPerSec
	type outcome struct {
		flows []nic.Flow
		ports []fabric.PortStats
		end   unit.Time
		hops  int64
	}
	run := func(seed uint64, islands int, change func(*rig)) outcome {
		r := defaults(leafSpine(t, 3, 3, 2, rate, rate), rate)
		r.fabric.Seed = seed
		r.fabric.Buffer.Size = 2 * unit.Megabyte
		change(r)
		r.parts, r.look = roundRobin(islands), cable
		r.build(t)
		s := sim.NewStream(seed, "flows", 0)
		for i := range 12 {
			from := topo.NICID(s.Below(9))
			to := topo.NICID(s.Below(3)) // incasts
			if from == to {
				to += 3
			}
			r.gpuFlow(t, from, to, unit.Bytes(1+s.Below(2_000_000)),
				unit.Time(s.Below(uint64(40*unit.Microsecond)))*unit.Time(i%3))
		}
		r.run(t)
		o := outcome{flows: r.flows, end: r.eng.Now(), hops: r.fab.Hops()}
		slices.SortFunc(o.flows, func(a, b nic.Flow) int { return cmp.Compare(a.QP, b.QP) })
		for id := range r.graph.Ports {
			o.ports = append(o.ports, r.fab.Stats(o.end, topo.PortID(id)))
		}
		return o
	}
	for name, change := range map[string]func(*rig){
		"lossless": func(*rig) {},
		"lossy":    func(r *rig) { r.fabric.Classes[0].Lossless = false; r.fabric.Buffer.Size = 300_000 },
		"selective": func(r *rig) {
			r.fabric.Classes[0].Lossless = false
			r.fabric.Buffer.Size = 300_000
			selective(r)
		},
		"one at a time": func(r *rig) { r.fabric.Buffer.FreeAtTxEnd = false; r.fabric.Classes[0].ECN.AtDequeue = true },
	} {
		for seed := range uint64(3) {
			want := run(seed, 1, change)
			for _, islands := range []int{2, 5, 14} {
				got := run(seed, islands, change)
				if !reflect.DeepEqual(got.flows, want.flows) {
					t.Errorf("%s, seed %d, %d islands: flows differ", name, seed, islands)
					for i := range want.flows {
						if !reflect.DeepEqual(got.flows[i], want.flows[i]) {
							t.Errorf("got  %+v\nwant %+v", got.flows[i], want.flows[i])
							break
						}
					}
				}
				if !slices.Equal(got.ports, want.ports) || got.end != want.end || got.hops != want.hops {
					t.Errorf("%s, seed %d, %d islands: ends at %v after %d hops, want %v after %d; ports equal: %v",
						name, seed, islands,
						got.end, got.hops, want.end, want.hops, slices.Equal(got.ports, want.ports))
				}
			}
		}
	}
}

// TestWindowsStretch: while no switch is near xOFF a window is as long as frames of data need from one
// island to another; once senders are paused it is as short as a PFC frame needs.
func TestWindowsStretch(t *testing.T) {
	const rate = 100 * unit.GigabitPerSec
	shortest := func(buffer unit.Bytes, to func(i int) topo.NICID) (least unit.Duration, pauses int64) {
		r := defaults(leafSpine(t, 4, 4, 4, rate, rate), rate)
		r.fabric.Buffer.Size = buffer
		r.parts, r.look = byLeaf, cable
		r.build(t)
		least, last := unit.Second, unit.Time(0)
		r.eng.OnWindow(func(end unit.Time) {
			if end < unit.Never {
				least, last = min(least, end.Sub(last)), end
			}
		})
		for i := range 12 {
			r.gpuFlow(t, topo.NICID(i), to(i), 500*unit.Kilobyte, 0)
		}
		r.run(t)
		for id := range r.graph.Ports {
			pauses += r.fab.Stats(r.eng.Now(), topo.PortID(id)).PausesSent
		}
		return least, pauses
	}
	latencies := defaults(leafSpine(t, 4, 4, 4, rate, rate), rate).fabric
	reach := cable + min(latencies.SwitchLatency, latencies.HostLatency) // hosts are islands too
	if least, pauses := shortest(64*unit.Megabyte, func(i int) topo.NICID { return topo.NICID((i + 4) % 16) }); least < reach ||
		pauses > 0 {
		t.Errorf("nothing is paused: a window of %v, %d pauses; want windows of %v or more", least, pauses, reach)
	}
	if least, pauses := shortest(2*unit.Megabyte, func(int) topo.NICID { return 15 }); least >= reach || pauses == 0 {
		t.Errorf("an incast: the shortest window took %v, %d pauses; want one shorter than %v", least, pauses, reach)
	}
}
