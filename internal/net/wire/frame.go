package wire

import (
	"encoding/binary"
	"fmt"

	"railyard/internal/base/unit"
)

// Frame is an Ethernet frame, header by header; what is nil it has not got. Append makes its bytes, Dissect reads
// them.
//
//	Ethernet [VLAN] PFC
//	Ethernet [VLAN] LLDP
//	Ethernet [VLAN] IPv4 or IPv6, UDP, RoCE
//	Ethernet [VLAN] IPv4 or IPv6, UDP, VXLAN, Inner
type Frame struct {
	Ethernet Ethernet
	VLAN     *VLAN
	PFC      *PFC
	LLDP     *LLDP
	IPv4     *IPv4
	IPv6     *IPv6
	UDP      *UDP
	VXLAN    *VXLAN
	Inner    *Frame
	RoCE     *RoCE
	// Whole says that all bytes of the frame are here. Of a frame that is cut short the headers are, and payload as
	// far as it goes.
	Whole bool
}

// RoCE is a packet from its BTH on. The opcode says which of the headers between BTH and payload it has; what it
// has not got is zero.
type RoCE struct {
	BTH       BTH
	DETH      DETH
	RETH      RETH
	Atomic    AtomicETH
	AETH      AETH
	AtomicAck AtomicAckETH
	ImmDt     ImmDt
	Payload   []byte // without pad bytes
	ICRC      uint32 // as read; it is verified and made anew
}

// CM returns the connection manager's message that a datagram to queue pair 1 carries; nil: it carries none.
func (r *RoCE) CM() *CM {
	if r.BTH.Opcode != DatagramSend || r.BTH.DestQP != ServiceQP {
		return nil
	}
	c, err := DecodeCM(r.Payload)
	if err != nil {
		return nil
	}
	return c
}

// Append writes the frame after b, with padding and FCS. Lengths, checksums, the ICRC and the number of pad bytes
// follow from what is in it, and so do the ethertypes and the protocol; those in the headers do not count.
func (f *Frame) Append(b []byte) []byte {
	start := len(b)
	b = f.appendHeaders(b)
	return AppendFCS(pad(b, start), start)
}

// appendHeaders writes the frame without padding and FCS.
func (f *Frame) appendHeaders(b []byte) []byte {
	inner := f.innerType()
	eth := f.Ethernet
	if eth.Type = inner; f.VLAN != nil {
		eth.Type = TypeVLAN
	}
	b = eth.Append(b)
	if f.VLAN != nil {
		tag := *f.VLAN
		tag.Type = inner
		b = tag.Append(b)
	}
	switch {
	case f.PFC != nil:
		return f.PFC.appendControl(b)
	case f.LLDP != nil:
		return f.LLDP.Append(b)
	case f.IPv4 != nil || f.IPv6 != nil:
		return f.appendIP(b)
	}
	return b
}

func (f *Frame) innerType() EtherType {
	switch {
	case f.PFC != nil:
		return TypeMACControl
	case f.LLDP != nil:
		return TypeLLDP
	case f.IPv4 != nil:
		return TypeIPv4
	case f.IPv6 != nil:
		return TypeIPv6
	}
	return f.Ethernet.Type
}

func (f *Frame) appendIP(b []byte) []byte {
	var body []byte // of the datagram
	udp := UDP{}
	if f.UDP != nil {
		udp = *f.UDP
	}
	switch udp.Checksum = 0; {
	case f.VXLAN != nil:
		udp.Dest = VXLANPort
		body = f.VXLAN.Append(body)
		inner := len(body)
		body = pad(f.Inner.appendHeaders(body), inner)
	case f.RoCE != nil:
		udp.Dest = RoCEv2Port
		body = f.RoCE.append(body)
	}
	length := int(UDPBytes) + len(body)
	if f.RoCE != nil {
		length += int(ICRCBytes)
	}
	udp.Length = uint16(length)
	ip := len(b)
	if f.IPv4 != nil {
		h := *f.IPv4
		h.Protocol, h.Length = ProtocolUDP, uint16(int(IPv4Bytes)+length)
		b = h.Append(b)
	} else {
		h := *f.IPv6
		h.Protocol, h.Length = ProtocolUDP, uint16(length)
		b = h.Append(b)
	}
	datagram := len(b)
	b = append(udp.Append(b), body...)
	if f.RoCE != nil {
		b = AppendICRC(b, ip)
	}
	if f.IPv6 != nil {
		binary.BigEndian.PutUint16(b[datagram+6:], UDPChecksum(f.IPv6.Source, f.IPv6.Dest, b[datagram:]))
	}
	return b
}

