package topo

import (
	"testing"

	"railyard/internal/base/machine/machinetest"
	"railyard/internal/base/unit"
)

var cable400 = Cable{Rate: 400 * unit.GigabitPerSec, Length: 20 * unit.Metre}

// A pod of 8192 hosts with 8 rails. The work of making routes must not grow with the
// hosts: each of the 8 searches looks at the ports between switches, twice.
func TestRoutesOf8192HostsScanOnlyTrunkPorts(t *testing.T) {
	g, err := RailOptimized{Hosts: 8192, GPUs: 8, NICs: 8, Spines: 64, Parallel: 2,
		HostLink: cable400, SpineLink: cable400}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	r := NewRoutes(g)
	trunkPorts := 2 * 8 * 64 * 2
	if bound := 8 * 2 * trunkPorts; r.scanned > bound {
		t.Errorf("looked at %d ports, want at most %d", r.scanned, bound)
	}
	// Each rail has one group of all its uplinks, each spine one per rail, and there is the empty
	// one.
	if groups := len(r.groups) - 1; groups != 8+64*8+1 {
		t.Errorf("%d groups of next hops, want %d", groups, 8+64*8+1)
	}
	last := NICID(len(g.NICs) - 1)
	if n := len(r.NextHops(g.Edge(0), last)); n != 128 {
		t.Errorf("rail 1 has %d ways to rail 8, want 128", n)
	}
	path, err := r.Path(0, last, nil)
	if err != nil || len(path) != 4 {
		t.Errorf("path %v, %v; want 4 ports", path, err)
	}
}

// Of leaves that have the same spines one is looked at, and of spines one: a search does not grow with
// leaves x spines.
func TestRoutesLookAtOneOfTwins(t *testing.T) {
	const leaves, spines = 64, 16
	g, err := LeafSpine{Hosts: leaves, GPUs: 1, NICs: 1, Leaves: leaves, Spines: spines, HostLink: cable400,
		SpineLink: cable400}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	r := NewRoutes(g)
	if bound := leaves * 2 * (leaves + spines); r.scanned > bound {
		t.Errorf("looked at %d ports, want at most %d", r.scanned, bound)
	}
	if groups := len(r.groups) - 1; groups != leaves+spines*leaves+1 {
		t.Errorf("%d groups of next hops, want %d", groups, leaves+spines*leaves+1)
	}
}

func TestNextHopsDoNotAllocate(t *testing.T) {
	g, err := RailOptimized{Hosts: 4, GPUs: 2, NICs: 2, Spines: 2, HostLink: cable400, SpineLink: cable400}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	r := NewRoutes(g)
	if n := testing.AllocsPerRun(100, func() { r.NextHops(g.Edge(0), 3); r.NextHops(g.Edge(0), 2) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func BenchmarkNewRoutes8192Hosts(b *testing.B) {
	for _, c := range []struct {
		name string
		d    Design
	}{
		{"rail-optimized", RailOptimized{Hosts: 8192, GPUs: 8, NICs: 8, Spines: 64, HostLink: cable400, SpineLink: cable400}},
		{"leaf-spine", LeafSpine{Hosts: 8192, GPUs: 1, NICs: 1, Leaves: 256, Spines: 64,
			HostLink: cable400, SpineLink: cable400}},
	} {
		g, err := c.d.Graph()
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) {
			cpu := machinetest.Start(b)
			for b.Loop() {
				NewRoutes(g)
			}
			cpu.Report()
		})
	}
}
