package nic

import (
	"railyard/internal/cause"
	"railyard/internal/cc"
	"railyard/internal/exec"
	"railyard/internal/fabric"
	"railyard/internal/roce"
	"railyard/internal/unit"
)

// Deliver handles a frame that has reached a NIC.
func (n *Net) Deliver(now unit.Time, port fabric.PortID, pk *fabric.Packet) {
	switch pk.Kind() {
	case fabric.Data:
		n.onData(now, pk)
	case fabric.CNP:
		q := &n.qps[pk.Flow]
		q.cnps++
		q.ctl.OnCNP(now)
	default:
		n.onAck(now, pk)
	}
}

func (n *Net) onData(now unit.Time, pk *fabric.Packet) {
	e := &n.ends[pk.Flow]
	c := &n.nics[e.nic]
	tr := n.fab.TakeTrace(pk)
	sent := false
	if pk.Marked() {
		e.marks++
		n.marks++
		e.echo = true
		sent = n.notify(now, pk.Flow, e, c)
	}
	seq := e.rcv.Expected()
	v := e.rcv.OnData(now, pk.Seq, pk.Last(), &n.cfg.Transport)
	if v.Accept {
		n.place(now, pk, e, seq, tr)
	}
	if v.Ack || v.Nak {
		kind := fabric.Ack
		if v.Nak {
			kind = fabric.Nak
		}
		a := fabric.Make(kind, pk.Flow, v.PSN, e.route, n.cfg.AckClass, n.cfg.Frames.ACK)
		if e.echo && n.cfg.EchoMarks {
			a.SetEcho()
		}
		e.echo = false
		c.ack.push(a)
		sent = true
	}
	if sent {
		n.fab.Kick(now, c.port)
	}
}

// notify is DCQCN's notification point: at most one CNP per flow and interval (SIGCOMM'15, section 3.1, figure 6).
func (n *Net) notify(now unit.Time, flow int32, e *endpoint, c *card) bool {
	if n.cfg.EchoMarks || e.cnpSent && now.Sub(e.cnpAt) < n.cfg.CNPInterval {
		return false
	}
	e.cnpSent, e.cnpAt = true, now
	n.cnps++
	c.cnp.push(fabric.Make(fabric.CNP, flow, 0, e.route, n.cfg.CNPClass, n.cfg.Frames.CNP))
	return true
}

// place copies the bytes of an accepted packet to where its message wants them, and completes the message with its last packet.
func (n *Net) place(now unit.Time, pk *fabric.Packet, e *endpoint, seq int64, tr *fabric.Trace) {
	q := &n.qps[pk.Flow]
	i := int(e.done - q.popped)
	m, rm := q.msgAt(i), q.snd.Message(i)
	off := (seq - rm.First) * int64(n.cfg.Transport.MTU)
	size := min(int64(n.cfg.Transport.MTU), int64(rm.Bytes)-off)
	if m.from != nil {
		copy(m.to[off:off+size], m.from[off:off+size])
	}
	placed := n.toMemory(now, q, e, unit.Bytes(size))
	if seq != rm.Last() {
		return
	}
	e.done++
	m.flow.Placed = placed
	m.flow.Marks = e.marks - e.marks0
	e.marks0 = e.marks
	n.explain(now, q, m, tr)
	if q.conn >= 0 {
		n.received(q.conn, m, n.segments)
	}
}

// toMemory carries a packet's payload from the NIC into a GPU's memory and returns when it is there.
func (n *Net) toMemory(now unit.Time, q *qp, e *endpoint, size unit.Bytes) unit.Time {
	if q.toGPU < 0 {
		return now
	}
	c := &n.nics[e.nic]
	c.up.take(now, size, n.cfg.PCIe.Rate)
	at := max(now, c.up.free).Add(n.cfg.PCIe.Latency)
	if gpu := n.relay(q.to, q.toGPU); gpu >= 0 {
		at = n.nvlink(at, &n.hosts[c.host], gpu, q.toGPU, size).Add(n.cfg.NVLink.Latency)
		if n.cfg.NVLink.Rate > 0 {
			at = at.Add(n.cfg.NVLink.Rate.TransmitTime(size))
		}
	}
	return at
}

// explain splits a message's time: the sender's ledger until its last packet left, that packet's way, the host path after it.
func (n *Net) explain(now unit.Time, q *qp, m *message, tr *fabric.Trace) {
	m.flow.Split = tr.Sender
	start := tr.Hops[0].Start
	n.parts = n.fab.Parts(n.parts[:0], tr)
	if q.log {
		n.segments = q.segmentsOf(n.segments[:0], m.flow.Posted, start, tr.Sender)
	}
	from := start
	for _, p := range n.parts {
		m.flow.Split[p.Cause] += p.Until.Sub(from)
		from = p.Until
		if q.log {
			n.segments = append(n.segments, exec.Segment{Until: p.Until, Cause: p.Cause})
		}
	}
	m.flow.Split[cause.HostPath] += m.flow.Placed.Sub(now)
	if q.log && m.flow.Placed > now {
		n.segments = append(n.segments, exec.Segment{Until: m.flow.Placed, Cause: cause.HostPath})
	}
}

func (n *Net) onAck(now unit.Time, pk *fabric.Packet) {
	q := &n.qps[pk.Flow]
	if q.dead {
		return
	}
	n.account(q, now)
	n.acked, n.ackedAt = pk.Flow, now
	var bytes unit.Bytes
	if pk.Kind() == fabric.Nak {
		bytes = q.snd.OnNak(pk.Seq, n.doneFn)
		q.probeSeq = -1
		q.ctl.OnLoss(now)
	} else {
		bytes = q.snd.OnAck(pk.Seq, n.doneFn)
	}
	if q.probeSeq >= 0 && q.snd.Una() > q.probeSeq {
		q.rtt = now.Sub(q.probeAt)
		q.probeSeq = -1
	}
	if pk.Echo() {
		q.cnps++
	}
	q.ctl.OnAck(&cc.Ack{Now: now, Bytes: bytes, RTT: q.rtt, Seq: q.snd.Acked(), NextSeq: q.snd.Sent(), Marked: pk.Echo()})
	if bytes > 0 {
		q.deadline = unit.Never
		if q.snd.Outstanding() {
			n.timeOut(now, &n.nics[q.nic], q)
		}
	}
	if q.state == idle || q.state == blocked {
		n.schedule(now, now, pk.Flow, q)
		if q.state != idle && q.state != blocked {
			n.wake(now, q.nic)
		}
	}
}

// messageAcked retires the oldest message of queue pair n.acked.
func (n *Net) messageAcked(*roce.Message) {
	q := &n.qps[n.acked]
	m := q.msgAt(0)
	m.flow.Acked = n.ackedAt
	m.flow.CNPs = q.cnps - m.cnps0
	m.flow.Retransmits = q.retransmits - m.retransmits
	if n.flowDone != nil {
		m.flow.Message = nil
		if q.conn >= 0 {
			m.flow.Message = &m.msg
		}
		n.flowDone(&m.flow)
	}
	if q.conn >= 0 {
		n.sent(q.conn, n.ackedAt)
	}
	m.from, m.to = nil, nil
	q.head = (q.head + 1) & (len(q.msgs) - 1)
	q.n--
	q.popped++
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
			m.flow.CNPs, m.flow.Retransmits = q.cnps-m.cnps0, q.retransmits-m.retransmits
			f(&m.flow)
		}
	}
}
