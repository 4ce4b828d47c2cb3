package fabric

import (
	"railyard/internal/base/unit"
)

// Opcode says what a frame carries: the number of the base transport header (IBTA vol. 1, 9.2.1,
// and annex A17 for the CNP). What has none there has one from the manufacturers' range.
type Opcode uint8

// The opcodes of frames.
const (
	WriteFirst   Opcode = 0x06
	WriteMiddle  Opcode = 0x07
	WriteLast    Opcode = 0x08
	WriteLastImm Opcode = 0x09
	WriteOnly    Opcode = 0x0A
	WriteOnlyImm Opcode = 0x0B
	OpAck        Opcode = 0x11
	OpCNP        Opcode = 0x81
	OpNak        Opcode = 0xC0
	OpCTS        Opcode = 0xC1
	OpCredit     Opcode = 0xC2
	OpCreditAck  Opcode = 0xC3
	OpCMRequest  Opcode = 0xC4
	OpCMReply    Opcode = 0xC5
	OpCMReady    Opcode = 0xC6
	OpCMLeave    Opcode = 0xC7
	OpCMLeft     Opcode = 0xC8
)

// data reports whether the frame carries data: a part of an RDMA WRITE.
func (o Opcode) data() bool { return o-WriteFirst <= WriteOnlyImm-WriteFirst }

// Kind says what a frame carries, all parts of a message being one kind.
type Kind uint8

// The kinds of frame.
const (
	Data Kind = iota
	Ack
	Nak
	CNP
	CTS
	Credit
	CreditAck
	CMRequest // connection managers' messages: REQ
	CMReply   // REP
	CMReady   // RTU
	CMLeave   // DREQ
	CMLeft    // DREP
)

// Forward reports whether frames of the kind go from the sender of a queue pair to its receiver.
func (k Kind) Forward() bool {
	return k == Data || k == CreditAck || k == CMRequest || k == CMReady || k == CMLeave
}

// Kind returns the kind of frame that an opcode makes.
func (o Opcode) Kind() Kind {
	switch o {
	case OpAck:
		return Ack
	case OpNak:
		return Nak
	case OpCNP:
		return CNP
	case OpCTS:
		return CTS
	case OpCredit:
		return Credit
	case OpCreditAck:
		return CreditAck
	case OpCMRequest:
		return CMRequest
	case OpCMReply:
		return CMReply
	case OpCMReady:
		return CMReady
	case OpCMLeave:
		return CMLeave
	case OpCMLeft:
		return CMLeft
	}
	return Data
}

// Packet is one frame: 32 bytes, no pointer.
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+---------------------------------------------------------------+
//	|  on a link: when it reaches the far end                       |
//	|  in a switch: the account that it is charged to               |
//	|  in a NIC: since when it waits there                (64 bits) |
//	+---------------------------------------------------------------+
//	|  flow                                                         |
//	+-----------------------------------------------+---------------+
//	|  PSN, or collective                           |  opcode       |
//	+-----------------------------------------------+---------------+
//	|  route: index of the port that it leaves by next              |
//	+---------------------------------------------------------------+
//	|  attachment: slot of a Trace + 1, or a count                  |
//	+-------------------------------+-------------------------------+
//	|  bytes                        |  entropy                      |
//	+-------------------------------+-----------+---+-----+-+-+-----+
//	|  SACK                         |  DSCP     |ECN|class|E|A|B|R|T|
//	+-------------------------------+-----------+---+-----+-+-+-----+
//
// Drawn as named, not as laid out in memory. E: echo, A: AckReq, B: BECN, R: sent again, T: in a tunnel. Flow, PSN, SACK, count, collective
// and what a Trace says of landing belong to sources and sinks at the edge; the fabric carries them.
// Clear-to-sends and credits have a count and a collective, and no Trace.
type Packet struct {
	at      int64  // by where it is, see above
	Flow    int32  // whose frame it is, to the edge
	psn     uint32 // opcode in the upper 8 bits
	route   uint32 // index into the route table of the port it leaves by next
	attach  int32
	Bytes   uint16 // of the frame, headers and FCS included, preamble and gap not
	Entropy uint16 // the UDP source port: what tells flows between two addresses apart
	sack    uint16
	tos     uint8 // DSCP and ECN, as in the IP header (RFC 2474, RFC 3168)
	bits    uint8
}

const (
	psnMask = 1<<24 - 1

	// ECN in tos.
	ecnMask    = 3
	ecnCapable = 2 // ECT(0)
	ecnMarked  = 3 // congestion experienced

	// bits.
	classMask = 7
	bitEcho   = 1 << 3 // an acknowledgement that echoes a mark
	bitAckReq = 1 << 4 // wants an acknowledgement at once
	bitBECN   = 1 << 5 // an answer to a packet that was marked
	bitAgain  = 1 << 6 // a packet that has been sent before
	bitTunnel = 1 << 7 // has the headers of an overlay, see Config.Tunnel
)

