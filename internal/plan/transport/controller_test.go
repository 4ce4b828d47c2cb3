package transport

import (
	"fmt"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/cc"
	"railyard/internal/net/wire"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

// Each named reaction point is the one of package cc.
func TestCongestionPresets(t *testing.T) {
	for name, want := range cc.Presets {
		sc := plantest.Read(t, plantest.WithoutPreset(plantest.Incast(2, plantest.Star+"congestion: {preset: "+name+"}\n")))
		got := Controller(sc).(cc.DCQCN)
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

// Every algorithm that a scenario may name has parameters, and of cc's each is made.
func TestEveryControllerIsMade(t *testing.T) {
	made := map[string]bool{}
	for _, c := range scenario.CongestionAlgorithms {
		sc := plantest.Read(t, plantest.WithoutPreset(plantest.Incast(2, plantest.Star+"congestion: {algorithm: "+c.Name+"}\n")))
		p := Controller(sc)
		if err := p.Validate(); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		made[fmt.Sprintf("%T", p)] = true
	}
	if len(made) != len(cc.Algorithms) {
		t.Errorf("%d kinds of parameters are made (%v), and cc has %d algorithms", len(made), made, len(cc.Algorithms))
	}
}

// Frames have the sizes of RoCEv2 by default. A tag makes each of them longer on links of hosts, but not pause frames, and is not
// there between leaves, where an overlay's 50 bytes are. Messages that make connections are larger than small frames of data.
func TestFrames(t *testing.T) {
	const tag = "fabric: {design: single-switch, qos: {trust: pcp}}\n"
	for _, c := range []struct {
		more                                string
		data, ack, cnp, pause, tunnel, most unit.Bytes
	}{
		{plantest.Star, 62, 66, 78, 64, 0, 62 + 16 + 4096 + 4},
		{tag, 66, 70, 82, 64, -4, 66 + 16 + 4096 + 4},
		{plantest.Star + "transport: {mtu: 128B}\n", 62, 66, 78, 64, 0, 62 + 16 + 128 + 4},
		{plantest.Star + "transport: {mtu: 128B, setup: true}\n", 62, 66, 78, 64, 0, wire.CMFrameBytes},
		{"fabric: {design: leaf-spine, leaves: 3, spines: 2, encapsulation: vxlan, qos: {trust: pcp}}\n" +
			"transport: {mtu: 128B, setup: true}\n", 66, 70, 82, 64, 46,
			wire.CMFrameBytes + 4},
	} {
		sc := plantest.Read(t, plantest.WithoutPreset(plantest.Incast(2, c.more)))
		f := Frames(sc)
		if f.Data != c.data || f.ACK != c.ack || f.CNP != c.cnp || f.PFC != c.pause {
			t.Errorf("%s: %+v", c.more, f)
		}
		if got := Tunnel(sc); got != c.tunnel {
			t.Errorf("%s: %s more between leaves, want %s", c.more, got, c.tunnel)
		}
		if got := LargestFrame(sc); got != c.most {
			t.Errorf("%s: largest %s, want %s", c.more, got, c.most)
		}
	}
}