// append writes the packet after b, from its BTH to its last pad byte.
func (r *RoCE) append(b []byte) []byte {
	h := r.BTH
	h.Pad = uint8(-len(r.Payload) & 3)
	b = h.Append(b)
	has := opcodes[h.Opcode].has
	if has&hasDETH != 0 {
		b = r.DETH.Append(b)
	}
	if has&hasRETH != 0 {
		b = r.RETH.Append(b)
	}
	if has&hasAtomicETH != 0 {
		b = r.Atomic.Append(b)
	}
	if has&hasAETH != 0 {
		b = r.AETH.Append(b)
	}
	if has&hasAtomicAckETH != 0 {
		b = r.AtomicAck.Append(b)
	}
	if has&hasImmDt != 0 {
		b = r.ImmDt.Append(b)
	}
	if has&hasReserved != 0 {
		b = append(b, make([]byte, CNPReservedBytes)...)
	}
	b = append(b, r.Payload...)
	return append(b, make([]byte, h.Pad)...)
}

// HeaderBytes returns how many bytes of the frame come before the payload: as many as a capture of headers keeps.
// A frame without RoCE is kept whole.
func (f *Frame) HeaderBytes(whole int) int {
	if f.Inner != nil && f.IPv4 != nil && f.VLAN == nil {
		outer := int(OverlayBytes)
		return outer + f.Inner.HeaderBytes(whole-outer)
	}
	if f.RoCE == nil {
		return whole
	}
	n := EthernetBytes + UDPBytes + BTHBytes + f.RoCE.BTH.Opcode.Extended()
	if f.VLAN != nil {
		n += VLANBytes
	}
	if f.IPv6 != nil {
		return int(n + IPv6Bytes)
	}
	return int(n + IPv4Bytes)
}

// Dissect reads a frame of which b is here, of length bytes; fcs says that these end with the frame check
// sequence, which is verified if it is here. What no header of this package is the start of is left out.
func Dissect(b []byte, length int, fcs bool) (*Frame, error) {
	f := &Frame{Whole: len(b) >= length}
	if fcs && f.Whole {
		if err := CheckFCS(b[:length]); err != nil {
			return nil, err
		}
		b = b[:length-int(FCSBytes)]
	}
	return f, f.dissect(b)
}

func (f *Frame) dissect(b []byte) (err error) {
	if f.Ethernet, err = DecodeEthernet(b); err != nil {
		return err
	}
	typ := f.Ethernet.Type
	if b = b[EthernetBytes:]; typ == TypeVLAN {
		tag, err := DecodeVLAN(b)
		if err != nil {
			return err
		}
		f.VLAN, typ, b = &tag, tag.Type, b[VLANBytes:]
	}
	switch typ {
	case TypeMACControl:
		p, err := decodeControl(b)
		if err != nil {
			return err
		}
		p.Source = f.Ethernet.Source
		if f.Ethernet.Dest != MACControlAddress {
			return fmt.Errorf("PFC frame: destination %v, want %v", f.Ethernet.Dest, MACControlAddress)
		}
		f.PFC = &p
	case TypeLLDP:
		f.LLDP, err = DecodeLLDP(b)
	case TypeIPv4, TypeIPv6:
		err = f.dissectIP(b, typ)
	}
	return err
}

