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

// Deliver handles a frame that has reached a NIC.
func (n *Net) Deliver(isl *sim.Island, now unit.Time, port fabric.PortID, pk *fabric.Packet) {
	switch pk.Kind() {
	case fabric.Data:
		n.onData(isl, now, pk)
	case fabric.CNP:
		q := &n.qps[pk.Flow]
		q.notified()
		q.ctl.OnCNP(now, n.fab.Lead(port, unit.Bytes(pk.Bytes)))
	case fabric.CTS:
		n.onCTS(now, pk)
	case fabric.Credit:
		n.onCredit(now, pk)
	case fabric.CreditAck:
		n.onCreditAck(pk)
	default:
		n.onAck(isl, now, port, pk)
	}
}

func (n *Net) onData(isl *sim.Island, now unit.Time, pk *fabric.Packet) {
	e := &n.ends[pk.Flow]
	c := &n.nics[e.nic]
	if tr := n.fab.Trace(isl, pk); tr != nil {
		n.witness(tr, n.qps[pk.Flow].route)
	}
	sent := false
	if pk.Marked() {
		e.marks++
		n.marks++
		sent = n.notify(now, pk.Flow, e, c)
	}
	seq := e.rcv.Seq(pk.PSN())
	v := e.rcv.OnData(now, pk.PSN(), pk.Last() || pk.AckReq(), &n.cfg.Transport)
	if pk.Marked() && (v.Accept || v.Ack || v.Nak) {
		e.echo = true
	}
	if v.Accept {
		n.place(isl, now, pk, e, seq)
	}
	if v.Ack || v.Nak {
		n.acknowledge(isl, now, pk, e, c, v)
		sent = true
	}
	n.fab.TakeTrace(isl, pk)
	if sent {
		n.fab.Kick(isl, now, c.port)
	}
}

// acknowledge queues an ACK or NAK for a data packet; the packet's telemetry goes back with it.
func (n *Net) acknowledge(isl *sim.Island, now unit.Time, pk *fabric.Packet, e *endpoint, c *card, v roce.Verdict) {
	op := fabric.OpAck
	if v.Nak {
		op = fabric.OpNak
	}
	a := fabric.Make(op, pk.Flow, v.PSN, e.route, n.cfg.AckClass, n.cfg.Frames.ACK)
	a.SetSack(v.Sack)
	if e.echo && n.cfg.EchoMarks {
		a.SetEcho()
	}
	e.echo = false
	if n.cfg.Telemetry {
		n.fab.PassTrace(isl, pk, &a)
	} else if n.fab.Trace(isl, pk) != nil { // the way of the acknowledgement is traced too
		a.SetAckReq()
		a.SetQueued(now)
	}
	c.ack.push(a)
}

// notify is DCQCN's notification point: at most one CNP per flow and interval (SIGCOMM'15, section
// 3.1, figure 6).
func (n *Net) notify(now unit.Time, flow int32, e *endpoint, c *card) bool {
	if n.cfg.EchoMarks || n.cfg.NoCNPs || e.cnpSent && now.Sub(e.cnpAt) < n.cfg.CNPInterval {
		return false
	}
	e.cnpSent, e.cnpAt = true, now
	n.cnps++
	c.cnp.push(fabric.Make(fabric.OpCNP, flow, 0, e.route, n.cfg.CNPClass, n.cfg.Frames.CNP))
	return true
}

// place copies the bytes of an accepted packet to where its message wants them, and completes
// messages that are now whole, in the order of their posts.
func (n *Net) place(isl *sim.Island, now unit.Time, pk *fabric.Packet, e *endpoint, seq int64) {
	q := &n.qps[pk.Flow]
	i := int(e.done - q.popped)
	for q.snd.Message(i).Last() < seq {
		i++
	}
	m, rm := q.msgAt(i), q.snd.Message(i)
	off := (seq - rm.First) * int64(n.cfg.Transport.MTU)
	size := min(int64(n.cfg.Transport.MTU), int64(rm.Bytes)-off)
	if m.from != nil {
		lo, hi := carries(len(m.from), off, size, int64(rm.Bytes))
		copy(m.to[lo:hi], m.from[lo:hi])
	}
	tr := n.fab.Trace(isl, pk)
	if tr != nil && seq == rm.First && seq < rm.Last() {
		m.noteFirst(tr)
	}
	crossed, placed := n.toMemory(now, q, e, unit.Bytes(size))
	for {
		i := int(e.done - q.popped)
		if i >= q.n || q.snd.Message(i).Last() >= e.rcv.Expected() {
			return
		}
		m := q.msgAt(i)
		e.done++
		m.flow.Placed, m.pcie = placed, crossed
		m.flow.Marks = e.marks - e.marks0
		e.marks0 = e.marks
		n.weigh(q, m, tr)
		n.explain(now, q, m, tr)
		if q.conn >= 0 {
			n.received(q.conn, m, n.segments)
		}
	}
}

