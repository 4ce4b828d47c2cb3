package wire

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"railyard/internal/unit"
)

// Values that make a frame a PFC frame (IEEE 802.3 annexes 31A and 31D).
const (
	MACControlEtherType uint16 = 0x8808
	PFCOpcode           uint16 = 0x0101
	QuantumBits                = 512 // bit times of the link in one pause quantum
	pfcUnpadded                = 34  // bytes before the padding
)

// MACControlAddress is the multicast address of MAC control frames, which no bridge
// forwards (IEEE 802.3 annex 31B).
var MACControlAddress = [6]byte{0x01, 0x80, 0xC2, 0x00, 0x00, 0x01}

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
	Source [6]byte
	Enable uint8     // bit p: priority p
	Quanta [8]uint16 // by priority
}

// Append writes the frame after b, FCS included.
func (f PFC) Append(b []byte) []byte {
	start := len(b)
	b = append(append(b, MACControlAddress[:]...), f.Source[:]...)
	b = binary.BigEndian.AppendUint16(b, MACControlEtherType)
	b = binary.BigEndian.AppendUint16(b, PFCOpcode)
	b = append(b, 0, f.Enable)
	for _, q := range f.Quanta {
		b = binary.BigEndian.AppendUint16(b, q)
	}
	b = append(b, make([]byte, PFCFrameBytes-FCSBytes-pfcUnpadded)...)
	return AppendFCS(b, start)
}

// DecodePFC reads the frame at the start of b, FCS included.
func DecodePFC(b []byte) (PFC, error) {
	if err := need(b, PFCFrameBytes, "PFC frame"); err != nil {
		return PFC{}, err
	}
	b = b[:PFCFrameBytes]
	typ, op := binary.BigEndian.Uint16(b[12:]), binary.BigEndian.Uint16(b[14:])
	fcs := binary.LittleEndian.Uint32(b[PFCFrameBytes-FCSBytes:])
	switch want := crc32.ChecksumIEEE(b[:PFCFrameBytes-FCSBytes]); {
	case fcs != want:
		return PFC{}, fmt.Errorf("PFC frame: frame check sequence 0x%08x, want 0x%08x", fcs, want)
	case [6]byte(b) != MACControlAddress:
		return PFC{}, fmt.Errorf("PFC frame: destination % x, want % x", b[:6], MACControlAddress[:])
	case typ != MACControlEtherType:
		return PFC{}, fmt.Errorf("PFC frame: ethertype 0x%04x, want 0x%04x", typ, MACControlEtherType)
	case op != PFCOpcode:
		return PFC{}, fmt.Errorf("PFC frame: opcode 0x%04x, want 0x%04x", op, PFCOpcode)
	}
	f := PFC{Source: [6]byte(b[6:]), Enable: b[17]}
	for p := range f.Quanta {
		f.Quanta[p] = binary.BigEndian.Uint16(b[18+2*p:])
	}
	return f, nil
}

// PauseTime returns how long so many quanta hold a link of a rate, rounded up to the
// next picosecond.
func PauseTime(quanta uint16, rate unit.Bitrate) unit.Duration {
	return rate.TransmitTime(unit.Bytes(quanta) * QuantumBits / 8)
}

// AppendFCS appends the frame check sequence of the frame b[start:] (IEEE 802.3
// clause 3.2.9). It goes out least significant byte first.
func AppendFCS(b []byte, start int) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start:]))
}
