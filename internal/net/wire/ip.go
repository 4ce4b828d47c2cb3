package wire

import (
	"encoding/binary"
	"fmt"
	"net/netip"
)

// Numbers of the protocol that an IP header is followed by (IANA).
const ProtocolUDP = 17

// IPv4 is the IPv4 header without options (RFC 791 section 3.1; DSCP RFC 2474, ECN RFC
// 3168). Its checksum is written and verified, and no field.
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|  4    |  5    |   DSCP    |ECN|         total length          |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|        identification         |0|D|0|          0              |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	| time to live  |   protocol    |        header checksum        |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|                            source                             |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|                          destination                          |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
type IPv4 struct {
	DSCP, ECN    uint8  // 6 and 2 bits
	Length       uint16 // bytes of the packet, this header included
	ID           uint16
	DontFragment bool // D
	TTL          uint8
	Protocol     uint8
	Source, Dest netip.Addr
}

// Append writes the header after b.
func (h IPv4) Append(b []byte) []byte {
	if h.DSCP >= 1<<6 || h.ECN >= 1<<2 {
		panic(fmt.Sprintf("wire: IPv4 field too large: %+v", h))
	}
	start := len(b)
	b = append(b, 0x45, h.DSCP<<2|h.ECN)
	b = binary.BigEndian.AppendUint16(b, h.Length)
	b = binary.BigEndian.AppendUint16(b, h.ID)
	b = append(b, bit(h.DontFragment, 6), 0, h.TTL, h.Protocol, 0, 0)
	source, dest := h.Source.As4(), h.Dest.As4()
	b = append(append(b, source[:]...), dest[:]...)
	binary.BigEndian.PutUint16(b[start+10:], ^fold(sum16(0, b[start:])))
	return b
}

// DecodeIPv4 reads the header at the start of b. Options and fragments are refused.
func DecodeIPv4(b []byte) (IPv4, error) {
	if err := need(b, IPv4Bytes, "IPv4 header"); err != nil {
		return IPv4{}, err
	}
	b = b[:IPv4Bytes]
	length, flags := binary.BigEndian.Uint16(b[2:]), binary.BigEndian.Uint16(b[6:])
	switch {
	case b[0]>>4 != 4:
		return IPv4{}, fmt.Errorf("IPv4 header: version %d, want 4", b[0]>>4)
	case b[0]&15 != 5:
		return IPv4{}, fmt.Errorf("IPv4 header: length of %d words, want 5: options are not read", b[0]&15)
	case length < uint16(IPv4Bytes):
		return IPv4{}, fmt.Errorf("IPv4 header: total length %d, want at least %d", length, int64(IPv4Bytes))
	case flags&0x3FFF != 0:
		return IPv4{}, fmt.Errorf("IPv4 header: fragment (0x%04x), want a whole packet", flags)
	case fold(sum16(0, b)) != 0xFFFF:
		return IPv4{}, fmt.Errorf("IPv4 header: checksum 0x%04x does not fit", binary.BigEndian.Uint16(b[10:]))
	}
	return IPv4{DSCP: b[1] >> 2, ECN: b[1] & 3, Length: length, ID: binary.BigEndian.Uint16(b[4:]),
		DontFragment: flags>>14&1 != 0, TTL: b[8], Protocol: b[9], Source: netip.AddrFrom4([4]byte(b[12:])),
		Dest: netip.AddrFrom4([4]byte(b[16:]))}, nil
}

// IPv6 is the IPv6 header (RFC 8200 section 3).
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|  6    |   DSCP    |ECN|              flow label               |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|        payload length         |  next header  |   hop limit   |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|                    source, 16 bytes                           |
//	|                    destination, 16 bytes                      |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
type IPv6 struct {
	DSCP, ECN    uint8  // 6 and 2 bits
	FlowLabel    uint32 // 20 bits
	Length       uint16 // bytes after this header
	Protocol     uint8  // next header
	TTL          uint8  // hop limit
	Source, Dest netip.Addr
}

// Append writes the header after b.
func (h IPv6) Append(b []byte) []byte {
	if h.DSCP >= 1<<6 || h.ECN >= 1<<2 || h.FlowLabel >= 1<<20 {
		panic(fmt.Sprintf("wire: IPv6 field too large: %+v", h))
	}
	b = binary.BigEndian.AppendUint32(b, 6<<28|uint32(h.DSCP)<<22|uint32(h.ECN)<<20|h.FlowLabel)
	b = binary.BigEndian.AppendUint16(b, h.Length)
	source, dest := h.Source.As16(), h.Dest.As16()
	return append(append(append(b, h.Protocol, h.TTL), source[:]...), dest[:]...)
}

