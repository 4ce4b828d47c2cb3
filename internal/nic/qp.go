package nic

import (
	"railyard/internal/cause"
	"railyard/internal/cc"
	"railyard/internal/exec"
	"railyard/internal/fabric"
	"railyard/internal/roce"
	"railyard/internal/sim"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// state says where a queue pair waits.
type state uint8

const (
	idle    state = iota // nothing to send
	ready                // in its NIC's ready list
	waiting              // in its NIC's heap: paced, or bytes not yet at the NIC
	blocked              // the window is full
)

// qp is the sending half of a queue pair with its ledger.
type qp struct {
	snd       roce.Sender
	nextAvail unit.Time // the rate limiter allows the next packet
	lastStart unit.Time // when the packet before it left
	lastBytes unit.Bytes
	hostAvail unit.Time // the next packet's bytes are at the NIC
	nic       int32
	number    int32 // among those of its NIC
	class     uint8
	state     state
	dead      bool
	log       bool
	line      unit.Bitrate
	route     fabric.Route
	deadline  unit.Time  // retransmission timeout
	rng       sim.Stream // of its timeouts
	ctl       cc.Controller

	way       hostWay // of the next packet's message
	pauses    []fabric.RootTime
	ledger    cause.Split
	accounted unit.Time // the ledger covers everything before this
	entries   []exec.Segment

	msgs     []message // ring of messages not yet acknowledged
	head, n  int
	popped   int64 // messages acknowledged
	txCause  cause.Cause
	rtt      unit.Duration
	timedOut unit.Time // last

	from, to topo.NICID
	fromGPU  int32 // -1: the NIC itself, no host path
	toGPU    int32
	name     string
	hopsBack int   // links of an acknowledgement's path
	conn     int32 // connection of ranks, -1

	owed   bool   // an acknowledgement is due: the retransmission timer runs
	probes probes // packets whose round trip is being timed
}

// message is what the driver knows of a posted message beside what roce keeps.
type message struct {
	flow Flow
	way  hostWay
	base cause.Split
	// begun is when its first packet left for the first time. Before that, bits on the wire were
	// those of earlier messages.
	begun    unit.Time
	ahead    unit.Duration   // serialisation in the ledger until then
	pauses0  []unit.Duration // qp.pauses when it was posted
	first    []hopMark       // what its first packet saw at each port, if more follow
	pcie     unit.Time       // its last byte had crossed PCIe at the receiver
	from, to []byte
	accepted unit.Time      // its last packet, by the NIC
	msg      exec.Message   // of ranks
	asked    unit.Time      // when the rank posted it; the flow's own post may have waited for admission
	part     bool           // not the last slice of the rank's message
	held     []exec.Segment // of a logging queue pair: what held it up until its last packet left for the first time
}

// hostWay is when the first byte of a message is past each stage of the host path, without the time
// that it takes to carry the bytes.
type hostWay struct {
	nvlink, pcie, nic unit.Time   // nic: it could be sent
	slowest           cause.Cause // the pipe that limits the rate
}

// endpoint is the receiving half of a queue pair.
type endpoint struct {
	rcv     roce.Receiver
	nic     int32
	route   fabric.Route // back to the sender
	cnpAt   unit.Time    // last CNP
	cnpSent bool
	echo    bool  // a mark that the next acknowledgement echoes
	done    int64 // messages received whole
	marks   int64
	marks0  int64 // before the message being received
}

// QueuePair describes one direction of a connection between two NICs.
type QueuePair struct {
	Name           string
	From, To       topo.NICID
	FromGPU, ToGPU int32         // whose memory, -1: none (no host path)
	Path, Back     []topo.PortID // egress ports, first a NIC's own
	Class          uint8
	Log            bool // keep what held up each message in order of time, for ranks that wait for it
}

// AddQP adds a queue pair; all are added before Build.
func (n *Net) AddQP(q QueuePair) int32 {
	id := int32(len(n.qps))
	c := &n.nics[q.From]
	n.qps = append(n.qps, qp{nic: int32(q.From), number: int32(len(c.qps)), class: q.Class, line: c.line,
		route: n.fab.AddRoute(q.Path), from: q.From, to: q.To,
		fromGPU: q.FromGPU, toGPU: q.ToGPU, name: q.Name, conn: -1, log: q.Log, deadline: unit.Never,
		rng: sim.NewStream(n.cfg.Seed, "timeout", uint64(id))})
	n.qps[id].snd.Init(n.cfg.Transport.MTU)
	n.qps[id].hopsBack = len(q.Back)
	n.positions += len(q.Path) + len(q.Back)
	n.ends = append(n.ends, endpoint{nic: int32(q.To), route: n.fab.AddRoute(q.Back)})
	c.qps = append(c.qps, id)
	known := false
	for _, cl := range c.classes {
		known = known || cl == q.Class
	}
	if !known {
		c.classes = append(c.classes, q.Class)
	}
	return id
}

// Build gives every queue pair its congestion controller. baseRTT is the round trip of an empty
// network for a queue pair.
func (n *Net) Build(baseRTT func(id int32) unit.Duration) {
	n.seen = make([]HopEvidence, n.positions)
	n.ctl = cc.NewSet(n.cfg.Controller, len(n.qps))
	for i := range n.qps {
		n.ctl.Init(i, n.qps[i].line, baseRTT(int32(i)))
		n.qps[i].ctl = n.ctl.At(i)
	}
}

// Name returns the name of a queue pair.
func (n *Net) Name(id int32) string { return n.qps[id].name }

func (q *qp) msgAt(i int) *message { return &q.msgs[(q.head+i)&(len(q.msgs)-1)] }

func (q *qp) pushMsg() *message {
	if q.n == len(q.msgs) {
		msgs := make([]message, max(2, 2*len(q.msgs)))
		for i := range q.n {
			msgs[i] = *q.msgAt(i)
		}
		q.msgs, q.head = msgs, 0
	}
	q.n++
	return q.msgAt(q.n - 1)
}

// post queues a message on a queue pair. Its bytes start over the host path at once; the queue pair
// becomes ready when they arrive.
func (n *Net) post(now unit.Time, id int32, b unit.Bytes, tag int64) *message {
	q := &n.qps[id]
	n.account(q, now)
	if n.cfg.SharedTimer {
		n.enter(q)
	}
	m := q.pushMsg()
	*m = message{flow: Flow{QP: id, Tag: tag, Bytes: b, Posted: now, Placed: -1, Acked: -1, Hops: m.flow.Hops[:0]},
		held:    m.held[:0],
		pauses0: m.pauses0[:0], first: m.first[:0]}
	for _, r := range q.pauses {
		m.pauses0 = append(m.pauses0, r.Time)
	}
	m.base = q.ledgerAt(now)
	m.begun = -1
	m.way = n.hostPath(now, q, b)
	q.snd.Post(b, tag)
	if q.state == idle && !q.dead {
		q.accounted = max(q.accounted, now)
		n.schedule(now, now, id, q)
		n.wake(now, q.nic)
	}
	return m
}

// enter puts a queue pair that gets a message into its NIC's ring. A queue pair that had finished
// and is still in the ring keeps its place.
func (n *Net) enter(q *qp) {
	r := &n.nics[q.nic].rings[q.class]
	before := len(r.list)
	if r.add(q.number); len(r.list) == before && q.n == 0 {
		r.done--
	}
}

// hostPath occupies the pipes from a GPU to a NIC and returns when the message's first byte is past
// each of them, without the time that carrying bytes takes: the byte at offset o is there carry(o)
// later.
func (n *Net) hostPath(now unit.Time, q *qp, b unit.Bytes) hostWay {
	if q.fromGPU < 0 {
		return hostWay{now, now, now.Add(n.cfg.Latency), cause.NIC}
	}
	c := &n.nics[q.nic]
	w := hostWay{nvlink: now, slowest: cause.PCIe}
	if gpu := n.relay(q.from, q.fromGPU); gpu >= 0 {
		h := &n.hosts[c.host]
		w.nvlink = n.nvlink(now, h, q.fromGPU, gpu, b).Add(n.cfg.NVLink.Latency)
		if n.cfg.NVLink.Rate > 0 && n.cfg.NVLink.Rate < n.cfg.PCIe.Rate {
			w.slowest = cause.NVLink
		}
	}
	w.pcie = c.down.take(w.nvlink, b, n.cfg.PCIe.Rate).Add(n.cfg.PCIe.Latency)
	w.nic = w.pcie.Add(n.cfg.Latency)
	return w
}

// relay returns the GPU through which gpu reaches a NIC that is not its own; -1 if it reaches the
// NIC directly.
func (n *Net) relay(nicID topo.NICID, gpu int32) int32 {
	c := n.graph.NICs[nicID]
	if n.graph.NICOf(int(c.Host), int(gpu)) == nicID {
		return -1
	}
	return c.GPU
}

// nvlink occupies both GPUs' NVLink for b bytes and returns the start.
func (n *Net) nvlink(now unit.Time, h *host, from, to int32, b unit.Bytes) unit.Time {
	start := max(now, h.out[from].free, h.in[to].free)
	h.out[from].take(start, b, n.cfg.NVLink.Rate)
	h.in[to].take(start, b, n.cfg.NVLink.Rate)
	return start
}

// carry returns how long the first b bytes of a message take through the slowest pipe of the host
// path.
func (n *Net) carry(q *qp, b int64) unit.Duration {
	if q.fromGPU < 0 || n.cfg.PCIe.Rate == 0 {
		return 0
	}
	rate := n.cfg.PCIe.Rate
	if n.relay(q.from, q.fromGPU) >= 0 && n.cfg.NVLink.Rate > 0 {
		rate = min(rate, n.cfg.NVLink.Rate)
	}
	return rate.TransmitTime(unit.Bytes(b))
}

// schedule puts a queue pair into the state where it belongs: ready, waiting, blocked or idle. It
// is ready if it may send by the time the port is free.
func (n *Net) schedule(now, free unit.Time, id int32, q *qp) {
	if !q.snd.Ready() {
		q.state = idle
		return
	}
	seg := q.snd.Peek()
	m := q.msgAt(seg.Index)
	q.way = m.way
	q.hostAvail = m.way.nic.Add(n.carry(q, seg.Offset+int64(seg.Payload)))
	c := &n.nics[q.nic]
	if at := q.due(); at > free {
		q.state = waiting
		c.timed.push(timed{at, id})
		return
	}
	if n.windowFull(now, q) {
		q.state = blocked
		return
	}
	q.state = ready
	c.ready[q.class].add(int(q.number))
}

// due is when the next packet may go.
func (q *qp) due() unit.Time { return max(q.nextAvail, q.hostAvail) }

// stale reports whether an entry of a NIC's heap is from before a change of rate.
func (n *Net) stale(e timed) bool {
	q := &n.qps[e.qp]
	return q.state != waiting || q.due() != e.at
}

func (n *Net) windowFull(now unit.Time, q *qp) bool {
	if q.snd.Full(&n.cfg.Transport) && !q.snd.MustResend() {
		return true
	}
	w := q.ctl.Window(now)
	return w > 0 && q.snd.InFlight() >= w && !q.snd.MustResend()
}

// wake makes a NIC look for something to send: now if its port is free, else when it becomes free.
// If there is nothing, it arms its timer.
func (n *Net) wake(now unit.Time, id int32) { n.fab.Kick(now, n.nics[id].port) }

// arm schedules an idle NIC for the first queue pair in its heap.
func (n *Net) arm(now unit.Time, c *card, id int32) {
	for len(c.timed) > 0 && n.stale(c.timed[0]) {
		c.timed.pop()
	}
	if len(c.timed) > 0 && c.timed[0].at < c.wakeAt && c.timed[0].at > now {
		n.wakeAt(c.timed[0].at, c, id)
	}
}

// armShared schedules an idle NIC as the HPCC authors' simulator does. There is one timer. If it is
// not pending, it is set to the earliest time at which pacing allows any queue pair with something
// to send, even one whose window is full. If that time is over because a window is full, no timer
// is set: queue pairs that are paced for later wait until an acknowledgement or another event makes
// the NIC look again.
func (n *Net) armShared(now unit.Time, c *card, id int32) {
	if c.wakeAt != unit.Never {
		return
	}
	first := unit.Never
	for _, i := range c.qps {
		if q := &n.qps[i]; q.snd.Ready() && !q.dead {
			first = min(first, q.due())
		}
	}
	if first > now && first != unit.Never {
		n.wakeAt(first, c, id)
	}
}

func (n *Net) wakeAt(at unit.Time, c *card, id int32) {
	c.wakeAt = at
	n.eng.At(c.island, at, sendKey(id))
}
