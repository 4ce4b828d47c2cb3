package nic

import (
	"fmt"
	"slices"

	"railyard/internal/cause"
	"railyard/internal/fabric"
	"railyard/internal/sim"
	"railyard/internal/unit"
)

type (
	sendTimer    Net
	timeoutTimer Net
)

func sendKey(nic int32) sim.Key { return sim.MakeKey(sim.Timer, classSend, nic) }

// Handle looks for something to send: a queue pair's time has come.
func (h *sendTimer) Handle(isl *sim.Island, now unit.Time, owner int32) {
	n := (*Net)(h)
	c := &n.nics[owner]
	if i := slices.Index(c.cancelled, now); i >= 0 {
		c.cancelled = slices.Delete(c.cancelled, i, i+1)
		return // it was scheduled before any that is meant
	}
	if c.wakeAt > now {
		return // armed anew for later
	}
	c.wakeAt = unit.Never
	n.fab.Kick(isl, now, c.port)
}

// Pull gives a NIC's port the next frame: CNPs, then acknowledgements, then the queue pairs of each
// class in turn.
func (n *Net) Pull(isl *sim.Island, now unit.Time, port fabric.PortID, paused uint8, pk *fabric.Packet) bool {
	id := n.nicOf[port]
	c := &n.nics[id]
	held := paused
	if n.cfg.AcksPass {
		held = 0
	}
	if c.cnp.n > 0 && held&(1<<n.cfg.CNPClass) == 0 {
		*pk = c.cnp.pop()
		return true
	}
	if c.ack.n > 0 && held&(1<<n.cfg.AckClass) == 0 {
		*pk = c.ack.pop()
		if pk.AckReq() {
			n.fab.StartTrace(isl, now, port, pk)
		}
		return true
	}
	for len(c.timed) > 0 && c.timed[0].at <= now {
		e := c.timed.pop()
		q := &n.qps[e.qp]
		if q.state != waiting || q.due() > now {
			continue // the entry is from before a change of rate
		}
		if n.lookAgain(now, q); q.due() > now {
			c.timed.push(timed{q.due(), e.qp})
			continue
		}
		q.state = ready
		c.ready[q.class].add(int(q.number))
	}
	if n.reopens {
		n.reopen(now, c)
	}
	for i := range c.classes {
		k := c.turn + i
		if k >= len(c.classes) {
			k -= len(c.classes)
		}
		cl := c.classes[k]
		if paused&(1<<cl) != 0 {
			continue
		}
		for c.ready[cl].n > 0 {
			if i := c.ready[cl].take(); n.sendFrom(isl, now, c, c.qps[i], pk) {
				c.ready[cl].last = i
				if n.cfg.SharedTimer {
					n.swept(c, cl, int32(i))
				}
				c.turn = k + 1
				if c.turn == len(c.classes) {
					c.turn = 0
				}
				return true
			}
		}
	}
	if n.cfg.SharedTimer {
		for _, cl := range c.classes {
			n.swept(c, cl, -1)
			c.ready[cl].last = c.rings[cl].before()
		}
		n.armShared(now, c, id)
	} else {
		n.arm(now, c, id)
	}
	return false
}

// reopen looks again at the queue pairs whose windows were full.
func (n *Net) reopen(now unit.Time, c *card) {
	for _, id := range c.qps {
		if q := &n.qps[id]; q.state == blocked && !n.windowFull(now, q) {
			n.account(q, now)
			n.schedule(now, now, id, q)
		}
	}
}

// swept tells a NIC's ring which queue pair is served, -1: none.
func (n *Net) swept(c *card, class uint8, number int32) {
	c.rings[class].served(number, func(i int32) bool { return n.qps[c.qps[i]].n == 0 })
}

// opcode returns that of a packet of a message, whose last packet has immediate data.
func opcode(first, last bool) fabric.Opcode {
	switch {
	case first && last:
		return fabric.WriteOnlyImm
	case first:
		return fabric.WriteFirst
	case last:
		return fabric.WriteLastImm
	}
	return fabric.WriteMiddle
}

// sendFrom takes the next packet of a ready queue pair. It may find that the queue pair has none,
// or may not send it now.
func (n *Net) sendFrom(isl *sim.Island, now unit.Time, c *card, id int32, pk *fabric.Packet) bool {
	q := &n.qps[id]
	n.lookAgain(now, q)
	n.account(q, now)
	if !q.snd.Ready() {
		q.state = idle
		return false
	}
	if n.windowFull(now, q) {
		q.state = blocked
		return false
	}
	if q.due() > now { // repaced while it waited for the port, or others took a share of the host path
		q.state = waiting
		c.timed.push(timed{q.due(), id})
		return false
	}
	seg := q.snd.Next()
	bytes := n.cfg.Frames.DataFrame(seg.Payload, seg.First, seg.Last)
	*pk = fabric.Make(opcode(seg.First, seg.Last), id, seg.PSN, q.route, q.class, bytes)
	// The rate limiter spaces the starts of packets.
	tx, gap := n.fab.Spacing(c.port, bytes, q.ctl.Rate(now))
	free := now.Add(tx)
	q.nextAvail, q.lastStart, q.lastBytes = now.Add(max(tx, gap)), now, bytes
	q.txCause = cause.Serialisation
	if seg.Again {
		q.txCause = cause.Retransmission
		q.msgAt(seg.Index).flow.Retransmits++
		n.retransmits++
	}
	if seg.Offset == 0 && !seg.Again {
		m := q.msgAt(seg.Index)
		m.begun, m.ahead = now, q.ledgerAt(now)[cause.Serialisation]
	}
	q.add(q.txCause, -1, free)
	q.ctl.OnSent(now, bytes)
	if seg.Last && q.log && !seg.Again {
		q.remember(now, q.msgAt(seg.Index))
	}
	// The packet that completes a message is its last; with selective repeat it may be any packet.
	// The first packet and some between show what the queue pair meets on its way.
	if seg.Last || n.cfg.Transport.Selective || n.cfg.Telemetry || seg.Offset == 0 || seg.Seq%probeEvery == 0 {
		tr := n.fab.StartTrace(isl, now, c.port, pk)
		if seg.Last || n.cfg.Transport.Selective {
			tr.Sender = q.ledgerAt(now)
			tr.Hops[0].Root = q.pauseRoot(q.msgAt(seg.Index))
		}
	}
	if seg.Again && n.cfg.Transport.Selective {
		pk.SetAckReq()
	}
	// A packet starts the timer again until an acknowledgement is owed. So a paced sender with
	// coalesced acknowledgements does not time out, but one that is never answered does, however
	// much it has left to send (IBTA vol. 1, 9.7.6.1.3).
	if !q.owed {
		n.timeOut(now, c, q)
		q.owed = seg.Last || q.snd.Unacked() >= int64(n.cfg.Transport.AckEvery)
	}
	if n.timesRTT && !seg.Again && n.asksAck(q, &seg) {
		q.probes.push(probe{seg.Seq, now})
	}
	n.schedule(now, free, id, q)
	return true
}

