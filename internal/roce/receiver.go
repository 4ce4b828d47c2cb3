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
}

// Verdict says what to do with a received data packet.
type Verdict struct {
	Accept bool   // in order: place its bytes, now and never again
	Ack    bool   // acknowledge everything up to PSN
	Nak    bool   // tell the sender that PSN is missing
	PSN    uint32 // of the Ack or Nak
}

// Receiver is the responder half of a queue pair.
type Receiver struct {
	expected int64
	unacked  int // accepted since the last acknowledgement
	gap      bool
	nakAt    unit.Time
}

// Expected returns the sequence number of the next packet to accept.
func (r *Receiver) Expected() int64 { return r.expected }

// OnData decides about a data packet; last says that it ends its message.
func (r *Receiver) OnData(now unit.Time, psn uint32, last bool, p *Params) Verdict {
	seq := expand(psn, r.expected)
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
