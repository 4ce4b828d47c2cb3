package nic

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/sim"
	"railyard/internal/net/topo"
)

// card is a port of a NIC: fabric.Source and fabric.Sink. A queue pair sends, and is answered, by one of
// the ports of its NIC at a time.
type card struct {
	wakeAt unit.Time // pending classSend event
	net    *Net
	sim    *sim.Island
	isl    *island
	id     int32
	nic    topo.NICID
	host   int32
	port   topo.PortID
	paused uint8 // classes
	// out says what goes first. Those that are ready it knows by their place in qps, those that wait by queue pair.
	out    roce.Egress[fabric.Packet]
	rtoAt  unit.Time // pending classTimeout event
	qps    []int32   // of the NIC: of several ports each lists them all
	line   unit.Bitrate
	shared *sharedTimer // nil: each queue pair has a timer
	inbox  inbox
}

func (c *card) init(n *Net, id int32, nic topo.NICID, port topo.PortID) {
	host := n.graph.NICs[nic].Host
	at := n.hosts.Island(host)
	*c = card{net: n, sim: at, isl: &n.islands[at.Index()], id: id, nic: nic, host: host, port: port,
		wakeAt: unit.Never, rtoAt: unit.Never, line: n.graph.Ports[port].Rate}
	if !n.cfg.AcksPass {
		c.out.Hold(n.cfg.CNPClass, n.cfg.AckClass)
	}
	if n.cfg.Quirks.SharedTimer {
		c.shared = newSharedTimer(n.cfg.Controller)
	}
}

// add notes a queue pair that sends from the NIC, by this port or another.
func (c *card) add(id int32, class uint8) {
	c.qps = append(c.qps, id)
	c.out.AddClass(class)
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
	if c.out.Answer(paused, pk) {
		if pk.AckReq() { // of an acknowledgement: see receiver.acknowledge
			c.net.fab.StartTrace(isl, now, c.port, pk)
		}
		return true
	}
	c.ripen(now)
	if c.shared != nil {
		c.reopen(now)
	}
	for i := range c.out.Classes() {
		if cl := c.out.Class(i); paused&(1<<cl) == 0 && c.serve(now, cl, pk) {
			c.out.Served(i)
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
	for c.out.Waiting() {
		at, qp := c.out.First()
		if at > now {
			return
		}
		c.out.Drop()
		s := &c.net.senders[qp]
		if s.state != waiting || s.Due() > now || s.card != c {
			continue // the entry is from before a change of rate, or of the port
		}
		if s.lookAgain(now); s.Due() > now {
			c.out.Wait(s.Due(), qp)
			continue
		}
		s.state = ready
		c.out.Ready[s.class].Add(int(s.number))
	}
}

// serve takes a frame of the queue pair of a class whose turn it is; it reports false if none has
// one.
func (c *card) serve(now unit.Time, class uint8, pk *fabric.Packet) bool {
	for r := &c.out.Ready[class]; r.Len() > 0; {
		i := r.Take()
		if !c.net.senders[c.qps[i]].send(now, pk) {
			continue
		}
		r.Served(i)
		if c.shared != nil {
			c.swept(class, int32(i))
		}
		return true
	}
	return false
}

// arm schedules an idle NIC for the first queue pair in its heap.
func (c *card) arm(now unit.Time) {
	for c.out.Waiting() {
		at, qp := c.out.First()
		if c.stale(at, qp) {
			c.out.Drop()
			continue
		}
		if at < c.wakeAt && at > now {
			c.wake(at)
		}
		return
	}
}

// stale reports whether a queue pair that waits until a time does so from before a change of rate, or of the port.
func (c *card) stale(at unit.Time, qp int32) bool {
	s := &c.net.senders[qp]
	return s.state != waiting || s.Due() != at || s.card != c
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
	switch kind := pk.Kind(); {
	case kind == fabric.Data:
		if n.cfg.Receive != nil && c.refuses(isl, now, pk) {
			return
		}
		n.receivers[pk.Flow].at = c
		n.receivers[pk.Flow].onData(isl, now, port, pk)
	case kind == fabric.Ack || kind == fabric.Nak:
		n.senders[pk.Flow].onResponse(isl, now, port, pk)
	case kind.Forward():
		n.receivers[pk.Flow].onControl(now, pk)
	default:
		n.senders[pk.Flow].onControl(now, port, pk)
	}
}
