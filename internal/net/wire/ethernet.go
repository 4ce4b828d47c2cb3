package wire

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"railyard/internal/base/unit"
)

// MAC is an Ethernet address.
type MAC [6]byte

// String returns the address as IEEE 802 writes it, in lower case with colons: 02:00:00:00:00:07.
func (m MAC) String() string {
	return fmt.Sprintf("%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5])
}

// EtherType says what follows an Ethernet header or a VLAN tag.
type EtherType uint16

// The ethertypes that this package knows (IEEE registration authority).
const (
	TypeIPv4       EtherType = 0x0800
	TypeVLAN       EtherType = 0x8100 // IEEE 802.1Q, customer tag
	TypeIPv6       EtherType = 0x86DD
	TypeMACControl EtherType = 0x8808
	TypeLLDP       EtherType = 0x88CC
)

// Ethernet is the header that begins each frame (IEEE 802.3 clause 3).
//
//	bytes
//	  6   destination
//	  6   source
//	  2   ethertype
type Ethernet struct {
	Dest, Source MAC
	Type         EtherType
}

// Append writes the header after b.
func (h Ethernet) Append(b []byte) []byte {
	b = append(append(b, h.Dest[:]...), h.Source[:]...)
	return binary.BigEndian.AppendUint16(b, uint16(h.Type))
}

// DecodeEthernet reads the header at the start of b.
func DecodeEthernet(b []byte) (Ethernet, error) {
	if err := need(b, EthernetBytes, "Ethernet header"); err != nil {
		return Ethernet{}, err
	}
	return Ethernet{Dest: MAC(b), Source: MAC(b[6:]), Type: EtherType(binary.BigEndian.Uint16(b[12:]))}, nil
}

// VLAN is what follows the ethertype 0x8100: the tag, and the ethertype of what it tags
// (IEEE 802.1Q section 9.6).
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	| PCP |D|        VLAN id        |           ethertype           |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
type VLAN struct {
	Priority     uint8  // PCP: 3 bits
	DropEligible bool   // D
	ID           uint16 // 12 bits
	Type         EtherType
}

// Append writes the tag after b.
func (h VLAN) Append(b []byte) []byte {
	if h.Priority > 7 || h.ID >= 1<<12 {
		panic(fmt.Sprintf("wire: VLAN field too large: %+v", h))
	}
	b = binary.BigEndian.AppendUint16(b, uint16(h.Priority)<<13|uint16(bit(h.DropEligible, 4))<<8|h.ID)
	return binary.BigEndian.AppendUint16(b, uint16(h.Type))
}

// DecodeVLAN reads the tag at the start of b.
func DecodeVLAN(b []byte) (VLAN, error) {
	if err := need(b, VLANBytes, "VLAN tag"); err != nil {
		return VLAN{}, err
	}
	v := binary.BigEndian.Uint16(b)
	return VLAN{Priority: uint8(v >> 13), DropEligible: v>>12&1 != 0, ID: v & (1<<12 - 1),
		Type: EtherType(binary.BigEndian.Uint16(b[2:]))}, nil
}

// MinFrameBytes is the shortest Ethernet frame, FCS included (IEEE 802.3 clause 4.4.2).
const MinFrameBytes unit.Bytes = 64

// pad fills the frame b[start:] with zeros up to the shortest frame, the FCS still to come.
func pad(b []byte, start int) []byte {
	if short := int(MinFrameBytes-FCSBytes) - (len(b) - start); short > 0 {
		b = append(b, make([]byte, short)...)
	}
	return b
}

// AppendFCS appends the frame check sequence of the frame b[start:] (IEEE 802.3
// clause 3.2.9). It goes out least significant byte first.
func AppendFCS(b []byte, start int) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start:]))
}

// CheckFCS reports a frame whose last four bytes are not its frame check sequence.
func CheckFCS(b []byte) error {
	if err := need(b, FCSBytes, "frame"); err != nil {
		return err
	}
	body := b[:len(b)-int(FCSBytes)]
	fcs, want := binary.LittleEndian.Uint32(b[len(body):]), crc32.ChecksumIEEE(body)
	if fcs != want {
		return fmt.Errorf("frame check sequence 0x%08x, want 0x%08x", fcs, want)
	}
	return nil
}
