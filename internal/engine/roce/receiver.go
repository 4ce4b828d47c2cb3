package roce

import (
	"errors"
	"fmt"

	"railyard/internal/base/unit"
)

// Params are the choices of a queue pair that its two halves share.
type Params struct {
	MTU           unit.Bytes    // payload of a packet
	AckEvery      int           // acknowledge each so many packets, and the end of every message
	AskEvery      int64         // ask for an acknowledgement with each so many packets, and the last; 0: with the last
	RNRRetries    int           // RNR NAKs in a row before the queue pair fails; ForeverRNR: it never does
	Timeout       unit.Duration // without progress, until everything is sent again; 0: never
	Retries       int           // timeouts in a row before the queue pair fails
	AckDuplicates bool          // a packet that was accepted before is acknowledged again
	NakAgain      unit.Duration // a NAK for the same gap is repeated after this; 0: never

	// Receiver says what becomes of a packet that is not the next one.
	Receiver ReceiverKind
	Buffer   int // Buffered: packets that are kept past a gap, at least 1
	// Tolerance is how many packets past a gap it counts as late and not as lost; AnyOrder: however
	// many, so that only a full buffer or a timeout tell of a loss. 0 with InOrder.
	Tolerance int64

	// Selective sends again only what is missing: IRN (Mittal et al., "Revisiting network support for
	// RDMA", SIGCOMM 2018, section 3). Else go-back-N. It is not with InOrder.
	Selective bool
	// TimeoutLow replaces Timeout while no more than LowPackets are outstanding (IRN's RTO_low and
	// N); 0: off.
	TimeoutLow unit.Duration
	LowPackets int64
	// Adaptive has the timer follow round trips: their smoothed mean and four deviations (RFC 6298, section 2), at least so
	// long, twice as long after each timeout (section 5.5), never over Timeout. What expires before Timeout is no retry. 0: off.
	Adaptive unit.Duration

	CNPInterval unit.Duration // least time between two CNPs of a queue pair
	EchoMarks   bool          // marks travel in acknowledgements instead of CNPs
	NoCNPs      bool          // receivers of marked packets send no CNPs: no sender would listen
	TimeRTT     bool          // congestion control looks at round trips
	NoWindow    bool          // congestion control limits no bytes in flight: it is not asked

	Entropy Entropy // with another kind than OneEntropy, not InOrder

	// READs and atomic operations, with InOrder: how many may be without their answer as requester (max_rd_atomic of verbs), and
	// how many a responder remembers to answer them again (max_dest_rd_atomic). 0: none, as in simulated jobs.
	Reads, Resources int
}

// packets is how many a message of so many bytes is cut into: an empty one is one packet.
func (p *Params) packets(b unit.Bytes) int64 { return max(1, int64((b+p.MTU-1)/p.MTU)) }

// ReceiverKind says what a receiver does with a packet that comes before one that it expects.
type ReceiverKind uint8

// The kinds of receiver.
const (
	// InOrder drops it and answers the gap with a NAK, PSN sequence error: what a reliable connection
	// demands (IBTA vol. 1, 9.7.5).
	InOrder ReceiverKind = iota
	// Buffered keeps it until those before it are there, up to Buffer packets of a queue pair, and drops
	// what comes beyond: a NIC with memory for reordering. MP-RDMA bounds how far packets may run apart
	// for that memory's sake (Lu et al., NSDI 2018).
	Buffered
	// Direct places it at once. For that each packet is a WRITE ONLY with a RETH of its own, 16 bytes
	// more (IRN, section 4.3; AWS's SRD leaves the order to the host too: Shalev et al., IEEE Micro 2020).
	// Messages complete in order.
	Direct
)

// AnyOrder is a tolerance that no gap exceeds.
const AnyOrder = MaxAhead

// MaxAhead is how far past a gap a receiver accepts packets.
const MaxAhead = 1 << 15

// tolerance is how far past a gap the sender must have news of a packet to count the gap as lost. A
// buffer that is full says so too.
func (p *Params) tolerance() int64 {
	if p.Receiver == Buffered {
		return min(p.Tolerance, int64(p.Buffer)-1)
	}
	return p.Tolerance
}

// Validate reports what does not go together.
func (p *Params) Validate() error {
	switch {
	case p.Selective && p.Receiver == InOrder:
		return errors.New("selective repeat with a receiver that keeps no packet past a gap: everything past it " +
			"must be sent again")
	case p.Receiver == Buffered && (p.Buffer < 1 || p.Buffer >= MaxAhead):
		return fmt.Errorf("a buffer of %d packets, want 1 to %d", p.Buffer, MaxAhead-1)
	case p.Tolerance < 0 || p.Tolerance > AnyOrder || p.Receiver == InOrder && p.Tolerance > 0:
		return fmt.Errorf("a tolerance of %d packets, want 0 to %d, and 0 with a receiver in order", p.Tolerance,
			AnyOrder)
	case p.Entropy.Kind != OneEntropy && p.Receiver == InOrder:
		return errors.New("packets by several paths, and a receiver in order: each that overtakes another is a NAK")
	case p.Entropy.Kind == RecycledEntropy && p.Entropy.Cache < 1:
		return fmt.Errorf("a cache of %d entropies, want at least 1", p.Entropy.Cache)
	}
	return nil
}

// Verdict says what to do with a received data packet.
type Verdict struct {
	Accept bool // place its bytes, now and never again
	Keep   bool // keep it: its bytes are placed when the packets before it have come
	Full   bool // dropped, because as many packets are kept as can be
	Ack    bool // acknowledge everything up to PSN
	Early  bool // of an Ack: it also names a packet past a gap
	Nak    bool // tell the sender that PSN is missing
	// Freed is how many of the packets that were kept are to be placed now, behind this one.
	Freed int
	PSN   uint32 // of the Ack or Nak
	Sack  uint32 // of a selective Nak, an early Ack: how far past the one expected the packet lies that was accepted
}

