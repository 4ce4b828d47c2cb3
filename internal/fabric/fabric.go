package fabric

import (
	"math"
	"slices"

	"railyard/internal/qos"
	"railyard/internal/sim"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// Classes of events that a fabric handles.
const (
	classTxEnd   sim.Class = iota // owner: port
	classArrive                   // owner: port
	classPause                    // owner: port that a PFC frame stops or starts
	classExpire                   // owner: port whose pause may have run out
	classRefresh                  // owner: ingress port whose pause may need another frame
	classFault                    // owner: port or switch that something happens to, see faults.go
	classLook                     // owner: switch that looks at its links, to tell others
	classListen                   // owner: link that a switch's message comes by
	classResume                   // owner: switch that may have held frames for long enough
	classWatch                    // owner: port that may have been paused for too long
	// FirstFreeClass is the first event class that others may use on the same engine.
	FirstFreeClass
)

// Source feeds a host's egress port. The port asks at the moment of sending, so window, rate and
// pause are decided then.
type Source interface {
	// Pull fills in the frame to send now; paused has a bit per traffic class held by PFC. If it
	// returns false the source calls Kick when it has something to send.
	Pull(isl *sim.Island, now unit.Time, port PortID, paused uint8, p *Packet) bool
	// Paused says that PFC stopped or restarted a class of the port. It is called before the change
	// takes effect.
	Paused(isl *sim.Island, now unit.Time, port PortID, class uint8, on bool)
}

// Sink receives the frames that reach a host over link port. It may keep nothing of p.
type Sink interface {
	Deliver(isl *sim.Island, now unit.Time, port PortID, p *Packet)
}

// Fabric is a running network.
type Fabric struct {
	setup
	links   links
	egress  egress
	buf     buffers
	lines   lines
	pfc     pfc
	sources []Source // by port, nil between switches
	sinks   []Sink
	routes  []PortID
	classes classes
	faults  *faults // nil: none

	forwarders []forwarder       // by switch; nil where all routes are paths
	begins     []topo.NICID      // by flow: see Begins
	messages   [][]message       // by link: what switches tell, on its way
	marked     []map[int32]int64 // by port and flow, of frames whose next hop was chosen; nil as forwarders
	calm       calm
	// Evidence, see there.
	routeMarks []int32           // by route and hop, as routes
	fill       []map[int32]int64 // by port
	loads      []*load           // by port; nil: no traced frame came by
}

// New builds a fabric over a graph. islandOf gives each node's island.
func New(eng *sim.Engine, g *topo.Graph, cfg Config, islandOf []int32) (*Fabric, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	n := len(g.Ports)
	f := &Fabric{setup: newSetup(eng, g, cfg, islandOf),
		sources: make([]Source, n), sinks: make([]Sink, n), fill: make([]map[int32]int64, n), loads: make([]*load, n),
	}
	f.egress = egress{setup: &f.setup, links: &f.links, queues: make([]queue, n*f.nc), slow: make([]slow, n*f.nc)}
	f.buf.nc, f.buf.accounts, f.buf.ledgers = f.nc, make([]account, n*f.nc), make([]ledger, n*f.nc)
	f.links = newLinks(&f.setup)
	f.pfc = pfc{f: f, setup: &f.setup, links: &f.links, egress: &f.egress, buf: &f.buf, onWay: make([][]pauseFrame, n),
		pausedFor: make([][]RootTime, n)}
	f.lines = lines{f: f, links: &f.links, egress: &f.egress, buf: &f.buf, nc: f.nc, holds: f.holds}
	index := f.addNodes()
	f.addClasses(index)
	for i := range g.Ports {
		f.addPort(PortID(i), index)
	}
	if err := f.applyThresholds(index); err != nil {
		return nil, err
	}
	f.addBoxes(islandOf)
	f.links.tap()
	if cfg.Faults != nil {
		f.faults = newFaults(f, cfg.Faults)
	}
	f.addWatchdogs(index)
	f.looks = f.classes.of != nil || cfg.Faults != nil || f.pfc.dogs != nil || f.short
	if f.large {
		f.links.listLinks()
		eng.OnOpen(f.warm)
	}
	if cfg.Routing != nil {
		f.addForwarders()
	}
	if cfg.Faults == nil {
		f.setFar()
	}
	f.lines.lay(index)
	if cfg.Faults == nil && !cfg.HostsPause && eng.Islands() > 1 {
		f.calm = f.newCalm()
		eng.Stretch(f.window)
	}
	eng.Register(classTxEnd, (*txEnd)(f))
	eng.Register(classArrive, (*arrive)(f))
	eng.Register(classPause, (*pauseArrive)(&f.pfc))
	eng.Register(classExpire, (*expire)(&f.pfc))
	eng.Register(classRefresh, (*refresh)(&f.pfc))
	eng.Register(classWatch, (*watched)(&f.pfc))
	return f, nil
}

func (f *Fabric) addNodes() []int32 {
	index := make([]int32, len(f.graph.Nodes))
	for i, n := range f.graph.Nodes {
		index[i] = -1
		if n.Kind != topo.HostKind {
			index[i] = int32(len(f.buf.nodes))
			f.buf.nodes = append(f.buf.nodes, node{id: topo.NodeID(i)})
		}
	}
	return index
}

func (f *Fabric) addPort(id PortID, index []int32) {
	gp := f.graph.Ports[id]
	p := &f.links.ports[id]
	p.rate, p.cable, p.used = gp.Rate, gp.Delay, chunkFrames
	p.delay = f.cfg.delay(f.graph, id)
	p.respond = f.cfg.PFC.Response.At(gp.Rate)
	if index[gp.Node] < 0 {
		p.flags |= flagHost
	}
	if ps := 8 * int64(unit.Second) / int64(gp.Rate); ps*int64(gp.Rate) == 8*int64(unit.Second) &&
		ps <= math.MaxUint32 && !f.cfg.Quirks.truncates() {
		p.psPerByte = uint32(ps)
	}
	if f.tunnel != 0 && index[gp.Node] >= 0 {
		p.flags |= flagTunnel
	}
	f.addIngress(id, index[gp.To])
	if f.each {
		p.flags |= flagRare
	}
	own, mtu, least := f.portProfile(id), f.cfg.profile(gp.Node).MTU, 0
	for _, cl := range own.Classes {
		if !cl.Strict && (least == 0 || cl.Weight < least) {
			least = cl.Weight
		}
	}
	for c, cl := range own.Classes {
		f.setMarking(id, c, unmarked)
		if f.cfg.SampleEvery <= 0 {
			f.egress.queues[int(id)*f.nc+c].sampled = unit.Never
		}
		q := &f.egress.slow[int(id)*f.nc+c]
		q.hold.root = -1
		q.rng = sim.NewStream(f.cfg.Seed, "wred "+gp.Name, uint64(c))
		if !cl.Strict {
			q.quantum = int64(mtu) * int64(cl.Weight) / int64(least)
		}
	}
}

// addIngress sets up the receiving end of a link, at the switch of a number or, with -1, at a host.
func (f *Fabric) addIngress(id PortID, far int32) {
	gp, in := f.graph.Ports[id], &f.links.ingresses[id]
	at := f.cfg.profile(gp.To)
	*in = ingress{far: far, first: int32(int(id) * f.nc), state: &f.links.states[f.islandOf[gp.To]],
		isl: f.eng.Island(f.islandOf[gp.To]), xoff: f.buf.threshold(at.PFC.XOFF(gp.Rate)), within: true}
	if far >= 0 {
		for c := range f.nc {
			f.buf.accounts[int(in.first)+c].buf = &f.buf.nodes[far].buffer
		}
	}
}

// setMarking has a queue mark as a profile says.
func (f *Fabric) setMarking(id PortID, c int, m mark) {
	i := int(id)*f.nc + c
	f.egress.slow[i].set(m)
	f.egress.queues[i].low = m.low
	if m.on && m.low < 0 {
		f.links.ports[id].flags |= flagMarks
	}
}

// Links returns the cables of a node in order of its ports.
func Links(g *topo.Graph, n topo.NodeID) []qos.Link {
	ports := g.Nodes[n].Ports
	links := make([]qos.Link, len(ports))
	for i, id := range ports {
		links[i] = qos.Link{Rate: g.Ports[id].Rate, Delay: g.Ports[id].Delay}
		if from := g.Ports[id^1].Rate; from != links[i].Rate {
			links[i].Arriving = from
		}
	}
	return links
}

// applyThresholds sets what each switch does at its ports.
func (f *Fabric) applyThresholds(index []int32) error {
	return f.cfg.eachSwitch(f.graph, func(id topo.NodeID, s *qos.Switch) {
		n := &f.buf.nodes[index[id]]
		own := f.cfg.profile(id)
		n.setUp(&own, s)
		for k, out := range f.graph.Nodes[id].Ports {
			for c := range f.nc {
				t := &s.Ports[k*f.nc+c]
				if t.Marks() {
					f.setMarking(out, c, newMark(t.ECN))
				}
				f.egress.slow[int(out)*f.nc+c].longest = int64(t.Drop)
				f.short = f.short || t.Drop > 0
				in := f.graph.Peer(out)
				f.buf.ledgers[int(in)*f.nc+c].limit = int64(t.PFC.Headroom)
				if t.Lossless() {
					f.links.ingresses[in].lossless |= 1 << c
					f.links.ingresses[in].xoff = f.buf.threshold(t.PFC.Rule())
					n.fixed = n.fixed || t.PFC.Fixed != 0
				}
			}
			n.lossless |= f.links.ingresses[f.graph.Peer(out)].lossless
		}
	})
}

// setFar notes how full the switches under PFC may be without a look at any xOFF.
func (f *Fabric) setFar() {
	for i := range f.buf.nodes {
		n := &f.buf.nodes[i]
		if n.lossless == 0 {
			continue
		}
		var xoffs []*threshold
		for _, out := range f.graph.Nodes[n.id].Ports {
			if x := f.links.ingresses[f.graph.Peer(out)].xoff; !slices.Contains(xoffs, x) {
				xoffs = append(xoffs, x)
			}
		}
		n.far = n.farBelow(xoffs)
	}
}

// Attach connects a host port to what feeds it and what its link delivers to.
func (f *Fabric) Attach(id PortID, src Source, sink Sink) {
	f.sources[id] = src
	f.sinks[id^1] = sink
}

// Route is a path through the fabric, registered once for each flow and direction.
type Route uint32

// AddRoute registers a path: egress ports in order, the first a NIC's own.
func (f *Fabric) AddRoute(path []PortID) Route {
	r := Route(len(f.routes) + 1)
	f.routes = append(f.routes, path...)
	f.routeMarks = append(f.routeMarks, make([]int32, len(path))...)
	return r
}

// Hops returns how many frames have been put on links so far, PFC frames not counted.
func (f *Fabric) Hops() (n int64) {
	for i := range f.links.states {
		n += f.links.states[i].hops
	}
	return n
}

// TransmitTime returns how long a frame occupies the link of a port.
func (f *Fabric) TransmitTime(id PortID, frame unit.Bytes) unit.Duration {
	return f.links.txTime(&f.links.ports[id], int64(frame)+f.links.overhead+int64(f.Tunnel(id)))
}

// Lead returns how long before its arrival a frame's arrival event is scheduled, where the order of
// events depends on that (Config.AsScheduled); else 0.
func (f *Fabric) Lead(id PortID, frame unit.Bytes) unit.Duration {
	if !f.each {
		return 0
	}
	return f.TransmitTime(id, frame) + f.links.ports[id].delay
}

// Spacing returns how long a frame occupies the link of a NIC's port, and how long a sender that is
// paced at rate waits from the start of that frame to the start of the next. Both count preamble
// and gap.
func (f *Fabric) Spacing(id PortID, frame unit.Bytes, rate unit.Bitrate) (tx, gap unit.Duration) {
	p := &f.links.ports[id]
	wire := int64(frame) + f.links.overhead
	tx = f.links.txTime(p, wire)
	if rate >= p.rate {
		return tx, tx
	}
	if f.cfg.Quirks.truncates() {
		return tx, truncated(wire, rate)
	}
	return tx, rate.TransmitTime(unit.Bytes(wire))
}
