package roce

import (
	"railyard/internal/base/unit"
)

// PSNMask is the 24 bits of a packet sequence number on the wire.
const PSNMask = 1<<24 - 1

// expand returns the sequence number nearest to near whose low 24 bits are psn.
func expand(psn uint32, near int64) int64 {
	d := int64(int32((psn-uint32(near))<<8) >> 8) // sign-extended 24-bit difference
	return near + d
}

// Write is a message to be sent: an RDMA WRITE with immediate, if nothing else is said.
type Write struct {
	Bytes   unit.Bytes // payload, at least 0
	Address uint64     // where it goes
	Key     uint32     // of the memory region there
	Imm     uint32     // immediate data
	Tag     int64      // the driver's
	Op      Op
}

// Message is one that was posted.
type Message struct {
	First   int64 // sequence number of its first packet
	Packets int64 // at least 1
	Base    int64 // bytes of all messages before it
	Write
}

// Last returns the sequence number of the message's last packet.
func (m *Message) Last() int64 { return m.First + m.Packets - 1 }

// Segment is one packet to send.
type Segment struct {
	PSN     uint32
	Seq     int64
	Offset  int64      // of the payload in its message
	Payload unit.Bytes // bytes, without headers
	First   bool       // carries the RETH
	Last    bool       // ends the message
	Again   bool       // has been sent before
	Index   int        // of its message, counted from the oldest that is not acknowledged
}

// Sender is the requester half of a queue pair.
type Sender struct {
	una, next, end, high int64 // high: one more than the highest sequence number ever sent
	mtu                  int64
	tolerance            int64     // see Params
	msgs                 []Message // ring, from the message of una on
	head, n              int
	complete             int   // messages before head that nobody has taken
	cur                  int   // index from head of the message that next belongs to
	total, acked         int64 // bytes posted, and acknowledged
	retries              int
	failed               bool

	// Selective repeat: what the receiver has past una, and what of it to send again.
	sacked     bitmap
	recovering bool
	// A timeout began this recovery: the packet that is to be acknowledged next counts as lost, one
	// packet after the other.
	presumed    bool
	recoveryEnd int64 // recovery is over when this is acknowledged
	resend      int64 // packets before this have been sent again in this recovery
	highSack    int64 // highest packet the receiver has named

	early int64 // payload bytes past una that acknowledgements have named, with go-back-N: see OnEarly
	reads reads
}

// Init sets the payload MTU and how late packets may be.
func (s *Sender) Init(p *Params) { s.mtu, s.tolerance = int64(p.MTU), p.tolerance() }

func (s *Sender) at(i int) *Message { return &s.msgs[(s.head+i)&(len(s.msgs)-1)] }

// Post queues a message and returns it. An empty message is one packet without payload.
func (s *Sender) Post(w Write) *Message {
	if s.n+s.complete == len(s.msgs) {
		s.grow()
	}
	packets := max(1, (int64(w.Bytes)+s.mtu-1)/s.mtu)
	m := s.at(s.n)
	m.First, m.Packets, m.Base = s.end, packets, s.total
	// Not copied whole: see lists.Queue.Add.
	m.Bytes, m.Address, m.Key, m.Imm, m.Tag, m.Op = w.Bytes, w.Address, w.Key, w.Imm, w.Tag, w.Op
	s.n++
	s.end += packets
	s.total += int64(w.Bytes)
	if w.Op.Asks() {
		s.reads.posted++
	}
	return m
}

func (s *Sender) grow() {
	msgs := make([]Message, max(1, 2*len(s.msgs)))
	for i := range s.complete + s.n {
		msgs[i] = *s.at(i - s.complete)
	}
	s.msgs, s.head = msgs, s.complete
}

// Take returns the oldest message that is complete and has not been taken; ok is false if there is
// none.
func (s *Sender) Take() (m Message, ok bool) {
	if s.complete == 0 {
		return m, false
	}
	m = *s.at(-s.complete)
	s.complete--
	return m, true
}

// Message returns message i, counted from the oldest that is not acknowledged.
func (s *Sender) Message(i int) *Message { return s.at(i) }