// dissectIP reads a packet that begins with its IP header.
func (f *Frame) dissectIP(packet []byte, typ EtherType) error {
	n, header, protocol := 0, IPv4Bytes, uint8(0)
	if typ == TypeIPv4 {
		h, err := DecodeIPv4(packet)
		if err != nil {
			return err
		}
		f.IPv4, n, protocol = &h, int(h.Length), h.Protocol
	} else {
		h, err := DecodeIPv6(packet)
		if err != nil {
			return err
		}
		f.IPv6, header, n, protocol = &h, IPv6Bytes, int(h.Length)+int(IPv6Bytes), h.Protocol
	}
	if len(packet) < n && f.Whole {
		return fmt.Errorf("IP packet: %d bytes, want %d", len(packet), n)
	}
	packet = packet[:min(n, len(packet))]
	if protocol != ProtocolUDP {
		return nil
	}
	udp, err := DecodeUDP(packet[header:])
	if err != nil {
		return err
	}
	if int(udp.Length) != n-int(header) {
		return fmt.Errorf("UDP header: length %d, want %d: what the IP header says", udp.Length, n-int(header))
	}
	f.UDP = &udp
	body := packet[header+UDPBytes:]
	switch udp.Dest {
	case RoCEv2Port:
		return f.dissectRoCE(packet, body, n-int(header+UDPBytes))
	case VXLANPort:
		return f.dissectVXLAN(body)
	}
	return nil
}

func (f *Frame) dissectVXLAN(b []byte) error {
	h, err := DecodeVXLAN(b)
	if err != nil {
		return err
	}
	f.VXLAN, f.Inner = &h, &Frame{Whole: f.Whole}
	if err := f.Inner.dissect(b[VXLANBytes:]); err != nil {
		return fmt.Errorf("in VXLAN: %w", err)
	}
	return nil
}

// dissectRoCE reads a RoCEv2 packet of n bytes after its UDP header, of which b is here.
func (f *Frame) dissectRoCE(packet, b []byte, n int) (err error) {
	r := &RoCE{}
	if r.BTH, err = DecodeBTH(b); err != nil {
		return err
	}
	fixed := BTHBytes + r.BTH.Opcode.Extended()
	payload := n - int(fixed+ICRCBytes) - int(r.BTH.Pad)
	if payload < 0 {
		return fmt.Errorf("RoCEv2 packet: %d bytes, want at least %d: %v with %d pad bytes and ICRC", n,
			n-payload, r.BTH.Opcode, r.BTH.Pad)
	}
	if err := r.extended(b); err != nil {
		return err
	}
	b = b[fixed:]
	r.Payload = b[:min(payload, len(b))]
	if f.Whole {
		if err := CheckICRC(packet); err != nil {
			return err
		}
		r.ICRC = binary.LittleEndian.Uint32(packet[len(packet)-int(ICRCBytes):])
	}
	f.RoCE = r
	return nil
}

// extended reads the headers after a BTH, at the start of b.
func (r *RoCE) extended(b []byte) error {
	has := opcodes[r.BTH.Opcode].has
	b = b[BTHBytes:]
	return first(
		take(&b, has&hasDETH != 0, DETHBytes, DecodeDETH, &r.DETH),
		take(&b, has&hasRETH != 0, RETHBytes, DecodeRETH, &r.RETH),
		take(&b, has&hasAtomicETH != 0, AtomicETHBytes, DecodeAtomicETH, &r.Atomic),
		take(&b, has&hasAETH != 0, AETHBytes, DecodeAETH, &r.AETH),
		take(&b, has&hasAtomicAckETH != 0, AtomicAckETHBytes, DecodeAtomicAckETH, &r.AtomicAck),
		take(&b, has&hasImmDt != 0, ImmDtBytes, DecodeImmDt, &r.ImmDt),
		take(&b, has&hasReserved != 0, CNPReservedBytes, decodeReserved, &struct{}{}))
}

func decodeReserved(b []byte) (struct{}, error) {
	return struct{}{}, need(b, CNPReservedBytes, "CNP: reserved")
}

// take reads a header of n bytes at the start of b, if it is there, and goes behind it.
func take[H any](b *[]byte, there bool, n unit.Bytes, decode func([]byte) (H, error), h *H) (err error) {
	if !there {
		return nil
	}
	if *h, err = decode(*b); err == nil {
		*b = (*b)[n:]
	}
	return err
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
