package roce

import (
	"railyard/internal/base/unit"
	"railyard/internal/net/wire"
)

// What a responder refuses, and what a requester does about it (IBTA vol. 1, 9.7.4.1 and 9.7.5.2). Drivers of simulated
// networks do not ask: nothing there is wrong.

// Expects reports whether a packet of data is the next one in order: only such a one is judged.
func (r *Responder) Expects(psn uint32) bool { return expand(psn, r.expected) == r.expected }

// Valid reports whether a packet of data that is expected goes on where the one before it ended, and has as many bytes
// as its place in its message demands. It is for responders in order.
func (r *Responder) Valid(pk *Packet, p *Params) bool {
	var m *arriving
	if n := len(r.open); n > 0 && r.open[n-1].left > 0 {
		m = &r.open[n-1]
	}
	if (pk.opens() || pk.Asks()) != (m == nil) || m != nil && m.growing != pk.sends() {
		return false
	}
	size, ends := pk.Payload.Size, p.Ends(pk.Opcode)
	switch {
	case pk.Asks():
		return r.room(p) && size == 0
	case size > p.MTU || !ends && size != p.MTU:
		return false
	case pk.sends():
		return m == nil || size > 0
	case m == nil:
		return ends == (p.packets(pk.Landing.Length) == 1) && size == min(p.MTU, pk.Landing.Length)
	}
	left := m.length - (r.expected-m.first)*int64(p.MTU)
	return ends == (r.expected == m.last) && int64(size) == min(int64(p.MTU), left)
}

// Refuse has the packet that is expected answered by a NAK with a code; nothing is accepted any more.
func (r *Responder) Refuse(code uint8) {
	r.owed.nak, r.owed.rnr, r.owed.value = true, false, code
	r.owed.psn, r.owed.sack = uint32(r.expected)&PSNMask, 0
	r.owe()
	r.closed = true
}

// NotReady has it answered by an RNR NAK: it is to be sent again after a while. What follows it meanwhile is not answered.
func (r *Responder) NotReady(timer uint8) {
	r.owed.nak, r.owed.rnr, r.owed.value = false, true, timer
	r.owed.psn, r.owed.sack = uint32(r.expected)&PSNMask, 0
	r.owe()
	r.unacked, r.gap = 0, true
}

// ghost reports whether an answer is of packets that were never sent: it is dropped.
func (pk *Packet) ghost(s *Sender) bool {
	seq := expand(pk.PSN, s.una)
	return seq >= s.high
}

// Refusal is why a requester gave up.
type Refusal uint8

// The reasons.
const (
	NotRefused    Refusal = iota
	RefusedNAK            // the other end's NAK: Heard.Code
	RefusedUnkept         // the other end is not ready, too often
	BadResponse           // it answered a READ or an atomic operation with something else
)

// ForeverRNR is as many retries of Params.RNRRetries as have no end (IBTA vol. 1, 11.6.2: 7).
const ForeverRNR = 7

// refused takes an RNR NAK, or a NAK of something else than a gap. All before it is acknowledged.
func (q *Requester) refused(now unit.Time, r *Packet, h *Heard, p *Params) {
	seq := expand(r.PSN, q.una)
	if seq < q.una || seq >= q.high {
		return // of a packet that is acknowledged, or was never sent
	}
	if b, una := q.barrier(), q.una; seq > b { // responses that are lost come first
		bytes := q.advance(b)
		h.Missing = q.implied(seq - 1)
		q.settled(now, r, una, bytes, h.Missing, h, p)
		return
	}
	if seq > q.una {
		q.advance(seq)
		q.unkept = 0
	}
	if r.AETH.Kind == wire.NAK {
		h.Refused, h.Code = RefusedNAK, r.AETH.Value
		q.Close()
		return
	}
	if q.unkept++; q.unkept > p.RNRRetries && p.RNRRetries < ForeverRNR {
		h.Refused = RefusedUnkept
		q.Close()
		return
	}
	q.rewind()
	q.probes.clear()
	q.owed, q.deadline = false, unit.Never
	q.paced = max(q.paced, now.Add(rnrTimers[r.AETH.Value&31]))
}

const rnrUnit = 10 * unit.Microsecond

// rnrTimers is IBTA vol. 1 table 45.
var rnrTimers = [32]unit.Duration{65536 * rnrUnit, rnrUnit, 2 * rnrUnit, 3 * rnrUnit, 4 * rnrUnit, 6 * rnrUnit, 8 * rnrUnit,
	12 * rnrUnit, 16 * rnrUnit, 24 * rnrUnit, 32 * rnrUnit, 48 * rnrUnit, 64 * rnrUnit, 96 * rnrUnit, 128 * rnrUnit,
	192 * rnrUnit, 256 * rnrUnit, 384 * rnrUnit, 512 * rnrUnit, 768 * rnrUnit, 1024 * rnrUnit, 1536 * rnrUnit, 2048 * rnrUnit,
	3072 * rnrUnit, 4096 * rnrUnit, 6144 * rnrUnit, 8192 * rnrUnit, 12288 * rnrUnit, 16384 * rnrUnit, 24576 * rnrUnit,
	32768 * rnrUnit, 49152 * rnrUnit}

// Arrived returns the bytes that are here of the message that comes, in order: 0 if none does.
func (r *Responder) Arrived(p *Params) int64 {
	if n := len(r.open); n > 0 && r.open[n-1].left > 0 {
		return (r.expected - r.open[n-1].first) * int64(p.MTU)
	}
	return 0
}
