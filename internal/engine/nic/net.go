package nic

import (
	"fmt"
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/host"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/sim"
	"railyard/internal/job/exec"
	"railyard/internal/net/cc"
	"railyard/internal/net/topo"
	"railyard/internal/net/wire"
)

// Event classes of this package.
const (
	classSend    = fabric.FirstFreeClass + iota // owner: card whose next queue pair may send
	classTimeout                                // owner: card whose queue pairs may have timed out
	classBond                                   // owner: card that its NIC finds down, or up again
	classReceive                                // owner: card whose receive buffer may have got emptier
)

// Config is what every NIC and queue pair of a run shares.
type Config struct {
	Pairs            int // of queue pairs that are added before Build, or about so many
	Frames           wire.Sizes
	Transport        roce.Params
	Telemetry        bool  // the controller wants in-band telemetry of every packet
	AcksPass         bool  // PFC does not hold back ACKs, NAKs and CNPs at the host that sends them
	AckClass         uint8 // traffic class of ACK and NAK
	CNPClass         uint8 // of CNPs, clear-to-sends and credits
	CompleteAtSender bool  // a flow's completion time ends with its last acknowledgement instead of its last placed byte
	Controller       cc.Params
	Seed             uint64
	Quirks           Quirks
	Receive          *ReceiveBuffer // nil: without end
	// Downs are the times in which NICs with several ports take one for down: none of their queue pairs goes by it
	// then, unless there is no other.
	Downs []Down
	// OnFull takes a packet that a receiver's buffer had no room for, in the island of the receiver; nil:
	// nobody does.
	OnFull func(island int32, l fabric.Loss)
	// OnTimeout takes a retransmission timeout, in the island of the sender; nil: nobody does.
	OnTimeout func(island int32, now unit.Time, qp int32, oldest int64)
	// OnEvent takes what happens at the ends of queue pairs, in the island of the end; nil: nobody does.
	OnEvent func(island int32, e Event)
	// OnPost takes each message that a queue pair takes, in the island of the sender; nil: nobody does.
	OnPost func(island int32, m Posted)
	Setup  Setup
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
	Hops                     []HopWait     // of the frame that completed it, NIC first
	Inside                   Inside
	Failed                   bool
	LastPSN                  uint32 // of its packets
}

