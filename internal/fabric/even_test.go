package fabric

import (
	"testing"

	"railyard/internal/sim"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// oneWay sends traced frames from one host to another, and none come back.
type oneWay struct {
	f     *Fabric
	route Route
	left  int
	got   int
}

func (o *oneWay) Handle(isl *sim.Island, now unit.Time, owner int32) {
	o.f.Kick(isl, now, PortID(owner))
}

func (o *oneWay) Pull(isl *sim.Island, now unit.Time, port PortID, _ uint8, p *Packet) bool {
	if o.left == 0 {
		return false
	}
	o.left--
	*p = Make(WriteMiddle, 0, uint32(o.left), o.route, 0, 1000)
	o.f.StartTrace(isl, now, port, p)
	return true
}

func (o *oneWay) Paused(*sim.Island, unit.Time, PortID, uint8, bool) {}
func (o *oneWay) Deliver(isl *sim.Island, _ unit.Time, _ PortID, p *Packet) {
	if o.f.TakeTrace(isl, p) != nil {
		o.got++
	}
}

// TestOneWayTrafficTakesNoMemory: slots of traces and chunks go from one island to another with the
// frames, and find their way back: what there is of them is what is under way in a few windows.
func TestOneWayTrafficTakesNoMemory(t *testing.T) {
	const frames = 100_000
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
	for i := range of {
		of[i] = int32(i)
	}
	for workers := 1; workers <= 3; workers += 2 {
		eng := sim.New(make([]int, len(of)), cfg.Lookahead(g, of))
		eng.SetWorkers(workers)
		f, err := New(eng, g, cfg, of)
		if err != nil {
			t.Fatal(err)
		}
		from, to := g.NICs[0].Port, g.NICs[1].Port
		o := &oneWay{f: f, route: f.AddRoute([]PortID{from, to ^ 1}), left: frames}
		for _, n := range g.NICs {
			f.Attach(n.Port, o, o)
		}
		eng.Register(FirstFreeClass, o)
		eng.At(of[g.Ports[from].Node], 0, sim.MakeKey(sim.Host, FirstFreeClass, int32(from)))
		eng.Run()
		slots, piles := 0, len(f.depot.piles)
		for i := range f.states {
			slots += f.states[i].traces.used
			piles += f.states[i].chunks.n / pileChunks
		}
		if o.got != frames || slots > 2000 || piles > 40 {
			t.Errorf("%d workers: %d traced frames arrived; %d slots, %d piles of chunks", workers, o.got, slots, piles)
		}
	}
}
