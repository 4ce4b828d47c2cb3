package nic

import (
	"fmt"

	"railyard/internal/cause"
	"railyard/internal/cc"
	"railyard/internal/exec"
	"railyard/internal/fabric"
	"railyard/internal/roce"
	"railyard/internal/sim"
	"railyard/internal/topo"
	"railyard/internal/unit"
	"railyard/internal/wire"
)

// Event classes of this package.
const (
	classSend    = fabric.FirstFreeClass + iota // owner: NIC whose next queue pair may send
	classTimeout                                // owner: NIC whose queue pairs may have timed out
	classHost                                   // owner: host with work on its agenda
)

// Pipe is a link inside a host, which is shared as doc.go says. Rate 0: no limit.
type Pipe struct {
	Latency unit.Duration
	Rate    unit.Bitrate // each direction
}

// Config is what every host, NIC and queue pair of a run shares.
type Config struct {
	Frames       wire.Sizes
	Transport    roce.Params
	PCIe, NVLink Pipe
	Latency      unit.Duration // NIC, sending side; the receiving side is the fabric's HostLatency
	CNPInterval  unit.Duration // least time between two CNPs of a flow
	EchoMarks    bool          // marks travel in acknowledgements instead of CNPs
	NoCNPs       bool          // receivers of marked packets send no CNPs: no sender would listen
	Telemetry    bool          // the controller wants in-band telemetry of every packet
	// Repace: a change of rate moves the start of the next packet, which was set when the packet
	// before it left.
	Repace bool
	// AsScheduled is for an engine with InOrderOfPushing: hosts work after all that was scheduled
	// before, and flows in order of their numbers.
	AsScheduled bool
	// SharedTimer: one pacing timer for all queue pairs of a NIC, as in the HPCC authors'
	// simulator; see armShared.
	SharedTimer      bool
	AcksPass         bool  // PFC does not hold back ACKs, NAKs and CNPs at the host that sends them
	AckClass         uint8 // traffic class of ACK and NAK
	CNPClass         uint8
	CompleteAtSender bool // a flow's completion time ends with its last acknowledgement instead of its last placed byte
	Controller       cc.Params
	Seed             uint64
	OnTimeout        func(island int32, now unit.Time, qp int32, oldest int64) // takes a retransmission timeout; nil: nobody
	Bodies           *Bodies                                                   // runs the real work of ranks; nil in replay
}

// A Flow is one finished (or, at the end of the run, unfinished) message.
type Flow struct {
	QP                       int32
	Tag                      int64 // as posted
	Bytes                    unit.Bytes
	Posted, Placed, Acked    unit.Time // -1: not yet
	Marks, CNPs, Retransmits int64
	Split                    cause.Split
	Message                  *exec.Message // nil for explicit flows
	Hops                     []HopWait     // of the frame that completed it, NIC first; valid during the call
	Failed                   bool
	LastPSN                  uint32 // of its packets
}

// HopWait is how long a port held up a message. At the NIC that is the time its frames waited to be
// sent; at a switch, the time the frame that completed it waited there; for a message that
// completes at its sender, its acknowledgement too. Over all hops these times sum to the message's
// queueing, own queueing and pause, without the time at the NIC behind earlier messages of its
// queue pair.
type HopWait struct {
	Port                 topo.PortID
	Back                 bool // of the acknowledgement
	Own, Queueing, Pause unit.Duration
	Wire, Cable          unit.Duration // bits on the link, and on their way in it
	Root                 topo.PortID   // the root of its pause, see fabric.PauseRoot; -1: none
}

// Completed returns when the flow counts as complete, -1 if it is not.
func (n *Net) Completed(f *Flow) unit.Time {
	if n.cfg.CompleteAtSender {
		return f.Acked
	}
	return f.Placed
}

// Net is all hosts of a run with their NICs and queue pairs.
type Net struct {
	eng      *sim.Engine
	fab      *fabric.Fabric
	graph    *topo.Graph
	cfg      Config
	nics     []card
	nicOf    []int32 // by egress port; -1
	qps      []qp
	ends     []endpoint
	ctl      cc.Set
	hosts    []host
	ranks    []rankState
	conns    []conn
	flowDone func(island int32, f *Flow)
	acked    int32 // queue pair whose acknowledgement is being handled
	doneFn   func(*roce.Message)
	ackedAt  unit.Time
	err      error
	failedAt unit.Time
	failed   int32 // what err is about: a queue pair or, counted on after them, a rank
	linger   unit.Duration
	parts    []fabric.Part
	hops     []cc.Hop
	news     cc.Ack // what a controller is told; kept here, so that it is not allocated on the heap
	segments []exec.Segment
	now      unit.Time // of the host work being done
	flows    []flowState

	seen      []HopEvidence // by the fabric's Route.Position
	positions int
	answer    *fabric.Trace // of the acknowledgement being handled

	timesRTT bool // the controller looks at round trips
	// SharedTimer: windows are looked at whenever a NIC looks for something to send, since they
	// grow unasked
	reopens bool

	marks, cnps, retransmits int64
}

