package nic

import (
	"fmt"

	"railyard/internal/fabric"
	"railyard/internal/host"
	"railyard/internal/unit"
	"railyard/internal/wire"
)

// Setup is how queue pairs are connected before they send: the three-way exchange of connection managers (IBTA vol. 1
// section 12.9.6).
//
//	sender                          receiver
//	  |---- REQ: PSN, P_Key, MTU ------>|
//	  |                                 | Time: it makes its queue pair, to RTR
//	  |<--- REP: PSN, R_Key ------------|
//	  | Time: RTR, RTS                  |
//	  |---- RTU ----------------------->|
//	  |==== what was posted meanwhile =>|
//	  |---- DREQ ---------------------->|  when its job is over
//	  |<--- DREP -----------------------|
//
// A REQ or DREQ without an answer is repeated, and so is what answers it. A lost RTU does no harm: the first data say the
// same.
type Setup struct {
	On   bool
	Time unit.Duration // that a host takes for each of the two steps
}

// What connection managers wait for an answer, and how often they ask again: 4.096 us x 2^20, and 15 times, as Linux's
// rdma_cm does (drivers/infiniband/core/cma.c).
const (
	setupTimeout = 4096 * unit.Nanosecond << 20
	setupRetries = 15
)

// setup is the state of a connection at its sender.
type setup struct {
	closed   bool // not connected yet: what is posted waits
	answered bool
	tries    int       // of a REQ, then of a DREQ
	leaves   bool      // a DREQ was sent, or is to be
	left     unit.Time // when the DREP came; 0: it has not
}

// Connect has the sender of a queue pair begin to connect it at a time; it is for Setup.On, before the run.
func (n *Net) Connect(qp int32, at unit.Time) {
	n.hosts.Alarm(n.senders[qp].card.host, at, host.Alarm{What: alarmConnect, QP: qp})
}

// ask sends a REQ, if no answer has come to the one before.
func (s *sender) ask(now unit.Time) {
	n := s.card.net
	switch {
	case s.setup.answered || s.Dead():
		return
	case s.setup.tries > setupRetries:
		n.hosts.Fail(s.card.sim, now, s.id, fmt.Errorf("queue pair %s was not connected at %s: no reply to %d requests", n.Name(s.id),
			now.Human(), s.setup.tries))
		return
	}
	s.setup.tries++
	s.card.manage(now, fabric.OpCMRequest, s.id, 0, s.route)
	n.hosts.Alarm(s.card.host, now.Add(setupTimeout), host.Alarm{What: alarmConnect, QP: s.id})
}

// onRequest takes a REQ; the host answers when it has made its queue pair.
func (r *receiver) onRequest(now unit.Time) {
	n := r.card.net
	n.hosts.Alarm(r.card.host, now.Add(n.cfg.Setup.Time), host.Alarm{What: alarmAnswer, QP: r.id})
}

// answer sends a REP with the key of the memory that the queue pair writes to.
func (r *receiver) answer(now unit.Time) {
	r.card.manage(now, fabric.OpCMReply, r.id, r.card.net.hosts.Key(r.id), r.route)
}

// onReply takes a REP. One that comes again is answered again: the RTU was lost.
func (s *sender) onReply(now unit.Time) {
	n := s.card.net
	if s.setup.answered {
		if !s.setup.closed {
			s.card.manage(now, fabric.OpCMReady, s.id, 0, s.route)
		}
		return
	}
	s.setup.answered = true
	n.hosts.Alarm(s.card.host, now.Add(n.cfg.Setup.Time), host.Alarm{What: alarmReady, QP: s.id})
}

// ready sends the RTU, and then what was posted.
func (s *sender) ready(now unit.Time) {
	s.setup.closed = false
	s.card.manage(now, fabric.OpCMReady, s.id, 0, s.route)
	s.postAdmitted(now)
}

// Disconnect has the sender of a queue pair close it in order at a time: it sends a DREQ, and the receiver answers with a DREP
// (IBTA vol. 1, section 12.6). A queue pair that was not connected, that gave up or was closed sends none. It is called
// between windows, and nothing may be posted after it.
func (n *Net) Disconnect(qp int32, at unit.Time) {
	s := &n.senders[qp]
	if s.setup.closed || s.Dead() || n.receivers[qp].closed {
		return
	}
	s.setup.leaves, s.setup.tries = true, 0
	n.hosts.Alarm(s.card.host, at, host.Alarm{What: alarmLeave, QP: qp})
}

// Disconnected reports when the last of the queue pairs was closed that were to be; false: there is one that is not.
// It is called between windows.
func (n *Net) Disconnected() (last unit.Time, all bool) {
	for i := range n.senders {
		switch s := &n.senders[i].setup; {
		case !s.leaves:
		case s.left == 0:
			return 0, false
		default:
			last = max(last, s.left)
		}
	}
	return last, true
}

// leave sends a DREQ, if no answer has come to the one before. One that is never answered has no consequence: the queue
// pair is over.
func (s *sender) leave(now unit.Time) {
	if s.setup.left > 0 || s.setup.tries > setupRetries || s.Dead() {
		return
	}
	s.setup.tries++
	s.card.manage(now, fabric.OpCMLeave, s.id, 0, s.route)
	s.card.net.hosts.Alarm(s.card.host, now.Add(setupTimeout), host.Alarm{What: alarmLeave, QP: s.id})
}

// onLeave takes a DREQ.
func (r *receiver) onLeave(now unit.Time) { r.card.manage(now, fabric.OpCMLeft, r.id, 0, r.route) }

// manage sends a connection manager's message, in the class of CNPs.
func (c *card) manage(now unit.Time, op fabric.Opcode, qp int32, key uint32, r fabric.Route) {
	p := fabric.Make(op, qp, 0, r, c.net.cfg.CNPClass, wire.CMFrameBytes+c.net.cfg.Frames.Tag)
	p.SetCount(key)
	c.cnp.Push(p)
	c.kick(now)
}
