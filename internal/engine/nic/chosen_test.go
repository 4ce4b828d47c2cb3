package nic_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/net/balance"
	"railyard/internal/net/cc"
	"railyard/internal/net/topo"
)

// Where switches choose next hops, a mark belongs to the flow and the port that it was made at: those
// of all flows at a port are the port's, however often one asks.
func TestMarksOfChosenHops(t *testing.T) {
	const senders, rate = 3, 100 * unit.GigabitPerSec
	g := star(senders+1, rate)
	r := hpcc(g, cc.None{})
	r.fabric.Routing = &fabric.Routing{Tables: balance.Tables{Graph: g,
		Setup:  balance.Setup{Method: balance.Methods["ecmp"]},
		Epochs: []balance.Epoch{{Routes: topo.NewRoutes(g)}}}}
	r.build(t)
	down := g.NICs[senders].Port ^ 1
	for i := range senders {
		path, back := []topo.PortID{g.NICs[i].Port, down}, []topo.PortID{g.NICs[senders].Port, g.NICs[i].Port ^ 1}
		r.flowOf(nic.QueuePair{From: topo.NICID(i), To: senders, FromGPU: -1, ToGPU: -1, Path: path, Back: back,
			Chosen: true, ChosenBack: true}, 2*unit.Megabyte, 0)
	}
	r.run(t)
	want := r.fab.Stats(r.eng.Now(), down).Marks
	if want == 0 {
		t.Fatal("no mark")
	}
	for range 2 {
		marked := int64(0)
		for i := range int32(senders) {
			for _, e := range r.net.Evidence(i, false) {
				if e.Marked > 0 && e.Port != down {
					t.Errorf("queue pair %d: %d marks at port %d, want them at %d", i, e.Marked, e.Port, down)
				}
				marked += e.Marked
			}
		}
		if marked != want {
			t.Errorf("queue pairs know of %d marks, the port made %d", marked, want)
		}
	}
}
