package nic

import (
	"railyard/internal/cause"
	"railyard/internal/exec"
	"railyard/internal/fabric"
	"railyard/internal/unit"
)

// Admission is receiver-driven: the receiver of a collective library has a few buffer slots per
// connection and tells the sender with a clear-to-send (CTS) when one is free. A sender posts
// nothing else, so the amount that can meet at a receiver is bounded without DCQCN: Gangidi et al.,
// "RDMA over Ethernet for distributed AI training at Meta scale", SIGCOMM 2024, section 5.2. The
// zero value admits everything.
//
// A slot is free when its slice is in the GPU's memory. A CTS is a frame in the class of CNPs that
// says how many slices have been placed so far, so a CTS that comes twice does nothing. A lost CTS
// is made good by the next one, or one retransmission timeout after its slice was acknowledged: in
// the library a CTS is a reliable write, of which only that delay is modelled.
type Admission struct {
	Slots int        // per connection
	Bytes unit.Bytes // of a slot; longer messages are cut
}

// admitted is a connection under admission.
type admitted struct {
	free     int    // slots that the sender knows to be free
	cleared  uint32 // slices that it knows to be placed
	checking bool   // a workMissed is planned
	waiting  []slice
	head     int    // waiting[head:] are not yet posted, in order
	placed   uint32 // at the receiver: slices placed
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
	a, most := &c.admitted, int64(c.job.admission.Bytes)
	if a.head == len(a.waiting) {
		a.waiting, a.head = a.waiting[:0], 0
	}
	for off := int64(0); off < int64(m.Bytes); off += most {
		size := min(most, int64(m.Bytes)-off)
		a.waiting = append(a.waiting, slice{msg: m, asked: now, off: off, len: size, last: off+size == int64(m.Bytes)})
	}
	n.postAdmitted(now, id)
}

func (n *Net) postAdmitted(now unit.Time, id int32) {
	c := &n.conns[id]
	for a := &c.admitted; a.free > 0 && a.head < len(a.waiting); a.head++ {
		s := &a.waiting[a.head]
		a.free--
		r := n.post(now, c.qp, unit.Bytes(s.len), 0)
		r.msg, r.asked, r.part = s.msg, s.asked, !s.last
		if from, to := c.job.bytes(&s.msg); from != nil {
			r.from, r.to = from[s.off:s.off+s.len], to[s.off:s.off+s.len]
		}
	}
}

// clear sends a CTS: the slot that a slice lay in is free again once the slice is placed.
func (n *Net) clear(now unit.Time, id int32) {
	c := &n.conns[id]
	c.admitted.placed++
	e := &n.ends[c.qp]
	nc := &n.nics[e.nic]
	nc.cnp.push(n.counting(fabric.OpCTS, c.qp, c.admitted.placed, e.route))
	n.fab.Kick(n.eng.Island(nc.island), now, nc.port)
}

// onCTS notes free slots; ranks and their posts belong to the host's phase.
func (n *Net) onCTS(now unit.Time, pk *fabric.Packet) {
	q := &n.qps[pk.Flow]
	if n.frees(q.conn, pk.Count()) {
		n.plan(n.nics[q.nic].host, entry{at: now, what: workAdmit, a: q.conn})
	}
}

// frees notes that so many slices have been placed: their slots are free. It reports whether that is new.
func (n *Net) frees(id int32, placed uint32) bool {
	a := &n.conns[id].admitted
	news := int32(placed - a.cleared)
	if news <= 0 {
		return false
	}
	a.cleared = placed
	a.free += int(news)
	return true
}

// expectClear remembers, when a slice is acknowledged, to look whether its CTS comes.
func (n *Net) expectClear(now unit.Time, id int32, acked uint32) {
	a := &n.conns[id].admitted
	if a.checking || n.cfg.Transport.Timeout == 0 || int32(acked-a.cleared) <= 0 {
		return
	}
	a.checking = true
	n.plan(n.ranks[n.conns[id].src].host,
		entry{at: now.Add(n.cfg.Transport.Timeout), what: workMissed, a: id, b: int64(acked)})
}

// missedClear frees the slots whose CTS should have come by now.
func (n *Net) missedClear(now unit.Time, id int32, acked uint32) {
	c := &n.conns[id]
	c.admitted.checking = false
	if n.frees(id, acked) {
		n.postAdmitted(now, id)
	}
	n.expectClear(now, id, uint32(n.qps[c.qp].popped))
}

// waited puts the wait for a slot before the segments of a message. Its cause is the window.
func waited(s []exec.Segment, asked, posted unit.Time) []exec.Segment {
	if posted == asked {
		return s
	}
	s = append(s, exec.Segment{})
	copy(s[1:], s)
	s[0] = exec.Segment{Until: posted, Cause: cause.Window, At: -1}
	return s
}