// carries returns which bytes of a message of so many lie in size bytes from off of the total that
// its protocol makes of it.
func carries(bytes int, off, size, total int64) (lo, hi int64) {
	if total == int64(bytes) {
		return off, off + size
	}
	data := unit.Ratio{Num: int64(bytes), Den: total}
	return data.Of(off), data.Of(off + size)
}

// toMemory carries a packet's payload from the NIC into a GPU's memory. It returns when the payload
// has crossed PCIe, and when it is in memory.
func (n *Net) toMemory(now unit.Time, q *qp, e *endpoint, size unit.Bytes) (crossed, placed unit.Time) {
	if q.toGPU < 0 {
		return now, now
	}
	card := &n.nics[e.nic]
	crossed = card.up.take(now, size, n.cfg.PCIe.Rate)
	if n.hosts[card.host].copying {
		gpu := q.toGPU
		if by := n.relay(topo.NICID(e.nic), gpu); by >= 0 {
			gpu = by
		}
		if c := n.hosts[card.host].copies[gpu]; c != nil {
			crossed = c.beside(now, crossed, topo.NICID(e.nic), size)
		}
	}
	crossed = crossed.Add(n.cfg.PCIe.Latency)
	if len(e.relay) == 0 {
		return crossed, crossed
	}
	// It takes its share of NVLink as of now, and the bytes come when they have crossed PCIe. What
	// comes later does not hold it up.
	past := now
	for _, f := range e.relay {
		past = max(past, f.link.ifAllStay(now, f.link.add(now, f.flow, size)+mark(size)*markByte))
	}
	return crossed, crossed.Add(past.Sub(now)).Add(n.cfg.NVLink.Latency)
}

// explain splits a message's time into the sender's ledger until the packet that completed it left,
// that packet's way, and the host path after it. With reordering, that packet may have left before
// the message was posted: then only the time after the post counts.
func (n *Net) explain(now unit.Time, q *qp, m *message, tr *fabric.Trace) {
	start := tr.Hops[0].Start
	m.flow.Split = cause.Split{}
	n.segments = n.segments[:0]
	if start >= m.flow.Posted {
		m.flow.Split = m.sender(tr.Sender)
		if q.log {
			n.segments = m.segments(n.segments, start)
		}
	}
	m.flow.Hops = append(m.flow.Hops[:0], HopWait{Port: tr.Hops[0].Port, Queueing: m.flow.Split[cause.Queueing],
		Pause: m.flow.Split[cause.Pause], Root: tr.Hops[0].Root})
	n.parts = n.fab.Parts(n.parts[:0], tr)
	from := max(start, m.flow.Posted)
	add := func(until unit.Time, c cause.Cause, at, root topo.PortID) {
		if until <= from {
			return
		}
		m.flow.Split[c] += until.Sub(from)
		m.flow.wait(c, at, root, false, until.Sub(from))
		from = until
		if q.log {
			if c == cause.Pause {
				at = root
			}
			n.segments = append(n.segments, exec.Segment{Until: until, Cause: c, At: int32(at)})
		}
	}
	for _, p := range n.parts {
		add(p.Until, p.Cause, p.Port, p.Root)
	}
	m.accepted = now
	add(m.pcie, cause.PCIe, -1, -1)
	add(m.flow.Placed, cause.NVLink, -1, -1)
}

// wait notes the cause of a span at a port.
func (f *Flow) wait(c cause.Cause, at, root topo.PortID, back bool, d unit.Duration) {
	if at < 0 {
		return
	}
	h := &f.Hops[len(f.Hops)-1]
	if h.Port != at || h.Back != back {
		f.Hops = append(f.Hops, HopWait{Port: at, Back: back, Root: -1})
		h = &f.Hops[len(f.Hops)-1]
	}
	switch c {
	case cause.Pause:
		h.Pause += d
		h.Root = root
	case cause.OwnQueueing:
		h.Own += d
	case cause.Queueing:
		h.Queueing += d
	case cause.Serialisation:
		h.Wire += d
	case cause.Propagation:
		h.Cable += d
	}
}

