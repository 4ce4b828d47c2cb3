package plan

import (
	"testing"

	"railyard/internal/cc"
	"railyard/internal/plan/plantest"
	"railyard/internal/unit"
)

// Each named reaction point is the one of package cc.
func TestCongestionPresets(t *testing.T) {
	for name, want := range cc.Presets {
		p := planned(t, plantest.WithoutPreset(plantest.Incast(2, plantest.Star+"congestion: {preset: "+name+"}\n")))
		got := p.Controller().(cc.DCQCN)
		if at := want.DCQCN.PortRate; at > 0 { // its steps scale with the port: the scenario writes them out
			const speed = 100 * unit.GigabitPerSec
			if got.AI != want.DCQCN.AI*5/2 || got.HAI != want.DCQCN.HAI*5/2 || at*5/2 != speed {
				t.Errorf("%s at 100 Gb/s: %v %v", name, got.AI, got.HAI)
			}
			got.AI, got.HAI, got.PortRate = want.DCQCN.AI, want.DCQCN.HAI, want.DCQCN.PortRate
		}
		if got != want.DCQCN {
			t.Errorf("%s: %+v, want %+v", name, got, want.DCQCN)
		}
	}
}

// The round trip of the idle network, of two hops of 1 us at 100 Gb/s: of frames, 1,048 B there and
// 60 B back; of the payload, 1,000 B there and nothing back.
func TestBaseRTT(t *testing.T) {
	for what, want := range map[string]unit.Duration{"frames": 4*unit.Microsecond + 2*80*(1048+60),
		"payload": 4*unit.Microsecond + 2*80*1000} {
		p := planned(t, plantest.Incast(2, plantest.Star+"transport: {base_rtt: "+what+"}\n"))
		if got := p.BaseRTT(&p.Pairs[0]); got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
}
