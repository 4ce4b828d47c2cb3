package fabric_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/sim"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
)

// crowd is hosts on a network that may be cut into islands on several workers: what one host does
// touches that host alone.
type crowd struct {
	eng   *sim.Engine
	fab   *fabric.Fabric
	graph *topo.Graph
	hosts []talker
	of    map[topo.PortID]*talker
	seen  [][]string // by island: samples and losses
	lined int        // frames in line as windows ended
	// how they talk
	listeners int // the first so many are talked to
	pause     unit.Duration
	tick      ticks
}

// talker is a host that sends frames at drawn times and answers those that reach it.
type talker struct {
	port   topo.PortID
	island int32
	rng    sim.Stream
	routes []fabric.Route // to the other hosts
	queue  []fabric.Packet
	left   int
	log    []string
}

const classTalk = sim.Classes - 2

// Handle makes a host want to send something, and plans the next time.
func (c *crowd) Handle(isl *sim.Island, now unit.Time, owner int32) {
	h := &c.hosts[owner]
	if isl.Index() != h.island {
		panic("an event in a foreign island")
	}
	for range 1 + h.rng.Below(12) {
		to := h.rng.Below(uint64(min(len(h.routes), c.listeners)))
		h.queue = append(h.queue, fabric.Make(fabric.WriteMiddle, owner, uint32(h.left), h.routes[to], uint8(h.rng.Below(2)),
			c.tick.size(unit.Bytes(64+h.rng.Below(4000)))))
	}
	c.fab.Kick(isl, now, h.port)
	if h.left--; h.left > 0 {
		after := c.tick.round(unit.Duration(h.rng.Below(uint64(c.pause))))
		isl.At(now.Add(unit.Duration(c.tick)+after), sim.MakeKey(sim.Host, classTalk, owner))
	}
}

func (c *crowd) Pull(isl *sim.Island, now unit.Time, port fabric.PortID, paused uint8, p *fabric.Packet) bool {
	h := c.of[port]
	i := slices.IndexFunc(h.queue, func(p fabric.Packet) bool { return paused&(1<<p.Class()) == 0 })
	if i < 0 {
		return false
	}
	*p = h.queue[i]
	h.queue = slices.Delete(h.queue, i, i+1)
	if h.rng.Below(3) == 0 {
		c.fab.StartTrace(isl, now, port, p)
	}
	return true
}

func (c *crowd) Paused(_ *sim.Island, now unit.Time, port fabric.PortID, class uint8, on bool) {
	h := c.of[port]
	h.log = append(h.log, fmt.Sprint(now, " paused ", class, on))
}

func (c *crowd) Deliver(isl *sim.Island, now unit.Time, port fabric.PortID, p *fabric.Packet) {
	h := c.of[port]
	way := ""
	if tr := c.fab.TakeTrace(isl, p); tr != nil {
		way = fmt.Sprint(c.fab.Parts(nil, tr))
	}
	h.log = append(h.log, fmt.Sprint(now, p.Flow, p.PSN(), p.Opcode(), p.Class(), p.Bytes, p.Marked(), way))
	if p.Opcode() == fabric.WriteMiddle && h.rng.Below(2) == 0 {
		to := h.rng.Below(uint64(len(h.routes)))
		h.queue = append(h.queue, fabric.Make(fabric.OpAck, p.Flow, p.PSN(), h.routes[to], 1, 60))
		c.fab.Kick(isl, now, h.port)
	}
}