// DecodeIPv6 reads the header at the start of b.
func DecodeIPv6(b []byte) (IPv6, error) {
	if err := need(b, IPv6Bytes, "IPv6 header"); err != nil {
		return IPv6{}, err
	}
	v := binary.BigEndian.Uint32(b)
	if v>>28 != 6 {
		return IPv6{}, fmt.Errorf("IPv6 header: version %d, want 6", v>>28)
	}
	return IPv6{DSCP: uint8(v >> 22 & 63), ECN: uint8(v >> 20 & 3), FlowLabel: v & (1<<20 - 1),
		Length: binary.BigEndian.Uint16(b[4:]), Protocol: b[6], TTL: b[7], Source: netip.AddrFrom16([16]byte(b[8:])),
		Dest: netip.AddrFrom16([16]byte(b[24:]))}, nil
}

// UDP is the UDP header (RFC 768). RoCEv2 over IPv4 is sent without a checksum: the ICRC
// covers what it would.
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|          source port          |       destination port        |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|            length             |           checksum            |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
type UDP struct {
	Source, Dest uint16
	Length       uint16 // bytes of the datagram, this header included
	Checksum     uint16 // 0: none
}

// Append writes the header after b.
func (h UDP) Append(b []byte) []byte {
	for _, v := range [...]uint16{h.Source, h.Dest, h.Length, h.Checksum} {
		b = binary.BigEndian.AppendUint16(b, v)
	}
	return b
}

// DecodeUDP reads the header at the start of b.
func DecodeUDP(b []byte) (UDP, error) {
	if err := need(b, UDPBytes, "UDP header"); err != nil {
		return UDP{}, err
	}
	h := UDP{Source: binary.BigEndian.Uint16(b), Dest: binary.BigEndian.Uint16(b[2:]),
		Length: binary.BigEndian.Uint16(b[4:]), Checksum: binary.BigEndian.Uint16(b[6:])}
	if h.Length < uint16(UDPBytes) {
		return UDP{}, fmt.Errorf("UDP header: length %d, want at least %d", h.Length, int64(UDPBytes))
	}
	return h, nil
}

// UDPChecksum returns the checksum of a datagram whose checksum field is zero, over its
// pseudo header (RFC 768; RFC 8200 section 8.1, which wants one over IPv6).
func UDPChecksum(source, dest netip.Addr, datagram []byte) uint16 {
	return checksum(ProtocolUDP, source, dest, datagram)
}

func checksum(protocol uint8, source, dest netip.Addr, message []byte) uint16 {
	if v := ^fold(pseudo(protocol, source, dest, message)); v != 0 {
		return v
	}
	return 0xFFFF // zero says that there is none
}

// pseudo is the sum of a message and its pseudo header.
func pseudo(protocol uint8, source, dest netip.Addr, message []byte) uint32 {
	s := sum16(uint32(protocol)+uint32(len(message)), source.AsSlice())
	return sum16(sum16(s, dest.AsSlice()), message)
}

// sum16 adds b to s as 16-bit words, the last one filled with a zero byte (RFC 1071).
func sum16(s uint32, b []byte) uint32 {
	for ; len(b) > 1; b = b[2:] {
		s += uint32(binary.BigEndian.Uint16(b))
	}
	if len(b) == 1 {
		s += uint32(b[0]) << 8
	}
	return s
}

// fold brings a sum of at most 65,536 words to 16 bits, carries added.
func fold(s uint32) uint16 {
	for s > 0xFFFF {
		s = s>>16 + s&0xFFFF
	}
	return uint16(s)
}

// VXLANPort is the UDP destination port of VXLAN (RFC 7348; IANA "vxlan").
const VXLANPort = 4789

// VXLAN is the header before an Ethernet frame in a tunnel (RFC 7348 section 5).
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|R|R|R|R|1|R|R|R|                   reserved                    |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|           VXLAN network identifier            |   reserved    |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
type VXLAN struct {
	VNI uint32 // 24 bits
}

// Append writes the header after b.
func (h VXLAN) Append(b []byte) []byte {
	if h.VNI >= 1<<24 {
		panic(fmt.Sprintf("wire: VXLAN field too large: %+v", h))
	}
	return binary.BigEndian.AppendUint32(append(b, 0x08, 0, 0, 0), h.VNI<<8)
}

// DecodeVXLAN reads the header at the start of b.
func DecodeVXLAN(b []byte) (VXLAN, error) {
	if err := need(b, VXLANBytes, "VXLAN header"); err != nil {
		return VXLAN{}, err
	}
	if b[0]&0x08 == 0 {
		return VXLAN{}, fmt.Errorf("VXLAN header: flags 0x%02x, want the I bit (0x08)", b[0])
	}
	return VXLAN{VNI: binary.BigEndian.Uint32(b[4:]) >> 8}, nil
}
