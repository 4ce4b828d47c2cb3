package fabric

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/net/topo"
)

// oneWay sends traced frames from one host to another, and none come back.
type oneWay struct {
	f     *Fabric
	route Route
	left  int
	got   int
	burst int // frames between two rests; 0: none
}

func (o *oneWay) Handle(isl *sim.Island, now unit.Time, owner int32) {
	o.f.Kick(isl, now, PortID(owner))
}

func (o *oneWay) Pull(isl *sim.Island, now unit.Time, port PortID, _ uint8, p *Packet) bool {
	if o.left == 0 {
		return false
	}
	if o.left--; o.burst > 0 && o.left%o.burst == 0 {
		isl.At(now.Add(500*unit.Microsecond), sim.MakeKey(sim.Host, FirstFreeClass, int32(port)))
		return false
	}
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
	for _, burst := range []int{0, 500} {
		oneWayTraffic(t, burst, 3)
		oneWayTraffic(t, burst, 1)
	}
}

// oneWayTraffic sends over a network of so many islands.
func oneWayTraffic(t *testing.T, burst, islands int) {
	const frames = 100_000
	delay, most := unit.Microsecond, 2000
	if burst > 0 { // sent in one window, and then nothing in several
		delay, most = 100*unit.Microsecond, 5000
	}
	b := topo.NewBuilder()
	sw := b.AddSwitch("switch", topo.Leaf)
	for _, h := range []string{"host1", "host2"} {
		b.ConnectRail(b.AddHost(h, 1), sw, topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: delay}, 0)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Classes: []Class{{Name: "data", Weight: 1}}, MTU: 1500, PauseFrame: 64,
		Buffer: Buffer{Size: unit.Megabyte, LossyAlpha: unit.Ratio{Num: 1, Den: 1}}}
	of := make([]int32, len(g.Nodes))
	for i := range of {
		of[i] = int32(i % islands)
	}
	for workers := 1; workers <= 3; workers += 2 {
		eng := sim.New(make([]int, islands), cfg.Lookahead(g, of, false))
		eng.SetWorkers(workers)
		f, err := New(eng, g, cfg, of)
		if err != nil {
			t.Fatal(err)
		}
		from, to := g.NICs[0].Port, g.NICs[1].Port
		o := &oneWay{f: f, route: f.AddRoute([]PortID{from, to ^ 1}), left: frames, burst: burst}
		for _, n := range g.NICs {
			f.Attach(n.Port, o, o)
		}
		eng.Register(FirstFreeClass, o)
		eng.At(of[g.Ports[from].Node], 0, sim.MakeKey(sim.Host, FirstFreeClass, int32(from)))
		eng.Run()
		slots, piles := 0, len(f.links.depot.piles)
		for i := range f.links.states {
			slots += f.links.states[i].traces.used
			piles += f.links.states[i].chunks.n / pileChunks
		}
		want := frames
		if burst > 0 {
			want -= frames / burst
		}
		if o.got != want || slots > most || piles > 40 {
			t.Errorf("%d islands, %d workers, bursts of %d: %d traced frames arrived; %d slots, %d piles of chunks", islands,
				workers, burst, o.got, slots, piles)
		}
	}
}
