package clue

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
)

// A place is a port, or a directed link inside a host, by its name and its rate.
func TestPlaces(t *testing.T) {
	p, err := plan.New(plantest.Graphed(t, "graph: preset, links: [{link: PCIe2/CPU0, rate: 5GB/s}]", "per_gpu: 1", ""),
		plan.Files{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := p.PCIe.Graph
	set, _ := g.Link("CPU0/PCIe2")
	at := int32(len(p.Graph.Ports)) + int32(len(g.Names)) + 2*set + 1
	if name := PlaceName(p, at); name != "host2/PCIe2/CPU0" || PlaceRate(p, at) != 40*unit.GigabitPerSec {
		t.Errorf("%s, %v", name, PlaceRate(p, at))
	}
	if host, link, ok := Inside(p, "host2/PCIe2/CPU0"); !ok || host != 1 || link != set {
		t.Errorf("host %d, link %d, %v", host, link, ok)
	}
	if PlaceName(p, 0) != p.Graph.Ports[0].Name || PlaceRate(p, 0) != p.Graph.Ports[0].Rate {
		t.Error("a port is not called by its name")
	}
}