// Inside says where the PCIe of a message's split passed: Crossing of it at the receiving host, the rest at the sending
// one. From and To are links there, see host.Place; -1: one link stands for all of PCIe.
type Inside struct {
	From, To int32
	Crossing unit.Duration
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

// QueuePair describes one direction of a connection between two NICs.
type QueuePair struct {
	Name           string
	From, To       topo.NICID
	FromGPU, ToGPU int32         // whose memory, -1: none (no host path)
	Path, Back     []topo.PortID // egress ports, first a NIC's own
	// Chosen and ChosenBack say that each switch chooses the next hop of a frame of data, of what comes back. Path and
	// Back are then ways that frames may take: what an empty network takes is counted along them.
	Chosen, ChosenBack bool
	Class              uint8
	Log                bool      // keep what held up each message in order of time, for ranks that wait for it
	Admission          Admission // of the messages of ranks
	// Bond and BondBack are hashes by which a bond chooses the port of its data, and of what comes back (see
	// topo.NIC.PortOf). They count where next hops are chosen: else it keeps to its path.
	Bond, BondBack uint64
	// Stream names the stream of random numbers of its timeouts: with the number of the queue pair
	// among those of its job, these do not depend on what else runs.
	Stream uint64
}

// Net is the NICs of a run with their queue pairs: host.Network over a simulated fabric.
type Net struct {
	eng        *sim.Engine
	fab        *fabric.Fabric
	graph      *topo.Graph
	hosts      *host.Hosts
	cfg        Config
	cards      []card     // by NIC, and port of it
	first      []int32    // by NIC: of its cards
	senders    []sender   // by queue pair
	receivers  []receiver // by queue pair
	names      []string   // by queue pair
	islands    []island
	flowDone   func(island int32, f *Flow)
	paths      [][2][]topo.PortID // by queue pair: of data, of what comes back
	seen       []HopEvidence      // by the fabric's Route.Position
	met        []*met             // by queue pair and direction, data first; nil: its frames keep to their paths
	positions  int
	marksNoted bool
	told       []cc.State // by queue pair: as Config.OnEvent was told last; nil: nobody is told
	linger     unit.Duration
	closed     map[int32]Wait // queue pairs of aborted jobs: what their messages waited for
	twins      *twins         // nil: there are none
}

var _ host.Network = (*Net)(nil)

// New returns the NICs of a fabric's graph, for hosts of the same graph.
func New(eng *sim.Engine, fab *fabric.Fabric, g *topo.Graph, hosts *host.Hosts, cfg Config) *Net {
	if err := cfg.Transport.Validate(); err != nil {
		panic("nic: " + err.Error())
	}
	cfg.Transport.TimeRTT = cc.UsesRTT(cfg.Controller)
	cfg.Transport.NoWindow = cc.Unlimited(cfg.Controller)
	n := &Net{eng: eng, fab: fab, graph: g, hosts: hosts, cfg: cfg, islands: make([]island, eng.Islands()),
		closed: map[int32]Wait{}}
	for i := range n.islands {
		isl := &n.islands[i]
		isl.index, isl.messages, isl.arrivals = int32(i), make(store[message], 0, manySpare), make(store[arrival], 0, manySpare)
		isl.notes, isl.spans = make(store[note], 0, manySpare), make(store[cause.Segment], 0, manySpare)
	}
	n.addCards()
	n.Reserve(cfg.Pairs)
	n.linger = fab.Linger()
	hosts.Attach(n)
	eng.Register(classSend, (*sendTimer)(n))
	eng.Register(classTimeout, (*timeoutTimer)(n))
	eng.Register(classReceive, (*receiveTimer)(n))
	eng.Register(classBond, (*bondTimer)(n))
	n.planDowns()
	eng.OnWindow(func(unit.Time) { n.join() })
	if len(g.Ports) >= fabric.LargePorts {
		eng.OnOpen(n.warm)
	}
	return n
}

// addCards makes a card for each port of each NIC.
func (n *Net) addCards() {
	ports := 0
	for i := range n.graph.NICs {
		n.first = append(n.first, int32(ports))
		ports += len(n.graph.NICs[i].Ports)
	}
	n.cards = make([]card, ports)
	for i := range n.graph.NICs {
		for k, port := range n.graph.NICs[i].Ports {
			c := &n.cards[int(n.first[i])+k]
			c.init(n, n.first[i]+int32(k), topo.NICID(i), port)
			n.fab.Attach(port, c, c)
		}
	}
}

// ports returns the cards of a NIC.
func (n *Net) ports(id topo.NICID) []card {
	first := int(n.first[id])
	return n.cards[first : first+len(n.graph.NICs[id].Ports)]
}

// cardOf returns the card of a port of a NIC.
func (n *Net) cardOf(id topo.NICID, port topo.PortID) *card {
	all := n.ports(id)
	for i := range all {
		if all[i].port == port {
			return &all[i]
		}
	}
	panic(fmt.Sprintf("nic: the path of a queue pair begins at port %d, which %s has not", port, n.graph.NICName(id)))
}

// Reserve makes room for so many more queue pairs: what is known of one is large, and would be moved as their number grows.
func (n *Net) Reserve(pairs int) {
	n.senders, n.receivers = slices.Grow(n.senders, pairs), slices.Grow(n.receivers, pairs)
	n.names, n.paths = slices.Grow(n.names, pairs), slices.Grow(n.paths, pairs)
	n.met = slices.Grow(n.met, 2*pairs)
}

// AddQP adds a queue pair: before Build or, between windows, before Extend.
func (n *Net) AddQP(q QueuePair) int32 {
	id := int32(len(n.senders))
	from, to := n.cardOf(q.From, q.Path[0]), n.cardOf(q.To, q.Back[0])
	way, back := n.fab.AddRoute(q.Path), n.fab.AddRoute(q.Back)
	n.positions += len(q.Path) + len(q.Back)
	n.names = append(n.names, q.Name)
	n.paths = append(n.paths, [2][]topo.PortID{q.Path, q.Back})
	route, answer := way, back
	n.met = append(n.met, nil, nil)
	if q.Chosen {
		route, n.met[2*id] = n.fab.RouteTo(q.To), newMet()
		n.fab.Begins(id, q.From)
	}
	if q.ChosenBack {
		answer, n.met[2*id+1] = n.fab.RouteTo(q.From), newMet()
	}
	n.senders = append(n.senders, sender{id: id, card: from, number: int32(len(from.qps)), class: q.Class, route: route,
		back: back, hopsBack: len(q.Back), answerer: to.port, log: q.Log,
		ledger:    ledger{log: q.Log, port: from.port, spare: &from.isl.spans},
		admission: q.Admission, looked: -1, fetch: n.hosts.NewFetch(q.From, q.FromGPU), rng: sim.NewStream(n.cfg.Seed, "timeout", q.Stream),
		drawn: sim.NewStream(n.cfg.Seed, "entropy", q.Stream), bonded: bonded{q.Bond, q.Chosen}})
	n.senders[id].Slots.Init(q.Admission.Slots)
	if n.cfg.Setup.On {
		n.senders[id].Dial()
	}
	n.receivers = append(n.receivers, receiver{id: id, card: to, way: way, route: answer, log: q.Log,
		admitted: q.Admission.Slots > 0, sender: from.isl, store: n.hosts.NewStore(q.To, q.ToGPU),
		bonded: bonded{q.BondBack, q.ChosenBack}})
	for ports := n.ports(q.From); len(ports) > 0; ports = ports[1:] {
		ports[0].add(id, q.Class)
	}
	return id
}

// Build gives every queue pair its congestion controller. baseRTT is the round trip of an empty
// network for a queue pair.
func (n *Net) Build(baseRTT func(id int32) unit.Duration) {
	for i := range n.cards {
		c := &n.cards[i]
		c.isl.cards = append(c.isl.cards, int32(i))
	}
	n.Extend(0, baseRTT)
}

// Extend does for queue pairs from the first-th on what Build did for those before: they were added while the run stands
// between windows.
func (n *Net) Extend(first int32, baseRTT func(id int32) unit.Duration) {
	n.seen = append(n.seen, make([]HopEvidence, n.positions-len(n.seen))...)
	ctl := cc.NewSet(n.cfg.Controller, len(n.senders)-int(first))
	if n.cfg.OnEvent != nil {
		n.told = slices.Grow(n.told, len(n.senders)-int(first))
	}
	for i := int(first); i < len(n.senders); i++ {
		s := &n.senders[i]
		n.listHalves(i)
		ctl.Init(i-int(first), s.card.line, baseRTT(int32(i)))
		s.Init(&n.cfg.Transport, ctl.At(i-int(first)), &s.card.isl.network)
		s.Explore(n.explored(s, baseRTT(int32(i))))
		if n.cfg.OnEvent != nil {
			n.told = append(n.told, n.ControllerState(int32(i), 0))
		}
	}
}

// explored is how many packets a bandwidth-delay product of a queue pair holds.
func (n *Net) explored(s *sender, rtt unit.Duration) int {
	frame := n.cfg.Frames.OnLink(n.cfg.Frames.MaxDataFrame(n.cfg.Transport.MTU))
	return int((s.card.line.BytesIn(rtt) + frame - 1) / frame)
}

// OnFlow sets what receives each message that has been acknowledged, in the island of its sender.
// The listener may keep what it is given until the window ends.
func (n *Net) OnFlow(f func(island int32, f *Flow)) { n.flowDone = f }

// Err returns why the run failed, if it did.
func (n *Net) Err() error { return n.hosts.Err() }

// Linger is that of the fabric: host.Network.
func (n *Net) Linger() unit.Duration { return n.linger }

// Name returns the name of a queue pair.
func (n *Net) Name(id int32) string { return n.names[id] }

// Marks returns how many data packets were received with congestion experienced, over all queue
// pairs.
func (n *Net) Marks() (sum int64) {
	for i := range n.islands {
		sum += n.islands[i].marks
	}
	return sum
}

// CNPs returns how many congestion notification packets were sent.
func (n *Net) CNPs() (sum int64) {
	for i := range n.islands {
		sum += n.islands[i].cnps
	}
	return sum
}

// Retransmits returns how many data packets were sent again.
func (n *Net) Retransmits() (sum int64) {
	for i := range n.islands {
		sum += n.islands[i].retransmits
	}
	return sum
}

// Moves returns how often a queue pair has gone over to another port of its NIC.
func (n *Net) Moves() (sum int64) {
	for i := range n.islands {
		sum += n.islands[i].moves
	}
	return sum
}

// QueuePairs returns how many queue pairs there are.
func (n *Net) QueuePairs() int { return len(n.senders) }

// Delivered returns the payload bytes that a queue pair's receiver has acknowledged.
func (n *Net) Delivered(id int32) int64 { return n.senders[id].Acked() }

// Tally returns what reordering came to at the receiver of a queue pair.
func (n *Net) Tally(id int32) roce.Tally { return n.receivers[id].Tally() }

// ControllerState returns rate, target and alpha of a queue pair's congestion controller as of now.
func (n *Net) ControllerState(id int32, now unit.Time) cc.State {
	ctl := n.senders[id].Controller()
	if i, ok := ctl.(cc.Inspector); ok {
		return i.State(now)
	}
	return cc.State{Rate: ctl.Rate(now)}
}

// Unfinished calls f for every message that was posted and not acknowledged when the run ended.
func (n *Net) Unfinished(f func(*Flow)) {
	n.join()
	for i := range n.senders {
		s := &n.senders[i]
		for k := range s.n {
			m := s.msgAt(k)
			if k < s.notes.n {
				s.notes.at(k).tell(&m.flow)
			}
			m.flow.Message = nil
			if m.msg.OfRanks {
				m.flow.Message = &m.msg.Of
			}
			m.flow.Failed = n.Standing(int32(i)).Waits == ForNone
			f(&m.flow)
		}
		n.unfinishedTwins(s, f)
	}
}

// Sink is what takes the frames that reach a NIC's first port: for those that stand before it.
func (n *Net) Sink(id topo.NICID) (topo.PortID, fabric.Source, fabric.Sink) {
	c := &n.ports(id)[0]
	return c.port, c, c
}
