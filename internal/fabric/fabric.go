package fabric

import (
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
	classStorm                    // owner: host port whose NIC sends pause frames without end
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

// port is one direction of a link. The first line is what every frame touches.
type port struct {
	busyUntil unit.Time
	sent      sent          // in transmission, or last
	flying    ring          // frames on the link, in order of arrival
	delay     unit.Duration // from the last bit out until the far end acts: propagation and, at a switch, its pipeline
	psPerByte int64         // if exact, else 0
	backlog   uint8         // classes with frames waiting
	paused    uint8         // classes held by PFC
	flags     uint8
	turn      uint8 // class the round robin is at
	island    int32
	farIsland int32

	node    int32    // switch index at this end, -1: host
	far     int32    // switch index at the far end, -1: host
	xoff    qos.XOFF // of what the far end holds from this link
	rate    unit.Bitrate
	cable   unit.Duration
	respond unit.Duration // from a pause frame's arrival until this port stops
	ctl     []pauseFrame  // PFC frames waiting to leave by this port
	ctlLive []pauseFrame  // PFC frames on the link
	expires [8]unit.Time  // when each class's pause runs out, if it is paused

	// Counters.
	txFrames, txBytes, dataBytes int64 // without PFC frames: INT reports these
	pfcFrames                    int64 // sent, those that restart a class too
	busy                         unit.Duration
	pausesSent, pausesReceived   int64
	pausedTotal                  unit.Duration
	pausedSince                  unit.Time
	drops                        int64
	marks                        int64
	faulted                      int64
}

const (
	flagBusy    = 1 << 0 // a transmission end is pending
	flagHost    = 1 << 1 // pulls from a Source
	flagRefresh = 1 << 2 // a refresh is pending
	flagHolds   = 1 << 3 // the frame being sent is still charged to the buffer
)

// sent is what the sending end of a link keeps of the frame that it sent last: once on the link it
// is the far end's.
type sent struct {
	in    PortID // the link it came over to the switch
	flow  int32
	op    Opcode // 0: a PFC frame
	class uint8
	bytes uint16
}

// pauseFrame is a PFC frame: class is stopped or, with quanta 0, restarted.
type pauseFrame struct {
	at     unit.Time
	class  uint8
	on     bool
	quanta uint16
	root   PortID
}

// queue is the egress queue of a class at a port.
type queue struct {
	ring
	bytes   int64
	deficit int64
	quantum int64
	mark    mark
	rng     sim.Stream

	pausedTotal unit.Duration
	pausedSince unit.Time
	root        PortID // of the pause, see PauseRoot
	rootSince   unit.Time

	high       int64 // most bytes ever waiting
	lastSample int64 // index of the last sampling instant that has been accounted for
	lastValue  int64 // value reported last
}

// account is what a switch holds of one class from one ingress port.
type account struct {
	used     int64 // reserve and shared part
	headroom int64
	limit    int64 // most that headroom may hold
	sentOff  bool  // the peer has been told to stop
	sentAt   unit.Time
	root     PortID // of the pause, see PauseRoot
	drops    int64
}

// node is a switch.
type node struct {
	id      topo.NodeID
	shared  int64 // bytes of the shared part in use
	size    int64 // of the shared part
	maxUsed int64
	spare   int64 // beyond size: a largest frame for each lossless account, for the one that crosses xOFF
}

// Fabric is a running network.
type Fabric struct {
	eng      *sim.Engine
	graph    *topo.Graph
	cfg      Config
	nc       int // classes
	ports    []port
	queues   []queue   // port*nc + class
	accounts []account // ingress port*nc + class
	nodes    []node
	sources  []Source // by port, nil between switches
	sinks    []Sink
	routes   []PortID
	strict   []uint8 // strict classes in order of service
	lossless uint8
	traces   []Trace
	freeTr   []int32
	hops     int64
	overhead int64
	faults   *faults // nil: none

	// Evidence, see there.
	routeMarks []int32           // by route and hop, as routes
	fill       []map[int32]int64 // by port
	pausedFor  [][]RootTime      // by port

	// Packets that are passed through an interface are kept here, so that they are not allocated on
	// the heap. A call of Pull or Deliver never happens inside another call of the same kind.
	pulled, delivered Packet
}

// New builds a fabric over a graph. islandOf gives each node's island.
func New(eng *sim.Engine, g *topo.Graph, cfg Config, islandOf []int32) (*Fabric, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	cfg.Buffer.LossyAlpha = qos.Bounded(cfg.Buffer.LossyAlpha)
	f := &Fabric{eng: eng, graph: g, cfg: cfg, nc: len(cfg.Classes), overhead: int64(cfg.LinkOverhead),
		ports: make([]port, len(g.Ports)), sources: make([]Source, len(g.Ports)), sinks: make([]Sink, len(g.Ports)),
		fill: make([]map[int32]int64, len(g.Ports)), pausedFor: make([][]RootTime, len(g.Ports))}
	f.queues = make([]queue, len(g.Ports)*f.nc)
	f.accounts = make([]account, len(g.Ports)*f.nc)
	f.orderClasses()
	index := f.addNodes()
	for i := range g.Ports {
		f.addPort(PortID(i), index, islandOf)
	}
	if err := f.applyThresholds(index); err != nil {
		return nil, err
	}
	if cfg.Faults != nil {
		f.faults = newFaults(f, cfg.Faults)
	}
	eng.Register(classTxEnd, (*txEnd)(f))
	eng.Register(classArrive, (*arrive)(f))
	eng.Register(classPause, (*pauseArrive)(f))
	eng.Register(classExpire, (*expire)(f))
	eng.Register(classRefresh, (*refresh)(f))
	return f, nil
}

func (f *Fabric) orderClasses() {
	for prio := 7; prio >= 0; prio-- {
		for c, cl := range f.cfg.Classes {
			if cl.Strict && int(cl.Priority) == prio {
				f.strict = append(f.strict, uint8(c))
			}
		}
	}
	for c, cl := range f.cfg.Classes {
		if cl.Lossless {
			f.lossless |= 1 << c
		}
	}
}

func (f *Fabric) addNodes() []int32 {
	index := make([]int32, len(f.graph.Nodes))
	for i, n := range f.graph.Nodes {
		index[i] = -1
		if n.Kind != topo.HostKind {
			index[i] = int32(len(f.nodes))
			f.nodes = append(f.nodes, node{id: topo.NodeID(i)})
		}
	}
	return index
}

func (f *Fabric) addPort(id PortID, index, islandOf []int32) {
	gp := f.graph.Ports[id]
	p := &f.ports[id]
	p.rate, p.cable = gp.Rate, gp.Delay
	p.node, p.far = index[gp.Node], index[gp.To]
	p.island, p.farIsland = islandOf[gp.Node], islandOf[gp.To]
	p.delay = gp.Delay
	p.xoff = f.cfg.PFC.XOFF(gp.Rate)
	p.respond = f.cfg.PFC.Response.At(gp.Rate)
	if p.far >= 0 {
		p.delay += f.cfg.SwitchLatency
	} else {
		p.delay += f.cfg.HostLatency
	}
	if p.node < 0 {
		p.flags |= flagHost
	}
	if ps := 8 * int64(unit.Second) / int64(gp.Rate); ps*int64(gp.Rate) == 8*int64(unit.Second) {
		p.psPerByte = ps
	}
	least := 0
	for _, cl := range f.cfg.Classes {
		if !cl.Strict && (least == 0 || cl.Weight < least) {
			least = cl.Weight
		}
	}
	for c, cl := range f.cfg.Classes {
		q := &f.queues[int(id)*f.nc+c]
		q.root = -1
		q.rng = sim.NewStream(f.cfg.Seed, "wred "+gp.Name, uint64(c))
		if !cl.Strict {
			q.quantum = int64(f.cfg.MTU) * int64(cl.Weight) / int64(least)
		}
	}
}

// Links returns the cables of a node in order of its ports.
func Links(g *topo.Graph, n topo.NodeID) []qos.Link {
	ports := g.Nodes[n].Ports
	links := make([]qos.Link, len(ports))
	for i, id := range ports {
		links[i] = qos.Link{Rate: g.Ports[id].Rate, Delay: g.Ports[id].Delay}
	}
	return links
}

// applyThresholds sets what each switch does at its ports.
func (f *Fabric) applyThresholds(index []int32) error {
	return f.cfg.eachSwitch(f.graph, func(id topo.NodeID, s *qos.Switch) {
		n := &f.nodes[index[id]]
		n.size, n.spare = int64(s.Shared), int64(s.Spare)
		for k, out := range f.graph.Nodes[id].Ports {
			for c := range f.nc {
				t := &s.Ports[k*f.nc+c]
				if t.Marks() {
					f.queues[int(out)*f.nc+c].mark = newMark(t.ECN)
				}
				f.accounts[int(f.graph.Peer(out))*f.nc+c].limit = int64(t.PFC.Headroom)
			}
		}
	})
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
func (f *Fabric) Hops() int64 { return f.hops }

// Classes returns how many traffic classes there are.
func (f *Fabric) Classes() int { return f.nc }

// TransmitTime returns how long a frame occupies the link of a port.
func (f *Fabric) TransmitTime(id PortID, frame unit.Bytes) unit.Duration {
	return f.txTime(&f.ports[id], int64(frame)+f.overhead)
}

// Lead returns how long before its arrival a frame's arrival event is scheduled, where the order of
// events depends on that (Config.AsScheduled); else 0.
func (f *Fabric) Lead(id PortID, frame unit.Bytes) unit.Duration {
	if !f.cfg.AsScheduled {
		return 0
	}
	return f.TransmitTime(id, frame) + f.ports[id].delay
}

func (f *Fabric) txTime(p *port, wire int64) unit.Duration {
	switch {
	case f.cfg.TruncateNS:
		return truncated(wire, p.rate)
	case p.psPerByte != 0:
		return unit.Duration(wire * p.psPerByte)
	}
	return p.rate.TransmitTime(unit.Bytes(wire))
}

// truncated is how long bytes take at a rate by a clock of 1 ns as ns-3 has it.
func truncated(wire int64, rate unit.Bitrate) unit.Duration {
	return unit.TruncatedSeconds(float64(8*wire) / float64(rate))
}

// Spacing returns how long a frame occupies the link of a NIC's port, and how long a sender that is
// paced at rate waits from the start of that frame to the start of the next. Both count preamble
// and gap.
func (f *Fabric) Spacing(id PortID, frame unit.Bytes, rate unit.Bitrate) (tx, gap unit.Duration) {
	p := &f.ports[id]
	wire := int64(frame) + f.overhead
	tx = f.txTime(p, wire)
	if rate >= p.rate {
		return tx, tx
	}
	if f.cfg.TruncateNS {
		return tx, truncated(wire, rate)
	}
	return tx, rate.TransmitTime(unit.Bytes(wire))
}
