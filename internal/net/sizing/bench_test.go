package sizing

import (
	"testing"

	"railyard/internal/base/machine/machinetest"
	"railyard/internal/base/unit"
)

// BenchmarkSize searches for 100,000 GPUs, each by a port of 400 Gb/s, on switches of 64 ports of 800 Gb/s that split in
// eight: rail-optimised, any-to-any, in planes, and as a dragonfly.
func BenchmarkSize(b *testing.B) {
	sw := Switch{Model: "a", Ports: 64, Rate: 800 * unit.GigabitPerSec, Breakout: 8}
	cpu := machinetest.Start(b)
	for b.Loop() {
		for _, n := range []Need{{Design: "rail-optimized", Ports: 1}, {Design: "leaf-spine", Ports: 1},
			{Design: "rail-optimized", Ports: 2, Planes: 2, LostSpines: 1}, {Design: "dragonfly", Ports: 1}} {
			n.Hosts, n.Rails, n.HostRate, n.Leaf, n.Spine, n.Super = 12500, 8, 400*unit.GigabitPerSec, sw, sw, sw
			if _, err := Size(n); err != nil {
				b.Fatal(err)
			}
		}
	}
	cpu.Report()
}
