package fabric

import (
	"fmt"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/net/balance"
	"railyard/internal/net/topo"
)

// A switch tells of a link when its quality has changed, once, to every switch next to it, and looks again as long as
// a link is not at its best: not loaded at all.
func TestASwitchLooksAtItsLinks(t *testing.T) {
	const us = unit.Time(unit.Microsecond)
	cable := topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: 100 * unit.Nanosecond}
	g, err := topo.LeafSpine{Hosts: 4, GPUs: 1, NICs: 1, Leaves: 2, Spines: 2, HostLink: cable, SpineLink: cable}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	one := unit.Ratio{Num: 1, Den: 1}
	params := balance.Params{Gap: unit.Microsecond, Tell: 5 * unit.Microsecond, DLB: balance.DLB{Mode: "flowlet",
		Sampling: unit.Microsecond, Load: [2]unit.Ratio{{Num: 1, Den: 4}, {Num: 3, Den: 4}},
		Queue: [2]unit.Bytes{unit.Kilobyte, unit.Megabyte}, Weight: one}}
	cfg := Config{Classes: []Class{{Name: "data", Weight: 1}}, MTU: 1500, PauseFrame: 64, SwitchLatency: unit.Microsecond,
		Buffer: Buffer{Size: unit.Megabyte, LossyAlpha: one},
		Routing: &Routing{Tables: balance.Tables{Graph: g, Epochs: []balance.Epoch{{Routes: topo.NewRoutes(g)}},
			Setup: balance.Setup{Method: balance.Methods["glb"], Params: params}}}}
	eng := sim.New([]int{len(g.Ports)}, 0)
	f, err := New(eng, g, cfg, make([]int32, len(g.Nodes)))
	if err != nil {
		t.Fatal(err)
	}
	isl, of := eng.Island(0), f.router.forwarders[0].teller
	if len(of.ports) != 2 {
		t.Fatalf("a leaf has links to %d switches, want 2", len(of.ports))
	}
	full := int64(cable.Rate.BytesIn(unit.Microsecond))
	for _, step := range []struct {
		at    unit.Time
		sent  int64  // by its first link, since the step before
		tells string // to each of the switches next to it: link and band
		looks bool
	}{
		{10 * us, 0, "", false},
		{11 * us, full * 11, "[0:4]", true}, // a sample counts a half
		{12 * us, full, "[0:7]", true},      // three quarters
		{13 * us, full, "", true},           // more, and no worse a band
		{16 * us, 0, "[0:0]", true},         // an eighth of it: as good as idle, but loaded
		{17 * us, 0, "", true},              // still
		{60 * us, 0, "", false},             // forgotten
		{61 * us, full * 44, "[0:4]", true}, // all again
	} {
		f.links.ports[of.ports[0]].txBytes += step.sent
		for _, id := range of.ports {
			f.router.messages[id] = nil
		}
		of.looks = true // the event that is handled
		(*look)(&f.router).Handle(isl, step.at, 0)
		for _, id := range of.ports {
			got := ""
			for _, m := range f.router.messages[id] {
				if want := step.at.Add(cable.Delay + cfg.SwitchLatency); m.at != want {
					t.Errorf("at %v: a message arrives at %v, want %v", step.at, m.at, want)
				}
				got += "["
				for _, x := range m.tells {
					got += fmt.Sprintf("%d:%d", x.port-of.ports[0], x.band)
				}
				got += "]"
			}
			if got != step.tells {
				t.Errorf("at %v: it tells %q, want %q", step.at, got, step.tells)
			}
		}
		if of.looks != step.looks {
			t.Errorf("at %v: it looks again: %t, want %t", step.at, of.looks, step.looks)
		}
	}
}
