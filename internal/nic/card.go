package nic

import (
	"railyard/internal/fabric"
	"railyard/internal/lists"
	"railyard/internal/sim"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// card is a port of a NIC: fabric.Source and fabric.Sink. A queue pair sends, and is answered, by one of
// the ports of its NIC at a time.
type card struct {
	wakeAt  unit.Time // pending classSend event
	net     *Net
	sim     *sim.Island
	isl     *island
	id      int32
	nic     topo.NICID
	host    int32
	port    topo.PortID
	cnpHeld uint8 // classes of which PFC holds CNPs back, and ACKs
	ackHeld uint8
	paused  uint8 // classes
	turn    int
	classes []uint8                    // with queue pairs
	ack     lists.Queue[fabric.Packet] // ACKs and NAKs to send
	cnp     lists.Queue[fabric.Packet]
	ready   [8]turns   // queue pairs that may send, by class; they are numbered as in qps
	timed   lists.Heap // queue pairs that may send later: keys of timed
	rtoAt   unit.Time  // pending classTimeout event
	qps     []int32    // of the NIC: of several ports each lists them all
	line    unit.Bitrate
	shared  *sharedTimer // nil: each queue pair has a timer
	inbox   inbox
}

func (c *card) init(n *Net, id int32, nic topo.NICID, port topo.PortID) {
	host := n.graph.NICs[nic].Host
	at := n.hosts.Island(host)
	*c = card{net: n, sim: at, isl: &n.islands[at.Index()], id: id, nic: nic, host: host, port: port,
		wakeAt: unit.Never, rtoAt: unit.Never, line: n.graph.Ports[port].Rate}
	if !n.cfg.AcksPass {
		c.cnpHeld, c.ackHeld = 1<<n.cfg.CNPClass, 1<<n.cfg.AckClass
	}
	if n.cfg.Quirks.SharedTimer {
		c.shared = newSharedTimer(n.cfg.Controller)
	}
}

// add notes a queue pair that sends from the NIC, by this port or another.
func (c *card) add(id int32, class uint8) {
	c.qps = append(c.qps, id)
	for _, cl := range c.classes {
		if cl == class {
			return
		}
	}
	c.classes = append(c.classes, class)
}

// kick makes a NIC look for something to send: now if its port is free, else when it becomes free.
// If there is nothing, it arms its timer.
func (c *card) kick(now unit.Time) { c.net.fab.Kick(c.sim, now, c.port) }

type (
	sendTimer    Net
	timeoutTimer Net
)

// Handle looks for something to send: a queue pair's time has come.
func (h *sendTimer) Handle(_ *sim.Island, now unit.Time, owner int32) {
	c := &h.cards[owner]
	if c.shared != nil && c.shared.wasCancelled(now) {
		return
	}
	if c.wakeAt > now {
		return // armed anew for later
	}
	c.wakeAt = unit.Never
	c.kick(now)
}

// Pull gives a NIC's port the next frame: CNPs, then acknowledgements, then the queue pairs of each
// class in turn.
func (c *card) Pull(isl *sim.Island, now unit.Time, _ fabric.PortID, paused uint8, pk *fabric.Packet) bool {
	if c.cnp.Len() > 0 && paused&c.cnpHeld == 0 {
		*pk = c.cnp.Pop()
		return true
	}
	if c.ack.Len() > 0 && paused&c.ackHeld == 0 {
		*pk = c.ack.Pop()
		if pk.AckReq() {
			c.net.fab.StartTrace(isl, now, c.port, pk)
		}
		return true
	}
	c.ripen(now)
	if c.shared != nil {
		c.reopen(now)
	}
	for i := range c.classes {
		k := c.turn + i
		if k >= len(c.classes) {
			k -= len(c.classes)
		}
		if cl := c.classes[k]; paused&(1<<cl) == 0 && c.serve(now, cl, pk) {
			if c.turn = k + 1; c.turn == len(c.classes) {
				c.turn = 0
			}
			return true
		}
	}
	if c.shared != nil {
		c.armShared(now)
	} else {
		c.arm(now)
	}
	return false
}

// ripen makes ready the queue pairs whose time has come.
func (c *card) ripen(now unit.Time) {
	for len(c.timed) > 0 && timedOf(c.timed[0]).at <= now {
		e := timedOf(c.timed.Pop())
		s := &c.net.senders[e.qp]
		if s.state != waiting || s.Due() > now || s.card != c {
			continue // the entry is from before a change of rate, or of the port
		}
		if s.lookAgain(now); s.Due() > now {
			c.timed.Push(timed{s.Due(), e.qp}.key())
			continue
		}
		s.state = ready
		c.ready[s.class].add(int(s.number))
	}
}

// serve takes a frame of the queue pair of a class whose turn it is; it reports false if none has
// one.
func (c *card) serve(now unit.Time, class uint8, pk *fabric.Packet) bool {
	for r := &c.ready[class]; r.n > 0; {
		i := r.take()
		if !c.net.senders[c.qps[i]].send(now, pk) {
			continue
		}
		r.last = i
		if c.shared != nil {
			c.swept(class, int32(i))
		}
		return true
	}
	return false
}

// arm schedules an idle NIC for the first queue pair in its heap.
func (c *card) arm(now unit.Time) {
	for len(c.timed) > 0 && c.stale(timedOf(c.timed[0])) {
		c.timed.Pop()
	}
	if len(c.timed) > 0 {
		if at := timedOf(c.timed[0]).at; at < c.wakeAt && at > now {
			c.wake(at)
		}
	}
}

// stale reports whether an entry of a NIC's heap is from before a change of rate, or of the port.
func (c *card) stale(e timed) bool {
	s := &c.net.senders[e.qp]
	return s.state != waiting || s.Due() != e.at || s.card != c
}

func (c *card) wake(at unit.Time) {
	c.wakeAt = at
	c.sim.At(at, sim.MakeKey(sim.Timer, classSend, c.id))
}

// expect has the NIC look at its queue pairs' deadlines when this one comes.
func (c *card) expect(deadline unit.Time) {
	if deadline < c.rtoAt {
		c.rtoAt = deadline
		c.sim.At(deadline, sim.MakeKey(sim.Timer, classTimeout, c.id))
	}
}

// Handle sends again what was not acknowledged in time. One timer serves all queue pairs of a NIC:
// deadlines only move later, so the timer may come too early.
func (h *timeoutTimer) Handle(_ *sim.Island, now unit.Time, owner int32) {
	c := &h.cards[owner]
	if c.rtoAt > now {
		return // armed anew
	}
	next := unit.Never
	for _, id := range c.qps {
		s := &h.senders[id]
		if s.card != c {
			continue
		}
		if s.Deadline() <= now && !s.Dead() {
			s.timedOut(now)
		}
		next = min(next, s.Deadline())
	}
	c.rtoAt = unit.Never
	c.expect(next)
	c.kick(now)
}

// Paused brings the ledgers of a NIC's queue pairs up to date before PFC stops or restarts one of
// its classes.
func (c *card) Paused(_ *sim.Island, now unit.Time, _ fabric.PortID, class uint8, on bool) {
	for _, id := range c.qps {
		if s := &c.net.senders[id]; s.class == class && s.state != idle && s.card == c {
			s.account(now)
		}
	}
	if on {
		c.paused |= 1 << class
	} else {
		c.paused &^= 1 << class
	}
}

// Deliver handles a frame that has reached a NIC.
func (c *card) Deliver(isl *sim.Island, now unit.Time, port fabric.PortID, pk *fabric.Packet) {
	n := c.net
	switch pk.Kind() {
	case fabric.Data:
		if n.cfg.Receive != nil && c.refuses(isl, now, pk) {
			return
		}
		n.receivers[pk.Flow].at = c
		n.receivers[pk.Flow].onData(isl, now, port, pk)
	case fabric.CNP:
		s := &n.senders[pk.Flow]
		s.notified(now)
		s.OnCNP(now, n.fab.Lead(port, unit.Bytes(pk.Bytes)))
		if n.cfg.OnEvent != nil {
			s.tellRate(now, fabric.CNP)
		}
	case fabric.CTS:
		n.senders[pk.Flow].onClear(now, pk.Count())
	case fabric.Credit:
		n.senders[pk.Flow].onCredit(now, pk)
	case fabric.CreditAck:
		n.receivers[pk.Flow].given.OnAnswer(int32(pk.PSN()), pk.Count())
	case fabric.CMRequest:
		n.receivers[pk.Flow].onRequest(now)
	case fabric.CMReply:
		n.senders[pk.Flow].onReply(now)
	case fabric.CMReady:
	case fabric.CMLeave:
		n.receivers[pk.Flow].onLeave(now)
	case fabric.CMLeft:
		n.senders[pk.Flow].setup.left = now
	default:
		n.senders[pk.Flow].onResponse(isl, now, port, pk)
	}
}
