package nic

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/host"
	"railyard/internal/engine/roce"
)

// A credit, see roce.Given, is a frame in the class of CNPs. It is not admission: a slot of
// Admission belongs to the transport, which cuts messages to its size and clears it when the bytes
// are in memory, under any schedule; a credit is given when the rank has added up or copied what lay
// in the slot.

// Credit tells the sender of a queue pair that a slot is free: host.Network.
func (n *Net) Credit(now unit.Time, qp, coll int32) {
	if x := n.twins.twin(qp); x != nil {
		n.creditTwin(now, x, coll)
		return
	}
	r := &n.receivers[qp]
	n.gives(now, qp, r.card.id, -1)
	pk := &r.card.isl.out
	r.Give(coll, pk)
	r.tell(now, pk)
	r.await(now)
}

// tell sends what is no answer to a frame, back to the sender.
func (r *receiver) tell(now unit.Time, pk *roce.Packet) {
	r.card.send(pk, r.id, r.route)
	r.card.kick(now)
}

// await looks a timeout later whether answers are missing.
func (r *receiver) await(now unit.Time) {
	if t := r.card.net.cfg.Transport.Timeout; t > 0 {
		r.alarm(r.Await(now.Add(t)))
	}
}

// alarm has repeat called when answers are due, if it is not called earlier anyway: most answers come in time, and no alarm is
// worth taking back.
func (r *receiver) alarm(due unit.Time) {
	if !r.alarmed {
		r.alarmed = true
		r.card.net.hosts.Alarm(r.card.host, due, host.Alarm{What: alarmRepeat, QP: r.id})
	}
}

// repeat sends once more the credits whose answers must have come and have not, and looks again as long as there are
// others without one.
func (r *receiver) repeat(now unit.Time) {
	r.alarmed = false
	switch due := r.Due(); {
	case r.Closed() || due == 0:
	case due > now:
		r.alarm(due)
	case r.Repeat(&r.card.isl.out, func(pk *roce.Packet) { r.tell(now, pk) }):
		r.await(now)
	}
}
