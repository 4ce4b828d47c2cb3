// Package hosttest holds what every host.Network must do, as a suite of tests, and an ideal one.
package hosttest

import (
	"railyard/internal/base/cause"
	"railyard/internal/base/lists"
	"railyard/internal/base/unit"
	"railyard/internal/engine/host"
	"railyard/internal/job/exec"
)

// Ideal is a network that is no model of anything: a message is there a latency after its post, and
// its bytes at a rate, but not before the one before it; its acknowledgement and credits come a
// latency later. Queue pairs share nothing. It is for runs of one island.
type Ideal struct {
	hosts   *host.Hosts
	latency unit.Duration
	rate    unit.Bitrate
	pairs   []idealPair
}

type idealPair struct {
	from, to int32 // hosts
	sent     lists.Queue[idealMessage]
	placed   lists.Queue[unit.Time] // not acknowledged
	busy     unit.Time              // the last message is there
	credits  lists.Queue[int32]
}

type idealMessage struct {
	host.Message
	posted unit.Time
}

// What an Ideal has itself woken for.
const (
	arrived = iota
	answered
	credited
)

var _ host.Network = (*Ideal)(nil)

// NewIdeal returns an ideal network between hosts.
func NewIdeal(h *host.Hosts, latency unit.Duration, rate unit.Bitrate) *Ideal {
	n := &Ideal{hosts: h, latency: latency, rate: rate}
	h.Attach(n)
	return n
}

// Pair adds a queue pair between two hosts and returns its number.
func (n *Ideal) Pair(from, to int32) int32 {
	n.pairs = append(n.pairs, idealPair{from: from, to: to})
	return int32(len(n.pairs) - 1)
}

// Linger implements host.Network.
func (n *Ideal) Linger() unit.Duration { return n.latency }

// Post implements host.Network.
func (n *Ideal) Post(now unit.Time, m *host.Message) {
	p := &n.pairs[m.QP]
	p.sent.Push(idealMessage{*m, now})
	p.busy = max(p.busy, now.Add(n.latency+n.rate.TransmitTime(m.Bytes)))
	n.hosts.Alarm(p.to, p.busy, host.Alarm{What: arrived, QP: m.QP})
}

// Credit implements host.Network.
func (n *Ideal) Credit(now unit.Time, qp, coll int32) {
	p := &n.pairs[qp]
	p.credits.Push(coll)
	n.hosts.Alarm(p.from, now.Add(n.latency), host.Alarm{What: credited, QP: qp})
}

// Wake implements host.Network.
func (n *Ideal) Wake(now unit.Time, a host.Alarm) {
	switch p := &n.pairs[a.QP]; a.What {
	case arrived:
		m := p.sent.Pop()
		if m.From != nil {
			copy(n.hosts.Memory(m.Key, m.Address, len(m.From)), m.From)
		}
		n.hosts.Received(a.QP, &host.Delivery{Posted: m.posted, Placed: now, Header: m.Header,
			Segments: []exec.Segment{{Until: now, Cause: cause.Propagation, At: -1}}})
		p.placed.Push(now)
		n.hosts.Alarm(p.from, now.Add(n.latency), host.Alarm{What: answered, QP: a.QP})
	case answered:
		n.hosts.Acked(now, a.QP, &host.Answer{Placed: p.placed.Pop(),
			Segments: []exec.Segment{{Until: now, Cause: cause.Acknowledgement, At: -1}}})
	case credited:
		n.hosts.Credited(now, a.QP, p.credits.Pop(), 1)
	}
}
