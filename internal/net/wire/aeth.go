package wire

import (
	"encoding/binary"
	"fmt"
)

// AckKind is what an acknowledgement says: the two bits after the first of its syndrome.
type AckKind uint8

// The kinds of acknowledgement (IBTA vol. 1 section 9.7.5); 2 is reserved.
const (
	ACK    AckKind = 0 // Value: credit count, 31 if there is no end-to-end flow control
	RNRNAK AckKind = 1 // receiver not ready; Value: timer code
	NAK    AckKind = 3 // Value: one of the NAK codes
)

// NAK codes.
const (
	NAKSequence     uint8 = 0 // a PSN was skipped: go back
	NAKInvalid      uint8 = 1 // invalid request
	NAKRemoteAccess uint8 = 2 // R_Key, range or permission is wrong
	NAKRemoteOp     uint8 = 3 // the receiver cannot complete the operation
)

// AETH acknowledges packets (IBTA vol. 1 section 9.3.5); its BTH's PSN says up to which.
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|0|Kin|  Value  |          Message sequence number              |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
type AETH struct {
	Kind  AckKind
	Value uint8  // 5 bits
	MSN   uint32 // 24 bits: messages completed at the receiver
}

// Append writes the header after b.
func (h AETH) Append(b []byte) []byte {
	if h.Kind > NAK || h.Kind == 2 || h.Value > 31 || h.MSN >= 1<<24 {
		panic(fmt.Sprintf("wire: AETH field too large or reserved: %+v", h))
	}
	return binary.BigEndian.AppendUint32(b, uint32(h.Kind)<<29|uint32(h.Value)<<24|h.MSN)
}

// DecodeAETH reads the header at the start of b.
func DecodeAETH(b []byte) (AETH, error) {
	if err := need(b, AETHBytes, "AETH"); err != nil {
		return AETH{}, err
	}
	v := binary.BigEndian.Uint32(b)
	h := AETH{Kind: AckKind(v >> 29 & 3), Value: uint8(v >> 24 & 31), MSN: v & (1<<24 - 1)}
	if v>>31 != 0 || h.Kind == 2 {
		return AETH{}, fmt.Errorf("AETH: syndrome 0x%02x is reserved, want an ACK (000xxxxx), RNR NAK (001xxxxx) or "+
			"NAK (011xxxxx)", v>>24)
	}
	return h, nil
}

// CNP is what the receiver of congestion-marked packets sends to their sender (annex
// A17.9.3): a BTH with an opcode of its own, BECN set and PSN 0, and 16 reserved bytes.
//
//	+---------------------------------------------------------------+
//	|  BTH: OpCode 0x81, B = 1, destination queue pair, PSN 0       |  12 bytes
//	+---------------------------------------------------------------+
//	|  reserved: sent as zero                                       |  16 bytes
//	+---------------------------------------------------------------+
type CNP struct {
	PKey   uint16
	DestQP uint32 // 24 bits: the queue pair that shall slow down
}

// Append writes the packet after b, from the BTH to the last reserved byte.
func (c CNP) Append(b []byte) []byte {
	b = BTH{Opcode: CNPOpcode, BECN: true, PKey: c.PKey, DestQP: c.DestQP}.Append(b)
	return append(b, make([]byte, CNPReservedBytes)...)
}

// DecodeCNP reads the packet that starts with its BTH at the start of b.
func DecodeCNP(b []byte) (CNP, error) {
	if err := need(b, CNPBytes, "CNP"); err != nil {
		return CNP{}, err
	}
	h, err := DecodeBTH(b)
	switch {
	case err != nil:
		return CNP{}, fmt.Errorf("CNP: %w", err)
	case h.Opcode != CNPOpcode:
		return CNP{}, fmt.Errorf("CNP: %v (0x%02x), want opcode 0x%02x", h.Opcode, uint8(h.Opcode), uint8(CNPOpcode))
	case !h.BECN:
		return CNP{}, fmt.Errorf("CNP: BECN is 0, want 1")
	}
	return CNP{PKey: h.PKey, DestQP: h.DestQP}, nil
}
