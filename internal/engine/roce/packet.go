package roce

import (
	"railyard/internal/base/unit"
	"railyard/internal/net/wire"
)

// Opcodes of what libraries send as small writes, and this queue pair as packets of their own: from the manufacturers'
// range (IBTA vol. 1, 9.2.1).
const (
	ClearToSend wire.Opcode = 0xC1 // see Slots
	CreditGiven wire.Opcode = 0xC2 // see Given
	CreditTaken wire.Opcode = 0xC3 // its answer
)

// Packet is one packet of a queue pair: what its headers say, whoever carries it. A field that its opcode does not
// call for is not valid, but for the flags, Sack and Entropy, which are then zero.
type Packet struct {
	Opcode wire.Opcode
	AckReq bool // asks for an acknowledgement at once (BTH)
	Marked bool // congestion experienced (ECN of the IP header)
	BECN   bool // the very packet that this one answers was marked (BTH, annex A17)
	Echo   bool // one of those that this one acknowledges was marked, and none before told of it
	Again  bool // has been sent before: for those who watch

	Manage  wire.CMKind // of a DatagramSend: what connection managers say
	Entropy uint16      // UDP source port; 0: that of the queue pair
	PSN     uint32
	AETH    wire.AETH // of an Acknowledge: ACK, or NAK of a missing packet
	// Sack, of a selective NAK or an early ACK, is how far past the expected packet the one lies that was accepted.
	Sack uint32
	// Landing is where the message goes: with opcodes that have a RETH. Of a REP, Key is that of the memory to write to.
	Landing Landing
	Imm     uint32  // immediate data
	Coll    int32   // of credits: which collective they are of
	Count   uint32  // of credits and clear-to-sends: how many there have been
	Payload Payload // of data, and of responses to a READ
	// Of an atomic operation: what is swapped in or added, and compared with. Of what answers it, Swap is what the memory held.
	Swap, Compare uint64
}

// Landing says where the bytes of an RDMA WRITE go: the RDMA extended transport header (IBTA vol. 1,
// 9.3), with the PSN of the message's first packet.
//
// It comes with the first packet. Where packets are placed in any order, each has it, as in IRN
// (SIGCOMM 2018, section 4.3): RETH then is in every packet.
type Landing struct {
	Address uint64
	Key     uint32 // of the memory region
	PSN     uint32
	Length  unit.Bytes
}

// Payload names the bytes of a packet to be sent: they lie at the driver.
type Payload struct {
	Message int   // which, counted from the oldest that is not acknowledged: see Sender.Message
	Offset  int64 // in the message
	Size    unit.Bytes
}

// Lands reports whether a packet of data says where its message goes: it has a RETH.
func (pk *Packet) Lands() bool { return lands(pk.Opcode) }

func lands(o wire.Opcode) bool {
	return o == wire.WriteFirst || o == wire.WriteOnly || o == wire.WriteOnlyImm
}

// Data reports whether a packet is a part of a SEND or an RDMA WRITE.
func (pk *Packet) Data() bool { return pk.Opcode <= wire.WriteOnlyImm }

// Asks reports whether a packet is a READ or an atomic operation: it is answered with bytes.
func (pk *Packet) Asks() bool {
	return pk.Opcode == wire.ReadRequest || pk.Opcode == wire.CompareSwap || pk.Opcode == wire.FetchAdd
}

// Responds reports whether a packet answers one that Asks.
func (pk *Packet) Responds() bool {
	return pk.Opcode >= wire.ReadResponseFirst && pk.Opcode <= wire.AtomicAcknowledge && pk.Opcode != wire.Acknowledge
}

// Nak reports whether a packet tells of a missing one.
func (pk *Packet) Nak() bool { return pk.Opcode == wire.Acknowledge && pk.AETH.Kind == wire.NAK }

// Immediate reports whether a packet has immediate data.
func (pk *Packet) Immediate() bool {
	switch pk.Opcode {
	case wire.WriteLastImm, wire.WriteOnlyImm, wire.SendLastImm, wire.SendOnlyImm:
		return true
	}
	return false
}

// Ends reports whether a packet of data ends its message. With direct placement each is a WRITE of its own, and the
// one with immediate data ends the message.
func (p *Params) Ends(o wire.Opcode) bool {
	switch o {
	case wire.WriteLastImm, wire.WriteOnlyImm, wire.SendLast, wire.SendLastImm, wire.SendOnly, wire.SendOnlyImm,
		wire.ReadRequest, wire.CompareSwap, wire.FetchAdd:
		return true
	case wire.WriteLast, wire.WriteOnly:
		return p.Receiver != Direct
	}
	return false
}

// NoCredits is the credit count of an acknowledgement that says there is no end-to-end flow control (IBTA vol. 1
// table 46).
const NoCredits = 31
