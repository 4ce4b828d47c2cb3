package fabric_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/sim"
	"railyard/internal/net/topo"
)

// net is a network whose hosts send what a test's script says and note what happens to them: a
// fabric without RDMA.
type net struct {
	eng     *sim.Engine
	fab     *fabric.Fabric
	graph   *topo.Graph
	routes  *topo.Routes
	hosts   []*host // by NIC
	of      map[topo.PortID]*host
	batches []batch
	pauses  []pause
	traced  map[[2]int]func(*fabric.Trace) // by batch and frame: receives its trace
}

// host is a NIC: a queue per class, lowest class first.
type host struct {
	port    topo.PortID
	queues  [8][]fabric.Packet
	arrived []arrival
}

// batch is frames that a host wants to send from a time on.
type batch struct {
	from   topo.NICID
	frames []fabric.Packet
}

// arrival is a frame that reached a host. Flow is the number of its batch.
type arrival struct {
	at          unit.Time
	batch, size int
	class       uint8
	marked      bool
}

// pause is a moment at which PFC stopped or restarted a class of a host's port.
type pause struct {
	at    unit.Time
	class uint8
	on    bool
}

const classScript = sim.Classes - 1

func newNet(tb testing.TB, g *topo.Graph, cfg fabric.Config) *net {
	tb.Helper()
	n := &net{eng: sim.New([]int{len(g.Ports)}, 0), graph: g, routes: topo.NewRoutes(g), of: map[topo.PortID]*host{}}
	var err error
	if n.fab, err = fabric.New(n.eng, g, cfg, make([]int32, len(g.Nodes))); err != nil {
		tb.Fatal(err)
	}
	for _, c := range g.NICs {
		h := &host{port: c.Port}
		n.hosts = append(n.hosts, h)
		n.of[c.Port], n.of[c.Port^1] = h, h
		n.fab.Attach(c.Port, n, n)
	}
	n.eng.Register(classScript, n)
	return n
}

// send has a host send count frames of a class from a time on, as fast as it may. It returns the
// batch's number.
func (n *net) send(tb testing.TB, at unit.Time, from, to topo.NICID, class uint8, count int, size unit.Bytes) int {
	tb.Helper()
	path, err := n.routes.Path(from, to, func(_ topo.NodeID, n int) int { return int(to) % n })
	if err != nil {
		tb.Fatal(err)
	}
	return n.sendBy(at, from, path, class, count, size)
}

// sendBy is send along a path.
func (n *net) sendBy(at unit.Time, from topo.NICID, path []topo.PortID, class uint8, count int, size unit.Bytes) int {
	return n.sendOn(at, from, n.fab.AddRoute(path), class, count, size)
}

// sendOn is send on a route.
func (n *net) sendOn(at unit.Time, from topo.NICID, route fabric.Route, class uint8, count int, size unit.Bytes) int {
	b := batch{from: from}
	for i := range count {
		b.frames = append(b.frames, fabric.Make(fabric.WriteMiddle, int32(len(n.batches)), uint32(i), route, class, size))
	}
	n.batches = append(n.batches, b)
	n.eng.At(0, at, sim.MakeKey(sim.Host, classScript, int32(len(n.batches)-1)))
	return len(n.batches) - 1
}

// Handle begins a batch.
func (n *net) Handle(isl *sim.Island, now unit.Time, owner int32) {
	b := n.batches[owner]
	h := n.hosts[b.from]
	h.queues[b.frames[0].Class()] = append(h.queues[b.frames[0].Class()], b.frames...)
	n.fab.Kick(isl, now, h.port)
}

func (n *net) Pull(isl *sim.Island, now unit.Time, port fabric.PortID, paused uint8, p *fabric.Packet) bool {
	h := n.of[port]
	for c := range h.queues {
		if q := h.queues[c]; len(q) > 0 && paused&(1<<c) == 0 {
			*p, h.queues[c] = q[0], q[1:]
			if n.traced[[2]int{int(p.Flow), int(p.PSN())}] != nil {
				n.fab.StartTrace(isl, now, port, p)
			}
			return true
		}
	}
	return false
}

// trace has the way of a frame of a batch noted.
func (n *net) trace(batch, frame int, got func(*fabric.Trace)) {
	if n.traced == nil {
		n.traced = map[[2]int]func(*fabric.Trace){}
	}
	n.traced[[2]int{batch, frame}] = got
}

func (n *net) Paused(_ *sim.Island, now unit.Time, _ fabric.PortID, class uint8, on bool) {
	n.pauses = append(n.pauses, pause{now, class, on})
}

func (n *net) Deliver(isl *sim.Island, now unit.Time, port fabric.PortID, p *fabric.Packet) {
	if got := n.traced[[2]int{int(p.Flow), int(p.PSN())}]; got != nil {
		got(n.fab.TakeTrace(isl, p))
	}
	n.of[port].arrived = append(n.of[port].arrived, arrival{now, int(p.Flow), int(p.Bytes), p.Class(), p.Marked()})
}

// run runs to the end and verifies the buffers' accounts after every event's instant, and that what
// was sent arrived or was dropped.
func (n *net) run(tb testing.TB) {
	tb.Helper()
	n.eng.Run()
	if err := n.fab.Check(); err != nil {
		tb.Fatal(err)
	}
	sent, arrived, dropped := 0, 0, 0
	for _, b := range n.batches {
		sent += len(b.frames)
	}
	for _, h := range n.hosts {
		arrived += len(h.arrived)
	}
	for id := range n.graph.Ports {
		dropped += int(n.stats(topo.PortID(id)).Drops)
	}
	if sent != arrived+dropped {
		tb.Errorf("%d frames sent, %d arrived, %d dropped", sent, arrived, dropped)
	}
}

func (n *net) stats(id topo.PortID) fabric.PortStats { return n.fab.Stats(n.eng.Now(), id) }

// down is the switch's port towards a NIC.
func (n *net) down(id topo.NICID) topo.PortID { return n.hosts[id].port ^ 1 }

const (
	cable  = unit.Microsecond         // propagation of every link below
	fast   = 100 * unit.GigabitPerSec // 80 ps a byte
	slow   = 10 * unit.GigabitPerSec  // 800 ps a byte
	latent = 600 * unit.Nanosecond    // of a switch
	frame  = 1000
)

// star is hosts on one switch; host i has a link of rates[i].
func star(tb testing.TB, rates ...unit.Bitrate) *topo.Graph {
	tb.Helper()
	b := topo.NewBuilder()
	sw := b.AddSwitch("rail1", topo.Leaf)
	for i, r := range rates {
		b.ConnectRail(b.AddHost("host"+string(rune('1'+i)), 1), sw, topo.Cable{Rate: r, Delay: cable}, 0)
	}
	g, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// lossy is one class without PFC or marking, in a buffer that is large.
func lossy() fabric.Config {
	return fabric.Config{Classes: []fabric.Class{{Name: "data", Weight: 1}}, MTU: 9216, SwitchLatency: latent,
		LinkOverhead: 20, PauseFrame: 64, Seed: 1,
		Buffer: fabric.Buffer{Size: 64 * unit.Megabyte, LossyAlpha: unit.Ratio{Num: 1, Den: 1}, FreeAtTxEnd: true}}
}
