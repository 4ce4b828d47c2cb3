package fabric_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/balance"
	"railyard/internal/net/topo"
)

// A switch that knows no way to where a frame goes drops it, and says by which link it came. Nothing of
// it stays charged.
func TestAFrameWithoutARouteIsLost(t *testing.T) {
	link := topo.Cable{Rate: fast, Delay: cable}
	g, err := topo.LeafSpine{Hosts: 2, GPUs: 1, NICs: 1, HostLink: link, Leaves: 2, Spines: 1, SpineLink: link}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	cfg := lossy()
	hosts := map[topo.LinkID]bool{}
	for _, c := range g.NICs {
		hosts[g.Ports[c.Port].Link] = true
	}
	var lost []fabric.Loss
	cfg.OnLoss = func(_ int32, l fabric.Loss) { lost = append(lost, l) }
	cfg.Routing = &fabric.Routing{Tables: balance.Tables{Graph: g, Setup: balance.Setup{Method: balance.Methods["ecmp"]},
		Epochs: []balance.Epoch{{Routes: topo.NewRoutesWithout(g, func(l topo.LinkID) bool { return !hosts[l] })}}}}
	n := newNet(t, g, cfg)
	n.sendOn(0, 0, n.fab.RouteTo(1), 0, 1, frame)
	n.eng.Run()
	if err := n.fab.Check(); err != nil {
		t.Error(err)
	}
	want := fabric.Loss{At: unit.Time(admitted), Port: g.NICs[0].Port, Why: fabric.LostWithoutRoute, Far: true}
	if len(lost) != 1 || lost[0] != want {
		t.Errorf("lost %+v, want %+v", lost, want)
	}
}