// Sending returns the index of the message of the next packet, counted as in Message; if all is
// sent, the number of messages.
func (s *Sender) Sending() int { return s.cur }

// Ready reports whether there is a packet to send.
func (s *Sender) Ready() bool { return (s.next < s.end || s.MustResend()) && !s.failed }

// MustResend reports whether selective repeat sends the next packet again: then the window does not
// hold it back.
func (s *Sender) MustResend() bool {
	if !s.recovering {
		return false
	}
	lost := s.highSack // packets before it are late
	if !s.presumed {
		lost -= s.tolerance
	}
	for s.resend = max(s.resend, s.una); s.resend < lost; s.resend++ {
		if !s.sacked.has(s.resend) {
			return true
		}
	}
	// Nothing is known of what lies past the highest packet named.
	return s.presumed && s.resend == s.una && s.una < s.high
}

// Recovering reports whether selective repeat may send packets again.
func (s *Sender) Recovering() bool { return s.recovering }

// Recovery identifies the loss from which selective repeat is recovering, by the last packet sent
// before the loss was noticed; -1: none.
func (s *Sender) Recovery() int64 {
	if !s.recovering {
		return -1
	}
	return s.recoveryEnd
}

// Unacked returns how many packets have been sent, or are about to be sent again, past the oldest
// that is not acknowledged.
func (s *Sender) Unacked() int64 { return s.next - s.una }

// Full reports whether one more packet would be more than the two halves can tell apart: half of
// the 24-bit sequence numbers (IBTA vol. 1, 9.7.1), or what a receiver takes past a gap and a NAK of
// 16 bits can name.
func (s *Sender) Full(p *Params) bool {
	if s.reads.posted > 0 && s.cannotAsk(p) {
		return true
	}
	if p.Receiver != InOrder {
		return s.next-s.una >= MaxAhead-1
	}
	return s.next-s.una >= (PSNMask+1)/2-1
}

// Outstanding reports whether packets have been sent that are not acknowledged.
func (s *Sender) Outstanding() bool { return s.una < s.high && !s.failed }

// InFlight returns the payload bytes from the oldest unacknowledged packet up to the next one to
// send, without those that were named as there.
func (s *Sender) InFlight() unit.Bytes {
	if s.next == s.una {
		return 0
	}
	return unit.Bytes(s.bytesAt(s.next) - s.acked - s.early)
}

// Acked and Sent return the payload bytes acknowledged, and up to the next packet to send, since
// the start.
func (s *Sender) Acked() int64 { return s.acked }

// Sent returns the payload bytes before the next packet to send.
func (s *Sender) Sent() int64 { return s.bytesAt(s.next) }

func (s *Sender) bytesAt(seq int64) int64 {
	if seq >= s.end {
		return s.total
	}
	i := 0
	if seq == s.next {
		i = s.cur
	}
	for seq > s.at(i).Last() {
		i++
	}
	m := s.at(i)
	return m.Base + (seq-m.First)*s.mtu
}

// Peek finds the next packet to send without sending it; Ready must hold.
func (s *Sender) Peek(seg *Segment) {
	seq, i := s.next, s.cur
	if s.MustResend() {
		seq, i = s.resend, 0
		for s.at(i).Last() < s.resend {
			i++
		}
	}
	m := s.at(i)
	seg.PSN, seg.Seq, seg.Offset, seg.Again, seg.Index = uint32(seq)&PSNMask, seq, (seq-m.First)*s.mtu, seq < s.high, i
	if m.Op.Asks() { // one packet asks for all that is left
		seg.First, seg.Last, seg.Payload = true, true, 0
		return
	}
	seg.First, seg.Last, seg.Payload = seq == m.First, seq == m.Last(), unit.Bytes(min(s.mtu, int64(m.Bytes)-seg.Offset))
}

// Next returns the next packet and counts it as sent; Ready must hold.
func (s *Sender) Next() (seg Segment) {
	s.take(&seg)
	return seg
}

// take is Next into a segment.
func (s *Sender) take(seg *Segment) {
	s.Peek(seg)
	if seg.Seq != s.next {
		s.resend++
		return
	}
	if s.next++; s.reads.posted > 0 {
		s.next += s.ask(seg.Index)
	}
	s.high = max(s.high, s.next)
	if seg.Last {
		s.cur++
	}
}

