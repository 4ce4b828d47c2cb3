package nic

import (
	"railyard/internal/exec"
	"railyard/internal/fabric"
	"railyard/internal/unit"
)

// A credit is what a receiving rank sends when it has read a staging slot that serves again. In the
// library it is a reliable write of a counter (NCCL writes the head of the receive buffer), and so it
// is here: a frame in the class of CNPs says how many credits there have been on the connection, so
// one that comes twice or late does nothing; the sender answers with the number that it knows; and
// the receiver repeats the frame one retransmission timeout later as long as an answer is missing.
//
// It is not admission: a slot of Admission belongs to the transport, which cuts messages to its size
// and clears it when the bytes are in memory, under any schedule; a credit is given when the rank has
// added up or copied what lay in the slot.

// credited is the credits of a connection.
type credited struct {
	given    uint32       // by the receiver
	answered uint32       // of those, what it knows the sender to know
	checking bool         // a workRepeat is planned
	known    uint32       // to the sender
	colls    queue[int32] // which collective each credit is of that the sender does not know
}

// Credit tells the sender of a way that a slot is free: exec.Transport.
func (j *Job) Credit(w exec.Way, coll int32) {
	n := j.net
	id, ok := j.connOf[w]
	if !ok {
		panic(notConnected(w))
	}
	c := &n.conns[id]
	c.credited.given++
	c.credited.colls.push(coll)
	if c.qp < 0 {
		n.plan(n.ranks[c.src].host, entry{at: n.now.Add(n.cfg.NVLink.Latency), what: workCredit, a: id,
			b: int64(c.credited.given)})
		return
	}
	n.sendCredit(n.now, id)
}

// sendCredit sends the number of credits so far.
func (n *Net) sendCredit(now unit.Time, id int32) {
	c := &n.conns[id]
	e := &n.ends[c.qp]
	nc := &n.nics[e.nic]
	nc.cnp.push(n.counting(fabric.OpCredit, c.qp, c.credited.given, e.route))
	n.fab.Kick(n.eng.Island(nc.island), now, nc.port)
	if n.cfg.Transport.Timeout > 0 && !c.credited.checking {
		c.credited.checking = true
		n.plan(nc.host, entry{at: now.Add(n.cfg.Transport.Timeout), what: workRepeat, a: id, b: int64(c.credited.given)})
	}
}

// counting returns a frame that says how many there have been, in the class of CNPs.
func (n *Net) counting(op fabric.Opcode, qp int32, count uint32, r fabric.Route) fabric.Packet {
	p := fabric.Make(op, qp, 0, r, n.cfg.CNPClass, n.cfg.Frames.ACK)
	p.SetCount(count)
	return p
}

// onCredit answers a credit; ranks belong to the host's phase.
func (n *Net) onCredit(now unit.Time, pk *fabric.Packet) {
	q := &n.qps[pk.Flow]
	nc := &n.nics[q.nic]
	nc.cnp.push(n.counting(fabric.OpCreditAck, pk.Flow, pk.Count(), q.route))
	n.fab.Kick(n.eng.Island(nc.island), now, nc.port)
	n.plan(nc.host, entry{at: now, what: workCredit, a: q.conn, b: int64(pk.Count())})
}

// onCreditAck notes at the receiver what the sender knows.
func (n *Net) onCreditAck(pk *fabric.Packet) {
	c := &n.conns[n.qps[pk.Flow].conn].credited
	if int32(pk.Count()-c.answered) > 0 {
		c.answered = pk.Count()
	}
}

// takeCredits tells the sending rank that there have been so many credits.
func (n *Net) takeCredits(now unit.Time, id int32, given uint32) {
	c := &n.conns[id]
	for int32(given-c.credited.known) > 0 {
		c.credited.known++
		n.ranks[c.src].rank.Credited(now, c.AtSource(), c.credited.colls.pop())
	}
}

// repeatCredit sends the credits once more if the answer to the first `given` is missing, and looks
// again as long as there are others without one.
func (n *Net) repeatCredit(now unit.Time, id int32, given uint32) {
	c := &n.conns[id]
	c.credited.checking = false
	switch {
	case int32(given-c.credited.answered) > 0:
		n.sendCredit(now, id)
	case c.credited.given != c.credited.answered:
		c.credited.checking = true
		n.plan(n.ranks[c.dst].host, entry{at: now.Add(n.cfg.Transport.Timeout), what: workRepeat, a: id,
			b: int64(c.credited.given)})
	}
}