// Make makes of p a frame on a route. Of psn, the lower 24 bits count.
func (p *Packet) Make(op Opcode, flow int32, psn uint32, r Route, class uint8, bytes unit.Bytes) {
	p.at, p.Flow, p.psn, p.route, p.attach = 0, flow, psn&psnMask|uint32(op)<<24, uint32(r), 0
	p.Bytes, p.Entropy, p.sack, p.tos, p.bits = uint16(bytes), 0, 0, 0, class&classMask
	if op.data() {
		p.tos = ecnCapable
	}
}

// Count returns a clear-to-send's or credit's count.
func (p *Packet) Count() uint32 { return uint32(p.attach) }

// SetCount gives a clear-to-send or a credit its count. It takes the place of a Trace.
func (p *Packet) SetCount(n uint32) { p.attach = int32(n) }

// PSN returns the packet sequence number; of a credit, which collective it is of.
func (p *Packet) PSN() uint32 { return p.psn & psnMask }

// Opcode returns what the frame carries.
func (p *Packet) Opcode() Opcode { return Opcode(p.psn >> 24) }

// Kind returns what kind of frame it is.
func (p *Packet) Kind() Kind { return p.Opcode().Kind() }

// data reports whether the frame carries data.
func (p *Packet) data() bool { return p.Opcode().data() }

// counts reports whether the attachment is a count.
func (p *Packet) counts() bool { return p.Opcode() >= OpCTS }

// Class returns the frame's traffic class, by its dense number.
func (p *Packet) Class() uint8 { return p.bits & classMask }

func (p *Packet) setClass(c uint8) { p.bits = p.bits&^classMask | c }

// DSCP returns the differentiated services code point: 6 bits.
func (p *Packet) DSCP() uint8 { return p.tos >> 2 }

// SetDSCP sets it.
func (p *Packet) SetDSCP(d uint8) { p.tos = p.tos&ecnMask | d<<2 }

// Marked reports whether a switch marked the frame: congestion experienced (RFC 3168).
func (p *Packet) Marked() bool { return p.tos&ecnMask == ecnMarked }

// Lands reports whether the frame has a RETH: it begins a message, or is placed by itself.
func (p *Packet) Lands() bool {
	o := p.Opcode()
	return o == WriteFirst || o == WriteOnly || o == WriteOnlyImm
}

// Last reports whether the frame ends its message. A WRITE ONLY without immediate data is a part of
// one whose packets are placed in any order.
func (p *Packet) Last() bool {
	o := p.Opcode()
	return o.data() && o >= WriteLast && o != WriteOnly
}

// Immediate reports whether the frame carries immediate data.
func (p *Packet) Immediate() bool { return p.Opcode() == WriteLastImm || p.Opcode() == WriteOnlyImm }

// SetAckReq makes the frame ask for an acknowledgement at once: the AckReq bit of the base transport
// header. Other frames are acknowledged together.
func (p *Packet) SetAckReq() { p.bits |= bitAckReq }

// AckReq reports whether the sender wants the frame acknowledged at once.
func (p *Packet) AckReq() bool { return p.bits&bitAckReq != 0 }

// SetSack says how far past the PSN of a selective NAK the packet lies that was accepted.
func (p *Packet) SetSack(d uint32) { p.sack = uint16(d) }

// Sack returns that distance.
func (p *Packet) Sack() uint32 { return uint32(p.sack) }

// SetQueued says since when an acknowledgement waits to be sent, for its trace.
func (p *Packet) SetQueued(at unit.Time) { p.at = int64(at) }

// SetEcho makes an acknowledgement say that data it acknowledges was marked.
func (p *Packet) SetEcho() { p.bits |= bitEcho }

// Echo reports whether the acknowledgement echoes a mark.
func (p *Packet) Echo() bool { return p.bits&bitEcho != 0 }

// SetBECN makes an answer say that the very packet which it answers was marked: the BECN bit of the base transport
// header (IBTA annex A17).
func (p *Packet) SetBECN() { p.bits |= bitBECN }

// BECN reports whether it says so.
func (p *Packet) BECN() bool { return p.bits&bitBECN != 0 }

// SetAgain notes that the packet has been sent before: for those who watch.
func (p *Packet) SetAgain() { p.bits |= bitAgain }

// Again reports whether it has.
func (p *Packet) Again() bool { return p.bits&bitAgain != 0 }

// Tunnelled reports whether the frame has the headers of an overlay around it.
func (p *Packet) Tunnelled() bool { return p.bits&bitTunnel != 0 }

// ECN returns the two bits of explicit congestion notification (RFC 3168).
func (p *Packet) ECN() uint8 { return p.tos & ecnMask }

// arrival is when a frame on a link reaches its far end.
func (p *Packet) arrival() unit.Time { return unit.Time(p.at) }

// account is that of the switch which the frame is in: of the link that it came over, and its class.
func (p *Packet) account() int32 { return int32(p.at) }