func (n *Net) onAck(isl *sim.Island, now unit.Time, port fabric.PortID, pk *fabric.Packet) {
	q := &n.qps[pk.Flow]
	tr := n.fab.TakeTrace(isl, pk)
	if q.dead {
		return
	}
	if n.answer = nil; tr != nil && !n.cfg.Telemetry {
		n.witness(tr, n.ends[pk.Flow].route)
		n.answer = tr
	}
	n.account(q, now)
	n.acked, n.ackedAt = pk.Flow, now
	una := q.snd.Una()
	var bytes unit.Bytes
	if pk.Kind() == fabric.Nak {
		known := q.snd.Recovery()
		if n.cfg.Transport.Selective {
			bytes = q.snd.OnSack(roce.Expand16(pk.PSN(), q.snd.Una()), pk.Sack(), n.doneFn)
		} else {
			bytes = q.snd.OnNak(pk.PSN(), n.doneFn)
		}
		// Every packet behind a gap is answered with a selective NAK: all NAKs of one recovery are
		// one loss.
		if r := q.snd.Recovery(); !n.cfg.Transport.Selective || r >= 0 && r != known {
			q.probes.clear()
			q.owed = false
			n.timeOut(now, &n.nics[q.nic], q)
			q.ctl.OnLoss(now)
		}
	} else {
		bytes = q.snd.OnAck(pk.PSN(), n.doneFn)
	}
	q.owed = q.owed && q.snd.Una() == una
	if at, ok := q.probes.answered(q.snd.Una()); ok {
		q.rtt = now.Sub(at)
	}
	if pk.Echo() {
		q.notified()
	}
	n.news = cc.Ack{Now: now, Bytes: bytes, RTT: q.rtt, Seq: q.snd.Acked(), NextSeq: q.snd.Sent(),
		Marked: pk.Echo(), Hops: n.telemetry(tr),
		Lead: n.fab.Lead(port, unit.Bytes(pk.Bytes))}
	q.ctl.OnAck(&n.news)
	if n.cfg.Repace && n.news.Paced {
		n.repace(now, pk.Flow, q)
	}
	if q.snd.Una() > una {
		q.deadline = unit.Never
		if q.snd.Outstanding() {
			n.timeOut(now, &n.nics[q.nic], q)
		}
	}
	freed := q.state == idle || q.state == blocked
	if freed {
		n.schedule(now, now, pk.Flow, q)
		freed = q.state != idle && q.state != blocked
	}
	if freed || n.cfg.SharedTimer {
		n.wake(now, q.nic)
	}
}

// telemetry returns what the switches wrote into the data packet that an acknowledgement answers.
func (n *Net) telemetry(tr *fabric.Trace) []cc.Hop {
	if tr == nil || !n.cfg.Telemetry {
		return nil
	}
	n.hops = n.hops[:0]
	for i := 1; i < tr.N; i++ {
		h := &tr.Hops[i]
		n.hops = append(n.hops, cc.Hop{Queue: h.Queue, TxBytes: h.TxBytes, Time: h.Start,
			Rate: n.graph.Ports[h.Port].Rate})
	}
	return n.hops
}

// notified counts a congestion notification for the message that is being sent, or that was sent
// last.
func (q *qp) notified() {
	if q.n > 0 {
		q.msgAt(min(q.snd.Sending(), q.n-1)).flow.CNPs++
	}
}

// messageAcked removes the oldest message of queue pair n.acked.
func (n *Net) messageAcked(rm *roce.Message) {
	q := &n.qps[n.acked]
	m := q.msgAt(0)
	m.flow.LastPSN = uint32(rm.Last()) & roce.PSNMask
	m.flow.Acked = n.ackedAt
	n.wayBack(q, m)
	if n.flowDone != nil {
		m.flow.Message = nil
		if q.conn >= 0 {
			m.flow.Message = &m.msg
		}
		n.flowDone(n.nics[q.nic].island, &m.flow)
	}
	if q.conn >= 0 {
		n.sent(q.conn, m, n.ackedAt)
	}
	m.from, m.to = nil, nil
	if q.conn >= 0 && n.conns[q.conn].job.admission.Slots > 0 {
		n.expectClear(n.ackedAt, q.conn, uint32(q.popped+1))
	}
	q.head = (q.head + 1) & (len(q.msgs) - 1)
	q.n--
	q.popped++
	if n.cfg.SharedTimer && q.n == 0 {
		n.nics[q.nic].rings[q.class].done++
	}
}

// Unfinished calls f for every message that was posted and not acknowledged when the run ended.
func (n *Net) Unfinished(f func(*Flow)) {
	for i := range n.qps {
		q := &n.qps[i]
		for k := range q.n {
			m := q.msgAt(k)
			m.flow.Message = nil
			if q.conn >= 0 {
				m.flow.Message = &m.msg
			}
			m.flow.Failed = q.dead
			m.flow.LastPSN = uint32(q.snd.Message(k).Last()) & roce.PSNMask
			f(&m.flow)
		}
	}
}
