package fabric

import (
	"testing"

	"railyard/internal/engine/sim"
)

// Ports are alike for as long as nothing at any of them was decided by chance, marked, dropped or paused.
func TestPortsThatAreAlike(t *testing.T) {
	for want, happens := range map[string]func(f *Fabric){
		"":                    func(f *Fabric) { f.links.ports[0].marks, f.links.ports[1].frames = 1, 9 },
		"frames were marked":  func(f *Fabric) { f.links.ports[2].marks = 1 },
		"frames were dropped": func(f *Fabric) { f.links.ports[1].drops = 1 },
		"links were paused":   func(f *Fabric) { f.links.ports[1].pausesReceived = 1 },
		"marks were drawn":    func(f *Fabric) { f.egress.slow[2*2+1].marking.rng.Uint32() },
	} {
		f := &Fabric{setup: setup{nc: 2}, links: links{ports: make([]port, 3)}, egress: egress{slow: make([]slow, 6)}}
		for i := range f.egress.slow {
			f.egress.slow[i].marking.rng = sim.NewStream(1, "mark", uint64(i))
		}
		alike := f.Alike([]PortID{1, 2})
		if why := alike(); why != "" {
			t.Errorf("nothing has happened, and %s", why)
		}
		if happens(f); alike() != want {
			t.Errorf("%q, want %q", alike(), want)
		}
	}
	f := &Fabric{setup: setup{nc: 1}, links: links{ports: make([]port, 2)}, egress: egress{slow: make([]slow, 2)}}
	alike := f.Alike([]PortID{0, 1})
	if f.links.ports[1].pausesSent = 1; alike() == "" {
		t.Error("a switch paused a sender, and ports are alike")
	}
}
