package roce

import "railyard/internal/wire"

// Op is what a message asks of the other end.
type Op uint8

// The operations.
const (
	OpWriteImm Op = iota // RDMA WRITE with immediate: what simulated jobs post
	OpWrite
	OpSend
	OpSendImm
)

// Sends reports whether the other end says where the bytes go: it has posted a receive.
func (o Op) Sends() bool { return o == OpSend || o == OpSendImm }

// Receives reports whether the other end has a completion of it.
func (o Op) Receives() bool { return o != OpWrite }

// opcode returns that of a packet of a message.
func (p *Params) opcode(o Op, first, last bool) wire.Opcode {
	switch {
	case o.Sends():
		return wire.SendOpcode(first, last, o == OpSendImm)
	case p.Receiver == Direct && !last:
		return wire.WriteOnly
	}
	return wire.WriteOpcode(first || p.Receiver == Direct, last, last && o == OpWriteImm)
}

// opens reports whether a packet is the first of its message.
func (pk *Packet) opens() bool {
	return pk.Lands() || pk.Opcode == wire.SendFirst || pk.Opcode == wire.SendOnly || pk.Opcode == wire.SendOnlyImm
}

// sends reports whether a packet of data is part of a SEND.
func (pk *Packet) sends() bool { return pk.Opcode <= wire.SendOnlyImm }
