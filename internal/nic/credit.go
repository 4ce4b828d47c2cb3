package nic

import (
	"railyard/internal/fabric"
	"railyard/internal/host"
	"railyard/internal/unit"
)

// A credit, see roce.Given, is a frame in the class of CNPs. It is not admission: a slot of
// Admission belongs to the transport, which cuts messages to its size and clears it when the bytes
// are in memory, under any schedule; a credit is given when the rank has added up or copied what lay
// in the slot.

// Credit tells the sender of a queue pair that a slot is free: host.Network.
func (n *Net) Credit(now unit.Time, qp, coll int32) {
	r := &n.receivers[qp]
	r.sendCredit(now, coll, r.given.Give(coll))
}

// sendCredit sends how many credits of a collective there have been.
func (r *receiver) sendCredit(now unit.Time, coll int32, count uint32) {
	r.card.count(now, fabric.OpCredit, r.id, coll, count, r.route)
	r.await(now)
}

// await looks a timeout later whether answers are missing.
func (r *receiver) await(now unit.Time) {
	n := r.card.net
	if t := n.cfg.Transport.Timeout; t > 0 && !r.waits {
		r.waits = true
		r.given.Wait()
		n.hosts.Alarm(r.card.host, now.Add(t), host.Alarm{What: alarmRepeat, QP: r.id})
	}
}

// repeat sends once more the credits whose answers are missing, and looks again as long as there are
// others without one.
func (r *receiver) repeat(now unit.Time) {
	if r.waits = false; r.closed {
		return
	}
	if r.given.Overdue(func(coll int32, count uint32) {
		r.card.count(now, fabric.OpCredit, r.id, coll, count, r.route)
	}) {
		r.await(now)
	}
}

// onCredit answers a credit; ranks belong to the phase of hosts.
func (s *sender) onCredit(now unit.Time, pk *fabric.Packet) {
	coll, count := int32(pk.PSN()), pk.Count()
	s.card.count(now, fabric.OpCreditAck, s.id, coll, count, s.route)
	if news := s.known.OnCredit(coll, count); news > 0 {
		s.card.net.hosts.Credited(now, s.id, coll, news)
	}
}
