package wire

import (
	"encoding/binary"
	"fmt"

	"railyard/internal/unit"
)

// Packet is a RoCEv2 packet over IPv4, from its IP header on: what a raw socket has of it. Neither Append nor Decode
// takes memory beside b and the payload.
type Packet struct {
	IP   IPv4
	UDP  UDP
	RoCE RoCE
}

// PacketHeaders is how many bytes come before the BTH.
const PacketHeaders = IPv4Bytes + UDPBytes

// Append writes the packet after b, with its ICRC. Lengths, protocol, destination port, checksums and pad bytes follow
// from what is in it; those in the headers do not count.
func (p *Packet) Append(b []byte) []byte {
	start := len(b)
	n := BTHBytes + p.RoCE.BTH.Opcode.Extended() + unit.Bytes(len(p.RoCE.Payload)) + unit.Bytes(-len(p.RoCE.Payload)&3) + ICRCBytes
	ip, udp := p.IP, p.UDP
	ip.Protocol, ip.Length = ProtocolUDP, uint16(PacketHeaders+n)
	udp.Dest, udp.Length, udp.Checksum = RoCEv2Port, uint16(UDPBytes+n), 0
	return AppendICRC(p.RoCE.append(udp.Append(ip.Append(b))), start)
}

// Decode reads the packet that b is, and verifies its ICRC. The payload is memory of b.
func (p *Packet) Decode(b []byte) (err error) {
	if p.IP, err = DecodeIPv4(b); err != nil {
		return err
	}
	if int(p.IP.Length) != len(b) || p.IP.Protocol != ProtocolUDP {
		return fmt.Errorf("IPv4 header: %d bytes of protocol %d, want %d of protocol %d", p.IP.Length, p.IP.Protocol, len(b),
			ProtocolUDP)
	}
	if p.UDP, err = DecodeUDP(b[IPv4Bytes:]); err != nil {
		return err
	}
	if int(p.UDP.Length) != len(b)-int(IPv4Bytes) || p.UDP.Dest != RoCEv2Port {
		return fmt.Errorf("UDP header: %d bytes to port %d, want %d to port %d", p.UDP.Length, p.UDP.Dest,
			len(b)-int(IPv4Bytes), RoCEv2Port)
	}
	r := &p.RoCE
	*r = RoCE{}
	body := b[PacketHeaders:]
	if r.BTH, err = DecodeBTH(body); err != nil {
		return err
	}
	fixed := BTHBytes + r.BTH.Opcode.Extended()
	payload := len(body) - int(fixed+ICRCBytes) - int(r.BTH.Pad)
	if payload < 0 {
		return fmt.Errorf("RoCEv2 packet: %d bytes, want at least %d: %v with %d pad bytes and ICRC", len(body),
			len(body)-payload, r.BTH.Opcode, r.BTH.Pad)
	}
	if err := r.extended(body); err != nil {
		return err
	}
	r.Payload = body[fixed : int(fixed)+payload]
	r.ICRC = binary.LittleEndian.Uint32(b[len(b)-int(ICRCBytes):])
	return CheckICRC(b)
}
