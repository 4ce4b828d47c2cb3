package headers

import (
	"encoding/binary"

	"railyard/internal/base/unit"
	"railyard/internal/engine/roce"
	"railyard/internal/net/wire"
)

// End is the queue pair that a packet goes to.
type End struct {
	QP    uint32 // its number, 24 bits
	PKey  uint16
	First wire.PSN // what is packet 0 to the core, of the direction in which data go
}

// MaxMessage is what a RETH can ask for, in bytes (IBTA vol. 1 section 9.7.1).
const MaxMessage = 1 << 31

// To writes the headers of a packet to r. payload is what it carries of its message, where it carries any. Of a
// connection manager's message the payload is that message: see Manage.
func To(r *wire.RoCE, pk *roce.Packet, to End, payload []byte) {
	*r = wire.RoCE{BTH: wire.BTH{Opcode: pk.Opcode, Migrated: true, PKey: to.PKey, DestQP: to.QP}, Payload: payload}
	switch {
	case pk.Data():
		r.BTH.PSN, r.BTH.AckReq, r.BTH.Solicited = to.First.Add(int(pk.PSN)), pk.AckReq, pk.Immediate()
		if pk.Immediate() {
			r.ImmDt = wire.ImmDt(pk.Imm)
		}
		if l := &pk.Landing; pk.Lands() {
			r.RETH = wire.RETH{Address: l.Address, RKey: l.Key, Length: uint32(min(l.Length, MaxMessage))}
		}
	case pk.Asks():
		r.BTH.PSN, r.BTH.AckReq = to.First.Add(int(pk.PSN)), pk.AckReq
		l := &pk.Landing
		if pk.Opcode == wire.ReadRequest {
			r.RETH = wire.RETH{Address: l.Address, RKey: l.Key, Length: uint32(min(l.Length, MaxMessage))}
		} else {
			r.Atomic = wire.AtomicETH{Address: l.Address, RKey: l.Key, SwapOrAdd: pk.Swap, Compare: pk.Compare}
		}
	case pk.Responds():
		r.BTH.PSN, r.AETH, r.AtomicAck = to.First.Add(int(pk.PSN)), pk.AETH, wire.AtomicAckETH(pk.Swap)
	case pk.Opcode == wire.Acknowledge:
		r.BTH.PSN, r.BTH.BECN, r.AETH = to.First.Add(int(pk.PSN)), pk.BECN || pk.Echo, pk.AETH
	case pk.Opcode == wire.CNPOpcode:
		r.BTH.BECN = true
	case counts(pk.Opcode):
		r.BTH.PSN = wire.PSN(pk.Coll) & wire.PSNMask
		r.Payload = binary.BigEndian.AppendUint32(nil, pk.Count)
	}
}

func counts(o wire.Opcode) bool {
	return o == roce.ClearToSend || o == roce.CreditGiven || o == roce.CreditTaken
}

// DefaultPartition is that of connection managers (IBTA vol. 1 section 10.9.1.2).
const DefaultPartition = 0xFFFF

// Manage writes the headers of a connection manager's message to r: it goes from queue pair 1 to queue pair 1.
func Manage(r *wire.RoCE, m *wire.CM) {
	*r = wire.RoCE{BTH: wire.BTH{Opcode: wire.DatagramSend, DestQP: wire.ServiceQP, Migrated: true, PKey: DefaultPartition},
		DETH: wire.DETH{QKey: wire.ServiceQKey, SourceQP: wire.ServiceQP}, Payload: m.Append(nil)}
}

// PutMemory writes into a REP where its receiver may write, as applications tell it each other.
func PutMemory(m *wire.Reply, address uint64, key uint32) {
	binary.BigEndian.PutUint64(m.Private[:], address)
	binary.BigEndian.PutUint32(m.Private[8:], key)
}

// From reads the headers of a packet that came to the queue pair of to. It reports false for one that the core has no
// use for.
func From(pk *roce.Packet, r *wire.RoCE, to End) bool {
	*pk = roce.Packet{Opcode: r.BTH.Opcode}
	psn := uint32((r.BTH.PSN - to.First) & wire.PSNMask)
	switch {
	case pk.Data():
		pk.PSN, pk.AckReq, pk.Imm = psn, r.BTH.AckReq, uint32(r.ImmDt)
		pk.Payload.Size = unit.Bytes(len(r.Payload))
		if pk.Lands() {
			pk.Landing = roce.Landing{Address: r.RETH.Address, Key: r.RETH.RKey, PSN: psn, Length: unit.Bytes(r.RETH.Length)}
		}
	case pk.Asks():
		pk.PSN, pk.AckReq, pk.Payload.Size = psn, r.BTH.AckReq, unit.Bytes(len(r.Payload))
		pk.Landing = roce.Landing{Address: r.RETH.Address, Key: r.RETH.RKey, PSN: psn, Length: unit.Bytes(r.RETH.Length)}
		if pk.Opcode != wire.ReadRequest {
			pk.Landing = roce.Landing{Address: r.Atomic.Address, Key: r.Atomic.RKey, PSN: psn, Length: roce.AtomicBytes}
			pk.Swap, pk.Compare = r.Atomic.SwapOrAdd, r.Atomic.Compare
		}
	case pk.Responds():
		pk.PSN, pk.AETH, pk.Swap, pk.Payload.Size = psn, r.AETH, uint64(r.AtomicAck), unit.Bytes(len(r.Payload))
	case pk.Opcode == wire.Acknowledge:
		pk.PSN, pk.BECN, pk.Echo, pk.AETH = psn, r.BTH.BECN, r.BTH.BECN, r.AETH
	case pk.Opcode == wire.CNPOpcode:
		pk.BECN = true
	case counts(pk.Opcode):
		if len(r.Payload) != 4 {
			return false
		}
		pk.Coll, pk.Count = int32(r.BTH.PSN), binary.BigEndian.Uint32(r.Payload)
	default:
		m := r.CM()
		if m == nil {
			return false
		}
		if pk.Manage = m.Kind; m.Kind == wire.CMReply {
			pk.Landing.Key = binary.BigEndian.Uint32(m.Reply.Private[8:])
		}
	}
	return true
}
