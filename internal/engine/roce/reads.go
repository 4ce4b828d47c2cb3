package roce

import (
	"math"

	"railyard/internal/base/unit"
	"railyard/internal/net/wire"
)

// READs and atomic operations at the requester (IBTA vol. 1, 9.4.4 and 9.4.5, 9.7.3.1 and 9.7.5.2). One packet asks, and
// takes as many sequence numbers as it wants responses. These acknowledge what was sent before; nothing else
// acknowledges a READ. What acknowledges a later packet says that responses are lost: what is missing is asked for
// again, from the first byte that is not there.

// reads is a sender's account of them.
type reads struct {
	posted int   // messages that are not complete
	sent   int   // of these before next: without their answer
	from   int64 // where the sender went back to last: a request may begin there, within its message
	again  int64 // one more than what was asked for again, for the answer was lost
}

// restart says that seq is the next packet to send.
func (r *reads) restart(seq int64) { r.sent, r.from = 0, seq }

// ask counts the packet that has just been sent, of message i: it returns how many more sequence numbers it takes.
func (s *Sender) ask(i int) int64 {
	m := s.at(i)
	if !m.Op.Asks() {
		return 0
	}
	s.reads.sent++
	return m.Last() + 1 - s.next
}

// readDone counts the oldest message, which is complete.
func (s *Sender) readDone() {
	if s.reads.posted--; s.cur > 0 {
		s.reads.sent--
	}
}

// cannotAsk reports whether the next packet asks, and as many are unanswered as may be, or its responses are more than
// the two halves can tell apart.
func (s *Sender) cannotAsk(p *Params) bool {
	if s.next >= s.end {
		return false
	}
	m := s.at(s.cur)
	return m.Op.Asks() && (s.reads.sent >= p.Reads || m.Last()-s.una >= MostResponses)
}

// MostResponses is how many packets a READ may want: see Sender.Full.
const MostResponses = (PSNMask+1)/2 - 1

// barrier returns the sequence number of the first response that has not come, beyond which nothing is acknowledged.
func (s *Sender) barrier() int64 {
	if s.reads.posted == 0 {
		return math.MaxInt64
	}
	for i := 0; ; i++ {
		if m := s.at(i); m.Op.Asks() {
			return max(m.First, s.una)
		}
	}
}

// implied reports whether an answer to packet seq, up to which all is acknowledged that may be, says that responses are
// lost; then they are asked for again. That is done once: then the timeout decides.
func (s *Sender) implied(seq int64) bool {
	b := s.barrier()
	if seq < b || s.failed || s.next <= b || s.reads.again == b+1 {
		return false
	}
	s.reads.again = b + 1
	s.rewind()
	return true
}

// wants writes to pk what the packet of a message asks for: what has not come of it.
func (q *Requester) wants(pk *Packet, seg *Segment, m *Message) {
	pk.Landing = Landing{Address: m.Address + uint64(seg.Offset), Key: m.Key, PSN: seg.PSN, Length: m.Bytes - unit.Bytes(seg.Offset)}
}

// onAnswer takes a response. One that is not the next is dropped, or tells that others are missing.
func (q *Requester) onAnswer(now unit.Time, r *Packet, h *Heard, p *Params) {
	seq, b := expand(r.PSN, q.una), q.barrier()
	if q.failed || seq >= q.high || seq < b || b == math.MaxInt64 {
		return // never asked for, or here already
	}
	una := q.una
	if seq > b {
		bytes := q.advance(b)
		h.Missing = q.implied(seq)
		q.settled(now, r, una, bytes, h.Missing, h, p)
		return
	}
	i := 0
	for q.at(i).Last() < seq {
		i++
	}
	m := q.at(i)
	off := (seq - m.First) * q.mtu
	size := unit.Bytes(min(q.mtu, int64(m.Bytes)-off))
	if !q.fits(r, m, seq, size) {
		h.Refused = BadResponse
		q.Close()
		return
	}
	h.Brought, h.Place = true, Payload{Message: i, Offset: off, Size: size}
	bytes := q.advance(seq + 1)
	q.settled(now, r, una, bytes, false, h, p)
}

// fits reports whether a response is one to packet seq of message m, which has so many bytes. FIRST and ONLY begin what
// a request has asked for, MIDDLE and LAST go on with it (IBTA vol. 1, 9.4.4).
func (q *Requester) fits(r *Packet, m *Message, seq int64, size unit.Bytes) bool {
	begins, ends := seq == m.First || seq == q.reads.from, seq == m.Last()
	switch r.Opcode {
	case wire.AtomicAcknowledge:
		return m.Op.Atomic() && r.AETH.Kind == wire.ACK && r.Payload.Size == 0
	case wire.ReadResponseFirst:
		ends, begins = !ends, begins && r.AETH.Kind == wire.ACK
	case wire.ReadResponseMiddle:
		ends, begins = !ends, seq > m.First
	case wire.ReadResponseLast:
		begins = seq > m.First && r.AETH.Kind == wire.ACK
	case wire.ReadResponseOnly:
		begins = begins && r.AETH.Kind == wire.ACK
	}
	return m.Op == OpRead && begins && ends && r.Payload.Size == size
}
