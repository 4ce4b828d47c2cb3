package nic

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/engine/host"
	"railyard/internal/engine/roce"
)

// Setup is how queue pairs are connected before they send, and closed: see roce.Dialer.
type Setup struct {
	On   bool
	Time unit.Duration // that a host takes to make a queue pair ready: the receiver's before the REP, the sender's before the RTU
}

// Connect has the sender of a queue pair begin to connect it at a time; it is for Setup.On, before the run.
func (n *Net) Connect(qp int32, at unit.Time) {
	n.hosts.Alarm(n.senders[qp].card.host, at, host.Alarm{What: alarmConnect, QP: qp})
}

// tell sends what is no data, to the receiver.
func (s *sender) tell(now unit.Time, pk *roce.Packet) {
	s.card.send(pk, s.id, s.route)
	s.card.kick(now)
}

// ask sends a REQ, if no answer has come to the one before.
func (s *sender) ask(now unit.Time) {
	n, pk := s.card.net, &s.card.isl.out
	switch s.Ask(pk) {
	case roce.GaveUp:
		n.hosts.Fail(s.card.sim, now, s.id, fmt.Errorf("queue pair %s was not connected at %s: no reply to %d requests", n.Name(s.id),
			now.Human(), s.Tries()))
	case roce.Asked:
		s.tell(now, pk)
		n.hosts.Alarm(s.card.host, now.Add(roce.ManagerTimeout), host.Alarm{What: alarmConnect, QP: s.id})
	}
}

// accept sends a REP with the key of the memory that the queue pair writes to.
func (r *receiver) accept(now unit.Time) {
	pk := &r.card.isl.out
	r.Accept(r.card.net.hosts.Key(r.id), pk)
	r.tell(now, pk)
}

// ready sends the RTU, and then what was posted.
func (s *sender) ready(now unit.Time) {
	pk := &s.card.isl.out
	s.Establish(pk)
	s.tell(now, pk)
	s.postAdmitted(now)
}

// Disconnect has the sender of a queue pair close it in order at a time: it sends a DREQ, and the receiver answers with a DREP
// (IBTA vol. 1, section 12.6). A queue pair that was not connected, that gave up or was closed sends none. It is called
// between windows, and nothing may be posted after it.
func (n *Net) Disconnect(qp int32, at unit.Time) {
	s := &n.senders[qp]
	if !n.receivers[qp].Closed() && s.Leave() {
		n.hosts.Alarm(s.card.host, at, host.Alarm{What: alarmLeave, QP: qp})
	}
}

// Disconnected reports when the last of the queue pairs was closed that were to be; false: there is one that is not.
// It is called between windows.
func (n *Net) Disconnected() (last unit.Time, all bool) {
	for i := range n.senders {
		switch leaves, at := n.senders[i].Gone(); {
		case !leaves:
		case at == 0:
			return 0, false
		default:
			last = max(last, at)
		}
	}
	return last, true
}

// leave sends a DREQ, if no answer has come to the one before.
func (s *sender) leave(now unit.Time) {
	if pk := &s.card.isl.out; s.AskToLeave(pk) == roce.Asked {
		s.tell(now, pk)
		s.card.net.hosts.Alarm(s.card.host, now.Add(roce.ManagerTimeout), host.Alarm{What: alarmLeave, QP: s.id})
	}
}