// repace moves the start of a queue pair's next packet to where the present rate puts it.
func (n *Net) repace(now unit.Time, id int32, q *qp) {
	if q.lastBytes == 0 {
		return
	}
	c := &n.nics[q.nic]
	tx, gap := n.fab.Spacing(c.port, q.lastBytes, q.ctl.Rate(now))
	at := q.lastStart.Add(max(tx, gap))
	if n.cfg.SharedTimer && c.wakeAt != unit.Never && at < c.wakeAt {
		c.cancelled = append(c.cancelled, c.wakeAt)
		n.wakeAt(max(at, now), c, q.nic)
	}
	if at == q.nextAvail {
		return
	}
	q.nextAvail = at
	if q.state == waiting {
		c.timed.push(timed{q.due(), id})
		n.wake(now, q.nic)
	}
}

// timeOut starts the retransmission timer of a queue pair again.
func (n *Net) timeOut(now unit.Time, c *card, q *qp) {
	if n.cfg.Transport.Timeout == 0 {
		return
	}
	q.deadline = now.Add(n.timeout(q))
	if q.deadline < c.rtoAt {
		c.rtoAt = q.deadline
		n.eng.At(c.island, c.rtoAt, sim.MakeKey(sim.Timer, classTimeout, q.nic))
	}
}

// timeout is the retransmission timeout. After the first in a row it is drawn from one to two times
// the configured value, so that queue pairs that time out together do not collide again; InfiniBand
// allows up to four times (9.9.2.1.2).
func (n *Net) timeout(q *qp) unit.Duration {
	t := q.snd.TimeoutOf(&n.cfg.Transport)
	if q.snd.Retries() == 0 {
		return t
	}
	return t + unit.Duration(q.rng.Below(uint64(t)))
}

// Handle sends again what was not acknowledged in time. One timer serves all queue pairs of a NIC:
// deadlines only move later, so the timer may come too early.
func (h *timeoutTimer) Handle(isl *sim.Island, now unit.Time, owner int32) {
	n := (*Net)(h)
	c := &n.nics[owner]
	if c.rtoAt > now {
		return // armed anew
	}
	next := unit.Never
	for _, id := range c.qps {
		q := &n.qps[id]
		if q.deadline <= now && !q.dead {
			n.timedOut(now, id, q)
		}
		next = min(next, q.deadline)
	}
	c.rtoAt = next
	if next != unit.Never {
		n.eng.At(c.island, next, sim.MakeKey(sim.Timer, classTimeout, owner))
	}
	n.wake(now, owner)
}

func (n *Net) timedOut(now unit.Time, id int32, q *qp) {
	n.account(q, now)
	if !q.snd.Outstanding() {
		q.deadline = unit.Never
		return
	}
	q.timedOut = now
	if n.cfg.OnTimeout != nil {
		n.cfg.OnTimeout(n.nics[q.nic].island, now, id, q.snd.Una())
	}
	if q.snd.OnTimeout(&n.cfg.Transport) {
		q.dead = true
		q.deadline = unit.Never
		q.state = idle
		n.queuePairFailed(now, id)
		return
	}
	q.deadline = now.Add(n.timeout(q))
	q.owed = false
	q.probes.clear()
	q.ctl.OnLoss(now)
	if q.state == idle || q.state == blocked {
		n.schedule(now, now, id, q)
	}
}

func (n *Net) queuePairFailed(now unit.Time, id int32) {
	q := &n.qps[id]
	tried := ""
	switch retries := n.cfg.Transport.Retries; {
	case retries == 1:
		tried = ", nor after a retry"
	case retries > 1:
		tried = fmt.Sprintf(", nor after %d retries", retries)
	}
	n.fail(now, id, "queue pair %s failed at %s: no acknowledgement within %s%s", q.name, now.Human(),
		q.snd.TimeoutOf(&n.cfg.Transport).Human(), tried)
}

// Paused brings the ledgers of a NIC's queue pairs up to date before PFC stops or restarts one of
// its classes.
func (n *Net) Paused(_ *sim.Island, now unit.Time, port fabric.PortID, class uint8, on bool) {
	c := &n.nics[n.nicOf[port]]
	for _, id := range c.qps {
		if q := &n.qps[id]; q.class == class && q.state != idle {
			n.account(q, now)
		}
	}
	if on {
		c.paused |= 1 << class
	} else {
		c.paused &^= 1 << class
	}
}
