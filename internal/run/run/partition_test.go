package run

import (
	"fmt"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/topo"
)

// A large fabric is cut at its switches: hosts stay with the one they are on or, on one core unless
// windows of frames were much shorter, lie in groups apart; so do hosts with NICs on several.
func TestLargeNetworksRunInIslands(t *testing.T) {
	cable := topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: 100 * unit.Nanosecond}
	leafSpine := func(hosts, leaves, spines int) topo.Design {
		return topo.LeafSpine{Hosts: hosts, GPUs: 1, NICs: 1, Leaves: leaves, Spines: spines, HostLink: cable, SpineLink: cable}
	}
	for _, c := range []struct {
		name      string
		design    topo.Design
		nic       unit.Duration // ns
		workers   int
		want      int
		lookahead unit.Duration // ns: the cable, and what acts first at its end: a switch, a host; PFC acts at once
	}{
		{"few ports", leafSpine(64, 8, 8), 200, 2, 1, 400},
		{"leaf-spine", leafSpine(512, 16, 16), 200, 2, 32, 100},
		{"leaf-spine on one core", leafSpine(512, 8, 16), 200, 1, 40, 100},
		{"fast NICs", leafSpine(512, 8, 16), 0, 1, 40, 100},
		{"long cables to hosts", topo.LeafSpine{Hosts: 512, GPUs: 1, NICs: 1, Leaves: 8, Spines: 16, HostLink: cable,
			SpineLink: topo.Cable{Rate: cable.Rate, Delay: unit.Microsecond}}, 200, 1, 24, 1000},
		{"rails", topo.RailOptimized{Hosts: 96, GPUs: 8, NICs: 8, HostLink: cable, Spines: 4, SpineLink: cable}, 300, 1, 8 + 4 + 3, 100},
		{"one switch", topo.SingleSwitch{Hosts: 1024, GPUs: 1, NICs: 1, HostLink: cable}, 200, 2, 1, 400},
	} {
		g, err := c.design.Graph()
		if err != nil {
			t.Fatal(err)
		}
		p := partition(g, &fabric.Config{SwitchLatency: 300 * unit.Nanosecond, HostLatency: c.nic * unit.Nanosecond}, 0,
			islandPorts, c.workers)
		sum := 0
		for _, n := range p.sizes {
			sum += n
		}
		if len(p.sizes) != c.want || sum != len(g.Ports) || p.lookahead != c.lookahead*unit.Nanosecond {
			t.Errorf("%s: %d islands of %v ports, lookahead %v, want %d", c.name, len(p.sizes), p.sizes, p.lookahead, c.want)
		}
		for _, i := range p.of {
			if int(i) >= len(p.sizes) {
				t.Fatalf("%s: island %d of %d", c.name, i, len(p.sizes))
			}
		}
	}
}

// Cables so short that windows would be empty: one island.
func TestShortCablesRunInOneIsland(t *testing.T) {
	cable := topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: 5 * unit.Nanosecond}
	g, err := topo.LeafSpine{Hosts: 512, GPUs: 1, NICs: 1, Leaves: 16, Spines: 16, HostLink: cable,
		SpineLink: cable}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	if p := partition(g, &fabric.Config{}, 0, islandPorts, 2); len(p.sizes) != 1 {
		t.Errorf("%d islands, lookahead %v", len(p.sizes), p.lookahead)
	}
}

// In islands or in one, a run of a large network leaves the same bytes: flows to the next leaf, and
// of every fourth host to one host, through a buffer so small that its leaf pauses them.
func TestALargeRunIsTheSameInIslands(t *testing.T) {
	const hosts, leaves = 256, 16
	yaml := fmt.Sprintf(`
cluster: {hosts: %d, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: leaf-spine, leaves: %d, spines: %d, links: {spine: 100Gb/s}, switch: {buffer: 6MB}}
job:
  flows:
`, hosts, leaves, hosts/leaves)
	for i := range hosts {
		yaml += fmt.Sprintf("    - {from: host%d/gpu0, to: host%d/gpu0, bytes: %dB, start: %dns}\n", i+1,
			(i+hosts/leaves)%hosts+1, 20_000+100*i, 3*i)
		if i%4 == 1 {
			yaml += fmt.Sprintf("    - {from: host%d/gpu0, to: host1/gpu0, bytes: 60kB}\n", i+1)
		}
	}
	many := run(t, yaml, Options{})
	one := run(t, yaml, Options{Islands: 1})
	if digestOf(t, many.path) != digestOf(t, one.path) {
		t.Error(firstDifference(t, many.path, one.path))
	}
	if many.Pauses == 0 || many.ECNMarks == 0 {
		t.Errorf("%d pauses, %d marks: the run compares less than it means to", many.Pauses, many.ECNMarks)
	}
}