// draw is a network, a configuration and what goes wrong, by a seed. From the seed calm on nothing goes wrong.
func draw(tb testing.TB, seed uint64) (*topo.Graph, fabric.Config) {
	tb.Helper()
	d := sim.NewStream(seed, "crowd", 0)
	below := func(n uint64) int { return int(d.Below(n)) }
	leaves := 2 + below(4)
	rates := []unit.Bitrate{10 * unit.GigabitPerSec, 25 * unit.GigabitPerSec, 30_000_000_007, 100 * unit.GigabitPerSec}
	if seed >= calm && seed%8 != 6 {
		rates[2] = 50 * unit.GigabitPerSec // all take whole picoseconds for a byte
	}
	delay := func() unit.Duration { return tick(seed).round(unit.Duration(100+below(1500)) * unit.Nanosecond) }
	g, err := topo.LeafSpine{Hosts: leaves * (1 + below(3)), GPUs: 1, NICs: 1, Leaves: leaves,
		Spines: 1 + below(3), HostLink: topo.Cable{Rate: rates[below(4)], Delay: delay()},
		SpineLink: topo.Cable{Rate: rates[below(4)], Delay: delay()}}.Graph()
	if err != nil {
		tb.Fatal(err)
	}
	ecn := qos.Curve(20_000, 60_000, unit.Ratio{Num: 1, Den: 2}, below(2) == 0)
	cfg := fabric.Config{
		Classes: []fabric.Class{{Name: "data", Priority: 3, Weight: 3, Lossless: below(4) > 0, ECN: ecn},
			{Name: "other", Priority: 0, Weight: 1, Strict: below(2) == 0}},
		PFC: fabric.PFC{Threshold: unit.Bytes(10_000 + below(40_000)), ResumeOffset: 4000,
			Headroom: qos.FixedHeadroom(60_000), Quanta: uint16(below(2) * (2000 + below(3000))),
			Refresh:  unit.Ratio{Num: 1, Den: 2},
			Response: qos.Response{After: unit.Duration(below(1000)) * unit.Nanosecond}},
		Buffer: fabric.Buffer{Size: 3_000_000, Reserve: unit.Bytes(below(2) * 4000), LossyAlpha: unit.Ratio{Num: 1, Den: 64},
			FreeAtTxEnd: below(2) == 0},
		SwitchLatency: unit.Duration(below(600)) * unit.Nanosecond, HostLatency: unit.Duration(below(600)) * unit.Nanosecond,
		LinkOverhead: 20, PauseFrame: 64, MTU: 4200, Seed: seed, Telemetry: below(3) == 0,
		SampleEvery: unit.Duration(below(2)) * unit.Microsecond,
	}
	if seed >= calm {
		calmDown(&cfg, seed, below)
		return g, cfg
	}
	some := func(n, den int64) unit.Ratio { return unit.Ratio{Num: n * int64(below(2)), Den: den} }
	if below(3) > 0 {
		f := &fabric.Faults{Chances: fabric.Chances{Drop: some(1, 200), Duplicate: some(1, 200), Reorder: some(1, 5),
			BitErrors: some(1, 10_000_000), PFC: below(2) == 0}}
		f.Downs = []fabric.Down{{Link: topo.LinkID(below(uint64(len(g.Links)))), From: unit.Time(30 * unit.Microsecond),
			Until: unit.Time(35 * unit.Microsecond)}}
		if below(2) == 0 {
			f.Storms = []fabric.Storm{{Port: g.NICs[below(uint64(len(g.NICs)))].Port, From: unit.Time(10 * unit.Microsecond),
				Until: unit.Time(40 * unit.Microsecond)}}
		}
		cfg.Faults = f
	}
	return g, cfg
}

const (
	calm = 1 << 20
	held = 2 << 20 // from here on buffers are free as a frame's last bit leaves
)

// calmDown makes a configuration in which frames may stand in line, although pauses come to them.
func calmDown(cfg *fabric.Config, seed uint64, below func(uint64) int) {
	t := tick(seed)
	cfg.SwitchLatency, cfg.HostLatency = t.round(cfg.SwitchLatency), t.round(cfg.HostLatency)
	cfg.Buffer.FreeAtTxEnd = seed >= held
	cfg.PFC.Threshold *= unit.Bytes(1 + 2*below(2)) // with more, queues mark before they pause
	cfg.PFC.ResumeOffset = min(cfg.PFC.Threshold, unit.Bytes(4000+below(2)*30_000))
	cfg.Classes[0].ECN = qos.Curve(4000, 30_000, unit.Ratio{Num: 1, Den: 2}, below(2) == 0)
	if below(4) == 0 {
		cfg.Classes[1].Drop.Bytes = 6000
	}
}

// ticks is the instants at which things happen, so that many happen at one: in some networks.
type ticks unit.Duration

func tick(seed uint64) ticks {
	if seed < calm || seed%2 == 0 {
		return 1
	}
	return ticks(80 * unit.Nanosecond)
}

func (t ticks) round(d unit.Duration) unit.Duration { return d - d%unit.Duration(t) }

// size is a frame's: at 10 Gb/s and more it takes whole ticks.
func (t ticks) size(n unit.Bytes) unit.Bytes {
	if t > 1 {
		n = max(80, n-n%1000) + 980 - 80
	}
	return n
}

