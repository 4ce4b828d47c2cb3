package roce

import "railyard/internal/net/wire"

// owed is what a responder is to send: at most one of each, behind the responses to READs that go before. A congestion
// notification goes first.
type owed struct {
	reply
	cnp    bool
	answer bool // an ACK or NAK: reply
	left   bool // a DREP
}

// reply is an ACK, a NAK or an RNR NAK.
type reply struct {
	nak     bool
	rnr     bool
	value   uint8 // of a NAK or an RNR NAK
	echo    bool
	becn    bool
	entropy uint16
	psn     uint32
	sack    uint32
}

// Answer writes the next packet that is to be sent for what Receive took to pk: a congestion notification, then an ACK
// or a NAK. It reports false if there is none. The driver asks until then, before it hands over another packet.
func (r *Responder) Answer(pk *Packet, p *Params) bool {
	o := &r.owed
	switch {
	case o.cnp:
		o.cnp = false
		*pk = Packet{}
		pk.Opcode, pk.BECN = wire.CNPOpcode, true
	case r.asked != nil && r.asked.queue.Len() > 0:
		r.asked.answer(pk, r.msn(p), p)
	case o.answer:
		o.answer = false
		o.reply.write(pk, r.msn(p))
	case o.left:
		o.left = false
		*pk = Packet{Opcode: wire.DatagramSend, Manage: wire.CMDisconnectReply}
	default:
		return false
	}
	return true
}

// write writes an ACK or a NAK to pk.
func (o *reply) write(pk *Packet, msn uint32) {
	*pk = Packet{}
	pk.Opcode, pk.PSN, pk.Sack, pk.Entropy = wire.Acknowledge, o.psn, o.sack, o.entropy
	pk.BECN, pk.Echo = o.becn, o.echo
	pk.AETH.Kind, pk.AETH.Value, pk.AETH.MSN = wire.ACK, NoCredits, msn
	switch {
	case o.nak:
		pk.AETH.Kind, pk.AETH.Value = wire.NAK, o.value
	case o.rnr:
		pk.AETH.Kind, pk.AETH.Value = wire.RNRNAK, o.value
	}
}

// owe says that the reply which was written to owed is to be sent, behind what is to be sent before it.
func (r *Responder) owe() {
	if r.asked == nil || !r.asked.owe(&r.owed.reply) {
		r.owed.answer = true
	}
}

// msn is how many messages are complete (IBTA vol. 1, 9.7.7.1), modulo 2^24: with direct placement each packet is one.
func (r *Responder) msn(p *Params) uint32 {
	if p.Receiver == Direct {
		return uint32(r.expected) & PSNMask
	}
	n := r.taken
	for i := 0; i < len(r.open) && r.open[i].last < r.expected && r.open[i].left == 0; i++ {
		n++
	}
	return n & PSNMask
}

// Accept writes to pk that the queue pair which was asked for is there: a REP, with the key of the memory that may be
// written to.
func (r *Responder) Accept(key uint32, pk *Packet) {
	*pk = Packet{Opcode: wire.DatagramSend, Manage: wire.CMReply, Landing: Landing{Key: key}}
}

// Placed counts a message that is in memory, for admission, and returns how many there have been.
func (r *Responder) Placed() uint32 {
	r.placed++
	return r.placed
}

// Clear writes to pk that so many messages are in memory: see Slots.
func (r *Responder) Clear(placed uint32, pk *Packet) {
	*pk = Packet{Opcode: ClearToSend, Count: placed}
}
