package wire

import (
	"encoding/binary"
	"fmt"

	"railyard/internal/base/unit"
)

// RoCEv2Port is the UDP destination port of RoCEv2 (annex A17; IANA "roce").
const RoCEv2Port = 4791

// Opcode says what a packet is and which headers follow its BTH (IBTA vol. 1
// section 9.2.1). The upper three bits are the service, 000 for a reliable connection.
type Opcode uint8

// The opcodes of a reliable connection, of the datagrams of connection managers, and that of RoCEv2's congestion
// notification packet.
const (
	SendFirst          Opcode = 0x00
	SendMiddle         Opcode = 0x01
	SendLast           Opcode = 0x02
	SendLastImm        Opcode = 0x03
	SendOnly           Opcode = 0x04
	SendOnlyImm        Opcode = 0x05
	WriteFirst         Opcode = 0x06
	WriteMiddle        Opcode = 0x07
	WriteLast          Opcode = 0x08
	WriteLastImm       Opcode = 0x09
	WriteOnly          Opcode = 0x0A
	WriteOnlyImm       Opcode = 0x0B
	ReadRequest        Opcode = 0x0C
	ReadResponseFirst  Opcode = 0x0D
	ReadResponseMiddle Opcode = 0x0E
	ReadResponseLast   Opcode = 0x0F
	ReadResponseOnly   Opcode = 0x10
	Acknowledge        Opcode = 0x11
	AtomicAcknowledge  Opcode = 0x12
	CompareSwap        Opcode = 0x13
	FetchAdd           Opcode = 0x14
	DatagramSend       Opcode = 0x64
	DatagramSendImm    Opcode = 0x65
	CNPOpcode          Opcode = 0x81
)

// has says which extended headers follow a BTH, in this order.
type has uint8

const (
	hasDETH has = 1 << iota
	hasRETH
	hasAtomicETH
	hasAETH
	hasAtomicAckETH
	hasImmDt
	hasReserved // the 16 bytes of a CNP
)

// opcodes is IBTA vol. 1, tables 38 and 39, and annex A17.9.3.
var opcodes = map[Opcode]struct {
	name string
	has  has
}{
	SendFirst:          {"SEND First", 0},
	SendMiddle:         {"SEND Middle", 0},
	SendLast:           {"SEND Last", 0},
	SendLastImm:        {"SEND Last with Immediate", hasImmDt},
	SendOnly:           {"SEND Only", 0},
	SendOnlyImm:        {"SEND Only with Immediate", hasImmDt},
	WriteFirst:         {"RDMA WRITE First", hasRETH},
	WriteMiddle:        {"RDMA WRITE Middle", 0},
	WriteLast:          {"RDMA WRITE Last", 0},
	WriteLastImm:       {"RDMA WRITE Last with Immediate", hasImmDt},
	WriteOnly:          {"RDMA WRITE Only", hasRETH},
	WriteOnlyImm:       {"RDMA WRITE Only with Immediate", hasRETH | hasImmDt},
	ReadRequest:        {"RDMA READ Request", hasRETH},
	ReadResponseFirst:  {"RDMA READ Response First", hasAETH},
	ReadResponseMiddle: {"RDMA READ Response Middle", 0},
	ReadResponseLast:   {"RDMA READ Response Last", hasAETH},
	ReadResponseOnly:   {"RDMA READ Response Only", hasAETH},
	Acknowledge:        {"Acknowledge", hasAETH},
	AtomicAcknowledge:  {"ATOMIC Acknowledge", hasAETH | hasAtomicAckETH},
	CompareSwap:        {"CmpSwap", hasAtomicETH},
	FetchAdd:           {"FetchAdd", hasAtomicETH},
	DatagramSend:       {"UD SEND Only", hasDETH},
	DatagramSendImm:    {"UD SEND Only with Immediate", hasDETH | hasImmDt},
	CNPOpcode:          {"CNP", hasReserved},
}

// String returns the standard's name of the operation.
func (o Opcode) String() string {
	if d, ok := opcodes[o]; ok {
		return d.name
	}
	return fmt.Sprintf("opcode 0x%02x", uint8(o))
}

// WriteOpcode returns the opcode of a packet of an RDMA WRITE by its place in the
// message; immediate data goes with the last packet only.
func WriteOpcode(first, last, imm bool) Opcode {
	switch {
	case first && last && imm:
		return WriteOnlyImm
	case first && last:
		return WriteOnly
	case first:
		return WriteFirst
	case last && imm:
		return WriteLastImm
	case last:
		return WriteLast
	}
	return WriteMiddle
}

// SendOpcode is WriteOpcode for a SEND.
func SendOpcode(first, last, imm bool) Opcode {
	switch {
	case first && last && imm:
		return SendOnlyImm
	case first && last:
		return SendOnly
	case first:
		return SendFirst
	case last && imm:
		return SendLastImm
	case last:
		return SendLast
	}
	return SendMiddle
}

