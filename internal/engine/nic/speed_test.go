package nic_test

import (
	"runtime"
	"testing"

	"railyard/internal/base/machine/machinetest"
	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// permutation is 16 hosts on a leaf-spine of 4 leaves and 4 spines at 100 Gb/s, each sending b
// bytes to the host one leaf further, with marking, PFC and DCQCN on; starts are at once, or spread
// over the time of a packet.
func permutation(tb testing.TB, b unit.Bytes, spread bool) *rig {
	tb.Helper()
	const hosts, rate = 16, 100 * unit.GigabitPerSec
	r := defaults(leafSpine(tb, 4, 4, 4, rate, rate), rate)
	r.build(tb)
	for i := range hosts {
		start := unit.Time(0)
		if spread {
			start = unit.Time(int64(i) * int64(rate.TransmitTime(4178)) / hosts)
		}
		r.gpuFlow(tb, topo.NICID(i), topo.NICID((i+4)%hosts), b, start)
	}
	return r
}

// mallocs is how many objects have been allocated so far.
func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// TestNoAllocationsPerHop: between two instants of a run under way, packets move without
// allocating. Queues that grow beyond what they ever held take memory; that ends.
func TestNoAllocationsPerHop(t *testing.T) {
	incast := func() *rig {
		const rate = 100 * unit.GigabitPerSec
		r := defaults(oneSwitch(t, 9, rate), rate)
		r.fabric.Buffer.Size = 3 * unit.Megabyte // so that PFC acts too
		r.build(t)
		for i := range 8 {
			r.gpuFlow(t, topo.NICID(i), 8, 8*unit.Megabyte, 0)
		}
		return r
	}
	for _, c := range []struct {
		name     string
		rig      *rig
		from, to unit.Time
	}{
		{"permutation in lockstep", permutation(t, 8*unit.Megabyte, false), unit.Time(100 * unit.Microsecond),
			unit.Time(600 * unit.Microsecond)},
		{"permutation, spread", permutation(t, 8*unit.Megabyte, true), unit.Time(100 * unit.Microsecond),
			unit.Time(600 * unit.Microsecond)},
		{"8:1 incast", incast(), unit.Time(1500 * unit.Microsecond), unit.Time(4500 * unit.Microsecond)},
	} {
		var before, after uint64
		var hops0, hops1 int64
		next := c.from
		c.rig.watch(func() unit.Duration { return next.Sub(c.rig.eng.Now()) }, func(now unit.Time) bool {
			switch now {
			case c.from:
				next, before, hops0 = c.to, mallocs(), c.rig.fab.Hops()
			case c.to:
				after, hops1 = mallocs(), c.rig.fab.Hops()
			}
			return now < c.to
		})
		c.rig.run(t)
		hops := hops1 - hops0
		if got := after - before; hops < 10_000 || got > 20 {
			t.Errorf("%s: %d allocations in %d packet-hops", c.name, got, hops)
		} else {
			t.Logf("%s: %d allocations in %d packet-hops", c.name, got, hops)
		}
	}
}

func BenchmarkPermutation(b *testing.B) {
	for _, c := range []struct {
		name   string
		spread bool
	}{{"lockstep", false}, {"spread", true}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var hops, events int64
			cpu := machinetest.Start(b)
			for range b.N {
				cpu.Stop()
				r := permutation(b, 16*unit.Megabyte, c.spread)
				cpu.Start()
				r.run(b)
				hops += r.fab.Hops()
				events += r.eng.Events()
			}
			s := cpu.Report()
			b.ReportMetric(s*1e9/float64(hops), "cpu-ns/hop")
			b.ReportMetric(float64(hops)/s/1e6, "Mhops/cpu-s")
			b.ReportMetric(float64(events)/float64(hops), "events/hop")
		})
	}
}