// cut puts nodes into islands.
type cut struct {
	name string
	of   func(g *topo.Graph, seed uint64) (islandOf []int32, n int)
}

func scattered(n int) cut {
	return cut{fmt.Sprint(n, " islands"), func(g *topo.Graph, seed uint64) ([]int32, int) {
		of := make([]int32, len(g.Nodes))
		d := sim.NewStream(seed, "cut", uint64(n))
		for i := range of {
			of[i] = int32(d.Below(uint64(n)))
		}
		return of, n
	}}
}

var cuts = []cut{scattered(1), scattered(2), scattered(3), scattered(7),
	{"an island for each switch", func(g *topo.Graph, _ uint64) (of []int32, n int) {
		of = make([]int32, len(g.Nodes))
		for i := range g.Nodes {
			if g.Nodes[i].Kind != topo.HostKind {
				of[i] = int32(n)
				n++
			}
		}
		for i := range g.Nodes {
			if g.Nodes[i].Kind == topo.HostKind {
				of[i] = of[g.Ports[g.Nodes[i].Ports[0]].To]
			}
		}
		return of, n
	}},
	{"in turn", func(g *topo.Graph, _ uint64) (of []int32, n int) {
		n = min(5, len(g.Nodes))
		for i := range g.Nodes {
			of = append(of, int32(i%n))
		}
		return of, n
	}}}

// outcome runs a drawn network and returns all that can be seen of it, and whether frames stood in line.
func outcome(tb testing.TB, seed uint64, islands cut, workers int) (lines []string, lined bool) {
	tb.Helper()
	g, cfg := draw(tb, seed)
	of, n := islands.of(g, seed)
	sizes := make([]int, n)
	for _, p := range g.Ports {
		sizes[of[p.Node]]++
	}
	c := &crowd{graph: g, of: map[topo.PortID]*talker{}, seen: make([][]string, n), tick: tick(seed),
		listeners: len(g.NICs), pause: 4 * unit.Microsecond}
	if seed >= calm && seed%4 < 2 {
		c.listeners, c.pause = 2, 2*unit.Microsecond
	}
	note := func(island int32, s string) { c.seen[island] = append(c.seen[island], s) }
	cfg.OnSample = func(island int32, s fabric.Sample) { note(island, fmt.Sprintf("sample %+v", s)) }
	cfg.OnLoss = func(island int32, l fabric.Loss) { note(island, fmt.Sprintf("loss %+v", l)) }
	inTurn := workers == 1
	c.eng = sim.New(sizes, cfg.Lookahead(g, of, inTurn))
	if c.eng.SetWorkers(workers); inTurn {
		c.eng.RunInTurn()
	}
	var err error
	if c.fab, err = fabric.New(c.eng, g, cfg, of); err != nil {
		tb.Fatal(err)
	}
	c.eng.Register(classTalk, c)
	c.seat(tb, seed, of)
	end := unit.Time(-1)
	c.eng.OnWindow(func(until unit.Time) {
		if until <= end {
			tb.Errorf("a window ends at %v, the one before at %v", until, end)
		}
		end = until
		c.lined += c.fab.InLine()
		if c.eng.Now() >= until {
			tb.Errorf("an event at %v in a window that ends at %v", c.eng.Now(), until)
		}
	})
	stop := unit.Time(100 * unit.Microsecond)
	c.eng.StopAt(stop)
	c.eng.Run()
	if err := c.fab.Check(); err != nil {
		tb.Errorf("seed %d, %s, %d workers: %v", seed, islands.name, workers, err)
	}
	return c.report(stop), c.lined > 0
}

// seat puts a talker on each NIC.
func (c *crowd) seat(tb testing.TB, seed uint64, islandOf []int32) {
	tb.Helper()
	routes := topo.NewRoutes(c.graph)
	c.hosts = make([]talker, len(c.graph.NICs))
	for i, nc := range c.graph.NICs {
		h := &c.hosts[i]
		*h = talker{port: nc.Port, island: islandOf[c.graph.Hosts[nc.Host].Node], rng: sim.NewStream(seed, "host", uint64(i)),
			left: 20}
		for to := range c.graph.NICs {
			if to == i {
				continue
			}
			path, err := routes.Path(topo.NICID(i), topo.NICID(to), func(_ topo.NodeID, n int) int { return (i + to) % n })
			if err != nil {
				tb.Fatal(err)
			}
			h.routes = append(h.routes, c.fab.AddRoute(path))
		}
		c.of[nc.Port], c.of[nc.Port^1] = h, h
		c.fab.Attach(nc.Port, c, c)
		start := unit.Time(0).Add(c.tick.round(unit.Duration(h.rng.Below(uint64(unit.Microsecond)))))
		c.eng.At(h.island, start, sim.MakeKey(sim.Host, classTalk, int32(i)))
	}
}