// Receiver is the responder half of a queue pair.
type Receiver struct {
	expected int64
	unacked  int // accepted since the last acknowledgement
	gap      bool
	nakAt    unit.Time
	ahead    bitmap // packets accepted or kept past expected
	tally    Tally
	naked    int64 // one more than the packet that the last NAK called missing
}

// Tally counts what reordering came to at a receiver.
type Tally struct {
	Most  int   // packets past a gap at one time
	Full  int64 // packets dropped because the buffer was full
	Gaps  int64 // that were answered with a NAK
	Early int64 // of these: the missing packet was only late. It came by itself, and then again
}

// Tally returns the counts so far.
func (r *Receiver) Tally() Tally { return r.tally }

// Expected returns the sequence number of the next packet to accept.
func (r *Receiver) Expected() int64 { return r.expected }

// OnData decides about a data packet; last says that it ends its message.
func (r *Receiver) OnData(now unit.Time, psn uint32, last bool, p *Params) Verdict {
	seq := expand(psn, r.expected)
	if p.Receiver != InOrder && seq >= r.expected {
		if seq > r.expected {
			return r.onAhead(now, seq, p)
		}
		return r.onNext(last, p)
	}
	switch {
	case seq == r.expected:
		r.expected++
		r.gap = false
		r.unacked++
		if last || r.unacked >= p.AckEvery {
			r.unacked = 0
			return Verdict{Accept: true, Ack: true, PSN: psn}
		}
		return Verdict{Accept: true}
	case seq < r.expected:
		return r.onDuplicate(seq, p)
	}
	return r.missing(now, p)
}

func (r *Receiver) onDuplicate(seq int64, p *Params) Verdict {
	if seq+1 == r.naked {
		r.naked = 0
		r.tally.Early++
	}
	if !p.AckDuplicates {
		return Verdict{}
	}
	r.unacked = 0
	return Verdict{Ack: true, PSN: uint32(r.expected-1) & PSNMask}
}

// missing answers a gap: once, or again after a while.
func (r *Receiver) missing(now unit.Time, p *Params) Verdict {
	if r.gap && (p.NakAgain == 0 || now.Sub(r.nakAt) < p.NakAgain) {
		return Verdict{}
	}
	r.gap, r.nakAt = true, now
	r.unacked = 0
	r.count()
	return Verdict{Nak: true, PSN: uint32(r.expected) & PSNMask}
}

// count counts a gap that is answered.
func (r *Receiver) count() {
	if r.naked != r.expected+1 {
		r.naked = r.expected + 1
		r.tally.Gaps++
	}
}

// onAhead takes a packet past a gap. To a sender that repeats selectively each one that it accepts or
// keeps is named beside the one expected (IRN, section 3.1); how far past the gap that is lost the sender
// judges. Otherwise the receiver does.
func (r *Receiver) onAhead(now unit.Time, seq int64, p *Params) (v Verdict) {
	d, there := seq-r.expected, r.ahead.has(seq)
	if d >= MaxAhead {
		return v
	}
	if full := p.Receiver == Buffered && !there && r.ahead.n >= p.Buffer; full {
		r.tally.Full++
		if !p.Selective {
			v = r.missing(now, p)
		}
		v.Full = true
		return v
	}
	r.ahead.set(seq)
	r.tally.Most = max(r.tally.Most, r.ahead.n)
	switch {
	case p.Selective:
		r.gap = true
		if d > p.tolerance() {
			r.count()
		}
		v = Verdict{Nak: true, PSN: uint32(r.expected) & PSNMask, Sack: uint32(d)}
	case d > p.Tolerance:
		v = r.missing(now, p)
	}
	v.Accept, v.Keep = !there && p.Receiver == Direct, !there && p.Receiver == Buffered
	if p.Entropy.Kind != OneEntropy && (v.Accept || v.Keep) && !v.Nak {
		v.Ack, v.Early, v.PSN, v.Sack = true, true, uint32(r.expected-1)&PSNMask, uint32(d)
	}
	return v
}

// onNext takes the packet that is expected, with those past it that are there. When it closes a gap it
// is acknowledged at once: the sender may be about to send them again.
func (r *Receiver) onNext(last bool, p *Params) Verdict {
	v := Verdict{Accept: true}
	freed := 0
	for r.expected++; r.ahead.has(r.expected); r.expected++ {
		r.ahead.clear(r.expected)
		freed++
	}
	if p.Receiver == Buffered {
		v.Freed = freed
	}
	r.unacked++
	if !last && !r.gap && freed == 0 && r.unacked < p.AckEvery {
		return v
	}
	r.gap = p.Selective && r.ahead.n > 0
	r.unacked = 0
	v.Ack, v.PSN = true, uint32(r.expected-1)&PSNMask
	return v
}

// bitmap marks sequence numbers in a window of MaxAhead; it takes no memory until a number is
// marked.
type bitmap struct {
	words []uint64
	n     int
}

func (b *bitmap) has(seq int64) bool {
	return b.n > 0 && b.words[seq>>6&(MaxAhead/64-1)]>>(seq&63)&1 != 0
}

func (b *bitmap) set(seq int64) {
	if b.words == nil {
		b.words = make([]uint64, MaxAhead/64)
	}
	if !b.has(seq) {
		b.words[seq>>6&(MaxAhead/64-1)] |= 1 << (seq & 63)
		b.n++
	}
}

func (b *bitmap) clear(seq int64) {
	if b.has(seq) {
		b.words[seq>>6&(MaxAhead/64-1)] &^= 1 << (seq & 63)
		b.n--
	}
}