// OnAck acknowledges every packet up to and including psn (IBTA vol. 1, 9.7.5.1.2). It returns the
// newly acknowledged bytes; messages that are thereby complete are to be taken.
func (s *Sender) OnAck(psn uint32) unit.Bytes {
	return s.advance(min(expand(psn, s.una)+1, s.barrier()))
}

// OnNak says that the receiver expects psn and has seen a later packet: all before psn is
// acknowledged (IBTA vol. 1, 9.7.5.1.2), the rest is sent again (go-back-N).
func (s *Sender) OnNak(psn uint32) unit.Bytes {
	seq := min(expand(psn, s.una), s.barrier())
	b := s.advance(seq)
	if seq >= s.una {
		s.rewind()
	}
	return b
}

// OnSack is OnNak for selective repeat: the receiver expects psn and has accepted the packet sack
// past it.
func (s *Sender) OnSack(psn, sack uint32) unit.Bytes {
	seq := expand(psn, s.una)
	b := s.advance(seq)
	if seq < s.una || s.failed {
		return b // overtaken
	}
	if at := seq + int64(sack); at < s.high {
		s.sacked.set(at)
		s.highSack = max(s.highSack, at)
	}
	if s.tolerance == 0 || s.highSack-s.una > s.tolerance {
		s.recover(false)
	}
	return b
}

// recover begins a recovery, unless one is in progress. In one recovery, which is over when all that
// was sent before it is acknowledged, each packet is sent again at most once (IRN, SIGCOMM 2018,
// section 3.1).
func (s *Sender) recover(presumed bool) {
	if s.recovering {
		return
	}
	s.presumed = presumed
	s.recovering, s.recoveryEnd, s.resend = true, s.high-1, s.una
}

func (s *Sender) advance(to int64) unit.Bytes {
	if to <= s.una || to > s.high || s.failed {
		return 0
	}
	named := s.settle(to)
	if s.sacked.n == 0 {
		s.una = to
	}
	for ; s.una < to; s.una++ {
		s.sacked.clear(s.una)
	}
	s.retries = 0
	if s.recovering && to > s.recoveryEnd {
		s.recovering = false
	}
	for s.n > 0 && s.at(0).Last() < to {
		if s.at(0).Op.Asks() {
			s.readDone()
		}
		s.head++
		s.n--
		s.complete++
		s.cur = max(0, s.cur-1)
	}
	if s.next < to { // acknowledged while it was about to be sent again
		s.next = to
		s.cur = 0
		s.reads.restart(to)
	}
	before := s.acked
	s.acked = s.bytesAt(to)
	return unit.Bytes(s.acked - before - named)
}

// rewind makes the oldest unacknowledged packet the next to send: go-back-N.
func (s *Sender) rewind() {
	s.next = s.una
	s.cur = 0
	s.reads.restart(s.una)
	s.forget()
}

// OnTimeout is called when nothing was acknowledged for the retransmission timeout. It sends
// everything again; with selective repeat, what is known to be missing and the oldest packet and,
// when that one is acknowledged alone, the next. It returns true if p.Retries timeouts in a row
// brought no progress: then the queue pair has failed.
func (s *Sender) OnTimeout(p *Params) bool {
	s.retries++
	if s.retries > p.Retries {
		s.failed = true
		return true
	}
	s.again(p)
	return false
}

// again sends what OnTimeout does.
func (s *Sender) again(p *Params) {
	if p.Selective {
		s.recovering = false
		s.recover(true)
	} else {
		s.rewind()
	}
}

// TimeoutOf returns the retransmission timeout in force.
func (s *Sender) TimeoutOf(p *Params) unit.Duration {
	if p.TimeoutLow > 0 && s.high-s.una <= p.LowPackets {
		return p.TimeoutLow
	}
	return p.Timeout
}

// Retries returns how many timeouts in a row have brought no progress.
func (s *Sender) Retries() int { return s.retries }

// Una returns the sequence number of the oldest packet that is not acknowledged.
func (s *Sender) Una() int64 { return s.una }
