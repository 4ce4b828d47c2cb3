package roce

import "railyard/internal/unit"

// Params are the choices of a queue pair that its two halves share.
type Params struct {
	MTU           unit.Bytes    // payload of a packet
	AckEvery      int           // acknowledge each so many packets, and the end of every message
	Timeout       unit.Duration // without progress, until everything is sent again; 0: never
	Retries       int           // timeouts in a row before the queue pair fails
	AckDuplicates bool          // a packet that was accepted before is acknowledged again
	NakAgain      unit.Duration // a NAK for the same gap is repeated after this; 0: never

	// Selective accepts packets out of order and resends only what is missing: IRN (Mittal et al.,
	// "Revisiting network support for RDMA", SIGCOMM 2018, section 3). Else go-back-N.
	Selective bool
	// TimeoutLow replaces Timeout while no more than LowPackets are outstanding (IRN's RTO_low and
	// N); 0: off.
	TimeoutLow unit.Duration
	LowPackets int64

	CNPInterval unit.Duration // least time between two CNPs of a queue pair
	EchoMarks   bool          // marks travel in acknowledgements instead of CNPs
	NoCNPs      bool          // receivers of marked packets send no CNPs: no sender would listen
	TimeRTT     bool          // congestion control looks at round trips
}

// packets is how many a message of so many bytes is cut into: an empty one is one packet.
func (p *Params) packets(b unit.Bytes) int64 { return max(1, int64((b+p.MTU-1)/p.MTU)) }

// MaxAhead is how far past a gap a selective receiver accepts packets.
const MaxAhead = 1 << 15

// Verdict says what to do with a received data packet.
type Verdict struct {
	Accept bool   // in order: place its bytes, now and never again
	Ack    bool   // acknowledge everything up to PSN
	Nak    bool   // tell the sender that PSN is missing
	PSN    uint32 // of the Ack or Nak
	Sack   uint32 // of a selective Nak: how far past PSN the packet lies that was accepted
}

// Receiver is the responder half of a queue pair.
type Receiver struct {
	expected int64
	unacked  int // accepted since the last acknowledgement
	gap      bool
	nakAt    unit.Time
	ahead    bitmap // selective: packets accepted past expected
}

// Expected returns the sequence number of the next packet to accept.
func (r *Receiver) Expected() int64 { return r.expected }

// OnData decides about a data packet; last says that it ends its message.
func (r *Receiver) OnData(now unit.Time, psn uint32, last bool, p *Params) Verdict {
	seq := expand(psn, r.expected)
	if p.Selective && seq >= r.expected {
		return r.onSelective(seq, last, p)
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
		if !p.AckDuplicates {
			return Verdict{}
		}
		r.unacked = 0
		return Verdict{Ack: true, PSN: uint32(r.expected-1) & PSNMask}
	}
	if r.gap && (p.NakAgain == 0 || now.Sub(r.nakAt) < p.NakAgain) {
		return Verdict{}
	}
	r.gap, r.nakAt = true, now
	r.unacked = 0
	return Verdict{Nak: true, PSN: uint32(r.expected) & PSNMask}
}

// onSelective accepts every packet that it does not have. A packet out of order is answered with a
// NAK that names it beside the one expected (IRN, SIGCOMM 2018, section 3.1).
func (r *Receiver) onSelective(seq int64, last bool, p *Params) Verdict {
	d := seq - r.expected
	switch {
	case d >= MaxAhead:
		return Verdict{}
	case d > 0:
		v := Verdict{Accept: !r.ahead.has(seq), Nak: true, PSN: uint32(r.expected) & PSNMask, Sack: uint32(d)}
		r.ahead.set(seq)
		r.gap = true
		return v
	}
	for r.expected++; r.ahead.has(r.expected); r.expected++ {
		r.ahead.clear(r.expected)
	}
	r.unacked++
	if !last && !r.gap && r.unacked < p.AckEvery {
		return Verdict{Accept: true}
	}
	r.gap = r.ahead.n > 0
	r.unacked = 0
	return Verdict{Accept: true, Ack: true, PSN: uint32(r.expected-1) & PSNMask}
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
