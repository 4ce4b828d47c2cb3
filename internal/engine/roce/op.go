package roce

import "railyard/internal/net/wire"

// Op is what a message asks of the other end.
type Op uint8

// The operations.
const (
	OpWriteImm Op = iota // RDMA WRITE with immediate: what simulated jobs post
	OpWrite
	OpSend
	OpSendImm
	OpRead
	OpCompareSwap
	OpFetchAdd
)

// Sends reports whether the other end says where the bytes go: it has posted a receive.
func (o Op) Sends() bool { return o == OpSend || o == OpSendImm }

// Receives reports whether the other end has a completion of it.
func (o Op) Receives() bool { return o == OpWriteImm || o.Sends() }

// Asks reports whether the other end answers with bytes: a READ or an atomic operation.
func (o Op) Asks() bool { return o >= OpRead }

// Atomic reports whether it is an atomic operation.
func (o Op) Atomic() bool { return o >= OpCompareSwap }

// AtomicBytes is what an atomic operation works on (IBTA vol. 1, 9.4.5).
const AtomicBytes = 8

// opcode returns that of a packet of a message.
func (p *Params) opcode(o Op, first, last bool) wire.Opcode {
	switch {
	case o.Asks():
		return [...]wire.Opcode{wire.ReadRequest, wire.CompareSwap, wire.FetchAdd}[o-OpRead]
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
