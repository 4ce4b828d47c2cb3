package fabric

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
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

// Fabric is a running network: its parts, see the package, and the way of frames through them.
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

	router  router
	witness witness
	calm    calm

	evidence
	tracing
}

// New builds a fabric over a graph. islandOf gives each node's island.
func New(eng *sim.Engine, g *topo.Graph, cfg Config, islandOf []int32) (*Fabric, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	f := newParts(newSetup(eng, g, cfg, islandOf))
	b := builder{f: f}
	b.addNodes()
	b.addClasses()
	for i := range g.Ports {
		b.addPort(PortID(i))
	}
	if err := b.applyThresholds(); err != nil {
		return nil, err
	}
	b.addBoxes()
	f.links.tap()
	if cfg.Faults != nil {
		f.faults = newFaults(f, cfg.Faults)
	}
	b.addWatchdogs()
	f.looks = f.classes.of != nil || cfg.Faults != nil || f.pfc.dogs != nil || f.short
	if f.large {
		f.links.listLinks()
		eng.OnOpen(f.warm)
	}
	if cfg.Routing != nil {
		f.router.addForwarders()
	}
	if cfg.Faults == nil {
		b.setFar()
	}
	f.lines.lay(b.index)
	if cfg.Faults == nil && !cfg.HostsPause && eng.Islands() > 1 {
		f.calm = newCalm(&f.links, &f.buf)
		eng.Stretch(f.calm.window)
	}
	eng.Register(classTxEnd, (*txEnd)(f))
	eng.Register(classArrive, (*arrive)(f))
	eng.Register(classPause, (*pauseArrive)(&f.pfc))
	eng.Register(classExpire, (*expire)(&f.pfc))
	eng.Register(classRefresh, (*refresh)(&f.pfc))
	eng.Register(classWatch, (*watched)(&f.pfc))
	return f, nil
}

// newParts makes a fabric's parts, and tells each of those that it works with.
func newParts(s setup) *Fabric {
	n := len(s.graph.Ports)
	f := &Fabric{setup: s, sources: make([]Source, n), sinks: make([]Sink, n)}
	own, links, egress, buf, pfc := &f.setup, &f.links, &f.egress, &f.buf, &f.pfc
	*links = newLinks(own)
	f.egress = newEgress(own, links)
	f.buf = buffers{nc: f.nc, accounts: make([]account, n*f.nc), ledgers: make([]ledger, n*f.nc)}
	f.lines = lines{f: f, links: links, egress: egress, buf: buf, nc: f.nc, holds: f.holds}
	f.pfc = newPFC(f)
	f.evidence = evidence{setup: own, links: links, egress: egress, buf: buf, pfc: pfc,
		fill: make([]map[int32]int64, n), loads: make([]*load, n)}
	f.tracing = tracing{setup: own, links: links, egress: egress, pfc: pfc, evidence: &f.evidence}
	f.witness = witness{setup: own, links: links, egress: egress, buf: buf}
	f.router = router{setup: own, f: f, links: links, egress: egress}
	return f
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
