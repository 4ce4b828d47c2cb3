package wire

import (
	"encoding/binary"
	"fmt"

	"railyard/internal/base/unit"
)

// Values that make a frame a PFC frame (IEEE 802.3 annexes 31A and 31D).
const (
	PFCOpcode uint16 = 0x0101

	quantumBytes unit.Bytes = 512 / 8 // in bit times of the link, one pause quantum
	controlBytes unit.Bytes = 20      // opcode, class-enable vector, times
)

// MACControlAddress is the multicast address of MAC control frames, which no bridge
// forwards (IEEE 802.3 annex 31B).
var MACControlAddress = MAC{0x01, 0x80, 0xC2, 0x00, 0x00, 0x01}

// PFC asks the other end of a link to stop sending some priorities for a while (IEEE
// 802.1Qbb; 802.3 annex 31D). Bit p of Enable makes Quanta[p] valid; 0 quanta resumes.
//
//	bytes
//	  6   destination 01-80-C2-00-00-01
//	  6   source
//	  2   ethertype 0x8808, MAC control
//	  2   opcode 0x0101, priority-based flow control
//	  2   class-enable vector: 8 zero bits, then priority 7 ... priority 0
//	  16  time, 8 x 16 bits: priority 0 first, in quanta of 512 bit times
//	  26  padding to the shortest frame
//	  4   frame check sequence
type PFC struct {
	Source MAC
	Enable uint8     // bit p: priority p
	Quanta [8]uint16 // by priority
}

// Append writes the frame after b, FCS included.
func (f PFC) Append(b []byte) []byte {
	start := len(b)
	b = Ethernet{Dest: MACControlAddress, Source: f.Source, Type: TypeMACControl}.Append(b)
	return AppendFCS(pad(f.appendControl(b), start), start)
}

// appendControl writes what follows the ethertype, without padding.
func (f PFC) appendControl(b []byte) []byte {
	b = append(binary.BigEndian.AppendUint16(b, PFCOpcode), 0, f.Enable)
	for _, q := range f.Quanta {
		b = binary.BigEndian.AppendUint16(b, q)
	}
	return b
}

// DecodePFC reads the frame at the start of b, FCS included.
func DecodePFC(b []byte) (PFC, error) {
	if err := need(b, PFCFrameBytes, "PFC frame"); err != nil {
		return PFC{}, err
	}
	b = b[:PFCFrameBytes]
	if err := CheckFCS(b); err != nil {
		return PFC{}, fmt.Errorf("PFC frame: %w", err)
	}
	switch typ := EtherType(binary.BigEndian.Uint16(b[12:])); {
	case MAC(b) != MACControlAddress:
		return PFC{}, fmt.Errorf("PFC frame: destination % x, want % x", b[:6], MACControlAddress[:])
	case typ != TypeMACControl:
		return PFC{}, fmt.Errorf("PFC frame: ethertype 0x%04x, want 0x%04x", uint16(typ), uint16(TypeMACControl))
	}
	f, err := decodeControl(b[EthernetBytes:])
	if err != nil {
		return PFC{}, err
	}
	f.Source = MAC(b[6:])
	return f, nil
}

// decodeControl reads what follows the ethertype.
func decodeControl(b []byte) (PFC, error) {
	if err := need(b, controlBytes, "PFC frame: after the ethertype"); err != nil {
		return PFC{}, err
	}
	if op := binary.BigEndian.Uint16(b); op != PFCOpcode {
		return PFC{}, fmt.Errorf("PFC frame: opcode 0x%04x, want 0x%04x", op, PFCOpcode)
	}
	f := PFC{Enable: b[3]}
	for p := range f.Quanta {
		f.Quanta[p] = binary.BigEndian.Uint16(b[4+2*p:])
	}
	return f, nil
}

// PauseTime returns how long so many quanta hold a link of a rate, rounded up to the
// next picosecond.
func PauseTime(quanta uint16, rate unit.Bitrate) unit.Duration {
	return rate.TransmitTime(unit.Bytes(quanta) * quantumBytes)
}
