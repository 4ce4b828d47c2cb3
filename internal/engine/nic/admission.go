package nic

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/host"
	"railyard/internal/engine/verbs"
)

// Admission is receiver-driven, see roce.Slots: a sender posts only what there is a slot for, so the
// amount that can meet at a receiver is bounded without DCQCN. The zero value admits everything.
//
// A slot is free when its slice is in the GPU's memory. A clear-to-send is a frame in the class of
// CNPs. A lost one is made good by the next one, or one retransmission timeout after its slice was
// acknowledged: in the library it is a reliable write, of which only that delay is modelled.
type Admission struct {
	Slots int        // per connection
	Bytes unit.Bytes // of a slot; longer messages are cut
}

// backlog is the messages of a connection that are not yet posted, cut to the size of a slot.
type backlog struct {
	list []slice
	head int // list[head:] wait
}

// slice is a part of a message that fits a slot.
type slice struct {
	msg   host.Message
	asked unit.Time // when the host posted the message
	last  bool
}

// Alarms, in the order in which hosts take those of one instant.
const (
	alarmClear   = iota // at the receiver: a message is placed, its slot is free
	alarmAdmit          // at the sender: there is a slot
	alarmMissed         // at the sender: the clear-to-send of so many messages must have come by now
	alarmRepeat         // at the receiver: answers to credits must have come by now
	alarmConnect        // at the sender: a connection is to be asked for, or a REP must have come by now
	alarmAnswer         // at the receiver: its queue pair is there
	alarmReady          // at the sender: its queue pair may send
	alarmLeave          // at the sender: its queue pair is to be closed, or a DREP must have come by now
)

// Wake is what an alarm was set for: host.Network.
func (n *Net) Wake(now unit.Time, a host.Alarm) {
	switch a.What {
	case alarmClear:
		n.receivers[a.QP].clear(now, uint32(a.N))
	case alarmAdmit:
		n.senders[a.QP].postAdmitted(now)
	case alarmMissed:
		n.senders[a.QP].missedClear(now, uint32(a.N))
	case alarmRepeat:
		n.receivers[a.QP].repeat(now)
	case alarmConnect:
		n.senders[a.QP].ask(now)
	case alarmAnswer:
		n.receivers[a.QP].accept(now)
	case alarmReady:
		n.senders[a.QP].ready(now)
	case alarmLeave:
		n.senders[a.QP].leave(now)
	}
}

// admit cuts a message into slices and posts those for which there are slots; without slots it is one slice. Until the
// queue pair is connected all wait.
func (s *sender) admit(now unit.Time, m *host.Message) {
	w, most := &s.backlog, s.admission.Bytes
	if s.admission.Slots == 0 || !m.OfRanks {
		most = m.Bytes
	}
	if w.head == len(w.list) {
		w.list, w.head = w.list[:0], 0
	}
	for off, last := unit.Bytes(0), false; !last; off += most {
		size := min(most, m.Bytes-off)
		last = off+size == m.Bytes
		x := slice{msg: *m, asked: now, last: last}
		x.msg.Bytes = size
		if m.From != nil {
			lo, hi := verbs.Carries(len(m.From), int64(off), size, m.Bytes)
			x.msg.From, x.msg.Address = m.From[lo:hi], m.Address+uint64(lo)
		}
		w.list = append(w.list, x)
	}
	s.postAdmitted(now)
}

func (s *sender) postAdmitted(now unit.Time) {
	for w := &s.backlog; w.head < len(w.list) && s.Connected() && !s.Dead() && s.slot(&w.list[w.head].msg); w.head++ {
		x := &w.list[w.head]
		s.post(now, &x.msg, x.asked, !x.last)
	}
}

// slot takes a slot for a slice, if it needs one; it reports whether the slice may be posted.
func (s *sender) slot(m *host.Message) bool {
	return s.admission.Slots == 0 || !m.OfRanks || s.Use()
}

// clear sends a clear-to-send: so many messages have been placed.
func (r *receiver) clear(now unit.Time, placed uint32) {
	pk := &r.card.isl.out
	r.Clear(placed, pk)
	r.tell(now, pk)
}

// expectClear remembers, when a slice is acknowledged, to look whether its clear-to-send comes.
func (s *sender) expectClear(now unit.Time) {
	n, acked := s.card.net, uint32(s.popped)
	if t := n.cfg.Transport.Timeout; t > 0 && s.Slots.Await(acked) {
		n.hosts.Alarm(s.card.host, now.Add(t), host.Alarm{What: alarmMissed, QP: s.id, N: int64(acked)})
	}
}

// missedClear frees the slots whose clear-to-send should have come by now.
func (s *sender) missedClear(now unit.Time, acked uint32) {
	freed := s.Overdue(acked)
	if s.Dead() {
		return
	}
	if freed {
		s.postAdmitted(now)
	}
	s.expectClear(now)
}