// card is a NIC.
type card struct {
	port      topo.PortID
	host      int32
	island    int32
	ack       queue[fabric.Packet] // ACKs and NAKs to send
	cnp       queue[fabric.Packet]
	ready     [8]turns // queue pairs that may send, by class; they are numbered as in qps
	rings     [8]ring  // with SharedTimer: queue pairs with messages, by class
	classes   []uint8  // with queue pairs
	turn      int
	timed     heap[timed] // queue pairs that may send later
	wakeAt    unit.Time   // pending classSend event
	cancelled []unit.Time // with SharedTimer: classSend events still to come that mean nothing
	rtoAt     unit.Time   // pending classTimeout event
	paused    uint8       // classes
	qps       []int32
	down      share // PCIe towards the NIC
	up        pipe  // PCIe towards the GPUs
	line      unit.Bitrate
}

// pipe is the state of a link inside a host that carries packets one after the other.
type pipe struct{ free unit.Time }

// take occupies the pipe for b bytes, from now or from when it is free, and returns when they are
// past.
func (p *pipe) take(now unit.Time, b unit.Bytes, rate unit.Bitrate) unit.Time {
	p.free = max(now, p.free)
	if rate > 0 {
		p.free = p.free.Add(rate.TransmitTime(b))
	}
	return p.free
}

// New returns the hosts of a fabric's graph. islandOf gives each node's island.
func New(eng *sim.Engine, fab *fabric.Fabric, g *topo.Graph, cfg Config, islandOf []int32) *Net {
	n := &Net{eng: eng, fab: fab, graph: g, cfg: cfg, nicOf: make([]int32, len(g.Ports))}
	for i := range n.nicOf {
		n.nicOf[i] = -1
	}
	for i, nc := range g.NICs {
		h := g.Hosts[nc.Host]
		n.nics = append(n.nics, card{port: nc.Port, host: nc.Host, island: islandOf[h.Node], wakeAt: unit.Never,
			rtoAt: unit.Never, line: g.Ports[nc.Port].Rate,
			down: newShare(cfg.PCIe.Rate, cfg.hostLatency())})
		n.nicOf[nc.Port] = int32(i)
		n.nicOf[nc.Port^1] = int32(i)
		fab.Attach(nc.Port, n, n)
	}
	for _, h := range g.Hosts {
		n.hosts = append(n.hosts,
			host{island: islandOf[h.Node], wakeAt: unit.Never, out: make([]share, h.GPUs), in: make([]share, h.GPUs),
				copies: make([]*copies, h.GPUs)})
		for g := range h.GPUs {
			last := &n.hosts[len(n.hosts)-1]
			last.out[g], last.in[g] = newShare(cfg.NVLink.Rate, cfg.hostLatency()),
				newShare(cfg.NVLink.Rate, cfg.hostLatency())
		}
	}
	n.linger = fab.Linger()
	n.doneFn = n.messageAcked
	n.timesRTT = cc.UsesRTT(cfg.Controller)
	n.reopens = cfg.SharedTimer && cc.WindowGrowsUnasked(cfg.Controller)
	eng.Register(classSend, (*sendTimer)(n))
	eng.Register(classTimeout, (*timeoutTimer)(n))
	eng.Register(classHost, (*hostWork)(n))
	return n
}

// OnFlow sets what receives each message that has been acknowledged.
func (n *Net) OnFlow(f func(island int32, f *Flow)) { n.flowDone = f }

// Err returns why the run failed, if it did.
func (n *Net) Err() error { return n.err }

// hostLatency is the longest that a byte takes from a GPU to a wire, but for being carried.
func (c *Config) hostLatency() unit.Duration { return c.NVLink.Latency + c.PCIe.Latency + c.Latency }

// Linger is how long a run may go on after the last useful event, so that its end does not depend
// on the partition: the longest time in which one node acts on another.
func (n *Net) Linger() unit.Duration { return n.linger }

// Marks returns how many data packets were received with congestion experienced, over all queue
// pairs.
func (n *Net) Marks() int64 { return n.marks }

// CNPs returns how many congestion notification packets were sent.
func (n *Net) CNPs() int64 { return n.cnps }

// Retransmits returns how many data packets were sent again.
func (n *Net) Retransmits() int64 { return n.retransmits }

// QueuePairs returns how many queue pairs there are.
func (n *Net) QueuePairs() int { return len(n.qps) }

// Delivered returns the payload bytes that a queue pair's receiver has acknowledged.
func (n *Net) Delivered(id int32) int64 { return n.qps[id].snd.Acked() }

// fail ends the run because of queue pair id, or of a rank (see failed). If several fail before the
// run ends, the first is named; at the same instant, the one with the lowest number, because the
// order in which they are handled depends on the partition.
func (n *Net) fail(now unit.Time, id int32, format string, args ...any) {
	if n.err == nil || now < n.failedAt || now == n.failedAt && id < n.failed {
		n.err, n.failedAt, n.failed = fmt.Errorf(format, args...), now, id
	}
	n.eng.StopAt(now.Add(n.linger))
}

// ControllerState returns rate, target and alpha of a queue pair's congestion controller as of now.
func (n *Net) ControllerState(id int32, now unit.Time) cc.State {
	if i, ok := n.qps[id].ctl.(cc.Inspector); ok {
		return i.State(now)
	}
	return cc.State{Rate: n.qps[id].ctl.Rate(now)}
}
