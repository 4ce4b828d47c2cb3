package wire

import (
	"encoding/binary"
	"fmt"

	"railyard/internal/base/unit"
)

// Packet is a RoCEv2 packet, from its IP header on: what a raw socket has of it. With IPv6 addresses IP is what an IPv6 header
// has of it; flow label, identification and DontFragment are then 0. Neither Append nor Decode takes memory beside b and the
// payload.
type Packet struct {
	IP   IPv4
	UDP  UDP
	RoCE RoCE
}

// PacketHeaders returns how many bytes of a packet come before its BTH.
func PacketHeaders(six bool) unit.Bytes {
	if six {
		return IPv6Bytes + UDPBytes
	}
	return IPv4Bytes + UDPBytes
}

// IsIPv6 reports whether a packet that begins with its IP header is one of IPv6.
func IsIPv6(b []byte) bool { return len(b) > 0 && b[0]>>4 == 6 }

// Append writes the packet after b, with its ICRC. Lengths, protocol, destination port, checksums and pad bytes follow
// from what is in it; those in the headers do not count.
func (p *Packet) Append(b []byte) []byte {
	start := len(b)
	n := BTHBytes + p.RoCE.BTH.Opcode.Extended() + unit.Bytes(len(p.RoCE.Payload)) + unit.Bytes(-len(p.RoCE.Payload)&3) + ICRCBytes
	ip, udp := p.IP, p.UDP
	udp.Dest, udp.Length, udp.Checksum = RoCEv2Port, uint16(UDPBytes+n), 0
	if ip.Source.Is6() {
		b = IPv6{DSCP: ip.DSCP, ECN: ip.ECN, Length: udp.Length, Protocol: ProtocolUDP, TTL: ip.TTL, Source: ip.Source,
			Dest: ip.Dest}.Append(b)
	} else {
		ip.Protocol, ip.Length = ProtocolUDP, uint16(IPv4Bytes)+udp.Length
		b = ip.Append(b)
	}
	return AppendICRC(p.RoCE.append(udp.Append(b)), start)
}

// Decode reads the packet that b is, and verifies its ICRC. The payload is memory of b.
func (p *Packet) Decode(b []byte) (err error) {
	header := IPv4Bytes
	if IsIPv6(b) {
		header = IPv6Bytes
		var h IPv6
		if h, err = DecodeIPv6(b); err == nil {
			p.IP = IPv4{DSCP: h.DSCP, ECN: h.ECN, Length: h.Length + uint16(IPv6Bytes), TTL: h.TTL, Protocol: h.Protocol,
				Source: h.Source, Dest: h.Dest}
		}
	} else {
		p.IP, err = DecodeIPv4(b)
	}
	if err != nil {
		return err
	}
	if int(p.IP.Length) != len(b) || p.IP.Protocol != ProtocolUDP {
		return fmt.Errorf("IP header: %d bytes of protocol %d, want %d of protocol %d", p.IP.Length, p.IP.Protocol, len(b),
			ProtocolUDP)
	}
	if p.UDP, err = DecodeUDP(b[header:]); err != nil {
		return err
	}
	if int(p.UDP.Length) != len(b)-int(header) || p.UDP.Dest != RoCEv2Port {
		return fmt.Errorf("UDP header: %d bytes to port %d, want %d to port %d", p.UDP.Length, p.UDP.Dest,
			len(b)-int(header), RoCEv2Port)
	}
	r := &p.RoCE
	*r = RoCE{}
	body := b[header+UDPBytes:]
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
