package judge

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
	"railyard/internal/net/topo"
)

// beside is two ports of leaf1 and a NIC, with what leaf1 shows of its pauses, its drops and its queue in the end.
func beside(pauses, drops, deep, held int64) *telemetry.Telemetry {
	return shown(func(r *telemetry.Row) {
		part := int64(r.Time / unit.Time(100*unit.Microsecond)) // of ninths
		if r.Device != "leaf1" {
			return
		}
		if r.OutDiscards = 0; r.Port == "leaf1/spine1" {
			r.TxPFC, r.RxPause = pauses*part/9, held*part
		}
		if r.Port == "leaf1/host1" {
			r.OutDiscards, r.Watermark = drops*part/9, deep
		}
	})
}

// A switch that pauses others at queues that are no deeper than in order has other thresholds than it had, as has one that drops where
// it paused; one whose queues are deeper, that is held itself, or that pauses hardly more than in order, has not.
func TestPauseThresholds(t *testing.T) {
	for name, c := range map[string]struct {
		now, was *telemetry.Telemetry
		named    bool
	}{
		"early":           {beside(60, 0, 40_000, 0), beside(0, 0, 400_000, 0), true},
		"as deep":         {beside(60, 0, 440_000, 0), beside(0, 0, 400_000, 0), true},
		"deeper":          {beside(60, 0, 600_000, 0), beside(0, 0, 400_000, 0), false},
		"as many":         {beside(60, 0, 40_000, 0), beside(30, 0, 400_000, 0), false},
		"hardly any":      {beside(9, 0, 40_000, 0), beside(0, 0, 400_000, 0), false},
		"held itself":     {beside(60, 0, 40_000, 50), beside(0, 0, 400_000, 0), false},
		"drops":           {beside(0, 60, 400_000, 0), beside(60, 0, 400_000, 0), true},
		"drops, and ever": {beside(0, 60, 400_000, 0), beside(60, 60, 400_000, 0), false},
		"drops, pauses":   {beside(60, 60, 400_000, 0), beside(60, 0, 400_000, 0), false},
		"hardly paused":   {beside(0, 60, 400_000, 0), beside(9, 0, 400_000, 0), false},
		"drops, shallow":  {beside(0, 60, 300_000, 0), beside(0, 0, 400_000, 0), true},
		"shallow":         {beside(0, 0, 300_000, 0), beside(0, 0, 400_000, 0), false},
		"dropped ever":    {beside(0, 60, 300_000, 0), beside(0, 30, 400_000, 0), false},
		"hardly shallow":  {beside(0, 60, 350_000, 0), beside(0, 0, 400_000, 0), false},
		"never paused":    {beside(0, 60, 400_000, 0), beside(0, 0, 400_000, 0), false},
	} {
		v := Judge(Case{Now: c.now, Healthy: c.was})
		named := false
		for _, h := range v.Hypotheses {
			named = named || h.Mechanism == Drifted && h.Place.Name == "leaf1"
		}
		if named != c.named {
			t.Errorf("%s: named %v, %+v", name, named, v.Hypotheses)
		}
	}
}

