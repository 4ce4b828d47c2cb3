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

	feeds     []feed  // the host path from its GPU, PCIe last; none from the NIC itself
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
	starts   [3]mark         // before its first byte, by feed of the queue pair
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
	slowest           cause.Cause // the link that the next packet's bytes are past last
}

// endpoint is the receiving half of a queue pair.
type endpoint struct {
	rcv     roce.Receiver
	nic     int32
	route   fabric.Route // back to the sender
	relay   []feed       // NVLink from the GPU at the NIC, if its memory is another's
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
	// Stream names the stream of random numbers of its timeouts: with the number of the queue pair
	// among those of its job, these do not depend on what else runs.
	Stream uint64
}

// AddQP adds a queue pair; all are added before Build.
func (n *Net) AddQP(q QueuePair) int32 {
	id := int32(len(n.qps))
	c := &n.nics[q.From]
	n.qps = append(n.qps, qp{nic: int32(q.From), number: int32(len(c.qps)), class: q.Class, line: c.line,
		route: n.fab.AddRoute(q.Path), from: q.From, to: q.To,
		fromGPU: q.FromGPU, toGPU: q.ToGPU, name: q.Name, conn: -1, log: q.Log, deadline: unit.Never,
		rng: sim.NewStream(n.cfg.Seed, "timeout", q.Stream)})
	n.qps[id].snd.Init(n.cfg.Transport.MTU)
	n.qps[id].hopsBack = len(q.Back)
	n.positions += len(q.Path) + len(q.Back)
	n.ends = append(n.ends, endpoint{nic: int32(q.To), route: n.fab.AddRoute(q.Back)})
	if q.FromGPU >= 0 {
		s := &n.qps[id]
		s.feeds = append(n.nvlink(q.From, q.FromGPU, true), newFeed(&c.down))
	}
	if q.ToGPU >= 0 {
		n.ends[id].relay = n.nvlink(q.To, q.ToGPU, false)
	}
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
	n.hostPath(now, q, m, b)
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

// hostPath sets a message's bytes out on the links from a GPU to a NIC.
func (n *Net) hostPath(now unit.Time, q *qp, m *message, b unit.Bytes) {
	w := &m.way
	*w = hostWay{nvlink: now, pcie: now, slowest: cause.NIC}
	for i, f := range q.feeds {
		m.starts[i] = f.link.add(now, f.flow, b)
	}
	if len(q.feeds) > 1 {
		w.nvlink = now.Add(n.cfg.NVLink.Latency)
	}
	if len(q.feeds) > 0 {
		w.pcie = w.nvlink.Add(n.cfg.PCIe.Latency)
	}
	w.nic = w.pcie.Add(n.cfg.Latency)
}

// atNIC finds out when the next packet's bytes, which end at an offset of a message, are at the
// NIC, as far as that is known now: they may come later, and never before. The links carry them at
// the same time, and then come the latencies.
func (n *Net) atNIC(now unit.Time, q *qp, m *message, offset int64) {
	q.way = m.way
	q.hostAvail = m.way.nic
	latency := m.way.nic.Sub(m.flow.Posted)
	for i, f := range q.feeds {
		at := f.link.past(now, m.starts[i]+mark(offset)*markByte).Add(latency)
		if f.link.rate > 0 && at >= q.hostAvail {
			q.hostAvail = at
			q.way.slowest = cause.NVLink
			if i == len(q.feeds)-1 {
				q.way.slowest = cause.PCIe
			}
		}
	}
}

// lookAgain is atNIC for the packet that is next anyway.
func (n *Net) lookAgain(now unit.Time, q *qp) {
	if len(q.feeds) > 0 && q.snd.Ready() {
		seg := q.snd.Peek()
		n.atNIC(now, q, q.msgAt(seg.Index), seg.Offset+int64(seg.Payload))
	}
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

// nvlink returns flows on NVLink from a GPU to the one through which it reaches a NIC, or back;
// none if the NIC is its own.
func (n *Net) nvlink(nicID topo.NICID, gpu int32, out bool) []feed {
	by := n.relay(nicID, gpu)
	if by < 0 {
		return nil
	}
	h := &n.hosts[n.nics[nicID].host]
	if !out {
		gpu, by = by, gpu
	}
	return []feed{newFeed(&h.out[gpu]), newFeed(&h.in[by])}
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
	n.atNIC(now, q, m, seg.Offset+int64(seg.Payload))
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
func (n *Net) wake(now unit.Time, id int32) {
	n.fab.Kick(n.eng.Island(n.nics[id].island), now, n.nics[id].port)
}

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