// report lists what happened: each host's log, the counters and evidence of each port, and samples
// and losses in an order of their own.
func (c *crowd) report(now unit.Time) (lines []string) {
	c.fab.FlushSamples(now)
	for i := range c.hosts {
		lines = append(lines, c.hosts[i].log...)
	}
	for i := range c.graph.Ports {
		id := topo.PortID(i)
		lines = append(lines, fmt.Sprintf("%s %+v %v %v %d", c.graph.Ports[i].Name, c.fab.Stats(now, id),
			c.fab.PausedFor(now, id), c.fab.Fill(id), c.fab.LosslessDrops(id)))
	}
	for i, switches := 0, 0; i < len(c.graph.Nodes); i++ {
		if n := &c.graph.Nodes[i]; n.Kind != topo.HostKind {
			used, _ := c.fab.MaxShared(switches)
			lines = append(lines, fmt.Sprintf("%s holds %d, held %d at most", n.Name, c.fab.Shared(switches), used))
			switches++
		}
	}
	var seen []string
	for _, s := range c.seen {
		seen = append(seen, s...)
	}
	slices.SortStableFunc(seen, cmp.Compare[string])
	return append(append(lines, seen...), fmt.Sprint(c.fab.Hops(), " packet-hops, ", c.eng.Events(),
		" events, last at ", c.eng.Now()))
}

// same holds what is seen of a drawn network in islands against what is seen in one, and returns that and whether
// frames stood in line.
func same(t *testing.T, seed uint64, workers ...int) (want []string, lined bool) {
	t.Helper()
	want, _ = outcome(t, seed, cuts[0], 1)
	for _, islands := range cuts[1:] {
		for _, n := range workers {
			got, in := outcome(t, seed, islands, n)
			if lined = lined || in; slices.Equal(got, want) {
				continue
			}
			i := 0
			for i < min(len(got), len(want)) && got[i] == want[i] {
				i++
			}
			t.Fatalf("seed %d, %s, %d workers: line %d of %d (%d):\n%s\nwant\n%s", seed, islands.name, n, i, len(got),
				len(want), got[min(i, len(got)-1)], want[min(i, len(want)-1)])
		}
	}
	return want, lined
}

// TestNoPartitionNorWorkersChangeAnything: a drawn network with losses, pauses, marks, storms and
// frames that change places does the same in any islands and on any number of workers.
func TestNoPartitionNorWorkersChangeAnything(t *testing.T) {
	seeds, kinds := uint64(16), map[string]int{}
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		want, _ := same(t, seed, 1, 2, 4, 8)
		for _, line := range want {
			for _, kind := range []string{"sample", "loss", "paused", "Why:1"} {
				if strings.Contains(line, kind) {
					kinds[kind]++
				}
			}
		}
	}
	for _, kind := range []string{"sample", "loss", "paused", "Why:1"} {
		if kinds[kind] < 20 && !testing.Short() {
			t.Errorf("%d times %s: nothing is tested", kinds[kind], kind)
		}
	}
}

// TestALineIsAQueue: frames that stand in line on links, where there are islands, do what they do in the queues of
// one, where each leaves by an event: with pauses that come to a port with a line, another class, marks, samples,
// and switches that fill up.
func TestALineIsAQueue(t *testing.T) {
	lined, paused := 0, 0
	// The last four are rare: a pause comes to a line that is through, or to one that is not, a switch with little in its
	// buffer still pauses others, and of two switches of an island one has no lines for a while.
	seeds := []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 24, 106, 2127}
	for i := range uint64(12) {
		seeds = append(seeds, held-calm+i)
	}
	for _, seed := range seeds {
		want, in := same(t, calm+seed, 1, 3)
		if in {
			lined++
		}
		if strings.Contains(strings.Join(want, "\n"), " paused ") {
			paused++
		}
	}
	if lined < 20 || paused < 16 {
		t.Errorf("frames in line in %d of %d networks, pauses in %d: little is tested", lined, len(seeds), paused)
	}
}