// A port to a host that sends more, with a long queue, is an incast if somebody sends it besides what is sent in order, and not if
// others get as much less, nor if its switch drops where it paused: what is lost is sent again.
func TestBytesThatGoElsewhere(t *testing.T) {
	cable := topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: unit.Nanosecond}
	g, err := topo.SingleSwitch{Hosts: 3, GPUs: 1, NICs: 1, HostLink: cable}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	of := func(to, sent [3]int64, pauses, drops int64) *telemetry.Telemetry {
		var b telemetry.Builder
		for i := range 10 {
			k := 0
			for id := range g.Ports {
				p := &g.Ports[id]
				kind, n := telemetry.Port, int64(0)
				if g.Nodes[p.Node].Kind == topo.HostKind {
					kind = telemetry.NIC
				}
				r := telemetry.NewRow(kind, g.Nodes[p.Node].Name, p.Name, unit.Time(i)*unit.Time(100*unit.Microsecond))
				if kind == telemetry.NIC {
					n = sent[k%3]
					k++
				} else {
					n = to[id/2%3]
					r.Watermark = n / 20
					r.TxPFC, r.OutDiscards = pauses*int64(i)/9, drops*int64(i)/9
				}
				r.TxBytes, r.TxPackets = n*int64(i)/9, n*int64(i)/9/1000
				b.Add(&r)
			}
		}
		return b.Telemetry()
	}
	was := of([3]int64{1e6, 1e6, 1e6}, [3]int64{1e6, 1e6, 1e6}, 20, 0)
	for name, c := range map[string]struct {
		now   *telemetry.Telemetry
		named bool
	}{
		"besides":      {of([3]int64{3e6, 1e6, 1e6}, [3]int64{1e6, 2e6, 2e6}, 20, 0), true},
		"elsewhere":    {of([3]int64{3e6, 0, 0}, [3]int64{1e6, 1e6, 1e6}, 20, 0), false},
		"sent again":   {of([3]int64{3e6, 1e6, 1e6}, [3]int64{1e6, 2e6, 2e6}, 0, 90), false},
		"drops, holds": {of([3]int64{3e6, 1e6, 1e6}, [3]int64{1e6, 2e6, 2e6}, 20, 90), true},
	} {
		v := Judge(Case{Now: c.now, Healthy: was, Graph: g})
		if named := len(v.Hypotheses) > 0 && v.Hypotheses[0].Mechanism == ForeignIncast; named != c.named {
			t.Errorf("%s: named %v, %+v", name, named, v.Hypotheses)
		}
	}
}

// Flows met by chance where one of equal links has more bytes than in order while hosts are sent the same; where other hosts are sent
// more, links are full for that.
func TestWhoIsSentOtherwise(t *testing.T) {
	cable := topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: unit.Nanosecond}
	g, err := topo.LeafSpine{Hosts: 4, GPUs: 1, NICs: 1, HostLink: cable, Leaves: 2, Spines: 2, SpineLink: cable}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	of := func(bytes map[string]int64) *telemetry.Telemetry {
		var b telemetry.Builder
		for i := range int64(10) {
			for id := range g.Ports {
				p := &g.Ports[id]
				kind := telemetry.Port
				if g.Nodes[p.Node].Kind == topo.HostKind {
					kind = telemetry.NIC
				}
				r := telemetry.NewRow(kind, g.Nodes[p.Node].Name, p.Name, unit.Time(i)*unit.Time(100*unit.Microsecond))
				n := int64(900_000)
				if x, there := bytes[p.Name]; there {
					n = x
				}
				if r.TxBytes, r.TxPackets = n*i/9, n*i/9/1000; kind == telemetry.Port {
					r.Watermark = n / 20
				}
				b.Add(&r)
			}
		}
		return b.Telemetry()
	}
	for name, c := range map[string]struct {
		bytes map[string]int64
		named bool
	}{
		"met":             {map[string]int64{"leaf1/spine1": 1_800_000, "leaf1/spine2": 0}, true},
		"met, one sooner": {map[string]int64{"leaf1/spine1": 1_800_000, "leaf1/spine2": 0, "leaf2/host4": 1_100_000}, true},
		"sent otherwise": {map[string]int64{"leaf1/spine1": 1_800_000, "leaf1/spine2": 0, "leaf2/host3": 1_800_000, "leaf2/host4": 0},
			false},
	} {
		v := Judge(Case{Now: of(c.bytes), Healthy: of(nil), Graph: g})
		if named := v.Wrong && v.Hypotheses[0].Mechanism == Collision; named != c.named {
			t.Errorf("%s: named %v, %+v", name, named, v.Hypotheses)
		}
	}
}
