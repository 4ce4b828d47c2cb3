package survey

import (
	"testing"

	"railyard/internal/base/machine/machinetest"
	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// large is 16,384 hosts of one NIC under switches of 64 ports: NVIDIA's 64 units (DGX SuperPOD B200 reference
// architecture, table of larger deployments): 512 leaves, 512 spines, 256 cores.
var large = topo.LeafSpine{Hosts: 16384, GPUs: 1, NICs: 1, Leaves: 512, Spines: 32,
	HostLink:  topo.Cable{Rate: 400 * unit.GigabitPerSec, Length: 20 * unit.Metre},
	SpineLink: topo.Cable{Rate: 400 * unit.GigabitPerSec, Length: 30 * unit.Metre},
	Upper: topo.Upper{Pods: 16, SuperSpines: 256, SuperGroups: 32, SuperParallel: 4,
		SuperLink: topo.Cable{Rate: 400 * unit.GigabitPerSec, Length: 50 * unit.Metre}}}

// Generated, routed and surveyed: of 268 million pairs of NICs 512 x 512 of switches are looked at.
func BenchmarkSurvey16384Hosts(b *testing.B) {
	cpu := machinetest.Start(b)
	for b.Loop() {
		g, err := large.Graph()
		if err != nil {
			b.Fatal(err)
		}
		s := Of(g, topo.NewRoutes(g), nil)
		if len(s.Pairs) != 3 || len(s.Cycle) > 0 {
			b.Fatalf("%+v", s.Pairs)
		}
	}
	cpu.Report()
}

func BenchmarkParts16384Hosts(b *testing.B) {
	g, err := large.Graph()
	if err != nil {
		b.Fatal(err)
	}
	r := topo.NewRoutes(g)
	for name, run := range map[string]func(){
		"graph": func() { large.Graph() }, "routes": func() { topo.NewRoutes(g) }, "walk": func() { walk(g, r, everyone(g)) },
		"points": func() { points(g) }, "flows": func() { flows(g) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				run()
			}
		})
	}
}
