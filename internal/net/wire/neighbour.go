package wire

import (
	"encoding/binary"
	"fmt"
	"net/netip"
)

// How hosts ask each other for Ethernet addresses: ARP over IPv4, neighbour discovery over IPv6.

// TypeARP is the ethertype of the one, ProtocolICMPv6 the protocol number of the other (IANA).
const TypeARP EtherType = 0x0806

// ProtocolICMPv6 is of neighbour discovery: see TypeARP.
const ProtocolICMPv6 = 58

// Broadcast is the address of all.
var Broadcast = MAC{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}

// ARPBytes is the length of an ARP packet for IPv4 over Ethernet.
const ARPBytes = 28

// ARP is an ARP packet for IPv4 over Ethernet (RFC 826).
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|  1: Ethernet                  |  0x0800: IPv4                 |
//	|  6            |  4            |  1: request, 2: reply         |
//	|  sender's Ethernet address                    +---------------+
//	|                               |  sender's IPv4 address         |
//	|  target's Ethernet address, 6 bytes, and IPv4 address, 4 bytes |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
type ARP struct {
	Reply            bool
	Sender, Target   MAC
	SenderIP, WantIP netip.Addr // IPv4; the second is the target's
}

// Append writes the packet after b.
func (a ARP) Append(b []byte) []byte {
	b = append(b, 0, 1, 8, 0, 6, 4, 0, 1)
	if a.Reply {
		b[len(b)-1] = 2
	}
	from, to := a.SenderIP.As4(), a.WantIP.As4()
	b = append(append(b, a.Sender[:]...), from[:]...)
	return append(append(b, a.Target[:]...), to[:]...)
}

// DecodeARP reads the packet at the start of b.
func DecodeARP(b []byte) (a ARP, err error) {
	if err := need(b, ARPBytes, "ARP packet"); err != nil {
		return a, err
	}
	op := binary.BigEndian.Uint16(b[6:])
	if binary.BigEndian.Uint64(b)>>16 != 0x000108000604 || op < 1 || op > 2 {
		return a, fmt.Errorf("ARP packet: begins with % x, want Ethernet, IPv4 and operation 1 or 2", b[:8])
	}
	return ARP{Reply: op == 2, Sender: MAC(b[8:]), SenderIP: netip.AddrFrom4([4]byte(b[14:])), Target: MAC(b[18:]),
		WantIP: netip.AddrFrom4([4]byte(b[24:]))}, nil
}

// Neighbour is a neighbour solicitation or advertisement with the Ethernet address of who sends it (RFC 4861, 4.3, 4.4 and
// 4.6.1). Its checksum is written and verified, and no field.
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|  135 or 136   |  0            |  checksum                     |
//	|0|S|O|                          0                              |
//	|  target, 16 bytes                                             |
//	|  1 or 2       |  1            |  Ethernet address, 6 bytes    |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
type Neighbour struct {
	Advertises bool
	Target     netip.Addr
	Link       MAC // zero: it does not say
}

// NeighbourBytes is the length of one with an Ethernet address.
const NeighbourBytes = 32

const (
	solicitation  = 135
	advertisement = 136
)

// Append writes the message after b, in a packet of these addresses.
func (n Neighbour) Append(b []byte, source, dest netip.Addr) []byte {
	start := len(b)
	target := n.Target.As16()
	kind, flags, option := byte(solicitation), byte(0), byte(1)
	if n.Advertises {
		kind, flags, option = advertisement, 3<<5, 2 // solicited, override
	}
	b = append(b, kind, 0, 0, 0, flags, 0, 0, 0)
	b = append(append(b, target[:]...), option, 1)
	b = append(b, n.Link[:]...)
	binary.BigEndian.PutUint16(b[start+2:], checksum(ProtocolICMPv6, source, dest, b[start:]))
	return b
}

// DecodeNeighbour reads the message b of a packet of these addresses.
func DecodeNeighbour(b []byte, source, dest netip.Addr) (n Neighbour, err error) {
	const fixed = 24
	if err := need(b, fixed, "neighbour discovery"); err != nil {
		return n, err
	}
	switch {
	case b[0] != solicitation && b[0] != advertisement || b[1] != 0:
		return n, fmt.Errorf("neighbour discovery: type %d, code %d, want %d or %d and 0", b[0], b[1], solicitation, advertisement)
	case fold(pseudo(ProtocolICMPv6, source, dest, b)) != 0xFFFF:
		return n, fmt.Errorf("neighbour discovery: checksum 0x%04x does not fit", binary.BigEndian.Uint16(b[2:]))
	}
	n = Neighbour{Advertises: b[0] == advertisement, Target: netip.AddrFrom16([16]byte(b[8:]))}
	for o := b[fixed:]; len(o) >= 8; {
		size := int(o[1]) * 8
		if size == 0 || size > len(o) {
			return n, fmt.Errorf("neighbour discovery: an option of %d bytes, want 8 to %d", size, len(o))
		}
		if o[0] == 1 && !n.Advertises || o[0] == 2 && n.Advertises {
			n.Link = MAC(o[2:])
		}
		o = o[size:]
	}
	return n, nil
}
