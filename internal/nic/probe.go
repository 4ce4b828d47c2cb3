package nic

import (
	"railyard/internal/roce"
	"railyard/internal/unit"
)

// probe is a packet whose round trip is being timed.
type probe struct {
	seq int64
	at  unit.Time
}

// probes is a queue of them, in order.
type probes struct{ queue[probe] }

// clear forgets them: when a packet was sent again nobody knows which copy was answered (Karn and
// Partridge, SIGCOMM 1987).
func (f *probes) clear() { f.n = 0 }

// answered takes out the packets before una and returns when the last of them left.
func (f *probes) answered(una int64) (at unit.Time, ok bool) {
	for f.n > 0 && f.buf[f.head].seq < una {
		at, ok = f.pop().at, true
	}
	return at, ok
}

// asksAck reports whether a packet makes the receiver acknowledge, if nothing is lost: the
// AckEvery-th since the oldest that is not acknowledged, or since the start of the message, or the
// last of the message.
func (n *Net) asksAck(q *qp, seg *roce.Segment) bool {
	from := max(q.snd.Una(), seg.Seq-seg.Offset/int64(n.cfg.Transport.MTU))
	return seg.Last || (seg.Seq+1-from)%int64(n.cfg.Transport.AckEvery) == 0
}
