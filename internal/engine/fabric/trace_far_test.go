package fabric

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/net/topo"
)

// pair is two hosts under a switch, in one island.
func pair(t *testing.T) (*sim.Engine, *Fabric, *topo.Graph) {
	t.Helper()
	b := topo.NewBuilder()
	sw := b.AddSwitch("switch", topo.Leaf)
	for _, h := range []string{"host1", "host2"} {
		b.ConnectRail(b.AddHost(h, 1), sw, topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: unit.Microsecond}, 0)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Classes: []Class{{Name: "data", Weight: 1}}, MTU: 1500, PauseFrame: 64,
		Buffer: Buffer{Size: unit.Megabyte, LossyAlpha: unit.Ratio{Num: 1, Den: 1}}}
	of := make([]int32, len(g.Nodes))
	eng := sim.New(make([]int, 1), cfg.Lookahead(g, of, false))
	f, err := New(eng, g, cfg, of)
	if err != nil {
		t.Fatal(err)
	}
	return eng, f, g
}

// A trace has room for as many links as a way may have; a duplicate goes its own way; the next frame in
// the slot begins anew.
func TestATraceOfALongWay(t *testing.T) {
	eng, f, g := pair(t)
	isl := eng.Island(0)
	from := g.NICs[0].Port
	p := Make(WriteMiddle, 0, 0, f.AddRoute([]PortID{from, g.NICs[1].Port ^ 1}), 0, 1000)
	f.StartTrace(isl, 7, from, &p)
	one := f.Trace(isl, &p)
	for i := 1; i < MaxHops-1; i++ {
		*one.add() = Hop{Port: PortID(i), Ready: unit.Time(i)}
	}
	again := p
	f.copyTrace(isl, &again)
	two := f.Trace(isl, &again)
	*one.add() = Hop{Port: 100}
	*two.add() = Hop{Port: 200}
	for _, tr := range []*Trace{one, two} {
		if tr.N != MaxHops || tr.Hop(0).Port != from || tr.Hop(0).Start != 7 {
			t.Errorf("%d links, the first %+v", tr.N, *tr.Hop(0))
		}
		for i := 1; i < MaxHops-1; i++ {
			if h := tr.Hop(i); h.Port != PortID(i) || h.Ready != unit.Time(i) {
				t.Errorf("link %d is %+v", i, *h)
			}
		}
	}
	if a, b := one.Hop(MaxHops-1).Port, two.Hop(MaxHops-1).Port; a != 100 || b != 200 {
		t.Errorf("the last ports are %d and %d", a, b)
	}
	f.TakeTrace(isl, &p)
	f.StartTrace(isl, 8, from, &p)
	if next := f.Trace(isl, &p); next != one || next.N != 1 || len(next.far) != 0 || cap(next.far) == 0 {
		t.Errorf("the next frame has %d links, memory for %d", next.N, cap(next.far))
	}
}

// After a run nothing is left of frames, also of those on their way, and counters are what they were.
func TestReleaseKeepsCounters(t *testing.T) {
	eng, f, g := pair(t)
	from, to := g.NICs[0].Port, g.NICs[1].Port
	o := &oneWay{f: f, route: f.AddRoute([]PortID{from, to ^ 1}), left: 100}
	for _, n := range g.NICs {
		f.Attach(n.Port, o, o)
	}
	eng.Register(FirstFreeClass, o)
	eng.At(0, 0, sim.MakeKey(sim.Host, FirstFreeClass, int32(from)))
	eng.RunUntil(unit.Time(4 * unit.Microsecond)) // the first have arrived, the last have not left
	now, hops := eng.Now(), f.Hops()
	var before []PortStats
	for id := range g.Ports {
		before = append(before, f.Stats(now, topo.PortID(id)))
	}
	if before[from].Frames == 0 || o.got == 0 || o.got == 100 {
		t.Fatalf("%d frames have left, %d have arrived", before[from].Frames, o.got)
	}
	f.Release()
	for id := range g.Ports {
		if s := f.Stats(now, topo.PortID(id)); s != before[id] || f.links.ports[id].tail != nil || f.links.ingresses[id].head != nil {
			t.Errorf("port %d: %+v, before %+v", id, s, before[id])
		}
	}
	if f.Hops() != hops || f.links.states[0].traces.used != 0 || f.links.states[0].chunks.free != nil {
		t.Errorf("%d packet-hops, before %d; %d traces", f.Hops(), hops, f.links.states[0].traces.used)
	}
}