// HasRETH reports whether a RETH follows the BTH.
func (o Opcode) HasRETH() bool { return opcodes[o].has&hasRETH != 0 }

// HasImmDt reports whether immediate data follows.
func (o Opcode) HasImmDt() bool { return opcodes[o].has&hasImmDt != 0 }

// HasAETH reports whether an AETH follows.
func (o Opcode) HasAETH() bool { return opcodes[o].has&hasAETH != 0 }

// Extended returns how many bytes of extended headers follow the BTH, without payload.
func (o Opcode) Extended() (n unit.Bytes) {
	for _, x := range [...]struct {
		has   has
		bytes unit.Bytes
	}{{hasDETH, DETHBytes}, {hasRETH, RETHBytes}, {hasAtomicETH, AtomicETHBytes}, {hasAETH, AETHBytes},
		{hasAtomicAckETH, AtomicAckETHBytes}, {hasImmDt, ImmDtBytes}, {hasReserved, CNPReservedBytes}} {
		if opcodes[o].has&x.has != 0 {
			n += x.bytes
		}
	}
	return n
}

// BTH is the base transport header, on every packet (IBTA vol. 1 section 9.2).
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|    OpCode     |S|M|Pad| TVer=0|             P_Key             |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|F|B| reserved  |            Destination queue pair             |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|A|  reserved   |                      PSN                      |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
type BTH struct {
	Opcode    Opcode
	Solicited bool   // S: raise an event at the receiver
	Migrated  bool   // M: path migration state
	Pad       uint8  // Pad: 0 to 3 bytes added to the payload
	PKey      uint16 // partition
	FECN      bool   // F: met congestion on the way
	BECN      bool   // B: what this answers met congestion; set in a CNP
	DestQP    uint32 // 24 bits
	AckReq    bool   // A: asks for an acknowledgement
	PSN       PSN
}

// Append writes the header after b.
func (h BTH) Append(b []byte) []byte {
	if h.Pad > 3 || h.DestQP >= 1<<24 || h.PSN > PSNMask {
		panic(fmt.Sprintf("wire: BTH field too large: %+v", h))
	}
	b = append(b, byte(h.Opcode), bit(h.Solicited, 7)|bit(h.Migrated, 6)|h.Pad<<4)
	b = binary.BigEndian.AppendUint16(b, h.PKey)
	b = binary.BigEndian.AppendUint32(b, uint32(bit(h.FECN, 7)|bit(h.BECN, 6))<<24|h.DestQP)
	return binary.BigEndian.AppendUint32(b, uint32(bit(h.AckReq, 7))<<24|uint32(h.PSN))
}

// DecodeBTH reads the header at the start of b.
func DecodeBTH(b []byte) (BTH, error) {
	if err := need(b, BTHBytes, "BTH"); err != nil {
		return BTH{}, err
	}
	if v := b[1] & 0x0F; v != 0 {
		return BTH{}, fmt.Errorf("BTH: transport header version %d, want 0", v)
	}
	qp, psn := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
	return BTH{
		Opcode:    Opcode(b[0]),
		Solicited: b[1]&0x80 != 0,
		Migrated:  b[1]&0x40 != 0,
		Pad:       b[1] >> 4 & 3,
		PKey:      binary.BigEndian.Uint16(b[2:]),
		FECN:      qp>>31 != 0,
		BECN:      qp>>30&1 != 0,
		DestQP:    qp & (1<<24 - 1),
		AckReq:    psn>>31 != 0,
		PSN:       PSN(psn) & PSNMask,
	}, nil
}

// RETH tells the receiver of an RDMA WRITE where its bytes go (IBTA vol. 1 section 9.3.3).
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|                                                               |
//	+                        Virtual address                        +
//	|                                                               |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|                             R_Key                             |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|                          DMA length                           |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
type RETH struct {
	Address uint64 // virtual address in the receiver's registered memory
	RKey    uint32
	Length  uint32 // bytes of the whole message
}

// Append writes the header after b.
func (h RETH) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, h.Address)
	b = binary.BigEndian.AppendUint32(b, h.RKey)
	return binary.BigEndian.AppendUint32(b, h.Length)
}

// DecodeRETH reads the header at the start of b.
func DecodeRETH(b []byte) (RETH, error) {
	if err := need(b, RETHBytes, "RETH"); err != nil {
		return RETH{}, err
	}
	return RETH{Address: binary.BigEndian.Uint64(b), RKey: binary.BigEndian.Uint32(b[8:]),
		Length: binary.BigEndian.Uint32(b[12:])}, nil
}

// need reports that b is too short for what is called name.
func need(b []byte, n unit.Bytes, name string) error {
	if unit.Bytes(len(b)) < n {
		return fmt.Errorf("%s: %d bytes, want %d", name, len(b), int64(n))
	}
	return nil
}

// bit returns 1 << n if set, else 0.
func bit(set bool, n uint) uint8 {
	if set {
		return 1 << n
	}
	return 0
}
