package nic

import (
	"railyard/internal/cause"
	"railyard/internal/exec"
	"railyard/internal/fabric"
	"railyard/internal/unit"
)

// Admission is receiver-driven: a collective library's receiver has a few buffer slots for each connection and tells the sender with a
// clear-to-send (CTS) when one is free. A sender posts nothing else, so what can meet at a receiver is bounded without DCQCN: Gangidi
// et al., "RDMA over Ethernet for distributed AI training at Meta scale", SIGCOMM 2024, section 5.2. The zero value admits everything.
type Admission struct {
	Slots int        // per connection
	Bytes unit.Bytes // of a slot; longer messages are cut
}

// admitted is the sender's side of a connection under admission.
type admitted struct {
	credits int
	waiting []slice // not yet posted, in order
}

// slice is a part of a rank's message that fits a slot.
type slice struct {
	msg      exec.Message
	asked    unit.Time // when the rank posted the message
	off, len int64
	last     bool
}

// admit cuts a rank's message into slices and posts those for which there are slots.
func (n *Net) admit(now unit.Time, id int32, m exec.Message) {
	c := &n.conns[id]
	for off := int64(0); off < int64(m.Bytes); off += int64(n.cfg.Admission.Bytes) {
		size := min(int64(n.cfg.Admission.Bytes), int64(m.Bytes)-off)
		c.admitted.waiting = append(c.admitted.waiting, slice{msg: m, asked: now, off: off, len: size, last: off+size == int64(m.Bytes)})
	}
	n.postAdmitted(now, id)
}

func (n *Net) postAdmitted(now unit.Time, id int32) {
	c := &n.conns[id]
	for c.admitted.credits > 0 && len(c.admitted.waiting) > 0 {
		s := c.admitted.waiting[0]
		c.admitted.waiting = c.admitted.waiting[:copy(c.admitted.waiting, c.admitted.waiting[1:])]
		c.admitted.credits--
		r := n.post(now, c.qp, unit.Bytes(s.len), 0)
		r.msg, r.asked, r.part = s.msg, s.asked, !s.last
		if n.memory != nil {
			r.from = n.memory.Bytes(s.msg.Src, s.msg.From)[s.off : s.off+s.len]
			r.to = n.memory.Bytes(s.msg.Dst, s.msg.To)[s.off : s.off+s.len]
		}
	}
}

// clear sends a CTS: the slot that a slice lay in is free again once the slice is placed.
func (n *Net) clear(now unit.Time, flow int32, e *endpoint) {
	c := &n.nics[e.nic]
	c.cnp.push(fabric.Make(fabric.CTS, flow, 0, e.route, n.cfg.CNPClass, n.cfg.Frames.ACK))
	n.fab.Kick(now, c.port)
}

// onCTS posts what waited for a slot.
func (n *Net) onCTS(now unit.Time, pk *fabric.Packet) {
	q := &n.qps[pk.Flow]
	n.conns[q.conn].admitted.credits++
	// Ranks and their posts belong to the host's phase.
	n.plan(n.nics[q.nic].host, entry{at: now, what: workAdmit, a: q.conn})
}

// waited puts the wait for a slot before the segments of a message: it held the sender like a window.
func waited(s []exec.Segment, asked, posted unit.Time) []exec.Segment {
	if posted == asked {
		return s
	}
	s = append(s, exec.Segment{})
	copy(s[1:], s)
	s[0] = exec.Segment{Until: posted, Cause: cause.Window}
	return s
}
